"""Recordings of the loom machine: any step of a run, without keeping its states.

A mark is the state as it differs from the first one. What follows is made again by the engine; it
comes out the same, because a step depends on the weights and the state alone.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.plain import INTERVAL, Marked, Rows
from transputer.engines.protocol import LoopedEngine
from transputer.errors import StepLimitError
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.host import LoomSession
from transputer.model import Array

#: Slots of a step that changed none.
_NONE = (-1, -1)
#: A state to a run of the model from there.
Maker = Callable[[Array], LoopedEngine]


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A state, by the cells in which it differs from the first, and the bytes put out till then."""

    cells: NDArray[np.int64]
    values: Array
    put: int


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch: its rows, how many bytes were put out, and the words of memory that changed."""

    start: int
    end: int
    stretch: Rows
    put: NDArray[np.int64]
    first: NDArray[np.int64]  # the words before the first row's step
    changes: Rows  # position, slot, word

    def memory(self, position: int) -> NDArray[np.int64]:
        """The words of all slots at a position, unsigned."""
        count = int(np.searchsorted(self.changes[:, 0], position, side="right"))
        held = self.first.copy()
        held[self.changes[:count, 1]] = self.changes[:count, 2]
        return held

    def row(self, position: int) -> tuple[int, int]:
        """The place, and how many bytes were put out, at a position."""
        at = position - self.start
        return int(self.stretch[at, 0]), int(self.put[at])


class LoomRecording(Marked[Mark, Window]):
    """A run of a looped model in a configuration, from a state."""

    def __init__(
        self, config: LoomConfig, make: Maker, first: Array, interval: int = INTERVAL
    ) -> None:
        super().__init__(Mark(np.zeros(0, np.int64), np.zeros(0), 0), interval)
        self.config = config
        self._make, self._first = make, first

    def note(self, session: LoomSession, put: int) -> None:
        """The run has come further, with so many bytes of output; puts it aside where due."""
        kept = None
        if self.due(session.steps):
            state = session.engine.state
            cells = np.flatnonzero(state != self._first)
            kept = Mark(cells, state.ravel()[cells], put)
        self.reached(session.steps, kept)

    def state(self, position: int) -> Array:
        """The whole state at a position."""
        steps, mark = self.before(position)
        engine = self._engine(mark)
        if position > steps:
            engine.run(position - steps)
        return engine.state

    def _engine(self, mark: Mark) -> LoopedEngine:
        state = self._first.copy()
        state.ravel()[mark.cells] = mark.values
        return self._make(state)

    def remake(self, steps: int, kept: Mark, end: int) -> Window:
        """The steps after a mark, made again and told."""
        session = LoomSession(self.config, self._engine(kept))
        first = np.array(session.memory, dtype=np.int64)
        places, slots, put, changes = [], [_NONE], [kept.put], []
        with suppress(StepLimitError):  # the run may go on behind the end
            for at, record in enumerate(session.records(end - 1 - steps), start=steps + 1):
                places.append(record.pc)
                first_slot, second, *_ = (*(slot for slot, _ in record.changes), *_NONE)
                slots.append((first_slot, second))
                put.append(kept.put + len(session.output))
                changes += [(at, slot, word) for slot, word in record.changes]
        places.append(max(-1, session.place))
        rows = np.column_stack([np.array(places), np.array(slots)])
        told = np.array(changes, dtype=np.int64).reshape(-1, 3)
        left = int(steps > 0)  # the row at a mark belongs to the stretch before it
        start, end = steps + left, steps + len(rows)
        return Window(start, end, rows[left:], np.array(put)[left:], first, told)
