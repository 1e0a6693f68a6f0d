"""Types of C as debug information describes them, and how their values are shown."""

import struct
from collections.abc import Callable
from dataclasses import field

from transputer.values import dataclass

#: Number of array elements or structure members to show.
_SHOWN = 200
_FLOATS = {4: "<f", 8: "<d"}
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\033",
            34: '\\"', 92: "\\\\"}  # fmt: skip
#: Reads bytes of the program's memory.
ReadMemory = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure or union; a bit-field has its first bit and its width."""

    name: str
    offset: int
    type: "CType"
    bit: int = 0
    bits: int = 0

    def cut(self, data: bytes) -> bytes:
        """Return the bytes of this member of a structure."""
        own = data[self.offset : self.offset + self.type.size]
        if not self.bits or not own:
            return own
        number = int.from_bytes(own, "little") >> self.bit & (1 << self.bits) - 1
        if self.type.kind == "signed" and number >> self.bits - 1:
            number -= 1 << self.bits
        return (number % (1 << 8 * len(own))).to_bytes(len(own), "little")


@dataclass(frozen=True, slots=True)
class CType:
    """A C type: its name in the source, its size in bytes, and how to read its bytes.

    `kind` is one of signed, unsigned, bool, float, character, byte (an unsigned character),
    enumeration, pointer, array, structure, union and opaque. `target` and `parts` are functions,
    because types may be recursive.
    """

    name: str
    size: int
    kind: str
    target: "Callable[[], CType] | None" = field(default=None, compare=False)
    parts: "Callable[[], tuple[Member, ...]] | None" = field(default=None, compare=False)
    names: tuple[tuple[int, str], ...] = ()  # of an enumeration

    @property
    def element(self) -> "CType":
        """The type that a pointer points to, or of an array's elements."""
        return self.target() if self.target else CType("void", 0, "opaque")

    @property
    def members(self) -> "tuple[Member, ...]":
        """The members of a structure or union."""
        return self.parts() if self.parts else ()

    @property
    def is_number(self) -> bool:
        """Whether values are numbers."""
        return self.kind in _NUMBERS

    def number(self, data: bytes) -> int | float:
        """Return a value of a number or pointer type."""
        if self.kind == "float":
            return float(struct.unpack(_FLOATS[len(data)], data)[0])
        signed = self.kind in ("signed", "character") or (
            self.kind == "enumeration" and any(value < 0 for value, _ in self.names)
        )
        return int.from_bytes(data, "little", signed=signed)

    def shown(self, data: bytes, read: ReadMemory | None = None) -> str:
        """Format a value of this type; `read` lets pointers to characters be shown as text."""
        data = data[: self.size]
        if len(data) < self.size or not data:
            return "?"
        return _SHOW[self.kind](self, data, read)


_NUMBERS = ("byte", "signed", "unsigned", "bool", "float", "character", "enumeration", "pointer")


def pointer_name(name: str) -> str:
    """Return the name of the type of pointers to a type."""
    base, bracket, rest = name.partition(" [")
    if bracket:
        return f"{base} (*)[{rest}"
    base, bracket, rest = name.partition(" (")
    if bracket and rest == ")":
        return f"{base} (*)()"
    return f"{name} *".replace("* *", "**")


def quoted(data: bytes) -> str:
    """Return bytes as a C string literal."""
    return '"' + "".join(_escaped(byte) for byte in data) + '"'


def _escaped(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")


def _character(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    text = {39: "\\'", 34: '"'}.get(data[0]) or _escaped(data[0])
    return f"{type_.number(data)} '{text}'"


def _array(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    element = type_.element
    if element.kind == "character":
        text, end, _ = data.partition(b"\0")
        return quoted(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")
    if element.kind == "byte":  # numbers, not text
        element = CType(element.name, 1, "unsigned")
    count = len(data) // max(1, element.size)
    shown = [element.shown(data[i * element.size :], read) for i in range(min(count, _SHOWN))]
    return "{" + ", ".join(shown) + ("..." if count > _SHOWN else "") + "}"


def _structure(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    shown = []
    for member in type_.members[:_SHOWN]:
        value = member.type.shown(member.cut(data), read)
        shown.append(f"{member.name} = {value}" if member.name else value)
    return "{" + ", ".join(shown) + ("..." if len(type_.members) > _SHOWN else "") + "}"


def _float(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    if len(data) not in _FLOATS:
        return data.hex()
    number = struct.unpack(_FLOATS[len(data)], data)[0]
    if number != number or abs(number) == float("inf"):
        return str(number)
    return f"{number:.{9 if len(data) == 4 else 17}g}"


def _enumeration(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    number = type_.number(data)
    return dict(type_.names).get(int(number)) or str(number)


def _pointer(type_: CType, data: bytes, read: ReadMemory | None) -> str:
    address = int.from_bytes(data, "little")
    if type_.target is None or type_.element.kind != "character" or read is None or not address:
        return hex(address)
    text, end, _ = read(address, _SHOWN).partition(b"\0")
    return f"{hex(address)} {quoted(text)}" + ("" if end else "...")


_SHOW: dict[str, Callable[[CType, bytes, ReadMemory | None], str]] = {
    "signed": lambda t, data, read: str(int.from_bytes(data, "little", signed=True)),
    "unsigned": lambda t, data, read: str(int.from_bytes(data, "little")),
    "bool": lambda t, data, read: "true" if any(data) else "false",
    "character": _character,
    "byte": _character,
    "pointer": _pointer,
    "enumeration": _enumeration,
    "float": _float,
    "array": _array,
    "structure": _structure,
    "union": _structure,
    "opaque": lambda t, data, read: data.hex(" "),
}
