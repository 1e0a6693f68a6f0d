"""Recordings of the loom machine: any step of a run, without keeping every state.

A checkpoint stores the difference between a state and the first state. The engine executes the
steps after it again. They are the same, because a step depends on the weights and the state alone.
"""

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.plain import INTERVAL, CheckpointedRecording, Rows
from transputer.engines.protocol import LoopedEngine
from transputer.errors import StepLimitError
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.host import LoomSession
from transputer.model import Array
from transputer.values import dataclass

#: The slots of a step that changed no slot.
_NONE = (-1, -1)
#: Returns an engine that runs the model from a state.
Maker = Callable[[Array], LoopedEngine]


@dataclass(frozen=True, slots=True, eq=False)
class LoomCheckpoint:
    """The cells in which a state differs from the first, and the bytes written so far."""

    cells: NDArray[np.int64]
    values: Array
    output_length: int


@dataclass(frozen=True, slots=True, eq=False)
class LoomWindow:
    """A segment of a run: rows, the output lengths, and the words of memory that changed."""

    start: int
    end: int
    segment: Rows
    output_lengths: NDArray[np.int64]
    first: NDArray[np.int64]  # the words before the first row's step
    changes: Rows  # position, slot, word

    def memory(self, position: int) -> NDArray[np.int64]:
        """Return the unsigned words of all slots at a position."""
        count = int(np.searchsorted(self.changes[:, 0], position, side="right"))
        words = self.first.copy()
        words[self.changes[:count, 1]] = self.changes[:count, 2]
        return words

    def row(self, position: int) -> tuple[int, int]:
        """Return the pc and the number of bytes written at a position."""
        at = position - self.start
        return int(self.segment[at, 0]), int(self.output_lengths[at])


class LoomRecording(CheckpointedRecording[LoomCheckpoint, LoomWindow]):
    """A run of a looped model in a configuration, from a state."""

    def __init__(
        self, config: LoomConfig, make: Maker, first: Array, interval: int = INTERVAL
    ) -> None:
        super().__init__(LoomCheckpoint(np.zeros(0, np.int64), np.zeros(0), 0), interval)
        self.config = config
        self._make, self._first = make, first

    def note(self, session: LoomSession, output_length: int) -> None:
        """Record the session's progress; take a checkpoint if one is due."""
        checkpoint = None
        if self.due(session.steps):
            state = session.engine.state
            cells = np.flatnonzero(state != self._first)
            checkpoint = LoomCheckpoint(cells, state.ravel()[cells], output_length)
        self.reached(session.steps, checkpoint)

    def state(self, position: int) -> Array:
        """Return the whole state at a position."""
        steps, checkpoint = self.before(position)
        engine = self._engine(checkpoint)
        if position > steps:
            engine.run(position - steps)
        return engine.state

    def _engine(self, checkpoint: LoomCheckpoint) -> LoopedEngine:
        state = self._first.copy()
        state.ravel()[checkpoint.cells] = checkpoint.values
        return self._make(state)

    def replay(self, steps: int, checkpoint: LoomCheckpoint, end: int) -> LoomWindow:
        """Execute the steps after a checkpoint again; return them."""
        session = LoomSession(self.config, self._engine(checkpoint))
        first = np.array(session.memory, dtype=np.int64)
        places, slots, lengths, changes = [], [_NONE], [checkpoint.output_length], []
        with suppress(StepLimitError):  # the run may continue after `end`
            for at, record in enumerate(session.records(end - 1 - steps), start=steps + 1):
                places.append(record.pc)
                first_slot, second, *_ = (*(slot for slot, _ in record.changes), *_NONE)
                slots.append((first_slot, second))
                lengths.append(checkpoint.output_length + len(session.output))
                changes += [(at, slot, word) for slot, word in record.changes]
        places.append(max(-1, session.place))
        rows = np.column_stack([np.array(places), np.array(slots)])
        written = np.array(changes, dtype=np.int64).reshape(-1, 3)
        skip = int(steps > 0)  # the row at a checkpoint belongs to the segment before it
        start, end = steps + skip, steps + len(rows)
        return LoomWindow(start, end, rows[skip:], np.array(lengths)[skip:], first, written)
