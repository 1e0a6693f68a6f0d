"""The types of small C. Sizes count words: every scalar has one."""

from dataclasses import dataclass
from typing import TypeAlias

#: Bits of a char, whatever the width of the words.
CHAR_BITS = 8
#: Bits of an int unless the user asks for another width.
INT_BITS = 32


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer type; a `char` where it has fewer bits than the machine's words."""

    bits: int
    signed: bool = True

    def __str__(self) -> str:
        if self.bits == CHAR_BITS:
            return "char" if self.signed else "unsigned char"
        return "int" if self.signed else "unsigned"


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer: the index of the first word of a `to`."""

    to: "Type"

    def __str__(self) -> str:
        return f"{self.to} *"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of `count` elements."""

    of: "Type"
    count: int

    def __str__(self) -> str:
        return f"{self.of}[{self.count}]"


@dataclass(frozen=True, slots=True)
class VoidType:
    """No value."""

    def __str__(self) -> str:
        return "void"


Type: TypeAlias = IntType | PointerType | ArrayType | VoidType


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameter and result types of a function."""

    params: tuple[Type, ...]
    result: Type


def size(kind: Type) -> int:
    """Number of words of a value."""
    return kind.count * size(kind.of) if isinstance(kind, ArrayType) else 1


def decayed(kind: Type) -> Type:
    """The type of a value: an array decays to a pointer to its first element."""
    return PointerType(kind.of) if isinstance(kind, ArrayType) else kind


def promoted(bits: int, kind: Type) -> Type:
    """The integer promotions: int where it holds every value of the type, else unsigned."""
    if not isinstance(kind, IntType):
        return kind
    return IntType(bits, kind.signed or kind.bits < bits)


def common(bits: int, a: Type, b: Type) -> IntType:
    """The common type of an operation on two integers."""
    both = (promoted(bits, a), promoted(bits, b))
    return IntType(bits, all(isinstance(kind, IntType) and kind.signed for kind in both))


def holds(outer: IntType, inner: IntType) -> bool:
    """Whether every value of `inner` is one of `outer`, or wraps to the same word."""
    if outer.bits > inner.bits:
        return True
    return outer.bits == inner.bits and outer.signed == inner.signed
