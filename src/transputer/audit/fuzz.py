"""`python -m transputer.audit.fuzz`: random modules through the weights.

Each is compared with wasmtime and with our oracle, which run it as it is; the weights run what
is left of it after lowering. Results, traps, memories, tables, globals and the number of
instructions must be the same.
"""

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import click

from transputer.audit.play import MirroredSession, Screen
from transputer.engines.native import Native
from transputer.engines.reference import Reference
from transputer.fuzz.__main__ import report
from transputer.fuzz.campaign import Tally, peak_memory, try_module
from transputer.fuzz.differential import Examined, examine
from transputer.fuzz.modules import Case
from transputer.fuzz.values import Types, spelled, types_named
from transputer.ir.verify import verify
from transputer.isa.core import MAX_FRAMES
from transputer.isa.op import ValType
from transputer.lower.bulk import lower_bulk
from transputer.lower.flatten import flatten
from transputer.machines.trace.circuit import model
from transputer.machines.trace.tape import Engine
from transputer.oracle.observation import difference, observe

#: What the trace machine computes with.
TYPES: Types = frozenset({ValType.I32, ValType.FUNCREF, ValType.EXTERNREF})
#: Far more than a generated module can take.
STEPS = 5_000_000
ENGINES: dict[str, Callable[[], Engine]] = {
    "native": lambda: Native(model()),
    "reference": lambda: Reference(model()),
}


def weighed(case: Case, make: Callable[[], Engine]) -> Examined:
    """A module on everything that `examine` knows, and on the weights."""
    examined = examine(case)
    if examined.problem:
        return examined
    session = MirroredSession(make(), Screen(), MAX_FRAMES, STEPS)
    seen = observe(session, lower_bulk(flatten(verify(case.module))), case.calls)
    problem = difference(examined.observation, seen, ("the oracle", "the weights"))
    if not problem and seen.instructions != examined.observation.instructions:
        counts = f"{examined.observation.instructions}, {seen.instructions}"
        problem = f"different numbers of instructions: {counts}"
    return replace(examined, problem=problem)


def campaign(seeds: Iterable[int], engine: str, types: Types = TYPES) -> Tally:
    """A module for each seed, on the weights."""
    ENGINES[engine]()  # the model is built before any module is timed
    total = Tally()
    for seed in seeds:
        tally = try_module(seed, types, lambda case: weighed(case, ENGINES[engine]))
        again = f"--modules 1 --seed {seed} --engine {engine} --types {spelled(types)}"
        tally.failures = [replace(failure, reproduce=again) for failure in tally.failures]
        total.add(tally)
    return total


@click.command()
@click.option("--modules", default=200, show_default=True, help="Random modules to run.")
@click.option("--seed", default=1, show_default=True, help="The first seed; the rest follow.")
@click.option("--types", default=spelled(TYPES), show_default=True, help="Value types they use.")
@click.option("--engine", type=click.Choice(list(ENGINES)), default="native", show_default=True)
def main(modules: int, seed: int, types: str, engine: str) -> None:
    """Compare the weights with wasmtime and the oracle; exit 1 on any difference."""
    started = time.monotonic()
    total = campaign(range(seed, seed + modules), engine, types_named(types))
    total.memory = peak_memory()
    report(total, time.monotonic() - started, "transputer.audit.fuzz")
    sys.exit(1 if total.failures else 0)


if __name__ == "__main__":
    main()
