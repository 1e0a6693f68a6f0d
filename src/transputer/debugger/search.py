"""Search a recording for the next or the previous step at which a test holds.

A cursor is the number of the next step; its state is the row before that step. The cursor after the
last step is the end of the run.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.recording import Rows
from transputer.host.outcome import Pulse
from transputer.machines.trace.tape import SPACE, field

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
#: Flags the rows (of the trace machine: tokens) that a search looks for.
Test = Callable[[Any], Mask]


class Segment(Protocol):
    """Consecutive rows of a recording, from the position `start` up to `end`."""

    @property
    def start(self) -> int:
        """The first position."""

    @property
    def end(self) -> int:
        """The position after the last."""

    @property
    def segment(self) -> Any:
        """The rows."""


class SegmentedRecording(Protocol):
    """A recording as a search sees it: rows by position, and the position of each step's row."""

    @property
    def length(self) -> int:
        """The number of rows so far."""

    @property
    def steps(self) -> int:
        """The number of steps so far."""

    def position(self, step: int) -> int:
        """Return the position of the row after a step; the row before it is the step's state."""

    def step_at(self, position: int) -> int:
        """Return the last step whose row is at or before a position; 0 before the first."""

    def window(self, position: int) -> Segment:
        """Return the segment that holds a position."""


def _by_place(table: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Return the entry of `table` for the pc of each row; the last one for places after it."""
    return table[np.minimum(field(rows, "pc"), len(table) - 1)]


def at(pcs: NDArray[np.bool_]) -> Test:
    """Return a test: an instruction begins at one of `pcs`, which has a flag per place."""

    def test(rows: Rows) -> Mask:
        begins: Mask = (field(rows, "phase") == 0) & _by_place(pcs, rows)
        return begins

    return test


def shallower(depth: int) -> Test:
    """Return a test: fewer than `depth` calls are open."""

    def test(rows: Rows) -> Mask:
        hit: Mask = field(rows, "depth") < depth
        return hit

    return test


def written(space: int, addresses: range) -> Test:
    """Return a test: the last step wrote one of `addresses`."""

    def test(rows: Rows) -> Mask:
        where = field(rows, "at")
        hit: Mask = (where >= addresses.start) & (where < addresses.stop)
        here: Mask = rows[:, SPACE] == space
        return hit & here

    return test


def inside(numbers: Numbers, line: int, depth: int) -> Test:
    """Return a test: in the call at `depth`, on the line with the number `line`."""

    def test(rows: Rows) -> Mask:
        here: Mask = (_by_place(numbers, rows) == line) & (field(rows, "depth") == depth)
        return here

    return test


def elsewhere(numbers: Numbers, line: int, depth: int) -> Test:
    """Return a test: in a known line, other than `line` in the call at `depth`."""

    def test(rows: Rows) -> Mask:
        lines, depths = _by_place(numbers, rows), field(rows, "depth")
        away: Mask = (lines != line) | (depths != depth)
        begins: Mask = (lines > 0) & (field(rows, "phase") == 0)
        return away & begins

    return test


def later(numbers: Numbers, pc: int, depth: int) -> Test:
    """Return a test: a caller goes on, or another line begins behind `pc` in the call at `depth`.

    `numbers` are the lines of all places, 0 where the line is unknown.
    """

    def test(rows: Rows) -> Mask:
        pcs, depths = field(rows, "pc"), field(rows, "depth")
        lines = _by_place(numbers, rows)
        behind = (depths == depth) & (pcs > pc) & (lines != numbers[pc])
        begins: Mask = (lines > 0) & (field(rows, "phase") == 0)
        near: Mask = (depths < depth) | behind
        return near & begins

    return test


def either(first: Test, second: Test) -> Test:
    """Return a test: one of two tests holds."""
    return lambda rows: first(rows) | second(rows)


def other(numbers: Numbers, line: int, depth: int) -> Test:
    """Return a test: another line than `line` begins, in the call at `depth` or in a caller.

    `numbers` are the lines of all places, 0 where the line is unknown.
    """

    def test(rows: Rows) -> Mask:
        lines, depths = _by_place(numbers, rows), field(rows, "depth")
        near: Mask = (depths < depth) | (depths == depth) & (lines != line)
        begins: Mask = (lines > 0) & (field(rows, "phase") == 0)
        return near & begins

    return test


def forward(recording: SegmentedRecording, cursor: int, test: Test, pulse: Pulse) -> int | None:
    """Return the first cursor after `cursor` where the test holds; None if there is none."""
    position = recording.position(cursor)  # of the next cursor's state
    while position < recording.length - 1:
        window = recording.window(position)
        first = position - window.start
        hits = np.flatnonzero(test(window.segment[first:])) + position
        for hit in _cursors(recording, hits):
            if hit > cursor:
                return hit
        position = window.end
        pulse(recording.step_at(position))
    return None


def backward(recording: SegmentedRecording, cursor: int, test: Test, pulse: Pulse) -> int | None:
    """Return the last cursor before `cursor` where the test holds; None if there is none."""
    position = recording.position(cursor) - 2  # of the previous cursor's state
    first = recording.position(1) - 1
    while position >= first:
        window = recording.window(position)
        hits = np.flatnonzero(test(window.segment[: position + 1 - window.start])) + window.start
        for hit in _cursors(recording, hits[hits >= first][::-1]):
            if hit < cursor:
                return hit
        position = window.start - 1
        pulse(max(1, recording.step_at(position)))
    return None


def _cursors(recording: SegmentedRecording, positions: Numbers) -> Iterator[int]:
    """Yield the cursors whose state is at `positions`; the host's tokens have no cursor."""
    for position in positions.tolist():
        step = recording.step_at(position + 1)
        if recording.position(step) == position + 1 and step <= recording.steps:
            yield step
