"""Finding steps: the next or the last one before which the run is as somebody wants it.

A cursor is the number of a step that is about to be made; the state is what the token before it
says. The cursor after the last step is the end of the run.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.recording import Rows
from transputer.machines.trace.tape import SPACE, field

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
#: Which of these rows (of a trace: tokens), as states or as what was just written, are wanted.
Test = Callable[[Any], Mask]
#: Hears the cursor that a search has come to.
Heard = Callable[[int], None]


class Stretch(Protocol):
    """Consecutive rows of a recording, from the position `start` up to `end`."""

    @property
    def start(self) -> int:
        """The first position."""

    @property
    def end(self) -> int:
        """The position behind the last."""

    @property
    def stretch(self) -> Any:
        """The rows themselves."""


class Stretches(Protocol):
    """A recording as a search sees it: rows by position, and the positions that steps made."""

    @property
    def length(self) -> int:
        """How many rows there are so far."""

    @property
    def steps(self) -> int:
        """How many steps there are so far."""

    def position(self, step: int) -> int:
        """The position of the row that a step made; the one before it is its state."""

    def step_at(self, position: int) -> int:
        """The last step whose row is at a position or before it; 0 before the first."""

    def window(self, position: int) -> Stretch:
        """The stretch that a position is in."""


def at(pcs: NDArray[np.bool_]) -> Test:
    """About to begin an instruction at one of these places; `pcs` has a flag per place."""

    def test(rows: Rows) -> Mask:
        begins: Mask = field(rows, "phase") == 0
        return begins & pcs[field(rows, "pc")]

    return test


def shallower(depth: int) -> Test:
    """With fewer open calls than `depth`."""

    def test(rows: Rows) -> Mask:
        found: Mask = field(rows, "depth") < depth
        return found

    return test


def written(space: int, addresses: range) -> Test:
    """One of these addresses was just written."""

    def test(rows: Rows) -> Mask:
        where = field(rows, "at")
        hit: Mask = (where >= addresses.start) & (where < addresses.stop)
        here: Mask = rows[:, SPACE] == space
        return hit & here

    return test


def other(numbers: Numbers, line: int, depth: int) -> Test:
    """At the beginning of another line than this in this call or one around it.

    `numbers` are the lines of all places, 0 where one is unknown.
    """

    def test(rows: Rows) -> Mask:
        lines, depths = numbers[field(rows, "pc")], field(rows, "depth")
        near: Mask = (depths < depth) | (depths == depth) & (lines != line)
        begins: Mask = (lines > 0) & (field(rows, "phase") == 0)
        return near & begins

    return test


def forward(recording: Stretches, cursor: int, test: Test, heard: Heard) -> int | None:
    """The first cursor after this one where the test holds, if there is one."""
    position = recording.position(cursor)  # of the state before the next cursor
    while position < recording.length - 1:
        window = recording.window(position)
        first = position - window.start
        hits = np.flatnonzero(test(window.stretch[first:])) + position
        for found in _cursors(recording, hits):
            if found > cursor:
                return found
        position = window.end
        heard(recording.step_at(position))
    return None


def backward(recording: Stretches, cursor: int, test: Test, heard: Heard) -> int | None:
    """The last cursor before this one where the test holds, if there is one."""
    position = recording.position(cursor) - 2  # the state before the last cursor
    first = recording.position(1) - 1
    while position >= first:
        window = recording.window(position)
        hits = np.flatnonzero(test(window.stretch[: position + 1 - window.start])) + window.start
        for found in _cursors(recording, hits[hits >= first][::-1]):
            if found < cursor:
                return found
        position = window.start - 1
        heard(max(1, recording.step_at(position)))
    return None


def _cursors(recording: Stretches, positions: Numbers) -> Iterator[int]:
    """The cursors whose state is at these positions: what follows there is decoded."""
    for position in positions.tolist():
        step = recording.step_at(position + 1)
        if recording.position(step) == position + 1 and step <= recording.steps:
            yield step
