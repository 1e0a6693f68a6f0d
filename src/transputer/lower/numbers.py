"""Lower i64, f32 and f64 to i32, exactly, instruction by instruction.

A 64-bit value becomes two words, the low one first, and a 32-bit float becomes the word of its
bits: in parameters, results, locals, globals and on the operand stack. A lowered type keeps the
type as written (`ir/halves.py`), so that indirect calls and imports still distinguish them.

Short sequences are inlined (`word_rules.py`); everything else calls routines (`routines/`), of
which only those in use are linked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from transputer.errors import Trap
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.core import check_code
from transputer.ir.halves import flat, function_type, global_types, words
from transputer.ir.module import (
    Body,
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
    Module,
)
from transputer.ir.verify import verify
from transputer.isa.op import Registry, ValType
from transputer.isa.wasm import STRUCTURAL, WASM
from transputer.lower.link import link
from transputer.lower.origin import Lowered, Origin
from transputer.lower.routines import TARGET
from transputer.lower.word_rules import RULES, Words, choose64, routine
from transputer.lower.words import constant, instr

I32 = ValType.I32
#: The trap that `unreachable` stands for in some routines.
TRAPS = {
    "trap.divide": Trap.DIVIDE_BY_ZERO,
    "trap.overflow": Trap.INTEGER_OVERFLOW,
    "trap.conversion": Trap.INVALID_CONVERSION,
}
_END = instr("end")


@cache
def library() -> Module:
    """Return the routines; each is named after the instruction it implements."""
    return verify(decode(to_wasm(TARGET.read_text("utf-8"), TARGET.name))).module


def lower_numbers(program: Lowered) -> Lowered:
    """Return the program in words; unchanged if it has only words."""
    lowering = _Lowering(program)
    return lowering.lower() if lowering.needed() else program


def _plain(types: Sequence[ValType]) -> bool:
    return all(t is I32 or t.is_ref for t in types)


class _Lowering:
    """A module under translation. `globals` has the index of the first word of each global."""

    def __init__(self, program: Lowered) -> None:
        self.program, self.module = program, program.module
        self.func_types = self.module.func_types
        self.global_types = self.module.global_types
        self.types = [function_type(t) for t in self.module.types]
        self.added: dict[FuncType, int] = {}  # block types
        self.written = 0  # instructions written so far
        self.globals = [0]
        for t in self.global_types:
            self.globals.append(self.globals[-1] + len(words(t.type)))
        self.plain_types = [t.written is None for t in self.types]
        self.plain_funcs = [_plain((*t.params, *t.results)) for t in self.func_types]

    def needed(self) -> bool:
        """Whether the module has any value that is not a word."""
        return (
            not all(self.plain_types)
            or not _plain([t.type for t in self.global_types])
            or any(not self.plain(f) for f in self.module.functions)
        )

    def plain(self, function: Function) -> bool:
        """Whether a function has only words."""
        if not self.plain_types[function.type_index] or not _plain([t for _, t in function.locals]):
            return False
        return all(map(self._plain_instr, function.body))

    def _plain_instr(self, item: Instr) -> bool:
        op, args = item.op, item.args
        if op.sig:
            return _is_plain(op.name)
        if op.name == "call":
            return self.plain_funcs[int(args[0])]
        if op.name == "call_indirect":
            return self.plain_types[int(args[0])]
        if "blocktype" in op.imm:
            return function_type(self.block_type(args[0])).written is None
        if "global" in op.imm:
            return _plain([self.global_types[args[0]].type])
        return True

    def block_type(self, type_: FuncType | int) -> FuncType:
        """Return the type of a block, as written."""
        return type_ if isinstance(type_, FuncType) else self.module.types[type_]

    def lowered_block(self, type_: FuncType | int) -> FuncType | int:
        """Return the type of a block in words; by index if the short form cannot express it."""
        if isinstance(type_, int):
            return type_
        results = flat(type_.results)
        if len(results) < 2:
            return FuncType((), results)
        words_type = FuncType((), results)
        if words_type not in self.added:
            self.added[words_type] = len(self.types)
            self.types.append(words_type)
        return self.added[words_type]

    def lower(self) -> Lowered:
        """Lower all functions and declarations, then link the routines that they call."""
        pairs = zip(self.module.functions, self.program.origins, strict=True)
        translations = [self._function(f, origin) for f, origin in pairs]
        module = replace(
            self.module,
            imports=tuple(item for i in self.module.imports for item in _imports(i)),
            functions=tuple(f for f, _, _ in translations),
            globals=tuple(self._globals()),
            exports=tuple(map(self._export, self.module.exports)),
            elements=tuple(map(self._element, self.module.elements)),
            data=tuple(map(self._data, self.module.data)),
            types=tuple(self.types),
        )
        names = dict.fromkeys(name for _, _, calls in translations for _, name in calls)
        lowered = Lowered(module, tuple(origin for _, origin, _ in translations))
        linked = link(lowered, library(), names, TRAPS)
        whole = linked.program.module
        bodies = [
            _patched(f, calls, linked.functions)
            for f, (_, _, calls) in zip(whole.functions, translations, strict=False)
        ]
        functions = (*bodies, *whole.functions[len(bodies) :])
        return replace(linked.program, module=replace(whole, functions=functions))

    def _function(
        self, function: Function, origin: Origin
    ) -> tuple[Function, Origin, list[tuple[int, str]]]:
        if self.plain(function):
            return replace(function, body=self._moved(function.body)), origin, []
        check_code(self.written)
        type_ = self.module.types[function.type_index]
        translator = _Translator(self, function, type_, origin)
        translator.translate()
        w = translator.w
        self.written += len(w.body)
        runs = [(count * len(words(t)), words(t)[0]) for count, t in function.locals]
        runs.append((w.most + 1, I32))
        translated = replace(function, locals=tuple(runs), body=tuple(w.body))
        if origin.function is None:
            return translated, origin, w.calls
        places = tuple(w.places) if origin.places is None else _composed(origin.places, w.places)
        return translated, Origin(origin.function, places, tuple(w.counted)), w.calls

    def _moved(self, body: Body) -> Body:
        """Return a body that has only words, with globals renumbered."""
        if self.globals[-1] == len(self.global_types):
            return body
        return tuple(
            replace(i, args=(self.globals[i.args[0]],)) if "global" in i.op.imm else i for i in body
        )

    def _globals(self) -> Iterator[Global]:
        for item in self.module.globals:
            types = global_types(item.type)
            for place, type_ in enumerate(types):
                yield replace(item, type=type_, init=self._constant(item.init, place))

    def _constant(self, body: Body, place: int) -> Body:
        """Return one word of a constant expression."""
        first = body[0]
        if first.name == "global.get":
            return (instr("global.get", self.globals[first.args[0]] + place), _END)
        if first.name.endswith(".const"):
            return (constant(first.args[0] >> 32 * place), _END)
        return body

    def _export(self, item: Export) -> Export:
        return (
            replace(item, index=self.globals[item.index])
            if item.kind is ExternKind.GLOBAL
            else item
        )

    def _element(self, item: ElementSegment) -> ElementSegment:
        init = tuple(self._moved(body) for body in item.init)
        return replace(item, init=init, offset=self._moved(item.offset))

    def _data(self, item: DataSegment) -> DataSegment:
        return replace(item, offset=self._moved(item.offset))


@cache
def _is_plain(name: str) -> bool:
    """Whether an instruction has only words and references."""
    return not set(WASM[name].sig) & set("lfd")


def _imports(item: Import) -> list[Import]:
    if not isinstance(item.type, GlobalType):
        return [item]
    return [replace(item, type=type_) for type_ in global_types(item.type)]


def _composed(outer: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    return tuple(outer[place] for place in places)


def _patched(
    function: Function, calls: Sequence[tuple[int, str]], functions: Mapping[str, int]
) -> Function:
    """Return the function with its calls of routines resolved."""
    if not calls:
        return function
    body = list(function.body)
    for at, name in calls:
        body[at] = instr("call", functions[name])
    return replace(function, body=tuple(body))


Control = Callable[["_Translator", Instr], None]
#: Instructions whose types depend on immediates or context.
CONTROL: Registry[Control] = Registry(WASM)


class _Translator:
    """Translator of one function: its reachable code, in words."""

    def __init__(
        self, module: _Lowering, function: Function, type_: FuncType, origin: Origin
    ) -> None:
        self.module, self.function, self.origin = module, function, origin
        self.w = Words(type_, (*type_.params, *function.local_types))

    def translate(self) -> None:
        """Write every reachable instruction in order."""
        w, skipped = self.w, 0
        for place, item in enumerate(self.function.body):
            name = item.name
            if w.dead:
                if name in ("block", "loop", "if"):
                    skipped += 1
                    continue
                if skipped or name not in ("end", "else"):
                    skipped -= name == "end"
                    continue
            w.start(place, name not in STRUCTURAL and not w.dead and not self.implied(place))
            self.write(item)

    def implied(self, place: int) -> bool:
        """Whether an instruction does not count as one of the program."""
        return self.origin.implied(place)

    def write(self, item: Instr) -> None:
        """Write one instruction and track its effect on the operand types."""
        w, op = self.w, item.op
        rule = CONTROL.rules.get(op.name)
        if rule is not None:
            rule(self, item)
            return
        words_rule = RULES.rules.get(op.name)
        if words_rule is None and not _is_plain(op.name):
            words_rule = routine
        if words_rule is not None:
            w.pop_types(op.pops)
            words_rule(w, item)
            w.types += op.results
        else:
            w.flush()
            w.write(item)
            w.popped(op.pops)
            w.pushed(op.results)


@CONTROL.on("nop")
def _nop(t: _Translator, item: Instr) -> None:
    """Write nothing."""


@CONTROL.on("block", "loop")
def _block(t: _Translator, item: Instr) -> None:
    t.w.flush()
    t.w.emit(item.name, t.module.lowered_block(item.args[0]))
    t.w.enter(item.name, t.module.block_type(item.args[0]))


@CONTROL.on("if")
def _if(t: _Translator, item: Instr) -> None:
    t.w.flush()
    t.w.emit("if", t.module.lowered_block(item.args[0]))
    t.w.popped(1)
    t.w.enter("if", t.module.block_type(item.args[0]))


@CONTROL.on("else")
def _else(t: _Translator, item: Instr) -> None:
    w = t.w
    w.flush()
    w.emit("else")
    block = w.blocks[-1]
    block.dead = False
    w.restart(block, block.type.params)


@CONTROL.on("end")
def _end(t: _Translator, item: Instr) -> None:
    w = t.w
    w.flush()
    w.emit("end")
    block = w.blocks.pop()
    w.restart(block, block.type.results)


@CONTROL.on("br", "br_table", "return", "unreachable")
def _leave(t: _Translator, item: Instr) -> None:
    t.w.flush()
    t.w.write(item)
    t.w.end_here()


@CONTROL.on("br_if")
def _br_if(t: _Translator, item: Instr) -> None:
    t.w.flush()
    t.w.write(item)
    t.w.popped(1)


def _apply(t: _Translator, item: Instr, type_: FuncType) -> None:
    t.w.flush()
    t.w.write(item)
    t.w.popped(len(type_.params))
    t.w.pushed(type_.results)


@CONTROL.on("call")
def _call(t: _Translator, item: Instr) -> None:
    _apply(t, item, t.module.func_types[item.args[0]])


@CONTROL.on("call_indirect")
def _call_indirect(t: _Translator, item: Instr) -> None:
    type_ = t.module.module.types[item.args[0]]
    _apply(t, item, FuncType((*type_.params, I32), type_.results))


@CONTROL.on("drop")
def _drop(t: _Translator, item: Instr) -> None:
    (type_,) = t.w.pop_types(1)
    for _ in words(type_):
        t.w.drop()


@CONTROL.on("select", "select_t")
def _select(t: _Translator, item: Instr) -> None:
    w = t.w
    type_ = w.pop_types(3)[0]
    if type_.bits == 64:
        choose64(w)
    else:
        w.use(*w.take(3))
        w.write(instr("select_t", (type_,)) if type_.is_ref else instr("select"))
        w.push(None)
    w.types.append(type_)


@CONTROL.on("local.get")
def _local_get(t: _Translator, item: Instr) -> None:
    w, index = t.w, item.args[0]
    w.types.append(w.local_types[index])
    w.push(*(instr("local.get", at) for at in range(w.locals[index], w.locals[index + 1])))


@CONTROL.on("local.set")
def _local_set(t: _Translator, item: Instr) -> None:
    w, index = t.w, item.args[0]
    w.pop_types(1)
    places = range(w.locals[index], w.locals[index + 1])
    w.use(*w.take(len(places)))
    for at in reversed(places):
        w.emit("local.set", at)


@CONTROL.on("local.tee")
def _local_tee(t: _Translator, item: Instr) -> None:
    """Set the local; two words are pushed again only when needed."""
    w, index = t.w, item.args[0]
    first, last = w.locals[index], w.locals[index + 1] - 1
    w.use(*w.take(last - first + 1))
    if first == last:
        w.emit("local.tee", first)
        w.push(None)
    else:
        w.emit("local.set", last)
        w.emit("local.set", first)
        w.push(instr("local.get", first), instr("local.get", last))


@CONTROL.on("global.get")
def _global_get(t: _Translator, item: Instr) -> None:
    w, index = t.w, item.args[0]
    w.flush()
    type_ = t.module.global_types[index].type
    for at in range(len(words(type_))):
        w.emit("global.get", t.module.globals[index] + at)
    w.pushed((type_,))


@CONTROL.on("global.set")
def _global_set(t: _Translator, item: Instr) -> None:
    w, index = t.w, item.args[0]
    w.flush()
    for at in reversed(range(len(words(t.module.global_types[index].type)))):
        w.emit("global.set", t.module.globals[index] + at)
    w.popped(1)


@CONTROL.on("table.get")
def _table_get(t: _Translator, item: Instr) -> None:
    element = t.module.module.table_types[item.args[0]].element
    _apply(t, item, FuncType((I32,), (element,)))


@CONTROL.on("table.set", "table.grow", "table.fill")
def _table_set(t: _Translator, item: Instr) -> None:
    element = t.module.module.table_types[item.args[0]].element
    takes = {"table.set": (I32, element), "table.grow": (element, I32)}
    params = takes.get(item.name, (I32, element, I32))
    _apply(t, item, FuncType(params, (I32,) if item.name == "table.grow" else ()))


@CONTROL.on("ref.null")
def _ref_null(t: _Translator, item: Instr) -> None:
    _apply(t, item, FuncType((), (item.args[0],)))


@CONTROL.on("ref.is_null")
def _ref_is_null(t: _Translator, item: Instr) -> None:
    _apply(t, item, FuncType((ValType.FUNCREF,), (I32,)))
