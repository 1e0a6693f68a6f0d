"""Hard meanings of instructions, written once over any algebra of words.

A meaning takes an algebra and operands and uses the algebra's operations alone. On Python ints it
is the pure function of a table's row; on arrays it runs, as C text it is compiled, on the terms of
a solver it is proved. A new instruction needs no edit in any of them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from transputer.isa import integers as it
from transputer.values import dataclass

#: A word, or a condition, of whatever kind an algebra has.
Word = Any
Condition = Any


class WordAlgebra(Protocol):
    """Words of one width with wrapping arithmetic. Shifts take their amount modulo the width."""

    def number(self, value: int) -> Word:
        """A constant."""

    def add(self, a: Word, b: Word) -> Word:
        """Sum."""

    def sub(self, a: Word, b: Word) -> Word:
        """Difference."""

    def mul(self, a: Word, b: Word) -> Word:
        """Product."""

    def and_(self, a: Word, b: Word) -> Word:
        """Bitwise and."""

    def or_(self, a: Word, b: Word) -> Word:
        """Bitwise or."""

    def xor(self, a: Word, b: Word) -> Word:
        """Bitwise exclusive or."""

    def shl(self, a: Word, b: Word) -> Word:
        """Shift left."""

    def shr(self, a: Word, b: Word) -> Word:
        """Logical shift right."""

    def sra(self, a: Word, b: Word) -> Word:
        """Arithmetic shift right."""

    def equal(self, a: Word, b: Word) -> Condition:
        """Whether two words are equal."""

    def less(self, a: Word, b: Word) -> Condition:
        """Signed less than."""

    def below(self, a: Word, b: Word) -> Condition:
        """Unsigned less than."""

    def negative(self, a: Word) -> Condition:
        """The highest bit."""

    def not_(self, condition: Condition) -> Condition:
        """Negation."""

    def differ(self, a: Condition, b: Condition) -> Condition:
        """Exclusive or of two conditions."""

    def choose(self, condition: Condition, a: Word, b: Word) -> Word:
        """`a` where the condition holds, else `b`."""

    def flag(self, flags: Any, index: int) -> Condition:
        """One of the flags."""

    def flags(self, *conditions: Condition) -> Any:
        """All flags, from the lowest bit of their packed form."""


#: An algebra and operands to a word, a condition or flags.
Rule = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Ints:
    """Words as unsigned Python ints, conditions as 0 and 1, flags packed into an int."""

    width: int

    def number(self, value: int) -> int:
        """The low bits of a number."""
        return value & it.mask(self.width)

    def add(self, a: int, b: int) -> int:
        """Sum."""
        return it.add(self.width, a, b)

    def sub(self, a: int, b: int) -> int:
        """Difference."""
        return it.sub(self.width, a, b)

    def mul(self, a: int, b: int) -> int:
        """Product."""
        return it.mul(self.width, a, b)

    def and_(self, a: int, b: int) -> int:
        """Bitwise and."""
        return it.and_(self.width, a, b)

    def or_(self, a: int, b: int) -> int:
        """Bitwise or."""
        return it.or_(self.width, a, b)

    def xor(self, a: int, b: int) -> int:
        """Bitwise exclusive or."""
        return it.xor(self.width, a, b)

    def shl(self, a: int, b: int) -> int:
        """Shift left."""
        return it.shl(self.width, a, b)

    def shr(self, a: int, b: int) -> int:
        """Logical shift right."""
        return it.shr_u(self.width, a, b)

    def sra(self, a: int, b: int) -> int:
        """Arithmetic shift right."""
        return it.shr_s(self.width, a, b)

    def equal(self, a: int, b: int) -> int:
        """Whether two words are equal."""
        return it.eq(self.width, a, b)

    def less(self, a: int, b: int) -> int:
        """Signed less than."""
        return it.lt_s(self.width, a, b)

    def below(self, a: int, b: int) -> int:
        """Unsigned less than."""
        return int(a < b)

    def negative(self, a: int) -> int:
        """The highest bit."""
        return a >> (self.width - 1)

    def not_(self, condition: int) -> int:
        """Negation."""
        return 1 - condition

    def differ(self, a: int, b: int) -> int:
        """Exclusive or of two conditions."""
        return a ^ b

    def choose(self, condition: int, a: int, b: int) -> int:
        """`a` where the condition holds, else `b`."""
        return a if condition else b

    def flag(self, flags: int, index: int) -> int:
        """One of the flags."""
        return flags >> index & 1

    def flags(self, *conditions: int) -> int:
        """The flags packed."""
        return sum(condition << i for i, condition in enumerate(conditions))


class Templates:
    """Words and conditions as text: a template for each operation, with {0}, {1} for its parts."""

    def __init__(self, **templates: str) -> None:
        self._templates = templates

    def __getattr__(self, name: str) -> Callable[..., str]:
        if name not in self._templates:
            raise AttributeError(name)
        return self._templates[name].format

    def number(self, value: int) -> str:
        """A constant; its template takes it as an unsigned number of 32 bits."""
        return self._templates["number"].format(value & it.mask(32))

    def flag(self, flags: tuple[str, ...], index: int) -> str:
        """One of the flags."""
        return flags[index]

    def flags(self, *conditions: str) -> tuple[str, ...]:
        """All flags."""
        return conditions


@dataclass(frozen=True, slots=True)
class Meaning:
    """A hard meaning as a row's pure function: the width, then the operands, as ints."""

    rule: Rule

    def __call__(self, width: int, *operands: int) -> int:
        """The result on ints."""
        result: int = self.rule(_ints(width), *operands)
        return result


_ints = cache(Ints)
