"""Formulas as Python expressions: `F` wraps an expression on words of tokens.

Arithmetic is on integers, without a limit; `wrap` is what fits in 64 bits. A comparison is 0 or 1.
"""

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import BITS, WordExpr, num, word


class F:
    """An integer: `x[a:b]` are bits a to b - 1 of it, from 0 on."""

    __slots__ = ("expr",)

    def __init__(self, expr: WordExpr) -> None:
        self.expr = expr

    def _made(self, kind: str, *parts: "F | int", data: tuple[int, ...] = ()) -> "F":
        return F(WordExpr(kind, tuple(of(p).expr for p in parts), data))

    def __add__(self, other: "F | int") -> "F":
        return self._made("sum", self, other)

    __radd__ = __add__

    def __sub__(self, other: "F | int") -> "F":
        return self._made("sum", self, of(other) * -1)

    def __rsub__(self, other: int) -> "F":
        return of(other) - self

    def __mul__(self, other: "F | int") -> "F":
        if isinstance(other, int):
            return self._made("scale", self, data=(other,))
        return self._made("product", self, other)

    __rmul__ = __mul__

    def __and__(self, other: "F | int") -> "F":
        return self._made("and", self, other)

    def __or__(self, other: "F | int") -> "F":
        return self._made("or", self, other)

    def __xor__(self, other: "F | int") -> "F":
        return self._made("xor", self, other)

    def __lshift__(self, by: "F | int") -> "F":
        """Of a word of 64 bits, by less than 64; what leaves it is lost."""
        return self._made("shl", self, by, data=(BITS,))

    def __rshift__(self, by: "F | int") -> "F":
        return self._made("shr", self, by, data=(BITS,))

    def __getitem__(self, bits: slice) -> "F":
        return self._made("field", self, data=(bits.start, bits.stop - bits.start))

    def __floordiv__(self, by: int) -> "F":
        return self._made("floor", self, data=(by,))

    def __mod__(self, by: int) -> "F":
        return self._made("mod", self, data=(by,))

    def __ge__(self, other: "F | int") -> "F":
        if isinstance(other, int):
            return self._made("ge", self, data=(other,))
        return (self - other) >= 0

    def __lt__(self, other: "F | int") -> "F":
        return ~(self >= other)

    def __gt__(self, other: "F | int") -> "F":
        return self >= other + 1

    def __le__(self, other: "F | int") -> "F":
        return ~(self > other)

    def __invert__(self) -> "F":
        """What a condition is not."""
        return self._made("not", self)

    def equals(self, other: "F | int") -> "F":
        """Whether it is another number."""
        if isinstance(other, int):
            return self._made("eq", self, data=(other,))
        return (self - other).equals(0)

    def matches(self, mask: int, value: int) -> "F":
        """Whether the bits under a mask are those of a value."""
        return self._made("matches", self, data=(mask, value))

    def digit(self, divisor: "F", square: "F | int" = 0) -> "F":
        """The largest v < 256 with self >= v divisor + v^2 square, or 0."""
        return self._made("digit", self, divisor, square)


def of(value: F | int) -> F:
    """A number, or what is one already."""
    return value if isinstance(value, F) else F(num(value))


def own(group: int) -> F:
    """A word of the last token."""
    return F(word(OWN, group))


def head(number: int, group: int) -> F:
    """A word of the token that a head attends to."""
    return F(word(number, group))


def where(condition: F, yes: F | int, no: F | int) -> F:
    """One of two numbers."""
    return condition._made("choose", condition, yes, no)


def least(one: F, two: F | int) -> F:
    """The smaller of two numbers."""
    return where(one >= two, two, one)


def zeros(value: F) -> F:
    """The zeros above the highest 1 of a word of 64 bits; 63 for 0."""
    return value._made("zeros", value)


def wrap(value: F) -> F:
    """What is left of a number in 64 bits."""
    return value % (1 << BITS)


def both(*conditions: F) -> F:
    """Whether all conditions hold."""
    result = conditions[0]
    for condition in conditions[1:]:
        result = result * condition
    return result


def added(*terms: F) -> F:
    """A sum of many terms."""
    return terms[0]._made("sum", *terms)
