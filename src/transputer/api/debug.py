"""Looking into a run: any step, forwards and backwards, down to heads and layers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from transputer.api.program import Program
from transputer.api.run import Result, run_program
from transputer.api.sessions import AnySession, MachineSession
from transputer.api.trace import Read, Step, describe
from transputer.debug import search
from transputer.debug.lens import Lens, Pass
from transputer.debug.recording import Recording
from transputer.debug.search import Heard, Test
from transputer.debug.state import Call, State
from transputer.engines.native import Native
from transputer.errors import StepLimitError, UsageError
from transputer.frontends.lines import Line
from transputer.frontends.variables import Variable
from transputer.ir.core import CoreFunction, CoreInstr
from transputer.ir.values import Value
from transputer.machines.trace.circuit import model as trace_model
from transputer.machines.trace.tape import SPACE
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Space
from transputer.model import Model
from transputer.model.html import html_table
from transputer.oracle.outcome import Pulse, quiet

#: Steps that a debugger records unless it is told otherwise.
RECORDED = 100_000_000


@dataclass(frozen=True, slots=True)
class Break:
    """Where a run is to stop: a name for people, and the test."""

    name: str
    test: Test


@dataclass(frozen=True, slots=True)
class Shown:
    """A variable and its value as text."""

    variable: Variable
    value: str


def _nobody(step: int) -> None:
    """Hears a search and tells nobody."""


class Debugger:
    """A recorded run and a cursor in it: the number of the step that is about to be made.

    Cursors go from 1 to `steps + 1`, the end of the run. Nothing that is asked changes the run.
    """

    def __init__(
        self,
        program: Program,
        session: MachineSession,
        recording: Recording,
        printed: bytearray,
    ) -> None:
        self.program = program
        self.recording = recording
        self._session = session
        self._printed = printed  # all output, as it comes
        self.result: Result | None = None
        self.cursor = 1
        self.breaks: list[Break] = []

    def _repr_html_(self) -> str:
        """For notebooks: the step at the cursor."""
        if self.cursor > self.steps:
            end = [("step", f"the end, after {self.steps:,}")]
            return html_table(end, caption=self.program.name)
        step = self.step()
        rows = [
            ("step", f"{step.number:,} of {self.steps:,}"),
            ("instruction", f"{step.instruction}  ({step.source})"),
            ("line", step.line),
            *((f"head {r.head}", f"token {r.position}: {r.says}") for r in step.reads),
            ("writes", step.writes),
        ]
        return html_table(rows, caption=self.program.name)

    # What there is

    @property
    def steps(self) -> int:
        """How many steps were recorded so far."""
        return self.recording.steps

    @property
    def listing(self) -> list[CoreInstr]:
        """The code by place."""
        return self._session.trace.listing

    @cached_property
    def functions(self) -> dict[int, CoreFunction]:
        """Functions by their first place."""
        return {f.entry: f for f in self._session.trace.functions.values()}

    @property
    def spaces(self) -> dict[int, str]:
        """Memories and tables: what each of their numbers in a token stands for."""
        return {number: kind for (kind, _), number in self._session.trace.spaces.items()}

    @property
    def put(self) -> int:
        """How many bytes the program has put out so far."""
        return len(self._printed)

    @cached_property
    def _lens(self) -> Lens:
        return _lens_of(self.recording.model)

    @cached_property
    def _lines(self) -> tuple[search.Lines, list[Line]]:
        """Line numbers by place, counting different lines from 1, and those lines."""
        numbers: dict[Line, int] = {}
        found = []
        for instr in self.listing:
            line = self.program.line(instr)
            found.append(numbers.setdefault(line, len(numbers) + 1) if line else 0)
        found.append(0)  # a run may end behind the last place
        return search.Lines(np.array(found, dtype=np.int64)), list(numbers)

    # One step

    def position(self, step: int) -> int:
        """Where the token before a step is: its state."""
        if not 1 <= step <= self.steps + 1:
            raise UsageError(f"step {step} is not one of 1 to {self.steps + 1}")
        last = self.recording.length - 1
        return self.recording.position(step) - 1 if step <= self.steps else last

    def state(self, step: int | None = None) -> State:
        """What the run holds before a step, by default the cursor's."""
        memory = self._session.trace.spaces.get(("memory", self._memory))
        position = self.position(self.cursor if step is None else step)
        return State(self.recording, position, self.functions, memory)

    @property
    def _memory(self) -> int:
        return max((a for kind, a in self._session.trace.spaces if kind == "memory"), default=0)

    def look(self, step: int | None = None) -> Pass:
        """The forward pass that makes a step."""
        state = self.state(step)
        return self._lens.look(*state.window.upto(state.position))

    def step(self, number: int | None = None) -> Step:
        """A step: its instruction, what its heads read, what it writes."""
        number = self.cursor if number is None else number
        if number > self.steps:
            raise UsageError(f"the run has {self.steps} steps")
        state = self.state(number)
        before = state.now
        after = self.recording.window(state.position + 1).token(state.position + 1)
        assert after is not None
        instr = self.listing[before.pc]
        return Step(
            number,
            state.position + 1,
            before.pc,
            before.phase,
            str(instr),
            self.program.written(instr),
            str(self.program.line(instr) or ""),
            tuple(self.reads(number)),
            describe(after),
            before,
            after,
        )

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """What heads found in a step; those that its instruction uses, or all."""
        state = self.state(step)
        wanted = uses(self.listing[state.now.pc].name)
        for found in self.look(step).found:
            if all_heads or found.name in wanted:
                token = state.window.token(found.position)
                says = describe(token) if token else ""
                yield Read(found.name, found.layer, found.position, says, found.margin)

    def output(self, step: int | None = None) -> bytes:
        """What the program has put out before a step."""
        position = self.position(self.cursor if step is None else step)
        window = self.recording.window(position)
        rows = window.stretch[: position + 1 - window.start]
        count = self.recording.put(window) + int(np.count_nonzero(rows[:, SPACE] == Space.OUTPUT))
        return bytes(self._printed[:count])

    def line(self, pc: int) -> Line | None:
        """The source line of a place."""
        numbers, lines = self._lines
        number = int(numbers.of[pc])
        return lines[number - 1] if number else None

    def calls(self, step: int | None = None) -> list[Call]:
        """Open calls, innermost first."""
        return self.state(step).calls()

    # Variables of C

    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """Variables that exist before a step: locals of the innermost call, then globals."""
        state = self.state(step)
        known, call = self.program.variables(), state.calls()[0]
        offset = self.program.offset(self.listing[call.pc])
        inner = [] if offset is None else known.at(offset)
        for variable in (*inner, *known.globals):
            yield Shown(variable, self._value(state, call, variable))

    def _value(self, state: State, call: Call, variable: Variable) -> str:
        place = self._address(state, call, variable)
        if place is not None:
            return variable.type.shown(state.memory(place, variable.type.size))
        first = self._local(call, variable.where.local)
        if first is None:
            return "?"
        words = [state.slot(first + i).value for i in range(-(-variable.type.size // 4))]
        return variable.type.shown(b"".join(word.to_bytes(4, "little") for word in words))

    def _local(self, call: Call, local: int | None) -> int | None:
        if local is None:
            return None
        slot = self.program.slot(self.listing[call.pc], local)
        return None if slot is None else call.fp + slot

    def _address(self, state: State, call: Call, variable: Variable) -> int | None:
        where = variable.where
        if where.address is None or where.base is None:
            return where.address
        base = self._local(call, where.base)
        return None if base is None else state.slot(base).value + where.address

    def at_variable(self, name: str) -> Break:
        """A variable just written; one that is in memory, as it is at the cursor."""
        state = self.state()
        call = state.calls()[0]
        for shown in self.variables():
            if shown.variable.name == name:
                address = self._address(state, call, shown.variable)
                if address is None:
                    raise UsageError(f"{name} is not in memory; compile with -O 0 to watch it")
                found = self.at_write(address, shown.variable.type.size)
                return Break(f"write to {name}", found.test)
        raise UsageError(f"no variable {name!r} with a place here; compile with -O 0 for more")

    # Moving

    def go(self, step: int) -> None:
        """To a step."""
        self.position(step)
        self.cursor = step

    def forward(self, test: Test | None, heard: Heard = _nobody) -> Break | None:
        """On to where the test or a breakpoint holds; to the end where there is none."""
        return self._move(search.forward, test, heard, self.steps + 1)

    def backward(self, test: Test | None, heard: Heard = _nobody) -> Break | None:
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
        state = self.state()
        row = state.window.upto(state.position)[0][-1:]
        return next((b for b in self.breaks if b.test(row)[0]), None)

    def other_line(self) -> Test:
        """The beginning of another line, calls passed over."""
        now, lines = self.state().now, self._lines[0]
        return lines.other(int(lines.of[now.pc]), now.depth)

    def leaving(self) -> Test:
        """The innermost open call left."""
        return search.shallower(self.state().now.depth)

    def passing(self) -> Test:
        """The next instruction of this call or one around it."""
        return search.shallower(self.state().now.depth + 1)

    # Breakpoints

    def at_line(self, number: int, file: str = "") -> Break:
        """The beginning of a line; `file` is the end of its name."""
        numbers, lines = self._lines
        wanted = {
            i + 1
            for i, line in enumerate(lines)
            if line.number == number and line.file.endswith(file or self._main_file(lines))
        }
        chosen = np.isin(numbers.of, list(wanted))
        if not chosen.any():
            raise UsageError(f"no instruction comes from line {number}{f' of {file}' * bool(file)}")
        first = chosen & ~np.concatenate([[False], chosen[:-1]])
        return Break(f"{file or 'line'} {number}", search.at(first))

    def _main_file(self, lines: Sequence[Line]) -> str:
        """The file of the program itself, where lines name others too."""
        name = self.program.name.rsplit("/", 1)[-1]
        return name if any(line.file.endswith(name) for line in lines) else ""

    def at_function(self, name: str) -> Break:
        """The beginning of a function."""
        entries = [e for e, f in self.functions.items() if f.name == name]
        if not entries:
            raise UsageError(f"no function {name!r}")
        return Break(name, search.at(self._places(entries)))

    def at_instruction(self, pc: int) -> Break:
        """A place in the code."""
        if not 0 <= pc < len(self.listing):
            raise UsageError(f"the code has places 0 to {len(self.listing) - 1}, not {pc}")
        return Break(f"pc {pc}", search.at(self._places([pc])))

    def at_write(self, address: int, count: int = 4) -> Break:
        """Memory from an address on just written."""
        space = self._session.trace.spaces.get(("memory", self._memory))
        if space is None:
            raise UsageError("the program has no memory")
        words = range(address // 4, -(-(address + count) // 4))
        return Break(f"write to {address}", search.written(space, words))

    def _places(self, places: Sequence[int]) -> Any:
        chosen = np.zeros(len(self.listing) + 1, dtype=bool)
        chosen[list(places)] = True
        return chosen


def _any(tests: Sequence[Test]) -> Test:
    def test(rows: Any) -> Any:
        found = tests[0](rows)
        for more in tests[1:]:
            found = found | more(rows)
        return found

    return test


@dataclass(frozen=True, slots=True)
class Recorder:
    """A machine whose runs can be recorded and looked into, and the engines that do it."""

    machine: str
    doc: str
    engines: tuple[str, ...]


#: What `debug` can run on.
RECORDERS = (
    Recorder("trace", "a decoder that appends one token per instruction", ("native",)),
)


def warm() -> None:
    """Build what every recorded run needs: the model and the native engine."""
    Native(trace_model())
    _lens_of(trace_model())


@lru_cache(maxsize=4)
def _lens_of(model: Model) -> Lens:
    return Lens(model)


def debug(
    program: Program,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    stdin: bytes = b"",
    max_steps: int = RECORDED,
    pulse: Pulse = quiet,
    started: Callable[[Debugger], None] | None = None,
) -> Debugger:
    """Run a program on the native engine and record it; what a step limit cuts off is missing.

    `started` hears of the debugger before the run begins, so that another thread can look on.
    """
    made: list[Debugger] = []
    printed = bytearray()

    def begin(session: AnySession) -> None:
        assert isinstance(session, MachineSession) and isinstance(session.trace.tape.engine, Native)
        recording = Recording(session.trace.tape.engine)
        made.append(Debugger(program, session, recording, printed))
        if started is not None:
            started(made[0])

    def hear(steps: int) -> None:
        made[0].recording.note(len(printed))
        pulse(steps)

    how: dict[str, Any] = {"stdin": stdin, "max_steps": max_steps, "pulse": hear}
    how |= {"stdout": printed.append, "stderr": printed.append}
    with suppress(StepLimitError):  # what there is until then is recorded
        result = run_program(
            program, invoke, args, engine="native", keep=False, begin=begin, **how
        )
        made[0].result = result
    made[0].recording.note(len(printed))
    return made[0]
