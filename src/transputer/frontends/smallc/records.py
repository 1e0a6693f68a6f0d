"""Structs and unions: members, offsets in words, and the sizes that gcc gives them."""

from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import zip_longest

from transputer.frontends.smallc.making import TacBuilder
from transputer.frontends.smallc.scope import Node
from transputer.frontends.smallc.types import (
    BOOL_BITS,
    CHAR_BITS,
    ArrayType,
    IntType,
    PointerType,
    Signature,
    StructMember,
    StructType,
    Type,
    VoidType,
    alignment,
    byte_size,
    scalars,
    size,
)


@dataclass(slots=True)
class _Layout:
    """The members of a struct so far: words, and bits in gcc's layout."""

    union: bool
    members: list[StructMember] = field(default_factory=list)
    words: int = 0
    bits: int = 0  # of the bytes so far
    longest: int = 0
    alignment: int = 1

    def add(self, name: str, kind: Type, unit: int, width: int | None, word: int) -> None:
        """Add a member; `unit` is its type's alignment in bytes, `width` that of a bit-field."""
        if self.union:
            self.bits = 0
        step = unit * CHAR_BITS
        if width is None:
            self.bits += -self.bits % step
            self.bits += byte_size(kind, word) * CHAR_BITS
        elif width == 0 or self.bits % step + width > step:
            self.bits += -self.bits % step + width
        else:
            self.bits += width
        self.longest = max(self.longest, self.bits)
        if width == 0:
            return
        self.alignment = max(self.alignment, unit)
        offset = 0 if self.union else self.words
        self.members.append(StructMember(name, kind, offset, width is not None))
        self.words = max(self.words, size(kind)) if self.union else self.words + size(kind)

    @property
    def bytes(self) -> int:
        """The size in gcc's layout."""
        whole = -(-self.longest // CHAR_BITS)
        return whole + -whole % self.alignment


class RecordReader(TacBuilder):
    """Reads the types of structs and unions."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self._records: dict[Node, StructType] = {}

    @abstractmethod
    def enumerate(self, node: Node) -> None:
        """Declare the constants of an enumeration inside a declaration."""

    def record(self, node: Node) -> StructType:
        """The type of a struct or union; its members are read where they are written."""
        if node in self._records:
            return self._records[node]
        word = type(node).__name__.lower()
        kind = self._tagged(node, word)
        self._records[node] = kind
        if node.decls is not None:
            if kind.members is not None:
                raise self.error(node, f"{self.spelled(kind)} is already defined", len(word))
            self._read(node, kind)
        return kind

    def _tagged(self, node: Node, word: str) -> StructType:
        """The type that a tag stands for; a new one where the tag is new, or defined anew."""
        tags = self.scopes.tags
        for level in reversed(tags if node.decls is None else tags[-1:]):
            if node.name in level:
                known = level[node.name]
                if known.word != word:
                    raise self.error(node, f"{node.name!r} is a {known.word}", len(word))
                return known
        kind = StructType(word, node.name or "")
        if node.name:
            tags[-1][node.name] = kind
        return kind

    def _read(self, node: Node, kind: StructType) -> None:
        layout = _Layout(kind.word == "union")
        names: set[str] = set()
        for decl in node.decls:
            if type(decl).__name__ == "Pragma":
                continue
            self.enumerate(decl)
            name, member = decl.name or "", self._member(decl)
            if name and name in names:
                raise self.error(decl, f"{name!r} is already a member", len(name))
            names.add(name)
            width = self._width(decl, member)
            narrow = member if width is None else _narrow(member, width)
            unit = alignment(member, self.bits)
            layout.add(name, narrow, unit, width, self.bits)
        if layout.union:
            self._overlay(node, layout.members)
        kind.members, kind.words = tuple(layout.members), layout.words
        kind.bytes, kind.alignment = layout.bytes, layout.alignment

    def _member(self, decl: Node) -> Type:
        kind = self.complete(decl, self.kind(decl.type))
        if isinstance(kind, VoidType | Signature):
            raise self.error(decl, f"a member cannot be {self.spelled(kind)}")
        return kind

    def _width(self, decl: Node, kind: Type) -> int | None:
        """The width of a bit-field; None for another member."""
        if getattr(decl, "bitsize", None) is None:
            return None
        width = self.constant_value(decl.bitsize).value
        if not isinstance(kind, IntType) or not isinstance(width, int):
            raise self.error(decl, "a bit-field is an integer with a constant width")
        if not 0 <= width <= max(kind.bits, 1):
            raise self.error(decl, f"a bit-field of {self.spelled(kind)} has no {width} bits")
        return width

    def _overlay(self, node: Node, members: list[StructMember]) -> None:
        """Refuse a union that looks at the bytes of a word one at a time."""
        if not any(isinstance(m.kind, ArrayType | StructType) for m in members):
            return
        for words in zip_longest(*(scalars(m.kind, self.bits) for m in members)):
            there = [one for one in words if one is not None]
            there = [one for one in there if not isinstance(one[1], PointerType)]
            if len({(at, byte_size(kind, self.bits)) for at, kind in there}) > 1:
                raise self.error(
                    node,
                    "the members of this union share words in pieces of different sizes; "
                    "use a struct, or members of one size",
                    len("union"),
                )


def _narrow(kind: Type, width: int) -> Type:
    """The type of a bit-field; one of `_Bool` stays that."""
    assert isinstance(kind, IntType)
    return kind if kind.bits == BOOL_BITS else IntType(width, kind.signed)
