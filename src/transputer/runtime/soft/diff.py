"""`diff` on the soft machine: the first step after which two engines are in different states."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice, zip_longest

import numpy as np

from transputer.debugger.diff import Comparison, Difference
from transputer.errors import StepLimitError
from transputer.host.outcome import DEFAULT_STEPS
from transputer.host.result import check_invoke
from transputer.machines.soft.hardstate import HardState
from transputer.oracle.soft import Soft
from transputer.registry import RunSettings
from transputer.runtime.soft.program import CompiledSoft
from transputer.runtime.soft.run import Running, initial, start
from transputer.runtime.soft.streams import Words, input_words
from transputer.values import dataclass

#: Steps between two reports of progress.
_EVERY = 1 << 12


@dataclass(frozen=True, slots=True)
class SoftStep:
    """A step: its place, the state after it, and the bytes of output that it wrote."""

    pc: int
    state: HardState
    output: bytes


class _Interpreter:
    """The interpreter, run like an engine."""

    def __init__(self, program: CompiledSoft, first: HardState, read: Callable[[], int]) -> None:
        self._first, self._soft = first, Soft(program.image, read)
        self._soft.registers[:] = first.registers.tolist()
        self._soft.memory[:] = first.memory.tolist()

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""
        return self._soft.ended

    @property
    def state(self) -> HardState:
        """Where the interpreter is."""
        soft = self._soft
        registers, memory = (np.array(w, np.uint32) for w in (soft.registers, soft.memory))
        flags, pc = np.int32(soft.flags), np.int32(soft.pc)
        return replace(self._first, registers=registers, memory=memory, flags=flags, pc=pc)

    def serve(self, limit: int, read: Callable[[], Words]) -> Iterator[tuple[int, Words]]:
        """Make at most `limit` steps, and yield their number and output once."""
        steps, written = self._soft.steps, len(self._soft.output)
        with suppress(StepLimitError):
            self._soft.run(limit)
        yield self._soft.steps - steps, np.array(self._soft.output[written:], np.uint32)


def diff(program: CompiledSoft, settings: RunSettings, engines: tuple[str, str]) -> Comparison:
    """Run a program on two engines and return the first step that differs.

    A step is where it was, the state it leaves, and the low byte of each word of output. `oracle`
    is the interpreter; `soft` is the soft path at temperature 0.
    """
    check_invoke(program.name, not program.assembly, settings.invoke)
    first, second = (_steps(program, replace(settings, engine=engine)) for engine in engines)
    step = 0
    for step, (one, other) in enumerate(zip_longest(first, second), start=1):
        difference = _difference(step, one, other)
        if difference is not None:
            return _located(program, difference)
        if step % _EVERY == 0:
            settings.pulse(step)
    return Comparison(None, step)


def _steps(program: CompiledSoft, settings: RunSettings) -> Iterator[SoftStep]:
    """Yield the steps of a run, at most `max_steps`."""
    stdin = settings.stdin if isinstance(settings.stdin, bytes) else b""
    words = iter(input_words(program, stdin).tolist())
    machine: Running
    if settings.engine == "oracle":
        machine = _Interpreter(program, initial(program, settings), lambda: next(words, -1))
    else:
        _, machine = start(program, settings)
    state = machine.state
    for _ in range(settings.max_steps or DEFAULT_STEPS):
        if machine.ended:
            return
        pc, output = int(state.pc), bytearray()
        for _, put in machine.serve(1, lambda: np.array([*islice(words, 1)], np.uint32)):
            output += put.astype(np.uint8).tobytes()
        state = machine.state
        yield SoftStep(pc, state, bytes(output))


def _difference(step: int, one: SoftStep | None, other: SoftStep | None) -> Difference | None:
    """Return what differs in a step, or None."""
    if one is None or other is None:
        first, second = ("ended" if s is None else "continues" for s in (one, other))
        return Difference(step, 0, "number of steps", first, second)
    for what, first, second in _compared(one, other):
        if first != second:
            return Difference(step, one.pc, what, first, second)
    return None


def _compared(one: SoftStep, other: SoftStep) -> Iterator[tuple[str, str, str]]:
    """Yield what two steps are compared by, the next place last: it follows from the others."""
    yield "pc", str(one.pc), str(other.pc)
    for name, cell in (("registers", "R"), ("memory", "word ")):
        left, right = (np.asarray(getattr(each.state, name)) for each in (one, other))
        for at in np.flatnonzero(left != right)[:1].tolist():
            yield f"{cell}{at}", str(left[at]), str(right[at])
    yield "flags", str(int(one.state.flags)), str(int(other.state.flags))
    yield "output", str(list(one.output)), str(list(other.output))
    yield "next pc", str(int(one.state.pc)), str(int(other.state.pc))


def _located(program: CompiledSoft, difference: Difference) -> Comparison:
    """Return a difference with the instruction and the source line of its place."""
    code, lines = program.image.code, program.image.lines
    text = str(code[difference.pc]) if difference.pc < len(code) else ""
    number = lines[difference.pc] if difference.pc < len(lines) else 0
    return Comparison(difference, difference.step, text, f"line {number}" if number else "")
