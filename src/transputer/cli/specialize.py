"""`transputer specialize`."""

import time
from typing import Any

import click

from transputer import api
from transputer.cli.machines import machine_option
from transputer.cli.sources import refuse_options
from transputer.errors import UsageError
from transputer.registry import Program, check
from transputer.runtime.models import build_trace as universal_model
from transputer.runtime.models import card, save_model
from transputer.runtime.trace.program import TraceProgram

#: Each model runs so often for a comparison; the fastest counts.
RUNS = 9


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@machine_option("specialize")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write it.")
@click.option("--invoke", metavar="NAME", help="The exported function that the model runs.")
@click.option("--stats", is_flag=True,
              help="Compare it with the universal model on ARGS, on stderr.")  # fmt: skip
def specialize(
    file: str, args: tuple[str, ...], machine: str, output: str, invoke: str | None, stats: bool
) -> None:
    """Make a model of one program: FILE in the weights, no prompt.

    `transputer run MODEL [ARGS]` runs it, on every engine that runs weights, record for record as
    the universal model runs the program. An assembly program takes as many arguments as ARGS.
    """
    check(machine, "specialize")
    refuse_options(args)
    program, universal = api.compile(file, machine=machine), universal_model()
    started = time.process_time()
    model = api.specialize(program, invoke, len(args))
    seconds = time.process_time() - started
    save_model(model, output)
    neurons = sum(len(layer.gate) for layer in model.layers)
    held = f"{len(model.layers)} layers, {model.width} lanes, {neurons:,} neurons"
    click.echo(f"{output}: {held}")
    if stats:
        click.echo(_sizes(card(universal), card(model)), err=True)
        click.echo(f"specialised in {seconds:.1f} s of CPU time", err=True)
        click.echo(_runs(program, TraceProgram(output, packed=model), invoke, args), err=True)


def _sizes(universal: dict[str, Any], model: dict[str, Any]) -> str:
    """Sizes of both, a line each."""
    lines = [f"{'':22}{'universal':>12}{'specialised':>12}"]
    for name in ("layers", "lanes", "heads", "neurons"):
        lines.append(f"{name:22}{universal[name]:12,}{model[name]:12,}")
    for name in ("layers", "tables"):
        counts = (card["parameters"][name]["nonzero"] for card in (universal, model))
        lines.append(f"{f'nonzeros, {name}':22}" + "".join(f"{count:12,}" for count in counts))
    return "\n".join(lines)


def _runs(program: Program, special: Program, invoke: str | None, args: Any) -> str:
    """The same run on both, in turn; `UsageError` if their records differ."""
    best: dict[str, float] = {}
    for _ in range(RUNS):
        found = {}
        for name, one in (("universal", program), ("specialised", special)):
            started = time.process_time()
            found[name] = one.run(invoke, args, stdin=_end, stdout=_nowhere)
            seconds = time.process_time() - started
            best[name] = min(best.get(name, seconds), seconds)
        if len({(r.trace_sha256, r.steps) for r in found.values()}) != 1:
            raise UsageError("the two runs differ; please report this program")
    steps = found["universal"].steps
    return (
        f"{steps:,} steps, same SHA-256, engine {found['universal'].engine}, CPU time: "
        f"universal {best['universal']:.4f} s, specialised {best['specialised']:.4f} s, "
        f"{best['universal'] / best['specialised']:.2f} times as fast"
    )


def _end() -> int:
    return -1


def _nowhere(byte: int) -> None:
    pass
