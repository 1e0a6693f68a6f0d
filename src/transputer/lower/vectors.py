"""Lower vectors to pairs of 64-bit words.

Every vector value, local, global, parameter and result becomes two i64, the low word first. A
vector instruction becomes a few instructions on words (`vector_code.py`), or calls of routines on
words (`vector_library.py`), which are linked on demand. A store writes the high word first, so that
a store out of bounds changes nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from transputer.ir.module import (
    Body,
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
    Module,
    TableType,
    high_name,
)
from transputer.ir.verify import Checker, Context
from transputer.isa.integers import split
from transputer.isa.op import RefType, ValType, ValueType, reference
from transputer.isa.vectors import FIRST
from transputer.isa.wasm import WASM
from transputer.lower.link import link
from transputer.lower.origin import Lowered, Origin
from transputer.lower.vector_code import WORD, WordCode
from transputer.lower.vector_library import vector_library

_I64, _V128 = ValType.I64, ValType.V128


def lower_vectors(program: Lowered) -> Lowered:
    """Return a program without vectors; unchanged if it has none."""
    if not _has_vectors(program.module):
        return program
    return _Splitter(program.module).lower(program.origins)


def _has_vectors(module: Module) -> bool:
    types = chain(
        (t for type_ in module.types for t in (*type_.params, *type_.results)),
        (g.type for g in module.global_types),
        (t for f in module.functions for _, t in f.locals),
    )
    return _V128 in types or any(i.op.code >= FIRST for f in module.functions for i in f.body)


# Types


def _words(types: Iterable[ValueType]) -> tuple[ValueType, ...]:
    return tuple(chain.from_iterable((_I64, _I64) if t is _V128 else (_value(t),) for t in types))


def _value(t: ValueType) -> ValueType:
    """Return the type of a value that is not a vector: references may name types with vectors."""
    if isinstance(t, RefType) and isinstance(t.heap, FuncType):
        return reference(_signature(t.heap), t.nullable, t.index)
    return t


def _signature(t: FuncType) -> FuncType:
    params, results = _words(t.params), _words(t.results)
    return t if (params, results) == (t.params, t.results) else FuncType(params, results, t)


# Modules


class _Splitter:
    """Lowers one module: its declarations, then the bodies, then the calls of routines."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.context = Context(module)
        self.globals = _places([g.type for g in module.global_types])

    def lower(self, origins: Sequence[Origin]) -> Lowered:
        """Return the lowered module; `origins` are those of its functions."""
        module = self.module
        bodies = [_BodySplitter(self, f).lower() for f in module.functions]
        program = Lowered(
            replace(
                module,
                types=tuple(map(_signature, module.types)),
                imports=tuple(chain.from_iterable(map(self._imports, module.imports))),
                functions=tuple(function for function, _ in bodies),
                tables=tuple(map(self._table, module.tables)),
                globals=tuple(chain.from_iterable(map(self._globals, module.globals))),
                exports=tuple(chain.from_iterable(map(self._exports, module.exports))),
                elements=tuple(map(self._element, module.elements)),
                data=tuple(replace(d, offset=self.constant(d.offset)) for d in module.data),
                names=replace(module.names, locals={}),
            ),
            tuple(o.rewritten(sources) for o, (_, sources) in zip(origins, bodies, strict=True)),
        )
        names = (i.args[0] for f in program.module.functions for i in f.body if _is_routine(i))
        linked = link(program, vector_library(), names)
        own, functions = len(bodies), linked.program.module.functions
        resolved = (_resolved(f, linked.functions.__getitem__) for f in functions[:own])
        whole = replace(linked.program.module, functions=(*resolved, *functions[own:]))
        return replace(linked.program, module=whole)

    def _imports(self, item: Import) -> Iterator[Import]:
        if not isinstance(item.type, GlobalType) or item.type.type is not _V128:
            yield replace(item, type=_extern(item.type))
            return
        for half, name in enumerate((item.name, high_name(item.name))):
            yield replace(item, name=name, type=GlobalType(_I64, item.type.mutable, half))

    def _table(self, table: TableType) -> TableType:
        return replace(table, element=_value(table.element), init=self.constant(table.init))

    def _element(self, e: ElementSegment) -> ElementSegment:
        init = tuple(map(self.constant, e.init))
        return replace(e, type=_value(e.type), init=init, offset=self.constant(e.offset))

    def _globals(self, item: Global) -> Iterator[Global]:
        if item.type.type is not _V128:
            type_ = replace(item.type, type=_value(item.type.type))
            yield replace(item, type=type_, init=self.constant(item.init))
            return
        for half in (0, 1):
            type_ = GlobalType(_I64, item.type.mutable, half)
            yield replace(item, type=type_, init=self.constant(item.init, half))

    def constant(self, body: Body, half: int = 0) -> Body:
        """Return a constant expression, or one half of a vector's."""
        return tuple(self._constant(instr, half) for instr in body)

    def _constant(self, instr: Instr, half: int) -> Instr:
        if instr.name == "v128.const":
            return Instr(WASM["i64.const"], (split(WORD, instr.args[0])[half],), instr.span)
        if instr.name == "global.get":
            return replace(instr, args=(self.globals[instr.args[0]] + half,))
        if instr.name == "ref.null":
            return replace(instr, args=(_value(instr.args[0]),))
        return instr

    def _exports(self, item: Export) -> Iterator[Export]:
        if item.kind is not ExternKind.GLOBAL:
            yield item
            return
        place = self.globals[item.index]
        yield replace(item, index=place)
        if self.context.globals[item.index].type is _V128:
            yield replace(item, name=high_name(item.name), index=place + 1)


def _extern(type_: ExternType | None) -> ExternType | None:
    """Return the type of an import that is not a vector."""
    if isinstance(type_, TableType):
        return replace(type_, element=_value(type_.element))
    if isinstance(type_, GlobalType):
        return replace(type_, type=_value(type_.type))
    return type_


def _places(types: Iterable[ValueType]) -> list[int]:
    """Return the new index of each value, and the number of all."""
    places = [0]
    for t in types:
        places.append(places[-1] + (2 if t is _V128 else 1))
    return places


def _is_routine(instr: Instr) -> bool:
    return instr.name == "call" and isinstance(instr.args[0], str)


def _resolved(function: Function, place: Callable[[str], int]) -> Function:
    body = (replace(i, args=(place(i.args[0]),)) if _is_routine(i) else i for i in function.body)
    return replace(function, body=tuple(body))


# Bodies


class _BodySplitter(WordCode):
    """Lowers one body."""

    def __init__(self, module: _Splitter, function: Function) -> None:
        self.module, self.function = module, function
        type_ = module.module.types[function.type_index]
        self.types = type_.params + function.local_types
        self.locals = _places(self.types)
        super().__init__(self.locals[-1])
        self.checker = Checker(module.context, self.types, type_, len(type_.params))
        self.sources: list[int] = []

    def lower(self) -> tuple[Function, tuple[int, ...]]:
        """Return the function and the source of each of its instructions.

        Unreachable instructions are dropped, except for those that close reachable blocks.
        """
        closed = 0  # open blocks that began in unreachable code
        for pc, instr in enumerate(self.function.body):
            dead, operands = self.checker.dead, self.checker.values[-2:]
            self.checker.step(instr)
            if dead:
                opens = "blocktype" in instr.op.imm
                ends = instr.name in ("else", "end") and not closed
                closed += opens - (instr.name == "end" and closed > 0)
                if not ends:
                    continue
            before = len(self.body)
            self.rewrite(instr, operands)
            self.sources += [pc] * (len(self.body) - before)
        runs = tuple(
            (count * 2, _I64) if t is _V128 else (count, _value(t))
            for count, t in self.function.locals
        )
        body = tuple(self.body)
        return replace(self.function, locals=(*runs, *self.extra), body=body), tuple(self.sources)

    def rewrite(self, instr: Instr, operands: list[ValueType | None]) -> None:
        """Append what an instruction becomes; `operands` are the types of the topmost two."""
        if instr.op.code >= FIRST:
            self.vector(instr)
        elif instr.op.imm == ("local",):
            self.variable(instr, self.locals, self.types[instr.args[0]])
        elif instr.op.imm == ("global",):
            type_ = self.module.context.globals[instr.args[0]].type
            self.variable(instr, self.module.globals, type_)
        elif instr.name == "drop" and operands[-1] is _V128:
            self.emit("drop, drop")
        elif instr.name in ("select", "select_t") and operands[0] is _V128:
            self.emit("call select")
        else:
            args = zip(instr.op.imm, instr.args, strict=True)
            self.body.append(replace(instr, args=tuple(_immediate(k, a) for k, a in args)))

    def variable(self, instr: Instr, places: list[int], type_: ValueType) -> None:
        place = places[instr.args[0]]
        if type_ is not _V128:
            self.body.append(replace(instr, args=(place,)))
            return
        kind, _, verb = instr.name.partition(".")
        low, high = place, place + 1
        for step, at in {
            "get": (("get", low), ("get", high)),
            "set": (("set", high), ("set", low)),
            "tee": (("set", high), ("tee", low), ("get", high)),
        }[verb]:
            self.body.append(Instr(WASM[f"{kind}.{step}"], (at,), instr.span))


def _immediate(kind: str, arg: object) -> object:
    if kind == "blocktype" and isinstance(arg, FuncType):
        return _signature(arg)
    return _value(arg) if kind == "reftype" else arg  # type: ignore[arg-type]
