"""`transputer learn`."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from transputer import api
from transputer.errors import UsageError
from transputer.runtime.learn import learn_tasks, learned_wat

#: Seconds between two lines of progress where there is no terminal.
EVERY = 15.0
_TASKS = "\n".join(f"  {name:14} {doc}" for name, doc in learn_tasks().items())


@click.command(epilog=f"\b\nTasks by name:\n{_TASKS}")
@click.argument("task", metavar="TASK")
@click.option("--method", default="auto", show_default=True, metavar="NAME",
              help="Method: enumeration, loops, annealing, cvc5, gradient, or auto, all in "
              "parallel. Baselines: random, bfs, hybrid.")  # fmt: skip
@click.option("--inputs", type=click.Choice(["signed", "unsigned"]),
              help="Words that a Python function gets (default: detected).")  # fmt: skip
@click.option("--array", "arrays", multiple=True, metavar="NAME",
              help="Parameter that is an array (default: detected).")  # fmt: skip
@click.option("--width", default="32", type=click.Choice(["8", "16", "32", "64"]),
              show_default=True, help="Bits of a word.")  # fmt: skip
@click.option("--operations", metavar="OP,OP,…", help="Operations that programs may use.")
@click.option("--constants", metavar="N,N,…", help="Numbers that programs may use.")
@click.option("--registers", type=int, metavar="N", help="Registers that annealing may use.")
@click.option("--length", type=int, metavar="N", help="Longest program that annealing tries.")
@click.option("--sketch", type=click.Path(path_type=Path, exists=True), metavar="FILE",
              help="Program with given lines, ? for each line to learn.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed.")
@click.option("--seconds", default=300.0, show_default=True, metavar="S", help="Time budget.")
@click.option("--cpu-seconds", type=float, metavar="S",
              help="Budget of processor time, whatever else the machine does.")  # fmt: skip
@click.option("--prove/--no-prove", default=True, show_default=True,
              help="Prove the program.")  # fmt: skip
@click.option("--wat", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the program as WebAssembly text.")  # fmt: skip
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the proof as JSON.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def learn(
    task: str, arrays: tuple[str, ...], operations: str | None, constants: str | None,
    width: str, sketch: Path | None, wat: Path | None, certificate: Path | None, as_json: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Learn a program for TASK and prove it.

    TASK is a file of examples (.csv, .json), a Python function (FILE.py:NAME), a SyGuS problem
    over bit vectors (.sl), or the name of a task below. Prints the program, its cost, the proof,
    and all the help that the search had. Exits with 1 if no correct program was found within
    --seconds.
    """
    with _progress(task) as progress:
        result = api.learn(
            task, arrays=list(arrays) or None, width=int(width), progress=progress,
            operations=operations.replace(",", " ").split() if operations else None,
            constants=_numbers(constants), sketch=_lines(sketch), **options,
        )  # fmt: skip
    if wat and result.solved:
        wat.write_text(learned_wat(result), encoding="utf-8")
    if certificate and result.proof:
        body = json.dumps(result.proof.as_json(), indent=1)
        certificate.write_text(body + "\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        _show(result)
    return 0 if result.solved else 1


@contextmanager
def _progress(task: str) -> Iterator[Callable[[str], None]]:
    """Show progress in one line of a terminal, elsewhere as a line every `EVERY` seconds."""
    console = Console(stderr=True)
    last = time.monotonic()

    def line(message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            click.echo(message, err=True)

    if not console.is_terminal:
        yield line
        return
    with console.status(task) as status:
        yield status.update


def _numbers(text: str | None) -> list[int] | None:
    if not text:
        return None
    try:
        return [int(word, 0) for word in text.replace(",", " ").split()]
    except ValueError as problem:
        raise UsageError(f"--constants: {problem}") from None


def _lines(path: Path | None) -> str:
    if path is None:
        return ""
    lines = (line.split(";")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line)


def _show(result: Any) -> None:
    cost = f"{result.evaluations:,} evaluations, {result.seconds:.1f} s, {result.method}"
    if not result.solved:
        click.echo(f"{result.task}: not solved ({cost}; {result.detail})")
        return
    for place, instruction in enumerate(result.program):
        mark = "  ; given" if result.given and result.given[place] else ""
        click.echo(f"{place:3}  {instruction}{mark}")
    known = {True: ", minimal", False: ", not minimal", None: ""}[result.minimal]
    click.echo(f"{len(result.program)} instructions{known}; {cost}; {result.detail}")
    for fact in result.proof.facts if result.proof else ():
        click.echo(f"  {fact}")
    if result.minimality and result.minimal is not None:
        click.echo(f"  {result.minimality}")
    if result.question:
        click.echo(f"  {result.question}")
    for line in result.help.lines() if result.help else ():
        click.echo(f"  {line}")
