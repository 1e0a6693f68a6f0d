"""Interpreter of the assembly as written: its meaning, without weights.

Dispatch is by row: numeric rows apply their pure function, loads and stores apply theirs to
memory, and every other row has a rule of its own.
"""

from collections.abc import Callable, Iterable

from transputer.errors import CapacityError, StepLimitError, Trap, TrapError, UsageError
from transputer.host.memory import LinearMemory
from transputer.host.outcome import PULSE, Pulse, quiet
from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.ir.module import MAX_PAGES
from transputer.isa.asm import ASM, CALL_LIMIT, STACK_LIMIT
from transputer.isa.op import Op, Registry
from transputer.values import dataclass

#: Default step limit of a run.
MAX_STEPS = 100_000_000


@dataclass(frozen=True, slots=True)
class AsmOutcome:
    """How a run ended: by HALT, or with a trap.

    `stack` is the operand stack, bottom first, as unsigned numbers; after a trap, it is the
    stack before the trapping instruction. `steps` counts every executed instruction, including
    the trapping one; `instructions` leaves out NOP. `pc` is that of the last instruction.
    """

    stack: tuple[int, ...]
    trap: Trap | None
    steps: int
    instructions: int
    memory: LinearMemory
    pc: int


class AsmMachine:
    """State of a run that an instruction can change; observers may read it."""

    def __init__(self, program: AsmProgram, args: Iterable[int] = ()) -> None:
        self.program = program
        self.pc = 0  #: of the next instruction
        self.last = 0  #: of the last instruction
        self.stack = [_argument(arg) for arg in args]
        self.locals: dict[int, int] = {}  #: of the current call; a missing one is zero
        self.calls: list[tuple[int, dict[int, int]]] = []  #: return addresses and callers' locals
        self.memory = LinearMemory(MAX_PAGES)
        self.halted = False
        self.steps = 0
        self.instructions = 0


Observer = Callable[[int, AsmInstr, AsmMachine], None]
Rule = Callable[[AsmMachine, AsmInstr], None]

#: The rule of each row. When a rule runs, `pc` already points to the next instruction, and the
#: stack has the operands and the free slots that the row's signature requires.
RULES: Registry[Rule] = Registry(ASM)
on = RULES.on


def run(
    program: AsmProgram,
    args: Iterable[int] = (),
    *,
    max_steps: int = MAX_STEPS,
    stack_limit: int = STACK_LIMIT,
    observer: Observer | None = None,
    pulse: Pulse = quiet,
) -> AsmOutcome:
    """Run a program on a stack that holds the arguments, the last one on top.

    `observer` is called with (pc, instruction, machine) before each step, `pulse` with the number
    of steps so far. Raises `StepLimitError` after `max_steps` steps, `UsageError` if an argument
    is not a 32-bit number, and `CapacityError` if the arguments do not fit on the stack.
    """
    machine = AsmMachine(program, args)
    if len(machine.stack) > stack_limit:
        raise CapacityError(
            f"{len(machine.stack)} arguments do not fit on a stack of {stack_limit}"
        )
    trap = None
    try:
        _execute(machine, max_steps, stack_limit, observer, pulse)
    except TrapError as error:
        trap = error.trap
    m = machine
    return AsmOutcome(tuple(m.stack), trap, m.steps, m.instructions, m.memory, m.last)


def _argument(value: int) -> int:
    if not -(1 << 31) <= value < 1 << 32:
        raise UsageError(f"argument {value} is not a 32-bit number")
    return value % (1 << 32)


def _execute(
    m: AsmMachine, max_steps: int, limit: int, observer: Observer | None, pulse: Pulse
) -> None:
    """Step until HALT. A trap leaves the state as it was before the instruction."""
    plans = {op.name: _plan(op, limit) for op in ASM}
    code = [(instr, *plans[instr.name]) for instr in m.program.code]
    stack = m.stack
    while not m.halted:
        if m.steps >= max_steps:
            raise StepLimitError(max_steps)
        instr, rule, pops, room, counts = code[m.pc]
        m.last = m.pc
        if observer:
            observer(m.pc, instr, m)
        if not m.steps % PULSE:
            pulse(m.steps)
        m.steps += 1
        m.instructions += counts
        if len(stack) < pops:
            raise TrapError(Trap.STACK_UNDERFLOW, f"{instr.name} needs {pops}")
        if len(stack) > room:
            raise TrapError(Trap.STACK_EXHAUSTED, f"{limit} slots")
        m.pc += 1
        rule(m, instr)


def _plan(op: Op, limit: int) -> tuple[Rule, int, int, int]:
    """Return the rule, the operands it pops, the largest legal stack, and 1 if the row counts."""
    room = limit - max(0, op.pushes - op.pops)
    return RULES.rules[op.name], op.pops, room, int(op.name != "NOP")


def _numeric(operands: int) -> tuple[str, ...]:
    """Return the names of the rows that are a pure function of `operands` operands."""
    return tuple(op.name for op in ASM if op.fn and not op.width and op.pops == operands)


@on(*_numeric(1))
def _unary(m: AsmMachine, i: AsmInstr) -> None:
    m.stack[-1] = i.op.pure(m.stack[-1])


@on(*_numeric(2))
def _binary(m: AsmMachine, i: AsmInstr) -> None:
    m.stack[-2:] = [i.op.pure(m.stack[-2], m.stack[-1])]


@on(*_numeric(3))
def _ternary(m: AsmMachine, i: AsmInstr) -> None:
    m.stack[-3:] = [i.op.pure(*m.stack[-3:])]


@on(*(op.name for op in ASM if op.width and op.pushes))
def _load(m: AsmMachine, i: AsmInstr) -> None:
    m.stack[-1] = i.op.pure(m.memory.load(m.stack[-1], i.op.width))


@on(*(op.name for op in ASM if op.width and not op.pushes))
def _store(m: AsmMachine, i: AsmInstr) -> None:
    address, value = m.stack[-2:]
    m.memory.store(address, i.op.width, i.op.pure(value))
    del m.stack[-2:]


@on("PUSH")
def _push(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(i.args[0])


@on("POP")
def _pop(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.pop()


@on("DUP")
def _dup(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(m.stack[-1])


@on("SWAP")
def _swap(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(m.stack.pop(-2))


@on("OVER")
def _over(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(m.stack[-2])


@on("ROT")
def _rot(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(m.stack.pop(-3))


@on("HALT")
def _halt(m: AsmMachine, i: AsmInstr) -> None:
    m.halted = True


@on("NOP")
def _nop(m: AsmMachine, i: AsmInstr) -> None:
    pass


@on("TRAP")
def _trap(m: AsmMachine, i: AsmInstr) -> None:
    raise TrapError(Trap.UNREACHABLE, "TRAP")


@on("JZ")
def _jz(m: AsmMachine, i: AsmInstr) -> None:
    if not m.stack.pop():
        m.pc = i.args[0]


@on("JNZ")
def _jnz(m: AsmMachine, i: AsmInstr) -> None:
    if m.stack.pop():
        m.pc = i.args[0]


@on("CALL")
def _call(m: AsmMachine, i: AsmInstr) -> None:
    if len(m.calls) >= CALL_LIMIT:
        raise TrapError(Trap.STACK_EXHAUSTED, f"{CALL_LIMIT} open calls")
    m.calls.append((m.pc, m.locals))
    m.locals = {}
    m.pc = i.args[0]


@on("RETURN")
def _return(m: AsmMachine, i: AsmInstr) -> None:
    if not m.calls:
        raise TrapError(Trap.STACK_UNDERFLOW, "RETURN with no open call")
    m.pc, m.locals = m.calls.pop()


@on("LOCAL.GET")
def _local_get(m: AsmMachine, i: AsmInstr) -> None:
    m.stack.append(m.locals.get(i.args[0], 0))


@on("LOCAL.SET")
def _local_set(m: AsmMachine, i: AsmInstr) -> None:
    m.locals[i.args[0]] = m.stack.pop()


@on("LOCAL.TEE")
def _local_tee(m: AsmMachine, i: AsmInstr) -> None:
    m.locals[i.args[0]] = m.stack[-1]
