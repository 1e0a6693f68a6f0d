"""Names in scope, and the problems of a source."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from transputer.errors import SourceError
from transputer.frontends.smallc.prepare import place
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, Value
from transputer.frontends.smallc.types import CHAR_BITS, IntType, Signature, Type

#: A node of pycparser's tree, which has no types of its own.
Node: TypeAlias = Any


#: Messages for what the front end refuses, by the parser's name for it.
UNSUPPORTED = {
    "StructRef": "structs and unions are not supported here; use arrays or separate variables",
    "Struct": "structs are not supported here; use arrays or separate variables",
    "Union": "unions are not supported here; use arrays or separate variables",
    "FuncDecl": "pointers to functions are not supported here; use switch",
    "CompoundLiteral": "compound literals are not supported here; declare a variable",
    "Compound": "statement expressions are not supported here; write a function",
    "InitList": "values in braces can only initialise an array",
    "EllipsisParam": "variable argument lists (...) are not supported here",
    "StaticAssert": "_Static_assert is not supported here",
    "GenericSelection": "_Generic is not supported here",
    "Alignas": "_Alignas is not supported here",
}


class SmallCError(SourceError):
    """All errors of one source; `problems` lists them in source order.

    Message and place are those of the first error.
    """

    def __init__(self, problems: Sequence[SourceError]) -> None:
        super().__init__(problems[0].message, problems[0].place)
        self.problems = tuple(problems)
        self.args = ("\n".join(map(str, problems)),)

    def in_file(self, file: str) -> "SmallCError":
        """Return the same problems with a file name, unless they have one already."""
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
    """A typedef name."""

    kind: Type


Meaning: TypeAlias = VariableName | ConstantName | FunctionName | TypeName


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value and its type."""

    value: Value
    kind: Type


@dataclass(slots=True)
class Scopes:
    """Names in nested scopes."""

    levels: list[dict[str, Meaning]] = field(default_factory=lambda: [{}])

    def find(self, name: str) -> Meaning | None:
        """Return the meaning of a name in the innermost scope that declares it."""
        for level in reversed(self.levels):
            if name in level:
                return level[name]
        return None

    def put(self, name: str, meaning: Meaning) -> None:
        """Declare a name in the innermost scope."""
        self.levels[-1][name] = meaning


class SourceText:
    """A source text with its file name, its word width and its errors."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        self.text, self.file, self.bits = text, file, bits
        self.problems: list[SourceError] = []
        self.short_pointers = False  # all pointers are in the lower half of a word's range
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

    def unsupported(self, node: Node, width: int = 1) -> SourceError:
        """An error at a node that stands for a part of C that this compiler lacks."""
        message = UNSUPPORTED.get(type(node).__name__, "this part of C is not supported here")
        return self.error(node, message, width)

    def spelled(self, kind: Type) -> str:
        """A type as C spells it; in words of 8 bits a char is an int."""
        if self.bits > CHAR_BITS:
            return str(kind)
        return str(kind).replace("unsigned char", "unsigned").replace("char", "int")

    def raise_problems(self) -> None:
        """Raise `SmallCError` if there are errors."""
        if self.problems:
            order = sorted(self.problems, key=lambda p: (p.place.line, p.place.column))
            raise SmallCError(order)


def line_of(node: Node) -> int:
    """The source line of a node."""
    coord = getattr(node, "coord", None)
    return coord.line if coord else 0
