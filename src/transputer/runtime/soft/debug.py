"""Looking into a run of the soft machine. It needs JAX, which is imported when it is used."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transputer.debugger import plain
from transputer.debugger.cursor import Break
from transputer.errors import UsageError
from transputer.frontends.lines import Line
from transputer.frontends.source import PathLike, read_text
from transputer.host.outcome import Pulse, quiet
from transputer.ir.soft import Code, Instruction, line_numbers, parse
from transputer.isa.integers import mask, signed
from transputer.isa.soft import FLAGS
from transputer.machines.soft.config import Config
from transputer.runtime.debugging import Fields, PlainDebugger, Shown
from transputer.runtime.trace.long import Interrupted
from transputer.runtime.trace.run import Result
from transputer.runtime.trace.trace import Read

if TYPE_CHECKING:
    from transputer.debugger.soft import Chances, SoftPath, SoftRecording

#: Steps that are recorded unless it is told otherwise.
RECORDED = 1_000_000
_A_LINE = 8
#: Words of memory, of input and of output that a program has.
MEMORY, TAPE = 256, 256


@dataclass(frozen=True, slots=True)
class SoftProgram:
    """Instructions of the soft machine, and the line of each."""

    name: str
    code: Code
    lines: tuple[int, ...]

    @property
    def config(self) -> Config:
        """A machine of 32 bits with room for it."""
        return Config(length=len(self.code), memory=MEMORY, inputs=TAPE, outputs=TAPE)


def assemble_soft(path: PathLike) -> SoftProgram:
    """A program of the soft machine from a file of its assembly; raises as `compile` does."""
    if Path(path).suffix.lower() != ".soft":
        raise UsageError(f"{path}: the soft machine runs .soft files")
    return assemble_soft_text(read_text(path), str(path))


def assemble_soft_text(text: str, name: str = "program.soft") -> SoftProgram:
    """A program from soft assembly; `SourceError` with the place of a mistake."""
    code = parse(text, name)
    if not code:
        raise UsageError(f"{name}: there is no instruction in it")
    most = Config().registers
    for one, line in zip(code, line_numbers(text), strict=True):
        if max(one.d, one.a, one.b) >= most:
            raise UsageError(f"{name}:{line}: registers are R0 to R{most - 1}")
    return SoftProgram(name, code, tuple(line_numbers(text)))


def soft_inputs(text: bytes) -> list[int]:
    """Words of input, written as numbers with space between them."""
    try:
        return [int(word, 0) for word in text.decode("utf-8", "replace").split()]
    except ValueError:
        raise UsageError("the input of the soft machine is whole numbers") from None


class SoftDebugger(PlainDebugger):
    """A recorded run of the soft machine: the hard path, and chances at a temperature."""

    machine, unit = "soft", "place"
    recording: "SoftRecording"

    def __init__(
        self, program: SoftProgram, recording: "SoftRecording", path: "SoftPath | None"
    ) -> None:
        super().__init__(recording, program.name, bytearray())
        self.program, self._path = program, path

    # Places

    @property
    def instructions(self) -> Sequence[Instruction]:
        """The code by place."""
        return self.program.code

    def line_at(self, pc: int) -> Line | None:
        """The source line of a place."""
        return Line(self.name, self.program.lines[pc])

    def at_write(self, address: int, count: int = 1) -> Break:
        """Words of memory from an address on just changed."""
        if not 0 <= address < MEMORY:
            raise UsageError(f"memory has words 0 to {MEMORY - 1}, not {address}")
        return Break(f"change of word {address}", plain.changed(range(address, address + count)))

    def at_variable(self, name: str) -> Break:
        """A register just changed."""
        number = int(name[1:]) if name[:1] in "Rr" and name[1:].isdigit() else -1
        if not 0 <= number < self.program.config.registers:
            raise UsageError(f"no register {name!r}; they are R0, R1, and so on")
        return Break(f"change of R{number}", plain.changed(range(MEMORY + number,
                                                                 MEMORY + number + 1)))  # fmt: skip

    # One step

    def held(self, step: int | None = None) -> Any:
        """The state before a step, on the hard path."""
        position = self.chosen(step) - 1
        return self.recording.window(position).state(position)

    def place(self, step: int | None = None) -> str:
        """Where a step is, and its instruction."""
        pc = self.pc(step)
        return f"pc {pc}  {self.program.code[pc]}"

    def registers(self, step: int | None = None) -> dict[str, int | str]:
        """The program counter and the flags that are set."""
        held = self.held(step)
        flags = [name for i, name in enumerate(FLAGS) if int(held.flags) >> i & 1]
        return {"pc": self.pc(step), "flags": "".join(flags) or "none"}

    def reads(self, step: int | None = None, *, all_heads: bool = False) -> Iterator[Read]:
        """Nothing: the soft machine has no heads."""
        yield from ()

    def chances(self, step: int | None = None) -> "dict[str, Chances]":
        """What each choice of a step is spread over; nothing at temperature 0."""
        number = self.made(step)
        return self._path.chances(number) if self._path is not None else {}

    def layers(self, step: int | None = None) -> list[tuple[str, Fields]]:
        """The likeliest of each choice, in percent."""
        return [
            (name, {what: f"{100 * chance:.1f} %" for what, chance in told})
            for name, told in self.chances(step).items()
        ]

    def changes(self, step: int) -> list[tuple[str, int]]:
        """The registers and words that a step changed, with their new values."""
        window = self.recording.window(step)
        slots = window.stretch[step - window.start, 1:].tolist()
        held = window.state(step)
        found = []
        for slot in (slot for slot in slots if slot >= 0):
            if slot < MEMORY:
                found.append((f"word {slot}", self.signed(held.memory[slot])))
            else:
                found.append((f"R{slot - MEMORY}", self.signed(held.registers[slot - MEMORY])))
        return found

    def signed(self, word: Any) -> int:
        """A word as a signed number."""
        return signed(self.program.config.width, int(word))

    def writes(self, step: int | None = None) -> str:
        """What a step changes, and what it puts out."""
        number = self.made(step)
        said = [f"{name} = {value}" for name, value in self.changes(number)]
        said += [f"output {word}" for word in self._words(number + 1)[len(self._words(number)) :]]
        return ", ".join(said) or "no word changes"

    def variables(self, step: int | None = None) -> Iterator[Shown]:
        """The registers."""
        for i, word in enumerate(self.held(step).registers.tolist()):
            yield Shown(f"R{i}", str(self.signed(word)))

    def memory_text(self, first: int, count: int) -> list[str]:
        """Words of memory, 8 a line, signed."""
        words = [self.signed(word) for word in self.held().memory[first : first + count]]
        return [
            f"{first + at:6}  " + " ".join(f"{word:11}" for word in words[at : at + _A_LINE])
            for at in range(0, len(words), _A_LINE)
        ]

    def _words(self, step: int) -> list[int]:
        held = self.held(step)
        return [self.signed(word) for word in held.outputs[: int(held.wrote)]]

    def output(self, step: int | None = None) -> bytes:
        """The words that the program has put out before a step, one a line."""
        return "".join(f"{word}\n" for word in self._words(self.chosen(step))).encode()


def debug_soft(
    program: SoftProgram,
    args: Sequence[int | str] = (),
    *,
    inputs: Sequence[int] = (),
    memory: dict[int, int] | None = None,
    temperature: float = 0.0,
    max_steps: int = RECORDED,
    pulse: Pulse = quiet,
    started: Callable[[SoftDebugger], None] | None = None,
) -> SoftDebugger:
    """Run a program on the hard path and record it; `args` are the first registers.

    At a `temperature` above 0 the first steps are also made softly. Raises `EngineUnavailable`
    where JAX is not installed.
    """
    from transputer.debugger.soft import SoftPath, SoftRecording
    from transputer.machines.soft.state import blank

    first = _filled(blank(program.config), program.config, args, inputs, memory or {})
    recording = SoftRecording(program.code, program.config, first)
    path = SoftPath(program.code, program.config, first, temperature) if temperature > 0 else None
    made = SoftDebugger(program, recording, path)
    if started is not None:
        started(made)
    began, interrupted = time.perf_counter(), False
    try:
        while not recording.ended and recording.steps < max_steps:
            recording.advance(max_steps - recording.steps)
            pulse(recording.steps)
    except Interrupted:
        interrupted = True
    made.printed[:] = made.output(made.steps + 1)
    if recording.ended or interrupted:
        made.result = Result(
            stdout=bytes(made.printed), steps=made.steps, instructions=made.steps,
            machine="soft", engine="jax", interrupted=interrupted,
            seconds=time.perf_counter() - began,
        )  # fmt: skip
    return made


def _filled(
    state: Any, config: Config, args: Sequence[int | str], inputs: Sequence[int],
    memory: dict[int, int],
) -> Any:  # fmt: skip
    """The first state with what is given in it."""
    if len(args) > config.registers:
        raise UsageError(f"{len(args)} arguments; the machine has {config.registers} registers")
    if len(inputs) > config.inputs:
        raise UsageError(f"{len(inputs)} words of input; there is room for {config.inputs}")
    for i, word in enumerate(args):
        state.registers[i] = _word(word, config.width)
    for address, word in memory.items():
        if not 0 <= address < config.memory:
            raise UsageError(f"memory has words 0 to {config.memory - 1}, not {address}")
        state.memory[address] = _word(word, config.width)
    start = config.inputs - len(inputs)
    state.inputs[start:] = [_word(word, config.width) for word in inputs]
    return replace(state, read=type(state.read)(start))


def _word(given: int | str, width: int) -> int:
    try:
        return int(str(given), 0) & mask(width)
    except ValueError:
        raise UsageError(f"{given!r} is not a whole number") from None
