"""Lower bulk memory and table instructions to calls of routines in core code.

This is for machines that have only single accesses. The routines are in `routines.wat`; they are
verified and flattened like any other module, and linked on demand, once for each pair of memories
or tables that a program uses them on. Passive segments are concatenated in a memory or table of
their own; a mutable global per segment holds its length, which dropping sets to zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from transputer.frontends.binary import decode
from transputer.frontends.wat import library_wasm
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, core, relocate
from transputer.ir.module import (
    PAGE,
    Body,
    DataSegment,
    ElementSegment,
    ExternKind,
    Global,
    GlobalType,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
    TableType,
)
from transputer.ir.verify import verify
from transputer.isa.core import CORE
from transputer.isa.op import Registry, ValType
from transputer.isa.wasm import WASM
from transputer.lower.flatten import flatten
from transputer.values import dataclass

#: Prefix of a routine's name: the routine, on the memory that is read.
_SOURCE = "source."
#: Extra operand slots that a rewritten instruction may need.
_EXTRA = 2


@cache
def routines() -> CoreModule:
    """Return the flattened routines; each is named after the instruction it implements."""
    text = files("transputer.lower").joinpath("routines.wat").read_text(encoding="utf-8")
    return flatten(verify(decode(library_wasm(text, "routines.wat"))))


@dataclass(frozen=True, slots=True)
class _Link:
    """The memories or tables that a copy of the routines works on."""

    to: int
    source: int


Rule = Callable[["_Rewriter", CoreInstr], list[CoreInstr]]
#: How each bulk instruction is rewritten.
RULES: Registry[Rule] = Registry(CORE)


def lower_bulk(module: CoreModule) -> CoreModule:
    """Return the program without bulk instructions; unchanged if it has none."""
    if not any(instr.name in RULES.rules for instr in module.code):
        return module
    return _Rewriter(module).rewrite()


class _Rewriter:
    def __init__(self, module: CoreModule) -> None:
        self.module = module
        d = module.declarations
        self.memories, self.tables = len(d.memory_types), len(d.table_types)
        self.globals = len(d.global_types)
        self.data = _layout([len(s.data) if s.mode is Mode.PASSIVE else 0 for s in d.data])
        self.elements = _layout([len(s.init) if s.mode is Mode.PASSIVE else 0 for s in d.elements])
        self.imported = len(d.imported(ExternKind.FUNC))
        self.functions = list(module.functions)
        self.code: list[CoreInstr] = []
        self.pending: list[tuple[int, str, _Link]] = []
        self.known: dict[tuple[str, _Link], int] = {}

    def rewrite(self) -> CoreModule:
        """Rewrite the code, then append the routines it needs."""
        pieces = [self._rewritten(instr) for instr in self.module.code]
        places = [0]
        for piece in pieces:
            places.append(places[-1] + len(piece))
        flat = tuple(instr for piece in pieces for instr in piece)
        # no jump stays inside a piece, so every target is the start of one
        self.code = list(relocate(flat, {"pc": lambda pc: places[pc]}))
        self.functions = [
            replace(f, entry=places[f.entry], frame=f.frame + _EXTRA) for f in self.module.functions
        ] + self.functions[len(self.module.functions) :]
        while self.pending:
            self._append(*self.pending.pop())
        return CoreModule(tuple(self.code), tuple(self.functions), self._declarations())

    def _rewritten(self, instr: CoreInstr) -> list[CoreInstr]:
        rule = RULES.rules.get(instr.name)
        if rule is None:
            return [instr]
        first, *rest = rule(self, instr)
        head = [replace(first, origin=instr.origin, implied=instr.implied)]
        return head + [replace(i, origin=instr.origin, implied=True) for i in rest]

    def call(self, name: str, link: _Link) -> CoreInstr:
        """Return a call of the copy of a routine for these memories or tables."""
        if (name, link) not in self.known:
            source = _routine(name)
            self.known[name, link] = self.imported + len(self.functions)
            self.pending.append((len(self.functions), name, link))
            self.functions.append(replace(source, name=f"{name} {link.to} {link.source}"))
        return core("call", self.known[name, link])

    def _append(self, index: int, name: str, link: _Link) -> None:
        """Append the code of one routine, whose accesses go to the linked memories or tables."""
        source, base = _routine(name), len(self.code)
        start, end = _extent(source)
        self.functions[index] = replace(self.functions[index], entry=base)
        code = [self._linked(instr, link) for instr in routines().code[start:end]]
        implied = [CoreInstr(instr.op, instr.args, None, True) for instr in code]
        self.code += relocate(implied, {"pc": lambda pc: pc - start + base})

    def _linked(self, instr: CoreInstr, link: _Link) -> CoreInstr:
        if instr.name == "call":
            name = routines().functions[instr.args[0]].name
            if name.startswith(_SOURCE):
                return self.call(name.removeprefix(_SOURCE), _Link(link.source, link.source))
            return self.call(name, link)
        if instr.op.width:
            memory = link.source if instr.op.pushes else link.to
            return replace(instr, args=(instr.args[0], memory))
        if "memory" in instr.op.imm:
            return replace(instr, args=(link.to,))
        if "table" in instr.op.imm:
            return replace(instr, args=(link.source if instr.args[0] else link.to,))
        return instr

    def _declarations(self) -> Module:
        d = self.module.declarations
        lengths = [length for _, length in (*self.data, *self.elements)]
        size = sum(length for _, length in self.data)
        passive = [s for s in d.data if s.mode is Mode.PASSIVE]
        memory = MemoryType(Limits(-(-size // PAGE)))
        everything = DataSegment(
            b"".join(s.data for s in passive), Mode.ACTIVE, self.memories, _constant(0)
        )
        init = tuple(body for s in d.elements if s.mode is Mode.PASSIVE for body in s.init)
        table = TableType(ValType.FUNCREF, Limits(len(init)))
        elements = ElementSegment(ValType.FUNCREF, init, Mode.ACTIVE, self.tables, _constant(0))
        return replace(
            d,
            memories=(*d.memories, memory),
            tables=(*d.tables, table),
            globals=(*d.globals, *(Global(_LENGTH, _constant(n)) for n in lengths)),
            data=(*d.data, everything),
            elements=(*d.elements, elements),
        )


_LENGTH = GlobalType(ValType.I32, mutable=True)


def _constant(value: int) -> Body:
    return (Instr(WASM["i32.const"], (value,)), Instr(WASM["end"]))


def _layout(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return (start, length) of concatenated segments."""
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    return list(zip(starts, lengths, strict=True))


def _routine(name: str) -> CoreFunction:
    return next(f for f in routines().functions if f.name == name)


def _extent(function: CoreFunction) -> tuple[int, int]:
    """Return the first address of a routine's code and the address after its last."""
    entries = sorted(f.entry for f in routines().functions)
    later = [entry for entry in entries if entry > function.entry]
    return function.entry, later[0] if later else len(routines().code)


@RULES.on("memory.fill")
def _memory_fill(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    return [r.call("memory.fill", _Link(instr.args[0], instr.args[0]))]


@RULES.on("memory.copy")
def _memory_copy(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    to, source = instr.args
    return [r.call("memory.copy" if to == source else "memory.between", _Link(to, source))]


@RULES.on("memory.init")
def _memory_init(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    segment, memory = instr.args
    start = core("i32.const", r.data[segment][0])
    length = core("global.get", r.globals + segment)
    return [length, start, r.call("memory.init", _Link(memory, r.memories))]


@RULES.on("data.drop")
def _data_drop(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    return [core("i32.const", 0), core("global.set", r.globals + instr.args[0])]


@RULES.on("table.fill")
def _table_fill(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    return [r.call("table.fill", _Link(instr.args[0], instr.args[0]))]


@RULES.on("table.copy")
def _table_copy(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    return [r.call("table.copy", _Link(*instr.args))]


@RULES.on("table.init")
def _table_init(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    segment, table = instr.args
    start = core("i32.const", r.elements[segment][0])
    length = core("global.get", r.globals + len(r.data) + segment)
    return [length, start, r.call("table.init", _Link(table, r.tables))]


@RULES.on("elem.drop")
def _elem_drop(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    return [core("i32.const", 0), core("global.set", r.globals + len(r.data) + instr.args[0])]


@RULES.on("table.grow")
def _table_grow(r: _Rewriter, instr: CoreInstr) -> list[CoreInstr]:
    link = _Link(instr.args[0], instr.args[0])
    return [core("dup"), core("table.extend", instr.args[0]), r.call("table.grow", link)]
