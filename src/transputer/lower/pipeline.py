"""All lowerings in order: from a module as written to core code of 32-bit words."""

from transputer.ir.core import CoreModule
from transputer.ir.environment import NOTHING, Environment
from transputer.ir.verify import Verified, verify
from transputer.lower.bulk import lower_bulk
from transputer.lower.flatten import flatten
from transputer.lower.numbers import lower_numbers
from transputer.lower.origin import Lowered, as_written
from transputer.lower.wasi import lower_wasi


def in_core(verified: Verified, environment: Environment = NOTHING) -> CoreModule:
    """The flat core code of a module, with what it imports of WASI."""
    return _flat(verified, lower_wasi(as_written(verified.module), environment))


def in_words(verified: Verified, environment: Environment = NOTHING) -> CoreModule:
    """The same in what the trace machine has: 32-bit words, single accesses."""
    lowered = lower_wasi(as_written(verified.module), environment)
    return lower_bulk(_flat(verified, lower_numbers(lowered)))


def _flat(verified: Verified, lowered: Lowered) -> CoreModule:
    same = lowered.module is verified.module
    return flatten(verified if same else verify(lowered.module), lowered.origins)
