"""The oracle: an interpreter of the IR as written, including structured control.

The first call of a function compiles it to one closure per instruction; `instructions.py`
registers the closures on the instruction table. The machine keeps an explicit stack of call
frames, so that deep recursion is a trap and never a Python exception.
"""

from collections.abc import Callable
from typing import NamedTuple

from transputer.errors import StepLimitError, Trap, TrapError
from transputer.host.outcome import (
    MOST_CALLS,
    PULSE,
    CallOutcome,
    ExitSignal,
    OpenCall,
    Pulse,
    quiet,
)
from transputer.host.store import DefinedFunction, HostFunction, Store, check_arguments
from transputer.ir.module import Body, Catch, Function, Instr
from transputer.ir.verified import FrameLayout
from transputer.isa.core import MAX_FRAMES, MAX_SLOTS

IrStep = Callable[["IrMachine"], None]


class IrCode(NamedTuple):
    """A function as written, with its frame layout."""

    function: Function
    frame: FrameLayout


Observer = Callable[["IrMachine"], None]


class IrLabel(NamedTuple):
    """Branch target of an open block: address, number of values kept, operand height below.

    `catches` are the clauses of a `try_table`, with the address of the tag instead of its index.
    """

    target: int
    arity: int
    height: int
    catches: tuple[Catch, ...] = ()


class Caller(NamedTuple):
    """State of the caller, which a return restores."""

    function: DefinedFunction | None
    code: list[IrStep]
    pc: int
    locals: list[int]
    labels: list[IrLabel]
    height: int
    base: int


class IrMachine:
    """State of one invocation. `stack` holds the operands of all active calls."""

    def __init__(self, store: Store, compile_: Callable[[DefinedFunction], list[IrStep]]) -> None:
        self.store = store
        self.compile = compile_
        self.stack: list[int] = []
        self.callers: list[Caller] = []
        self.function: DefinedFunction | None = None
        self.code: list[IrStep] = []
        self.pc = 0
        self.locals: list[int] = []
        self.labels: list[IrLabel] = []
        self.height = 0  # operands below those of the current call
        self.base = 0  # slot of the current call's first local
        self.steps = 0
        self.structural = 0  # steps that do not count as instructions

    @property
    def instr(self) -> Instr:
        """The next instruction."""
        if self.function is None:
            raise LookupError("no function is running")
        body: Body = self.function.definition.function.body
        return body[self.pc]

    def open_calls(self) -> tuple[OpenCall, ...]:
        """Return the open calls, innermost first, each at the instruction that it executes."""
        pairs = [(self.function, self.pc), *((c.function, c.pc) for c in self.callers[::-1])]
        return tuple(
            OpenCall(function.name, (function.index, max(0, pc - 1)))
            for function, pc in pairs[:MOST_CALLS]
            if function is not None
        )

    def call(self, address: int) -> None:
        """Call a function whose arguments are on the stack."""
        callee = self.store.functions[address]
        if isinstance(callee, HostFunction):
            self._call_host(callee)
            return
        stack, params = self.stack, len(callee.type.params)
        frame = callee.definition.frame
        base = self.base + len(self.locals) + len(stack) - self.height - params
        if len(self.callers) >= MAX_FRAMES or base + frame.size > MAX_SLOTS:
            raise TrapError(Trap.STACK_EXHAUSTED)
        height = len(stack) - params
        self.callers.append(
            Caller(
                self.function, self.code, self.pc, self.locals, self.labels, self.height, self.base
            )
        )
        self.function, self.code, self.pc = callee, self.compile(callee), 0
        self.locals = stack[height:] + [0] * (frame.locals - params)
        self.labels, self.height, self.base = [], height, base
        del stack[height:]

    def _call_host(self, callee: HostFunction) -> None:
        count = len(callee.type.params)
        args = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        results = callee.call(*args)
        if results is not None:
            self.stack.extend(results if isinstance(results, tuple) else (results,))

    def leave(self, results: int) -> None:
        """Return from the current call with the top `results` operands."""
        stack = self.stack
        stack[self.height :] = stack[len(stack) - results :]
        caller = self.callers.pop()
        self.function, self.code, self.pc, self.locals = caller[:4]
        self.labels, self.height, self.base = caller[4:]

    def tail_call(self, address: int) -> None:
        """Call a function whose arguments are on the stack, in place of the current call."""
        self.leave(len(self.store.functions[address].type.params))
        self.call(address)

    def throw(self, reference: int) -> None:
        """Go to the innermost handler of an exception; trap if there is none.

        Nothing is unwound before a handler is known, so that a trap shows the open calls.
        """
        tag, values = self.store.exceptions[reference - 1]
        frames = [caller.labels for caller in self.callers[1:]] + [self.labels]
        for frame in range(len(frames) - 1, -1, -1):
            for depth, label in enumerate(reversed(frames[frame])):
                clause = next((c for c in label.catches if c.tag in (None, tag)), None)
                if clause is None:
                    continue
                while len(self.callers) - 1 > frame:
                    self.leave(0)
                del self.labels[len(self.labels) - depth - 1 :]
                del self.stack[label.height :]
                self.stack += (*(values if clause.tag else ()), *([reference] * clause.reference))
                self.branch(clause.label)
                return
        raise TrapError(Trap.UNCAUGHT_EXCEPTION)

    def branch(self, depth: int) -> None:
        """Branch to the open block at `depth`; the depth beyond the outermost returns."""
        if depth == len(self.labels):
            if self.function is not None:
                self.leave(len(self.function.type.results))
            return
        target, arity, height, _ = self.labels[-1 - depth]
        self.stack[height:] = self.stack[len(self.stack) - arity :]
        del self.labels[-1 - depth :]
        self.pc = target

    def run(self, limit: int, observer: Observer | None = None, pulse: Pulse = quiet) -> None:
        """Execute until the outermost call returns; report progress to `pulse`."""
        while self.callers:
            if self.steps >= limit:
                raise StepLimitError(limit)
            self._run_until(min(limit, self.steps + PULSE), observer)
            pulse(self.steps)

    def _run_until(self, stop: int, observer: Observer | None) -> None:
        while self.callers and self.steps < stop:
            if observer is not None:
                observer(self)
            self.steps += 1
            pc = self.pc
            self.pc = pc + 1
            self.code[pc](self)


def invoke(
    machine: IrMachine,
    address: int,
    args: list[int],
    limit: int,
    observer: Observer | None = None,
    pulse: Pulse = quiet,
) -> CallOutcome:
    """Call a function and run until it returns, traps or exits."""
    check_arguments(machine.store.functions[address].type, args)
    machine.stack.extend(args)
    results: tuple[int, ...] = ()
    trap, detail, code = None, "", None
    calls: tuple[OpenCall, ...] = ()
    try:
        machine.call(address)
        machine.run(limit, observer, pulse)
        results = tuple(machine.stack)
    except TrapError as error:
        trap, detail, calls = error.trap, error.detail, machine.open_calls()
    except ExitSignal as signal:
        code = signal.code
    instructions = machine.steps - machine.structural
    return CallOutcome(results, trap, detail, code, machine.steps, instructions, calls)
