"""One module on wasmtime, on the oracle and, lowered, on the weights."""

from collections.abc import Callable

from transputer.check.audit.play import MirroredSession, Screen
from transputer.check.fuzz.differential import STEPS, Examination
from transputer.check.fuzz.modules import ModuleCase
from transputer.engines.protocol import DecoderEngine
from transputer.errors import TransputerError
from transputer.frontends.binary import decode, encode
from transputer.host.observation import Observation, difference, observe
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.isa.core import MAX_FRAMES
from transputer.lower.pipeline import in_words
from transputer.oracle.independent import complaint, run_wasmtime
from transputer.oracle.ir import IrSession


def examine_weights(
    case: ModuleCase, make: Callable[[], DecoderEngine], steps: int = STEPS
) -> Examination:
    """Compare results, traps, memories, tables, globals and the number of instructions.

    wasmtime and the oracle run the module as it is; the weights run what lowering makes of it.
    """
    binary = encode(case.module)
    if decode(binary) != case.module:
        return Examination(problem="decode(encode(module)) is another module")
    if theirs := complaint(binary):
        return Examination(problem=f"wasmtime refuses it: {theirs}")
    try:
        verified = verify(case.module)
        wasmtime = run_wasmtime(binary, case.calls, fuel=4 * steps)
        oracle = observe(IrSession(max_steps=steps), verified, case.calls)
        problem = difference(wasmtime, oracle.coarse(), ("wasmtime", "the oracle"))
        if problem:
            return Examination(oracle, problem)
        weights = _on_weights(case, verified, make, 100 * steps)
        return Examination(oracle, _difference(oracle, weights))
    except TransputerError as error:
        return Examination(problem=f"{type(error).__name__}: {error}")


def _on_weights(
    case: ModuleCase, verified: Verified, make: Callable[[], DecoderEngine], steps: int
) -> Observation:
    session = MirroredSession(make(), Screen(), MAX_FRAMES, steps)
    return observe(session, in_words(verified), case.calls)


def _difference(oracle: Observation, weights: Observation) -> str:
    """The first difference; both count instructions of the program as written."""
    problem = difference(oracle, weights, ("the oracle", "the weights"))
    if not problem and weights.instructions != oracle.instructions:
        counts = f"{oracle.instructions}, {weights.instructions}"
        problem = f"different numbers of instructions: {counts}"
    return problem
