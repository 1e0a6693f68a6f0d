"""The debugger of the trace machine: any step of a run, down to heads and layers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from transputer.debugger import search
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import BreakableDebugger, Fields, NamedValue
from transputer.debugger.diff import first_difference
from transputer.debugger.expressions import CValue, evaluate, text_of
from transputer.debugger.fields import tiles
from transputer.debugger.lens import ForwardPass, Lens
from transputer.debugger.recording import NativeRecording, Recording, TokenLog, WholeRecording
from transputer.debugger.search import Mask, Numbers, Test
from transputer.debugger.sentence import FETCHES, sentence
from transputer.debugger.state import Call, State
from transputer.debugger.steps import Read, Step
from transputer.debugger.tokens import describe
from transputer.engines.native.decoder import Native
from transputer.errors import CapacityError, StepLimitError, UsageError
from transputer.frontends.lines import SourceLine, read_lines
from transputer.frontends.wat import to_wasm
from transputer.host.outcome import Pulse, quiet
from transputer.host.place import CallPlace
from transputer.ir.core import CoreFunction, CoreInstr
from transputer.ir.values import Value
from transputer.isa.op import Op
from transputer.machines.trace.tape import SPACE, Tape
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import WORD, Space
from transputer.model import Model
from transputer.runtime.trace.program import TraceProgram, from_binary
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.scope import MAIN, CallScope, is_library, source_name
from transputer.runtime.trace.sessions import AnySession, MachineSession

#: What the host raises at tokens that only a broken model decodes: a pc outside the code, a status
#: or a space that does not exist.
UNSERVED = (IndexError, KeyError, ValueError, TypeError, StopIteration, CapacityError)
#: Default number of steps to record.
RECORDED = 100_000_000
#: What a broken model executes outside the code.
NOWHERE = CoreInstr(Op("no instruction", 0, ":", "A place outside the code."), (), None, True)
#: Engines whose runs can be recorded; the first is fast, the second is the definition.
DEBUG_ENGINES = ("native", "reference")


class Listing(Sequence[CoreInstr]):
    """Instructions by place; a broken model can leave the code, so every place has one."""

    def __init__(self, code: list[CoreInstr]) -> None:
        self._code = code

    def __len__(self) -> int:
        return len(self._code)

    def __getitem__(self, place: Any) -> Any:
        """Return the instruction at a place, or those of a slice."""
        inside = isinstance(place, slice) or place < len(self._code)
        return self._code[place] if inside else NOWHERE

    def __iter__(self) -> Iterator[CoreInstr]:
        return iter(self._code)


class TraceDebugger(BreakableDebugger):
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
        self._last_pass: tuple[int, ForwardPass] | None = None
        self._session = session

    # The program

    @property
    def instructions(self) -> "Listing":
        """The instruction at each place of the code."""
        return self.listing

    def pc(self, step: int | None = None) -> int:
        """Return the program counter of a step, by default the cursor's."""
        return self.state(step).now.pc

    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        return self.program.line(self.listing[pc])

    @property
    def listing(self) -> "Listing":
        """The instruction at each place of the code."""
        return Listing(self._session.trace.listing)

    @cached_property
    def functions(self) -> dict[int, CoreFunction]:
        """Functions by their first pc."""
        return {f.entry: f for f in self._session.trace.functions.values()}

    @property
    def spaces(self) -> dict[int, str]:
        """The kind (memory or table) of each space number in a token."""
        return {number: kind for (kind, _), number in self._session.trace.spaces.items()}

    @property
    def weights(self) -> Model:
        """The model of the run."""
        return self.recording.model

    def first_difference(self, other: BreakableDebugger) -> int | None:
        """Return the step of the first token that differs from another run; None if none does."""
        assert isinstance(other, TraceDebugger)
        position = first_difference(self.recording, other.recording)
        longer = max(self, other, key=lambda run: run.steps).recording
        return None if position is None else longer.step_at(position)

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
        """Return the forward pass of a step; the last one is cached."""
        state = self.state(step)
        if self._last_pass is None or self._last_pass[0] != state.position:
            forward = self._lens.look(*state.window.upto(state.position))
            self._last_pass = state.position, forward
        return self._last_pass[1]

    def sentence(self, step: int | None = None) -> str:
        """Return one sentence about a step: what heads fetched, neurons computed, tokens say."""
        row = self.step(step)
        following = row.after.pc in (row.before.pc, row.before.pc + 1)
        fields = ["value"] if row.after.space and row.after.space != Space.FRAME else ["pc"]
        paths = self._lens.paths(self.look(step), fields)
        live = {
            look.name for look in self.look(step).lookups if (look.layer, look.head) in paths.heads
        }
        # a result of 0 is what no neuron adds anything to: then all operands matter
        reads = [r for r in row.reads if r.head in live and r.head not in FETCHES] or row.reads
        jump = None if following else row.after.pc
        return sentence(row.text, reads, paths.groups, row.writes, jump)

    def groups(self, step: int | None = None) -> tuple[dict[str, int], ...]:
        """Return the number of firing neurons by group, per layer, with a path to the token."""
        return self._lens.paths(self.look(step)).groups

    def live_lanes(self, step: int | None = None) -> list[frozenset[str]]:
        """Return the lanes with a path to the next token, after the embedding and each layer."""
        return self._lens.live_lanes(self._lens.paths(self.look(step)))

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
        where = f"pc {now.pc}"
        if function:
            where = f"{source_name(function.name)}+{now.pc - function.entry}"
        phase = f" /{now.phase}" if now.phase else ""
        return f"{where}  {self.listing[now.pc]}{phase}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """Return pc, stack pointer, frame pointer, depth and phase before a step."""
        now = self.state(step).now
        return {name: getattr(now, name) for name in ("pc", "sp", "fp", "depth", "phase")}

    def layers(
        self, step: int | None = None, *, all_fields: bool = False
    ) -> list[tuple[str, Fields]]:
        """Return the fields that each layer set or changed, bytes joined into numbers.

        Fields without a path to the next token are left out unless `all_fields` is set.
        """
        forward = self.look(step)
        befores = [forward.embedded, *forward.layers[:-1]]
        lanes = self._shown_lanes(step, all_fields)
        rows = enumerate(zip(befores, forward.layers, lanes, strict=True))
        return [
            (f"layer {i}", {t.name: t.value for t in tiles(*row) if t.new and t.used})
            for i, row in rows
        ]

    def _shown_lanes(self, step: int | None, all_fields: bool) -> list[Any]:
        layers = len(self.recording.model.layers)
        return [None] * layers if all_fields else self.live_lanes(step)[1:]

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

    def scope(self, frame: int = 0, step: int | None = None) -> CallScope:
        """Return the variables of an open call (0: the innermost) before a step."""
        state = self.state(step)
        calls = state.calls()
        if not 0 <= frame < len(calls):
            raise UsageError(f"no frame {frame}; there are {len(calls)} open calls")
        return CallScope(self.program, self.listing, state, calls[frame])

    def evaluate(self, text: str, frame: int = 0, step: int | None = None) -> CValue:
        """Return the value of a C expression before a step; raise `UsageError` if it has none."""
        return evaluate(text, self.scope(frame, step))

    def variables(self, step: int | None = None, frame: int = 0) -> Iterator[NamedValue]:
        """Yield the C variables of a call (0: the innermost), then the globals of its file."""
        scope = self.scope(frame, step)
        for variable, local in scope.variables():
            yield NamedValue(variable.name, scope.text(variable), variable.type.name, local)

    def call_places(self, step: int | None = None) -> list[tuple[int, CallPlace]]:
        """Return the open calls as source places with their number in `calls`, innermost first.

        An inlined call has a place of its own; the C library's callers of `main` are left out.
        """
        rows: list[tuple[int, CallPlace]] = []
        for number, call in enumerate(self.calls(step)):
            name = source_name(call.function.name) if call.function else ""
            origin = self.listing[call.instruction].origin
            rows += [(number, place) for place in self.program.call_places(name, origin)]
            if rows[-1][1].function == MAIN:
                break
        return rows

    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint where the value of an expression changes.

        Watches the place that it has at the cursor, while the call that it belongs to is open.
        """
        scope = self.scope()
        everywhere = [scope.value(v) for v in self.program.variables().globals if v.name == name]
        try:
            value = evaluate(name, scope)
        except UsageError:
            if not everywhere or everywhere[0] is None:
                raise
            value = everywhere[0]
        if value.address is not None:
            test = self.at_write(value.address, value.type.size).test
        elif value.slot is not None:
            test = search.written(Space.SLOT, range(value.slot, value.slot + 1))
        else:
            raise UsageError(f"{name} has no place that is written; compile with -O 0 to watch it")
        depth = scope.call.depth if scope.owns(value) else 0
        change = _Change(self, value, depth)
        return Breakpoint(name, test, change.holds, change.told)

    # Places

    def at_places(self, places: Mask) -> Test:
        """Return a test: an instruction begins at one of `places`."""
        return search.at(places)

    @cached_property
    def own_lines(self) -> Numbers:
        """`line_numbers` without the lines of the C library."""
        numbers, lines = self._lines
        own = [not is_library(line.file) for line in lines]
        return np.where(np.array([False, *own])[numbers], numbers, 0)

    @cached_property
    def _stops(self) -> Numbers:
        """`own_lines` without the code before the first statement of each function."""
        numbers = self.own_lines.copy()
        for entry, body in self._bodies.items():
            numbers[entry:body] = 0
        return numbers

    def other_line(self) -> Test:
        """Return a test: another line of the program begins, not in a called function."""
        now, numbers = self.state().now, self._stops
        return search.other(numbers, int(numbers[now.pc]), now.depth)

    def into_line(self) -> Test:
        """Return a test: another line of the program begins, also in a called function."""
        mask = self.places(list(self._bodies.values()))
        return search.either(self.other_line(), self.at_places(mask))

    def elsewhere(self) -> Test:
        """Return a test: any other line of the program, in this call or in another."""
        now, numbers = self.state().now, self._stops
        return search.elsewhere(numbers, int(numbers[now.pc]), now.depth)

    def later_line(self) -> Test:
        """Return a test: another line begins behind this place, or the caller goes on."""
        now = self.state().now
        return search.later(self._stops, now.pc, now.depth)

    def line_start(self) -> int:
        """Return the step at which the cursor's line began."""
        now, numbers, here = self.state().now, self._stops, self.cursor
        other = search.other(numbers, int(numbers[now.pc]), now.depth)
        same = search.inside(numbers, int(numbers[now.pc]), now.depth)
        before = search.backward(self.recording, here, other, quiet) or 1
        first = search.forward(self.recording, before, same, quiet)
        return min(here, first or here)

    def step_out(self) -> Test:
        """Return a test: the innermost open call has returned."""
        return search.shallower(self.state().now.depth)

    def step_over(self) -> Test:
        """Return a test: the next instruction is in this call or in a caller."""
        return search.shallower(self.state().now.depth + 1)

    def returned(self) -> str:
        """Return the value that the last call returned, as text; empty if it has none."""
        if not 1 < self.cursor <= self.steps:
            return ""
        state, before = self.state(), self.state(self.cursor - 1)
        call, callee = state.calls()[0], before.calls()[0]
        operands = state.operands(call, 1)
        scopes = self.program.functions_at(self.listing[callee.instruction].origin)
        type_ = scopes[-1].type if scopes else None
        if not operands or type_ is None or not type_.is_number:
            return ""
        data = operands[0].value.to_bytes(8, "little")[: type_.size]
        scope = CallScope(self.program, self.listing, state, call)
        return text_of(CValue(type_, data), scope)

    @cached_property
    def _offsets(self) -> list[int]:
        """The offset in the binary of each instruction, -1 where there is none."""
        offsets = (self.program.offset(instr) for instr in self.listing)
        return [-1 if offset is None else offset for offset in offsets]

    @cached_property
    def _bodies(self) -> dict[int, int]:
        """The place of the first statement of each function of the program, by its first pc."""
        if self.program.module is None:
            return {}
        marks = read_lines(self.program.binary).bodies
        entries = [*sorted(self.functions), len(self.listing)]
        bodies = {}
        for entry, end in pairwise(entries):
            offsets = self._offsets[entry:end]
            known = [offset for offset in offsets if offset >= 0]
            first, last = min(known, default=0), max(known, default=0)
            mark = next((m for m in marks if first <= m <= last), None)
            if mark is None:
                continue
            place = next(entry + i for i, offset in enumerate(offsets) if offset >= mark)
            if self.own_lines[place]:
                bodies[entry] = place
        return bodies

    def at_function(self, name: str) -> Breakpoint:
        """Return a breakpoint at the first statement of a function, or where it was inlined."""
        entries = [e for e, f in self.functions.items() if source_name(f.name) == name]
        bodies = [self._bodies[entry] for entry in entries if entry in self._bodies]
        places = bodies or entries or self._inlined(name)
        if not places:
            own = sorted({source_name(self.functions[e].name) for e in self._bodies})
            close = get_close_matches(name, own, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(f"no function {name!r}{hint}")
        return Breakpoint(name, self.at_places(self.places(places)))

    def _inlined(self, name: str) -> list[int]:
        """Return the places at which a function was inlined."""
        own = {self._offsets[pc] for pc in np.flatnonzero(self.own_lines).tolist()}
        units = [u for u in self.program.variables().units
                 if any(low <= o < high for o in own for low, high in u.spans)]  # fmt: skip
        spans = [f.spans for u in units for f in u.contents.functions if f.name == name]
        places = (
            next((pc for pc, o in enumerate(self._offsets) if low <= o < high), None)
            for own_spans in spans
            for low, high in own_spans[:1]
        )
        return [pc for pc in places if pc is not None]

    def at_write(self, address: int, count: int = 4) -> Breakpoint:
        """Return a breakpoint after a write to `count` bytes of memory from `address`."""
        space = self._session.trace.spaces.get(("memory", self._memory))
        if space is None:
            raise UsageError("the program has no memory")
        words = range(address // WORD, -(-(address + count) // WORD))
        return Breakpoint(f"write to {address}", search.written(space, words))


class _Change:
    """Watches the place of a value while the call that it belongs to is open."""

    def __init__(self, debugger: TraceDebugger, value: CValue, depth: int) -> None:
        self._debugger, self._value, self._depth = debugger, value, depth

    def holds(self) -> bool:
        """Return whether the last step changed the value."""
        step = self._debugger.cursor
        if step < 2 or self._debugger.state().now.depth < self._depth:
            return False
        return self._data(step) != self._data(step - 1)

    def told(self) -> str:
        """Return the values before and after the last step, as text."""
        step, scope = self._debugger.cursor, self._debugger.scope()
        old, new = (replace(self._value, data=self._data(at)) for at in (step - 1, step))
        return f"Old value = {text_of(old, scope)}\nNew value = {text_of(new, scope)}"

    def _data(self, step: int) -> bytes:
        state, size = self._debugger.state(step), self._value.type.size
        if self._value.slot is not None:
            return state.slot(self._value.slot).value.to_bytes(8, "little")[:size]
        return state.memory(self._value.address or 0, size)


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
    model: Model | None = None,
) -> TraceDebugger:
    """Run a program on an engine of DEBUG_ENGINES and record at most `max_steps` steps.

    `started` gets the debugger before the run begins, so that another thread can watch it. `model`
    replaces the universal model; a broken one may decode what the host cannot serve, which ends
    the run.
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

    how: dict[str, Any] = {"stdin": stdin, "max_steps": max_steps, "pulse": note, "model": model}
    how |= {"stdout": printed.append, "stderr": printed.append}
    try:
        result = run_program(
            program, invoke, args, engine=engine, keep=engine != "native", begin=begin, **how
        )
        debuggers[0].result = replace(result, stdout=bytes(printed))
    except StepLimitError:  # the steps before the limit are recorded
        if model is not None:
            debuggers[0].stopped = f"still running after {max_steps:,} steps"
    except UNSERVED:
        if model is None or not debuggers:  # the model itself was refused
            raise
        debuggers[0].stopped = "a token that the host cannot serve"
    debuggers[0].recording.note(len(printed))
    debuggers[0].again = partial(debug, program, invoke, args, engine=engine, stdin=stdin)
    return debuggers[0]
