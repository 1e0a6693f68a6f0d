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
@click.option("-o", "--output", metavar="FILE", help="Write the certificate as JSON.")
@click.option("--check", "against", metavar="FILE",
              help="Compare with a certificate that -o wrote.")  # fmt: skip
@click.option("--fresh/--cached", default=True, show_default=True,
              help="Derive every row from the weights, or take rows derived before.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
def prove(
    model: str | None,
    machine: str,
    output: str | None,
    against: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Prove the formulas that the lifted engine uses of MODEL (default: the machine's model).

    Derives formulas on words from the weights for every row (an instruction in a phase), then
    compares them with the dense weights on random tokens. For a looped model, derives every step
    of a program that has all instructions. Exits with 1 if the comparison fails, or if the
    certificate differs from that of --check.
    """
    expected = None if against is None else _read(against)
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise UsageError(f"{output}: its folder does not exist")
    with Ticker() as ticker:
        proof = api.prove(model, machine=machine, fresh=fresh, progress=ticker.pulse)
    certificate, problems = proof.certificate, proof.problems
    content = json.loads(json.dumps(certificate.as_json()))
    if expected is not None and expected != content:
        problems = [*problems, f"{against}: the certificates differ"]
    if output is not None:
        Path(output).write_text(json.dumps(content, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps({**content, "problems": problems}))
    else:
        _print(certificate)
        for problem in problems:
            click.echo(f"wrong: {problem}")
    return 1 if problems else 0


def _read(name: str) -> dict[str, Any]:
    """Read a certificate from a file."""
    try:
        content = json.loads(Path(name).read_text())
    except OSError as problem:
        raise UsageError(f"{name}: {problem.strerror}; -o FILE writes a certificate") from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or not {"rows", "steps"} & content.keys():
        raise UsageError(f"{name}: not a certificate; -o FILE writes one")
    return content


def _print(certificate: DecoderCertificate | LoopedCertificate) -> None:
    click.echo(f"model    {certificate.model[:16]}")
    if isinstance(certificate, LoopedCertificate):
        _print_steps(certificate)
    else:
        _print_rows(certificate)


def _print_steps(certificate: LoopedCertificate) -> None:
    steps = certificate.steps
    gaps = [step.open for step in steps if step.open]
    click.echo(f"columns  {certificate.idle} proved idle, alone and next to each other")
    click.echo(f"         {certificate.variable} of them change, the others are constants")
    click.echo(f"steps    {len(steps)}, {len(gaps)} of them not entirely in formulas")
    click.echo(f"         {sum(step.ends for step in steps)} ends proved: words and next pc")
    click.echo(f"         {sum(step.numbers for step in steps)} words proved from their digits")
    click.echo(f"         {sum(step.selections for step in steps)} columns selected by a key")
    for why in dict.fromkeys(why for reasons in gaps for why in reasons):
        click.echo(f"open     {why}: left to the native engine")


def _print_rows(certificate: DecoderCertificate) -> None:
    rows = certificate.rows
    guarded, digits = sum(r.guarded for r in rows), sum(r.digits for r in rows)
    click.echo(
        f"heads    {certificate.lookups} of {certificate.heads} are array reads, the others fixed"
    )
    click.echo(
        f"rows     {len(rows)}, {len(certificate.open_rows)} of them not entirely in formulas"
    )
    click.echo(f"words    {certificate.words} proved, {guarded} with a check at run time")
    click.echo(f"         {digits} computed digit by digit")
    used, proved = certificate.used, certificate.proved
    click.echo(f"neurons  {certificate.neurons}, {used} used in rows, {proved} only in proved ones")
    if certificate.open_neurons:
        click.echo("open     " + "; ".join(certificate.open_neurons))
