"""What names mean, and what is wrong with a source."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from transputer.errors import SourceError
from transputer.frontends.smallc.prepare import place
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, Value
from transputer.frontends.smallc.types import IntType, Signature, Type

#: A node of pycparser's tree, which has no types of its own.
Node: TypeAlias = Any


class SmallCError(SourceError):
    """Everything that is wrong with one source; `problems` has them singly, in source order.

    Message and place are those of the first.
    """

    def __init__(self, problems: Sequence[SourceError]) -> None:
        super().__init__(problems[0].message, problems[0].place)
        self.problems = tuple(problems)
        self.args = ("\n".join(map(str, problems)),)

    def in_file(self, file: str) -> "SmallCError":
        """The same problems, naming the file they are in (kept if one is named already)."""
        return SmallCError([problem.in_file(file) for problem in self.problems])


@dataclass(frozen=True, slots=True)
class VariableName:
    """A scalar in a register, or an object in memory."""

    kind: Type
    where: Reg | MemoryObject
    constant: bool = False


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A name for a number or an address."""

    kind: Type
    value: int | Addr


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function that is declared or defined."""

    signature: Signature


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type's other name."""

    kind: Type


Meaning: TypeAlias = VariableName | ConstantName | FunctionName | TypeName


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value and its type."""

    value: Value
    kind: Type


@dataclass(slots=True)
class Scopes:
    """Names from the innermost scope out."""

    levels: list[dict[str, Meaning]] = field(default_factory=lambda: [{}])

    def find(self, name: str) -> Meaning | None:
        """What a name means here."""
        for level in reversed(self.levels):
            if name in level:
                return level[name]
        return None

    def put(self, name: str, meaning: Meaning) -> None:
        """Let a name mean something in the innermost scope."""
        self.levels[-1][name] = meaning


class Source:
    """A text with its name, its word width and the problems found in it."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        self.text, self.file, self.bits = text, file, bits
        self.problems: list[SourceError] = []
        self.short_pointers = False  # pointers are less than half of the words' range
        self.lacking: frozenset[str] = frozenset()  # built-in functions that the machine lacks
        self.int = IntType(bits)
        self.unsigned = IntType(bits, False)

    def error(self, node: Node, message: str, width: int = 1) -> SourceError:
        """An error at a node of the tree."""
        coord = getattr(node, "coord", None)
        if coord is None:
            return SourceError(message, place(self.file, self.text, 0, 0))
        return SourceError(
            message, place(self.file, self.text, coord.line, coord.column or 1, width)
        )

    def raise_problems(self) -> None:
        """Raise `SmallCError` where something was found wrong."""
        if self.problems:
            order = sorted(self.problems, key=lambda p: (p.place.line, p.place.column))
            raise SmallCError(order)


def line_of(node: Node) -> int:
    """The source line of a node."""
    coord = getattr(node, "coord", None)
    return coord.line if coord else 0
