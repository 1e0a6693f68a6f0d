"""`transputer specialize`."""

import time
from typing import Any

import click

from transputer import api
from transputer.cli.machines import machine_option
from transputer.cli.sources import ProgramCommand, arguments_after, complete_file
from transputer.errors import UsageError
from transputer.registry import Program, check
from transputer.runtime.models import build_trace as universal_model
from transputer.runtime.models import card, save_model
from transputer.runtime.trace.program import TraceProgram

#: Runs of each model in a comparison; the fastest counts.
RUNS = 9


@click.command(cls=ProgramCommand)
@click.argument("file", shell_complete=complete_file)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@machine_option("specialize")
@click.option("-o", "--output", required=True, metavar="MODEL", help="File to write.")
@click.option("--invoke", metavar="NAME", help="Exported function that the model runs.")
@click.option("--stats", is_flag=True,
              help="Print a comparison with the universal model on ARGS to stderr.")  # fmt: skip
def specialize(
    file: str, args: tuple[str, ...], machine: str, output: str, invoke: str | None, stats: bool
) -> None:
    """Build a model with one program, FILE, in its weights; it needs no prompt.

    `transputer run MODEL [ARGS]` runs it on every engine that runs weights. Its step records
    equal those of the universal model. An assembly program takes as many arguments as ARGS has.
    """
    check(machine, "specialize")
    args = (*args, *arguments_after())
    program, universal = api.compile(file, machine=machine), universal_model()
    started = time.process_time()
    model = api.specialize(program, invoke, len(args))
    seconds = time.process_time() - started
    save_model(model, output)
    neurons = sum(len(layer.gate) for layer in model.layers)
    size = f"{len(model.layers)} layers, {model.width} lanes, {neurons:,} neurons"
    click.echo(f"{output}: {size}")
    if stats:
        click.echo(_sizes(card(universal), card(model)), err=True)
        click.echo(f"specialised in {seconds:.1f} s of CPU time", err=True)
        click.echo(_runs(program, TraceProgram(output, packed=model), invoke, args), err=True)


def _sizes(universal: dict[str, Any], model: dict[str, Any]) -> str:
    """Return a table of the sizes of both models."""
    lines = [f"{'':22}{'universal':>12}{'specialised':>12}"]
    for name in ("layers", "lanes", "heads", "neurons"):
        lines.append(f"{name:22}{universal[name]:12,}{model[name]:12,}")
    for name in ("layers", "tables"):
        counts = (card["parameters"][name]["nonzero"] for card in (universal, model))
        lines.append(f"{f'nonzeros, {name}':22}" + "".join(f"{count:12,}" for count in counts))
    return "\n".join(lines)


def _runs(program: Program, special: Program, invoke: str | None, args: Any) -> str:
    """Time the same run on both models, in turn; raise `UsageError` if their records differ."""
    pair = {"universal": program, "specialised": special}
    feed: dict[str, Any] = {"stdin": _end, "stdout": _nowhere}
    results = {name: one.run(invoke, args, **feed, digest=True) for name, one in pair.items()}
    if len({(r.trace_sha256, r.steps) for r in results.values()}) != 1:
        raise UsageError("the two runs differ; please report this program")
    best: dict[str, float] = {}
    for _ in range(RUNS):
        for name, one in pair.items():
            started = time.process_time()
            one.run(invoke, args, **feed)
            seconds = time.process_time() - started
            best[name] = min(best.get(name, seconds), seconds)
    steps = results["universal"].steps
    return (
        f"{steps:,} steps, same SHA-256, engine {results['universal'].engine}, CPU time: "
        f"universal {best['universal']:.4f} s, specialised {best['specialised']:.4f} s, "
        f"{best['universal'] / best['specialised']:.2f} times as fast"
    )


def _end() -> int:
    return -1


def _nowhere(byte: int) -> None:
    pass
