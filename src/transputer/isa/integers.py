"""Pure functions of the integer instructions. The first argument is the width in bits.

Values are unsigned Python ints below 2**n; signed instructions convert inside.
"""

from collections.abc import Sequence

from transputer.errors import Trap, TrapError

#: Bits of a vector.
BITS = 128


def mask(n: int) -> int:
    """The largest n-bit value."""
    return (1 << n) - 1


def split(n: int, vector: int) -> list[int]:
    """Return the lanes of `n` bits, the lowest first."""
    return [vector >> at & mask(n) for at in range(0, BITS, n)]


def join(n: int, lanes: Sequence[int]) -> int:
    """Return the vector of these lanes, of which `n` bits count; missing ones are zero."""
    return sum((lane & mask(n)) << n * i for i, lane in enumerate(lanes))


def signed(n: int, x: int) -> int:
    """The two's complement reading of an n-bit value."""
    return x - (1 << n) if x >> (n - 1) else x


def add(n: int, a: int, b: int) -> int:
    """Sum, wrapping."""
    return (a + b) & mask(n)


def sub(n: int, a: int, b: int) -> int:
    """Difference, wrapping."""
    return (a - b) & mask(n)


def mul(n: int, a: int, b: int) -> int:
    """Low half of the product."""
    return (a * b) & mask(n)


def _truncated(a: int, b: int) -> int:
    """Quotient of signed integers, rounded toward zero; a zero divisor traps."""
    if b == 0:
        raise TrapError(Trap.DIVIDE_BY_ZERO)
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def div_s(n: int, a: int, b: int) -> int:
    """Signed quotient toward zero; traps on zero and where the result does not fit."""
    q = _truncated(signed(n, a), signed(n, b))
    if q == 1 << (n - 1):
        raise TrapError(Trap.INTEGER_OVERFLOW)
    return q & mask(n)


def div_u(n: int, a: int, b: int) -> int:
    """Unsigned quotient; traps on zero."""
    return _truncated(a, b)


def rem_s(n: int, a: int, b: int) -> int:
    """Signed remainder with the sign of the dividend; traps on zero."""
    sa, sb = signed(n, a), signed(n, b)
    return (sa - sb * _truncated(sa, sb)) & mask(n)


def rem_u(n: int, a: int, b: int) -> int:
    """Unsigned remainder; traps on zero."""
    return a - b * _truncated(a, b)


def and_(n: int, a: int, b: int) -> int:
    """Bitwise and."""
    return a & b


def or_(n: int, a: int, b: int) -> int:
    """Bitwise or."""
    return a | b


def xor(n: int, a: int, b: int) -> int:
    """Bitwise exclusive or."""
    return a ^ b


def shl(n: int, a: int, b: int) -> int:
    """Shift left by b modulo n."""
    return (a << b % n) & mask(n)


def shr_s(n: int, a: int, b: int) -> int:
    """Arithmetic shift right by b modulo n."""
    return (signed(n, a) >> b % n) & mask(n)


def shr_u(n: int, a: int, b: int) -> int:
    """Logical shift right by b modulo n."""
    return a >> b % n


def rotl(n: int, a: int, b: int) -> int:
    """Rotate left by b modulo n."""
    k = b % n
    return ((a << k) | (a >> (n - k))) & mask(n)


def rotr(n: int, a: int, b: int) -> int:
    """Rotate right by b modulo n."""
    return rotl(n, a, -b % n)


def clz(n: int, a: int) -> int:
    """Leading zero bits; n for zero."""
    return n - a.bit_length()


def ctz(n: int, a: int) -> int:
    """Trailing zero bits; n for zero."""
    return (a & -a).bit_length() - 1 if a else n


def popcnt(n: int, a: int) -> int:
    """Number of one bits."""
    return a.bit_count()


def eqz(n: int, a: int) -> int:
    """1 if zero."""
    return int(a == 0)


def eq(n: int, a: int, b: int) -> int:
    """1 if equal."""
    return int(a == b)


def ne(n: int, a: int, b: int) -> int:
    """1 if different."""
    return int(a != b)


def lt_s(n: int, a: int, b: int) -> int:
    """Signed less than."""
    return int(signed(n, a) < signed(n, b))


def lt_u(n: int, a: int, b: int) -> int:
    """Unsigned less than."""
    return int(a < b)


def gt_s(n: int, a: int, b: int) -> int:
    """Signed greater than."""
    return lt_s(n, b, a)


def gt_u(n: int, a: int, b: int) -> int:
    """Unsigned greater than."""
    return int(a > b)


def le_s(n: int, a: int, b: int) -> int:
    """Signed less or equal."""
    return 1 - lt_s(n, b, a)


def le_u(n: int, a: int, b: int) -> int:
    """Unsigned less or equal."""
    return int(a <= b)


def ge_s(n: int, a: int, b: int) -> int:
    """Signed greater or equal."""
    return 1 - lt_s(n, a, b)


def ge_u(n: int, a: int, b: int) -> int:
    """Unsigned greater or equal."""
    return int(a >= b)


def abs_(n: int, a: int) -> int:
    """Absolute value of the signed reading, wrapping: the most negative value stays."""
    return abs(signed(n, a)) & mask(n)


def neg(n: int, a: int) -> int:
    """Zero minus the value, wrapping."""
    return -a & mask(n)


def extend_s(n: int, m: int, a: int) -> int:
    """Sign-extend the low m bits to n bits; the bits above m are ignored."""
    return signed(m, a & mask(m)) & mask(n)


def wrap(n: int, a: int) -> int:
    """The low n bits."""
    return a & mask(n)


def same(a: int) -> int:
    """The value itself: full-width loads, zero extension, reinterpretation."""
    return a
