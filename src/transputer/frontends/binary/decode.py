"""Decode bytes to a `Module`. This rejects malformed input; `ir/verify.py` validates it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from transputer.errors import InvalidError, MalformedError, Place
from transputer.frontends.binary import features
from transputer.frontends.binary.reader import Reader
from transputer.ir.module import (
    Body,
    Catch,
    DataSegment,
    ElementSegment,
    Export,
    ExternKind,
    ExternType,
    Function,
    FuncType,
    Global,
    GlobalType,
    Import,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
    NameSection,
    Span,
    TableType,
)
from transputer.isa import vectors
from transputer.isa.op import FUNCTION, ValType, ValueType, reference
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import PREFIX, RELEASE_3, WASM

MAGIC = b"\0asm"
VERSION = b"\1\0\0\0"
#: Largest number of locals per function, as in other engines.
MAX_LOCALS = 50_000
#: Largest number of functions per module, and of locals in all functions together.
MAX_FUNCTIONS, MAX_ALL_LOCALS = 500_000, 5_000_000
#: Largest size of a section, in bytes; decoding takes about two hundred times as much memory. Data
#: are not expanded, so they have no limit; elements may have one byte each, so theirs is smaller.
MAX_SECTION, MAX_ELEMENTS = 8 << 20, 2 << 20
_ELEMENTS, _DATA = 9, 11
#: Largest number of parameters or results.
MAX_ARITY = 1_000

VALUE_TYPES = {
    0x7F: ValType.I32,
    0x7E: ValType.I64,
    0x7D: ValType.F32,
    0x7C: ValType.F64,
    0x70: ValType.FUNCREF,
    0x6F: ValType.EXTERNREF,
}
#: Value types that release 3 adds, and the prefixes of references: may it be null?
RELEASE_3_TYPES = {0x69: ValType.EXNREF, 0x7B: ValType.V128}
REFERENCES = {0x63: True, 0x64: False}
KINDS = (
    *(ExternKind.FUNC, ExternKind.TABLE, ExternKind.MEMORY, ExternKind.GLOBAL),
    ExternKind.TAG,
)
#: Section numbers in their required order.
ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)

_BLOCKS = {"block", "loop", "if", "try_table"}
_NEEDS_DATA_COUNT = {"memory.init", "data.drop"}
#: Number of the section of tags.
_TAGS = 13
#: First byte of a table with a value for its elements.
_INITIALISED = 0x40
#: Bit of an alignment: the index of a memory follows.
_HAS_MEMORY = 1 << 6
_REF_FUNC = WASM["ref.func"]
_END = WASM["end"]


def value_type(r: Reader) -> ValueType:
    """Read a value type."""
    start = r.position
    t = _known_type(r)
    if t is None:
        raise r.refuse(features.value_type(r.data[start]), "malformed value type", start)
    return t


def _known_type(r: Reader) -> ValueType | None:
    """Read a value type; None if its first byte is not that of one."""
    byte = r.byte()
    if r.release > 2 and byte in REFERENCES:
        return _heap_type(r, REFERENCES[byte])
    return VALUE_TYPES.get(byte) or (RELEASE_3_TYPES.get(byte) if r.release > 2 else None)


def _heap_type(r: Reader, nullable: bool) -> ValueType:
    """Read what a reference refers to: a kind of objects, or the index of a function type."""
    start = r.position
    first = r.byte()
    kind = VALUE_TYPES.get(first) or (RELEASE_3_TYPES.get(first) if r.release > 2 else None)
    if kind is not None and kind.is_ref:
        return reference(kind, nullable)
    if first & 0xC0 == 0x40 or r.release < 3:
        raise r.refuse(features.value_type(first), "malformed reference type", start)
    r.position = start
    index = r.signed(33)
    if index < 0:
        raise r.fail("malformed heap type", start)
    if index >= len(r.types):
        raise InvalidError(f"unknown type {index}", Place(offset=start))
    if r.types[index] is None:
        raise r.refuse(features.RECURSIVE, "", start)
    return reference(r.types[index], nullable, index)


def _ref_type(r: Reader) -> ValueType:
    start = r.position
    t = _known_type(r)
    if t is None or not t.is_ref:
        raise r.refuse(features.value_type(r.data[start]), "malformed reference type", start)
    return t


def _block_type(r: Reader) -> FuncType | int:
    start = r.position
    if (first := r.byte()) == 0x40:
        return FuncType()
    r.position = start
    if (type_ := _known_type(r)) is not None:
        return FuncType((), (type_,))
    r.position = start
    index = r.signed(33)
    if index < 0:
        raise r.refuse(features.value_type(first), "malformed block type", start)
    return index


def _memory(r: Reader) -> int:
    """Read the index of a memory; WebAssembly 2.0 has a zero byte there."""
    return r.u32() if r.release > 2 else r.flag(1, "zero byte expected")


def _memarg(r: Reader) -> tuple[int, int, int]:
    """Read alignment, offset and memory; bit 6 of the alignment says that a memory follows."""
    start = r.position
    flags, memory = r.u32(), 0
    if r.release > 2:
        if flags >= 2 * _HAS_MEMORY:
            raise r.fail("malformed memop flags", start)
        if flags & _HAS_MEMORY:
            flags, memory = flags - _HAS_MEMORY, r.u32()
    return flags, r.size(), memory


def _labels(r: Reader) -> tuple[int, ...]:
    """Read the labels of a br_table, the default last."""
    return (*r.vector(r.u32), r.u32())


def _catch(r: Reader) -> Catch:
    """Read a clause of `try_table`. Bit 0 of its kind: with a reference; bit 1: any tag."""
    kind = r.flag(4, "malformed catch clause")
    tag = None if kind & 2 else r.u32()
    return Catch(tag, bool(kind & 1), r.u32())


def _shuffle_lanes(r: Reader) -> tuple[int, ...]:
    """Read the indices of a shuffle."""
    return tuple(r.take(16))


#: The reader of each kind of immediate.
IMMEDIATES: dict[str, Callable[[Reader], Any]] = {
    "blocktype": _block_type,
    "label": Reader.u32,
    "labels": _labels,
    "func": Reader.u32,
    "type": Reader.u32,
    "table": Reader.u32,
    "local": Reader.u32,
    "global": Reader.u32,
    "tag": Reader.u32,
    "catches": lambda r: r.vector(lambda: _catch(r)),
    "data": Reader.u32,
    "elem": Reader.u32,
    "memory": _memory,
    "memarg": _memarg,
    "valtypes": lambda r: r.vector(lambda: value_type(r)),
    "reftype": lambda r: _heap_type(r, True),
    "i32": lambda r: r.signed(32) & 0xFFFFFFFF,
    "i64": lambda r: r.signed(64) & 0xFFFFFFFFFFFFFFFF,
    "f32": lambda r: int.from_bytes(r.take(4), "little"),
    "f64": lambda r: int.from_bytes(r.take(8), "little"),
    "v128": lambda r: int.from_bytes(r.take(16), "little"),
    **dict.fromkeys(vectors.LANES, Reader.byte),
    "lanes": _shuffle_lanes,
}


def instruction(r: Reader) -> Instr:
    """Read an instruction with its immediates."""
    start = r.position
    code = r.byte()
    if code == vectors.PREFIX and r.release > 2:
        return _vector(r, start)
    if code == PREFIX:
        code = code << 8 | min(r.u32(), 0xFF)
    op = WASM.by_code(code)
    if op is None or (r.release < 3 and op.name in RELEASE_3):
        raise r.refuse(features.opcode(code), f"illegal opcode 0x{code:02x}", start)
    args = tuple([IMMEDIATES[kind](r) for kind in op.imm])
    return Instr(op, args, Span(start, r.position))


def _vector(r: Reader, start: int) -> Instr:
    """Read a vector instruction after its prefix."""
    number = r.u32()
    op = VECTORS.by_code(vectors.FIRST + number)
    if op is None:
        raise r.fail(f"illegal opcode 0x{vectors.PREFIX:02x} 0x{number:02x}", start)
    args = tuple(IMMEDIATES[kind](r) for kind in op.imm)
    return Instr(op, args, Span(start, r.position))


def expression(r: Reader) -> Body:
    """Read instructions up to and including the matching `end`."""
    body: list[Instr] = []
    open_blocks: list[str] = []
    while True:
        if r.done:
            raise r.fail("unexpected end of section or function: END opcode expected")
        instr = instruction(r)
        body.append(instr)
        name = instr.op.name
        if name in _BLOCKS:
            open_blocks.append(name)
        elif name == "else":
            if not open_blocks or open_blocks.pop() != "if":
                raise r.fail("END opcode expected: else without if", instr.span.start)
            open_blocks.append("else")
        elif name == "end":
            if not open_blocks:
                return tuple(body)
            open_blocks.pop()


def _limits(r: Reader) -> Limits:
    start = r.position
    flags = r.byte()
    has_maximum, wide = bool(flags & 1), bool(flags & 4)
    if flags not in ((0, 1, 4, 5) if r.release > 2 else (0, 1)):
        message = "malformed limits flags (integer too large)"
        raise r.refuse(features.limits(flags), message, start)
    return Limits(r.size(), r.size() if has_maximum else None, wide)


def _table_type(r: Reader) -> TableType:
    return TableType(_ref_type(r), _limits(r))


def _table(r: Reader) -> TableType:
    """Read a defined table, which may have a value for its elements."""
    if r.release < 3 or r.done or r.data[r.position] != _INITIALISED:
        return _table_type(r)
    r.byte()
    r.flag(1, "malformed table")
    return replace(_table_type(r), init=expression(r))


def _tag(r: Reader) -> int:
    """Read the type index of a tag; its attribute says that it is an exception."""
    r.flag(1, "malformed tag attribute")
    return r.u32()


def _memory_type(r: Reader) -> MemoryType:
    return MemoryType(_limits(r))


def _global_type(r: Reader) -> GlobalType:
    t = value_type(r)
    return GlobalType(t, bool(r.flag(2, "malformed mutability")))


def _func_type(r: Reader) -> FuncType:
    start = r.position
    form = r.byte()
    if form != 0x60:
        message = "malformed function type (integer representation too long)"
        raise r.refuse(features.definition(form), message, start)
    r.types.append(None)  # it may name itself
    type_ = FuncType(r.vector(lambda: value_type(r)), r.vector(lambda: value_type(r)))
    r.types[-1] = type_ = r.known.setdefault(type_, type_)  # equal types are one object
    if max(len(type_.params), len(type_.results)) > MAX_ARITY:
        raise r.fail(f"more than {MAX_ARITY:,} parameters or results", start)
    return type_


_IMPORT_TYPES: dict[ExternKind, Callable[[Reader], ExternType]] = {
    ExternKind.TABLE: _table_type,
    ExternKind.MEMORY: _memory_type,
    ExternKind.GLOBAL: _global_type,
}


def _import(r: Reader) -> Import:
    start = r.position
    module, name = r.name(), r.name()
    kind = _kind(r, "malformed import kind")
    if kind in (ExternKind.FUNC, ExternKind.TAG):
        index = r.u32() if kind is ExternKind.FUNC else _tag(r)
        return Import(module, name, kind, None, index, Span(start, r.position))
    return Import(module, name, kind, _IMPORT_TYPES[kind](r), 0, Span(start, r.position))


def _kind(r: Reader, message: str) -> ExternKind:
    """Read the kind of an import or export; WebAssembly 2.0 has no tags."""
    return KINDS[r.flag(len(KINDS) if r.release > 2 else len(KINDS) - 1, message)]


def _export(r: Reader) -> Export:
    start = r.position
    name = r.name()
    kind = _kind(r, "malformed export kind")
    return Export(name, kind, r.u32(), Span(start, r.position))


def _global(r: Reader) -> Global:
    start = r.position
    return Global(_global_type(r), expression(r), Span(start, r.position))


def _element(r: Reader) -> ElementSegment:
    """Read a segment. Flag bits: 0 not active, 1 explicit table or declared, 2 expressions."""
    start = r.position
    flags = r.u32()
    if flags > 7:
        raise r.fail("malformed elements segment kind", start)
    passive, explicit, expressions = flags & 1, flags & 2, flags & 4
    mode, table = Mode.ACTIVE, 0
    offset: Body = ()
    if passive:
        mode = Mode.DECLARED if explicit else Mode.PASSIVE
    else:
        table = r.u32() if explicit else 0
        offset = expression(r)
    listed = FUNCTION if r.release >= 3 else ValType.FUNCREF
    element = ValType.FUNCREF if expressions else listed
    if expressions and (passive or explicit):
        element = _ref_type(r)
    elif passive or explicit:
        r.flag(1, "malformed element kind")
    init = r.vector(lambda: expression(r)) if expressions else r.vector(lambda: _ref_func(r))
    return ElementSegment(element, init, mode, table, offset, Span(start, r.position))


def _ref_func(r: Reader) -> Body:
    """Read a bare function index as the expression that it abbreviates."""
    start = r.position
    index = r.u32()
    span = Span(start, r.position)
    return (Instr(_REF_FUNC, (index,), span), Instr(_END, (), span))


def _data(r: Reader) -> DataSegment:
    start = r.position
    flags = r.u32()
    if flags > 2:
        raise r.fail("malformed data segment kind", start)
    memory = r.u32() if flags == 2 else 0
    offset = () if flags == 1 else expression(r)
    data = r.take(r.u32())
    return DataSegment(
        data, Mode.PASSIVE if flags == 1 else Mode.ACTIVE, memory, offset, Span(start, r.position)
    )


def _code(r: Reader) -> tuple[tuple[tuple[int, ValueType], ...], Body, Span]:
    """Read locals and body of one function, which must have the declared size."""
    start = r.position
    inner = r.section(r.u32())
    runs = inner.vector(lambda: (inner.u32(), value_type(inner)))
    total = sum(count for count, _ in runs)
    if total > MAX_LOCALS:
        raise inner.fail(f"too many locals: {total:,}, at most {MAX_LOCALS:,}", start)
    body = expression(inner)
    if not inner.done:
        raise inner.fail("section size mismatch: END opcode expected")
    return runs, body, Span(start, inner.position)


@dataclass
class _Sections:
    """Contents of the sections read so far."""

    types: tuple[FuncType, ...] = ()
    imports: tuple[Import, ...] = ()
    type_indices: tuple[int, ...] = ()
    tables: tuple[TableType, ...] = ()
    memories: tuple[MemoryType, ...] = ()
    tags: tuple[int, ...] = ()
    globals: tuple[Global, ...] = ()
    exports: tuple[Export, ...] = ()
    start: int | None = None
    elements: tuple[ElementSegment, ...] = ()
    data_count: int | None = None
    code: tuple[tuple[tuple[tuple[int, ValueType], ...], Body, Span], ...] = ()
    data: tuple[DataSegment, ...] = ()
    names: NameSection = field(default_factory=NameSection)
    places: dict[str, Span] = field(default_factory=dict)


_READERS: dict[int, tuple[str, Callable[[Reader], Any]]] = {
    1: ("types", lambda r: r.vector(lambda: _func_type(r))),
    2: ("imports", lambda r: r.vector(lambda: _import(r))),
    3: ("type_indices", lambda r: r.vector(r.u32)),
    4: ("tables", lambda r: r.vector(lambda: _table(r))),
    5: ("memories", lambda r: r.vector(lambda: _memory_type(r))),
    _TAGS: ("tags", lambda r: r.vector(lambda: _tag(r))),
    6: ("globals", lambda r: r.vector(lambda: _global(r))),
    7: ("exports", lambda r: r.vector(lambda: _export(r))),
    8: ("start", Reader.u32),
    9: ("elements", lambda r: r.vector(lambda: _element(r))),
    12: ("data_count", Reader.u32),
    10: ("code", lambda r: r.vector(lambda: _code(r))),
    11: ("data", lambda r: r.vector(lambda: _data(r))),
}


def _header(r: Reader) -> None:
    start = r.position
    if r.data[:4] != MAGIC[: len(r.data)] or not r.data:
        raise r.fail("magic header not detected", start)
    r.take(4)
    if r.take(4) != VERSION:
        raise r.fail("unknown binary version", 4)


def _read_sections(r: Reader) -> _Sections:
    contents = _Sections()
    last = -1
    while not r.done:
        start = r.position
        number = r.byte()
        if number and (number not in ORDER or (number == _TAGS and r.release < 3)):
            raise r.fail("malformed section id", start)
        inner = r.section(r.u32())
        if number == 0:
            _custom(inner, contents)
            continue
        _check_size(r, number, inner.end - inner.position, start)
        if ORDER.index(number) <= last:
            raise r.fail("unexpected content after last section", start)
        last = ORDER.index(number)
        name, read = _READERS[number]
        contents.places[name] = Span(start, r.position)
        setattr(contents, name, read(inner))
        if not inner.done:
            raise inner.fail("section size mismatch")
    return contents


def _check_size(r: Reader, number: int, size: int, start: int) -> None:
    limit = MAX_ELEMENTS if number == _ELEMENTS else MAX_SECTION
    if number != _DATA and size > limit:
        name, _ = _READERS[number]
        raise r.fail(f"the section of {name} has {size:,} bytes; the limit is {limit:,}", start)


def _check_counts(r: Reader, s: _Sections) -> None:
    if len(s.type_indices) > MAX_FUNCTIONS:
        raise r.fail(f"{len(s.type_indices):,} functions, at most {MAX_FUNCTIONS:,}")
    all_locals = sum(count for runs, _, _ in s.code for count, _ in runs)
    if all_locals > MAX_ALL_LOCALS:
        raise r.fail(f"{all_locals:,} locals in all functions, at most {MAX_ALL_LOCALS:,}")
    if len(s.type_indices) != len(s.code):
        raise r.fail("function and code section have inconsistent lengths")
    if s.data_count is not None and s.data_count != len(s.data):
        raise r.fail("data count and data section have inconsistent lengths")
    if s.data_count is None and s.data:  # without segments, the verifier reports it
        for _, body, _ in s.code:
            for instr in body:
                if instr.name in _NEEDS_DATA_COUNT:
                    raise r.fail("data count section required", instr.span.start)


def _custom(r: Reader, contents: _Sections) -> None:
    """Skip a custom section, except for names; ignore a damaged or huge name section."""
    if r.name() == "name" and r.end - r.position <= MAX_SECTION:
        try:
            contents.names = _names(r)
        except MalformedError:
            contents.names = NameSection()


def _names(r: Reader) -> NameSection:
    module, functions, local_names = "", {}, {}
    while not r.done:
        kind = r.byte()
        inner = r.section(r.u32())
        if kind == 0:
            module = inner.name()
        elif kind == 1:
            functions = dict(_name_map(inner))
        elif kind == 2:
            for _ in range(inner.u32()):
                function = inner.u32()
                local_names.update({(function, i): name for i, name in _name_map(inner)})
    return NameSection(module, MappingProxyType(functions), MappingProxyType(local_names))


def _name_map(r: Reader) -> tuple[tuple[int, str], ...]:
    return r.vector(lambda: (r.u32(), r.name()))


def decode(data: bytes, release: int = 3) -> Module:
    """Decode the binary form of a module.

    Raises `MalformedError` with the byte offset if the bytes are not a module of this release of
    WebAssembly: 2 is the standard of 2022, 3 adds what this package supports of that of 2025.
    """
    r = Reader(data, release=release)
    _header(r)
    s = _read_sections(r)
    _check_counts(r, s)
    functions = tuple(
        Function(index, runs, body, span)
        for index, (runs, body, span) in zip(s.type_indices, s.code, strict=True)
    )
    return Module(
        s.types,
        s.imports,
        functions,
        s.tables,
        s.memories,
        s.globals,
        s.exports,
        s.start,
        s.elements,
        s.data,
        s.names,
        MappingProxyType(s.places),
        s.tags,
    )
