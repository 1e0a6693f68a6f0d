"""Meaning of each WebAssembly instruction: one closure per instruction of a function."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from transputer.errors import Trap, TrapError
from transputer.host.memory import LinearMemory
from transputer.host.store import DefinedFunction, Instance, Store, TableInstance
from transputer.ir.module import Catch, FuncType, Instr
from transputer.isa.integers import mask
from transputer.isa.op import Op, Registry
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import WASM
from transputer.oracle.interpreter import IrLabel, IrMachine, IrStep
from transputer.oracle.vectors import vector_step


@dataclass(slots=True)
class IrSite:
    """An instruction with its function, its address and the block structure around it."""

    store: Store
    instance: Instance
    function: DefinedFunction
    instr: Instr
    pc: int
    ends: dict[int, int] = field(default_factory=dict)
    elses: dict[int, int] = field(default_factory=dict)

    @property
    def arg(self) -> int:
        """The first immediate, as an integer."""
        return int(self.instr.args[0])

    def memory(self, which: int = 0) -> LinearMemory:
        """Return the memory that immediate number `which` refers to."""
        arg = self.instr.args[which]
        index = arg[2] if isinstance(arg, tuple) else int(arg)
        return self.store.memories[self.instance.memories[index]]

    def table(self, which: int = 0) -> TableInstance:
        """Return the table that immediate number `which` refers to."""
        return self.store.tables[self.instance.tables[int(self.instr.args[which])]]

    def block_type(self) -> FuncType:
        """Return the type of the block that this instruction opens."""
        t = self.instr.args[0]
        return t if isinstance(t, FuncType) else self.instance.module.types[t]


Factory = Callable[[IrSite], IrStep]

#: Rules of the instructions that are not pure functions of their operands.
STEPS: Registry[Factory] = Registry(WASM)


def compile_function(store: Store, function: DefinedFunction) -> list[IrStep]:
    """Return one closure per instruction of the body, in order."""
    body = function.definition.function.body
    ends, elses = match_blocks(body)
    return [
        _factory(instr.op)(IrSite(store, function.instance, function, instr, pc, ends, elses))
        for pc, instr in enumerate(body)
    ]


def match_blocks(body: tuple[Instr, ...]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the `end` of each block, loop, if and else, and the `else` of each if, by address."""
    ends: dict[int, int] = {}
    elses: dict[int, int] = {}
    opened: list[list[int]] = [[]]
    for pc, instr in enumerate(body):
        if instr.name in ("block", "loop", "if", "try_table"):
            opened.append([pc])
        elif instr.name == "else":
            elses[opened[-1][0]] = pc
            opened[-1].append(pc)
        elif instr.name == "end":
            ends.update(dict.fromkeys(opened.pop(), pc))
    return ends, elses


def _factory(op: Op) -> Factory:
    if op.name in STEPS.rules:
        return STEPS.rules[op.name]
    if op.name in VECTORS:
        return _vector
    if op.width:
        return _load if op.results else _store
    return _PURE[len(op.params)]


def _vector(site: IrSite) -> IrStep:
    return vector_step(site.instr, site.memory)


def _unary(site: IrSite) -> IrStep:
    fn = site.instr.op.pure

    def step(m: IrMachine) -> None:
        m.stack[-1] = fn(m.stack[-1])

    return step


def _binary(site: IrSite) -> IrStep:
    fn = site.instr.op.pure

    def step(m: IrMachine) -> None:
        b = m.stack.pop()
        m.stack[-1] = fn(m.stack[-1], b)

    return step


_PURE: dict[int, Factory] = {1: _unary, 2: _binary}


def _load(site: IrSite) -> IrStep:
    memory, width, fn = site.memory(), site.instr.op.width, site.instr.op.pure
    offset = site.instr.args[0][1]

    def step(m: IrMachine) -> None:
        m.stack[-1] = fn(memory.load(m.stack[-1] + offset, width))

    return step


def _store(site: IrSite) -> IrStep:
    memory, width, fn = site.memory(), site.instr.op.width, site.instr.op.pure
    offset = site.instr.args[0][1]

    def step(m: IrMachine) -> None:
        value, address = m.stack.pop(), m.stack.pop()
        memory.store(address + offset, width, fn(value))

    return step


@STEPS.on("i32.const", "i64.const", "f32.const", "f64.const")
def _const(site: IrSite) -> IrStep:
    value = site.arg
    return lambda m: m.stack.append(value)


@STEPS.on("unreachable")
def _unreachable(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        raise TrapError(Trap.UNREACHABLE)

    return step


@STEPS.on("nop")
def _nop(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        m.structural += 1

    return step


@STEPS.on("block")
def _block(site: IrSite) -> IrStep:
    type_, target = site.block_type(), site.ends[site.pc] + 1
    params, results = len(type_.params), len(type_.results)

    def step(m: IrMachine) -> None:
        m.structural += 1
        m.labels.append(IrLabel(target, results, len(m.stack) - params))

    return step


@STEPS.on("try_table")
def _try_table(site: IrSite) -> IrStep:
    type_, target = site.block_type(), site.ends[site.pc] + 1
    params, results = len(type_.params), len(type_.results)
    tags = site.instance.tags
    catches = tuple(
        Catch(None if c.tag is None else tags[c.tag], c.reference, c.label)
        for c in site.instr.args[1]
    )

    def step(m: IrMachine) -> None:
        m.structural += 1
        m.labels.append(IrLabel(target, results, len(m.stack) - params, catches))

    return step


@STEPS.on("throw")
def _throw(site: IrSite) -> IrStep:
    tag = site.instance.tags[site.arg]
    count = len(site.instance.module.tag_types[site.arg].params)

    def step(m: IrMachine) -> None:
        values = tuple(m.stack[len(m.stack) - count :])
        m.throw(m.store.add_exception(tag, values))

    return step


@STEPS.on("throw_ref")
def _throw_ref(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        m.throw(_not_null(m.stack.pop(), Trap.NULL_EXCEPTION))

    return step


def _not_null(reference: int, trap: Trap) -> int:
    if not reference:
        raise TrapError(trap)
    return reference


@STEPS.on("loop")
def _loop(site: IrSite) -> IrStep:
    target, params = site.pc, len(site.block_type().params)

    def step(m: IrMachine) -> None:
        m.structural += 1
        m.labels.append(IrLabel(target, params, len(m.stack) - params))

    return step


@STEPS.on("if")
def _if(site: IrSite) -> IrStep:
    type_, end = site.block_type(), site.ends[site.pc]
    params, results = len(type_.params), len(type_.results)
    otherwise = site.elses[site.pc] + 1 if site.pc in site.elses else end

    def step(m: IrMachine) -> None:
        condition = m.stack.pop()
        m.labels.append(IrLabel(end + 1, results, len(m.stack) - params))
        if not condition:
            m.pc = otherwise

    return step


@STEPS.on("else")
def _else(site: IrSite) -> IrStep:
    end = site.ends[site.pc]

    def step(m: IrMachine) -> None:
        m.structural += 1
        m.pc = end

    return step


@STEPS.on("end")
def _end(site: IrSite) -> IrStep:
    results = len(site.function.type.results)
    last = site.pc == len(site.function.definition.function.body) - 1

    def end_block(m: IrMachine) -> None:
        m.structural += 1
        m.labels.pop()

    def end_function(m: IrMachine) -> None:
        m.structural += 1
        m.leave(results)

    return end_function if last else end_block


@STEPS.on("br")
def _br(site: IrSite) -> IrStep:
    depth = site.arg
    return lambda m: m.branch(depth)


@STEPS.on("br_if")
def _br_if(site: IrSite) -> IrStep:
    depth = site.arg

    def step(m: IrMachine) -> None:
        if m.stack.pop():
            m.branch(depth)

    return step


@STEPS.on("br_table")
def _br_table(site: IrSite) -> IrStep:
    labels = site.instr.args[0]
    last = len(labels) - 1
    return lambda m: m.branch(labels[min(m.stack.pop(), last)])


@STEPS.on("return")
def _return(site: IrSite) -> IrStep:
    results = len(site.function.type.results)
    return lambda m: m.leave(results)


@STEPS.on("call")
def _call(site: IrSite) -> IrStep:
    address = site.instance.functions[site.arg]
    return lambda m: m.call(address)


@STEPS.on("call_indirect")
def _call_indirect(site: IrSite) -> IrStep:
    type_, table = site.instance.module.types[site.arg], site.table(1)
    return lambda m: m.call(m.store.indirect(table, m.stack.pop(), type_))


@STEPS.on("call_ref")
def _call_ref(site: IrSite) -> IrStep:
    return lambda m: m.call(_not_null(m.stack.pop(), Trap.NULL_FUNCTION) - 1)


@STEPS.on("return_call")
def _return_call(site: IrSite) -> IrStep:
    address = site.instance.functions[site.arg]
    return lambda m: m.tail_call(address)


@STEPS.on("return_call_indirect")
def _return_call_indirect(site: IrSite) -> IrStep:
    type_, table = site.instance.module.types[site.arg], site.table(1)
    return lambda m: m.tail_call(m.store.indirect(table, m.stack.pop(), type_))


@STEPS.on("return_call_ref")
def _return_call_ref(site: IrSite) -> IrStep:
    return lambda m: m.tail_call(_not_null(m.stack.pop(), Trap.NULL_FUNCTION) - 1)


@STEPS.on("ref.as_non_null")
def _ref_as_non_null(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        _not_null(m.stack[-1], Trap.NULL_REFERENCE)

    return step


@STEPS.on("br_on_null")
def _br_on_null(site: IrSite) -> IrStep:
    depth = site.arg

    def step(m: IrMachine) -> None:
        if not m.stack[-1]:
            m.stack.pop()
            m.branch(depth)

    return step


@STEPS.on("br_on_non_null")
def _br_on_non_null(site: IrSite) -> IrStep:
    depth = site.arg

    def step(m: IrMachine) -> None:
        if m.stack[-1]:
            m.branch(depth)
        else:
            m.stack.pop()

    return step


@STEPS.on("drop")
def _drop(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        m.stack.pop()

    return step


@STEPS.on("select", "select_t")
def _select(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        condition, second = m.stack.pop(), m.stack.pop()
        if not condition:
            m.stack[-1] = second

    return step


@STEPS.on("local.get")
def _local_get(site: IrSite) -> IrStep:
    index = site.arg
    return lambda m: m.stack.append(m.locals[index])


@STEPS.on("local.set")
def _local_set(site: IrSite) -> IrStep:
    index = site.arg

    def step(m: IrMachine) -> None:
        m.locals[index] = m.stack.pop()

    return step


@STEPS.on("local.tee")
def _local_tee(site: IrSite) -> IrStep:
    index = site.arg

    def step(m: IrMachine) -> None:
        m.locals[index] = m.stack[-1]

    return step


@STEPS.on("global.get")
def _global_get(site: IrSite) -> IrStep:
    cell = site.store.globals[site.instance.globals[site.arg]]
    return lambda m: m.stack.append(cell.value)


@STEPS.on("global.set")
def _global_set(site: IrSite) -> IrStep:
    cell = site.store.globals[site.instance.globals[site.arg]]

    def step(m: IrMachine) -> None:
        cell.value = m.stack.pop()

    return step


@STEPS.on("memory.size")
def _memory_size(site: IrSite) -> IrStep:
    memory = site.memory()
    return lambda m: m.stack.append(memory.size >> 16)


@STEPS.on("memory.grow")
def _memory_grow(site: IrSite) -> IrStep:
    memory = site.memory()
    bits = site.instance.module.memory_types[site.arg].limits.address.bits

    def step(m: IrMachine) -> None:
        m.stack[-1] = memory.grow(m.stack[-1]) & mask(bits)

    return step


def _three(action: Callable[[int, int, int], None]) -> IrStep:
    """Return a step that pops three operands and passes them to `action`."""

    def step(m: IrMachine) -> None:
        c, b, a = m.stack.pop(), m.stack.pop(), m.stack.pop()
        action(a, b, c)

    return step


@STEPS.on("memory.fill")
def _memory_fill(site: IrSite) -> IrStep:
    return _three(site.memory().fill)


@STEPS.on("memory.copy")
def _memory_copy(site: IrSite) -> IrStep:
    return _three(partial(site.memory(0).copy, origin=site.memory(1)))


@STEPS.on("memory.init")
def _memory_init(site: IrSite) -> IrStep:
    return _three(partial(site.instance.init_memory, site.arg, site.memory(1)))


@STEPS.on("data.drop")
def _data_drop(site: IrSite) -> IrStep:
    instance, index = site.instance, site.arg
    return lambda m: instance.drop_data(index)


@STEPS.on("table.init")
def _table_init(site: IrSite) -> IrStep:
    return _three(partial(site.instance.init_table, site.arg, site.table(1)))


@STEPS.on("elem.drop")
def _elem_drop(site: IrSite) -> IrStep:
    instance, index = site.instance, site.arg
    return lambda m: instance.drop_elements(index)


@STEPS.on("table.copy")
def _table_copy(site: IrSite) -> IrStep:
    return _three(partial(site.table(0).copy, site.table(1)))


@STEPS.on("table.fill")
def _table_fill(site: IrSite) -> IrStep:
    return _three(site.table().fill)


@STEPS.on("table.get")
def _table_get(site: IrSite) -> IrStep:
    table = site.table()

    def step(m: IrMachine) -> None:
        m.stack[-1] = table.get(m.stack[-1])

    return step


@STEPS.on("table.set")
def _table_set(site: IrSite) -> IrStep:
    table = site.table()

    def step(m: IrMachine) -> None:
        value, index = m.stack.pop(), m.stack.pop()
        table.write(index, [value])

    return step


@STEPS.on("table.size")
def _table_size(site: IrSite) -> IrStep:
    table = site.table()
    return lambda m: m.stack.append(table.size)


@STEPS.on("table.grow")
def _table_grow(site: IrSite) -> IrStep:
    table = site.table()

    def step(m: IrMachine) -> None:
        count, value = m.stack.pop(), m.stack.pop()
        m.stack.append(table.grow(count, value))

    return step


@STEPS.on("ref.null")
def _ref_null(site: IrSite) -> IrStep:
    return lambda m: m.stack.append(0)


@STEPS.on("ref.is_null")
def _ref_is_null(site: IrSite) -> IrStep:
    def step(m: IrMachine) -> None:
        m.stack[-1] = int(m.stack[-1] == 0)

    return step


@STEPS.on("ref.func")
def _ref_func(site: IrSite) -> IrStep:
    reference = site.instance.functions[site.arg] + 1
    return lambda m: m.stack.append(reference)


def missing() -> list[str]:
    """Return the rows of the table that the oracle cannot execute."""
    covered = {
        op.name for op in WASM if op.fn is not None and (op.width or len(op.params) in _PURE)
    }
    return [name for name in STEPS.missing() if name not in covered]
