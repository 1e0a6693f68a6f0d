"""`transputer map`."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from transputer.cli.machines import engine_option, machine_option
from transputer.cli.sources import notice
from transputer.host.outcome import DEFAULT_STEPS
from transputer.runtime.map import (
    BACKENDS,
    InputRow,
    map_inputs,
    read_inputs,
    read_parquet,
    runner,
    without_finished,
)

INTERRUPTED = 130
#: Results after which a long run writes to its file and updates its progress.
FLUSHED = 256


@click.command("map")
@click.argument("program")
@click.argument("inputs", metavar="INPUTS")
@click.option("--invoke", metavar="NAME", help="Call this exported function with the arguments.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="File for the results.")  # fmt: skip
@click.option("--resume/--no-resume", default=True, show_default=True,
              help="Skip inputs whose results the output file has, or overwrite it.")  # fmt: skip
@click.option("--ordered/--unordered", default=True, show_default=True,
              help="Write results in the order of inputs, or as they become ready.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Number of processes.")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS",
              help="Run on a Dask cluster: tcp://HOST:PORT, or dask-local for one with "
                   "--jobs workers.")  # fmt: skip
@click.option("--backend", type=click.Choice([*BACKENDS]), default="cpu", show_default=True,
              help="Where batches of rows run: on cores, or on a CUDA device.")  # fmt: skip
@machine_option("run")
@engine_option("run")
@click.option("--max-steps", type=click.IntRange(1), default=DEFAULT_STEPS, show_default=True,
              metavar="N", help="Step limit for each input.")  # fmt: skip
def map_(
    program: str,
    inputs: str,
    invoke: str | None,
    output: Path | None,
    resume: bool,
    ordered: bool,
    jobs: int,
    scheduler: str | None,
    backend: str,
    machine: str,
    engine: str,
    max_steps: int,
) -> int:
    """Run one program on many inputs.

    INPUTS has one JSON object per line: {"args": [1, 2], "stdin": "text"}; - is standard input.
    It can also be a .csv or .parquet file, whose columns are arguments, but for one called stdin.
    Results are JSON lines: what `run --json` prints, and the line number of
    the input. An input that is malformed, reaches --max-steps, or crashes its process three times
    gets an error instead, and the exit code is 1.

    With -o, the same command resumes after an interruption.
    """
    options: dict[str, Any] = {"engine": engine, "max_steps": max_steps, "backend": backend}
    run = runner(program, invoke, machine=machine, notice=notice, **options)
    total = _count(inputs)
    items: Iterator[InputRow] = _read(inputs)
    done = wrong = 0
    if output is not None and not resume:
        output.unlink(missing_ok=True)
    if output is not None:
        done, items = without_finished(run, items, output)
    try:
        with _target(output) as target, _bar(output) as progress:
            task = progress.add_task("", total=total, completed=done)
            for result in map_inputs(run, items, jobs, ordered, scheduler):
                target.write(json.dumps(result) + "\n")
                wrong += "error" in result
                done += 1
                if done % FLUSHED == 0 or total is None or total < FLUSHED:
                    target.flush()
                    progress.update(task, completed=done)
    except KeyboardInterrupt:
        further = "; run the same command to resume" if output else ""
        of = "" if total is None else f" of {total}"
        click.echo(f"transputer: interrupted after {done}{of}{further}", err=True)
        return INTERRUPTED
    if wrong:
        click.echo(f"transputer: {wrong} of {done} inputs gave an error", err=True)
    return 1 if wrong else 0


def _read(path: str) -> Iterator[InputRow]:
    """The rows of a file, or of standard input."""
    kind = Path(path).suffix.lower()
    if kind == ".parquet":
        yield from read_parquet(path)
        return
    try:
        with click.open_file(path, encoding="utf-8") as file:
            yield from read_inputs(file, kind)
    except UnicodeDecodeError:
        raise click.BadParameter(f"{path}: not UTF-8 text") from None


def _count(path: str) -> int | None:
    """The number of rows of a text file; None for others. Raises if it cannot be read."""
    if path == "-":
        return None
    try:
        with open(path, "rb") as file:
            kind = Path(path).suffix.lower()
            if kind == ".parquet":
                return None
            return sum(1 for line in file if line.strip()) - (kind == ".csv")
    except OSError as problem:
        raise click.BadParameter(f"{path}: {problem.strerror}") from None


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
