"""Names in scope, and the problems of a source."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any, TypeAlias

from transputer.errors import SourceError
from transputer.frontends.smallc.preprocess import Preprocessed, place
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, Value
from transputer.frontends.smallc.types import IntType, Signature, StructType, Type, spelled
from transputer.values import dataclass

#: A node of pycparser's tree, which has no types of its own.
Node: TypeAlias = Any


#: What the front end refuses, by the parser's name for it, in the words of C.
UNSUPPORTED = {
    "Compound": "statement expressions are not supported here; write a function",
    "InitList": "values in braces can only initialise a variable",
    "EllipsisParam": "variable argument lists (...) are not supported here",
    "GenericSelection": "_Generic is not supported here",
    "Alignas": "_Alignas is not supported here",
}


class SmallCError(SourceError):
    """All errors of one source; `problems` lists them in source order.

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
    """A function that is declared or defined; one of the library has another name there."""

    signature: Signature
    name: str


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
    """Names in nested scopes; tags of structs and unions have names of their own."""

    levels: list[dict[str, Meaning]] = field(default_factory=lambda: [{}])
    tags: list[dict[str, StructType]] = field(default_factory=lambda: [{}])

    def enter(self) -> None:
        """Open a scope."""
        self.levels.append({})
        self.tags.append({})

    def leave(self) -> None:
        """Close the innermost scope."""
        self.levels.pop()
        self.tags.pop()

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
    """A source text with its file name, its word width and the errors found in it."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        self.text, self.file, self.bits = text, file, bits
        self.problems: list[SourceError] = []
        self.prepared = Preprocessed(text, {})
        self.short_pointers = False  # pointers are less than half of the words' range
        self.int = IntType(bits)
        self.unsigned = IntType(bits, False)

    def error(self, node: Node, message: str, width: int = 1) -> SourceError:
        """An error at a node of the tree."""
        coord = getattr(node, "coord", None)
        if coord is None:
            return SourceError(message, place(self.file, self.text, 0, 0))
        column, width = self.prepared.origin(coord.line, coord.column or 1, width)
        return SourceError(message, place(self.file, self.text, coord.line, column, width))

    def unsupported(self, node: Node, width: int = 1) -> SourceError:
        """An error at a node that stands for a part of C that this compiler lacks."""
        message = UNSUPPORTED.get(type(node).__name__, "this part of C is not supported here")
        return self.error(node, message, width)

    def spelled(self, kind: Type) -> str:
        """A type as C spells it; in words of 8 bits a char is an int."""
        return spelled(kind, self.bits)

    def raise_problems(self) -> None:
        """Raise `SmallCError` if there are errors."""
        if self.problems:
            order = sorted(self.problems, key=lambda p: (p.place.line, p.place.column))
            raise SmallCError(order)


def line_of(node: Node) -> int:
    """The source line of a node."""
    coord = getattr(node, "coord", None)
    return coord.line if coord else 0
