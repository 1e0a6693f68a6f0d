"""Variables and functions of a C program: locations, types and scopes, from DWARF via pyelftools.

A variable without a location at an instruction was optimised away there; `-O 0` keeps every
variable in memory. pyelftools is slow to import, so it is imported when something is read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from transputer.frontends.binary.sections import CODE, custom, sections
from transputer.frontends.c_types import CType, Member, pointer_name
from transputer.values import dataclass

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor

#: The sections in the order that pyelftools expects.
_SECTIONS = (
    "info aranges abbrev frame eh str loc ranges line pubtypes pubnames addr str_offsets "
    "line_str loclists rnglists sup alt types"
).split()
#: Addresses from here on belong to code that the linker dropped.
_DROPPED = 0xFFFFFFFE
#: Offsets of code in the binary.
Span = tuple[int, int]
EVERYWHERE: tuple[Span, ...] = ((0, 1 << 62),)
_ENCODINGS = {2: "bool", 4: "float", 5: "signed", 6: "character", 7: "unsigned", 8: "byte"}


@dataclass(frozen=True, slots=True)
class Where:
    """A location: a memory address, relative to local `base` if it is set; a local; a constant."""

    address: int | None = None
    base: int | None = None
    local: int | None = None
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class CVariable:
    """A variable; it is in scope at `spans`, and has each of its locations between two offsets."""

    name: str
    type: CType
    locations: tuple[tuple[Span, Where], ...]
    spans: tuple[Span, ...] = EVERYWHERE
    parameter: bool = False

    def where(self, offset: int) -> Where | None:
        """Return the location at the instruction at `offset`; None if it is optimised out."""
        return next((w for (low, high), w in self.locations if low <= offset < high), None)


@dataclass(frozen=True, slots=True)
class FunctionScope:
    """A function, or a call of one that was inlined: `call_line` and `call_column` say where."""

    name: str
    spans: tuple[Span, ...]
    inlined: bool = False
    call_line: int = 0
    call_column: int = 0
    type: CType | None = None  # of its value


@dataclass(frozen=True, slots=True)
class UnitContents:
    """The globals, locals and functions of one source file; inner scopes follow outer ones."""

    globals: tuple[CVariable, ...] = ()
    locals: tuple[CVariable, ...] = ()
    functions: tuple[FunctionScope, ...] = ()
    types: tuple[CType, ...] = ()


@dataclass(frozen=True)
class CompilationUnit:
    """Debug information of one source file, read on demand, because a C library has many."""

    spans: tuple[Span, ...]
    read: Callable[[], UnitContents] = field(compare=False)

    @cached_property
    def contents(self) -> UnitContents:
        """What the file defines."""
        try:
            return self.read()
        except _damage():
            return UnitContents()


@dataclass(frozen=True)
class Variables:
    """All variables and functions, by file."""

    units: tuple[CompilationUnit, ...] = ()

    @property
    def globals(self) -> list[CVariable]:
        """The global variables of all files."""
        return [variable for unit in self.units for variable in unit.contents.globals]

    @property
    def locals(self) -> list[CVariable]:
        """The local variables of all functions."""
        return [variable for unit in self.units for variable in unit.contents.locals]

    def beside(self, offset: int) -> list[CVariable]:
        """Return the globals of the file that the instruction at `offset` comes from."""
        return [variable for unit in self._around(offset) for variable in unit.contents.globals]

    def at(self, offset: int) -> list[CVariable]:
        """Return the locals in scope at `offset`; of equal names, only the innermost."""
        own = (variable for unit in self._around(offset) for variable in unit.contents.locals)
        return list({v.name: v for v in own if _inside(offset, v.spans)}.values())

    def functions_at(self, offset: int) -> list[FunctionScope]:
        """Return the function at `offset` after the inlined calls in it, innermost first."""
        scopes = (scope for unit in self._around(offset) for scope in unit.contents.functions)
        return [scope for scope in scopes if _inside(offset, scope.spans)][::-1]

    def enumerator(self, name: str, offset: int) -> tuple[CType, int] | None:
        """Return an enumerator of the file around `offset`: its type and its value."""
        types = (t for unit in self._around(offset) for t in unit.contents.types)
        matches = ((t, value) for t in types for value, own in t.names if own == name)
        return next(matches, None)

    def type_named(self, name: str, offset: int) -> CType | None:
        """Return a type of the file around `offset` by its name, such as `struct point`."""
        types = (t for unit in self._around(offset) for t in unit.contents.types)
        return next((t for t in types if t.name == name), None)

    def _around(self, offset: int) -> Iterator[CompilationUnit]:
        return (u for u in self.units if _inside(offset, u.spans))


def _inside(offset: int, spans: tuple[Span, ...]) -> bool:
    return any(low <= offset < high for low, high in spans)


def _damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that pyelftools raises on damaged debug information."""
    from elftools.common.exceptions import DWARFError, ELFError

    return DWARFError, ELFError, KeyError, ValueError, AssertionError, IndexError, AttributeError


@lru_cache(maxsize=8)
def read_variables(binary: bytes) -> Variables:
    """Return the variables of a module; damaged debug information is ignored."""
    custom_sections = custom(binary)
    if not custom_sections.keys() >= {".debug_info", ".debug_abbrev"}:
        return Variables()
    from elftools.dwarf.dwarfinfo import DwarfConfig, DWARFInfo

    parts = [_section(custom_sections, f".debug_{name}") for name in _SECTIONS]
    base = next((s.content for s in sections(binary) if s.number == CODE), 0)
    try:
        return _Walk(DWARFInfo(DwarfConfig(True, "wasm", 4), *parts), base).variables()
    except _damage():
        return Variables()


def _section(contents: dict[str, bytes], name: str) -> DebugSectionDescriptor | None:
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor

    data = contents.get(name)
    return DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0) if data else None


class _Walk:
    """Walks the DWARF entries, whose addresses are relative to the code section's content."""

    def __init__(self, info: Any, base: int) -> None:
        self._info, self._base = info, base
        self._types: dict[int, CType] = {}

    def variables(self) -> Variables:
        """Return the files, which are read when they are needed."""
        units = list(self._info.iter_CUs())
        return Variables(
            tuple(
                CompilationUnit(self._spans(u.get_top_DIE()), partial(self._read, u)) for u in units
            )
        )

    def _spans(self, entry: DIE) -> tuple[Span, ...]:
        """Return the offsets of the code of an entry, without code that the linker dropped."""
        if "DW_AT_ranges" not in entry.attributes:
            span = self._span(entry)
            return (span,) if span else ()
        lists = self._info.range_lists()
        ranges = lists.get_range_list_at_offset(entry.attributes["DW_AT_ranges"].value, entry.cu)
        first = 0
        if entry.tag != "DW_TAG_compile_unit":
            low = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            first = low.value if low else 0
        return tuple(
            (self._base + first + one.begin_offset, self._base + first + one.end_offset)
            for one in ranges
            if one.begin_offset < _DROPPED
        )

    def _read(self, unit: Any) -> UnitContents:
        globals_: list[CVariable] = []
        locals_: list[CVariable] = []
        functions: list[FunctionScope] = []
        types: list[CType] = []
        from elftools.dwarf.dwarf_expr import DWARFExprParser

        parser = DWARFExprParser(unit.structs)
        for entry in unit.get_top_DIE().iter_children():
            if entry.tag == "DW_TAG_variable":
                globals_ += self._variable(entry, parser, None, EVERYWHERE)
            elif entry.tag in _NAMED_TYPES:
                types.append(self._type_at(entry))
            elif entry.tag == "DW_TAG_subprogram" and (spans := self._spans(entry)):
                type_ = self._type(_origin(entry))
                functions.append(FunctionScope(_name(entry), spans, type=type_))
                frame = self._operations(entry, "DW_AT_frame_base", parser)
                local = frame[0].args[1] if _is_local(frame) else None
                locals_ += self._inside(entry, parser, local, spans, functions)
        return UnitContents(tuple(globals_), tuple(locals_), tuple(functions), tuple(types))

    def _inside(
        self,
        around: DIE,
        parser: Any,
        frame: int | None,
        spans: tuple[Span, ...],
        functions: list[FunctionScope],
    ) -> Iterator[CVariable]:
        for entry in around.iter_children():
            if entry.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter"):
                yield from self._variable(entry, parser, frame, spans)
            elif entry.tag == "DW_TAG_lexical_block":
                own = self._spans(entry) or spans
                yield from self._inside(entry, parser, frame, own, functions)
            elif entry.tag == "DW_TAG_inlined_subroutine":
                own = self._spans(entry)
                line, column = (_number(entry, f"call_{what}") for what in ("line", "column"))
                functions.append(FunctionScope(_name(entry), own, True, line, column))
                yield from self._inside(entry, parser, frame, own, functions)

    def _span(self, entry: DIE) -> Span | None:
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
        self, entry: DIE, parser: Any, frame: int | None, spans: tuple[Span, ...]
    ) -> Iterator[CVariable]:
        name = _name(entry)
        if name and "DW_AT_declaration" not in entry.attributes:
            locations = tuple(self._locations(entry, parser, frame))
            parameter = entry.tag == "DW_TAG_formal_parameter"
            yield CVariable(name, self._type(_origin(entry)), locations, spans, parameter)

    def _locations(
        self, entry: DIE, parser: Any, frame: int | None
    ) -> Iterator[tuple[Span, Where]]:
        """Yield the locations of a variable and the offsets between which each holds."""
        attribute = entry.attributes.get("DW_AT_location")
        constant = entry.attributes.get("DW_AT_const_value")
        if constant is not None and isinstance(constant.value, int):
            yield EVERYWHERE[0], Where(constant=constant.value)
        elif attribute is None:
            return
        elif attribute.form in ("DW_FORM_exprloc", "DW_FORM_block1"):
            where = _where(list(parser.parse_expr(attribute.value)), frame)
            if where is not None:
                yield EVERYWHERE[0], where
        elif self._info.location_lists() is not None:
            low = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
            first = self._base + (low.value if low else 0)
            for one in self._info.location_lists().get_location_list_at_offset(attribute.value):
                if hasattr(one, "loc_expr"):  # the others change the base address
                    where = _where(list(parser.parse_expr(one.loc_expr)), frame)
                    if where is not None:
                        yield (first + one.begin_offset, first + one.end_offset), where

    def _type(self, entry: DIE) -> CType:
        """Return the type that an entry refers to."""
        if "DW_AT_type" not in entry.attributes:
            return CType("void", 0, "opaque")
        return self._type_at(entry.get_DIE_from_attribute("DW_AT_type"))

    def _type_at(self, entry: DIE) -> CType:
        """Return the type that an entry defines."""
        if entry.offset not in self._types:
            self._types[entry.offset] = self._read_type(entry)
        return self._types[entry.offset]

    def _read_type(self, entry: DIE) -> CType:
        name, size = _text(entry), _number(entry, "byte_size")
        if entry.tag == "DW_TAG_base_type":
            return CType(name, size, _ENCODINGS.get(_number(entry, "encoding"), "opaque"))
        if entry.tag == "DW_TAG_enumeration_type":
            names = tuple((_number(c, "const_value"), _text(c)) for c in entry.iter_children())
            return CType(f"enum {name}".strip(), size, "enumeration", names=names)
        if entry.tag == "DW_TAG_pointer_type":
            name = pointer_name(self._type(entry).name)
            return CType(name, 4, "pointer", partial(self._type, entry))
        if entry.tag == "DW_TAG_array_type":
            return self._array(entry)
        if entry.tag in _STRUCTURES:
            word = _STRUCTURES[entry.tag]
            kind = "structure" if word == "struct" else word
            label = f"{word} {name}" if name else f"{word} {{...}}"
            return CType(label, size, kind, parts=lru_cache(partial(self._members, entry)))
        if entry.tag == "DW_TAG_subroutine_type":
            return CType(f"{self._type(entry).name} ()", 0, "opaque")
        target = self._type(entry)
        if entry.tag == "DW_TAG_typedef":
            named = name
        else:  # const, volatile, restrict
            word = str(entry.tag).removeprefix("DW_TAG_").removesuffix("_type")
            named = f"{word} {target.name}" if word in ("const", "volatile") else target.name
        return CType(named, target.size, target.kind, target.target, target.parts, target.names)

    def _members(self, entry: DIE) -> tuple[Member, ...]:
        return tuple(
            self._member(child) for child in entry.iter_children() if child.tag == "DW_TAG_member"
        )

    def _member(self, entry: DIE) -> Member:
        type_, offset = self._type(entry), _number(entry, "data_member_location")
        bits = _number(entry, "bit_size")
        if not bits:
            return Member(_text(entry), offset, type_)
        unit = 8 * type_.size
        if _has(entry, "data_bit_offset"):
            offset, bit = divmod(_number(entry, "data_bit_offset"), unit)
            return Member(_text(entry), offset * type_.size, type_, bit, bits)
        bit = unit - bits - _number(entry, "bit_offset")  # DWARF 2 counts from the top
        return Member(_text(entry), offset, type_, bit, bits)

    def _array(self, entry: DIE) -> CType:
        array = self._type(entry)
        counts = [
            _number(c, "count") if _has(c, "count") else _number(c, "upper_bound", -1) + 1
            for c in entry.iter_children()
            if c.tag == "DW_TAG_subrange_type"
        ]
        base, sizes = array.name, ""
        for count in reversed(counts):
            sizes = f"[{count}]{sizes}"
            target: Callable[[], CType] = partial(_same, array)
            array = CType(f"{base} {sizes}", array.size * count, "array", target)
        return array


def _same(type_: CType) -> CType:
    return type_


_STRUCTURES = {
    "DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union", "DW_TAG_class_type": "class",
}  # fmt: skip
_NAMED_TYPES = frozenset(
    {*_STRUCTURES, "DW_TAG_base_type", "DW_TAG_enumeration_type", "DW_TAG_typedef"}
)


def _where(operations: list[Any], frame: int | None) -> Where | None:
    """Return the location of an expression of a supported form, else None."""
    names = [operation.op_name for operation in operations]
    if names == ["DW_OP_addr"]:
        return Where(address=operations[0].args[0])
    if names == ["DW_OP_fbreg"] and frame is not None:
        return Where(address=operations[0].args[0], base=frame)
    if _is_local(operations):
        return Where(local=operations[0].args[1])
    if names[1:] == ["DW_OP_stack_value"]:
        first = operations[0]
        name = str(first.op_name)
        if name.startswith("DW_OP_lit"):
            return Where(constant=int(name.removeprefix("DW_OP_lit")))
        if name.startswith("DW_OP_const"):
            return Where(constant=first.args[0])
    if names == ["DW_OP_WASM_location"] and operations[0].args[0] == 0:
        return Where(address=0, base=operations[0].args[1])  # a structure passed by its address
    if names == ["DW_OP_WASM_location", "DW_OP_plus_uconst"] and operations[0].args[0] == 0:
        return Where(address=operations[1].args[0], base=operations[0].args[1])
    return None


def _is_local(operations: list[Any]) -> bool:
    """Whether an expression is the value of a WebAssembly local (kind 0)."""
    return (
        len(operations) == 2
        and operations[0].op_name == "DW_OP_WASM_location"
        and operations[0].args[0] == 0
        and operations[1].op_name == "DW_OP_stack_value"
    )


def _origin(entry: DIE) -> DIE:
    """Return the entry that declares what this one describes."""
    while "DW_AT_type" not in entry.attributes and "DW_AT_abstract_origin" in entry.attributes:
        entry = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
    return entry


def _name(entry: DIE) -> str:
    """Return the name in the source, also of an inlined copy."""
    while "DW_AT_name" not in entry.attributes:
        if "DW_AT_abstract_origin" not in entry.attributes:
            return ""
        entry = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
    return _text(entry)


def _text(entry: DIE) -> str:
    name = entry.attributes.get("DW_AT_name")
    return name.value.decode("utf-8", "replace") if name else ""


def _number(entry: DIE, name: str, default: int = 0) -> int:
    attribute = entry.attributes.get(f"DW_AT_{name}")
    return attribute.value if attribute and isinstance(attribute.value, int) else default


def _has(entry: DIE, name: str) -> bool:
    return f"DW_AT_{name}" in entry.attributes
