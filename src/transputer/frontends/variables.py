"""Variables of a C program: their locations and types, from DWARF via pyelftools.

A variable that the compiler optimised away, or whose location changes from instruction to
instruction, is left out; `-O 0` keeps every variable in memory.
"""

import io
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

from transputer.frontends.binary.sections import CODE, custom, sections

#: The sections in the order that pyelftools expects.
_SECTIONS = (
    "info aranges abbrev frame eh str loc ranges line pubtypes pubnames addr str_offsets "
    "line_str loclists rnglists sup alt types"
).split()
#: Sections that hold variables.
NEEDED = frozenset(f".debug_{name}" for name in ("info", "abbrev", "str", "ranges"))
#: Number of array elements or structure members to show.
_SHOWN = 16
_DEEP = 4
#: Addresses from here on belong to code that the linker dropped.
_DROPPED = 0xFFFFFFFE
_FLOATS = {4: "<f", 8: "<d"}


@dataclass(frozen=True, slots=True)
class CType:
    """A C type: its name, its size in bytes, and how to read its bytes.

    `kind` is one of signed, unsigned, float, character, pointer, array, structure and opaque.
    """

    name: str
    size: int
    kind: str
    element: "CType | None" = None
    members: tuple[tuple[str, int, "CType"], ...] = ()

    def shown(self, data: bytes) -> str:
        """Format a value of this type."""
        data = data[: self.size]
        if len(data) < self.size or not data:
            return "?"
        return _SHOW[self.kind](self, data)


def _character(type_: CType, data: bytes) -> str:
    number = int.from_bytes(data, "little", signed=True)
    return f"{number} {chr(number)!r}" if 32 <= number < 127 else str(number)


def _array(type_: CType, data: bytes) -> str:
    element = type_.element
    assert element is not None
    if element.kind == "character" and b"\0" in data:
        return '"' + data.split(b"\0")[0].decode("utf-8", "replace") + '"'
    count = len(data) // max(1, element.size)
    shown = [
        element.shown(data[i * element.size :]) for i in range(min(count, _SHOWN))
    ]  # fmt: skip
    return "{" + ", ".join(shown) + (", …" if count > _SHOWN else "") + "}"


def _structure(type_: CType, data: bytes) -> str:
    shown = [f"{name} = {t.shown(data[at:])}" for name, at, t in type_.members[:_SHOWN]]
    return "{" + ", ".join(shown) + (", …" if len(type_.members) > _SHOWN else "") + "}"


def _float(type_: CType, data: bytes) -> str:
    return str(struct.unpack(_FLOATS[len(data)], data)[0]) if len(data) in _FLOATS else data.hex()


_SHOW: dict[str, Callable[[CType, bytes], str]] = {
    "signed": lambda t, data: str(int.from_bytes(data, "little", signed=True)),
    "unsigned": lambda t, data: str(int.from_bytes(data, "little")),
    "character": _character,
    "pointer": lambda t, data: hex(int.from_bytes(data, "little")),
    "float": _float,
    "array": _array,
    "structure": _structure,
    "opaque": lambda t, data: data.hex(" "),
}
_ENCODINGS = {2: "unsigned", 4: "float", 5: "signed", 6: "character", 7: "unsigned", 8: "unsigned"}


@dataclass(frozen=True, slots=True)
class Where:
    """A location: a memory address, relative to local `base` if it is set; or a local."""

    address: int | None = None
    base: int | None = None
    local: int | None = None


@dataclass(frozen=True, slots=True)
class CVariable:
    """A variable; it exists between two offsets in the binary."""

    name: str
    type: CType
    where: Where
    start: int = 0
    end: int = 1 << 62


@dataclass(frozen=True)
class CompilationUnit:
    """Variables of one source file, read on demand, because a C library has many."""

    spans: tuple[tuple[int, int], ...]  # offsets of its code in the binary
    read: Callable[[], tuple[list[CVariable], list[CVariable]]] = field(compare=False)

    @cached_property
    def _variables(self) -> tuple[list[CVariable], list[CVariable]]:
        try:
            return self.read()
        except _DAMAGED:
            return [], []

    @property
    def globals(self) -> list[CVariable]:
        """The global variables of the file."""
        return self._variables[0]

    @property
    def locals(self) -> list[CVariable]:
        """The local variables of its functions; inner scopes follow outer ones."""
        return self._variables[1]


@dataclass(frozen=True)
class Variables:
    """All variables with a location, by file."""

    units: tuple[CompilationUnit, ...] = ()

    @property
    def globals(self) -> list[CVariable]:
        """The global variables of all files."""
        return [variable for unit in self.units for variable in unit.globals]

    @property
    def locals(self) -> list[CVariable]:
        """The local variables of all functions."""
        return [variable for unit in self.units for variable in unit.locals]

    def beside(self, offset: int) -> list[CVariable]:
        """Return the globals of the file that the instruction at `offset` comes from."""
        return [variable for unit in self._around(offset) for variable in unit.globals]

    def at(self, offset: int) -> list[CVariable]:
        """Return the locals in scope at `offset`; of equal names, only the innermost."""
        own = (variable for unit in self._around(offset) for variable in unit.locals)
        return list({v.name: v for v in own if v.start <= offset < v.end}.values())

    def _around(self, offset: int) -> Iterator[CompilationUnit]:
        return (u for u in self.units if any(low <= offset < high for low, high in u.spans))


#: Exceptions that pyelftools raises on damaged debug information.
_DAMAGED = (
    DWARFError, ELFError, KeyError, ValueError, AssertionError, IndexError, AttributeError,
)  # fmt: skip


@lru_cache(maxsize=8)
def read_variables(binary: bytes) -> Variables:
    """Return the variables of a module; damaged debug information is ignored."""
    custom_sections = custom(binary)
    if not custom_sections.keys() >= {".debug_info", ".debug_abbrev"}:
        return Variables()
    parts = [_section(custom_sections, f".debug_{name}") for name in _SECTIONS]
    base = next((s.content for s in sections(binary) if s.number == CODE), 0)
    try:
        return _Walk(DWARFInfo(DwarfConfig(True, "wasm", 4), *parts), base).variables()
    except _DAMAGED:
        return Variables()


def _section(contents: dict[str, bytes], name: str) -> DebugSectionDescriptor | None:
    data = contents.get(name)
    return DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0) if data else None


class _Walk:
    """Walks the DWARF entries, whose addresses are relative to the code section's content."""

    def __init__(self, info: Any, base: int) -> None:
        self._info, self._base = info, base
        self._types: dict[int, CType] = {}

    def variables(self) -> Variables:
        units = list(self._info.iter_CUs())
        return Variables(
            tuple(CompilationUnit(self._spans(u), partial(self._read, u)) for u in units)
        )

    def _spans(self, unit: Any) -> tuple[tuple[int, int], ...]:
        """Return the offsets of the code of a file, in one or more ranges."""
        top = unit.get_top_DIE()
        if "DW_AT_ranges" not in top.attributes:
            span = self._span(top)
            return (span,) if span else ()
        lists = self._info.range_lists()
        ranges = lists.get_range_list_at_offset(top.attributes["DW_AT_ranges"].value, unit)
        return tuple(
            (self._base + one.begin_offset, self._base + one.end_offset)
            for one in ranges
            if one.begin_offset < _DROPPED
        )

    def _read(self, unit: Any) -> tuple[list[CVariable], list[CVariable]]:
        globals_: list[CVariable] = []
        locals_: list[CVariable] = []
        parser = DWARFExprParser(unit.structs)
        for entry in unit.get_top_DIE().iter_children():
            if entry.tag == "DW_TAG_variable":
                globals_ += self._variable(entry, parser, None, (0, 1 << 62))
            elif entry.tag == "DW_TAG_subprogram" and (span := self._span(entry)):
                frame = self._operations(entry, "DW_AT_frame_base", parser)
                local = frame[0].args[1] if _is_local(frame) else None
                locals_ += self._inside(entry, parser, local, span)
        return globals_, locals_

    def _inside(
        self, around: DIE, parser: Any, frame: int | None, span: tuple[int, int]
    ) -> Iterator[CVariable]:
        for entry in around.iter_children():
            if entry.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter"):
                yield from self._variable(entry, parser, frame, span)
            elif entry.tag == "DW_TAG_lexical_block":
                yield from self._inside(entry, parser, frame, self._span(entry) or span)

    def _span(self, entry: DIE) -> tuple[int, int] | None:
        """Return offsets in the binary; None for code that the linker dropped."""
        low, high = (entry.attributes.get(f"DW_AT_{end}_pc") for end in ("low", "high"))
        if low is None or high is None or low.value >= _DROPPED:
            return None
        size = high.value if high.form != "DW_FORM_addr" else high.value - low.value
        return self._base + low.value, self._base + low.value + size

    def _operations(self, entry: DIE, name: str, parser: Any) -> list[Any]:
        attribute = entry.attributes.get(name)
        if attribute is None or attribute.form not in ("DW_FORM_exprloc", "DW_FORM_block1"):
            return []
        return list(parser.parse_expr(attribute.value))

    def _variable(
        self, entry: DIE, parser: Any, frame: int | None, span: tuple[int, int]
    ) -> Iterator[CVariable]:
        operations = self._operations(entry, "DW_AT_location", parser)
        where = _where(operations, frame)
        name = entry.attributes.get("DW_AT_name")
        if where is not None and name is not None:
            yield CVariable(name.value.decode("utf-8", "replace"), self._type(entry), where, *span)

    def _type(self, entry: DIE, depth: int = 0) -> CType:
        """Return the type that an entry refers to."""
        if "DW_AT_type" not in entry.attributes or depth > _DEEP:
            return CType("void", 0, "opaque")
        target = entry.get_DIE_from_attribute("DW_AT_type")
        if depth == 0 and target.offset in self._types:
            return self._types[target.offset]
        type_ = self._read_type(target, depth)
        if depth == 0:
            self._types[target.offset] = type_
        return type_

    def _read_type(self, entry: DIE, depth: int) -> CType:
        name = _text(entry)
        size = entry.attributes["DW_AT_byte_size"].value if _has(entry, "byte_size") else 0
        if entry.tag == "DW_TAG_base_type":
            kind = _ENCODINGS.get(entry.attributes["DW_AT_encoding"].value, "opaque")
            return CType(name, size, kind)
        if entry.tag == "DW_TAG_enumeration_type":
            return CType(name, size, "signed")
        if entry.tag == "DW_TAG_pointer_type":
            return CType(f"{self._type(entry, depth + 1).name} *", 4, "pointer")
        if entry.tag == "DW_TAG_array_type":
            return self._array(entry, depth)
        if entry.tag in ("DW_TAG_structure_type", "DW_TAG_union_type"):
            members = tuple(self._member(m, depth) for m in entry.iter_children() if _is_member(m))
            return CType(name or "structure", size, "structure", None, members)
        return self._type(entry, depth)  # const, volatile, typedef: the underlying type

    def _member(self, entry: DIE, depth: int) -> tuple[str, int, CType]:
        at = entry.attributes.get("DW_AT_data_member_location")
        return _text(entry), at.value if at else 0, self._type(entry, depth + 1)

    def _array(self, entry: DIE, depth: int) -> CType:
        array = self._type(entry, depth + 1)
        counts = [
            c.attributes["DW_AT_count"].value if _has(c, "count") else 0
            for c in entry.iter_children()
            if c.tag == "DW_TAG_subrange_type"
        ]
        for count in reversed(counts):
            array = CType(f"{array.name}[{count}]", array.size * count, "array", array)
        return array


def _where(operations: list[Any], frame: int | None) -> Where | None:
    """Return the location of an expression of a supported form, else None."""
    if len(operations) == 1 and operations[0].op_name == "DW_OP_addr":
        return Where(address=operations[0].args[0])
    if len(operations) == 1 and operations[0].op_name == "DW_OP_fbreg" and frame is not None:
        return Where(address=operations[0].args[0], base=frame)
    if _is_local(operations):
        return Where(local=operations[0].args[1])
    return None


def _is_local(operations: list[Any]) -> bool:
    """Whether an expression is the value of a WebAssembly local (kind 0)."""
    return (
        len(operations) == 2
        and operations[0].op_name == "DW_OP_WASM_location"
        and operations[0].args[0] == 0
        and operations[1].op_name == "DW_OP_stack_value"
    )


def _text(entry: DIE) -> str:
    name = entry.attributes.get("DW_AT_name")
    return name.value.decode("utf-8", "replace") if name else ""


def _has(entry: DIE, name: str) -> bool:
    return f"DW_AT_{name}" in entry.attributes


def _is_member(entry: DIE) -> bool:
    return bool(entry.tag == "DW_TAG_member")
