"""The debugger of the loom machine: any step of a run, down to heads and layers."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any

import numpy as np

from transputer.debugger import plain
from transputer.debugger.columns import Columns
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import BreakableDebugger, Fields, NamedValue, PlainDebugger
from transputer.debugger.loom import LoomRecording, LoomWindow
from transputer.debugger.looped import ColumnLookup, LoopedLens, LoopedPass, fields
from transputer.debugger.plain import INTERVAL
from transputer.debugger.steps import Read
from transputer.errors import StepLimitError, UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import Interrupted
from transputer.host.result import check_invoke
from transputer.ir.loom import LoomInstr
from transputer.isa.loom import LOOM
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.machines.loom.uses import uses
from transputer.model import Looped
from transputer.registry import RunSettings
from transputer.runtime.loom.program import CompiledLoom, edited, fed
from transputer.runtime.loom.run import engine_of, result_of
from transputer.values import dataclass

#: Default number of steps to record.
RECORDED = 10_000_000
#: Engines whose runs can be recorded, and the initial number of steps between checkpoints. `native`
#: replays the steps after a checkpoint. The dense engines run only some tens of steps a second, so
#: every one of their states is a checkpoint.
INTERVALS = {"native": INTERVAL, "reference": 1, "softmax": 1}
#: Changed columns of a layer that are shown one by one.
MOST = 6
_A_LINE = 8
#: Fields that hold the number of a column.
_ADDRESSES = ("a", "b", "c", "pc", "target")


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The fields that a layer set, changed or cleared in a column."""

    column: int
    fields: Fields


class LoomDebugger(PlainDebugger, BreakableDebugger):
    """A recorded run of the loom machine: a row of the recording is a step."""

    machine, unit = "loom", "column"
    recording: LoomRecording

    def __init__(
        self,
        compiled: CompiledLoom,
        model: Looped,
        recording: LoomRecording,
        printed: bytearray,
    ) -> None:
        super().__init__(recording, compiled.name, printed)
        self.program, self.model = compiled.code, model
        self.columns = Columns(compiled.code, recording.config)
        self._last_pass: tuple[int, LoopedPass] | None = None

    @property
    def weights(self) -> Looped:
        """The model of the run."""
        return self.model

    def first_difference(self, other: BreakableDebugger) -> int | None:
        """Return the first step with another pc, output or word; None if there is none."""
        assert isinstance(other, LoomDebugger)
        at, end = 0, min(self.steps, other.steps) + 1
        while at < end:
            one, two = self._window(at), other._window(at)
            stop = min(end, one.end, two.end)
            positions = [*_differing(one, two, at, stop)]
            if positions:
                return max(1, min(positions))
            at = stop
        return None if self.steps == other.steps else end

    # Places

    @property
    def instructions(self) -> Sequence[LoomInstr]:
        """The instruction at each place of the code."""
        return self.program.code

    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        number = self.program.code[pc].line
        return SourceLine(self.name, number) if number else None

    def at_write(self, address: int, count: int = 1) -> Breakpoint:
        """Return a breakpoint after a change of `count` slots from `address`."""
        self._check_slots(address)
        return Breakpoint(
            f"change of slot {address}", plain.changed(range(address, address + count))
        )

    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint after a change of a variable."""
        for symbol in self.program.symbols:
            if name in (symbol.name, symbol.name.rpartition(".")[2]):
                slots = range(symbol.slot, symbol.slot + symbol.count)
                return Breakpoint(f"change of {symbol.name}", plain.changed(slots))
        raise UsageError(f"no variable {name!r}; `print` lists the variables")

    def _check_slots(self, first: int) -> None:
        most = self.recording.config.memory
        if not 0 <= first < most:
            raise UsageError(f"memory has slots 0 to {most - 1}, not {first}")

    # One step

    def _window(self, position: int) -> LoomWindow:
        return self.recording.window(position)

    def memory(self, step: int | None = None) -> list[int]:
        """Return the unsigned words of all slots before a step."""
        position = self.valid_cursor(step) - 1
        words: list[int] = self._window(position).memory(position).tolist()
        return words

    def changes(self, step: int) -> list[tuple[int, int]]:
        """Return the slots that a step changed, with their new words."""
        changes = self._window(step).changes
        return [(int(slot), int(word)) for at, slot, word in changes if at == step]

    def look(self, step: int | None = None) -> LoopedPass:
        """Return the model's forward pass in a step; the last one is cached."""
        number = self.valid_step(step)
        if self._last_pass is None or self._last_pass[0] != number:
            state = self.recording.state(number - 1)
            self._last_pass = number, _lens_of(self.model).look(state)
        return self._last_pass[1]

    def instr(self, step: int | None = None) -> LoomInstr | None:
        """Return the instruction of a step; None in an empty column of the code."""
        pc = self.pc(self.valid_step(step))
        return self.program.code[pc] if 0 <= pc < len(self.program.code) else None

    def place(self, step: int | None = None) -> str:
        """Return the pc of a step, and its instruction with the names of its slots."""
        pc = self.pc(step)
        return f"pc {pc}  {self.columns.text(pc) if self.instr(step) else 'nothing'}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """Return the program counter, and the column that it points to."""
        pc = self.pc(step)
        return {"pc": pc, "column": self.columns.of_place(pc) if pc >= 0 else 0}

    def used(self, step: int | None = None) -> frozenset[str]:
        """Return the heads that the instruction of a step uses."""
        instr = self.instr(step)
        return uses(instr) if instr else frozenset({"pc"})

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """Yield what column 0 attends to in the heads that the instruction uses, or in all."""
        used, memory = self.used(step), self.memory(step)
        for lookup in self.look(step).lookups:
            if all_heads or lookup.name in used:
                column = lookup.others[0] if lookup.others else 0
                text = self.lookup_text(lookup, memory)
                yield Read(lookup.name, lookup.layer, column, text, lookup.margin)

    def lookup_text(self, lookup: ColumnLookup, memory: list[int]) -> str:
        """Return the contents of the columns that column 0 attends to, as text."""
        if not lookup.others:
            return "only itself"
        first, count = self.columns.says(lookup.others[0], memory), len(lookup.others)
        return first if count == 1 else f"{count} columns, the first {first}"

    def layer_changes(self, step: int | None = None) -> list[tuple[str, list[ColumnChange]]]:
        """Return the changes of each layer in the first `MOST` columns that it changed."""
        states, names = self.look(step).states, self.model.names
        layers = []
        for i, (before, after) in enumerate(zip(states[:-1], states[1:], strict=True)):
            touched = (before != after).any(axis=0).nonzero()[0].tolist()
            changes = [
                ColumnChange(column, _changed(names, before[:, column], after[:, column]))
                for column in touched[:MOST]
            ]
            layers.append((self.layer_name(i), changes))
        return layers

    def layer_name(self, layer: int) -> str:
        """Return the number of a layer, with its name if the model has one."""
        names = self.model.hints.get("layers", ())
        return f"layer {layer}{f' {names[layer]}' if layer < len(names) else ''}"

    def layers(
        self, step: int | None = None, *, all_fields: bool = False
    ) -> list[tuple[str, Fields]]:
        """Return the fields that each layer changed; those of other columns with a prefix."""
        return [
            (name, {self._field(c.column, field): self.value_text(field, value)
                    for c in changes for field, value in c.fields.items()})
            for name, changes in self.layer_changes(step)
        ]  # fmt: skip

    def _field(self, column: int, field: str) -> str:
        return field if column == 0 else f"{self.columns.name(column)}: {field}"

    def value_text(self, field: str, value: int | str) -> str:
        """Return a field's value as text: addresses with the column's name, words signed."""
        if not isinstance(value, int):
            return value
        if field in _ADDRESSES:
            return f"{value} ({self._address(field, value)})"
        return str(self.columns.signed(value))

    def _address(self, field: str, column: int) -> str:
        """Return a column's name; in `a`, a number below the scratchpad's size is an opcode."""
        op = LOOM.by_code(column) if field == "a" else None
        opcode = op is not None and column < self.recording.config.scratch
        return op.name if op and opcode else self.columns.name(column)

    def writes(self, step: int | None = None) -> str:
        """Return the slots that a step changes, and its output, as text."""
        number = self.valid_step(step)
        writes = [
            self.columns.says(self.columns.of_slot(slot), _only(slot, word))
            for slot, word in self.changes(number)
        ]
        before, after = self.output(number), self.output(number + 1)
        writes += [f"output {byte}" for byte in after[len(before) :]]
        return ", ".join(writes) or "no word changes"

    def variables(self, step: int | None = None) -> Iterator[NamedValue]:
        """Yield the slots that small C or the assembly gives a name."""
        memory = self.memory(step)
        for symbol in self.program.symbols:
            words = memory[symbol.slot : symbol.slot + symbol.count]
            numbers = [str(self.columns.signed(word)) for word in words]
            value = numbers[0] if symbol.count == 1 else "{" + ", ".join(numbers) + "}"
            yield NamedValue(symbol.name, value, local="." in symbol.name)

    def memory_text(self, first: int, count: int) -> list[str]:
        """Return the signed words of memory from slot `first`, 8 a line."""
        self._check_slots(first)
        words = [self.columns.signed(word) for word in self.memory()[first : first + count]]
        return [
            f"{first + at:6}  " + " ".join(f"{word:6}" for word in words[at : at + _A_LINE])
            for at in range(0, len(words), _A_LINE)
        ]

    def output(self, step: int | None = None) -> bytes:
        """Return the program's output before a step."""
        position = self.valid_cursor(step) - 1
        return bytes(self.printed[: self._window(position).row(position)[1]])


def _differing(one: LoomWindow, two: LoomWindow, start: int, stop: int) -> Iterator[int]:
    """Yield the first positions at which rows, output lengths and words of two segments differ."""
    for name in ("segment", "output_lengths"):
        first, second = (getattr(w, name)[start - w.start : stop - w.start] for w in (one, two))
        unequal = np.flatnonzero((first != second).reshape(len(first), -1).any(axis=1))
        yield from (start + unequal[:1]).tolist()
    changes = [[row for row in w.changes.tolist() if start <= row[0] < stop] for w in (one, two)]
    pairs = zip_longest(*changes)
    yield from (min(row[0] for row in pair if row) for pair in pairs if pair[0] != pair[1])


def _only(slot: int, word: int) -> list[int]:
    """Return a memory that is 0 except for one slot, its last."""
    return [0] * slot + [word]


def _changed(names: Sequence[str], before: Any, after: Any) -> Fields:
    old, new = fields(tuple(names), before), fields(tuple(names), after)
    changes = {name: value for name, value in new.items() if old.get(name) != value}
    return changes | {name: "cleared" for name in old if name not in new}


@lru_cache(maxsize=4)
def _lens_of(model: Looped) -> LoopedLens:
    return LoopedLens(model)


def record(program: CompiledLoom, settings: RunSettings) -> LoomDebugger:
    """Run a program on an engine of `INTERVALS` and record its steps, up to the step limit.

    `settings.weights` replaces the machine's model.
    """
    check_invoke(program.name, program.has_main, settings.invoke)
    if callable(settings.stdin) and program.code.reads:  # it can be read only once
        settings = replace(settings, stdin=bytes(iter(settings.stdin, -1)))
    again = partial(_again, program, settings)
    program = fed(program, settings.stdin)
    program = edited(program, settings.edits) if settings.edits else program
    limit, size, engine = settings.max_steps or RECORDED, program.config, settings.engine
    model = loom_model(size) if settings.weights is None else settings.weights
    first = initial(program.code, size)
    printed = bytearray()
    session = LoomSession(size, engine_of(engine, model, first), printed.append)
    recording = LoomRecording(
        size, lambda state: engine_of("native", model, state), first, INTERVALS[engine]
    )
    debugger = LoomDebugger(program, model, recording, printed)
    debugger.again = again
    if settings.started is not None:
        settings.started(debugger)
    began, interrupted = time.perf_counter(), False
    try:
        while not session.halted and session.steps < limit:
            with suppress(StepLimitError):
                session.run(min(recording.interval, limit - session.steps))
            recording.note(session, len(printed))
            settings.pulse(session.steps)
    except Interrupted:
        interrupted = True
        recording.note(session, len(printed))
    if session.halted or interrupted:
        result = result_of(program, settings.invoke, session, engine, interrupted)
        seconds = time.perf_counter() - began
        debugger.result = replace(result, stdout=bytes(printed), seconds=seconds)
    elif settings.weights is not None:
        debugger.stopped = f"still running after {limit:,} steps"
    return debugger


def _again(
    program: CompiledLoom, settings: RunSettings, *, model: Looped, **how: Any
) -> LoomDebugger:
    return record(program, replace(settings, weights=model, **how))
