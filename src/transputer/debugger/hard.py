"""Recordings of the soft machine's hard path, which runs in C."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.plain import CHECKPOINTS, INTERVAL, CheckpointedRecording, Rows
from transputer.errors import CapacityError
from transputer.machines.soft.hardstate import HardState
from transputer.machines.soft.native import Hard
from transputer.values import dataclass

#: The most words of memory that are recorded, and the most bytes of all checkpoints together.
MOST_MEMORY, MOST_BYTES = 1 << 18, 1 << 28


@dataclass(frozen=True, slots=True)
class HardCheckpoint:
    """A checkpoint of a run: its state, and the number of words written so far."""

    state: HardState
    output_length: int


@dataclass(frozen=True, slots=True, eq=False)
class HardWindow:
    """A segment of a run: rows by position, and the changes since its first state.

    A row has the pc and the words that the step before it changed: memory, then registers;
    -1 for none. `written` has the address and the new word of each step, or -1. `outputs` has the
    number of words written so far.
    """

    start: int
    end: int
    segment: Rows
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
            pc=np.int32(self.segment[at, 0]),
            memory=memory,
        )

    def output_length(self, position: int) -> int:
        """Return the number of words that the run has written at a position."""
        return int(self.outputs[position - self.start])


class HardRecording(CheckpointedRecording[HardCheckpoint, HardWindow]):
    """The hard path of a program from a state; `advance` extends it by an interval."""

    def __init__(self, start: Callable[[HardState], Hard], first: HardState, length: int) -> None:
        size = len(first.memory)
        if size > MOST_MEMORY:
            raise CapacityError(
                f"needs {size:,} words of memory, a recording has at most {MOST_MEMORY:,}"
            )
        super().__init__(
            HardCheckpoint(first, 0), INTERVAL, max(16, min(CHECKPOINTS, MOST_BYTES // (4 * size)))
        )
        self._start, self._length = start, length
        self._machine = start(first)
        self.words: list[int] = []

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self._machine.ended

    @property
    def state(self) -> HardState:
        """The state after the last step."""
        return self._machine.state

    def advance(self, most: int) -> None:
        """Execute an interval of steps, at most `most`, or up to the end of the program."""
        left = min(most, self.interval)
        while left and not self.ended:
            done = self._machine.advance(min(left, 1 << 8))  # room for output: a word per step
            self.words += self._machine.take().tolist()
            left -= done
            self.reached(self.steps + done)
        if self.due(self.steps):
            self.reached(self.steps, HardCheckpoint(self.state, len(self.words)))

    def replay(self, steps: int, checkpoint: HardCheckpoint, end: int) -> HardWindow:
        """Execute the steps after a checkpoint again, one by one; return them."""
        machine, left = self._start(checkpoint.state), int(steps > 0)
        count, size = end - steps, len(checkpoint.state.memory)
        rows = np.full((count, 3), -1, np.int64)
        registers = np.zeros((count, len(checkpoint.state.registers)), np.uint32)
        flags, written = np.zeros(count, np.int32), np.full((count, 2), -1, np.int64)
        outputs = np.full(count, checkpoint.output_length, np.int64)
        memory = checkpoint.state.memory.copy()
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
        window = HardWindow(steps, end, rows, checkpoint.state, registers, flags, written, outputs)
        return window if not left else _without_first(window)


def _without_first(window: HardWindow) -> HardWindow:
    """Return a window that begins a position later, after its first change."""
    later = {
        name: getattr(window, name)[1:]
        for name in ("segment", "registers", "flags", "outputs", "written")
    }
    return replace(window, start=window.start + 1, **later)
