"""Interpreter of flat core code, which tests the lowerings against the oracle of the IR.

Like the machine that executes this code, it never clears slots: a local that lowering failed
to zero shows its stale value.
"""

from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter

from transputer.errors import StepLimitError, Trap, TrapError
from transputer.host.console import Console
from transputer.host.outcome import MOST_CALLS, PULSE, OpenCall, Pulse, quiet
from transputer.host.store import HostFunction, Instance, Store
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, is_untyped, relocate
from transputer.ir.module import FuncType
from transputer.isa.core import MAX_FRAMES, MAX_SLOTS

CoreStep = Callable[["CoreMachine"], None]
Observer = Callable[["CoreMachine"], None]
Compile = Callable[["CoreImage", CoreInstr, int], CoreStep]

#: Value of a slot before the first write; a program must never read it.
STALE = 0x5A5A5A5A


class CoreImage:
    """All code of a session, relocated, with the objects that it refers to."""

    def __init__(self, store: Store, console: Console, compile_: Compile) -> None:
        self.store = store
        self.console = console
        self.compile = compile_
        self.code: list[CoreInstr] = []
        self.steps: list[CoreStep] = []
        self.implied: list[bool] = []
        self.types: list[FuncType] = []
        self.data: list[tuple[Instance, int]] = []
        self.elements: list[tuple[Instance, int]] = []
        self.entries: dict[int, CoreFunction] = {}  # by function address

    def signature(self, type_: FuncType) -> int:
        """Return the session-wide number of a function type."""
        if type_ not in self.types:
            self.types.append(type_)
        return self.types.index(type_)

    def load(self, instance: Instance, module: CoreModule) -> None:
        """Append a module's code at the next free address."""
        base, data, elements = len(self.code), len(self.data), len(self.elements)
        types = module.declarations.types
        self.data += [(instance, i) for i in range(len(instance.data))]
        self.elements += [(instance, i) for i in range(len(instance.elements))]
        code = relocate(
            module.code,
            {
                "pc": lambda pc: pc + base,
                "func": lambda i: instance.functions[i],
                "table": lambda i: instance.tables[i],
                "memory": lambda i: instance.memories[i],
                "global": lambda i: instance.globals[i],
                "type": lambda i: self.signature(types[i]),
                "data": lambda i: i + data,
                "elem": lambda i: i + elements,
            },
        )
        self.code += code
        self.implied += [instr.implied for instr in code]
        steps = [self.compile(self, instr, base + i) for i, instr in enumerate(code)]
        if is_untyped(module):
            steps = [guarded(s, i.op.pops, i.op.pushes) for s, i in zip(steps, code, strict=True)]
        self.steps += steps
        imported = len(instance.functions) - len(module.functions)
        for address, f in zip(instance.functions[imported:], module.functions, strict=True):
            self.entries[address] = CoreFunction(f.type, f.entry + base, f.locals, f.frame, f.name)


class CoreMachine:
    """State of one invocation: slots, `pc`, `sp`, `fp`, call frames, assembly variables."""

    def __init__(self, image: CoreImage) -> None:
        self.image = image
        self.slots = [STALE] * 64
        self.pc = 0
        self.sp = 0
        self.fp = 0
        self.calls: list[tuple[int, int]] = []
        self.variables = [STALE] * 64  # of the assembly, for all active frames
        self.vp = 0  # where the current frame's variables start
        self.opened = 0  # subroutines that have not returned
        self.running = True
        self.steps = 0
        self.implied = 0  # steps that the source program does not have

    def reserve(self, size: int) -> None:
        """Make room for `size` slots; trap beyond `MAX_SLOTS`."""
        if size > MAX_SLOTS:
            raise TrapError(Trap.STACK_EXHAUSTED)
        if size > len(self.slots):
            self.slots += [STALE] * (size + len(self.slots))

    def variable(self, index: int) -> int:
        """Return the position of a variable of the current frame, allocating it if needed."""
        position = self.vp + index
        if position >= len(self.variables):
            self.variables += [STALE] * (position + 1)
        return position

    def push(self, value: int) -> None:
        """Push one operand."""
        self.slots[self.sp] = value
        self.sp += 1

    def pop(self) -> int:
        """Pop one operand."""
        self.sp -= 1
        return self.slots[self.sp]

    def open_calls(self) -> tuple[OpenCall, ...]:
        """Return the open calls, innermost first, each at the instruction that it executes."""
        entries = sorted((f.entry, f.name) for f in self.image.entries.values())
        calls = []
        for pc in [self.pc, *(pc for pc, _ in self.calls[:0:-1])][:MOST_CALLS]:
            at = max(0, pc - 1)
            name = entries[bisect_right(entries, at, key=itemgetter(0)) - 1][1]
            calls.append(OpenCall(name, self.image.code[at].origin))
        return tuple(calls)

    def call(self, address: int) -> None:
        """Open a frame over the arguments on the stack."""
        target = self.image.entries.get(address)
        if target is None:
            self._call_host(self.image.store.functions[address])
            return
        fp = self.sp - len(target.type.params)
        if len(self.calls) >= MAX_FRAMES:
            raise TrapError(Trap.STACK_EXHAUSTED)
        self.reserve(fp + target.frame)
        self.calls.append((self.pc, self.fp))
        self.fp, self.sp, self.pc = fp, fp + target.locals, target.entry

    def _call_host(self, host: object) -> None:
        if not isinstance(host, HostFunction):
            raise TypeError("the function has no code")
        self.sp -= len(host.type.params)
        results = host.call(*self.slots[self.sp : self.sp + len(host.type.params)])
        values = results if isinstance(results, tuple) else () if results is None else (results,)
        self.reserve(self.sp + len(values))
        for value in values:
            self.push(value)

    def keep(self, count: int, base: int) -> None:
        """Move the top `count` slots down to `base`, dropping what lies between."""
        self.slots[base : base + count] = self.slots[self.sp - count : self.sp]
        self.sp = base + count

    def leave(self, results: int) -> None:
        """Close the current frame; closing the outermost one ends the run."""
        self.keep(results, self.fp)
        self.pc, self.fp = self.calls.pop()
        self.running = bool(self.calls)

    def run(self, limit: int, observer: Observer | None = None, pulse: Pulse = quiet) -> None:
        """Execute until the outermost call returns or the program halts."""
        while self.running:
            if self.steps >= limit:
                raise StepLimitError(limit)
            self._run_until(min(limit, self.steps + PULSE), observer)
            pulse(self.steps)

    def _run_until(self, stop: int, observer: Observer | None) -> None:
        code, implied = self.image.steps, self.image.implied
        while self.running and self.steps < stop:
            if observer is not None:
                observer(self)
            pc = self.pc
            self.steps += 1
            self.implied += implied[pc]
            self.pc = pc + 1
            code[pc](self)


def guarded(step: CoreStep, pops: int, pushes: int) -> CoreStep:
    """Wrap a step in a stack check, for code whose stack heights cannot be verified."""

    def check(m: CoreMachine) -> None:
        if m.sp < pops:
            raise TrapError(Trap.STACK_UNDERFLOW)
        if m.sp - pops + pushes > MAX_SLOTS:
            raise TrapError(Trap.STACK_EXHAUSTED)
        step(m)

    return check
