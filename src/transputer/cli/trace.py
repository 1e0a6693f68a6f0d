"""`transputer trace`."""

import json
import math

import click
from rich.console import Console
from rich.table import Table

from transputer import api


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--steps", default=100, show_default=True, metavar="N", help="How many to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per step instead.")
def trace(file: str, args: tuple[str, ...], invoke: str | None, steps: int, as_json: bool) -> None:
    """Show a run step by step: what each instruction read, where the heads looked, what it wrote.

    Every line is one forward pass. A read names the head, the token it attended to (its
    position), what that token says, and the margin by which it won.
    """
    found = api.trace(api.compile(file), invoke, args, limit=steps)
    if as_json:
        for step in found:
            click.echo(json.dumps(step.as_json()))
        return
    table = Table("token", "pc", "instruction", "reads", "writes", box=None, pad_edge=False)
    for step in found:
        phase = f" /{step.phase}" if step.phase else ""
        reads = "\n".join(_read(r) for r in step.reads if r.head != "instruction")
        table.add_row(
            str(step.position), str(step.pc), step.instruction + phase, reads, step.writes
        )
    console = Console(width=120, highlight=False)
    with console.capture() as shown:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in shown.get().splitlines()))


def _read(read: api.Read) -> str:
    margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
    return f"{read.head} @{read.position}: {read.says} ({margin})"
