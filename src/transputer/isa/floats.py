"""Pure functions of the floating-point instructions, on bit patterns.

The first argument is the `Format`. Results are rounded to nearest, ties to even. Where the
standard leaves a NaN open, ours is the canonical one, so that a run is deterministic.

float32 arithmetic goes through float64: for + - * / and sqrt the second rounding is
harmless, because 53 >= 2 * 24 + 2.
"""

import math
import struct

from transputer.errors import Trap, TrapError
from transputer.isa.integers import mask, signed
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """An IEEE 754 binary format: total bits, stored fraction bits, struct code."""

    bits: int
    fraction: int
    code: str
    carrier: str

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.bits - 1)

    @property
    def infinity(self) -> int:
        """The pattern of +infinity."""
        return mask(self.bits - 1 - self.fraction) << self.fraction

    @property
    def nan(self) -> int:
        """The canonical NaN."""
        return self.infinity | 1 << (self.fraction - 1)

    def is_nan(self, a: int) -> bool:
        """Whether a pattern is any NaN."""
        return a & ~self.sign > self.infinity

    def decode(self, a: int) -> float:
        """Pattern to Python float (exact)."""
        value: float = struct.unpack(self.code, struct.pack(self.carrier, a))[0]
        return value

    def encode(self, x: float) -> int:
        """Python float to pattern: rounded, overflow to infinity, any NaN to the canonical."""
        if x != x:
            return self.nan
        try:
            packed = struct.pack(self.code, x)
        except OverflowError:
            return self.infinity | (self.sign if x < 0 else 0)
        bits: int = struct.unpack(self.carrier, packed)[0]
        return bits


F32 = Format(32, 23, "<f", "<I")
F64 = Format(64, 52, "<d", "<Q")


def add(f: Format, a: int, b: int) -> int:
    """Sum."""
    return f.encode(f.decode(a) + f.decode(b))


def sub(f: Format, a: int, b: int) -> int:
    """Difference."""
    return f.encode(f.decode(a) - f.decode(b))


def mul(f: Format, a: int, b: int) -> int:
    """Product."""
    return f.encode(f.decode(a) * f.decode(b))


def div(f: Format, a: int, b: int) -> int:
    """Quotient; a nonzero number over zero is infinite, zero over zero is NaN."""
    x, y = f.decode(a), f.decode(b)
    if y != 0:
        return f.encode(x / y)
    if x == 0 or x != x:
        return f.nan
    return f.infinity | ((a ^ b) & f.sign)


def sqrt(f: Format, a: int) -> int:
    """Square root; NaN below zero, but the root of -0 is -0."""
    x = f.decode(a)
    return f.nan if x < 0 else f.encode(math.sqrt(x) if x else x)


def min_(f: Format, a: int, b: int) -> int:
    """Smaller; -0 is below +0, NaN wins."""
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    x, y = f.decode(a), f.decode(b)
    return a | b if x == y else a if x < y else b


def max_(f: Format, a: int, b: int) -> int:
    """Larger; +0 is above -0, NaN wins."""
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    x, y = f.decode(a), f.decode(b)
    return a & b if x == y else a if x > y else b


def _integral(f: Format, a: int, rounded: int) -> int:
    """An integer as a float with the sign of `a`, so that zeros keep theirs."""
    return f.encode(abs(float(rounded))) | (a & f.sign)


def _rounder(f: Format, a: int) -> float | None:
    """The number to round to an integer, or None where the value is one or is not finite."""
    x = f.decode(a)
    return None if not math.isfinite(x) or abs(x) >= 1 << f.fraction else x


def _same_or_nan(f: Format, a: int) -> int:
    return f.nan if f.is_nan(a) else a


def ceil(f: Format, a: int) -> int:
    """Round up."""
    x = _rounder(f, a)
    return _same_or_nan(f, a) if x is None else _integral(f, a, math.ceil(x))


def floor(f: Format, a: int) -> int:
    """Round down."""
    x = _rounder(f, a)
    return _same_or_nan(f, a) if x is None else _integral(f, a, math.floor(x))


def trunc(f: Format, a: int) -> int:
    """Round toward zero."""
    x = _rounder(f, a)
    return _same_or_nan(f, a) if x is None else _integral(f, a, math.trunc(x))


def nearest(f: Format, a: int) -> int:
    """Round to nearest, ties to even (which is what Python's round does)."""
    x = _rounder(f, a)
    return _same_or_nan(f, a) if x is None else _integral(f, a, round(x))


def abs_(f: Format, a: int) -> int:
    """Clear the sign bit."""
    return a & ~f.sign


def neg(f: Format, a: int) -> int:
    """Flip the sign bit."""
    return a ^ f.sign


def copysign(f: Format, a: int, b: int) -> int:
    """The first operand with the sign of the second."""
    return (a & ~f.sign) | (b & f.sign)


def eq(f: Format, a: int, b: int) -> int:
    """Equal; NaN equals nothing."""
    return int(f.decode(a) == f.decode(b))


def ne(f: Format, a: int, b: int) -> int:
    """Not equal; true with a NaN."""
    return int(f.decode(a) != f.decode(b))


def lt(f: Format, a: int, b: int) -> int:
    """Less than."""
    return int(f.decode(a) < f.decode(b))


def gt(f: Format, a: int, b: int) -> int:
    """Greater than."""
    return int(f.decode(a) > f.decode(b))


def le(f: Format, a: int, b: int) -> int:
    """Less or equal."""
    return int(f.decode(a) <= f.decode(b))


def ge(f: Format, a: int, b: int) -> int:
    """Greater or equal."""
    return int(f.decode(a) >= f.decode(b))


def _range(n: int, is_signed: bool) -> tuple[int, int]:
    return (-(1 << (n - 1)), mask(n - 1)) if is_signed else (0, mask(n))


def to_int(f: Format, n: int, is_signed: bool, a: int) -> int:
    """Truncate to an n-bit integer; NaN and values that do not fit trap."""
    if f.is_nan(a):
        raise TrapError(Trap.INVALID_CONVERSION)
    x = f.decode(a)
    lo, hi = _range(n, is_signed)
    if math.isinf(x) or not lo <= (whole := math.trunc(x)) <= hi:
        raise TrapError(Trap.INTEGER_OVERFLOW)
    return whole & mask(n)


def to_int_sat(f: Format, n: int, is_signed: bool, a: int) -> int:
    """Truncate to an n-bit integer; NaN gives zero, values that do not fit the nearest limit."""
    if f.is_nan(a):
        return 0
    x = f.decode(a)
    lo, hi = _range(n, is_signed)
    whole = (hi if x > 0 else lo) if math.isinf(x) else min(max(math.trunc(x), lo), hi)
    return whole & mask(n)


def from_int(f: Format, n: int, is_signed: bool, a: int) -> int:
    """An n-bit integer as a float, rounded once.

    Going through float64 would round twice; so bits beyond the significand are first
    folded into one sticky bit below the rounding bit, which keeps every comparison with
    the half-way point, and the single rounding in `encode` decides.
    """
    value = signed(n, a) if is_signed else a
    magnitude = abs(value)
    extra = max(0, magnitude.bit_length() - (f.fraction + 3))
    sticky = int(magnitude & mask(extra) != 0)
    folded = (magnitude >> extra | sticky) << extra
    # at most fraction + 3 significant bits: exact as float64 for F32; for F64, ties to
    # even over an integer is what int -> float does, with the sticky bit kept.
    return f.encode(float(folded)) | (f.sign if value < 0 else 0)


def demote(a: int) -> int:
    """float64 to float32."""
    return F32.encode(F64.decode(a))


def promote(a: int) -> int:
    """float32 to float64 (exact)."""
    return F64.encode(F32.decode(a))


def rounded(f: Format, numerator: int, denominator: int) -> int:
    """Return the pattern nearest to a quotient that is not negative, ties to even."""
    if not numerator:
        return 0
    lowest = 2 - (1 << f.bits - f.fraction - 2) - f.fraction
    exponent = numerator.bit_length() - denominator.bit_length() - f.fraction - 1
    exponent = max(exponent, lowest)
    numerator <<= max(0, -exponent)
    denominator <<= max(0, exponent)
    while numerator >= denominator << f.fraction + 1:
        exponent += 1
        denominator <<= 1
    digits, rest = divmod(numerator, denominator)
    digits += 2 * rest > denominator or (2 * rest == denominator and digits & 1)
    # the implicit bit adds one to the exponent field, and so does a carry
    return min(digits + (exponent - lowest << f.fraction), f.infinity)
