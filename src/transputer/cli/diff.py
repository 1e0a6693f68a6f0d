"""`transputer diff`."""

import json
from typing import Any

import click

from transputer.cli.machines import machine_option, own_options
from transputer.cli.progress import Ticker
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.debugger.diff import Comparison
from transputer.errors import UsageError
from transputer.registry.program import COMPARED


@click.command(cls=ProgramCommand)
@program_options
@machine_option("diff")
@own_options("compile")
@click.option(
    "--engines",
    default="native,oracle",
    show_default=True,
    metavar="A,B",
    help="Two engines; the second may be an oracle, which runs without weights.",
)
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--model", "weights", metavar="FILE", help="Weights for the first engine.")
@click.option(
    "--stdin",
    "typed",
    metavar="FILE",
    type=click.File("rb"),
    help="The program's standard input; empty by default.",
)
@click.option(
    "--max-steps",
    default=COMPARED,
    show_default=True,
    metavar="N",
    help="Number of steps to compare.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def diff(
    machine: str,
    engines: str,
    invoke: str | None,
    weights: str | None,
    typed: Any,
    max_steps: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Find the first step at which two engines differ; exit with 1 if there is one."""
    names = engines.split(",")
    if len(names) != 2:
        raise UsageError(f"--engines takes two names separated by a comma, not {engines!r}")
    program, args = load(machine, **source)
    with Ticker() as ticker:
        comparison = program.diff(
            (names[0], names[1]),
            invoke,
            args,
            stdin=typed.read() if typed is not None else b"",
            max_steps=max_steps,
            weights=weights,
            pulse=ticker.pulse,
        )
    click.echo(json.dumps(_json(comparison)) if as_json else _text(comparison, names))
    if comparison.difference is not None:
        raise click.exceptions.Exit(1)


def _json(comparison: Comparison) -> dict[str, Any]:
    d = comparison.difference
    difference = None if d is None else {
        "step": d.step, "pc": d.pc, "what": d.what, "first": d.first, "second": d.second,
        "instruction": comparison.instruction, "line": comparison.line,
    }  # fmt: skip
    return {"steps": comparison.steps, "difference": difference}


def _text(comparison: Comparison, names: list[str]) -> str:
    d = comparison.difference
    if d is None:
        return f"no difference in {comparison.steps:,} steps"
    place = ", ".join(x for x in (f"pc {d.pc}", comparison.instruction, comparison.line) if x)
    first = f"step {d.step:,} ({place})" if d.step else "result"
    return f"{first}: {d.what}\n  {names[0]}: {d.first}\n  {names[1]}: {d.second}"
