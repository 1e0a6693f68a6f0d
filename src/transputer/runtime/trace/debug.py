"""The debugger of the trace machine: any step of a run, down to heads and layers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from transputer.debugger import search
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Debugger, Fields, NamedValue
from transputer.debugger.fields import tiles
from transputer.debugger.lens import ForwardPass, Lens
from transputer.debugger.recording import NativeRecording, Recording, TokenLog, WholeRecording
from transputer.debugger.search import Mask, Test
from transputer.debugger.state import Call, State
from transputer.debugger.steps import Read, Step
from transputer.debugger.tokens import describe
from transputer.engines.native.decoder import Native
from transputer.errors import StepLimitError, UsageError
from transputer.frontends.lines import SourceLine
from transputer.frontends.variables import CVariable
from transputer.frontends.wat import to_wasm
from transputer.host.outcome import Pulse, quiet
from transputer.ir.core import CoreFunction, CoreInstr
from transputer.ir.values import Value
from transputer.machines.trace.tape import SPACE, Tape
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import WORD, Space
from transputer.model import Model
from transputer.runtime.trace.program import TraceProgram, from_binary
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import AnySession, MachineSession

#: Default number of steps to record.
RECORDED = 100_000_000
#: Engines whose runs can be recorded; the first is fast, the second is the definition.
DEBUG_ENGINES = ("native", "reference")


class TraceDebugger(Debugger):
    """A recorded run of the trace machine: a row of the recording is a token."""

    machine, unit = "trace", "token"
    recording: Recording

    def __init__(
        self,
        program: TraceProgram,
        session: MachineSession,
        recording: Recording,
        printed: bytearray,
    ) -> None:
        super().__init__(recording, program.name, printed)
        self.program = program
        self._session = session

    # The program

    @property
    def instructions(self) -> list[CoreInstr]:
        """The instruction at each place of the code."""
        return self.listing

    def pc(self, step: int | None = None) -> int:
        """Return the program counter of a step, by default the cursor's."""
        return self.state(step).now.pc

    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        return self.program.line(self.listing[pc])

    @property
    def listing(self) -> list[CoreInstr]:
        """The instruction at each place of the code."""
        return self._session.trace.listing

    @cached_property
    def functions(self) -> dict[int, CoreFunction]:
        """Functions by their first pc."""
        return {f.entry: f for f in self._session.trace.functions.values()}

    @property
    def spaces(self) -> dict[int, str]:
        """The kind (memory or table) of each space number in a token."""
        return {number: kind for (kind, _), number in self._session.trace.spaces.items()}

    @cached_property
    def _lens(self) -> Lens:
        return _lens_of(self.recording.model)

    # One step

    def position(self, step: int) -> int:
        """Return the position of the token before a step, which holds its state."""
        self.check(step)
        last = self.recording.length - 1
        return self.recording.position(step) - 1 if step <= self.steps else last

    def state(self, step: int | None = None) -> State:
        """Return the state before a step, by default the cursor's."""
        memory = self._session.trace.spaces.get(("memory", self._memory))
        position = self.position(self.cursor if step is None else step)
        return State(self.recording, position, self.functions, memory)

    @property
    def _memory(self) -> int:
        """The program's own memory is the first; lowering adds others, such as passive data."""
        return min((a for kind, a in self._session.trace.spaces if kind == "memory"), default=0)

    def look(self, step: int | None = None) -> ForwardPass:
        """Return the forward pass of a step."""
        state = self.state(step)
        return self._lens.look(*state.window.upto(state.position))

    def step(self, number: int | None = None) -> Step:
        """Return a step: its instruction, the lookups of its heads, its writes."""
        number = self.valid_step(number)
        state = self.state(number)
        before = state.now
        after = self.recording.window(state.position + 1).token(state.position + 1)
        assert after is not None
        instr = self.listing[before.pc]
        return Step(
            number,
            before.pc,
            str(instr),
            tuple(self.reads(number)),
            describe(after),
            str(self.program.line(instr) or ""),
            self.program.written(instr),
            before.phase,
            state.position + 1,
            before,
            after,
        )

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """Yield the lookups of the heads that the step's instruction uses, or of all heads."""
        state = self.state(step)
        used = uses(self.listing[state.now.pc].name)
        for lookup in self.look(step).lookups:
            if all_heads or lookup.name in used:
                token = state.window.token(lookup.position)
                says = describe(token) if token else ""
                yield Read(lookup.name, lookup.layer, lookup.position, says, lookup.margin)

    def place(self, step: int | None = None) -> str:
        """Return the function, the offset in it and the instruction of a step, as text."""
        now, function = self.state(step).now, self.calls(step)[0].function
        where = f"{function.name}+{now.pc - function.entry}" if function else f"pc {now.pc}"
        phase = f" /{now.phase}" if now.phase else ""
        return f"{where}  {self.listing[now.pc]}{phase}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """Return pc, stack pointer, frame pointer, depth and phase before a step."""
        now = self.state(step).now
        return {name: getattr(now, name) for name in ("pc", "sp", "fp", "depth", "phase")}

    def layers(self, step: int | None = None) -> list[tuple[str, Fields]]:
        """Return the fields that each layer set or changed, bytes joined into numbers."""
        forward = self.look(step)
        befores = [forward.embedded, *forward.layers[:-1]]
        return [
            (f"layer {i}", {t.name: t.value for t in tiles(before, after) if t.new})
            for i, (before, after) in enumerate(zip(befores, forward.layers, strict=True))
        ]

    def writes(self, step: int | None = None) -> str:
        """Return the token that a step decodes: its position, and what it writes."""
        row = self.step(step)
        return f"token {row.position}: {row.writes or 'writes nothing'}"

    def memory_text(self, first: int, count: int) -> list[str]:
        """Return the lines of a hex dump of memory, 16 bytes each."""
        data = self.state().memory(first, count)
        return [_hex_line(first + at, data[at : at + 16]) for at in range(0, len(data), 16)]

    def output(self, step: int | None = None) -> bytes:
        """Return the program's output before a step."""
        position = self.position(self.cursor if step is None else step)
        window = self.recording.window(position)
        rows = window.segment[: position + 1 - window.start]
        count = int(np.count_nonzero(rows[:, SPACE] == Space.OUTPUT))
        return bytes(self.printed[: self.recording.output_before(window) + count])

    def calls(self, step: int | None = None) -> list[Call]:
        """Return the open calls before a step, innermost first."""
        return self.state(step).calls()

    # Variables of C

    def variables(self, step: int | None = None) -> Iterator[NamedValue]:
        """Yield the C variables of the innermost call, then the globals of its file."""
        state = self.state(step)
        call = state.calls()[0]
        for variable, local in self._variables_in(call):
            value = self._value(state, call, variable)
            yield NamedValue(variable.name, value, variable.type.name, local)

    def _variables_in(self, call: Call) -> Iterator[tuple[CVariable, bool]]:
        """Yield the variables in scope of a call, its own first, and whether each is its own."""
        variables = self.program.variables()
        offset = self.program.offset(self.listing[call.pc])
        if offset is None:
            return
        yield from ((variable, True) for variable in variables.at(offset))
        yield from ((variable, False) for variable in variables.beside(offset))

    def _value(self, state: State, call: Call, variable: CVariable) -> str:
        place = self._address(state, call, variable)
        if place is not None:
            return variable.type.shown(state.memory(place, variable.type.size))
        first = self._local(call, variable.where.local)
        if first is None:
            return "?"
        return variable.type.shown(state.slot(first).value.to_bytes(8, "little"))

    def _local(self, call: Call, local: int | None) -> int | None:
        return None if local is None else call.fp + local

    def _address(self, state: State, call: Call, variable: CVariable) -> int | None:
        where = variable.where
        if where.address is None or where.base is None:
            return where.address
        base = self._local(call, where.base)
        return None if base is None else state.slot(base).value + where.address

    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint after a write to a variable, at its address at the cursor."""
        state = self.state()
        call = state.calls()[0]
        everywhere = self.program.variables().globals
        for variable in (*(v for v, _ in self._variables_in(call)), *everywhere):
            if variable.name == name:
                address = self._address(state, call, variable)
                if address is None:
                    raise UsageError(f"{name} is not in memory; compile with -O 0 to watch it")
                breakpoint = self.at_write(address, variable.type.size)
                return replace(breakpoint, name=f"write to {name}")
        raise UsageError(f"no variable {name!r} with a location here; compile with -O 0 for more")

    # Places

    def at_places(self, places: Mask) -> Test:
        """Return a test: an instruction begins at one of `places`."""
        return search.at(places)

    def other_line(self) -> Test:
        """Return a test: another source line begins, not in a called function."""
        now, numbers = self.state().now, self.line_numbers
        return search.other(numbers, int(numbers[now.pc]), now.depth)

    def step_out(self) -> Test:
        """Return a test: the innermost open call has returned."""
        return search.shallower(self.state().now.depth)

    def step_over(self) -> Test:
        """Return a test: the next instruction is in this call or in a caller."""
        return search.shallower(self.state().now.depth + 1)

    def at_function(self, name: str) -> Breakpoint:
        """Return a breakpoint at the beginning of a function."""
        entries = [e for e, f in self.functions.items() if f.name == name]
        if not entries:
            raise UsageError(f"no function {name!r}")
        return Breakpoint(name, self.at_places(self.places(entries)))

    def at_write(self, address: int, count: int = 4) -> Breakpoint:
        """Return a breakpoint after a write to `count` bytes of memory from `address`."""
        space = self._session.trace.spaces.get(("memory", self._memory))
        if space is None:
            raise UsageError("the program has no memory")
        words = range(address // WORD, -(-(address + count) // WORD))
        return Breakpoint(f"write to {address}", search.written(space, words))


def _hex_line(address: int, row: bytes) -> str:
    text = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
    return f"{address:08x}  {row.hex(' '):47}  {text}"


#: A program with the features that many programs need: 64-bit integers, floats, WASI.
_USUAL = """(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    i64.const 6 i64.const 7 i64.mul drop f64.const 1 f64.const 2 f64.add drop
    i32.const 1 i32.const 0 i32.const 0 i32.const 8 call $write drop))"""


def warm() -> None:
    """Build the model, the native engine and common routines ahead of the first recorded run."""
    debug(from_binary("warm", to_wasm(_USUAL))).look(1)


@lru_cache(maxsize=4)
def _lens_of(model: Model) -> Lens:
    return Lens(model)


def _recording(tape: Tape) -> Recording:
    """Return a recording of a tape; on an engine other than native it keeps all tokens."""
    engine: Any = tape.engine
    if isinstance(engine, Native):
        return NativeRecording(engine)
    log = tape.engine = TokenLog(engine, engine.tokens)
    return WholeRecording(log, engine.model)


def debug(
    program: TraceProgram,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engine: str = "native",
    stdin: bytes = b"",
    max_steps: int = RECORDED,
    pulse: Pulse = quiet,
    started: Callable[[TraceDebugger], None] | None = None,
) -> TraceDebugger:
    """Run a program on an engine of DEBUG_ENGINES and record at most `max_steps` steps.

    `started` gets the debugger before the run begins, so that another thread can watch it.
    """
    if engine not in DEBUG_ENGINES:
        raise UsageError(f"cannot debug on engine {engine!r}; use {' or '.join(DEBUG_ENGINES)}")
    debuggers: list[TraceDebugger] = []
    printed = bytearray()

    def begin(session: AnySession) -> None:
        assert isinstance(session, MachineSession)
        debuggers.append(TraceDebugger(program, session, _recording(session.trace.tape), printed))
        if started is not None:
            started(debuggers[0])

    def note(steps: int) -> None:
        debuggers[0].recording.note(len(printed))
        pulse(steps)

    how: dict[str, Any] = {"stdin": stdin, "max_steps": max_steps, "pulse": note}
    how |= {"stdout": printed.append, "stderr": printed.append}
    with suppress(StepLimitError):  # the steps before the limit are recorded
        result = run_program(
            program, invoke, args, engine=engine, keep=engine != "native", begin=begin, **how
        )
        debuggers[0].result = replace(result, stdout=bytes(printed))
    debuggers[0].recording.note(len(printed))
    return debuggers[0]
