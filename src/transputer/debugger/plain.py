"""Rows of machines whose state is a pc and words: `(pc, first slot, second slot)`.

A row has the program counter and the slots of memory that the step before it changed (-1: none).
The first row is the beginning; a pc of -1 is the end.
"""

from bisect import bisect_left
from collections import OrderedDict
from threading import RLock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.search import Mask, Numbers, Segment, Test

Rows = NDArray[np.int64]
#: Number of windows in the cache.
WINDOWS = 4
#: Initial number of steps between checkpoints; it doubles when there are more than CHECKPOINTS.
INTERVAL, CHECKPOINTS = 1 << 12, 1 << 12


def at(places: Mask) -> Test:
    """Return a test: the pc is at one of `places`, a flag per place and a last one for the end."""
    return lambda rows: places[rows[:, 0]]


def other(numbers: Numbers, line: int) -> Test:
    """Return a test: at another line than `line`; `numbers` are the lines of all places, or 0."""

    def test(rows: Rows) -> Mask:
        lines = numbers[rows[:, 0]]
        hit: Mask = (lines > 0) & (lines != line)
        return hit

    return test


def changed(slots: range) -> Test:
    """Return a test: the last step changed one of `slots`."""

    def test(rows: Rows) -> Mask:
        first, second = (np.isin(rows[:, i], slots) for i in (1, 2))
        hit: Mask = first | second
        return hit

    return test


CheckpointT = TypeVar("CheckpointT")
WindowT = TypeVar("WindowT", bound=Segment)


class CheckpointedRecording(Generic[CheckpointT, WindowT]):
    """A recording with a row per step: checkpoints, and segments that are computed again on demand.

    Position `n` is the state after `n` steps. Call `reached` between steps; all other methods may
    be called from another thread meanwhile. A subclass defines `replay`.
    """

    def __init__(self, first: CheckpointT, interval: int = INTERVAL, most: int = 0) -> None:
        self.interval, self._most = interval, most
        self.length = 1
        self._lock = RLock()
        self._checkpoints: list[tuple[int, CheckpointT]] = [(0, first)]
        self._windows: OrderedDict[int, WindowT] = OrderedDict()

    def replay(self, steps: int, checkpoint: CheckpointT, end: int) -> WindowT:
        """Return the segment after a checkpoint at `steps`, up to `end` (exclusive)."""
        raise NotImplementedError

    def due(self, steps: int) -> bool:
        """Return whether a checkpoint is due after `steps` steps."""
        return steps - self._checkpoints[-1][0] >= self.interval

    def reached(self, steps: int, checkpoint: CheckpointT | None = None) -> None:
        """Record that the run has reached `steps`, and the checkpoint there if one was taken."""
        with self._lock:
            self.length = steps + 1
            if checkpoint is not None and steps > self._checkpoints[-1][0]:
                self._checkpoints.append((steps, checkpoint))
            if len(self._checkpoints) > (self._most or CHECKPOINTS):
                self._checkpoints = self._checkpoints[::2]
                self.interval *= 2
                self._windows.clear()

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self.length - 1

    def position(self, step: int) -> int:
        """Return the position of the row after a step."""
        return step

    def step_at(self, position: int) -> int:
        """Return the step before the row at a position; 0 for the first row."""
        return position

    def before(self, position: int) -> tuple[int, CheckpointT]:
        """Return the last checkpoint before a position (at 0: the first), with its steps."""
        with self._lock:
            return self._checkpoints[
                max(0, bisect_left(self._checkpoints, position, key=_steps) - 1)
            ]

    def window(self, position: int) -> WindowT:
        """Return the segment that holds a position; it begins directly after a checkpoint."""
        with self._lock:
            number = max(0, bisect_left(self._checkpoints, position, key=_steps) - 1)
            steps, checkpoint = self._checkpoints[number]
            last = number + 1 == len(self._checkpoints)
            end = self.length if last else self._checkpoints[number + 1][0] + 1
            cached = self._windows.get(steps)
            if cached is not None and cached.end > position:
                self._windows.move_to_end(steps)
                return cached
        window = self.replay(steps, checkpoint, end)
        with self._lock:
            self._windows[steps] = window
            while len(self._windows) > WINDOWS:
                self._windows.popitem(last=False)
        return window


def _steps(checkpoint: tuple[int, object]) -> int:
    return checkpoint[0]
