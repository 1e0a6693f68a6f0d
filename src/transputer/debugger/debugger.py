"""The debugger's interface, the same on every machine: steps, heads, layers, variables, memory."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from transputer.debugger import plain
from transputer.debugger.cursor import Breakpoint, Cursor
from transputer.debugger.search import Mask, SegmentedRecording, Test
from transputer.debugger.sentence import sentence
from transputer.debugger.steps import Read, Step, Trace
from transputer.errors import UsageError
from transputer.host.result import Result
from transputer.model.html import html_table
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A variable with its value as text, and its type if it is known."""

    name: str
    value: str
    type: str = ""
    local: bool = False

    def __str__(self) -> str:
        return f"{self.type} {self.name} = {self.value}".lstrip()


#: Values that a layer wrote, by the name of the field.
Fields = Mapping[str, int | str]


class Debugger(Cursor):
    """A recorded run and a cursor in it, the number of the next step.

    `printed` is the output so far; `result` is None until the run has ended. `stopped` says why a
    run on broken weights has no result.
    """

    machine: ClassVar[str]
    #: What a head attends to: a token of a sequence, a column of a state.
    unit: ClassVar[str]

    def __init__(self, recording: SegmentedRecording, name: str, printed: bytearray) -> None:
        super().__init__(recording, name)
        self.printed = printed
        self.result: Result | None = None
        self.stopped = ""

    @property
    def output_length(self) -> int:
        """The number of bytes that the program has written so far."""
        return len(self.printed)

    def valid_cursor(self, step: int | None) -> int:
        """Return `step`, by default the cursor; raise `UsageError` if there is no such step."""
        number = self.cursor if step is None else step
        self.check(number)
        return number

    def valid_step(self, step: int | None) -> int:
        """Return `valid_cursor(step)`; raise `UsageError` at the end of the run too."""
        number = self.valid_cursor(step)
        if number > self.steps:
            raise UsageError(f"the run has {self.steps} steps")
        return number

    # What a machine shows of a step; `step` is the cursor's by default

    @abstractmethod
    def place(self, step: int | None = None) -> str:
        """Return the location and the instruction of a step, as text."""

    @abstractmethod
    def registers(self, step: int | None = None) -> Mapping[str, int | str]:
        """Return the machine's registers before a step."""

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """Yield the lookups of the heads that the step's instruction uses, or of all heads."""
        yield from ()  # a machine without heads reads nothing

    def layers(
        self, step: int | None = None, *, all_fields: bool = False
    ) -> list[tuple[str, Fields]]:
        """Return the fields that each layer set or changed, with the layer's name.

        A machine may leave out fields without a path to the result unless `all_fields` is set.
        """
        return []

    def sentence(self, step: int | None = None) -> str:
        """Return one sentence about a step: what its heads fetched, and what it writes."""
        row = self.step(step)
        return sentence(row.text, row.reads, (), row.writes)

    @abstractmethod
    def writes(self, step: int | None = None) -> str:
        """Return what a step writes, as text."""

    @abstractmethod
    def variables(self, step: int | None = None) -> Iterator[NamedValue]:
        """Yield the program's variables with their values before a step."""

    @abstractmethod
    def memory_text(self, first: int, count: int) -> list[str]:
        """Return the lines of a memory dump before the cursor's step."""

    @abstractmethod
    def output(self, step: int | None = None) -> bytes:
        """Return the program's output before a step."""

    @abstractmethod
    def at_write(self, address: int, count: int = 4) -> Breakpoint:
        """Return a breakpoint after a write to `count` units of memory from `address`."""

    @abstractmethod
    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint after a write to a variable."""

    def step(self, number: int | None = None) -> Step:
        """Return a step: its instruction, the lookups of its heads, its writes."""
        number = self.valid_step(number)
        pc = self.pc(number)
        return Step(
            number,
            pc,
            str(self.instructions[pc]) if 0 <= pc < len(self.instructions) else "",
            tuple(self.reads(number)),
            self.writes(number),
            str(self.line(pc) or ""),
        )

    def trace(self, limit: int | None = None) -> Trace:
        """Return the first `limit` steps, or all."""
        last = self.steps if limit is None else min(limit, self.steps)
        return Trace(self.step(number) for number in range(1, last + 1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, step {self.cursor} of {self.steps})"

    def _repr_html_(self) -> str:
        """Return the step at the cursor as HTML, for notebooks."""
        if self.cursor > self.steps:
            end = [("step", f"the end, after {self.steps:,}")]
            return html_table(end, caption=self.name)
        rows = [
            ("step", f"{self.cursor:,} of {self.steps:,}"),
            ("instruction", self.place()),
            ("line", self.line(self.pc()) or ""),
            *((f"head {r.head}", f"{self.unit} {r.position}: {r.says}") for r in self.reads()),
            ("writes", self.writes()),
        ]
        return html_table(rows, caption=self.name)


class BreakableDebugger(Debugger):
    """A run that can be made again with other weights.

    `again` records the same program with the same input on another model. `healthy` is the run
    with the machine's own weights, if this one is broken.
    """

    again: "Callable[..., BreakableDebugger]"
    healthy: "BreakableDebugger | None" = None

    @property
    def original(self) -> "BreakableDebugger":
        """The run with the machine's own weights."""
        return self.healthy or self

    @property
    @abstractmethod
    def weights(self) -> Any:
        """The model of the run, a `Model` or a `Looped`."""

    @abstractmethod
    def first_difference(self, other: "BreakableDebugger") -> int | None:
        """Return the first step that differs from another run of the program; None if none does."""

    def written(self, step: int) -> str:
        """Return what a step writes and where the run goes on, as text."""
        if step > self.steps:
            return "the run has ended"
        after = self.pc(step + 1)
        then = f"then pc {after}" if after >= 0 else "then no instruction"
        return f"{self.step(step).writes or 'writes nothing'}, {then}"


class PlainDebugger(Debugger):
    """The debugger of a machine whose rows are a pc and slots (`debugger/plain.py`)."""

    def pc(self, step: int | None = None) -> int:
        """Return the program counter of a step, by default the cursor's; -1 at the end."""
        position = self.valid_cursor(step) - 1
        window = self.recording.window(position)
        return int(window.segment[position - window.start, 0])

    def at_places(self, places: Mask) -> Test:
        """Return a test: the next instruction is at one of `places`."""
        return plain.at(places)

    def other_line(self) -> Test:
        """Return a test: the next instruction begins another source line."""
        numbers = self.line_numbers
        return plain.other(numbers, int(numbers[self.pc()]))
