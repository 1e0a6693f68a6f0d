"""`python -m transputer.check.audit.fuzz`: random modules through the weights.

Each is compared with wasmtime and with our oracle, which run it as it is; the weights run what
is left of it after lowering. Results, traps, memories, tables, globals and the number of
instructions must be the same.
"""

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import click

from transputer.check.audit.play import MirroredSession, Screen
from transputer.check.fuzz.__main__ import report
from transputer.check.fuzz.campaign import Tally, peak_memory, try_module
from transputer.check.fuzz.differential import Examined, examine
from transputer.check.fuzz.modules import Case
from transputer.check.fuzz.values import Types, spelled, types_named
from transputer.engines.native.decoder import Native
from transputer.engines.protocol import DecoderEngine
from transputer.engines.reference.decoder import Reference
from transputer.errors import TransputerError
from transputer.frontends.binary import decode, encode
from transputer.host.observation import Observation, difference, observe
from transputer.ir.verify import Verified, verify
from transputer.isa.core import MAX_FRAMES
from transputer.isa.op import ValType
from transputer.lower.pipeline import in_words
from transputer.machines.trace.circuit import model
from transputer.oracle.independent import complaint, run_wasmtime
from transputer.oracle.ir import IrSession

#: What the trace machine computes with.
TYPES: Types = frozenset({ValType.I32, ValType.FUNCREF, ValType.EXTERNREF})
#: Far more than a generated module can take.
STEPS = 5_000_000
ENGINES: dict[str, Callable[[], DecoderEngine]] = {
    "native": lambda: Native(model()),
    "reference": lambda: Reference(model()),
}


def weighed(case: Case, make: Callable[[], DecoderEngine]) -> Examined:
    """A module on everything that `examine` knows, and on the weights."""
    examined = examine(case)
    if examined.problem:
        return examined
    oracle = examined.observation
    seen = on_weights(case, verify(case.module), make, STEPS)
    return replace(examined, problem=_unlike(oracle, seen))


def compared(case: Case, make: Callable[[], DecoderEngine], steps: int = STEPS) -> Examined:
    """A module on wasmtime, on the oracle and on the weights, and nothing in between."""
    binary = encode(case.module)
    if decode(binary) != case.module:
        return Examined(problem="decode(encode(module)) is another module")
    if theirs := complaint(binary):
        return Examined(problem=f"wasmtime refuses it: {theirs}")
    try:
        verified = verify(case.module)
        wasmtime = run_wasmtime(binary, case.calls, fuel=4 * steps)
        oracle = observe(IrSession(max_steps=steps), verified, case.calls)
        problem = difference(wasmtime, oracle.coarse(), ("wasmtime", "the oracle"))
        if problem:
            return Examined(oracle, problem)
        return Examined(oracle, _unlike(oracle, on_weights(case, verified, make, 100 * steps)))
    except TransputerError as error:
        return Examined(problem=f"{type(error).__name__}: {error}")


def on_weights(
    case: Case, verified: Verified, make: Callable[[], DecoderEngine], steps: int
) -> Observation:
    """What the weights make of a module, lowered to what they have."""
    session = MirroredSession(make(), Screen(), MAX_FRAMES, steps)
    return observe(session, in_words(verified), case.calls)


def _unlike(oracle: Observation, weights: Observation) -> str:
    """In what they differ; both count instructions of the program as written."""
    problem = difference(oracle, weights, ("the oracle", "the weights"))
    if not problem and weights.instructions != oracle.instructions:
        counts = f"{oracle.instructions}, {weights.instructions}"
        problem = f"different numbers of instructions: {counts}"
    return problem


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
    report(total, time.monotonic() - started, "transputer.check.audit.fuzz")
    sys.exit(1 if total.failures else 0)


if __name__ == "__main__":
    main()
