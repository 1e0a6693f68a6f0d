"""The lowering pipeline: from a module as written to core code."""

from transputer.ir.core import CoreModule
from transputer.ir.environment import NOTHING, Environment
from transputer.ir.verify import Verified, verify
from transputer.lower.abort import lower_abort
from transputer.lower.bulk import lower_bulk
from transputer.lower.flatten import flatten
from transputer.lower.origin import Lowered, as_written
from transputer.lower.wasi import lower_wasi


def in_core(
    verified: Verified, environment: Environment = NOTHING, foreign: bool = False
) -> CoreModule:
    """Return the flat core code of a module with WASI and `env.abort` linked.

    With `foreign`, functions of other modules may throw exceptions.
    """
    lowered = lower_abort(lower_wasi(as_written(verified.module), environment))
    return _flat(verified, lowered, foreign)


def in_words(verified: Verified, environment: Environment = NOTHING) -> CoreModule:
    """Return the flat core code in single accesses only."""
    return lower_bulk(in_core(verified, environment))


def _flat(verified: Verified, lowered: Lowered, foreign: bool) -> CoreModule:
    same = lowered.module is verified.module
    return flatten(verified if same else verify(lowered.module), lowered.origins, foreign)
