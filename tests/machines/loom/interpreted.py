"""What the interpreter makes of the compiled C programs, as states that the weights must have."""

from array import array
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.frontends.smallc.cases import CASES, Case, Tick
from transputer.engines.reference.looped import Told
from transputer.errors import StepLimitError, Trap
from transputer.frontends.smallc import compile
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.isa.integers import mask
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array
from transputer.oracle.loom import Loom, LoomRecord

MEMORIES = (16, 48, 160, 250)
BY_NAME = {case.name: case for case in CASES}
LONG = {case.name for case in CASES if case.limit > 1_000_000}
SHORT = [case for case in CASES if case.name not in LONG]
_TRAPS = (Trap.INVALID_INSTRUCTION, Trap.MEMORY_OUT_OF_BOUNDS)


def compact(program: LoomProgram) -> LoomConfig:
    """A configuration with few columns, for the dense engines' sake; few different ones."""
    memory, columns = next(m for m in MEMORIES if len(program.memory) <= m), 64
    while columns < 32 + memory + len(program.code):
        columns *= 2
    return LoomConfig(columns, program.bits, 32, memory)


class Interpreter:
    """A run of the interpreter, and the state that the weights must have at the same place."""

    def __init__(self, case: Case) -> None:
        self.program = compile(case.text, case.path.name, 8)
        self.config = compact(self.program)
        self.layout = Layout.of(self.config)
        self.start = initial(self.program, self.config)
        self.loom = Loom(self.program, self.config)
        self.output = 0
        self.slots = {symbol.name: symbol.slot for symbol in self.program.symbols}

    def begin(self, tick: Tick) -> None:
        """What the host does before a run of main."""
        for name, value in tick.items():
            self.loom.memory[self.slots[name]] = value
        self.loom.pc, self.output = 0, 0
        self.loom.output.clear()

    def step(self) -> LoomRecord:
        before = len(self.loom.output)
        record = self.loom.step()
        self.output = len(self.loom.output) - before
        return record

    def skip(self) -> None:
        """A step without a record, which is quicker."""
        before = len(self.loom.output)
        with suppress(StepLimitError):
            self.loom.run(1)
        self.output = len(self.loom.output) - before

    @property
    def place(self) -> int:
        return 0 if self.loom.halted else self.config.scratch + self.config.memory + self.loom.pc

    @property
    def flags(self) -> tuple[int, ...]:
        """How often the output slot was written in the last step, and which trap there was."""
        return self.output, *(int(self.loom.trap is trap) for trap in _TRAPS)

    def state(self) -> Array:
        state = self.start[None].copy()
        words, places, flags = map(np.array, ([self.loom.memory], [self.place], [self.flags]))
        put(state, self.layout, words, places, flags)
        found: Array = state[0]
        return found

    def told(self, record: LoomRecord) -> Told:
        """A record as an engine tells it, in forms."""
        pc = 2 * self.place - mask(self.config.address)
        cells = ((self.config.scratch + s, 2 * w - mask(8)) for s, w in record.changes)
        return (pc, *self.flags), tuple(cells)


def put(states: Any, layout: Layout, words: Any, places: Any, flags: Any) -> None:
    """Turn states of a program into others of its run: all that ever differs between them.

    Arrays or tensors of signed integers: the words of all slots, the places, and the flags.
    """
    held, first = layout.rows, layout.config.scratch
    for i, row in enumerate(held.memory):
        states[:, row.index, first : first + words.shape[1]] = 2 * (words >> i & 1) - 1
    for i, row in enumerate(held.pc):
        states[:, row.index, 0] = 2 * (places >> i & 1) - 1
    for i, row in enumerate((held.output, held.invalid, held.outside)):
        states[:, row.index, 0] = flags[:, i]


@dataclass(frozen=True)
class Trail:
    """A run of the interpreter, a row per state; `steps` are the rows that a step leads on from.

    From the other rows, at the end of a run of main, the host leads to the next.
    """

    words: Any
    places: Any
    flags: Any
    steps: Any

    @staticmethod
    def of(case: Case) -> "Trail":
        """The run of all ticks of a case, in words of a byte."""
        oracle = Interpreter(case)
        words, places, flags, steps = bytearray(), array("i"), bytearray(), array("q")
        for tick in case.ticks:
            oracle.begin(tick)
            while True:
                words += bytes(oracle.loom.memory)
                places.append(oracle.place)
                flags += bytes(oracle.flags)
                if oracle.loom.halted:
                    break
                steps.append(len(places) - 1)
                oracle.skip()
        return Trail(
            np.frombuffer(words, np.uint8).reshape(len(places), -1),
            np.frombuffer(places, np.int32),
            np.frombuffer(flags, np.uint8).reshape(len(places), -1),
            np.frombuffer(steps, np.int64),
        )

    def part(self, first: int, steps: int) -> "Trail":
        """The states of so many steps from a row on."""
        rows = slice(first, first + steps + 1)
        made = np.arange(steps)
        return Trail(self.words[rows], self.places[rows], self.flags[rows], made)

    def stretches(self, longest: int, most: int = 0) -> list[tuple[int, int]]:
        """All steps cut in stretches, each a row and how many steps follow it.

        Of a run of more than `most` steps, if that is given, only so many, evenly spaced.
        """
        steps = self.steps
        if most and most < len(steps):
            steps = steps[np.linspace(0, len(steps) - 1, most).astype(int)]
        cuts = np.flatnonzero(np.diff(steps) != 1) + 1
        pieces: list[tuple[int, int]] = []
        for whole in np.split(steps, cuts):
            count = -(-len(whole) // longest)
            pieces += [(int(p[0]), len(p)) for p in np.array_split(whole, count)]
        return pieces
