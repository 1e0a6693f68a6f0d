"""Edge cases of the WebAssembly rows, written by hand from the standard and from IEEE 754.

A case is the operands and then the result or the trap. Integers are unsigned, floats are bit
patterns; a load takes the raw bytes as a number, a store gives them. The tests run every case
on our pure functions and on wasmtime.
"""

from collections.abc import Iterator

from transputer.errors import Trap
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import mask
from transputer.isa.op import Case

Cases = dict[str, tuple[Case, ...]]

_ZERO = Trap.DIVIDE_BY_ZERO
_OVERFLOW = Trap.INTEGER_OVERFLOW
_INVALID = Trap.INVALID_CONVERSION


def _of(type_: str, cases: Cases) -> Cases:
    """Cases under their full names: `add` of `i32` is `i32.add`."""
    return {f"{type_}.{name}": rows for name, rows in cases.items()}


def _comparisons(n: int) -> Cases:
    low, high, ones = 1 << (n - 1), mask(n - 1), mask(n)
    return {
        "eqz": ((0, 1), (1, 0), (low, 0), (ones, 0)),
        "eq": ((5, 5, 1), (0, low, 0), (ones, ones, 1)),
        "ne": ((5, 5, 0), (0, low, 1), (ones, high, 1)),
        # as signed numbers, low is the least, high the greatest and ones is -1
        "lt_s": ((low, high, 1), (1, 1, 0), (0, ones, 0), (ones, 0, 1)),
        "lt_u": ((low, high, 0), (1, 1, 0), (0, ones, 1), (ones, 0, 0)),
        "gt_s": ((low, high, 0), (1, 1, 0), (0, ones, 1), (ones, 0, 0)),
        "gt_u": ((low, high, 1), (1, 1, 0), (0, ones, 0), (ones, 0, 1)),
        "le_s": ((low, high, 1), (1, 1, 1), (0, ones, 0), (ones, 0, 1)),
        "le_u": ((low, high, 0), (1, 1, 1), (0, ones, 1), (ones, 0, 0)),
        "ge_s": ((low, high, 0), (1, 1, 1), (0, ones, 1), (ones, 0, 0)),
        "ge_u": ((low, high, 1), (1, 1, 1), (0, ones, 0), (ones, 0, 1)),
    }


def _arithmetic(n: int) -> Cases:
    low, high, ones = 1 << (n - 1), mask(n - 1), mask(n)
    half = 1 << n // 2

    def minus(x: int) -> int:
        return (1 << n) - x

    return {
        "clz": ((0, n), (1, n - 1), (high, 1), (low, 0)),
        "ctz": ((0, n), (1, 0), (half, n // 2), (low, n - 1)),
        "popcnt": ((0, 0), (ones, n), (low + 1, 2), (high, n - 1)),
        "add": ((ones, 1, 0), (high, 1, low), (low, low, 0), (ones, ones, minus(2))),
        "sub": ((0, 1, ones), (low, 1, high), (5, 3, 2), (0, low, low)),
        "mul": (
            (half, half, 0),
            (half + 1, half + 1, 2 * half + 1),
            (ones, ones, 1),
            (low, ones, low),
            (high, 2, minus(2)),
        ),
        "div_s": (
            (minus(7), 2, minus(3)),  # toward zero, not down
            (7, minus(2), minus(3)),
            (minus(7), minus(2), 3),
            (low, 1, low),
            (low, 2, minus(low >> 1)),
            (high, ones, low + 1),
            (1, 0, _ZERO),
            (low, 0, _ZERO),
            (low, ones, _OVERFLOW),  # +2^(n-1) does not fit
        ),
        "div_u": (
            (minus(7), 2, high - 3),
            (low, ones, 0),
            (ones, 1, ones),
            (ones, ones, 1),
            (1, 0, _ZERO),
            (0, 0, _ZERO),
        ),
        "rem_s": (
            (minus(7), 2, ones),  # the sign of the dividend
            (7, minus(2), 1),
            (minus(7), minus(2), ones),
            (low, ones, 0),  # no overflow here
            (low, high, ones),
            (1, 0, _ZERO),
        ),
        "rem_u": (
            (minus(7), 2, 1),
            (low, ones, low),
            (ones, low, high),
            (7, 7, 0),
            (1, 0, _ZERO),
        ),
    }


def _bitwise(n: int) -> Cases:
    low, high, ones = 1 << (n - 1), mask(n - 1), mask(n)
    return {
        "and": ((12, 10, 8), (ones, low, low), (high, low, 0)),
        "or": ((12, 10, 14), (low, high, ones), (0, 0, 0)),
        "xor": ((5, 3, 6), (ones, ones, 0), (low, ones, high)),
        # counts are taken modulo n: n is 0, n + 1 is 1, ones is n - 1
        "shl": ((1, n - 1, low), (1, n, 1), (3, n - 1, low), (1, n + 1, 2), (1, ones, low)),
        "shr_s": ((low, n - 1, ones), (low, n, low), (high, n - 2, 1), (low, ones, ones)),
        "shr_u": ((low, n - 1, 1), (low, n, low), (ones, n - 4, 15), (low, ones, 1)),
        "rotl": ((low + 1, 1, 3), (low + 1, n, low + 1), (1, ones, low), (low, n + 1, 1)),
        "rotr": ((1, 1, low), (low + 1, n, low + 1), (low, ones, 1), (3, n + 1, low + 1)),
    }


#: Patterns whose bits all matter.
_PATTERNS: Cases = {
    "i32.and": ((0xF0F0F0F0, 0xFFFF0000, 0xF0F00000),),
    "i32.or": ((0xF0F0F0F0, 0xFFFF0000, 0xFFFFF0F0),),
    "i32.xor": ((0xF0F0F0F0, 0xFFFF0000, 0x0F0FF0F0),),
    "i32.shl": ((0xABCD9876, 12, 0xD9876000),),
    "i32.shr_s": ((0xABCD9876, 12, 0xFFFABCD9),),
    "i32.shr_u": ((0xABCD9876, 12, 0x000ABCD9),),
    "i32.rotl": ((0xABCD9876, 16, 0x9876ABCD), (0xABCD9876, 0xFFFFFFF4, 0x876ABCD9)),
    "i32.rotr": ((0xABCD9876, 16, 0x9876ABCD), (0xABCD9876, 0xFFFFFFF4, 0xD9876ABC)),
    "i32.mul": ((0x01234567, 0x76543210, 0x358E7470),),
    "i32.popcnt": ((0xDEADBEEF, 24),),
    "i64.and": ((0xF0F0F0F000000000, 0xFFFF0000FFFF0000, 0xF0F0000000000000),),
    "i64.or": ((0xF0F0F0F000000000, 0xFFFF0000FFFF0000, 0xFFFFF0F0FFFF0000),),
    "i64.xor": ((0xF0F0F0F000000000, 0xFFFF0000FFFF0000, 0x0F0FF0F0FFFF0000),),
    "i64.shl": ((0xABCD987602468ACE, 36, 0x2468ACE000000000),),
    "i64.shr_s": ((0xABCD987602468ACE, 36, 0xFFFFFFFFFABCD987),),
    "i64.shr_u": ((0xABCD987602468ACE, 36, 0x000000000ABCD987),),
    "i64.rotl": ((0xABCD987602468ACE, 32, 0x02468ACEABCD9876),),
    "i64.rotr": ((0xABCD987602468ACE, 8, 0xCEABCD987602468A),),
    "i64.add": ((0xFFFFFFFF, 1, 0x100000000),),  # across the halves
    "i64.sub": ((0x100000000, 1, 0xFFFFFFFF),),
    "i64.mul": ((0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE00000001),),
    "i64.clz": ((0xFFFFFFFF, 32),),
    "i64.ctz": ((0xFFFFFFFF00000000, 32),),
}


class _Numbers:
    """Named patterns of one float format."""

    def __init__(self, f: Format) -> None:
        self.format = f
        self.bias = mask(f.bits - f.fraction - 2)  # the exponent field of 1
        self.inf, self.nan = f.infinity, f.nan
        self.loud = f.infinity | 1  # a signalling NaN
        self.payload = f.nan | 5  # a quiet NaN that is not the canonical one
        self.tiny = 1  # the least positive number
        self.least = 1 << f.fraction  # the least normal number
        self.most = f.infinity - 1  # the greatest finite number
        self.half, self.one, self.two = self.power(-1), self.power(0), self.power(1)

    def power(self, exponent: int) -> int:
        """A power of two, normal. One more is the next number up, one less the next down."""
        return (self.bias + exponent) << self.format.fraction

    def __call__(self, x: float) -> int:
        """A number that the format has exactly."""
        return self.format.encode(x)

    def minus(self, a: int) -> int:
        """A positive pattern with the sign set."""
        return a | self.format.sign


def _float_comparisons(n: _Numbers) -> Cases:
    minus, zero, one, inf, nan, tiny = n.minus, 0, n.one, n.inf, n.nan, n.tiny
    below, equal, unordered = (zero, tiny), (zero, minus(zero)), (nan, nan)
    pairs = (
        (*below, 1, 0, 0),
        (*equal, 0, 1, 0),  # zeros are equal
        (*unordered, 0, 0, 0),
        (one, n.loud, 0, 0, 0),
        (minus(tiny), minus(zero), 1, 0, 0),
        (minus(one), one, 1, 0, 0),
        (one + 1, one, 0, 0, 1),
        (n.most, inf, 1, 0, 0),
        (inf, inf, 0, 1, 0),
        (minus(inf), inf, 1, 0, 0),
        (minus(inf), nan, 0, 0, 0),
    )
    return {
        "eq": tuple((a, b, eq) for a, b, lt, eq, gt in pairs),
        "ne": tuple((a, b, 1 - eq) for a, b, lt, eq, gt in pairs),
        "lt": tuple((a, b, lt) for a, b, lt, eq, gt in pairs),
        "gt": tuple((a, b, gt) for a, b, lt, eq, gt in pairs),
        "le": tuple((a, b, lt + eq) for a, b, lt, eq, gt in pairs),
        "ge": tuple((a, b, gt + eq) for a, b, lt, eq, gt in pairs),
    }


def _signs(n: _Numbers) -> Cases:
    """Instructions on the sign bit: they keep a NaN's payload."""
    minus = n.minus
    return {
        "abs": (
            (minus(0), 0),
            (minus(n.one), n.one),
            (n.most, n.most),
            (minus(n.inf), n.inf),
            (minus(n.loud), n.loud),
        ),
        "neg": (
            (0, minus(0)),
            (minus(0), 0),
            (n.tiny, minus(n.tiny)),
            (minus(n.inf), n.inf),
            (n.payload, minus(n.payload)),
        ),
        "copysign": (
            (n.one, minus(0), minus(n.one)),
            (minus(n.one), n.inf, n.one),
            (0, minus(n.nan), minus(0)),
            (minus(n.loud), n.two, n.loud),
        ),
    }


def _roundings(n: _Numbers) -> Cases:
    minus, half, one = n.minus, n.half, n.one
    whole = n.power(n.format.fraction)  # from here on all numbers are integers
    # whole - 1 is an odd integer and a half, and the integers around it are
    odd, even = whole - 2, whole
    shared = (
        (0, 0),
        (minus(0), minus(0)),
        (minus(half), minus(0)),
        (whole + 1, whole + 1),
        (n.most, n.most),
        (minus(n.inf), minus(n.inf)),
        (n.loud, n.nan),
        (minus(n.payload), n.nan),
    )
    return {
        "ceil": (*shared, (n.tiny, one), (one + 1, n(2)), (n(-1.5), n(-1)), (whole - 1, even)),
        "floor": (
            *((a, result) for a, result in shared if a != minus(half)),
            (minus(half), n(-1)),
            (minus(n.tiny), n(-1)),
            (one - 1, 0),
            (n(-1.5), n(-2)),
            (whole - 1, odd),
        ),
        "trunc": (*shared, (one - 1, 0), (n(-1.5), n(-1)), (n(2.5), n(2)), (whole - 1, odd)),
        "nearest": (
            *shared,
            (half, 0),  # ties to even
            (half + 1, one),
            (n(1.5), n(2)),
            (n(2.5), n(2)),
            (n(-3.5), n(-4)),
            (whole - 1, even),
        ),
    }


def _sums(n: _Numbers) -> Cases:
    minus, one, inf, nan = n.minus, n.one, n.inf, n.nan
    most, tiny, least = n.most, n.tiny, n.least
    tie = n.power(-n.format.fraction - 1)  # half the distance from 1 to the next number
    edge = n.power(n.bias - n.format.fraction - 1)  # half the distance from most to overflow
    return {
        "add": (
            (one, one, n.two),
            (0, minus(0), 0),
            (minus(0), minus(0), minus(0)),
            (one, minus(one), 0),
            (tiny, tiny, 2),
            (least - 1, tiny, least),  # the greatest subnormal and one more
            (one, tie, one),  # ties to even
            (one + 1, tie, one + 2),
            (one, tie + 1, one + 1),
            (most, edge - 1, most),
            (most, edge, inf),
            (minus(most), minus(most), minus(inf)),
            (inf, minus(inf), nan),
            (n.loud, one, nan),
            (one, minus(n.payload), nan),
        ),
        "sub": (
            (one, one, 0),
            (0, 0, 0),
            (minus(0), 0, minus(0)),
            (least, tiny, least - 1),
            (one + 1, one, n.power(-n.format.fraction)),
            (one, n.power(-n.format.fraction - 2), one),  # a tie below 1, to even
            (one - 1, n.power(-n.format.fraction - 2), one - 2),
            (most, minus(edge), inf),
            (minus(most), edge - 1, minus(most)),
            (inf, inf, nan),
            (minus(inf), inf, minus(inf)),
            (n.payload, n.payload, nan),
        ),
    }


def _products(n: _Numbers) -> Cases:
    minus, half, one, two, inf, nan = n.minus, n.half, n.one, n.two, n.inf, n.nan
    third = {32: 0x3EAAAAAB, 64: 0x3FD5555555555555}[n.format.bits]
    return {
        "mul": (
            (n(1.5), n(-1.5), n(-2.25)),
            (one + 1, one + 1, one + 2),
            (0, minus(one), minus(0)),
            (n.least, half, n.least >> 1),
            (n.tiny, half, 0),  # ties to even, among subnormals too
            (3, half, 2),
            (minus(n.tiny), half, minus(0)),
            (n.most, one + 1, inf),
            (n.most, n(-2), minus(inf)),
            (0, inf, nan),
            (inf, minus(inf), minus(inf)),
            (n.loud, 0, nan),
        ),
        "div": (
            (one, n(3), third),
            (one, 0, inf),
            (one, minus(0), minus(inf)),
            (0, minus(one), minus(0)),
            (0, minus(0), nan),
            (inf, minus(inf), nan),
            (minus(one), inf, minus(0)),
            (n.least, two, n.least >> 1),
            (n.tiny, two, 0),
            (3, two, 2),
            (n.most, half, inf),
            (n.most, n.most, one),
            (one, n.payload, nan),
            (n.payload, 0, nan),
        ),
    }


def _choices(n: _Numbers) -> Cases:
    minus = n.minus
    nans = ((n.nan, n.one, n.nan), (n.inf, n.loud, n.nan), (minus(n.payload), n.nan, n.nan))
    return {
        "min": (
            *nans,
            (0, minus(0), minus(0)),
            (minus(0), 0, minus(0)),
            (n.one, n.one + 1, n.one),
            (n.most, n.inf, n.most),
            (minus(n.inf), minus(n.most), minus(n.inf)),
            (n.tiny, minus(n.tiny), minus(n.tiny)),
        ),
        "max": (
            *nans,
            (0, minus(0), 0),
            (minus(0), 0, 0),
            (n.one, n.one + 1, n.one + 1),
            (n.most, n.inf, n.inf),
            (minus(n.inf), minus(n.most), minus(n.most)),
            (minus(n.tiny), minus(0), minus(0)),
        ),
    }


def _roots(n: _Numbers) -> Cases:
    of_two = {32: 0x3FB504F3, 64: 0x3FF6A09E667F3BCD}[n.format.bits]
    # tiny is 2^-149 or 2^-1074
    of_tiny = {32: 0x1A3504F3, 64: 0x1E60000000000000}[n.format.bits]
    return {
        "sqrt": (
            (n(4), n(2)),
            (n.two, of_two),
            (n.tiny, of_tiny),
            # 2^2k * (1 - 2u) has the root 2^k * (1 - u - u²/2 - …), below the tie at 1 - u
            (n.most, n.power((n.bias + 1) // 2) - 1),
            (0, 0),
            (n.minus(0), n.minus(0)),
            (n.minus(n.tiny), n.nan),
            (n.inf, n.inf),
            (n.minus(n.inf), n.nan),
            (n.loud, n.nan),
        ),
    }


#: For each truncation the operand, what it gives, and where that is a trap, what saturating gives.
_TRUNCATIONS: Cases = {
    "i32.{}_f32_s": (
        (0x3F7FFFFF, 0),  # just below 1
        (0xBFC00000, 0xFFFFFFFF),  # -1.5
        (0x00000001, 0),
        (0x4EFFFFFF, 0x7FFFFF80),
        (0x4F000000, _OVERFLOW, 0x7FFFFFFF),  # 2^31
        (0xCF000000, 0x80000000),  # -2^31
        (0xCF000001, _OVERFLOW, 0x80000000),
        (0xFF800000, _OVERFLOW, 0x80000000),
        (0x7FC00000, _INVALID, 0),
        (0xFF800001, _INVALID, 0),
    ),
    "i32.{}_f32_u": (
        (0x80000000, 0),
        (0xBF7FFFFF, 0),  # just above -1
        (0xBF800000, _OVERFLOW, 0),  # -1
        (0x4F000000, 0x80000000),
        (0x4F7FFFFF, 0xFFFFFF00),
        (0x4F800000, _OVERFLOW, 0xFFFFFFFF),  # 2^32
        (0x7F800000, _OVERFLOW, 0xFFFFFFFF),
        (0xFF800000, _OVERFLOW, 0),
        (0x7FC00001, _INVALID, 0),
    ),
    "i32.{}_f64_s": (
        (0x3FEFFFFFFFFFFFFF, 0),
        (0xBFF8000000000000, 0xFFFFFFFF),
        (0x41DFFFFFFFFFFFFF, 0x7FFFFFFF),  # just below 2^31
        (0x41E0000000000000, _OVERFLOW, 0x7FFFFFFF),
        (0xC1E00000001FFFFF, 0x80000000),  # just above -2^31 - 1
        (0xC1E0000000200000, _OVERFLOW, 0x80000000),
        (0x7FEFFFFFFFFFFFFF, _OVERFLOW, 0x7FFFFFFF),
        (0xFFF0000000000000, _OVERFLOW, 0x80000000),
        (0x7FF8000000000000, _INVALID, 0),
    ),
    "i32.{}_f64_u": (
        (0xBFEFFFFFFFFFFFFF, 0),
        (0xBFF0000000000000, _OVERFLOW, 0),
        (0x41EFFFFFFFFFFFFF, 0xFFFFFFFF),  # just below 2^32
        (0x41F0000000000000, _OVERFLOW, 0xFFFFFFFF),
        (0x7FF0000000000000, _OVERFLOW, 0xFFFFFFFF),
        (0xFFF0000000000001, _INVALID, 0),
    ),
    "i64.{}_f32_s": (
        (0xBF7FFFFF, 0),
        (0x4F000000, 0x0000000080000000),
        (0x5EFFFFFF, 0x7FFFFF8000000000),
        (0x5F000000, _OVERFLOW, 0x7FFFFFFFFFFFFFFF),  # 2^63
        (0xDF000000, 0x8000000000000000),  # -2^63
        (0xDF000001, _OVERFLOW, 0x8000000000000000),
        (0x7F800000, _OVERFLOW, 0x7FFFFFFFFFFFFFFF),
        (0xFFC00000, _INVALID, 0),
    ),
    "i64.{}_f32_u": (
        (0xBF7FFFFF, 0),
        (0xBF800000, _OVERFLOW, 0),
        (0x5F000000, 0x8000000000000000),
        (0x5F7FFFFF, 0xFFFFFF0000000000),
        (0x5F800000, _OVERFLOW, 0xFFFFFFFFFFFFFFFF),  # 2^64
        (0xFF7FFFFF, _OVERFLOW, 0),
        (0x7F800001, _INVALID, 0),
    ),
    "i64.{}_f64_s": (
        (0xBFF0000000000000, 0xFFFFFFFFFFFFFFFF),
        (0x41F0000000000000, 0x0000000100000000),
        (0x43DFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFC00),
        (0x43E0000000000000, _OVERFLOW, 0x7FFFFFFFFFFFFFFF),
        (0xC3E0000000000000, 0x8000000000000000),
        (0xC3E0000000000001, _OVERFLOW, 0x8000000000000000),
        (0xFFF0000000000000, _OVERFLOW, 0x8000000000000000),
        (0x7FF8000000000000, _INVALID, 0),
    ),
    "i64.{}_f64_u": (
        (0x8000000000000001, 0),
        (0xBFEFFFFFFFFFFFFF, 0),
        (0xBFF0000000000000, _OVERFLOW, 0),
        (0x43E0000000000000, 0x8000000000000000),
        (0x43EFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF800),
        (0x43F0000000000000, _OVERFLOW, 0xFFFFFFFFFFFFFFFF),
        (0x7FF0000000000000, _OVERFLOW, 0xFFFFFFFFFFFFFFFF),
        (0xFFF8000000000000, _INVALID, 0),
    ),
}


def _truncations() -> Iterator[tuple[str, tuple[Case, ...]]]:
    for name, rows in _TRUNCATIONS.items():
        yield name.format("trunc"), tuple((case[0], case[1]) for case in rows)
        yield name.format("trunc_sat"), tuple((case[0], case[-1]) for case in rows)


_TO_FLOAT: Cases = {
    "f32.convert_i32_s": (
        (0, 0),
        (0xFFFFFFFF, 0xBF800000),
        (0x7FFFFFFF, 0x4F000000),
        (0x80000000, 0xCF000000),
        (0x01000001, 0x4B800000),  # 2^24 + 1, a tie, to even
        (0x01000003, 0x4B800002),
        (0xFEFFFFFF, 0xCB800000),
    ),
    "f32.convert_i32_u": (
        (0, 0),
        (0xFFFFFFFF, 0x4F800000),
        (0x80000080, 0x4F000000),  # a tie
        (0x80000081, 0x4F000001),
        (0x80000180, 0x4F000002),  # a tie
        (0xFFFFFF7F, 0x4F7FFFFF),
    ),
    "f32.convert_i64_s": (
        (0xFFFFFFFFFFFFFFFF, 0xBF800000),
        (0x7FFFFFFFFFFFFFFF, 0x5F000000),
        (0x8000000000000000, 0xDF000000),
        (0x0020000020000001, 0x5A000001),  # just above a tie: through float64 it would be one
        (0xFFDFFFFFDFFFFFFF, 0xDA000001),
        (0x7FFFFFBFFFFFFFFF, 0x5EFFFFFF),  # just below a tie
        (0x7FFFFFC000000000, 0x5F000000),  # the tie
    ),
    "f32.convert_i64_u": (
        (0x0000000001000001, 0x4B800000),
        (0xFFFFFFFFFFFFFFFF, 0x5F800000),
        (0x8000000000000000, 0x5F000000),
        (0x8000008000000000, 0x5F000000),  # a tie
        (0x8000008000000001, 0x5F000001),
        (0xFFFFFF7FFFFFFFFF, 0x5F7FFFFF),
    ),
    "f64.convert_i32_s": (
        (0, 0),
        (0xFFFFFFFF, 0xBFF0000000000000),
        (0x7FFFFFFF, 0x41DFFFFFFFC00000),
        (0x80000000, 0xC1E0000000000000),
    ),
    "f64.convert_i32_u": (
        (0, 0),
        (0xFFFFFFFF, 0x41EFFFFFFFE00000),
        (0x80000000, 0x41E0000000000000),
    ),
    "f64.convert_i64_s": (
        (0xFFFFFFFFFFFFFFFF, 0xBFF0000000000000),
        (0x7FFFFFFFFFFFFFFF, 0x43E0000000000000),
        (0x8000000000000000, 0xC3E0000000000000),
        (0x0020000000000001, 0x4340000000000000),  # 2^53 + 1, a tie, to even
        (0x0020000000000003, 0x4340000000000002),
        (0xFFDFFFFFFFFFFFFF, 0xC340000000000000),
    ),
    "f64.convert_i64_u": (
        (0xFFFFFFFFFFFFFFFF, 0x43F0000000000000),
        (0x8000000000000400, 0x43E0000000000000),  # a tie
        (0x8000000000000401, 0x43E0000000000001),
        (0x8000000000000C00, 0x43E0000000000002),  # a tie
        (0xFFFFFFFFFFFFFBFF, 0x43EFFFFFFFFFFFFF),
    ),
    "f32.demote_f64": (
        (0x8000000000000000, 0x80000000),
        (0x3FF0000010000000, 0x3F800000),  # 1 + 2^-24, a tie, to even
        (0x3FF0000010000001, 0x3F800001),
        (0x3FF0000030000000, 0x3F800002),
        (0x47EFFFFFEFFFFFFF, 0x7F7FFFFF),  # just below the tie with overflow
        (0x47EFFFFFF0000000, 0x7F800000),
        (0xFFEFFFFFFFFFFFFF, 0xFF800000),
        (0x380FFFFFFFFFFFFF, 0x00800000),  # rounds up to the least normal number
        (0x36A0000000000000, 0x00000001),  # 2^-149
        (0x3690000000000000, 0x00000000),  # 2^-150, a tie
        (0x3690000000000001, 0x00000001),
        (0x36A8000000000000, 0x00000002),
        (0x8000000000000001, 0x80000000),
        (0x7FF0000000000000, 0x7F800000),
        (0x7FF8000000000000, 0x7FC00000),
        (0xFFF4000000000000, 0x7FC00000),
    ),
    "f64.promote_f32": (
        (0x80000000, 0x8000000000000000),
        (0x3F800001, 0x3FF0000020000000),
        (0x00000001, 0x36A0000000000000),
        (0x007FFFFF, 0x380FFFFFC0000000),
        (0x7F7FFFFF, 0x47EFFFFFE0000000),
        (0xFF800000, 0xFFF0000000000000),
        (0x7FC00000, 0x7FF8000000000000),
        (0xFFA00000, 0x7FF8000000000000),
    ),
}

_BITS: Cases = {
    "i32.wrap_i64": ((0x123456789ABCDEF0, 0x9ABCDEF0), (0x100000000, 0), (0xFFFFFFFF, 0xFFFFFFFF)),
    "i64.extend_i32_s": ((0x7FFFFFFF, 0x7FFFFFFF), (0x80000000, 0xFFFFFFFF80000000)),
    "i64.extend_i32_u": ((0x7FFFFFFF, 0x7FFFFFFF), (0x80000000, 0x80000000)),
    "i32.extend8_s": ((0x7F, 0x7F), (0x80, 0xFFFFFF80), (0xFFFFFF01, 1)),
    "i32.extend16_s": ((0x7FFF, 0x7FFF), (0x8000, 0xFFFF8000), (0xFFFF0001, 1)),
    "i64.extend8_s": ((0x7F, 0x7F), (0x80, 0xFFFFFFFFFFFFFF80), (0xFFFFFFFFFFFFFF01, 1)),
    "i64.extend16_s": ((0x7FFF, 0x7FFF), (0x8000, 0xFFFFFFFFFFFF8000), (0xFFFFFFFFFFFF0001, 1)),
    "i64.extend32_s": (
        (0x7FFFFFFF, 0x7FFFFFFF),
        (0x80000000, 0xFFFFFFFF80000000),
        (0xFFFFFFFF00000001, 1),
    ),
    # NaN payloads and signs stay
    "i32.reinterpret_f32": ((0x80000000, 0x80000000), (0x7F800001, 0x7F800001)),
    "f32.reinterpret_i32": ((0x80000000, 0x80000000), (0xFFFFFFFF, 0xFFFFFFFF)),
    "i64.reinterpret_f64": (
        (0x8000000000000000, 0x8000000000000000),
        (0x7FF0000000000001, 0x7FF0000000000001),
    ),
    "f64.reinterpret_i64": (
        (0x8000000000000000, 0x8000000000000000),
        (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF),
    ),
}

_WORD, _LONG = 0x89ABCDEF, 0x89ABCDEF01234567
_LOUD, _LONG_LOUD = F32.infinity | 1, F64.infinity | 1
_ACCESSES: Cases = {
    "i32.load": ((0, 0), (_WORD, _WORD)),
    "i64.load": ((0, 0), (_LONG, _LONG)),
    "f32.load": ((0x80000000, 0x80000000), (_LOUD, _LOUD)),
    "f64.load": ((1 << 63, 1 << 63), (_LONG_LOUD, _LONG_LOUD)),
    "i32.load8_s": ((0x7F, 0x7F), (0x80, 0xFFFFFF80)),
    "i32.load8_u": ((0x7F, 0x7F), (0x80, 0x80)),
    "i32.load16_s": ((0x7FFF, 0x7FFF), (0x8000, 0xFFFF8000)),
    "i32.load16_u": ((0x7FFF, 0x7FFF), (0x8000, 0x8000)),
    "i64.load8_s": ((0x7F, 0x7F), (0x80, 0xFFFFFFFFFFFFFF80)),
    "i64.load8_u": ((0x7F, 0x7F), (0x80, 0x80)),
    "i64.load16_s": ((0x7FFF, 0x7FFF), (0x8000, 0xFFFFFFFFFFFF8000)),
    "i64.load16_u": ((0x7FFF, 0x7FFF), (0x8000, 0x8000)),
    "i64.load32_s": ((0x7FFFFFFF, 0x7FFFFFFF), (0x80000000, 0xFFFFFFFF80000000)),
    "i64.load32_u": ((0x7FFFFFFF, 0x7FFFFFFF), (0x80000000, 0x80000000)),
    "i32.store": ((0, 0), (_WORD, _WORD)),
    "i64.store": ((0, 0), (_LONG, _LONG)),
    "f32.store": ((0x80000000, 0x80000000), (_LOUD, _LOUD)),
    "f64.store": ((1 << 63, 1 << 63), (_LONG_LOUD, _LONG_LOUD)),
    "i32.store8": ((_WORD, 0xEF), (0xFFFFFF00, 0)),
    "i32.store16": ((_WORD, 0xCDEF), (0xFFFF0000, 0)),
    "i64.store8": ((_LONG, 0x67), (0xFFFFFFFFFFFFFF00, 0)),
    "i64.store16": ((_LONG, 0x4567), (0xFFFFFFFFFFFF0000, 0)),
    "i64.store32": ((_LONG, 0x01234567), (0xFFFFFFFF00000000, 0)),
}


def _all() -> Iterator[tuple[str, tuple[Case, ...]]]:
    for type_, n in (("i32", 32), ("i64", 64)):
        for group in (_comparisons, _arithmetic, _bitwise):
            yield from _of(type_, group(n)).items()
    for type_, f in (("f32", F32), ("f64", F64)):
        for part in (_float_comparisons, _signs, _roundings, _sums, _products, _choices, _roots):
            yield from _of(type_, part(_Numbers(f))).items()
    yield from _truncations()
    for table in (_PATTERNS, _TO_FLOAT, _BITS, _ACCESSES):
        yield from table.items()


def _gathered() -> Cases:
    """All cases by instruction; those of one instruction from several tables together."""
    by_name: Cases = {}
    for name, cases in _all():
        by_name[name] = by_name.get(name, ()) + cases
    return by_name


#: The edge cases of every instruction with a pure function, by its name.
CASES: Cases = _gathered()
