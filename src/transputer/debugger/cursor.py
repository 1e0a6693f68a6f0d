"""A cursor in a recorded run: move it to steps, lines and breakpoints, forwards and backwards.

The cursor is the number of the next step, counted from 1. One more than the number of steps is the
end of the run. Moving the cursor never changes the run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from transputer.debugger import search
from transputer.debugger.search import Mask, Numbers, SegmentedRecording, Test
from transputer.errors import UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import Pulse, quiet
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A breakpoint: the name to show, and the test that says where the run stops.

    `holds` is asked at each such step, with the cursor there, whether the run really stops;
    `told` returns what to show then.
    """

    name: str
    test: Test
    holds: Callable[[], bool] | None = None
    told: Callable[[], str] | None = None
    condition: str = ""


class Cursor(ABC):
    """A recording and a cursor in it; `name` is the program's name."""

    def __init__(self, recording: SegmentedRecording, name: str) -> None:
        self.recording = recording
        self.name = name
        self.cursor = 1
        self.breaks: list[Breakpoint] = []

    # What a machine defines

    @property
    @abstractmethod
    def instructions(self) -> Sequence[object]:
        """The instruction at each place of the code; `str` gives its text."""

    @abstractmethod
    def pc(self, step: int | None = None) -> int:
        """Return the program counter of a step, by default the cursor's."""

    @abstractmethod
    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""

    @abstractmethod
    def at_places(self, places: Mask) -> Test:
        """Return a test: the next instruction is at one of `places`.

        The mask has a flag for each place of the code, and a last one for the end of the run.
        """

    @abstractmethod
    def other_line(self) -> Test:
        """Return a test: the next instruction begins another source line."""

    # Places and lines

    @property
    def steps(self) -> int:
        """The number of steps recorded so far."""
        return self.recording.steps

    def check(self, step: int) -> None:
        """Raise `UsageError` unless `step` is a valid cursor."""
        if not 1 <= step <= self.steps + 1:
            raise UsageError(f"no step {step}; steps are 1 to {self.steps + 1}")

    @cached_property
    def _lines(self) -> tuple[Numbers, list[SourceLine]]:
        """The index (from 1) of each place's line in the list of different lines, and that list."""
        indices: dict[SourceLine, int] = {}
        by_place = []
        for pc in range(len(self.instructions)):
            line = self.line_at(pc)
            by_place.append(indices.setdefault(line, len(indices) + 1) if line else 0)
        by_place.append(0)  # a run may end behind the last place
        return np.array(by_place, dtype=np.int64), list(indices)

    @property
    def line_numbers(self) -> Numbers:
        """A number for the line of each place; 0 where the line is unknown."""
        return self._lines[0]

    def line(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        numbers, lines = self._lines
        number = int(numbers[min(pc, len(numbers) - 1)])
        return lines[number - 1] if number else None

    # Moving

    def go(self, step: int) -> None:
        """Move the cursor to a step."""
        self.check(step)
        self.cursor = step

    def forward(self, test: Test | None, pulse: Pulse = quiet) -> Breakpoint | None:
        """Move forward to the first step where `test` or a breakpoint holds, or to the end.

        Return the breakpoint that stopped the move, if one did.
        """
        return self._move(search.forward, test, pulse, self.steps + 1)

    def backward(self, test: Test | None, pulse: Pulse = quiet) -> Breakpoint | None:
        """Move back to the last step where `test` or a breakpoint holds, or to the beginning.

        Return the breakpoint that stopped the move, if one did.
        """
        return self._move(search.backward, test, pulse, 1)

    def _move(
        self, find: Callable[..., int | None], test: Test | None, pulse: Pulse, end: int
    ) -> Breakpoint | None:
        tests = [b.test for b in self.breaks] + ([test] if test else [])
        while True:
            hit = find(self.recording, self.cursor, _any(tests), pulse) if tests else None
            self.cursor = end if hit is None else hit
            if hit is None:
                return None
            for stop in self.breaks:
                if self.holds(stop.test) and (stop.holds is None or stop.holds()):
                    return stop
            if test is not None and self.holds(test):
                return None

    def holds(self, test: Test) -> bool:
        """Return whether a test holds at the cursor."""
        position = self.recording.position(self.cursor) - 1
        window = self.recording.window(position)
        row = window.segment[position - window.start :][:1]
        return bool(test(row)[0])

    # Breakpoints

    def at_line(self, number: int, file: str = "") -> Breakpoint:
        """Return a breakpoint at the beginning of a line; `file` is the end of the file's name."""
        numbers, lines = self._lines
        indices = {
            i + 1
            for i, line in enumerate(lines)
            if line.number == number and line.file.endswith(file or self._main_file(lines))
        }
        on_line = np.isin(numbers, list(indices))
        if not on_line.any():
            raise UsageError(f"no instruction comes from line {number}{f' of {file}' * bool(file)}")
        first = on_line & ~np.concatenate([[False], on_line[:-1]])
        return Breakpoint(f"{file or 'line'} {number}", self.at_places(first))

    def at_own_line(self) -> Test:
        """Return a test: the next instruction is on a line of the program's own file."""
        numbers, lines = self._lines
        name = self._main_file(lines)
        own = [i + 1 for i, line in enumerate(lines) if line.number and line.file.endswith(name)]
        return self.at_places(np.isin(numbers, own))

    def _main_file(self, lines: Sequence[SourceLine]) -> str:
        """Return the name of the program's own file; "" if no line names it."""
        name = self.name.rsplit("/", 1)[-1]
        return name if any(line.file.endswith(name) for line in lines) else ""

    def at_instruction(self, pc: int) -> Breakpoint:
        """Return a breakpoint at the instruction at `pc`."""
        if not 0 <= pc < len(self.instructions):
            raise UsageError(f"the code has places 0 to {len(self.instructions) - 1}, not {pc}")
        return Breakpoint(f"pc {pc}", self.at_places(self.places([pc])))

    def at_function(self, name: str) -> Breakpoint:
        """Return a breakpoint at the beginning of a function; the base class refuses."""
        raise UsageError(f"no function {name!r}: programs of this machine have no functions")

    def places(self, places: Sequence[int]) -> Mask:
        """Return the mask of `at_places` with the flags at `places` set."""
        mask = np.zeros(len(self.instructions) + 1, dtype=bool)
        mask[list(places)] = True
        return mask


def _any(tests: Sequence[Test]) -> Test:
    def test(rows: object) -> Mask:
        hits = tests[0](rows)
        for other in tests[1:]:
            hits = hits | other(rows)
        return hits

    return test
