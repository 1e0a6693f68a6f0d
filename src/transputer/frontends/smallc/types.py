"""The types of small C.

Memory has words, and every scalar takes one: `size` counts words, which decide addresses.
`byte_size` counts the bytes that gcc gives a type on a 64-bit machine: the value of `sizeof`.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import TypeAlias

from transputer.values import dataclass

#: Bits of a char and of a short, whatever the width of the words.
CHAR_BITS, SHORT_BITS = 8, 16
#: `bits` of `_Bool`, which is no bit-field of one bit: converting to it asks for "not zero".
BOOL_BITS = 0
#: Bits of an int unless the user asks for another width.
INT_BITS = 32
_POINTER_BYTES = 8


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer type: of the width of the machine's words, or narrower."""

    bits: int
    signed: bool = True


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer: the index of the first word of a `to`, or the number of a function."""

    to: "Type"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of `count` elements."""

    of: "Type"
    count: int


@dataclass(frozen=True, slots=True)
class VoidType:
    """No value."""


@dataclass(frozen=True, slots=True)
class FreshType(VoidType):
    """What malloc's result points to: memory that may hold any type."""


@dataclass(frozen=True, slots=True)
class StructMember:
    """A member of a struct or union; `offset` counts words."""

    name: str
    kind: "Type"
    offset: int
    bit_field: bool = False


@dataclass(eq=False, slots=True)
class StructType:
    """A struct or union, compared by identity; without members until it is complete."""

    word: str  # struct or union
    tag: str
    members: tuple[StructMember, ...] | None = None
    words: int = 0
    bytes: int = 0
    alignment: int = 1

    def member(self, name: str) -> StructMember | None:
        """The member of this name, also one of a member without a name."""
        for one in self.members or ():
            if one.name == name:
                return one
            if one.name or not isinstance(one.kind, StructType):
                continue
            inner = one.kind.member(name)
            if inner:
                return StructMember(name, inner.kind, one.offset + inner.offset, inner.bit_field)
        return None


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameter and result types of a function."""

    params: tuple["Type", ...]
    result: "Type"


Type: TypeAlias = IntType | PointerType | ArrayType | VoidType | StructType | Signature

VOID_POINTER, FRESH_POINTER = PointerType(VoidType()), PointerType(FreshType())
_NAMES = {BOOL_BITS: "_Bool", CHAR_BITS: "char", SHORT_BITS: "short"}


def spelled(kind: Type, bits: int) -> str:
    """A type as C spells it, where an int has `bits` bits."""
    match kind:
        case IntType(width, signed):
            name = _NAMES.get(width, "int") if width != bits else "int"
            if name == "_Bool" or signed:
                return name
            return "unsigned" if name == "int" else f"unsigned {name}"
        case PointerType(Signature() as to):
            params = ", ".join(spelled(p, bits) for p in to.params) or "void"
            return f"{spelled(to.result, bits)} (*)({params})"
        case PointerType(to):
            return f"{spelled(to, bits)} *"
        case ArrayType(of, count):
            return f"{spelled(of, bits)}[{count}]"
        case StructType():
            return f"{kind.word} {kind.tag or '(without a name)'}"
        case Signature():
            return "a function"
    return "void"


def size(kind: Type) -> int:
    """Number of words of a value."""
    if isinstance(kind, ArrayType):
        return kind.count * size(kind.of)
    return kind.words if isinstance(kind, StructType) else 1


def byte_size(kind: Type, bits: int) -> int:
    """Number of bytes that gcc gives a value: what `sizeof` says."""
    match kind:
        case IntType(width):
            return max(1, width // CHAR_BITS)
        case PointerType():
            return _POINTER_BYTES if bits == INT_BITS else bits // CHAR_BITS
        case ArrayType(of, count):
            return count * byte_size(of, bits)
        case StructType():
            return kind.bytes
    return 1


def alignment(kind: Type, bits: int) -> int:
    """The number of bytes that divides the address of a value in gcc's layout."""
    if isinstance(kind, ArrayType):
        return alignment(kind.of, bits)
    return kind.alignment if isinstance(kind, StructType) else byte_size(kind, bits)


def scalars(kind: Type, bits: int, start: int = 0) -> Iterator[tuple[int, Type]]:
    """The words of a value in order: the byte at which gcc has each, and its type."""
    match kind:
        case ArrayType(of, count):
            step = byte_size(of, bits)
            for i in range(count):
                yield from scalars(of, bits, start + i * step)
        case StructType(word="struct"):
            at = 0
            for one in kind.members or ():
                at += -at % alignment(one.kind, bits)
                yield from scalars(one.kind, bits, start + at)
                at += byte_size(one.kind, bits)
        case StructType():
            yield start, kind
        case _:
            yield start, kind


def same_words(a: Type, b: Type, bits: int) -> bool:
    """Whether one type begins as the other does, so that a pointer may be cast between them."""
    for one, other in zip_longest(scalars(a, bits), scalars(b, bits)):
        if one is None or other is None:
            return True
        if one[0] != other[0] or not _alike(one[1], other[1]):
            return False
    return True


def _alike(a: Type, b: Type) -> bool:
    if isinstance(a, IntType) and isinstance(b, IntType):
        return a.bits == b.bits
    return isinstance(a, PointerType) and isinstance(b, PointerType) or a == b


def decayed(kind: Type) -> Type:
    """The type of a value: arrays and functions become pointers."""
    if isinstance(kind, Signature):
        return PointerType(kind)
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
    if outer.bits == inner.bits:
        return outer.signed == inner.signed
    room = outer.bits - outer.signed >= max(inner.bits, 1) - inner.signed
    return outer.bits != BOOL_BITS and room and (outer.signed or not inner.signed)
