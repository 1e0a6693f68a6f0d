"""Encode a `Module` to bytes, the inverse of `decode`."""

import struct
from collections.abc import Callable, Iterable
from typing import Any

from transputer.frontends.binary.decode import (
    KINDS,
    MAGIC,
    REFERENCES,
    RELEASE_3_TYPES,
    VALUE_TYPES,
    VERSION,
)
from transputer.ir.module import (
    Body,
    Catch,
    DataSegment,
    ElementSegment,
    Export,
    ExternKind,
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
    TableType,
)
from transputer.isa import vectors
from transputer.isa.integers import signed
from transputer.isa.op import ValType, ValueType

_CODES = {t: code for code, t in (VALUE_TYPES | RELEASE_3_TYPES).items()}
_REFERENCES = {nullable: code for code, nullable in REFERENCES.items()}


def unsigned(value: int) -> bytes:
    """Encode unsigned LEB128."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def leb_signed(value: int) -> bytes:
    """Encode signed LEB128."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def _vector(items: Iterable[bytes]) -> bytes:
    encoded = list(items)
    return unsigned(len(encoded)) + b"".join(encoded)


def _name(text: str) -> bytes:
    raw = text.encode()
    return unsigned(len(raw)) + raw


def _type(t: ValueType) -> bytes:
    return (
        bytes([_CODES[t]])
        if isinstance(t, ValType)
        else bytes([_REFERENCES[t.nullable]]) + _heap_type(t)
    )


def _heap_type(t: ValueType) -> bytes:
    if isinstance(t, ValType) or isinstance(t.heap, ValType):
        return _type(t.heap)
    return leb_signed(t.index)


def _types(ts: tuple[ValueType, ...]) -> bytes:
    return _vector(_type(t) for t in ts)


def _block_type(t: FuncType | int) -> bytes:
    if isinstance(t, int):
        return leb_signed(t)
    if t.params or len(t.results) > 1:
        raise ValueError(f"block type {t} needs a type index")
    return _type(t.results[0]) if t.results else b"\x40"


def _labels(labels: tuple[int, ...]) -> bytes:
    return _vector(map(unsigned, labels[:-1])) + unsigned(labels[-1])


def _memarg(memarg: tuple[int, int, int]) -> bytes:
    alignment, offset, memory = memarg
    if not memory:
        return unsigned(alignment) + unsigned(offset)
    return unsigned(alignment | 1 << 6) + unsigned(memory) + unsigned(offset)


def _catch(c: Catch) -> bytes:
    kind = bytes([c.reference | (c.tag is None) << 1])
    return kind + (b"" if c.tag is None else unsigned(c.tag)) + unsigned(c.label)


#: The encoder of each kind of immediate.
IMMEDIATES: dict[str, Callable[[Any], bytes]] = {
    "blocktype": _block_type,
    "label": unsigned,
    "labels": _labels,
    "func": unsigned,
    "type": unsigned,
    "table": unsigned,
    "local": unsigned,
    "global": unsigned,
    "tag": unsigned,
    "catches": lambda catches: _vector(map(_catch, catches)),
    "data": unsigned,
    "elem": unsigned,
    "memory": unsigned,
    "memarg": _memarg,
    "valtypes": _types,
    "reftype": _heap_type,
    "i32": lambda v: leb_signed(signed(32, v)),
    "i64": lambda v: leb_signed(signed(64, v)),
    "f32": lambda v: struct.pack("<I", v),
    "f64": lambda v: struct.pack("<Q", v),
    "v128": lambda v: v.to_bytes(16, "little"),
    **dict.fromkeys(vectors.LANES, unsigned),
    "lanes": bytes,
}


def _instruction(instr: Instr) -> bytes:
    code = instr.op.code
    if code >= vectors.FIRST:
        head = bytes([vectors.PREFIX]) + unsigned(code - vectors.FIRST)
    else:
        head = bytes([code]) if code < 256 else bytes([code >> 8]) + unsigned(code & 0xFF)
    args = zip(instr.op.imm, instr.args, strict=True)
    return head + b"".join(IMMEDIATES[kind](arg) for kind, arg in args)


def _body(body: Body) -> bytes:
    return b"".join(map(_instruction, body))


def _limits(limits: Limits) -> bytes:
    flags = bytes([(limits.maximum is not None) | limits.wide << 2])
    maximum = b"" if limits.maximum is None else unsigned(limits.maximum)
    return flags + unsigned(limits.minimum) + maximum


def _func_type(t: FuncType) -> bytes:
    return b"\x60" + _types(t.params) + _types(t.results)


def _table_type(t: TableType) -> bytes:
    return _type(t.element) + _limits(t.limits)


def _table(t: TableType) -> bytes:
    return b"\x40\0" + _table_type(t) + _body(t.init) if t.init else _table_type(t)


def _tag(type_index: int) -> bytes:
    return b"\0" + unsigned(type_index)


def _global_type(t: GlobalType) -> bytes:
    return _type(t.type) + bytes([t.mutable])


def _extern(i: Import) -> bytes:
    if isinstance(i.type, TableType):
        return _table_type(i.type)
    if isinstance(i.type, MemoryType):
        return _limits(i.type.limits)
    if isinstance(i.type, GlobalType):
        return _global_type(i.type)
    return _tag(i.type_index) if i.kind is ExternKind.TAG else unsigned(i.type_index)


def _import(i: Import) -> bytes:
    return _name(i.module) + _name(i.name) + bytes([KINDS.index(i.kind)]) + _extern(i)


def _export(e: Export) -> bytes:
    return _name(e.name) + bytes([KINDS.index(e.kind)]) + unsigned(e.index)


def _global(g: Global) -> bytes:
    return _global_type(g.type) + _body(g.init)


def _element(e: ElementSegment) -> bytes:
    """Encode an element segment, with an explicit table if it is active.

    Flag bits: 0 not active, 1 explicit table or declared, 2 expressions.
    """
    flags = {Mode.ACTIVE: 2, Mode.PASSIVE: 1, Mode.DECLARED: 3}[e.mode]
    if e.lists_functions:
        kind, init = b"\0", _vector(unsigned(body[0].args[0]) for body in e.init)
    else:
        flags |= 4
        kind, init = _type(e.type), _vector(map(_body, e.init))
    where = unsigned(e.table) + _body(e.offset) if e.mode is Mode.ACTIVE else b""
    return unsigned(flags) + where + kind + init


def _data(d: DataSegment) -> bytes:
    payload = unsigned(len(d.data)) + d.data
    if d.mode is Mode.PASSIVE:
        return b"\1" + payload
    if d.memory:
        return b"\2" + unsigned(d.memory) + _body(d.offset) + payload
    return b"\0" + _body(d.offset) + payload


def _code(f: Function) -> bytes:
    code = _vector(unsigned(n) + _type(t) for n, t in f.locals) + _body(f.body)
    return unsigned(len(code)) + code


def _section(number: int, items: Iterable[bytes]) -> bytes:
    encoded = list(items)
    if not encoded:
        return b""
    payload = _vector(encoded)
    return bytes([number]) + unsigned(len(payload)) + payload


def _names(names: NameSection) -> bytes:
    """Encode the name section; empty if there are no names."""
    parts = []
    if names.module:
        parts.append((0, _name(names.module)))
    if names.functions:
        pairs = sorted(names.functions.items())
        parts.append((1, _vector(unsigned(i) + _name(n) for i, n in pairs)))
    if names.locals:
        groups: dict[int, list[bytes]] = {}
        for (function, local), name in sorted(names.locals.items()):
            groups.setdefault(function, []).append(unsigned(local) + _name(name))
        parts.append((2, _vector(unsigned(f) + _vector(g) for f, g in groups.items())))
    if not parts:
        return b""
    inner = b"".join(bytes([kind]) + unsigned(len(p)) + p for kind, p in parts)
    payload = _name("name") + inner
    return b"\0" + unsigned(len(payload)) + payload


def _start(index: int | None) -> bytes:
    if index is None:
        return b""
    payload = unsigned(index)
    return b"\x08" + unsigned(len(payload)) + payload


def _data_count(count: int) -> bytes:
    payload = unsigned(count)
    return b"\x0c" + unsigned(len(payload)) + payload if count else b""


def encode(module: Module) -> bytes:
    """Return the binary form of a module; `decode` is the inverse."""
    return b"".join(
        (
            MAGIC,
            VERSION,
            _section(1, map(_func_type, module.types)),
            _section(2, map(_import, module.imports)),
            _section(3, (unsigned(f.type_index) for f in module.functions)),
            _section(4, map(_table, module.tables)),
            _section(5, (_limits(m.limits) for m in module.memories)),
            _section(13, map(_tag, module.tags)),
            _section(6, map(_global, module.globals)),
            _section(7, map(_export, module.exports)),
            _start(module.start),
            _section(9, map(_element, module.elements)),
            _data_count(len(module.data)),
            _section(10, map(_code, module.functions)),
            _section(11, map(_data, module.data)),
            _names(module.names),
        )
    )
