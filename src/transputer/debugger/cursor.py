"""A place in a recorded run, and moving it: to steps, lines, breakpoints, on and back.

The place is the number of the step that is about to be made, from 1 to one more than there are
steps: the end of the run. Nothing that is asked changes the run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transputer.debugger import search
from transputer.debugger.search import Heard, Mask, Numbers, Stretches, Test
from transputer.errors import UsageError
from transputer.frontends.lines import SourceLine


@dataclass(frozen=True, slots=True)
class Break:
    """Where a run is to stop: a name for people, and the test."""

    name: str
    test: Test


def nobody(step: int) -> None:
    """Hears a search and tells nobody."""


class Cursor(ABC):
    """A recording and a cursor in it; `name` is the program's."""

    def __init__(self, recording: Stretches, name: str) -> None:
        self.recording = recording
        self.name = name
        self.cursor = 1
        self.breaks: list[Break] = []

    # What a machine says

    @property
    @abstractmethod
    def instructions(self) -> Sequence[object]:
        """The code by place; an instruction's text is what people read."""

    @abstractmethod
    def pc(self, step: int | None = None) -> int:
        """The place of a step, by default the cursor's."""

    @abstractmethod
    def line_at(self, pc: int) -> SourceLine | None:
        """The source line of a place."""

    @abstractmethod
    def at_places(self, chosen: Mask) -> Test:
        """About to begin one of these places; the mask has a flag per place and one for none."""

    @abstractmethod
    def other_line(self) -> Test:
        """The beginning of another line."""

    # Places and lines

    @property
    def steps(self) -> int:
        """How many steps were recorded so far."""
        return self.recording.steps

    def check(self, step: int) -> None:
        """Raise `UsageError` for a cursor that the run does not have."""
        if not 1 <= step <= self.steps + 1:
            raise UsageError(f"step {step} is not one of 1 to {self.steps + 1}")

    @cached_property
    def _lines(self) -> tuple[Numbers, list[SourceLine]]:
        """Line numbers by place, counting different lines from 1, and those lines."""
        numbers: dict[SourceLine, int] = {}
        found = []
        for pc in range(len(self.instructions)):
            line = self.line_at(pc)
            found.append(numbers.setdefault(line, len(numbers) + 1) if line else 0)
        found.append(0)  # a run may end behind the last place
        return np.array(found, dtype=np.int64), list(numbers)

    @property
    def line_numbers(self) -> Numbers:
        """A number for the line of every place, 0 where it is unknown."""
        return self._lines[0]

    def line(self, pc: int) -> SourceLine | None:
        """The source line of a place."""
        numbers, lines = self._lines
        number = int(numbers[pc])
        return lines[number - 1] if number else None

    # Moving

    def go(self, step: int) -> None:
        """To a step."""
        self.check(step)
        self.cursor = step

    def forward(self, test: Test | None, heard: Heard = nobody) -> Break | None:
        """On to where the test or a breakpoint holds; to the end where there is none."""
        return self._move(search.forward, test, heard, self.steps + 1)

    def backward(self, test: Test | None, heard: Heard = nobody) -> Break | None:
        """Back to where the test or a breakpoint last held; to the beginning otherwise."""
        return self._move(search.backward, test, heard, 1)

    def _move(
        self, find: Callable[..., int | None], test: Test | None, heard: Heard, end: int
    ) -> Break | None:
        tests = [b.test for b in self.breaks] + ([test] if test else [])
        found = find(self.recording, self.cursor, _any(tests), heard) if tests else None
        self.cursor = end if found is None else found
        return self._reason() if found is not None else None

    def _reason(self) -> Break | None:
        position = self.recording.position(self.cursor) - 1
        window = self.recording.window(position)
        row = window.stretch[position - window.start :][:1]
        return next((b for b in self.breaks if b.test(row)[0]), None)

    # Breakpoints

    def at_line(self, number: int, file: str = "") -> Break:
        """The beginning of a line; `file` is the end of its name."""
        numbers, lines = self._lines
        wanted = {
            i + 1
            for i, line in enumerate(lines)
            if line.number == number and line.file.endswith(file or self._main_file(lines))
        }
        chosen = np.isin(numbers, list(wanted))
        if not chosen.any():
            raise UsageError(f"no instruction comes from line {number}{f' of {file}' * bool(file)}")
        first = chosen & ~np.concatenate([[False], chosen[:-1]])
        return Break(f"{file or 'line'} {number}", self.at_places(first))

    def at_own_line(self) -> Test:
        """At a line of the program itself, where lines name other files too."""
        numbers, lines = self._lines
        name = self._main_file(lines)
        own = [i + 1 for i, line in enumerate(lines) if line.number and line.file.endswith(name)]
        return self.at_places(np.isin(numbers, own))

    def _main_file(self, lines: Sequence[SourceLine]) -> str:
        """The file of the program itself, where lines name others too."""
        name = self.name.rsplit("/", 1)[-1]
        return name if any(line.file.endswith(name) for line in lines) else ""

    def at_instruction(self, pc: int) -> Break:
        """A place in the code."""
        if not 0 <= pc < len(self.instructions):
            raise UsageError(f"the code has places 0 to {len(self.instructions) - 1}, not {pc}")
        return Break(f"pc {pc}", self.at_places(self.places([pc])))

    def at_function(self, name: str) -> Break:
        """The beginning of a function, where the machine's programs have them."""
        raise UsageError(f"no function {name!r}: programs of this machine have none")

    def places(self, places: Sequence[int]) -> Mask:
        """A flag per place, set at these."""
        chosen = np.zeros(len(self.instructions) + 1, dtype=bool)
        chosen[list(places)] = True
        return chosen


def _any(tests: Sequence[Test]) -> Test:
    def test(rows: object) -> Mask:
        found = tests[0](rows)
        for more in tests[1:]:
            found = found | more(rows)
        return found

    return test
