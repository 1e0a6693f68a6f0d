"""The debugger of the soft machine. A temperature above 0 needs JAX."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from transputer.debugger import plain
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Fields, NamedValue, PlainDebugger
from transputer.debugger.hard import HardRecording
from transputer.errors import UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import Interrupted
from transputer.host.result import check_invoke
from transputer.ir.soft import Instruction, encode
from transputer.isa.integers import signed
from transputer.isa.soft import FLAGS
from transputer.machines.soft.native import Hard
from transputer.registry import RunSettings
from transputer.registry.machine import require
from transputer.runtime.soft.program import CompiledSoft
from transputer.runtime.soft.run import initial, library
from transputer.runtime.soft.streams import input_words, printed, result_of

if TYPE_CHECKING:
    from transputer.debugger.soft import Probabilities, SoftPath

#: Default number of steps to record.
RECORDED = 1_000_000
_A_LINE = 8


class SoftDebugger(PlainDebugger):
    """A recorded run of the soft machine: the hard path, and probabilities at a temperature."""

    machine, unit = "soft", "place"
    recording: HardRecording

    def __init__(
        self, program: CompiledSoft, recording: HardRecording, path: "SoftPath | None"
    ) -> None:
        super().__init__(recording, program.name, bytearray())
        self.program, self._path = program, path
        self.memory = program.config.memory

    # Places

    @property
    def instructions(self) -> Sequence[Instruction]:
        """The instruction at each place of the code."""
        return self.program.image.code

    def line_at(self, pc: int) -> SourceLine | None:
        """Return the source line of the instruction at `pc`."""
        lines = self.program.image.lines
        return SourceLine(self.name, lines[pc]) if pc < len(lines) and lines[pc] else None

    def at_write(self, address: int, count: int = 1) -> Breakpoint:
        """Return a breakpoint after a change of `count` words of memory from `address`."""
        if not 0 <= address < self.memory:
            raise UsageError(f"memory has words 0 to {self.memory - 1}, not {address}")
        return Breakpoint(
            f"change of word {address}", plain.changed(range(address, address + count))
        )

    def at_variable(self, name: str) -> Breakpoint:
        """Return a breakpoint after a change of a register or a global variable."""
        for symbol in self.program.image.symbols:
            if symbol.name == name:
                slots = range(symbol.slot, symbol.slot + symbol.count)
                return Breakpoint(f"change of {name}", plain.changed(slots))
        number = int(name[1:]) if name[:1] in "Rr" and name[1:].isdigit() else -1
        if not 0 <= number < self.program.config.registers:
            raise UsageError(f"no variable or register {name!r}; registers are R0, R1, and so on")
        slot = self.memory + number
        return Breakpoint(f"change of R{number}", plain.changed(range(slot, slot + 1)))

    # One step

    def state(self, step: int | None = None) -> Any:
        """Return the state before a step, on the hard path."""
        position = self.valid_cursor(step) - 1
        return self.recording.window(position).state(position)

    def place(self, step: int | None = None) -> str:
        """Return the pc and the instruction of a step, as text."""
        pc = self.pc(step)
        return f"pc {pc}  {self.program.image.code[pc]}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """Return the program counter and the flags that are set."""
        bits = int(self.state(step).flags)
        flags = [name for i, name in enumerate(FLAGS) if bits >> i & 1]
        return {"pc": self.pc(step), "flags": "".join(flags) or "none"}

    def probabilities(self, step: int | None = None) -> "dict[str, Probabilities]":
        """Return the distribution of each choice in a step; empty at temperature 0."""
        number = self.valid_step(step)
        return self._path.probabilities(number) if self._path is not None else {}

    def layers(
        self, step: int | None = None, *, all_fields: bool = False
    ) -> list[tuple[str, Fields]]:
        """Return the likeliest alternatives of each choice, in percent."""
        return [
            (name, {option: f"{100 * p:.1f} %" for option, p in distribution})
            for name, distribution in self.probabilities(step).items()
        ]

    def changes(self, step: int) -> list[tuple[str, int]]:
        """Return the registers and words that a step changed, with their new values."""
        window = self.recording.window(step)
        slots = window.segment[step - window.start, 1:].tolist()
        state = window.state(step)
        changes = []
        for slot in (slot for slot in slots if slot >= 0):
            if slot < self.memory:
                changes.append((f"word {slot}", self.signed(state.memory[slot])))
            else:
                changes.append(
                    (f"R{slot - self.memory}", self.signed(state.registers[slot - self.memory]))
                )
        return changes

    def signed(self, word: Any) -> int:
        """Return a word as a signed number."""
        return signed(self.program.config.width, int(word))

    def writes(self, step: int | None = None) -> str:
        """Return what a step changes, and its output, as text."""
        number = self.valid_step(step)
        writes = [f"{name} = {value}" for name, value in self.changes(number)]
        writes += [f"output {word}" for word in self._words(number + 1)[len(self._words(number)) :]]
        return ", ".join(writes) or "no word changes"

    def variables(self, step: int | None = None) -> Iterator[NamedValue]:
        """Yield the registers, then the global variables of C."""
        state = self.state(step)
        for i, word in enumerate(state.registers.tolist()):
            yield NamedValue(f"R{i}", str(self.signed(word)))
        for symbol in self.program.image.symbols:
            words = state.memory[symbol.slot : symbol.slot + symbol.count]
            numbers = [str(self.signed(word)) for word in words]
            value = numbers[0] if symbol.count == 1 else "{" + ", ".join(numbers) + "}"
            yield NamedValue(symbol.name, value)

    def memory_text(self, first: int, count: int) -> list[str]:
        """Return the signed words of memory from `first`, 8 a line."""
        words = [self.signed(word) for word in self.state().memory[first : first + count]]
        return [
            f"{first + at:6}  " + " ".join(f"{word:11}" for word in words[at : at + _A_LINE])
            for at in range(0, len(words), _A_LINE)
        ]

    def _words(self, step: int) -> list[int]:
        position = step - 1
        count = self.recording.window(position).output_length(position)
        return self.recording.words[:count]

    def output(self, step: int | None = None) -> bytes:
        """Return the program's output before a step."""
        words = self._words(self.valid_cursor(step))
        return printed(self.program, np.array(words, np.uint32))


def record(program: CompiledSoft, settings: RunSettings) -> SoftDebugger:
    """Run a program on the hard path and record it; arguments of assembly are its first registers.

    At a `temperature` above 0, the first steps also run on the soft path, which needs JAX.
    """
    check_invoke(program.name, not program.assembly, settings.invoke)
    stdin = settings.stdin if isinstance(settings.stdin, bytes) else b""
    words = input_words(program, stdin)
    config = replace(program.config, inputs=max(1, len(words)))
    first = initial(program, settings)
    tape = np.concatenate([np.zeros(config.inputs - len(words), np.uint32), words])
    first = replace(first, inputs=tape, read=np.int32(config.inputs - len(words)))
    code = program.image.code
    rows = encode(code)
    recording = HardRecording(
        lambda state: Hard(library(), rows, state, config), first, config.length
    )
    debugger = SoftDebugger(program, recording, _path(program, config, first, settings))
    if settings.started is not None:
        settings.started(debugger)
    limit = settings.max_steps or RECORDED
    began, interrupted = time.perf_counter(), False
    try:
        while not recording.ended and recording.steps < limit:
            recording.advance(limit - recording.steps)
            debugger.printed[:] = printed(program, np.array(recording.words, np.uint32))
            settings.pulse(recording.steps)
    except Interrupted:
        interrupted = True
    if recording.ended or interrupted:
        result = result_of(program, settings.invoke, recording.state, interrupted)
        debugger.result = replace(
            result,
            stdout=bytes(debugger.printed),
            steps=debugger.steps,
            instructions=debugger.steps,
            engine="native",
            seconds=time.perf_counter() - began,
        )
    return debugger


def _path(
    program: CompiledSoft, config: Any, first: Any, settings: RunSettings
) -> "SoftPath | None":
    """Return the soft path at a temperature; None at temperature 0."""
    temperature = float(settings.options.get("temperature") or 0.0)
    if temperature <= 0:
        return None
    require("jax", "jax", "a temperature above 0")
    from transputer.debugger.soft import SoftPath

    return SoftPath(program.image.code, config, first, temperature)
