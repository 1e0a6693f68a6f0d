"""Text form of flat core code: `print_core` and its inverse `parse_core`.

Each line has one declaration or instruction; `;` starts a comment. Numbers are decimal.

    type (i32 i32)->(i32)
    memory 1 2
    export func 0 "add"
    func (i32 i32)->(i32) entry 0 locals 2 frame 4 "add"
    0  local.get 0
    1  local.get 1
    2  i32.add
    3  return 1
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from transputer.errors import MalformedError, Place
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule
from transputer.ir.module import (
    Body,
    DataSegment,
    ElementSegment,
    Export,
    ExternKind,
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
from transputer.isa.core import CORE
from transputer.isa.op import FUNCTION, ValType, ValueType
from transputer.isa.wasm import TAG, WASM

_END = Instr(WASM["end"])


def print_core(module: CoreModule, comment: Callable[[CoreInstr], str] | None = None) -> str:
    """Return the module as text; `comment` returns the comment on an instruction, if any."""
    lines = list(_declarations(module.declarations))
    starts: dict[int, list[CoreFunction]] = {}
    for f in module.functions:
        starts.setdefault(f.entry, []).append(f)
        layout = f"entry {f.entry} locals {f.locals} frame {f.frame}"
        lines.append(f"func {f.type} {layout} {json.dumps(f.name)}")
    width = len(str(len(module.code)))
    for pc, instr in enumerate(module.code):
        lines += [f"; {json.dumps(f.name)}" for f in starts.get(pc, ())]
        text = f"{pc:{width}}  {instr}" + (" *" if instr.implied else "")
        note = comment(instr) if comment else ""
        lines.append(f"{text:<40}; {note}" if note else text)
    return "\n".join(lines) + "\n"


def _limits(limits: Limits) -> str:
    maximum = "" if limits.maximum is None else f" {limits.maximum}"
    return f"{'i64 ' * limits.wide}{limits.minimum}{maximum}"


def _constant(body: Body) -> str:
    args = (a.value if isinstance(a, ValType) else str(a) for a in body[0].args)
    return " ".join((body[0].name, *args))


def _global_type(t: GlobalType) -> str:
    half = "" if t.half is None else f" half {t.half}"
    return f"{'mut ' if t.mutable else ''}{t.type.value}{half}"


def _extern(item: Import) -> str:
    if isinstance(item.type, TableType):
        return f"{item.type.element.value} {_limits(item.type.limits)}"
    if isinstance(item.type, MemoryType):
        return _limits(item.type.limits)
    if isinstance(item.type, GlobalType):
        return _global_type(item.type)
    return str(item.type_index)


def _segment(kind: str, mode: Mode, into: int, offset: Body) -> str:
    place = f" {into} ({_constant(offset)})" if mode is Mode.ACTIVE else ""
    return f"{kind} {mode.value}{place}"


def _declarations(m: Module) -> Iterator[str]:
    yield from (f"type {t}" for t in m.types)
    for i in m.imports:
        yield f"import {json.dumps(i.module)} {json.dumps(i.name)} {i.kind.value} {_extern(i)}"
    yield from (f"table {t.element.value} {_limits(t.limits)}" for t in m.tables)
    for t in m.memories:
        yield f"memory {_limits(t.limits)}" + (f" {json.dumps(t.shared)}" if t.shared else "")
    yield from (f"tag {index}" for index in m.tags)
    for g in m.globals:
        shared = f" {json.dumps(g.shared)}" if g.shared else ""
        yield f"global {_global_type(g.type)} ({_constant(g.init)}){shared}"
    yield from (f"export {e.kind.value} {e.index} {json.dumps(e.name)}" for e in m.exports)
    if m.start is not None:
        yield f"start {m.start}"
    for e in m.elements:
        init = "".join(f" ({_constant(b)})" for b in e.init)
        yield f"{_segment('elem', e.mode, e.table, e.offset)} {e.type.value}{init}"
    for d in m.data:
        yield f"{_segment('data', d.mode, d.memory, d.offset)} {json.dumps(d.data.hex())}"


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[()*]|[^\s()";*]+|;.*)')


class _Line:
    """Tokens of one line, consumed from the left; every error names the line."""

    def __init__(self, text: str, number: int, file: str) -> None:
        self.text, self.number, self.file = text, number, file
        self.tokens: list[tuple[str, int]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise self.fail("unterminated string", position)
            if not match[1].startswith(";"):
                self.tokens.append((match[1], match.start(1)))
            position = match.end()
        self.next = 0

    def fail(self, message: str, column: int | None = None) -> MalformedError:
        if column is None:
            column = self.tokens[self.next][1] if self.next < len(self.tokens) else len(self.text)
        return MalformedError(message, Place(self.file, self.number, column + 1, text=self.text))

    @property
    def peek(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def word(self, expected: str = "") -> str:
        token = self.peek
        if not token or (expected and token != expected):
            raise self.fail(
                f"expected {expected or 'more'}, found {token or 'the end of the line'}"
            )
        self.next += 1
        return token

    def number_(self) -> int:
        if not self.peek.isdecimal() or len(self.peek) > 20:
            raise self.fail(f"expected a number, found {self.peek or 'the end of the line'}")
        return int(self.word())

    def labelled(self, name: str) -> int:
        self.word(name)
        return self.number_()

    def string(self) -> str:
        if not self.peek.startswith('"'):
            raise self.fail("expected a string")
        try:
            text: str = json.loads(self.peek)
        except ValueError:
            raise self.fail("malformed string") from None
        self.next += 1
        return text

    def choice(self, kind: type[Any]) -> Any:
        try:
            member = kind(self.peek)
        except ValueError:
            names = ", ".join(k.value for k in kind)
            raise self.fail(f"expected one of {names}") from None
        self.next += 1
        return member

    def types(self, vectors: bool) -> tuple[ValType, ...]:
        self.word("(")
        types = []
        while self.peek != ")":
            types.append(self.value_type(vectors))
        self.word(")")
        return tuple(types)

    def value_type(self, vectors: bool = False) -> ValType:
        """Read a value type; core code has vectors only in types as written."""
        if self.peek == ValType.V128.value and not vectors:
            names = ", ".join(t.value for t in ValType if t is not ValType.V128)
            raise self.fail(f"expected one of {names}")
        member: ValType = self.choice(ValType)
        return member

    def element_type(self) -> ValueType:
        """Read the type of a segment's elements: `(ref func)` if functions are listed by index."""
        if self.peek != "(":
            element: ValueType = self.choice(ValType)
            return element
        for word in "( ref func )".split():
            self.word(word)
        return FUNCTION

    def func_type(self, vectors: bool = False) -> FuncType:
        params = self.types(vectors)
        self.word("->")
        results = self.types(vectors)
        if self.peek != "of" or vectors:
            return FuncType(params, results)
        self.word("of")
        return FuncType(params, results, self.func_type(vectors=True))

    def limits(self) -> Limits:
        wide = self.peek == ValType.I64.value
        if wide:
            self.word()
        minimum = self.number_()
        maximum = self.number_() if self.peek.isdecimal() else None
        return Limits(minimum, maximum, wide, wide)

    def global_type(self) -> GlobalType:
        mutable = self.peek == "mut"
        if mutable:
            self.word()
        type_ = self.value_type()
        if self.peek != "half":
            return GlobalType(type_, mutable)
        self.word("half")
        return GlobalType(type_, mutable, self.number_())

    def constant(self) -> Body:
        self.word("(")
        name = self.word()
        if name not in WASM and name != TAG.name:
            raise self.fail(f"unknown instruction {name}")
        op = TAG if name == TAG.name else WASM[name]
        args = tuple(self.choice(ValType) if k == "reftype" else self.number_() for k in op.imm)
        self.word(")")
        return (Instr(op, args), _END)

    def segment(self) -> tuple[Mode, int, Body]:
        mode = self.choice(Mode)
        if mode is Mode.ACTIVE:
            return mode, self.number_(), self.constant()
        return mode, 0, ()

    def end(self) -> None:
        if self.peek:
            raise self.fail(f"unexpected {self.peek}")


def _parse_import(line: _Line) -> Import:
    module, name, kind = line.string(), line.string(), line.choice(ExternKind)
    if kind in (ExternKind.FUNC, ExternKind.TAG):
        return Import(module, name, kind, None, line.number_())
    if kind is ExternKind.TABLE:
        return Import(module, name, kind, TableType(line.choice(ValType), line.limits()))
    if kind is ExternKind.MEMORY:
        return Import(module, name, kind, MemoryType(line.limits()))
    return Import(module, name, kind, line.global_type())


def _parse_export(line: _Line) -> Export:
    kind, index = line.choice(ExternKind), line.number_()
    return Export(line.string(), kind, index)


def _parse_element(line: _Line) -> ElementSegment:
    mode, table, offset = line.segment()
    element, init = line.element_type(), []
    while line.peek == "(":
        init.append(line.constant())
    return ElementSegment(element, tuple(init), mode, table, offset)


def _parse_data(line: _Line) -> DataSegment:
    mode, memory, offset = line.segment()
    try:
        return DataSegment(bytes.fromhex(line.string()), mode, memory, offset)
    except ValueError:
        raise line.fail("data must be hexadecimal") from None


def _parse_function(line: _Line) -> CoreFunction:
    type_ = line.func_type()
    entry, locals_, frame = (line.labelled(name) for name in ("entry", "locals", "frame"))
    return CoreFunction(type_, entry, locals_, frame, line.string())


def _parse_global(line: _Line) -> Global:
    type_, init = line.global_type(), line.constant()
    return Global(type_, init, shared=line.string() if line.peek else "")


_DECLARATIONS: dict[str, Callable[[_Line], Any]] = {
    "type": _Line.func_type,
    "import": _parse_import,
    "table": lambda line: TableType(line.choice(ValType), line.limits()),
    "memory": lambda line: MemoryType(line.limits(), line.string() if line.peek else ""),
    "tag": _Line.number_,
    "global": _parse_global,
    "export": _parse_export,
    "start": _Line.number_,
    "elem": _parse_element,
    "data": _parse_data,
    "func": _parse_function,
}


def _parse_instruction(line: _Line, pc: int) -> CoreInstr:
    if line.number_() != pc:
        line.next -= 1
        raise line.fail(f"expected address {pc}")
    name = line.word()
    if name not in CORE:
        line.next -= 1
        raise line.fail(f"unknown core instruction {name}")
    args = tuple(line.number_() for _ in CORE[name].imm)
    implied = line.peek == "*"
    if implied:
        line.word()
    return CoreInstr(CORE[name], args, None, implied)


def parse_core(text: str, file: str = "") -> CoreModule:
    """Parse what `print_core` printed; a `MalformedError` gives the line and column."""
    items: dict[str, list[Any]] = {name: [] for name in _DECLARATIONS}
    code: list[CoreInstr] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = _Line(raw.rstrip("\r"), number, file)
        if not line.tokens:
            continue
        if line.peek in _DECLARATIONS:
            name = line.word()
            items[name].append(_DECLARATIONS[name](line))
        else:
            code.append(_parse_instruction(line, len(code)))
        line.end()
    declarations = Module(
        tuple(items["type"]),
        tuple(items["import"]),
        (),
        tuple(items["table"]),
        tuple(items["memory"]),
        tuple(items["global"]),
        tuple(items["export"]),
        items["start"][-1] if items["start"] else None,
        tuple(items["elem"]),
        tuple(items["data"]),
        tags=tuple(items["tag"]),
    )
    return CoreModule(tuple(code), tuple(items["func"]), declarations)
