"""The types of small C. Sizes count words: every scalar has one."""

from dataclasses import dataclass
from typing import TypeAlias

#: Bits of a char, whatever the width of the words.
CHAR_BITS = 8


@dataclass(frozen=True, slots=True)
class Int:
    """An integer type; a `char` where it has fewer bits than the machine's words."""

    bits: int
    signed: bool = True

    def __str__(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The index of a word that holds, or begins, a `to`."""

    to: "Type"

    def __str__(self) -> str:
        return f"{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """So many of one type, one after the other."""

    of: "Type"
    count: int

    def __str__(self) -> str:
        return f"{self.of}[{self.count}]"


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


Type: TypeAlias = Int | Pointer | Array | Void


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and gives."""

    params: tuple[Type, ...]
    result: Type


def size(kind: Type) -> int:
    """Words that a value of a type takes."""
    return kind.count * size(kind.of) if isinstance(kind, Array) else 1


def decayed(kind: Type) -> Type:
    """What an array becomes where a value is wanted: a pointer to its first element."""
    return Pointer(kind.of) if isinstance(kind, Array) else kind


def promoted(bits: int, kind: Type) -> Type:
    """The integer promotions: int where it holds every value of the type, else unsigned."""
    if not isinstance(kind, Int):
        return kind
    return Int(bits, kind.signed or kind.bits < bits)


def common(bits: int, a: Type, b: Type) -> Int:
    """The type in which an operation on two integers is done."""
    both = (promoted(bits, a), promoted(bits, b))
    return Int(bits, all(isinstance(kind, Int) and kind.signed for kind in both))


def holds(outer: Int, inner: Int) -> bool:
    """Whether every value of `inner` is one of `outer`, or wraps to the same word."""
    if outer.bits > inner.bits:
        return True
    return outer.bits == inner.bits and outer.signed == inner.signed
