"""Which rules are for which rows: instructions by name, phases by number."""

from collections.abc import Iterator

from tools.short import conversions, division, floats, quotients, roots
from tools.short.floats import F32, F64, Float
from tools.short.forms import head
from tools.short.rows import Rules
from transputer.machines.trace.floats import (
    ALIGN,
    CUT,
    INFINITE,
    KEEP,
    NORM,
    PACK,
    SCALE,
    SUM,
)
from transputer.machines.trace.opcodes import OPCODES

#: The heads that read the two operands on the stack.
FIRST, SECOND = 3, 4
TAIL = (NORM, PACK, ALIGN, CUT, SCALE, KEEP, INFINITE)


def catalogue() -> Iterator[tuple[str, int, Rules]]:
    """Names of instructions and phases with their rules; not all of them have rows."""
    yield from quotients.catalogue()
    yield from roots.catalogue()
    for name, f in (("f32", F32), ("f64", F64)):
        heads = FIRST, SECOND
        a, b = (Float(head(h, floats.VALUE), f) for h in heads)
        for phase in TAIL:
            for op in OPCODES:
                if op.startswith(f"{name}."):
                    yield op, phase, floats.tail(f, phase)
        for op in ("add", "sub"):
            yield f"{name}.{op}", 0, floats.total(f, op == "sub", a, b, heads)
            yield f"{name}.{op}", SUM, floats.summed(f, a, b, heads)
        yield f"{name}.mul", 0, floats.product(f, a, b, heads)
    yield from conversions.catalogue()
    yield from division.catalogue()
