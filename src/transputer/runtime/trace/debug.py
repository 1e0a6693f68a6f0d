"""Looking into a run of the trace machine: any step, down to heads and layers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from transputer.debugger import search
from transputer.debugger.cursor import Break
from transputer.debugger.debugger import Debugger, Fields, Shown
from transputer.debugger.fields import tiles
from transputer.debugger.lens import Lens, Pass
from transputer.debugger.recording import Kept, MarkedRecording, Recording, WholeRecording
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

#: Steps that a debugger records unless it is told otherwise.
RECORDED = 100_000_000
#: Engines whose runs can be recorded; the first is fast, the second dense as the definition is.
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

    # What there is

    @property
    def instructions(self) -> list[CoreInstr]:
        """The code by place."""
        return self.listing

    def pc(self, step: int | None = None) -> int:
        """The place of a step, by default the cursor's."""
        return self.state(step).now.pc

    def line_at(self, pc: int) -> SourceLine | None:
        """The source line of a place."""
        return self.program.line(self.listing[pc])

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

    @cached_property
    def _lens(self) -> Lens:
        return _lens_of(self.recording.model)

    # One step

    def position(self, step: int) -> int:
        """Where the token before a step is: its state."""
        self.check(step)
        last = self.recording.length - 1
        return self.recording.position(step) - 1 if step <= self.steps else last

    def state(self, step: int | None = None) -> State:
        """What the run holds before a step, by default the cursor's."""
        memory = self._session.trace.spaces.get(("memory", self._memory))
        position = self.position(self.cursor if step is None else step)
        return State(self.recording, position, self.functions, memory)

    @property
    def _memory(self) -> int:
        """The program's own memory: the first; lowering adds others, as for passive data."""
        return min((a for kind, a in self._session.trace.spaces if kind == "memory"), default=0)

    def look(self, step: int | None = None) -> Pass:
        """The forward pass that makes a step."""
        state = self.state(step)
        return self._lens.look(*state.window.upto(state.position))

    def step(self, number: int | None = None) -> Step:
        """A step: its instruction, what its heads read, what it writes."""
        number = self.made(number)
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
        """What heads found in a step; those that its instruction uses, or all."""
        state = self.state(step)
        wanted = uses(self.listing[state.now.pc].name)
        for found in self.look(step).found:
            if all_heads or found.name in wanted:
                token = state.window.token(found.position)
                says = describe(token) if token else ""
                yield Read(found.name, found.layer, found.position, says, found.margin)

    def place(self, step: int | None = None) -> str:
        """Where a step is, by function, and its instruction."""
        now, function = self.state(step).now, self.calls(step)[0].function
        where = f"{function.name}+{now.pc - function.entry}" if function else f"pc {now.pc}"
        phase = f" /{now.phase}" if now.phase else ""
        return f"{where}  {self.listing[now.pc]}{phase}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """The machine's own: pc, stack pointer, frame, depth, phase."""
        now = self.state(step).now
        return {name: getattr(now, name) for name in ("pc", "sp", "fp", "depth", "phase")}

    def layers(self, step: int | None = None) -> list[tuple[str, Fields]]:
        """The fields that each layer made or changed, numbers whole."""
        seen = self.look(step)
        befores = [seen.embedded, *seen.layers[:-1]]
        return [
            (f"layer {i}", {t.name: t.value for t in tiles(before, after) if t.new})
            for i, (before, after) in enumerate(zip(befores, seen.layers, strict=True))
        ]

    def writes(self, step: int | None = None) -> str:
        """The token that a step decodes: what it writes."""
        made = self.step(step)
        return f"token {made.position}: {made.writes or 'writes nothing'}"

    def memory_text(self, first: int, count: int) -> list[str]:
        """Bytes of memory, 16 a line."""
        held = self.state().memory(first, count)
        return [_hex_line(first + at, held[at : at + 16]) for at in range(0, len(held), 16)]

    def output(self, step: int | None = None) -> bytes:
        """What the program has put out before a step."""
        position = self.position(self.cursor if step is None else step)
        window = self.recording.window(position)
        rows = window.stretch[: position + 1 - window.start]
        count = self.recording.put(window) + int(np.count_nonzero(rows[:, SPACE] == Space.OUTPUT))
        return bytes(self.printed[:count])

    def calls(self, step: int | None = None) -> list[Call]:
        """Open calls, innermost first."""
        return self.state(step).calls()

    # Variables of C

    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """Variables that exist before a step: of the innermost call, then globals of its file."""
        state = self.state(step)
        call = state.calls()[0]
        for variable, local in self._known(call):
            value = self._value(state, call, variable)
            yield Shown(variable.name, value, variable.type.name, local)

    def _known(self, call: Call) -> Iterator[tuple[CVariable, bool]]:
        """Variables that exist in a call, its own first, and whether they are its own."""
        known = self.program.variables()
        offset = self.program.offset(self.listing[call.pc])
        if offset is None:
            return
        yield from ((variable, True) for variable in known.at(offset))
        yield from ((variable, False) for variable in known.beside(offset))

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

    def at_variable(self, name: str) -> Break:
        """A variable just written; one that is in memory, as it is at the cursor."""
        state = self.state()
        call = state.calls()[0]
        everywhere = self.program.variables().globals
        for variable in (*(v for v, _ in self._known(call)), *everywhere):
            if variable.name == name:
                address = self._address(state, call, variable)
                if address is None:
                    raise UsageError(f"{name} is not in memory; compile with -O 0 to watch it")
                found = self.at_write(address, variable.type.size)
                return Break(f"write to {name}", found.test)
        raise UsageError(f"no variable {name!r} with a place here; compile with -O 0 for more")

    # Places

    def at_places(self, chosen: Mask) -> Test:
        """About to begin an instruction at one of these places."""
        return search.at(chosen)

    def other_line(self) -> Test:
        """The beginning of another line, calls passed over."""
        now, numbers = self.state().now, self.line_numbers
        return search.other(numbers, int(numbers[now.pc]), now.depth)

    def leaving(self) -> Test:
        """The innermost open call left."""
        return search.shallower(self.state().now.depth)

    def passing(self) -> Test:
        """The next instruction of this call or one around it."""
        return search.shallower(self.state().now.depth + 1)

    def at_function(self, name: str) -> Break:
        """The beginning of a function."""
        entries = [e for e, f in self.functions.items() if f.name == name]
        if not entries:
            raise UsageError(f"no function {name!r}")
        return Break(name, self.at_places(self.places(entries)))

    def at_write(self, address: int, count: int = 4) -> Break:
        """Memory from an address on just written."""
        space = self._session.trace.spaces.get(("memory", self._memory))
        if space is None:
            raise UsageError("the program has no memory")
        words = range(address // WORD, -(-(address + count) // WORD))
        return Break(f"write to {address}", search.written(space, words))


def _hex_line(address: int, row: bytes) -> str:
    text = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
    return f"{address:08x}  {row.hex(' '):47}  {text}"


#: A program that needs what many do: numbers of 64 bits, floats, and a C program's surroundings.
_USUAL = """(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    i64.const 6 i64.const 7 i64.mul drop f64.const 1 f64.const 2 f64.add drop
    i32.const 1 i32.const 0 i32.const 0 i32.const 8 call $write drop))"""


def warm() -> None:
    """Build what every recorded run needs: the model, the native engine, the usual routines."""
    debug(from_binary("warm", to_wasm(_USUAL))).look(1)


@lru_cache(maxsize=4)
def _lens_of(model: Model) -> Lens:
    return Lens(model)


def _recording(tape: Tape) -> Recording:
    """A recording of what will be on a tape. An engine without marks keeps all of its tokens."""
    engine: Any = tape.engine
    if isinstance(engine, Native):
        return MarkedRecording(engine)
    kept = tape.engine = Kept(engine, engine.tokens)
    return WholeRecording(kept, engine.model)


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
    """Run a program on an engine of DEBUG_ENGINES and record it; what a step limit cuts off is
    missing.

    `started` hears of the debugger before the run begins, so that another thread can look on.
    """
    if engine not in DEBUG_ENGINES:
        raise UsageError(f"no engine {engine!r} to debug on; there is: {', '.join(DEBUG_ENGINES)}")
    made: list[TraceDebugger] = []
    printed = bytearray()

    def begin(session: AnySession) -> None:
        assert isinstance(session, MachineSession)
        made.append(TraceDebugger(program, session, _recording(session.trace.tape), printed))
        if started is not None:
            started(made[0])

    def hear(steps: int) -> None:
        made[0].recording.note(len(printed))
        pulse(steps)

    how: dict[str, Any] = {"stdin": stdin, "max_steps": max_steps, "pulse": hear}
    how |= {"stdout": printed.append, "stderr": printed.append}
    with suppress(StepLimitError):  # what there is until then is recorded
        result = run_program(
            program, invoke, args, engine=engine, keep=engine != "native", begin=begin, **how
        )
        made[0].result = replace(result, stdout=bytes(printed))
    made[0].recording.note(len(printed))
    return made[0]
