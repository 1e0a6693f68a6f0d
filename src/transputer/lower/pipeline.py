"""All lowerings in order: from a module as written to core code of 32-bit words."""

from transputer.ir.core import CoreModule
from transputer.ir.verify import Verified, verify
from transputer.lower.bulk import lower_bulk
from transputer.lower.flatten import flatten
from transputer.lower.numbers import lower_numbers
from transputer.lower.origin import as_written


def in_words(verified: Verified) -> CoreModule:
    """The flat core code of a module in what the trace machine has: words, single accesses."""
    lowered = lower_numbers(as_written(verified.module))
    same = lowered.module is verified.module
    return lower_bulk(flatten(verified if same else verify(lowered.module), lowered.origins))
