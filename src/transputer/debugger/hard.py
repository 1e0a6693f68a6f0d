"""Recordings of the soft machine's hard path, made in C."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.plain import INTERVAL, MARKS, Marked, Rows
from transputer.errors import CapacityError
from transputer.machines.soft.hardstate import HardState
from transputer.machines.soft.native import Hard

#: The most words of memory that are recorded, and bytes that all marks together may take.
MOST_MEMORY, MOST_BYTES = 1 << 18, 1 << 28


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a run can be taken up again: its state, and how many words it has put out."""

    state: HardState
    put: int


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A segment of a run: rows by position, and the changes that lead from its first state.

    A row has the place and the words that the step before it changed: of memory, then registers
    behind it; -1 for none. `written` has the address and the new word of each step, or -1.
    """

    start: int
    end: int
    stretch: Rows
    first: HardState
    registers: NDArray[np.uint32]
    flags: NDArray[np.int32]
    written: NDArray[np.int64]
    outputs: NDArray[np.int64]

    def state(self, position: int) -> HardState:
        """Return the state at a position."""
        at = position - self.start
        memory = self.first.memory.copy()
        changes = self.written[: at + 1]
        changes = changes[changes[:, 0] >= 0]
        memory[changes[:, 0]] = changes[:, 1]
        return replace(
            self.first,
            registers=self.registers[at],
            flags=self.flags[at],
            pc=np.int32(self.stretch[at, 0]),
            memory=memory,
        )

    def put(self, position: int) -> int:
        """Return how many words the run has put out at a position."""
        return int(self.outputs[position - self.start])


class HardRecording(Marked[Mark, Window]):
    """The hard path of a program from a state; `advance` goes on by an interval."""

    def __init__(self, start: Callable[[HardState], Hard], first: HardState, length: int) -> None:
        size = len(first.memory)
        if size > MOST_MEMORY:
            raise CapacityError(
                f"needs {size:,} words of memory, a recording has at most {MOST_MEMORY:,}"
            )
        super().__init__(Mark(first, 0), INTERVAL, max(16, min(MARKS, MOST_BYTES // (4 * size))))
        self._start, self._length = start, length
        self._machine = start(first)
        self.words: list[int] = []

    @property
    def ended(self) -> bool:
        """Whether the program has come to its end."""
        return self._machine.ended

    @property
    def state(self) -> HardState:
        """The state after the last step."""
        return self._machine.state

    def advance(self, most: int) -> None:
        """Make an interval of steps more, at most `most`, or go to the end."""
        left = min(most, self.interval)
        while left and not self.ended:
            done = self._machine.advance(min(left, 1 << 8))  # room for output: a word per step
            self.words += self._machine.take().tolist()
            left -= done
            self.reached(self.steps + done)
        if self.due(self.steps):
            self.reached(self.steps, Mark(self.state, len(self.words)))

    def remake(self, steps: int, kept: Mark, end: int) -> Window:
        """Make the steps after a mark again, one by one."""
        machine, left = self._start(kept.state), int(steps > 0)
        count, size = end - steps, len(kept.state.memory)
        rows = np.full((count, 3), -1, np.int64)
        registers = np.zeros((count, len(kept.state.registers)), np.uint32)
        flags, written = np.zeros(count, np.int32), np.full((count, 2), -1, np.int64)
        outputs = np.full(count, kept.put, np.int64)
        memory = kept.state.memory.copy()
        for at in range(count):
            if at:
                machine.advance(1)
                outputs[at] = outputs[at - 1] + len(machine.take())
                for slot in np.flatnonzero(machine.memory != memory).tolist():
                    memory[slot] = machine.memory[slot]
                    written[at], rows[at, 1] = (slot, memory[slot]), slot
                for number in np.flatnonzero(machine.registers != registers[at - 1]).tolist():
                    rows[at, 1 + int(rows[at, 1] >= 0)] = size + number
            registers[at], flags[at] = machine.registers, machine.flags
            rows[at, 0] = machine.pc if machine.pc < self._length else -1
        window = Window(steps, end, rows, kept.state, registers, flags, written, outputs)
        return window if not left else _without_first(window)


def _without_first(window: Window) -> Window:
    """Return a window that begins a position later; its first change is made before it."""
    later = {
        name: getattr(window, name)[1:]
        for name in ("stretch", "registers", "flags", "outputs", "written")
    }
    return replace(window, start=window.start + 1, **later)
