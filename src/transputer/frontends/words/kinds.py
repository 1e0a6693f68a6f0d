"""How each part of a plan is represented in its program, decided before it runs.

Integers are i64, rationals a reduced pair of i64, numbers behind a square root f64, and
booleans i32. Where kinds meet, the wider one wins: integer, rational, real.
"""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction

from transputer.frontends.words.operations import Type
from transputer.frontends.words.plan import Apply, Constant, Name, Node, PlanError, Slot

#: What a 64-bit integer holds.
LEAST, MOST = -(2**63), 2**63 - 1


class Kind(Enum):
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
    Kind.INTEGER: ("i64",),
    Kind.RATIONAL: ("i64", "i64"),
    Kind.REAL: ("f64",),
    Kind.BOOLEAN: ("i32",),
}
_WIDTH = [Kind.INTEGER, Kind.RATIONAL, Kind.REAL]
_JOINED = {"ADD", "SUB", "MUL", "MOD", "LIST", "NEG", "ABS"}
_QUOTIENTS = {"DIV", "PCT", "MEAN", "MEDIAN"}
_ROUNDED = {"IDIV", "FLOOR", "CEIL", "ROUND"}
_INTEGERS = {"GCD", "LCM", "FACT", "FIB", "COUNT", "NUMBER", "RANGE"}


def wider(kinds: Sequence[Kind]) -> Kind:
    """The kind that holds numbers of all of these."""
    return max(kinds, key=_WIDTH.index)


def literal(node: Node, numbers: Sequence[Fraction]) -> Fraction | None:
    """The value of an operand that is a number of the text or a constant."""
    if isinstance(node, Slot):
        return Fraction(numbers[node.index])
    return Fraction(node.value) if isinstance(node, Constant) else None


class Kinds:
    """The kind of every part of a plan; for a list, that of its members."""

    def __init__(self, numbers: Sequence[Fraction]) -> None:
        self.numbers = numbers
        self.names: list[Kind] = []
        self._found: dict[int, Kind] = {}

    def of(self, node: Node) -> Kind:
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

    def _kind(self, node: Node) -> Kind:
        if isinstance(node, Name):
            return self.names[node.index]
        value = literal(node, self.numbers)
        if value is not None:
            return _fitting(value)
        assert isinstance(node, Apply)
        return self._applied(node, [self._found[id(n)] for n in node.arguments])

    def _applied(self, node: Apply, kinds: list[Kind]) -> Kind:
        token = node.token
        if node.operation.result is Type.BOOLEAN:
            return Kind.BOOLEAN
        if token in _INTEGERS:
            return Kind.INTEGER
        if token == "SQRT":
            return Kind.REAL
        if token == "POW":
            exponent = literal(node.arguments[1], self.numbers)
            natural = exponent is not None and exponent >= 0
            return kinds[0] if natural else wider([kinds[0], Kind.RATIONAL])
        if token == "IF":
            return wider(kinds[1:])
        if token in _JOINED:
            return wider(kinds)
        if token in _QUOTIENTS:
            return wider([*kinds, Kind.RATIONAL])
        if token in _ROUNDED:
            return Kind.REAL if Kind.REAL in kinds else Kind.INTEGER
        return kinds[-1]  # the rest give a list's members, or one of them


def _fitting(value: Fraction) -> Kind:
    if not (LEAST <= value.numerator <= MOST and value.denominator <= MOST):
        shown = f"{value.numerator.bit_length()} bits" if value.denominator == 1 else "its fraction"
        raise PlanError(f"a number of the text does not fit in 64 bits ({shown})")
    return Kind.INTEGER if value.denominator == 1 else Kind.RATIONAL
