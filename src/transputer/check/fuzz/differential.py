"""One module on wasmtime, on the oracle, in core code, and in core code of single accesses."""

from dataclasses import dataclass, field

from transputer.check.fuzz.modules import ModuleCase
from transputer.errors import TransputerError
from transputer.frontends.binary import decode, encode
from transputer.host.observation import Observation, difference, observe
from transputer.ir.core import CoreModule
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.lower.flatten import flatten
from transputer.lower.pipeline import in_words
from transputer.oracle.core import CoreSession
from transputer.oracle.independent import complaint, run_wasmtime
from transputer.oracle.ir import IrSession

#: Step limit, far more than a generated module needs.
STEPS = 5_000_000
#: Steps in words for each step; a single instruction may take a thousand.
WORDS = 100


@dataclass(frozen=True, slots=True)
class Examination:
    """The oracle's observation, and the first problem, or ""."""

    observation: Observation = field(default=Observation())
    problem: str = ""


def examine(case: ModuleCase, steps: int = STEPS) -> Examination:
    """Check encoding, verification, lowering and all runs of a module, without weights."""
    binary = encode(case.module)
    if decode(binary) != case.module:
        return Examination(problem="decode(encode(module)) is another module")
    if theirs := complaint(binary):
        return Examination(problem=f"wasmtime refuses it: {theirs}")
    try:
        verified = verify(case.module)
        core = flatten(verified)
        lowered = in_words(verified)
        for code in (core, lowered):
            verify_core(code)
            if parse_core(print_core(code)) != code:
                return Examination(problem="core code does not survive its text form")
        return _compare(case, binary, verified, core, lowered, steps)
    except TransputerError as error:
        return Examination(problem=f"{type(error).__name__}: {error}")


def _compare(
    case: ModuleCase,
    binary: bytes,
    verified: Verified,
    core: CoreModule,
    lowered: CoreModule,
    steps: int,
) -> Examination:
    theirs = run_wasmtime(binary, case.calls, fuel=4 * steps)
    on_oracle = observe(IrSession(max_steps=steps), verified, case.calls)
    on_core = observe(CoreSession(max_steps=steps), core, case.calls)
    on_lowered = observe(CoreSession(max_steps=WORDS * steps), lowered, case.calls)
    problems = (
        difference(theirs, on_oracle.coarse(), ("wasmtime", "the oracle")),
        difference(on_oracle, on_core, ("the oracle", "core code")),
        difference(on_core, on_lowered, ("core code", "core code in single accesses")),
        _counts(on_oracle, on_core, on_lowered),
    )
    return Examination(on_oracle, next(filter(None, problems), ""))


def _counts(*observations: Observation) -> str:
    """Compare the counts of instructions of the program as written."""
    counts = [observation.instructions for observation in observations]
    return "" if len(set(counts)) == 1 else f"different numbers of instructions: {counts}"
