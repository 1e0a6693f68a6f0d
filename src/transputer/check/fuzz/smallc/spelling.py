"""Random programs of small C without undefined behaviour, each in two spellings.

One spelling is small C. The other is C for a real compiler, where every operation is cast to its
N-bit type, since `int` may be wider there and not wrap. A program's statements are a
tree, so that a failing one can be made smaller.
"""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SmallCExpr:
    """An expression in both spellings; the kind is I (int) or U (unsigned)."""

    small: str
    real: str
    kind: str = "I"


@dataclass(frozen=True, slots=True)
class SmallCNode:
    """A statement, a block or a function: its head, its statements, its end."""

    small: str
    real: str
    inside: "tuple[SmallCNode, ...]" = ()
    close: str = ""


@dataclass(frozen=True, slots=True)
class SmallCProgram:
    """A program for words of `bits` bits, and the globals to compare at the end.

    A watched name comes with its number of elements and of columns; 0 for a scalar.
    """

    bits: int
    nodes: tuple[SmallCNode, ...]
    watched: tuple[tuple[str, int, int], ...]

    def small(self) -> str:
        """The small C source."""
        return "\n".join(_lines(self.nodes, 0, lambda node: node.small)) + "\n"

    def real(self, prefix: str) -> str:
        """The same as a function `prefix`_main among others; names get the prefix."""
        text = "\n".join(_lines(self.nodes, 0, lambda node: node.real)) + "\n"
        return text.replace("@", prefix + "_")


def _lines(
    nodes: tuple[SmallCNode, ...], depth: int, spelled: Callable[[SmallCNode], str]
) -> list[str]:
    lines = []
    for node in nodes:
        lines.append("    " * depth + spelled(node))
        lines += _lines(node.inside, depth + 1, spelled)
        if node.close:
            lines.append("    " * depth + node.close)
    return lines


@dataclass(frozen=True, slots=True)
class SmallCVariable:
    """A scalar in scope: the type is I, U, C (char) or B (unsigned char)."""

    name: str
    real: str
    type: str
    writable: bool = True


@dataclass(frozen=True, slots=True)
class SmallCArray:
    """An array, or a pointer to one, of a power of two of elements; `columns` where it has rows."""

    name: str
    real: str
    type: str
    count: int
    columns: int = 0
    known: bool = True  # whether find knows its length


@dataclass(frozen=True, slots=True)
class SmallCRoutine:
    """A function that may be called: its number of parameters, and whether it is pure."""

    name: str
    params: int
    pure: bool = True
    depth: bool = False  # the first argument bounds how deep it calls itself
    array: bool = False  # the first argument is an array of four


@dataclass(slots=True)
class SmallCScope:
    """The names in scope at a point of a program."""

    variables: list[SmallCVariable] = field(default_factory=list)
    arrays: list[SmallCArray] = field(default_factory=list)
    loops: int = 0
    budget: int = 3  # how deep statements may still nest
    quiet: bool = False  # in a function that is called inside expressions, in any order
    own: set[str] = field(default_factory=set)  # declared in this block


#: How the types of variables are spelled in small C.
TYPES = {"I": "int", "U": "unsigned", "C": "char", "B": "unsigned char"}
