"""Random values, often edge cases of arithmetic."""

from transputer.check.fuzz.choose import Choose
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import mask
from transputer.isa.op import ValType

FORMATS = {ValType.F32: F32, ValType.F64: F64}
NUMBERS = (ValType.I32, ValType.I64, ValType.F32, ValType.F64)
#: A set of value types that a module may use; i32 is always in it.
Types = frozenset[ValType]
ALL: Types = frozenset(ValType) - {ValType.V128}


def _integer_edges(n: int) -> tuple[int, ...]:
    """Ends of the signed and unsigned ranges of n bits and of everything narrower."""
    ends = [1 << k for k in (7, 8, 15, 16, 31, 32, 63, n - 1) if k < n]
    near = [sign * end + d for end in ends for sign in (1, -1) for d in (-1, 0, 1)]
    return tuple(x & mask(n) for x in (0, 1, -1, 2, -2, n - 1, n, n + 1, *near))


def _float_edges(f: Format) -> tuple[int, ...]:
    """Zeros, infinities, NaNs of every kind, subnormals, and where integers stop fitting."""
    one = f.encode(1.0)
    special = [0, one, f.infinity, f.nan, f.infinity | 1, f.nan | 0x123, 1, (1 << f.fraction) - 1]
    special += [1 << f.fraction, f.infinity - 1, one - 1, one + 1]
    halves = [f.encode(x) for x in (0.5, 1.5, 2.5, 1e10, 1 / 3)]
    limits = [f.encode(2.0**k) + d for k in (31, 32, 63, 64, f.fraction) for d in (-1, 0, 1)]
    positive = (*special, *halves, *limits)
    return (*positive, *(x | f.sign for x in positive))


#: Numbers of each type at which arithmetic changes its ways.
EDGES = {
    ValType.I32: _integer_edges(32),
    ValType.I64: _integer_edges(64),
    ValType.F32: _float_edges(F32),
    ValType.F64: _float_edges(F64),
}


def number(choose: Choose, type_: ValType) -> int:
    """The bits of a number: small, at an edge, or any."""
    kind = choose.integer(0, 3)
    if kind == 0:
        small = choose.integer(0, 40)
        return FORMATS[type_].encode(float(small)) if type_ in FORMATS else small
    if kind < 3:
        return choose.choice(EDGES[type_])
    return choose.integer(0, mask(type_.bits))


def argument(choose: Choose, type_: ValType) -> int:
    """Return an argument for an exported function; a function reference is always null."""
    if type_ is ValType.FUNCREF:
        return 0
    return choose.integer(0, 3) if type_ is ValType.EXTERNREF else number(choose, type_)
