"""Looking into a run of the loom machine: any step, down to heads and layers."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from transputer.debugger import plain
from transputer.debugger.columns import Columns
from transputer.debugger.cursor import Break
from transputer.debugger.debugger import Fields, PlainDebugger, Shown
from transputer.debugger.loom import LoomRecording, Window
from transputer.debugger.looped import LoopedLens, LoopedPass, Met, fields
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

#: Steps that are recorded unless it is told otherwise.
RECORDED = 10_000_000
#: Engines whose runs can be recorded, and after how many steps at first they are put aside. What
#: follows is made again to be looked at, by `native`: of the dense engines every state is kept, as
#: they make only some tens of steps a second.
INTERVALS = {"native": INTERVAL, "reference": 1, "softmax": 1}
#: Columns that a layer changes and that are told one by one.
MOST = 6
_A_LINE = 8
#: Fields that hold the number of a column.
_ADDRESSES = ("a", "b", "c", "pc", "target")


@dataclass(frozen=True, slots=True)
class Changed:
    """What a layer left in a column: the fields that it made, changed or emptied."""

    column: int
    fields: Fields


class LoomDebugger(PlainDebugger):
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
        self._seen: tuple[int, LoopedPass] | None = None

    # Places

    @property
    def instructions(self) -> Sequence[LoomInstr]:
        """The code by place."""
        return self.program.code

    def line_at(self, pc: int) -> SourceLine | None:
        """The source line of a place."""
        number = self.program.code[pc].line
        return SourceLine(self.name, number) if number else None

    def at_write(self, address: int, count: int = 1) -> Break:
        """Slots from one on just changed."""
        self._check_slots(address)
        return Break(f"change of slot {address}", plain.changed(range(address, address + count)))

    def at_variable(self, name: str) -> Break:
        """A variable just changed."""
        for symbol in self.program.symbols:
            if name in (symbol.name, symbol.name.rpartition(".")[2]):
                slots = range(symbol.slot, symbol.slot + symbol.count)
                return Break(f"change of {symbol.name}", plain.changed(slots))
        raise UsageError(f"no variable {name!r}; `print` lists those there are")

    def _check_slots(self, first: int) -> None:
        most = self.recording.config.memory
        if not 0 <= first < most:
            raise UsageError(f"memory has slots 0 to {most - 1}, not {first}")

    # One step

    def _window(self, position: int) -> Window:
        return self.recording.window(position)

    def memory(self, step: int | None = None) -> list[int]:
        """The words of all slots before a step, unsigned."""
        position = self.chosen(step) - 1
        found: list[int] = self._window(position).memory(position).tolist()
        return found

    def changes(self, step: int) -> list[tuple[int, int]]:
        """The slots that a step changed, with their new words."""
        told = self._window(step).changes
        return [(int(slot), int(word)) for at, slot, word in told if at == step]

    def look(self, step: int | None = None) -> LoopedPass:
        """The step of the model, head by head and layer by layer; the last one is kept."""
        number = self.made(step)
        if self._seen is None or self._seen[0] != number:
            state = self.recording.state(number - 1)
            self._seen = number, _lens_of(self.model).look(state)
        return self._seen[1]

    def instr(self, step: int | None = None) -> LoomInstr | None:
        """The instruction of a step; none in an empty column of the code."""
        pc = self.pc(self.made(step))
        return self.program.code[pc] if 0 <= pc < len(self.program.code) else None

    def place(self, step: int | None = None) -> str:
        """Where a step is, and its instruction with the names of its slots."""
        pc = self.pc(step)
        return f"pc {pc}  {self.columns.written(pc) if self.instr(step) else 'nothing'}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """The program counter, as a place and as the column that it points to."""
        pc = self.pc(step)
        return {"pc": pc, "column": self.columns.of_place(pc) if pc >= 0 else 0}

    def used(self, step: int | None = None) -> frozenset[str]:
        """The heads that the instruction of a step uses."""
        instr = self.instr(step)
        return uses(instr) if instr else frozenset({"pc"})

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """Whom the first column met in each head; those that the instruction uses, or all."""
        wanted, memory = self.used(step), self.memory(step)
        for met in self.look(step).met:
            if all_heads or met.name in wanted:
                column = met.others[0] if met.others else 0
                yield Read(met.name, met.layer, column, self.met_text(met, memory), met.margin)

    def met_text(self, met: Met, memory: list[int]) -> str:
        """What the columns hold that the first one met."""
        if not met.others:
            return "itself alone"
        said = self.columns.says(met.others[0], memory)
        return said if len(met.others) == 1 else f"{len(met.others)} columns, the first {said}"

    def layer_changes(self, step: int | None = None) -> list[tuple[str, list[Changed]]]:
        """What each layer left in the columns that it changed, the first `MOST` of them."""
        states, names = self.look(step).states, self.model.names
        found = []
        for i, (before, after) in enumerate(zip(states[:-1], states[1:], strict=True)):
            touched = (before != after).any(axis=0).nonzero()[0].tolist()
            told = [
                Changed(column, _changed(names, before[:, column], after[:, column]))
                for column in touched[:MOST]
            ]
            found.append((self.layer_name(i), told))
        return found

    def layer_name(self, layer: int) -> str:
        """A layer by its number, and its name where the model has one."""
        names = self.model.hints.get("layers", ())
        return f"layer {layer}{f' {names[layer]}' if layer < len(names) else ''}"

    def layers(self, step: int | None = None) -> list[tuple[str, Fields]]:
        """The fields that each layer changed; those of other columns by what the column is."""
        return [
            (name, {self._field(c.column, field): self.value_text(field, value)
                    for c in told for field, value in c.fields.items()})
            for name, told in self.layer_changes(step)
        ]  # fmt: skip

    def _field(self, column: int, field: str) -> str:
        return field if column == 0 else f"{self.columns.name(column)}: {field}"

    def value_text(self, field: str, value: int | str) -> str:
        """A field's value, for people: addresses of columns by name, words signed."""
        if not isinstance(value, int):
            return value
        if field in _ADDRESSES:
            return f"{value} ({self._address(field, value)})"
        return str(self.columns.signed(value))

    def _address(self, field: str, column: int) -> str:
        """A column that a field names; below the scratchpad's size, `a` is an operation."""
        op = LOOM.by_code(column) if field == "a" else None
        return (
            op.name
            if op and column < self.recording.config.scratch
            else (self.columns.name(column))
        )

    def writes(self, step: int | None = None) -> str:
        """The slots that a step changes, and what it puts out."""
        number = self.made(step)
        said = [
            self.columns.says(self.columns.of_slot(slot), _only(slot, word))
            for slot, word in self.changes(number)
        ]
        before, after = self.output(number), self.output(number + 1)
        said += [f"output {byte}" for byte in after[len(before) :]]
        return ", ".join(said) or "no word changes"

    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """Variables by name: what small C or the assembly calls slots."""
        memory = self.memory(step)
        for symbol in self.program.symbols:
            words = memory[symbol.slot : symbol.slot + symbol.count]
            numbers = [str(self.columns.signed(word)) for word in words]
            value = numbers[0] if symbol.count == 1 else "{" + ", ".join(numbers) + "}"
            yield Shown(symbol.name, value, local="." in symbol.name)

    def memory_text(self, first: int, count: int) -> list[str]:
        """Words of memory from a slot on, 8 a line, signed."""
        self._check_slots(first)
        words = [self.columns.signed(word) for word in self.memory()[first : first + count]]
        return [
            f"{first + at:6}  " + " ".join(f"{word:6}" for word in words[at : at + _A_LINE])
            for at in range(0, len(words), _A_LINE)
        ]

    def output(self, step: int | None = None) -> bytes:
        """What the program has put out before a step."""
        position = self.chosen(step) - 1
        return bytes(self.printed[: self._window(position).row(position)[1]])


def _only(slot: int, word: int) -> list[int]:
    """A memory in which one slot matters."""
    return [0] * slot + [word]


def _changed(names: Sequence[str], before: Any, after: Any) -> Fields:
    old, new = fields(tuple(names), before), fields(tuple(names), after)
    made = {name: value for name, value in new.items() if old.get(name) != value}
    return made | {name: "emptied" for name in old if name not in new}


@lru_cache(maxsize=4)
def _lens_of(model: Looped) -> LoopedLens:
    return LoopedLens(model)


def record(program: CompiledLoom, settings: RunSettings) -> LoomDebugger:
    """Run a program on an engine of `INTERVALS` and record it.

    What a step limit cuts off is missing.
    """
    check_invoke(program.name, program.has_main, settings.invoke)
    program = fed(program, settings.stdin)
    program = edited(program, settings.edits) if settings.edits else program
    limit, size, engine = settings.max_steps or RECORDED, program.config, settings.engine
    model, first = loom_model(size), initial(program.code, size)
    printed = bytearray()
    session = LoomSession(size, engine_of(engine, model, first), printed.append)
    recording = LoomRecording(
        size, lambda state: engine_of("native", model, state), first, INTERVALS[engine]
    )
    debugger = LoomDebugger(program, model, recording, printed)
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
    return debugger
