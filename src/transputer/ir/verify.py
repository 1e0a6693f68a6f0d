"""Full WebAssembly validation.

`verify` also returns what later passes need: the operand height before every instruction and
the size of every frame.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from transputer.errors import InvalidError, Place
from transputer.ir.module import (
    DECLARED_PAGES,
    MAX_PAGES,
    Body,
    Catch,
    ExternKind,
    Function,
    FuncType,
    Instr,
    Limits,
    Mode,
    Module,
    Span,
)
from transputer.ir.verified import FrameLayout, Verified
from transputer.isa.core import MAX_SLOTS
from transputer.isa.op import Registry, ValType, ValueType, is_subtype, reference
from transputer.isa.vectors import LANES
from transputer.isa.wasm import WASM

#: A value type, or None for the unknown type of an operand in unreachable code.
Known = ValueType | None
I32 = ValType.I32


@dataclass(slots=True)
class _Control:
    """An open block: its kind, its type, the operand height below it."""

    kind: str
    type: FuncType
    height: int
    dead: bool  # opened in unreachable code
    unreachable: bool = False
    set_locals: frozenset[int] = frozenset()  # that had no value before the block and got one

    @property
    def label_types(self) -> tuple[ValueType, ...]:
        return self.type.params if self.kind == "loop" else self.type.results


class Context:
    """Declarations of a module; failed lookups raise the official messages."""

    def __init__(self, module: Module, release: int = 3) -> None:
        self.module = module
        self.release = release
        self.funcs = self._func_types()
        self.tables = module.table_types
        self.memories = module.memory_types
        self.globals = module.global_types
        self.tags = self._tag_types()
        self.imported_globals = len(module.imported(ExternKind.GLOBAL))
        self.refs = _declared_references(module)

    def _func_types(self) -> tuple[FuncType, ...]:
        for item in self.module.imported(ExternKind.FUNC):
            self.find(self.module.types, item.type_index, "type", item.span)
        for function in self.module.functions:
            self.find(self.module.types, function.type_index, "type", function.span)
        return self.module.func_types

    def _tag_types(self) -> tuple[FuncType, ...]:
        for item in self.module.imported(ExternKind.TAG):
            self.find(self.module.types, item.type_index, "type", item.span)
        for index in self.module.tags:
            self.find(self.module.types, index, "type", self.section("tags"))
        return self.module.tag_types

    @staticmethod
    def find(space: Sequence[Any], index: int, what: str, span: Span) -> Any:
        """Return item `index` of an index space; raise `InvalidError` if there is none."""
        if index >= len(space):
            raise _invalid(f"unknown {what} {index}", span)
        return space[index]

    def section(self, name: str) -> Span:
        """Return the span of a section, or of the imports, which may declare the same items."""
        spans = self.module.sections
        return spans.get(name) or spans.get("imports") or Span()

    def block_type(self, t: FuncType | int, span: Span) -> FuncType:
        """Return the type of a block, which is written directly or by index."""
        if isinstance(t, FuncType):
            return t
        type_: FuncType = self.find(self.module.types, t, "type", span)
        return type_


def _invalid(message: str, span: Span) -> InvalidError:
    return InvalidError(message, Place(offset=span.start))


def _declared_references(module: Module) -> frozenset[int]:
    """Return the functions that `ref.func` may name: those referenced outside function bodies."""
    refs = {e.index for e in module.exports if e.kind is ExternKind.FUNC}
    bodies = [g.init for g in module.globals]
    bodies += [body for e in module.elements for body in (*e.init, e.offset)]
    bodies += [d.offset for d in module.data]
    bodies += [t.init for t in module.tables]
    refs |= {i.args[0] for body in bodies for i in body if i.name == "ref.func"}
    return frozenset(refs)


class Checker:
    """The validation algorithm in the appendix of the standard, for one function or expression."""

    def __init__(
        self, context: Context, local_types: tuple[ValueType, ...], type_: FuncType, params: int = 0
    ) -> None:
        self.context = context
        self.locals = local_types
        #: Locals that have no value yet: they cannot be null, and nothing was assigned to them.
        self.unset = {
            i for i, t in enumerate(local_types) if i >= params and t.is_ref and not t.nullable
        }
        self.values: list[Known] = []
        self.controls = [_Control("func", type_, 0, dead=False)]
        self.results = type_.results
        self.span = Span()
        self.peak = 0

    def fail(self, message: str) -> InvalidError:
        """Return an error at the current instruction."""
        return _invalid(message, self.span)

    def push(self, *types: Known) -> None:
        """Push operand types."""
        self.values.extend(types)
        height = len(self.values)
        if height > MAX_SLOTS:
            raise self.fail(f"more than {MAX_SLOTS:,} operands do not fit in a frame")
        if height > self.peak and not self.dead:
            self.peak = height

    def pop(self, expected: Known = None) -> Known:
        """Pop one operand; only unreachable code may pop below the block's height."""
        top = self.controls[-1]
        if len(self.values) == top.height:
            if top.unreachable:
                return None
            wanted = expected.value if expected else "a value"
            raise self.fail(f"type mismatch: expected {wanted}, the stack is empty")
        actual = self.values.pop()
        if actual is not None and expected is not None and not is_subtype(actual, expected):
            raise self.fail(f"type mismatch: expected {expected.value}, found {actual.value}")
        return actual

    def pop_all(self, types: Sequence[ValueType]) -> list[Known]:
        """Pop operands of these types, the last one first; return the actual types in order."""
        start = len(self.values) - len(types)
        if start >= self.controls[-1].height and self.values[start:] == list(types):
            del self.values[start:]  # fast path: all types match exactly
            return list(types)
        return [self.pop(t) for t in reversed(types)][::-1]

    def enter(self, kind: str, type_: FuncType) -> None:
        """Open a block; its parameters are its first operands."""
        self.controls.append(_Control(kind, type_, len(self.values), self.dead))
        self.push(*type_.params)

    def leave(self) -> _Control:
        """Close the innermost block; check that the stack holds exactly its results."""
        top = self.controls[-1]
        self.pop_all(top.type.results)
        if len(self.values) != top.height:
            raise self.fail("type mismatch: values remain on the stack at end of block")
        self.unset |= top.set_locals
        return self.controls.pop()

    def assign(self, index: int) -> None:
        """Note that a local has a value, up to the end of the block."""
        if index in self.unset:
            self.unset.discard(index)
            self.controls[-1].set_locals |= {index}

    def pop_ref(self) -> Known:
        """Pop a reference of any type."""
        actual = self.pop()
        if actual is not None and not actual.is_ref:
            raise self.fail(f"type mismatch: expected a reference, found {actual.value}")
        return actual

    def unreachable(self) -> None:
        """Mark the rest of the block as unreachable: its operands have any type."""
        top = self.controls[-1]
        del self.values[top.height :]
        top.unreachable = True

    @property
    def dead(self) -> bool:
        """Whether the current instruction is unreachable."""
        top = self.controls[-1]
        return top.dead or top.unreachable

    def label(self, depth: int) -> tuple[ValueType, ...]:
        """Return the operand types of a branch to this label."""
        if depth >= len(self.controls):
            raise self.fail(f"unknown label {depth}")
        return self.controls[-1 - depth].label_types

    def find(self, space: Sequence[Any], index: int, what: str) -> Any:
        """Return an item of an index space."""
        return self.context.find(space, index, what, self.span)

    def check(self, body: Body) -> tuple[int, ...]:
        """Check all instructions; return the operand height before each, -1 if unreachable."""
        return tuple(map(self.step, body))

    def step(self, instr: Instr) -> int:
        """Check the next instruction; return the operand height before it, -1 if unreachable."""
        op, self.span = instr.op, instr.span
        if not self.controls:
            raise self.fail("type mismatch: instructions after the end")
        height = -1 if self.dead else len(self.values)
        for kind, arg in zip(op.imm, instr.args, strict=True):
            if kind in _IMMEDIATES:
                _IMMEDIATES[kind](self, instr, arg)
        rule = RULES.rules.get(op.name)
        if rule is not None:
            rule(self, *instr.args)
            return height
        operands = op.params
        if op.imm[:1] == ("memarg",):
            address = self.context.memories[instr.args[0][2]].limits.address
            operands = (address, *operands[1:])
        self.pop_all(operands)
        self.push(*op.results)
        return height


def _check_memory(c: Checker, instr: Instr, arg: Any) -> None:
    c.find(c.context.memories, arg, "memory")


def _check_memarg(c: Checker, instr: Instr, arg: Any) -> None:
    c.find(c.context.memories, arg[2], "memory")
    if arg[1] >= 1 << 32 and c.context.memories[arg[2]].limits.address is I32:
        raise c.fail("offset out of range")
    if arg[0] >= 32 or 1 << arg[0] > instr.op.width:
        raise c.fail("alignment must not be larger than natural")


def _check_ref_func(c: Checker, instr: Instr, arg: Any) -> None:
    c.find(c.context.funcs, arg, "function")
    if instr.name == "ref.func" and arg not in c.context.refs:
        raise c.fail("undeclared function reference")


def _check_lanes(c: Checker, lanes: Sequence[int], count: int) -> None:
    if max(lanes) >= count:
        raise c.fail("invalid lane index")


def _check_lane(c: Checker, instr: Instr, arg: int) -> None:
    _check_lanes(c, (arg,), LANES[instr.op.imm[-1]])


_IMMEDIATES: dict[str, Callable[[Checker, Instr, Any], None]] = {
    **dict.fromkeys(LANES, _check_lane),
    "lanes": lambda c, i, x: _check_lanes(c, x, 32),
    "memory": _check_memory,
    "memarg": _check_memarg,
    "func": _check_ref_func,
    "data": lambda c, i, x: c.find(c.context.module.data, x, "data segment"),
    "elem": lambda c, i, x: c.find(c.context.module.elements, x, "elem segment"),
    "table": lambda c, i, x: c.find(c.context.tables, x, "table"),
    "type": lambda c, i, x: c.find(c.context.module.types, x, "type"),
    "local": lambda c, i, x: c.find(c.locals, x, "local"),
    "global": lambda c, i, x: c.find(c.context.globals, x, "global"),
    "tag": lambda c, i, x: c.find(c.context.tags, x, "tag"),
}

#: Rules of the instructions whose types depend on immediates or context.
RULES: Registry[Callable[..., None]] = Registry(WASM)


@RULES.on("unreachable")
def _unreachable(c: Checker) -> None:
    c.unreachable()


@RULES.on("block")
def _block(c: Checker, t: FuncType | int) -> None:
    type_ = c.context.block_type(t, c.span)
    c.pop_all(type_.params)
    c.enter("block", type_)


@RULES.on("loop")
def _loop(c: Checker, t: FuncType | int) -> None:
    type_ = c.context.block_type(t, c.span)
    c.pop_all(type_.params)
    c.enter("loop", type_)


@RULES.on("if")
def _if(c: Checker, t: FuncType | int) -> None:
    c.pop(I32)
    type_ = c.context.block_type(t, c.span)
    c.pop_all(type_.params)
    c.enter("if", type_)


@RULES.on("else")
def _else(c: Checker) -> None:
    if c.controls[-1].kind != "if":
        raise c.fail("else without if")
    arm = c.leave()
    c.enter("else", arm.type)
    c.controls[-1].dead = arm.dead


@RULES.on("end")
def _end(c: Checker) -> None:
    block = c.leave()
    if block.kind == "if" and block.type.params != block.type.results:
        raise c.fail("type mismatch: an if without else must have equal parameters and results")
    if c.controls:
        c.push(*block.type.results)


@RULES.on("br")
def _br(c: Checker, depth: int) -> None:
    c.pop_all(c.label(depth))
    c.unreachable()


@RULES.on("br_if")
def _br_if(c: Checker, depth: int) -> None:
    c.pop(I32)
    types = c.label(depth)
    c.pop_all(types)
    c.push(*types)


@RULES.on("br_table")
def _br_table(c: Checker, labels: tuple[int, ...]) -> None:
    c.pop(I32)
    arity = len(c.label(labels[-1]))
    for depth in dict.fromkeys(labels[:-1]):
        types = c.label(depth)
        if len(types) != arity:
            raise c.fail("type mismatch: br_table labels take different numbers of values")
        c.push(*c.pop_all(types))
    c.pop_all(c.label(labels[-1]))
    c.unreachable()


@RULES.on("return")
def _return(c: Checker) -> None:
    c.pop_all(c.results)
    c.unreachable()


def _apply(c: Checker, type_: FuncType) -> None:
    c.pop_all(type_.params)
    c.push(*type_.results)


@RULES.on("throw")
def _throw(c: Checker, tag: int) -> None:
    c.pop_all(c.context.tags[tag].params)
    c.unreachable()


@RULES.on("throw_ref")
def _throw_ref(c: Checker) -> None:
    c.pop(ValType.EXNREF)
    c.unreachable()


@RULES.on("try_table")
def _try_table(c: Checker, t: FuncType | int, catches: tuple[Catch, ...]) -> None:
    type_ = c.context.block_type(t, c.span)
    c.pop_all(type_.params)
    for clause in catches:
        types: tuple[ValueType, ...] = ()
        if clause.tag is not None:
            types = c.find(c.context.tags, clause.tag, "tag").params
        if clause.reference:
            types += (reference(ValType.EXNREF, nullable=False),)
        _check_match(c, types, c.label(clause.label))
    c.enter("try_table", type_)


def _check_match(c: Checker, actual: Sequence[ValueType], expected: Sequence[ValueType]) -> None:
    """Raise unless values of these types can be used as the others."""
    if len(actual) != len(expected) or not all(map(is_subtype, actual, expected)):
        got, wanted = (" ".join(t.value for t in types) for types in (actual, expected))
        raise c.fail(f"type mismatch: expected [{wanted}], found [{got}]")


def _tail(c: Checker, type_: FuncType) -> None:
    c.pop_all(type_.params)
    _check_match(c, type_.results, c.results)
    c.unreachable()


@RULES.on("return_call")
def _return_call(c: Checker, function: int) -> None:
    _tail(c, c.context.funcs[function])


@RULES.on("return_call_indirect")
def _return_call_indirect(c: Checker, type_: int, table: int) -> None:
    _pop_element(c, table)
    _tail(c, c.context.module.types[type_])


@RULES.on("call_ref")
def _call_ref(c: Checker, type_: int) -> None:
    c.pop(reference(c.context.module.types[type_], nullable=True))
    _apply(c, c.context.module.types[type_])


@RULES.on("return_call_ref")
def _return_call_ref(c: Checker, type_: int) -> None:
    c.pop(reference(c.context.module.types[type_], nullable=True))
    _tail(c, c.context.module.types[type_])


@RULES.on("ref.as_non_null")
def _ref_as_non_null(c: Checker) -> None:
    t = c.pop_ref()
    c.push(None if t is None else reference(t.heap, nullable=False))


@RULES.on("br_on_null")
def _br_on_null(c: Checker, depth: int) -> None:
    t = c.pop_ref()
    types = c.label(depth)
    c.pop_all(types)
    c.push(*types)
    c.push(None if t is None else reference(t.heap, nullable=False))


@RULES.on("br_on_non_null")
def _br_on_non_null(c: Checker, depth: int) -> None:
    types = c.label(depth)
    if not types or not types[-1].is_ref:
        raise c.fail("type mismatch: the label takes no reference")
    c.pop(reference(types[-1].heap, nullable=True))
    c.pop_all(types[:-1])
    c.push(*types[:-1])


@RULES.on("call")
def _call(c: Checker, function: int) -> None:
    _apply(c, c.context.funcs[function])


def _pop_element(c: Checker, table: int) -> None:
    """Pop the index of an element of a table of functions."""
    if not is_subtype(c.context.tables[table].element, ValType.FUNCREF):
        raise c.fail("type mismatch: an indirect call needs a table of funcref")
    c.pop(c.context.tables[table].limits.address)


@RULES.on("call_indirect")
def _call_indirect(c: Checker, type_: int, table: int) -> None:
    _pop_element(c, table)
    _apply(c, c.context.module.types[type_])


@RULES.on("drop")
def _drop(c: Checker) -> None:
    c.pop()


@RULES.on("select")
def _select(c: Checker) -> None:
    c.pop(I32)
    second, first = c.pop(), c.pop()
    for t in (first, second):
        if t is not None and t.is_ref:
            raise c.fail("type mismatch: select on references must state its type")
    if first is not None and second is not None and first != second:
        raise c.fail(f"type mismatch: select of {first.value} and {second.value}")
    c.push(first if second is None else second)


@RULES.on("select_t")
def _select_t(c: Checker, types: tuple[ValueType, ...]) -> None:
    if len(types) != 1:
        raise c.fail("invalid result arity")
    c.pop_all((types[0], types[0], I32))
    c.push(types[0])


@RULES.on("local.get")
def _local_get(c: Checker, index: int) -> None:
    if index in c.unset:
        raise c.fail(f"uninitialized local {index}")
    c.push(c.locals[index])


@RULES.on("local.set")
def _local_set(c: Checker, index: int) -> None:
    c.pop(c.locals[index])
    c.assign(index)


@RULES.on("local.tee")
def _local_tee(c: Checker, index: int) -> None:
    c.pop(c.locals[index])
    c.assign(index)
    c.push(c.locals[index])


@RULES.on("global.get")
def _global_get(c: Checker, index: int) -> None:
    c.push(c.context.globals[index].type)


@RULES.on("global.set")
def _global_set(c: Checker, index: int) -> None:
    if not c.context.globals[index].mutable:
        raise c.fail("global is immutable")
    c.pop(c.context.globals[index].type)


@RULES.on("table.get")
def _table_get(c: Checker, table: int) -> None:
    c.pop(c.context.tables[table].limits.address)
    c.push(c.context.tables[table].element)


@RULES.on("table.set")
def _table_set(c: Checker, table: int) -> None:
    type_ = c.context.tables[table]
    c.pop_all((type_.limits.address, type_.element))


@RULES.on("table.grow")
def _table_grow(c: Checker, table: int) -> None:
    type_ = c.context.tables[table]
    c.pop_all((type_.element, type_.limits.address))
    c.push(type_.limits.address)


@RULES.on("table.size")
def _table_size(c: Checker, table: int) -> None:
    c.push(c.context.tables[table].limits.address)


@RULES.on("memory.size")
def _memory_size(c: Checker, memory: int) -> None:
    c.push(c.context.memories[memory].limits.address)


@RULES.on("memory.grow")
def _memory_grow(c: Checker, memory: int) -> None:
    c.pop(c.context.memories[memory].limits.address)
    c.push(c.context.memories[memory].limits.address)


@RULES.on("memory.fill")
def _memory_fill(c: Checker, memory: int) -> None:
    address = c.context.memories[memory].limits.address
    c.pop_all((address, I32, address))


@RULES.on("memory.copy")
def _memory_copy(c: Checker, destination: int, source: int) -> None:
    _pop_copy(c, c.context.memories[destination].limits, c.context.memories[source].limits)


def _pop_copy(c: Checker, destination: Limits, source: Limits) -> None:
    """Pop the operands of a copy; its count fits both."""
    narrow = I32 in (destination.address, source.address)
    c.pop_all((destination.address, source.address, I32 if narrow else ValType.I64))


@RULES.on("memory.init")
def _memory_init(c: Checker, segment: int, memory: int) -> None:
    c.pop_all((c.context.memories[memory].limits.address, I32, I32))


@RULES.on("table.fill")
def _table_fill(c: Checker, table: int) -> None:
    type_ = c.context.tables[table]
    c.pop_all((type_.limits.address, type_.element, type_.limits.address))


@RULES.on("table.copy")
def _table_copy(c: Checker, destination: int, source: int) -> None:
    if not is_subtype(c.context.tables[source].element, c.context.tables[destination].element):
        raise c.fail("type mismatch: table.copy between different element types")
    _pop_copy(c, c.context.tables[destination].limits, c.context.tables[source].limits)


@RULES.on("table.init")
def _table_init(c: Checker, segment: int, table: int) -> None:
    if not is_subtype(c.context.module.elements[segment].type, c.context.tables[table].element):
        raise c.fail("type mismatch: table.init from a segment of another type")
    c.pop_all((c.context.tables[table].limits.address, I32, I32))


@RULES.on("ref.null")
def _ref_null(c: Checker, t: ValueType) -> None:
    c.push(t)


@RULES.on("ref.func")
def _ref_func(c: Checker, function: int) -> None:
    typed = reference(c.context.funcs[function], nullable=False)
    c.push(typed if c.context.release > 2 else ValType.FUNCREF)


@RULES.on("ref.is_null")
def _ref_is_null(c: Checker) -> None:
    c.pop_ref()
    c.push(I32)


_CONSTANT = {
    *("i32.const", "i64.const", "f32.const", "f64.const", "v128.const"),
    *("ref.null", "ref.func", "end"),
}
#: What WebAssembly 3.0 adds to constant expressions.
_EXTENDED = {f"{t}.{name}" for t in ("i32", "i64") for name in ("add", "sub", "mul")}


def _check_constant(
    context: Context, body: Body, expected: ValueType, defined: int | None = None
) -> None:
    """Check a constant expression: constants, their sums and products, and immutable globals.

    Of the module's own globals it may read the first `defined`, by default all; in release 2 none.
    """
    count = len(context.globals) if defined is None else context.imported_globals + defined
    known = count if context.release > 2 else context.imported_globals
    allowed = _CONSTANT | (_EXTENDED if context.release > 2 else set())
    for instr in body:
        if instr.name == "global.get":
            index = instr.args[0]
            if index >= known:
                raise _invalid(f"unknown global {index}", instr.span)
            if context.globals[index].mutable:
                raise _invalid("constant expression required", instr.span)
        elif instr.name not in allowed:
            raise _invalid("constant expression required", instr.span)
    Checker(context, (), FuncType((), (expected,))).check(body)


def _check_limits(limits: Limits, bound: int, message: str, span: Span) -> None:
    if limits.minimum > bound or (limits.maximum or 0) > bound:
        raise _invalid(message, span)
    if limits.maximum is not None and limits.minimum > limits.maximum:
        raise _invalid("size minimum must not be greater than maximum", span)


def _check_declarations(context: Context) -> None:
    module = context.module
    if context.release < 3 and len(context.memories) > 1:
        raise _invalid("multiple memories", context.section("memories"))
    for memory in context.memories:
        most = DECLARED_PAGES if memory.limits.wide else MAX_PAGES
        message = f"memory size must be at most {most} pages" + " (4GiB)" * (most == MAX_PAGES)
        _check_limits(memory.limits, most, message, context.section("memories"))
    for table in context.tables:
        bits = 64 if table.limits.wide else 32
        message = f"table size must be at most 2^{bits}-1"
        _check_limits(table.limits, 2**bits - 1, message, context.section("tables"))
    for table in module.tables:
        if table.init:
            _check_constant(context, table.init, table.element, 0)
        elif not table.element.nullable:
            raise _invalid("type mismatch: a table without null", context.section("tables"))
    for type_ in context.tags:
        if type_.results:
            raise _invalid("non-empty tag result type", context.section("tags"))
    for number, item in enumerate(module.globals):
        _check_constant(context, item.init, item.type.type, number)


def _offset_type(limits: Limits) -> ValueType:
    """Return the type of a segment's offset, which lowering leaves as it is."""
    return ValType.I64 if limits.wide else I32


def _check_segments(context: Context) -> None:
    for e in context.module.elements:
        if e.mode is Mode.ACTIVE:
            table = context.find(context.tables, e.table, "table", e.span)
            if not is_subtype(e.type, table.element):
                raise _invalid("type mismatch: segment and table differ in element type", e.span)
            _check_constant(context, e.offset, _offset_type(table.limits))
        for init in e.init:
            _check_constant(context, init, e.type)
    for d in context.module.data:
        if d.mode is Mode.ACTIVE:
            memory = context.find(context.memories, d.memory, "memory", d.span)
            _check_constant(context, d.offset, _offset_type(memory.limits))


def _check_exports(context: Context) -> None:
    spaces: dict[ExternKind, Sequence[Any]] = {
        ExternKind.FUNC: context.funcs,
        ExternKind.TABLE: context.tables,
        ExternKind.MEMORY: context.memories,
        ExternKind.GLOBAL: context.globals,
        ExternKind.TAG: context.tags,
    }
    what = {ExternKind.FUNC: "function"}
    seen = set()
    for e in context.module.exports:
        context.find(spaces[e.kind], e.index, what.get(e.kind, e.kind.value), e.span)
        if e.name in seen:
            raise _invalid(f"duplicate export name {e.name!r}", e.span)
        seen.add(e.name)
    if (start := context.module.start) is not None:
        span = context.section("start")
        type_ = context.find(context.funcs, start, "function", span)
        if type_ != FuncType():
            raise _invalid("start function must take and return nothing", span)


def _check_function(context: Context, function: Function) -> FrameLayout:
    type_ = context.module.types[function.type_index]
    local_types = type_.params + function.local_types
    checker = Checker(context, local_types, type_, len(type_.params))
    heights = checker.check(function.body)
    return FrameLayout(len(type_.params), len(local_types), checker.peak, heights)


def verify(module: Module, release: int = 3) -> Verified:
    """Validate a module against this release of WebAssembly (see `decode`).

    Returns the module with the frame layouts of its functions. Raises `InvalidError` with the
    offset of the offending instruction or definition.
    """
    context = Context(module, release)
    _check_declarations(context)
    _check_segments(context)
    _check_exports(context)
    return Verified(module, tuple(_check_function(context, f) for f in module.functions))
