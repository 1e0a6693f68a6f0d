"""Load programs into states of the loom machine; read place, words, output and traps."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from transputer.circuit.looped import Loop
from transputer.engines.protocol import LoopedEngine
from transputer.errors import StepLimitError, Trap
from transputer.host.outcome import Pulse, quiet
from transputer.ir.loom import OUTPUT, LoomConfig, LoomProgram, columns, words
from transputer.isa.integers import mask
from transputer.machines.loom.rows import LoomRows, Word, rows
from transputer.oracle.loom import LoomRecord
from transputer.values import dataclass

Array = NDArray[np.float64]
_BYTE = 0xFF
#: Steps between two calls of `pulse`.
SLICE = 1 << 15


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of the rows in the state of a configuration."""

    config: LoomConfig
    rows: LoomRows
    width: int

    @staticmethod
    def of(config: LoomConfig) -> "Layout":
        """The layout of a configuration."""
        loop = Loop(config.columns)
        places = rows(loop, config)
        return Layout(config, places, len(loop.rows))

    def number(self, word: Word) -> Array:
        """The linear form `2 w - (2^n - 1)` of the unsigned word `w` in these rows."""
        form = np.zeros(self.width)
        for i, row in enumerate(word):
            form[row.index] = 1 << i
        return form

    def watch(self) -> tuple[Array, Array]:
        """Forms to record: place, output and traps in column 0; the word of every column."""
        places = self.rows
        singles = np.zeros((3, self.width))
        for i, row in enumerate((places.output, places.invalid, places.outside)):
            singles[i, row.index] = 1
        return np.concatenate([self.number(places.pc)[None], singles]), self.number(places.memory)


def initial(program: LoomProgram, config: LoomConfig) -> Array:
    """Return the state before the first step; raises as `LoomProgram.check` does."""
    program.check(config)
    layout = Layout.of(config)
    places, start = layout.rows, config.scratch + config.memory
    state = np.zeros((layout.width, config.columns))
    state[places.one.index] = 1
    state[places.indicator.index, 0] = 1
    everywhere = range(1, config.columns)
    _put(state, places.position, everywhere, list(everywhere))
    memory = [0] * (config.scratch - 1) + words(program, config) + [0] * config.slots
    _put(state, places.memory, everywhere, memory)
    slots = range(config.scratch, start)
    _put(state, places.tag, slots, list(range(config.memory)))
    state[places.slot.index, slots] = 1
    state[places.order.index, slots] = np.arange(1, config.memory + 1)
    commands = zip(*columns(program, config), strict=True)
    words_of = (places.command_a, places.command_b, places.command_c)
    for word, numbers in zip(words_of, commands, strict=True):
        _put(state, word, range(start, config.columns), list(numbers))
        _put(state, word, range(1), [0])
    _put(state, places.pc, range(1), [start])
    return state


def _put(state: Array, word: Word, at: range, numbers: list[int]) -> None:
    """Write the bipolar bits of numbers, one per column."""
    bits = np.array(numbers, dtype=np.int64)
    for i, row in enumerate(word):
        state[row.index, at.start : at.stop] = 2 * (bits >> i & 1) - 1


class LoomSession:
    """A run of a program on an engine that was given its initial state."""

    def __init__(
        self, config: LoomConfig, engine: LoopedEngine, write: Callable[[int], None] | None = None
    ) -> None:
        self.layout = Layout.of(config)
        self._first, self._cell = self.layout.watch()
        self.config = config
        self.engine = engine
        self.output = bytearray()
        self.write = write or self.output.append
        self.trap: Trap | None = None
        self.steps = 0
        self._start = config.scratch + config.memory
        self._memory: list[int] = []
        self._pc = 0
        engine.run(0, self._first[1])  # let the engine prepare now

    @property
    def halted(self) -> bool:
        """Whether the program has ended or trapped."""
        return self.engine.halted

    @property
    def place(self) -> int:
        """The index of the next instruction; negative once the program has ended."""
        return self._place(self.engine.read(self._first[0], 0))

    @property
    def memory(self) -> list[int]:
        """The words of all slots, unsigned."""
        return self._words()

    def run(self, limit: int, pulse: Pulse = quiet) -> None:
        """Run until the program ends; `StepLimitError` after `limit` steps.

        Passes output to `write` as it comes and makes no records.
        """
        written, output = self._first[1], self.config.scratch + OUTPUT
        left = limit
        while left and not self.halted:
            steps = self.engine.run(min(left, SLICE), written)
            left, self.steps = left - steps, self.steps + steps
            for _ in range(self.engine.read(written, 0)):
                self.write(self._word(self.engine.read(self._cell, output)) & _BYTE)
            pulse(self.steps)
        self._note_trap()
        if not self.halted:
            raise StepLimitError(limit)

    def _note_trap(self) -> None:
        _, _, invalid, outside = (self.engine.read(form, 0) for form in self._first)
        self._trapped(invalid, outside)

    def _trapped(self, invalid: int, outside: int) -> None:
        if invalid or outside:
            self.trap = Trap.INVALID_INSTRUCTION if invalid else Trap.MEMORY_OUT_OF_BOUNDS

    def records(self, limit: int, batch: int = 4096) -> Iterator[LoomRecord]:
        """Yield a record per step; `StepLimitError` after `limit` steps.

        The engine runs ahead of the records by up to `batch` steps.
        """
        self._memory, self._pc = self._words(), self.place
        left = limit
        while left and not self.halted:
            steps = self.engine.tell(min(left, batch), self._first, self._cell)
            left -= len(steps)
            for one, cells in steps:
                yield self._record(one, cells)
        if not self.halted:
            raise StepLimitError(limit)

    def _record(self, first: tuple[int, ...], cells: tuple[tuple[int, int], ...]) -> LoomRecord:
        pc, written, invalid, outside = first
        changes = []
        for column, form in cells:
            slot = column - self.config.scratch
            if 0 <= slot < self.config.memory:
                self._memory[slot] = self._word(form)
                changes.append((slot, self._memory[slot]))
        byte = self._memory[OUTPUT] & _BYTE
        for _ in range(written):
            self.write(byte)
        self._trapped(invalid, outside)
        record = LoomRecord(self._pc, tuple(changes), byte if written else None, self.trap)
        self._pc, self.steps = self._place(pc), self.steps + 1
        return record

    def _place(self, form: int) -> int:
        return (form + mask(self.config.address)) // 2 - self._start

    def _word(self, form: int) -> int:
        return (form + mask(self.config.bits)) // 2

    def _words(self) -> list[int]:
        forms = self._cell @ self.engine.state
        slots = forms[self.config.scratch : self.config.scratch + self.config.memory]
        return [self._word(int(form)) for form in slots]
