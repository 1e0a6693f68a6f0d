"""`transputer audit`."""

import json
import time

import click
from rich.console import Console

from transputer import api
from transputer.check.audit.verdict import Verdict
from transputer.cli.machines import machine_option


@click.command()
@machine_option("audit")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Random seed.")
@click.option("--rule", "rules", multiple=True, type=int, metavar="N",
              help="Check only this rule; may be repeated.")  # fmt: skip
@click.option("--mutants", type=click.IntRange(1), metavar="N",
              help="Number of models with a broken weight to run.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def audit(
    machine: str, seed: int, rules: tuple[int, ...], mutants: int | None, as_json: bool
) -> int:
    """Check the rules that make this a transformer and not a trick.

    Prints a verdict for each of the seven rules, with what was measured. Exits with 1 if one
    does not hold.
    """
    console = Console(stderr=True)
    started = time.monotonic()
    with console.status("audit") as status:
        verdicts = api.audit(
            machine, seed=seed, rules=rules, mutants=mutants, progress=status.update
        )
    passed = all(verdict.passed for verdict in verdicts)
    if as_json:
        found = [verdict.as_json() for verdict in verdicts]
        click.echo(json.dumps({"passed": passed, "seed": seed, "verdicts": found}))
    else:
        _show(verdicts, time.monotonic() - started)
    return 0 if passed else 1


def _show(verdicts: list[Verdict], seconds: float) -> None:
    for verdict in verdicts:
        word = "holds" if verdict.passed else "FAILS"
        click.echo(f"{word}  rule {verdict.rule}: {verdict.title}")
        for fact in verdict.facts:
            click.echo(f"         {fact}")
    failed = [str(verdict.rule) for verdict in verdicts if not verdict.passed]
    end = f"rules that fail: {', '.join(failed)}" if failed else "every rule holds"
    click.echo(f"{end} ({len(verdicts)} checked in {seconds:.0f} s)")
