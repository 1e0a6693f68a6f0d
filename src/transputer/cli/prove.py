"""`transputer prove`."""

import json
from pathlib import Path
from typing import Any

import click

from transputer import api
from transputer.check.prove import DecoderCertificate, LoopedCertificate
from transputer.cli.machines import machine_option
from transputer.cli.progress import Ticker
from transputer.errors import UsageError


@click.command()
@click.argument("model", required=False)
@machine_option("prove")
@click.option("-o", "--output", metavar="FILE", help="Write the certificate here, as JSON.")
@click.option("--check", "against", metavar="FILE",
              help="Compare with a certificate that was written before.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
def prove(
    model: str | None, machine: str, output: str | None, against: str | None, as_json: bool
) -> int:
    """Prove what the lifted engine uses of MODEL, by default of the machine's universal model.

    Every row (an instruction in a phase) is derived from the weights as formulas on words; then
    the formulas are compared with the dense weights on random tokens. Of a looped model it is
    every step of a program with all instructions. Exit code 1 where that, or a certificate given
    with --check, disagrees.
    """
    held = None if against is None else _read(against)
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise UsageError(f"{output}: there is no such folder to write to")
    with Ticker() as ticker:
        proof = api.prove(model, machine=machine, progress=ticker.pulse)
    certificate, problems = proof.certificate, proof.problems
    made = json.loads(json.dumps(certificate.as_json()))
    if held is not None and held != made:
        problems = [*problems, f"{against} says something else"]
    if output is not None:
        Path(output).write_text(json.dumps(made, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps({**made, "problems": problems}))
    else:
        _print(certificate)
        for problem in problems:
            click.echo(f"wrong: {problem}")
    return 1 if problems else 0


def _read(name: str) -> dict[str, Any]:
    """A certificate from a file, before anything is proved."""
    try:
        held = json.loads(Path(name).read_text())
    except OSError as problem:
        raise UsageError(f"{name}: {problem.strerror}; -o FILE writes a certificate") from None
    except ValueError:
        held = None
    if not isinstance(held, dict) or not {"rows", "steps"} & held.keys():
        raise UsageError(f"{name}: not a certificate; -o FILE writes one")
    return held


def _print(certificate: DecoderCertificate | LoopedCertificate) -> None:
    click.echo(f"model    {certificate.model[:16]}")
    if isinstance(certificate, LoopedCertificate):
        _print_steps(certificate)
    else:
        _print_rows(certificate)


def _print_steps(certificate: LoopedCertificate) -> None:
    steps = certificate.steps
    gaps = [step.open for step in steps if step.open]
    click.echo(f"columns  {certificate.idle} stay as they are by themselves, and beside each other")
    click.echo(f"         {certificate.variable} of them get new words, all others are constants")
    click.echo(f"steps    {len(steps)}, {len(gaps)} of them not all in formulas")
    click.echo(f"         {sum(step.ends for step in steps)} ends proved: words and next place")
    click.echo(f"         {sum(step.numbers for step in steps)} words proved from their digits")
    click.echo(f"         {sum(step.selections for step in steps)} columns found by a key")
    for why in dict.fromkeys(why for found in gaps for why in found):
        click.echo(f"open     {why}: left to the native engine")


def _print_rows(certificate: DecoderCertificate) -> None:
    rows = certificate.rows
    guarded, digits = sum(r.guarded for r in rows), sum(r.digits for r in rows)
    click.echo(
        f"heads    {certificate.lookups} of {certificate.heads} are array reads, others fixed"
    )
    click.echo(f"rows     {len(rows)}, {len(certificate.open_rows)} of them not all in formulas")
    click.echo(f"words    {certificate.words} proved, {guarded} with a check at run time")
    click.echo(f"         {digits} computed digit by digit")
    used, proved = certificate.used, certificate.proved
    click.echo(f"neurons  {certificate.neurons}, {used} used in rows, {proved} only in proved ones")
    if certificate.open_neurons:
        click.echo("open     " + "; ".join(certificate.open_neurons))
