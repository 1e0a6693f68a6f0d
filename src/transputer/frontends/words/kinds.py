"""How each part of a plan is represented in its program, decided before it runs.

Integers are i64, rationals a reduced pair of i64, numbers behind a square root f64, and
booleans i32. Where kinds meet, the wider one wins: integer, rational, real.
"""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction

from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import Apply, Name, Node, PlanConstant, PlanError, Slot

#: What a 64-bit integer holds.
LEAST, MOST = -(2**63), 2**63 - 1


class NumberKind(Enum):
    """A representation; the value is its name, in the order of width for numbers."""

    INTEGER = "integer"
    RATIONAL = "rational"
    REAL = "f64"
    BOOLEAN = "boolean"

    @property
    def types(self) -> tuple[str, ...]:
        """The WebAssembly types of such a value, as they stand on the stack."""
        return _TYPES[self]

    @property
    def result(self) -> str:
        """As a block or a function declares it."""
        return f"(result {' '.join(self.types)})"


_TYPES = {
    NumberKind.INTEGER: ("i64",),
    NumberKind.RATIONAL: ("i64", "i64"),
    NumberKind.REAL: ("f64",),
    NumberKind.BOOLEAN: ("i32",),
}
_WIDTH = [NumberKind.INTEGER, NumberKind.RATIONAL, NumberKind.REAL]
_JOINED = {"ADD", "SUB", "MUL", "MOD", "LIST", "NEG", "ABS"}
_QUOTIENTS = {"DIV", "PCT", "MEAN", "MEDIAN"}
_ROUNDED = {"IDIV", "FLOOR", "CEIL", "ROUND"}
_INTEGERS = {"GCD", "LCM", "FACT", "FIB", "COUNT", "NUMBER", "RANGE"}


def wider(kinds: Sequence[NumberKind]) -> NumberKind:
    """The kind that holds numbers of all of these."""
    return max(kinds, key=_WIDTH.index)


def literal(node: Node, numbers: Sequence[Fraction]) -> Fraction | None:
    """The value of an operand that is a number of the text or a constant."""
    if isinstance(node, Slot):
        return Fraction(numbers[node.index])
    return Fraction(node.value) if isinstance(node, PlanConstant) else None


class Kinds:
    """The kind of every part of a plan; for a list, that of its members."""

    def __init__(self, numbers: Sequence[Fraction]) -> None:
        self.numbers = numbers
        self.names: list[NumberKind] = []
        self._found: dict[int, NumberKind] = {}

    def of(self, node: Node) -> NumberKind:
        """The kind of a part; whole trees need no recursion."""
        stack = [node]
        while stack:
            top = stack[-1]
            missing = (
                [n for n in top.arguments if id(n) not in self._found]
                if isinstance(top, Apply)
                else []
            )
            if missing:
                stack.extend(missing)
            else:
                self._found[id(top)] = self._kind(top)
                stack.pop()
        return self._found[id(node)]

    def _kind(self, node: Node) -> NumberKind:
        if isinstance(node, Name):
            return self.names[node.index]
        value = literal(node, self.numbers)
        if value is not None:
            return _fitting(value)
        assert isinstance(node, Apply)
        return self._applied(node, [self._found[id(n)] for n in node.arguments])

    def _applied(self, node: Apply, kinds: list[NumberKind]) -> NumberKind:
        token = node.token
        if node.operation.result is PlanType.BOOLEAN:
            return NumberKind.BOOLEAN
        if token in _INTEGERS:
            return NumberKind.INTEGER
        if token == "SQRT":
            return NumberKind.REAL
        if token == "POW":
            exponent = literal(node.arguments[1], self.numbers)
            natural = exponent is not None and exponent >= 0
            return kinds[0] if natural else wider([kinds[0], NumberKind.RATIONAL])
        if token == "IF":
            return wider(kinds[1:])
        if token in _JOINED:
            return wider(kinds)
        if token in _QUOTIENTS:
            return wider([*kinds, NumberKind.RATIONAL])
        if token in _ROUNDED:
            return NumberKind.REAL if NumberKind.REAL in kinds else NumberKind.INTEGER
        return kinds[-1]  # the rest give a list's members, or one of them


def _fitting(value: Fraction) -> NumberKind:
    if not (LEAST <= value.numerator <= MOST and value.denominator <= MOST):
        shown = f"{value.numerator.bit_length()} bits" if value.denominator == 1 else "its fraction"
        raise PlanError(f"a number of the text does not fit in 64 bits ({shown})")
    return NumberKind.INTEGER if value.denominator == 1 else NumberKind.RATIONAL
