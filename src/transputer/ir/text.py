"""A module as WebAssembly text: the output of `transputer dis`.

Assembling the text gives the module back, except that adjacent runs of locals of one type are
merged, empty runs are dropped, and names of items that do not exist are dropped. A name that
cannot be an identifier (illegal characters, or not unique) becomes a `(@name "…")` annotation,
and references use the index.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

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
    TableType,
)
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import signed, split
from transputer.isa.op import Op, RefType, ValType, ValueType
from transputer.isa.vectors import LANES
from transputer.values import dataclass

_IDENTIFIER = re.compile(r"[0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_`|~]+")
#: Rows with another name in the text format.
_TEXT_NAMES = {"select_t": "select"}
#: Kinds of immediates that the text format puts first.
_FIRST = {"table", "memory"}
_OPENS = {"block", "loop", "if", "else", "try_table"}
_CLOSES = {"else", "end"}
_TAB = "  "
#: Largest indentation, which keeps the size of the text linear in the size of the code.
_DEEPEST = 40
#: Bytes of a data segment per line.
_ROW = 64


def print_wat(module: Module, *, offsets: bool = False) -> str:
    """Return a valid module as text.

    With `offsets`, a comment before each instruction gives the offset of its first byte in the
    binary.
    """
    lines = list(_Printer(module).lines())
    digits = max(len(f"{line.offset or 0:x}") for line in lines)
    return "".join(
        f"{_margin(line, digits) if offsets else ''}{_TAB * min(line.depth, _DEEPEST)}{line.text}\n"
        for line in lines
    )


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    depth: int = 1
    offset: int | None = None  # of an instruction


def _margin(line: _Line, digits: int) -> str:
    """Return the offset as a comment, or spaces of the same width."""
    if line.offset is None:
        return " " * (digits + 7)
    return f"(;0x{line.offset:0{digits}x};) "


class _Space:
    """Names in one index space."""

    def __init__(self, names: Mapping[int, str]) -> None:
        uses = Counter(names.values())
        self.names = names
        self.identifiers = {
            i: f"${n}" for i, n in names.items() if uses[n] == 1 and _IDENTIFIER.fullmatch(n)
        }

    def use(self, index: int) -> str:
        """Return the identifier of an item, or its index."""
        return self.identifiers.get(index, str(index))

    def bind(self, index: int) -> str:
        """Return what follows the keyword that declares an item; empty if the item has no name."""
        if index in self.identifiers:
            return self.identifiers[index]
        return f"(@name {_string(self.names[index])})" if index in self.names else ""


class _Scope:
    """What immediates can refer to: functions, locals, open blocks."""

    def __init__(
        self, functions: _Space, local_names: Mapping[int, str], many: bool = False
    ) -> None:
        self.functions = functions
        self.many = many  # whether there are several memories
        self.locals = _Space(local_names)
        self.depth = 0


def _words(*parts: str) -> str:
    """Join the parts that are not empty with spaces."""
    return " ".join(filter(None, parts))


def _string(text: str | bytes) -> str:
    raw = text.encode() if isinstance(text, str) else text
    shown = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02x}" for b in raw)
    return f'"{"".join(shown)}"'


def _heap(t: ValueType) -> str:
    """Return what a reference refers to: a kind of objects, or the index of a function type."""
    abstract = isinstance(t.heap, ValType)
    return t.heap.value.removesuffix("ref") if abstract or isinstance(t, ValType) else str(t.index)


def _type(t: ValueType) -> str:
    if isinstance(t, RefType):
        return f"(ref {'null ' if t.nullable else ''}{_heap(t)})"
    return t.value


def _types(keyword: str, types: Iterable[ValueType]) -> str:
    """Return a list of types such as `(result i32 i64)`; empty for no types."""
    words = " ".join(map(_type, types))
    return words and f"({keyword} {words})"


def _signature(t: FuncType) -> str:
    return _words(_types("param", t.params), _types("result", t.results))


def _float(f: Format, bits: int) -> str:
    """Return the exact bits: hexadecimal with the decimal value as a comment, or a NaN payload."""
    sign, magnitude = "-" if bits & f.sign else "", bits & ~f.sign
    if f.is_nan(bits):
        return f"{sign}nan" + ("" if magnitude == f.nan else f":0x{magnitude - f.infinity:x}")
    if magnitude == f.infinity:
        return f"{sign}inf"
    value = f.decode(bits)
    digits, exponent = value.hex().split("p")
    shortest = (text for n in range(1, 18) if f.encode(float(text := f"{value:.{n}g}")) == bits)
    return f"{digits.rstrip('0').rstrip('.')}p{exponent} (;={next(shortest)};)"


def _memarg(op: Op, alignment: int, offset: int, memory: int) -> str:
    natural = 1 << alignment == op.width
    return _words(
        str(memory) * bool(memory),
        f"offset={offset}" * bool(offset),
        f"align={1 << alignment}" * (not natural),
    )


def _label(scope: _Scope, depth: int) -> str:
    """Return a depth with the number of the target block in a comment."""
    return f"{depth} (;@{scope.depth - depth};)"


def _block_type(scope: _Scope, t: FuncType | int) -> str:
    type_ = f"(type {t})" if isinstance(t, int) else _signature(t)
    return _words(type_, f"(;@{scope.depth + 1};)")


def _catch(scope: _Scope, clause: Catch) -> str:
    """Return a clause; its label counts from outside of the block."""
    words = ("catch", "_all" * (clause.tag is None), "_ref" * clause.reference)
    tag = "" if clause.tag is None else str(clause.tag)
    return f"({_words(''.join(words), tag, _label(scope, clause.label))})"


#: How each kind of immediate is printed.
_IMMEDIATES: dict[str, Callable[[_Scope, Op, Any], str]] = {
    "blocktype": lambda scope, op, t: _block_type(scope, t),
    "label": lambda scope, op, depth: _label(scope, depth),
    "labels": lambda scope, op, depths: " ".join(_label(scope, d) for d in depths),
    "func": lambda scope, op, index: scope.functions.use(index),
    "type": lambda scope, op, index: f"(type {index})" if "table" in op.imm else str(index),
    "table": lambda scope, op, index: str(index),
    "local": lambda scope, op, index: scope.locals.use(index),
    "global": lambda scope, op, index: str(index),
    "tag": lambda scope, op, index: str(index),
    "catches": lambda scope, op, catches: " ".join(_catch(scope, c) for c in catches),
    "data": lambda scope, op, index: str(index),
    "elem": lambda scope, op, index: str(index),
    "memory": lambda scope, op, index: str(index) * scope.many,
    "memarg": lambda scope, op, arg: _memarg(op, *arg),
    "valtypes": lambda scope, op, types: _types("result", types),
    "reftype": lambda scope, op, t: _heap(t),
    "i32": lambda scope, op, value: str(signed(32, value)),
    "i64": lambda scope, op, value: str(signed(64, value)),
    "f32": lambda scope, op, bits: _float(F32, bits),
    "f64": lambda scope, op, bits: _float(F64, bits),
    "v128": lambda scope, op, bits: _words("i64x2", *(f"0x{x:016x}" for x in split(64, bits))),
    **dict.fromkeys(LANES, lambda scope, op, lane: str(lane)),
    "lanes": lambda scope, op, lanes: " ".join(map(str, lanes)),
}


def _instruction(scope: _Scope, instr: Instr) -> str:
    pairs = sorted(zip(instr.op.imm, instr.args, strict=True), key=lambda p: p[0] not in _FIRST)
    immediates = (_IMMEDIATES[kind](scope, instr.op, arg) for kind, arg in pairs)
    return _words(_TEXT_NAMES.get(instr.name, instr.name), *immediates)


def _code(scope: _Scope, body: Body) -> Iterator[_Line]:
    """Yield the lines of a function body; its last `end` becomes the closing parenthesis."""
    for instr in body[:-1]:
        scope.depth -= instr.name in _CLOSES
        yield _Line(_instruction(scope, instr), 2 + scope.depth, instr.span.start)
        scope.depth += instr.name in _OPENS
    yield _Line(")", 1, body[-1].span.start)


def _constant(scope: _Scope, keyword: str, body: Body) -> str:
    """Return `(i32.const 1)`, or `(keyword …)` if the expression is not one instruction."""
    code = [_instruction(scope, instr) for instr in body[:-1]]
    return f"({code[0]})" if len(code) == 1 else f"({_words(keyword, *code)})"


def _limits(limits: Limits) -> str:
    maximum = "" if limits.maximum is None else str(limits.maximum)
    return _words("i64" * limits.wide, str(limits.minimum), maximum)


def _extern(t: TableType | MemoryType | GlobalType) -> str:
    if isinstance(t, TableType):
        return f"{_limits(t.limits)} {_type(t.element)}"
    if isinstance(t, MemoryType):
        return _limits(t.limits)
    return f"(mut {_type(t.type)})" if t.mutable else _type(t.type)


def _locals(keyword: str, space: _Space, types: Iterable[ValueType], start: int = 0) -> str:
    """Declare parameters or locals: named ones one by one, unnamed ones together."""
    pairs = [(space.bind(i), _type(t)) for i, t in enumerate(types, start)]
    parts: list[str] = []
    for name, run in groupby(pairs, key=lambda pair: pair[0]):
        types_ = [t for _, t in run]
        each = [f"{name} {t}" for t in types_] if name else [" ".join(types_)]
        parts += [f"({keyword} {words})" for words in each]
    return " ".join(parts)


class _Printer:
    """Printer of one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.func_types = module.func_types
        functions = module.names.functions
        self.functions = _Space({i: functions[i] for i in functions if i < len(self.func_types)})
        self.local_names: dict[int, dict[int, str]] = {}
        for (function, local), name in module.names.locals.items():
            self.local_names.setdefault(function, {})[local] = name

    def scope(self, function: int = -1, count: int = 0) -> _Scope:
        """Return the scope of a function with `count` locals; by default, that of a constant."""
        names = self.local_names.get(function, {})
        many = len(self.module.memory_types) > 1
        return _Scope(self.functions, {i: name for i, name in names.items() if i < count}, many)

    def lines(self) -> Iterator[_Line]:
        """Yield the lines of the module."""
        m = self.module
        name = _Space({0: m.names.module} if m.names.module else {}).bind(0)
        yield _Line(_words("(module", name), 0)
        for i, t in enumerate(m.types):
            yield _Line(f"(type (;{i};) ({_words('func', _signature(t))}))")
        yield from self.imports()
        for i, function in m.bodies():
            yield from self.function(i, function)
        first = {kind: len(m.imported(kind)) for kind in ExternKind}
        for i, table in enumerate(m.tables, first[ExternKind.TABLE]):
            init = _constant(self.scope(), "", table.init) if table.init else ""
            yield _Line(f"({_words('table', f'(;{i};)', _extern(table), init)})")
        for i, type_index in enumerate(m.tags, first[ExternKind.TAG]):
            yield _Line(f"(tag (;{i};) (type {type_index}))")
        for i, memory in enumerate(m.memories, first[ExternKind.MEMORY]):
            yield _Line(f"(memory (;{i};) {_extern(memory)})")
        for i, item in enumerate(m.globals, first[ExternKind.GLOBAL]):
            yield self.global_(i, item)
        yield from map(self.export, m.exports)
        if m.start is not None:
            yield _Line(f"(start {self.functions.use(m.start)})")
        for i, element in enumerate(m.elements):
            yield self.element(i, element)
        for i, data in enumerate(m.data):
            yield from self.data(i, data)
        yield _Line(")", 0)

    def imports(self) -> Iterator[_Line]:
        """Yield the imports, each numbered in its own index space."""
        counts: Counter[ExternKind] = Counter()
        for item in self.module.imports:
            index = counts[item.kind]
            counts[item.kind] += 1
            names = f"{_string(item.module)} {_string(item.name)}"
            yield _Line(f"(import {names} ({self.imported(index, item)}))")

    def imported(self, index: int, item: Import) -> str:
        if item.kind is ExternKind.TAG:
            return f"tag (;{index};) (type {item.type_index})"
        if item.type is None or isinstance(item.type, FuncType):
            scope = self.scope(index, len(self.func_types[index].params))
            return self.header(index, item.type_index, scope)
        return f"{item.kind.value} (;{index};) {_extern(item.type)}"

    def header(self, index: int, type_index: int, scope: _Scope) -> str:
        """Return the common start of a function's definition and import."""
        t = self.module.types[type_index]
        params, results = _locals("param", scope.locals, t.params), _types("result", t.results)
        number = f"(;{index};) (type {type_index})"
        return _words("func", self.functions.bind(index), number, params, results)

    def function(self, index: int, function: Function) -> Iterator[_Line]:
        """A defined function."""
        params, types = len(self.func_types[index].params), function.local_types
        scope = self.scope(index, params + len(types))
        yield _Line(f"({self.header(index, function.type_index, scope)}")
        if types:
            yield _Line(_locals("local", scope.locals, types, params), 2)
        yield from _code(scope, function.body)

    def global_(self, index: int, item: Global) -> _Line:
        """A defined global."""
        init = _constant(self.scope(), "", item.init)
        return _Line(f"(global (;{index};) {_extern(item.type)} {init})")

    def export(self, export: Export) -> _Line:
        """An export."""
        index = str(export.index)
        if export.kind is ExternKind.FUNC:
            index = self.functions.use(export.index)
        return _Line(f"(export {_string(export.name)} ({export.kind.value} {index}))")

    def element(self, index: int, e: ElementSegment) -> _Line:
        """Return an element segment, in the short form if it only lists functions."""
        where = {
            Mode.PASSIVE: "",
            Mode.DECLARED: "declare",
            Mode.ACTIVE: f"(table {e.table}) {_constant(self.scope(), 'offset', e.offset)}",
        }[e.mode]
        if e.lists_functions:
            items = _words("func", *(self.functions.use(init[0].args[0]) for init in e.init))
        else:
            inits = (_constant(self.scope(), "item", init) for init in e.init)
            items = _words(_type(e.type), *inits)
        return _Line(f"({_words('elem', f'(;{index};)', where, items)})")

    def data(self, index: int, d: DataSegment) -> Iterator[_Line]:
        """Yield a data segment, its bytes in rows."""
        active = d.mode is Mode.ACTIVE
        memory = f"(memory {d.memory})" if active and d.memory else ""
        where = _words(memory, _constant(self.scope(), "offset", d.offset)) if active else ""
        rows = [_string(d.data[i : i + _ROW]) for i in range(0, len(d.data), _ROW)] or ['""']
        head = _words("(data", f"(;{index};)", where)
        if len(rows) == 1:
            yield _Line(f"{head} {rows[0]})")
        else:
            yield _Line(head)
            yield from (_Line(row, 2) for row in rows)
            yield _Line(")")
