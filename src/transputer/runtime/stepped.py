"""Machines defined by a step function, which gives `run`, `map`, `trace`, `debug` and `dis`.

This is the smallest way to add a machine. `start` returns a `Stepper` for a program and its
settings; a step returns a `StepRecord` of what it wrote. `debug` keeps all steps, so it suits
short runs.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

import numpy as np

from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import NamedValue, PlainDebugger
from transputer.debugger.plain import Rows
from transputer.errors import StepLimitError, Trap, UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import DEFAULT_STEPS, Interrupted
from transputer.host.result import INTERRUPTED, Result, exit_code
from transputer.registry import Program, RunSettings
from transputer.values import dataclass

#: Default number of steps to record.
RECORDED = 100_000


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What a step did: the cells that it wrote, by name, its output, and its trap, if any."""

    writes: Mapping[str, int] = field(default_factory=dict)
    output: bytes = b""
    trap: Trap | None = None


class Stepper(Protocol):
    """A run in progress."""

    @property
    def pc(self) -> int:
        """The program counter."""

    @property
    def halted(self) -> bool:
        """Whether the program has ended."""

    @property
    def results(self) -> Sequence[int]:
        """The program's results."""

    def step(self) -> StepRecord:
        """Execute one instruction."""


@dataclass(frozen=True, repr=False)
class SteppedProgram(Program):
    """A program of such a machine: its instructions, and the source line of each.

    A subclass sets `machine` to the machine's name.
    """

    instructions: tuple[Any, ...] = ()
    lines: tuple[int, ...] = ()

    def text(self, form: str = "source") -> str:
        """Return the listing: a pc and an instruction per line."""
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
            record = stepper.step()
            steps, trap = steps + 1, record.trap
            for byte in record.output:
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
class _WholeWindow:
    start: int
    end: int
    segment: Rows


class _Recording:
    """All steps of a run: the pc before each, and its record."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.records: list[StepRecord] = []

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.records)

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(self.places)

    def position(self, step: int) -> int:
        """Return the position of the row after a step."""
        return step

    def step_at(self, position: int) -> int:
        """Return the step before the row at a position."""
        return position

    @property
    def cells(self) -> list[str]:
        """The names of all cells that were written, in order."""
        return list(dict.fromkeys(name for record in self.records for name in record.writes))

    def window(self, position: int) -> _WholeWindow:
        """Return the whole run: each row has the pc, then the cells that the last step wrote."""
        numbers = {name: number for number, name in enumerate(self.cells)}
        most = max((len(record.writes) for record in self.records), default=0)
        rows = np.full((len(self.places), 1 + most), -1, np.int64)
        rows[:, 0] = self.places
        for at, record in enumerate(self.records, start=1):
            rows[at, 1 : 1 + len(record.writes)] = [numbers[name] for name in record.writes]
        return _WholeWindow(0, len(self.places), rows)


class SteppedDebugger(PlainDebugger):
    """A recorded run of a machine defined by a step function."""

    unit = "step"
    recording: _Recording

    def __init__(self, program: SteppedProgram, recording: _Recording) -> None:
        super().__init__(recording, program.name, bytearray())
        self.program = program
        self.machine = program.machine  # type: ignore[misc]

    @property
    def instructions(self) -> Sequence[object]:
        """The instruction at each place of the code."""
        return self.program.instructions

    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        lines = self.program.lines
        return SourceLine(self.name, lines[pc]) if pc < len(lines) else None

    def place(self, step: int | None = None) -> str:
        """Return the pc and the instruction of a step, as text."""
        pc = self.pc(step)
        return f"pc {pc}  {self.instructions[pc]}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """Return the program counter before a step."""
        return {"pc": self.pc(step)}

    def writes(self, step: int | None = None) -> str:
        """Return what a step writes, as text."""
        record = self.recording.records[self.valid_step(step) - 1]
        writes = [f"{name} = {value}" for name, value in record.writes.items()]
        writes += [f"output {byte}" for byte in record.output]
        writes += [f"trap: {record.trap.value}"] if record.trap else []
        return ", ".join(writes)

    def variables(self, step: int | None = None) -> Iterator[NamedValue]:
        """Yield the cells that were written before a step, with their values."""
        cells: dict[str, int] = {}
        for record in self.recording.records[: self.valid_cursor(step) - 1]:
            cells |= record.writes
        yield from (NamedValue(name, str(value)) for name, value in cells.items())

    def memory_text(self, first: int, count: int) -> list[str]:
        """Return the cells by name: this machine has no addresses."""
        return [str(cell) for cell in self.variables()][first : first + count]

    def output(self, step: int | None = None) -> bytes:
        """Return the program's output before a step."""
        records = self.recording.records[: self.valid_cursor(step) - 1]
        return b"".join(record.output for record in records)

    def at_write(self, address: int, count: int = 1) -> Breakpoint:
        """Refuse: cells have names."""
        raise UsageError("cells of this machine have names, not addresses")

    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint after a write to a cell."""
        if name not in self.recording.cells:
            raise UsageError(f"no step writes {name!r}")
        number = self.recording.cells.index(name)
        return Breakpoint(f"write to {name}", lambda rows: (rows[:, 1:] == number).any(axis=1))


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
            last = stepper.step()
            recording.records.append(last)
            ended = stepper.halted or last.trap is not None
            recording.places.append(-1 if ended else stepper.pc)
            debugger.printed += last.output
            trap = last.trap
            settings.pulse(recording.steps)
    except Interrupted:
        interrupted = True
    result = _result(program, stepper, trap, recording.steps, interrupted)
    debugger.result = replace(result, stdout=bytes(debugger.printed))
    return debugger
