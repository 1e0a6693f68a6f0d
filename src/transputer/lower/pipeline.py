"""The lowering pipeline: from a module as written to core code."""

from transputer.ir.core import CoreModule
from transputer.ir.environment import NOTHING, Environment
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.lower.abort import lower_abort
from transputer.lower.addresses import lower_addresses
from transputer.lower.bulk import lower_bulk
from transputer.lower.flatten import flatten
from transputer.lower.origin import Lowered, as_written
from transputer.lower.vectors import lower_vectors
from transputer.lower.wasi import lower_wasi


def in_core(
    verified: Verified, environment: Environment = NOTHING, foreign: bool = False
) -> CoreModule:
    """Return the flat core code of a module in words, with WASI and `env.abort` linked.

    With `foreign`, functions of other modules may throw exceptions.
    """
    lowered = lower_abort(lower_wasi(_narrowed(verified), environment))
    return _flat(verified, lowered, foreign)


def _narrowed(verified: Verified) -> Lowered:
    """Return a module with values of 64 bits at most and addresses of 32."""
    return lower_vectors(lower_addresses(as_written(verified.module)))


def in_words(
    verified: Verified, environment: Environment = NOTHING, foreign: bool = False
) -> CoreModule:
    """Return the flat core code in single accesses only."""
    return lower_bulk(in_core(verified, environment, foreign))


def _flat(verified: Verified, lowered: Lowered, foreign: bool) -> CoreModule:
    same = lowered.module is verified.module
    return flatten(verified if same else verify(lowered.module), lowered.origins, foreign)
