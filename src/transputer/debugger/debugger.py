"""What every debugger shows, whatever the machine: steps, heads, layers, variables, memory."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from transputer.debugger import plain
from transputer.debugger.cursor import Break, Cursor
from transputer.debugger.search import Mask, Stretches, Test
from transputer.debugger.steps import Read, Step, Trace
from transputer.errors import UsageError
from transputer.host.result import Result
from transputer.model.html import html_table


@dataclass(frozen=True, slots=True)
class Shown:
    """A variable, its type where one is known, and its value as text."""

    name: str
    value: str
    type: str = ""
    local: bool = False

    def __str__(self) -> str:
        return f"{self.type} {self.name} = {self.value}".lstrip()


#: What a layer left, by the name of the field.
Fields = Mapping[str, int | str]


class Debugger(Cursor):
    """A recorded run and a cursor in it: the number of the step that is about to be made.

    `printed` is all output as it comes; `result` is there once the run has come to its end.
    """

    machine: ClassVar[str]
    #: What heads attend to: tokens of a sequence, columns of a state.
    unit: ClassVar[str]

    def __init__(self, recording: Stretches, name: str, printed: bytearray) -> None:
        super().__init__(recording, name)
        self.printed = printed
        self.result: Result | None = None

    @property
    def put(self) -> int:
        """How many bytes the program has put out so far."""
        return len(self.printed)

    def chosen(self, step: int | None) -> int:
        """A step that is there, by default the cursor's."""
        number = self.cursor if step is None else step
        self.check(number)
        return number

    def made(self, step: int | None) -> int:
        """A step that was made, not the end, by default the cursor's."""
        number = self.chosen(step)
        if number > self.steps:
            raise UsageError(f"the run has {self.steps} steps")
        return number

    # What a machine shows of a step, by default of the cursor's

    @abstractmethod
    def place(self, step: int | None = None) -> str:
        """Where a step is, and its instruction."""

    @abstractmethod
    def registers(self, step: int | None = None) -> Mapping[str, int | str]:
        """The machine's own."""

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """What heads found in a step; those that its instruction uses, or all."""
        yield from ()  # a machine without heads reads nothing

    def layers(self, step: int | None = None) -> list[tuple[str, Fields]]:
        """The fields that each layer made or changed, by the layer's name."""
        return []

    @abstractmethod
    def writes(self, step: int | None = None) -> str:
        """What a step writes."""

    @abstractmethod
    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """Variables by name, before a step."""

    @abstractmethod
    def memory_text(self, first: int, count: int) -> list[str]:
        """Memory before the cursor's step, line by line."""

    @abstractmethod
    def output(self, step: int | None = None) -> bytes:
        """What the program has put out before a step."""

    @abstractmethod
    def at_write(self, address: int, count: int = 4) -> Break:
        """Memory from an address on just written."""

    @abstractmethod
    def at_variable(self, name: str) -> Break:
        """A variable just written."""

    def step(self, number: int | None = None) -> Step:
        """Return a step: its instruction, what its heads read, what it writes."""
        number = self.made(number)
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
        """Return the first steps, `limit` of them or all."""
        last = self.steps if limit is None else min(limit, self.steps)
        return Trace(self.step(number) for number in range(1, last + 1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, step {self.cursor} of {self.steps})"

    def _repr_html_(self) -> str:
        """For notebooks: the step at the cursor."""
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


class PlainDebugger(Debugger):
    """A debugger of a machine whose rows are a place and slots (`debug/plain.py`)."""

    def pc(self, step: int | None = None) -> int:
        """The place of a step, by default the cursor's; -1 at the end."""
        position = self.chosen(step) - 1
        window = self.recording.window(position)
        return int(window.stretch[position - window.start, 0])

    def at_places(self, chosen: Mask) -> Test:
        """About to execute the instruction at one of these places."""
        return plain.at(chosen)

    def other_line(self) -> Test:
        """The beginning of another line."""
        numbers = self.line_numbers
        return plain.other(numbers, int(numbers[self.pc()]))
