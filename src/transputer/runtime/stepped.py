"""Machines that are a step function: `run`, `map`, `trace`, `debug` and `dis` from one description.

The smallest way to add a machine. `start` returns a `Stepper` for a program and its settings; a
step returns a `StepRecord` of what it wrote. All steps are kept, so this is for short runs.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from transputer.debugger.cursor import Break
from transputer.debugger.debugger import PlainDebugger, Shown
from transputer.debugger.plain import Rows
from transputer.errors import StepLimitError, Trap, UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import DEFAULT_STEPS, Interrupted
from transputer.host.result import INTERRUPTED, Result, exit_code
from transputer.registry import Program, RunSettings

#: Steps that are recorded unless told otherwise.
RECORDED = 100_000


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What a step did: the cells it wrote, by name, its output, and how it failed if it did."""

    writes: Mapping[str, int] = field(default_factory=dict)
    output: bytes = b""
    trap: Trap | None = None


class Stepper(Protocol):
    """A run in progress: where it is, whether it has ended, and what it came to."""

    @property
    def pc(self) -> int:
        """The place of the next instruction."""

    @property
    def halted(self) -> bool:
        """Whether the program has ended."""

    @property
    def results(self) -> Sequence[int]:
        """What the program leaves."""

    def step(self) -> StepRecord:
        """Execute one instruction."""


@dataclass(frozen=True, repr=False)
class SteppedProgram(Program):
    """A program of such a machine: an instruction per place, and the line of each.

    A subclass sets `machine` to the machine's name.
    """

    instructions: tuple[Any, ...] = ()
    lines: tuple[int, ...] = ()

    def text(self, form: str = "source") -> str:
        """Return the listing: a place and an instruction per line."""
        return "".join(f"{at:3}  {one}\n" for at, one in enumerate(self.instructions))


Start = Callable[[Any, RunSettings], Stepper]


def run(start: Start, program: SteppedProgram, settings: RunSettings) -> Result:
    """Run a program to its end."""
    limit, output = settings.max_steps or DEFAULT_STEPS, bytearray()
    write = settings.stdout or output.append
    began, steps, trap, interrupted = time.perf_counter(), 0, None, False
    stepper = start(program, settings)
    try:
        while not stepper.halted and trap is None:
            if steps == limit:
                raise StepLimitError(limit)
            done = stepper.step()
            steps, trap = steps + 1, done.trap
            for byte in done.output:
                write(byte)
            settings.pulse(steps)
    except Interrupted:
        interrupted = True
    seconds = time.perf_counter() - began
    result = _result(program, stepper, trap, steps, interrupted)
    return replace(result, stdout=bytes(output), seconds=seconds)


def _result(
    program: Program, stepper: Stepper, trap: Trap | None, steps: int, interrupted: bool
) -> Result:
    values = [] if trap or interrupted else list(stepper.results)
    return Result(
        results=values,
        text=tuple(str(value) for value in values),
        exit_code=INTERRUPTED if interrupted else exit_code(None, trap),
        trap=trap,
        steps=steps,
        instructions=steps,
        machine=program.machine,
        engine="auto",
        interrupted=interrupted,
    )


@dataclass(frozen=True, slots=True)
class _Window:
    start: int
    end: int
    stretch: Rows


class _Recording:
    """All steps of a run: the place before each, and what each did."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.records: list[StepRecord] = []

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.records)

    @property
    def length(self) -> int:
        """How many rows there are."""
        return len(self.places)

    def position(self, step: int) -> int:
        """The position of the row that a step made."""
        return step

    def step_at(self, position: int) -> int:
        """The step that made the row at a position."""
        return position

    @property
    def cells(self) -> list[str]:
        """The names of all cells that were written, in order."""
        return list(dict.fromkeys(name for done in self.records for name in done.writes))

    def window(self, position: int) -> _Window:
        """The whole run: in each row the place, then the cells that the step before it wrote."""
        numbers = {name: number for number, name in enumerate(self.cells)}
        most = max((len(done.writes) for done in self.records), default=0)
        rows = np.full((len(self.places), 1 + most), -1, np.int64)
        rows[:, 0] = self.places
        for at, done in enumerate(self.records, start=1):
            rows[at, 1 : 1 + len(done.writes)] = [numbers[name] for name in done.writes]
        return _Window(0, len(self.places), rows)


class SteppedDebugger(PlainDebugger):
    """A recorded run of a machine that is a step function."""

    unit = "step"
    recording: _Recording

    def __init__(self, program: SteppedProgram, recording: _Recording) -> None:
        super().__init__(recording, program.name, bytearray())
        self.program = program
        self.machine = program.machine  # type: ignore[misc]

    @property
    def instructions(self) -> Sequence[object]:
        """The code by place."""
        return self.program.instructions

    def line_at(self, pc: int) -> SourceLine | None:
        """The source line of a place."""
        lines = self.program.lines
        return SourceLine(self.name, lines[pc]) if pc < len(lines) else None

    def place(self, step: int | None = None) -> str:
        """Where a step is, and its instruction."""
        pc = self.pc(step)
        return f"pc {pc}  {self.instructions[pc]}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """The program counter."""
        return {"pc": self.pc(step)}

    def writes(self, step: int | None = None) -> str:
        """What a step writes."""
        done = self.recording.records[self.made(step) - 1]
        said = [f"{name} = {value}" for name, value in done.writes.items()]
        said += [f"output {byte}" for byte in done.output]
        said += [f"trap: {done.trap.value}"] if done.trap else []
        return ", ".join(said)

    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """Cells that were written before a step, with their last values."""
        cells: dict[str, int] = {}
        for done in self.recording.records[: self.chosen(step) - 1]:
            cells |= done.writes
        yield from (Shown(name, str(value)) for name, value in cells.items())

    def memory_text(self, first: int, count: int) -> list[str]:
        """Cells by name: this machine has no addresses."""
        return [str(shown) for shown in self.variables()][first : first + count]

    def output(self, step: int | None = None) -> bytes:
        """What the program has put out before a step."""
        return b"".join(done.output for done in self.recording.records[: self.chosen(step) - 1])

    def at_write(self, address: int, count: int = 1) -> Break:
        """Refuse: cells have names."""
        raise UsageError("cells of this machine have names, not addresses")

    def at_variable(self, name: str) -> Break:
        """A cell just written."""
        if name not in self.recording.cells:
            raise UsageError(f"no step writes {name!r}")
        number = self.recording.cells.index(name)
        return Break(f"write to {name}", lambda rows: (rows[:, 1:] == number).any(axis=1))


def record(start: Start, program: SteppedProgram, settings: RunSettings) -> SteppedDebugger:
    """Run a program and keep every step."""
    stepper, recording = start(program, settings), _Recording()
    debugger = SteppedDebugger(program, recording)
    recording.places.append(stepper.pc)
    if settings.started is not None:
        settings.started(debugger)
    trap, interrupted = None, False
    try:
        while not stepper.halted and trap is None:
            if recording.steps == (settings.max_steps or RECORDED):
                return debugger
            done = stepper.step()
            recording.records.append(done)
            ended = stepper.halted or done.trap is not None
            recording.places.append(-1 if ended else stepper.pc)
            debugger.printed += done.output
            trap = done.trap
            settings.pulse(recording.steps)
    except Interrupted:
        interrupted = True
    result = _result(program, stepper, trap, recording.steps, interrupted)
    debugger.result = replace(result, stdout=bytes(debugger.printed))
    return debugger
