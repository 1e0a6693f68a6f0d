"""`transputer map`."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from transputer.cli.machines import engine_option, machine_option
from transputer.cli.sources import notice
from transputer.host.outcome import DEFAULT_STEPS
from transputer.runtime.map import finished, inputs_of, map_inputs, runner

INTERRUPTED = 130


@click.command("map")
@click.argument("program")
@click.argument("inputs", type=click.File(encoding="utf-8"))
@click.option("--invoke", metavar="NAME", help="Call this exported function with the arguments.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="File for the results; inputs whose results it has are skipped.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Number of processes.")  # fmt: skip
@machine_option("run")
@engine_option("run")
@click.option("--max-steps", type=click.IntRange(1), default=DEFAULT_STEPS, show_default=True,
              metavar="N", help="Step limit for each input.")  # fmt: skip
def map_(
    program: str,
    inputs: TextIO,
    invoke: str | None,
    output: Path | None,
    jobs: int,
    machine: str,
    engine: str,
    max_steps: int,
) -> int:
    """Run one program on many inputs.

    INPUTS has one JSON object per line: {"args": [1, 2], "stdin": "text"}; - is standard input.
    Results are JSON lines in the same order: what `run --json` prints, and the line number of
    the input. An input that is malformed, reaches --max-steps, or crashes its process three times
    gets an error instead, and the exit code is 1.

    With -o, the same command resumes after an interruption.
    """
    run = runner(
        program, invoke, machine=machine, engine=engine, max_steps=max_steps, notice=notice
    )
    items = inputs_of(_text(inputs))
    done = 0 if output is None else finished(run, items, output)
    wrong = 0
    try:
        with _target(output) as target, _bar(output) as progress:
            task = progress.add_task("", total=len(items), completed=done)
            for result in map_inputs(run, items[done:], jobs):
                target.write(json.dumps(result) + "\n")
                target.flush()
                wrong += "error" in result
                done += 1
                progress.update(task, completed=done)
    except KeyboardInterrupt:
        further = "; run the same command to resume" if output else ""
        click.echo(f"transputer: interrupted after {done} of {len(items)}{further}", err=True)
        return INTERRUPTED
    if wrong:
        click.echo(f"transputer: {wrong} of {len(items)} inputs gave an error", err=True)
    return 1 if wrong else 0


def _text(inputs: TextIO) -> str:
    try:
        return inputs.read()
    except UnicodeDecodeError:
        raise click.BadParameter(f"{inputs.name}: not UTF-8 text") from None


@contextmanager
def _target(output: Path | None) -> Iterator[Any]:
    if output is None:
        yield sys.stdout
        return
    try:
        file = output.open("a", encoding="utf-8")
    except OSError as problem:
        raise click.BadParameter(f"{output}: {problem.strerror}") from None
    with file:
        yield file


def _bar(output: Path | None) -> Progress:
    """Return a progress bar; it is hidden off a terminal, and where the results are printed."""
    screen = Console(stderr=True)
    hidden = not screen.is_terminal or (output is None and sys.stdout.isatty())
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=screen, disable=hidden, transient=True)
