"""Rows of machines whose state is a place and words: `(place, first slot, second slot)`.

A row says where the run is, and which slots of memory the step before it changed (-1: none). The
first row is the beginning; a place of -1 is the end.
"""

from bisect import bisect_left
from collections import OrderedDict
from threading import RLock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.search import Mask, Numbers, Stretch, Test

Rows = NDArray[np.int64]
#: Windows that are kept.
WINDOWS = 4
#: Steps between two marks at first; it doubles when there are more than MARKS.
INTERVAL, MARKS = 1 << 12, 1 << 12


def at(chosen: Mask) -> Test:
    """At one of these places; there is a flag per place and a last one for the end."""
    return lambda rows: chosen[rows[:, 0]]


def other(numbers: Numbers, line: int) -> Test:
    """At another line than this; `numbers` are the lines of all places, 0 where unknown."""

    def test(rows: Rows) -> Mask:
        lines = numbers[rows[:, 0]]
        found: Mask = (lines > 0) & (lines != line)
        return found

    return test


def changed(slots: range) -> Test:
    """One of these slots was just changed."""

    def test(rows: Rows) -> Mask:
        first, second = (np.isin(rows[:, i], slots) for i in (1, 2))
        hit: Mask = first | second
        return hit

    return test


Kept = TypeVar("Kept")  # what a mark puts aside
Made = TypeVar("Made", bound=Stretch)


class Marked(Generic[Kept, Made]):
    """A recording with a row per step: what is put aside now and then, and stretches made again.

    Position `n` is what the run holds after `n` steps. Call `mark` between steps; all else may be
    asked from another thread meanwhile. Whoever inherits says how a stretch is made.
    """

    def __init__(self, first: Kept, interval: int = INTERVAL, most: int = 0) -> None:
        self.interval, self._most = interval, most
        self.length = 1
        self._lock = RLock()
        self._marks: list[tuple[int, Kept]] = [(0, first)]
        self._windows: OrderedDict[int, Made] = OrderedDict()

    def remake(self, steps: int, kept: Kept, end: int) -> Made:
        """The stretch after a mark at so many steps, up to a position that it does not hold."""
        raise NotImplementedError

    def due(self, steps: int) -> bool:
        """Whether the run, after so many steps, is to be put aside."""
        return steps - self._marks[-1][0] >= self.interval

    def reached(self, steps: int, kept: Kept | None = None) -> None:
        """The run has come so far; `kept` is what it goes on from, where that is put aside."""
        with self._lock:
            self.length = steps + 1
            if kept is not None and steps > self._marks[-1][0]:
                self._marks.append((steps, kept))
            if len(self._marks) > (self._most or MARKS):
                self._marks = self._marks[::2]
                self.interval *= 2
                self._windows.clear()

    @property
    def steps(self) -> int:
        """How many steps there are so far."""
        return self.length - 1

    def position(self, step: int) -> int:
        """The position of the row that a step made."""
        return step

    def step_at(self, position: int) -> int:
        """The step that made the row at a position; 0 for the first."""
        return position

    def before(self, position: int) -> tuple[int, Kept]:
        """The last mark before a position (at its beginning: that), as steps and what was kept."""
        with self._lock:
            return self._marks[max(0, bisect_left(self._marks, position, key=_steps) - 1)]

    def window(self, position: int) -> Made:
        """The stretch that a position is in: it begins right after a mark."""
        with self._lock:
            number = max(0, bisect_left(self._marks, position, key=_steps) - 1)
            steps, kept = self._marks[number]
            last = number + 1 == len(self._marks)
            end = self.length if last else self._marks[number + 1][0] + 1
            found = self._windows.get(steps)
            if found is not None and found.end > position:
                self._windows.move_to_end(steps)
                return found
        made = self.remake(steps, kept, end)
        with self._lock:
            self._windows[steps] = made
            while len(self._windows) > WINDOWS:
                self._windows.popitem(last=False)
        return made


def _steps(mark: tuple[int, object]) -> int:
    return mark[0]
