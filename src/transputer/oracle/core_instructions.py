"""Meaning of each core instruction: one closure per instruction of the image."""

from collections.abc import Callable
from functools import partial

from transputer.errors import Trap, TrapError
from transputer.host.outcome import ExitSignal
from transputer.ir.core import CoreInstr
from transputer.isa.core import CORE, MAX_FRAMES
from transputer.isa.op import Op, Registry
from transputer.oracle.core_machine import CoreImage, CoreMachine, CoreStep
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class CoreSite:
    """A relocated instruction and its address."""

    image: CoreImage
    instr: CoreInstr
    pc: int

    @property
    def arg(self) -> int:
        """The first immediate."""
        return self.instr.args[0]


#: Rules of the core instructions that are not pure functions of their operands.
STEPS: Registry[Callable[[CoreSite], CoreStep]] = Registry(CORE)


def compile_step(image: CoreImage, instr: CoreInstr, pc: int) -> CoreStep:
    """Return the closure that executes the instruction at `pc`."""
    site, op = CoreSite(image, instr, pc), instr.op
    if op.name in STEPS.rules:
        return STEPS.rules[op.name](site)
    if op.width:
        return _load(site) if op.pushes else _store(site)
    return _unary(op) if op.pops == 1 else _binary(op)


def missing() -> list[str]:
    """Return the rows of the table that this interpreter cannot execute."""
    return [name for name in STEPS.missing() if CORE[name].fn is None]


def _unary(op: Op) -> CoreStep:
    fn = op.pure

    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = fn(m.slots[m.sp - 1])

    return step


def _binary(op: Op) -> CoreStep:
    fn = op.pure

    def step(m: CoreMachine) -> None:
        m.sp -= 1
        m.slots[m.sp - 1] = fn(m.slots[m.sp - 1], m.slots[m.sp])

    return step


def _load(site: CoreSite) -> CoreStep:
    offset, which = site.instr.args
    memory, width, fn = site.image.store.memories[which], site.instr.op.width, site.instr.op.pure

    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = fn(memory.load(m.slots[m.sp - 1] + offset, width))

    return step


def _store(site: CoreSite) -> CoreStep:
    offset, which = site.instr.args
    memory, width, fn = site.image.store.memories[which], site.instr.op.width, site.instr.op.pure

    def step(m: CoreMachine) -> None:
        value, address = m.pop(), m.pop()
        memory.store(address + offset, width, fn(value))

    return step


@STEPS.on("i32.const", "i64.const", "f32.const", "f64.const")
def _const(site: CoreSite) -> CoreStep:
    value = site.arg
    return lambda m: m.push(value)


@STEPS.on("unreachable")
def _unreachable(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        raise TrapError(Trap.UNREACHABLE)

    return step


@STEPS.on("jump")
def _jump(site: CoreSite) -> CoreStep:
    target = site.arg

    def step(m: CoreMachine) -> None:
        m.pc = target

    return step


@STEPS.on("jump_if")
def _jump_if(site: CoreSite) -> CoreStep:
    target = site.arg

    def step(m: CoreMachine) -> None:
        if m.pop():
            m.pc = target

    return step


@STEPS.on("jump_unless")
def _jump_unless(site: CoreSite) -> CoreStep:
    target = site.arg

    def step(m: CoreMachine) -> None:
        if not m.pop():
            m.pc = target

    return step


@STEPS.on("br")
def _br(site: CoreSite) -> CoreStep:
    target, height, keep = site.instr.args

    def step(m: CoreMachine) -> None:
        m.keep(keep, m.fp + height)
        m.pc = target

    return step


@STEPS.on("br_if")
def _br_if(site: CoreSite) -> CoreStep:
    branch = _br(site)

    def step(m: CoreMachine) -> None:
        if m.pop():
            branch(m)

    return step


@STEPS.on("br_table")
def _br_table(site: CoreSite) -> CoreStep:
    first, last = site.pc + 1, site.arg

    def step(m: CoreMachine) -> None:
        entry = first + min(m.pop(), last)
        m.image.steps[entry](m)

    return step


@STEPS.on("call")
def _call(site: CoreSite) -> CoreStep:
    address = site.arg
    return lambda m: m.call(address)


@STEPS.on("call_indirect")
def _call_indirect(site: CoreSite) -> CoreStep:
    store = site.image.store
    type_, table = site.image.types[site.arg], store.tables[site.instr.args[1]]
    return lambda m: m.call(store.indirect(table, m.pop(), type_))


@STEPS.on("return")
def _return(site: CoreSite) -> CoreStep:
    results = site.arg
    return lambda m: m.leave(results)


@STEPS.on("local.get")
def _local_get(site: CoreSite) -> CoreStep:
    index = site.arg
    return lambda m: m.push(m.slots[m.fp + index])


@STEPS.on("local.set")
def _local_set(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.slots[m.fp + index] = m.pop()

    return step


@STEPS.on("local.tee")
def _local_tee(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.slots[m.fp + index] = m.slots[m.sp - 1]

    return step


@STEPS.on("local.zero")
def _local_zero(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.slots[m.fp + index] = 0

    return step


@STEPS.on("global.get")
def _global_get(site: CoreSite) -> CoreStep:
    cell = site.image.store.globals[site.arg]
    return lambda m: m.push(cell.value)


@STEPS.on("global.set")
def _global_set(site: CoreSite) -> CoreStep:
    cell = site.image.store.globals[site.arg]

    def step(m: CoreMachine) -> None:
        cell.value = m.pop()

    return step


@STEPS.on("drop")
def _drop(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        m.sp -= 1

    return step


def _choose(first_if_true: bool) -> CoreStep:
    def step(m: CoreMachine) -> None:
        m.sp -= 2
        if bool(m.slots[m.sp + 1]) is not first_if_true:
            m.slots[m.sp - 1] = m.slots[m.sp]

    return step


@STEPS.on("select")
def _select(site: CoreSite) -> CoreStep:
    return _choose(True)


@STEPS.on("select_second")
def _select_second(site: CoreSite) -> CoreStep:
    return _choose(False)


@STEPS.on("dup")
def _dup(site: CoreSite) -> CoreStep:
    return lambda m: m.push(m.slots[m.sp - 1])


@STEPS.on("over")
def _over(site: CoreSite) -> CoreStep:
    return lambda m: m.push(m.slots[m.sp - 2])


def _shuffle(*order: int) -> CoreStep:
    """Permute the top slots: slot i from the bottom takes the value of slot `order[i]`."""
    n = len(order)

    def step(m: CoreMachine) -> None:
        top = m.slots[m.sp - n : m.sp]
        m.slots[m.sp - n : m.sp] = [top[i] for i in order]

    return step


@STEPS.on("swap")
def _swap(site: CoreSite) -> CoreStep:
    return _shuffle(1, 0)


@STEPS.on("rot")
def _rot(site: CoreSite) -> CoreStep:
    return _shuffle(1, 2, 0)


@STEPS.on("gosub")
def _gosub(site: CoreSite) -> CoreStep:
    target, size = site.instr.args

    def step(m: CoreMachine) -> None:
        if m.opened + 1 >= MAX_FRAMES:
            raise TrapError(Trap.STACK_EXHAUSTED)
        m.calls.append((m.pc, m.vp))
        m.opened += 1
        m.vp += size
        m.pc = target

    return step


@STEPS.on("gosub_return")
def _gosub_return(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        if not m.opened:
            raise TrapError(Trap.STACK_UNDERFLOW)
        m.opened -= 1
        m.pc, m.vp = m.calls.pop()

    return step


@STEPS.on("var.get")
def _var_get(site: CoreSite) -> CoreStep:
    index = site.arg
    return lambda m: m.push(m.variables[m.variable(index)])


@STEPS.on("var.set")
def _var_set(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.variables[m.variable(index)] = m.pop()

    return step


@STEPS.on("var.tee")
def _var_tee(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.variables[m.variable(index)] = m.slots[m.sp - 1]

    return step


@STEPS.on("var.zero")
def _var_zero(site: CoreSite) -> CoreStep:
    index = site.arg

    def step(m: CoreMachine) -> None:
        m.variables[m.variable(index)] = 0

    return step


@STEPS.on("input")
def _input(site: CoreSite) -> CoreStep:
    console = site.image.console
    return lambda m: m.push(console.read() & 0xFFFFFFFF)


@STEPS.on("output")
def _output(site: CoreSite) -> CoreStep:
    console = site.image.console
    return lambda m: console.put(m.pop())


@STEPS.on("exit")
def _exit(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        raise ExitSignal(m.pop())

    return step


@STEPS.on("halt")
def _halt(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        m.running = False

    return step


@STEPS.on("memory.size")
def _memory_size(site: CoreSite) -> CoreStep:
    memory = site.image.store.memories[site.arg]
    return lambda m: m.push(memory.size >> 16)


@STEPS.on("memory.grow")
def _memory_grow(site: CoreSite) -> CoreStep:
    memory = site.image.store.memories[site.arg]

    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = memory.grow(m.slots[m.sp - 1]) & 0xFFFFFFFF

    return step


def _three(action: Callable[[int, int, int], None]) -> CoreStep:
    def step(m: CoreMachine) -> None:
        m.sp -= 3
        action(*m.slots[m.sp : m.sp + 3])

    return step


@STEPS.on("memory.fill")
def _memory_fill(site: CoreSite) -> CoreStep:
    return _three(site.image.store.memories[site.arg].fill)


@STEPS.on("memory.copy")
def _memory_copy(site: CoreSite) -> CoreStep:
    to, source = (site.image.store.memories[i] for i in site.instr.args)
    return _three(partial(to.copy, origin=source))


@STEPS.on("memory.init")
def _memory_init(site: CoreSite) -> CoreStep:
    instance, index = site.image.data[site.arg]
    memory = site.image.store.memories[site.instr.args[1]]
    return _three(partial(instance.init_memory, index, memory))


@STEPS.on("data.drop")
def _data_drop(site: CoreSite) -> CoreStep:
    instance, index = site.image.data[site.arg]
    return lambda m: instance.drop_data(index)


@STEPS.on("table.init")
def _table_init(site: CoreSite) -> CoreStep:
    instance, index = site.image.elements[site.arg]
    table = site.image.store.tables[site.instr.args[1]]
    return _three(partial(instance.init_table, index, table))


@STEPS.on("elem.drop")
def _elem_drop(site: CoreSite) -> CoreStep:
    instance, index = site.image.elements[site.arg]
    return lambda m: instance.drop_elements(index)


@STEPS.on("table.copy")
def _table_copy(site: CoreSite) -> CoreStep:
    to, source = (site.image.store.tables[i] for i in site.instr.args)
    return _three(partial(to.copy, source))


@STEPS.on("table.fill")
def _table_fill(site: CoreSite) -> CoreStep:
    return _three(site.image.store.tables[site.arg].fill)


@STEPS.on("table.get")
def _table_get(site: CoreSite) -> CoreStep:
    table = site.image.store.tables[site.arg]

    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = table.get(m.slots[m.sp - 1])

    return step


@STEPS.on("table.set")
def _table_set(site: CoreSite) -> CoreStep:
    table = site.image.store.tables[site.arg]

    def step(m: CoreMachine) -> None:
        value, index = m.pop(), m.pop()
        table.write(index, [value])

    return step


@STEPS.on("table.size")
def _table_size(site: CoreSite) -> CoreStep:
    table = site.image.store.tables[site.arg]
    return lambda m: m.push(table.size)


@STEPS.on("table.grow")
def _table_grow(site: CoreSite) -> CoreStep:
    table = site.image.store.tables[site.arg]

    def step(m: CoreMachine) -> None:
        count, value = m.pop(), m.pop()
        m.push(table.grow(count, value))

    return step


@STEPS.on("table.extend")
def _table_extend(site: CoreSite) -> CoreStep:
    table = site.image.store.tables[site.arg]

    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = table.grow(m.slots[m.sp - 1], 0)

    return step


@STEPS.on("ref.null")
def _ref_null(site: CoreSite) -> CoreStep:
    return lambda m: m.push(0)


@STEPS.on("ref.is_null")
def _ref_is_null(site: CoreSite) -> CoreStep:
    def step(m: CoreMachine) -> None:
        m.slots[m.sp - 1] = int(m.slots[m.sp - 1] == 0)

    return step


@STEPS.on("ref.func")
def _ref_func(site: CoreSite) -> CoreStep:
    reference = site.arg + 1
    return lambda m: m.push(reference)
