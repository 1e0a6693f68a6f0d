"""`transputer trace`."""

import json
import math
from pathlib import PurePath
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from transputer.cli.machines import engine_option, machine_option, own, own_options
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.debugger.debugger import Debugger
from transputer.debugger.steps import Read, Step


@click.command(cls=ProgramCommand)
@program_options
@machine_option("debug")
@own_options("compile", "debug")
@engine_option("debug")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--steps", type=click.IntRange(1), default=50, show_default=True, metavar="N",
              help="Number of steps.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Print one sentence per step instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per step instead.")
def trace(
    machine: str,
    engine: str,
    invoke: str | None,
    steps: int,
    explain: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Show the first steps of a program, one per line.

    A line has the position of the token that the step decodes (or the number of the step), the
    instruction, what its heads attended to with which score margin, and the writes.
    """
    program, args = load(machine, **source)
    if explain:
        how: dict[str, Any] = {"engine": engine, "options": own("debug")}
        _explain(program.debug(invoke, args, max_steps=steps, **how), steps, as_json)
        return
    rows = program.trace(invoke, args, limit=steps, engine=engine, options=own("debug"))
    if as_json:
        for step in rows:
            click.echo(json.dumps(step.as_json()))
        return
    lines = ["line"] if any(step.line for step in rows) else []
    head = (rows.unit, "pc", "instruction", "reads", "writes")
    table = Table(*head, *lines, box=None, pad_edge=False)
    for step in rows:
        table.add_row(*_cells(step), *(PurePath(step.line).name for _ in lines))
    console = Console(width=120, highlight=False)
    with console.capture() as text:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))


def _explain(debugger: Debugger, steps: int, as_json: bool) -> None:
    """Print a sentence per step, or the JSON of each step with its sentence."""
    for number in range(1, min(debugger.steps, steps) + 1):
        text = debugger.sentence(number)
        content = {**debugger.step(number).as_json(), "sentence": text}
        click.echo(json.dumps(content) if as_json else f"{number}  {text}")


def _cells(step: Step) -> tuple[str, ...]:
    """Return the table cells of a step, without the head that fetches the instruction."""
    reads = "\n".join(_read(r) for r in step.reads if r.head not in ("instruction", "pc"))
    return str(step.label), str(step.pc), step.text, reads, step.writes


def _read(read: Read) -> str:
    margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
    return f"{read.head} @{read.position}: {read.says} ({margin})"
