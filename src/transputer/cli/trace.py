"""`transputer trace`."""

import json
import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from transputer import api
from transputer.cli.sources import (
    ProgramCommand,
    invoked,
    leave_out,
    machine_options,
    only_on,
    program_options,
)


@click.command(cls=ProgramCommand, context_settings={"ignore_unknown_options": True})
@program_options
@machine_options("trace", "loom")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--steps", default=100, show_default=True, metavar="N", help="How many to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per step instead.")
def trace(
    machine: str,
    config: str | None,
    bits: int,
    invoke: str | None,
    steps: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Show a run step by step: what each instruction read, where the heads looked, what it wrote.

    Every line is one forward pass. A read names the head, the token it attended to (its
    position), what that token says, and the margin by which it won; on the loom machine, the
    column that column 0 met.
    """
    only_on("loom", machine, {"--config": config, "--bits": bits})
    found: Sequence[api.Step | api.LoomStep]
    if machine == "loom":
        leave_out("loom", {"--invoke": invoke, "ARGS": source["args"]})
        program = api.compile_loom(source["file"], bits, config)
        found = api.trace_loom(program, config, name=source["file"], limit=steps)
    else:
        found = api.trace(*invoked(invoke, **source), limit=steps)
    if as_json:
        for step in found:
            click.echo(json.dumps(step.as_json()))
        return
    lines = ["line"] if any(step.line for step in found) else []
    first = "token" if machine == "trace" else "step"
    table = Table(first, "pc", "instruction", "reads", "writes", *lines, box=None, pad_edge=False)
    for step in found:
        table.add_row(*_cells(step), *(PurePath(step.line).name for _ in lines))
    console = Console(width=120, highlight=False)
    with console.capture() as shown:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in shown.get().splitlines()))


def _cells(step: api.Step | api.LoomStep) -> tuple[str, ...]:
    """A step as the table shows it; the head that fetches is left out."""
    reads = "\n".join(_read(r) for r in step.reads if r.head not in ("instruction", "pc"))
    if isinstance(step, api.LoomStep):
        return str(step.number), str(step.pc), step.instruction, reads, step.writes
    phase = f" /{step.phase}" if step.phase else ""
    return str(step.position), str(step.pc), step.instruction + phase, reads, step.writes


def _read(read: api.Read) -> str:
    margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
    return f"{read.head} @{read.position}: {read.says} ({margin})"
