"""`transputer audit`."""

import json
import secrets
import time
from pathlib import Path

import click
from rich.console import Console

from transputer import api
from transputer.check.audit.dead import DeadWeights, dead_weights
from transputer.check.audit.verdict import Verdict
from transputer.cli.machines import machine_option
from transputer.errors import UsageError


@click.command()
@machine_option("audit")
@click.argument("model", required=False, type=click.Path(path_type=Path))
@click.option("--seed", type=int, metavar="N",
              help="Random seed; a fresh one every time unless given.")  # fmt: skip
@click.option("--rule", "rules", multiple=True, type=int, metavar="N",
              help="Check only this rule; may be repeated.")  # fmt: skip
@click.option("--full", is_flag=True,
              help="Take larger samples and break weights on every engine, which takes many times "
              "as long.")  # fmt: skip
@click.option("--dead", is_flag=True,
              help="Zero every weight of the trace machine's layers instead, one at a time, and "
              "count those that change nothing.")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="With --dead: try only the weights that FILE lists as dead, and write those "
              "that still are; without the file, try all.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="With --dead: list every dead weight.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def audit(
    model: Path | None,
    machine: str,
    seed: int | None,
    rules: tuple[int, ...],
    full: bool,
    dead: bool,
    resume: Path | None,
    listing: bool,
    as_json: bool,
) -> int:
    """Check the rules that make this a transformer and not a trick.

    Prints a verdict and the measurements for each of the seven rules, on the model of the
    machine or on MODEL, a file. Exits with 1 if a rule does not hold.
    """
    if dead and model is not None:
        raise UsageError("--dead zeroes the weights of the machine's own model; it takes no file")
    if resume is not None and not dead:
        raise UsageError("--resume lists dead weights; it goes with --dead")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    console = Console(stderr=True)
    started = time.monotonic()
    with console.status("audit") as status:
        if dead:
            return _dead(dead_weights(progress=status.update, resume=resume), listing, as_json)
        verdicts = api.audit(
            machine, model=model, seed=seed, rules=rules, full=full, progress=status.update
        )
    passed = all(verdict.passed for verdict in verdicts)
    if as_json:
        rows = [verdict.as_json() for verdict in verdicts]
        click.echo(json.dumps({"passed": passed, "seed": seed, "verdicts": rows}))
    else:
        _show(verdicts, seed, time.monotonic() - started)
    return 0 if passed else 1


def _dead(result: DeadWeights, listing: bool, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(result.as_json()))
        return 0 if result.passed else 1
    for name, count in result.groups.items():
        click.echo(f"{count:6,}  {name}")
    for weight in result.weights if listing else ():
        click.echo(f"{weight.tensor}{list(weight.index)} = {weight.value:g}  {weight.group}")
    click.echo(
        f"{len(result.weights):,} of {result.tried:,} weights outside the tables change nothing "
        f"on {result.decoded:,} decoded tokens: {result.share:.2%}"
    )
    return 0 if result.passed else 1


def _show(verdicts: list[Verdict], seed: int, seconds: float) -> None:
    for verdict in verdicts:
        word = "holds" if verdict.passed else "FAILS"
        click.echo(f"{word}  rule {verdict.rule}: {verdict.title}")
        for fact in verdict.facts:
            click.echo(f"         {fact}")
    failed = [str(verdict.rule) for verdict in verdicts if not verdict.passed]
    end = f"rules that fail: {', '.join(failed)}" if failed else "every rule holds"
    click.echo(f"{end} ({len(verdicts)} checked with seed {seed} in {seconds:.0f} s)")
