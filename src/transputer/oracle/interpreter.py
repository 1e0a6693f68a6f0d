"""The oracle: an interpreter of the IR as written, structured control and all.

Each function is turned into one closure per instruction when it is first called; the
closures live in `instructions.py`, registered on the table. The machine keeps an explicit
stack of frames, so that deep recursion is a trap and never a Python exception.
"""

from collections.abc import Callable
from typing import NamedTuple

from transputer.errors import StepLimitError, Trap, TrapError
from transputer.host.outcome import PULSE, CallOutcome, ExitSignal, Pulse, quiet
from transputer.host.store import DefinedFunction, HostFunction, Store, check_arguments
from transputer.ir.module import Body, Function, Instr
from transputer.ir.verify import FrameLayout
from transputer.isa.core import MAX_FRAMES, MAX_SLOTS

IrStep = Callable[["IrMachine"], None]


class IrCode(NamedTuple):
    """A function as written, with the frame that validation found."""

    function: Function
    frame: FrameLayout


Observer = Callable[["IrMachine"], None]


class IrLabel(NamedTuple):
    """An open block: where a branch to it goes, with how many values, above what height."""

    target: int
    arity: int
    height: int


class Caller(NamedTuple):
    """What a return restores."""

    function: DefinedFunction | None
    code: list[IrStep]
    pc: int
    locals: list[int]
    labels: list[IrLabel]
    height: int
    base: int


class IrMachine:
    """One invocation in progress. `stack` holds the operands of all open calls."""

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
        self.height = 0  # operands below the current call's
        self.base = 0  # slot of the current call's first local
        self.steps = 0
        self.structural = 0  # steps that do not count as instructions

    @property
    def instr(self) -> Instr:
        """The instruction about to be executed."""
        if self.function is None:
            raise LookupError("no function is running")
        body: Body = self.function.definition.function.body
        return body[self.pc]

    def call(self, address: int) -> None:
        """Open a call; its arguments are on the stack."""
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
        """Close the current call; its results are the top of the stack."""
        stack = self.stack
        stack[self.height :] = stack[len(stack) - results :]
        caller = self.callers.pop()
        self.function, self.code, self.pc, self.locals = caller[:4]
        self.labels, self.height, self.base = caller[4:]

    def branch(self, depth: int) -> None:
        """Branch to an open block by depth; beyond the outermost, return."""
        if depth == len(self.labels):
            if self.function is not None:
                self.leave(len(self.function.type.results))
            return
        target, arity, height = self.labels[-1 - depth]
        self.stack[height:] = self.stack[len(self.stack) - arity :]
        del self.labels[-1 - depth :]
        self.pc = target

    def run(self, limit: int, observer: Observer | None = None, pulse: Pulse = quiet) -> None:
        """Execute until every call is closed; `pulse` hears of progress now and then."""
        while self.callers:
            if self.steps >= limit:
                raise StepLimitError(limit)
            self._run_until(min(limit, self.steps + PULSE), observer)
            pulse(self.steps)

    def _run_until(self, stop: int, observer: Observer | None) -> None:
        steps = self.steps
        try:
            while self.callers and steps < stop:
                if observer is not None:
                    self.steps = steps
                    observer(self)
                steps += 1
                pc = self.pc
                self.pc = pc + 1
                self.code[pc](self)
        finally:
            self.steps = steps


def invoke(
    machine: IrMachine,
    address: int,
    args: list[int],
    limit: int,
    observer: Observer | None = None,
    pulse: Pulse = quiet,
) -> CallOutcome:
    """Call a function and run it to its end: results, a trap or an exit code."""
    check_arguments(machine.store.functions[address].type, args)
    machine.stack.extend(args)
    results: tuple[int, ...] = ()
    trap, detail, code = None, "", None
    try:
        machine.call(address)
        machine.run(limit, observer, pulse)
        results = tuple(machine.stack)
    except TrapError as error:
        trap, detail = error.trap, error.detail
    except ExitSignal as signal:
        code = signal.code
    instructions = machine.steps - machine.structural
    return CallOutcome(results, trap, detail, code, machine.steps, instructions)
