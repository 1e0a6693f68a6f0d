"""Examples of a task as arrays, and programs checked on them."""

import ctypes
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.ir.soft import Code, Instruction, encode, parse
from transputer.isa.integers import mask
from transputer.isa.soft import SOFT, shifts
from transputer.learning.native import SearchProblem, library
from transputer.learning.tasks import Given, Task, room
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import word_type
from transputer.machines.soft.native import MachineSizes

Array = NDArray[Any]
#: Numbers that searches put into instructions: -1 is also the largest shift, at every width.
NUMBERS = (0, 1, mask(32), 2)
#: Lengths of arrays, from 1, for which programs are proved.
BOUND = 5
#: Random inputs that a program is checked on where there are too many to try all.
CHECKS = 3000
#: Inputs checked at once.
CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class Examples:
    """Inputs and what must come of them, one row each."""

    registers: Array  # (examples, registers)
    memory: Array  # (examples, memory)
    wanted: Array  # (examples, results)
    cells: Array  # (examples, memory): what memory must hold
    matters: Array  # (examples, memory): where

    def __len__(self) -> int:
        return len(self.registers)


def machine(task: Task, width: int, length: int | None = None, size: int = 0) -> Config:
    """A machine just large enough for a task; `size` is the largest array, if not the task's."""
    places = task.length if length is None else length
    memory = room(max(size, task.size)) if task.size else 1
    return Config(width, task.registers, places, memory, 1, 1, task.ops)


def examples(task: Task, config: Config, inputs: Sequence[Given]) -> Examples:
    """The arrays of some inputs. Of a task on arrays, all of memory matters."""
    count = len(inputs)
    word = word_type(config.width)
    registers = np.zeros((count, config.registers), word)
    memory = np.zeros((count, config.memory), word)
    answers = [task.solve(config.width, given) for given in inputs]
    wanted = np.array([answer.registers for answer in answers], word).reshape(count, -1)
    for k, given in enumerate(inputs):
        registers[k, : task.arity] = given.registers
        memory[k, : len(given.memory)] = given.memory[: config.memory]
    cells, matters = memory.copy(), np.full(memory.shape, task.size > 0, np.uint8)
    for k, answer in enumerate(answers):
        for address, value in answer.memory:
            cells[k, address] = value
    return Examples(registers, memory, wanted, cells, matters)


def draw(task: Task, width: int, count: int, seed: int) -> list[Given]:
    """Random inputs."""
    rng = random.Random(f"{task.name} {seed}")
    return [task.draw(rng, width) for _ in range(count)]


def sketch(task: Task, width: int) -> tuple[Instruction | None, ...]:
    """The instructions that the task gives, None where one is to be found."""
    return lines(task.sketch.replace("WIDTH", str(width)))


def lines(given: str) -> tuple[Instruction | None, ...]:
    """A sketch from its text: an instruction a line, `?` where one is to be found."""
    return tuple(None if line == "?" else parse(line)[0] for line in given.split("\n") if line)


class Bound:
    """A problem for the library, which holds the arrays it points to."""

    def __init__(
        self,
        task: Task,
        config: Config,
        rows: Examples,
        given: Sequence[Instruction | None] = (),
        limit: int | None = None,
        elsewhere: bool = True,
    ) -> None:
        frozen = [instruction is not None for instruction in given]
        frozen += [False] * (config.length - len(frozen))
        self.config, self.rows, self.library = config, rows, library(config.width)
        jumps = ["pc" in op.imm for op in SOFT]
        codes = [SOFT[name].code for name in config.ops]
        steps = task.limit(config.width, task.size) if limit is None else limit
        self._kept = [
            np.ascontiguousarray(array)
            for array in (
                rows.registers, rows.memory, rows.wanted, rows.cells, rows.matters,
                np.array(codes, np.uint32), np.array(task.numbers, np.uint32),
                np.array(frozen, np.uint8), np.array(jumps, np.uint8),
            )
        ]  # fmt: skip
        at = [array.ctypes.data for array in self._kept]
        sizes = MachineSizes(config.width, config.registers, config.length, config.memory, steps)
        self.problem = SearchProblem(
            sizes, len(rows), rows.wanted.shape[1], *at[:5], len(codes), len(task.numbers), *at[5:],
            int(elsewhere),
        )  # fmt: skip

    @property
    def at(self) -> Any:
        """What the library takes."""
        return ctypes.byref(self.problem)

    def rows_of(self, code: Sequence[Instruction]) -> Array:
        """A program in the library's form, filled up with HALT."""
        filled = (*code, *(Instruction("HALT"),) * (self.config.length - len(code)))
        return np.ascontiguousarray(encode(filled).astype(np.uint32))

    def first_wrong(self, code: Sequence[Instruction], start: int = 0) -> int | None:
        """The first example from `start` on that a program gets wrong, if any."""
        rows = self.rows_of(code)  # alive while C runs: other threads may allocate meanwhile
        index = self.library.soft_first_wrong(self.at, rows.ctypes.data, start)
        return None if index >= len(self.rows) else int(index)

    def ends(self, code: Sequence[Instruction], example: int) -> bool:
        """Whether a program ends on an example."""
        rows = self.rows_of(code)
        return bool(self.library.soft_ends(self.at, rows.ctypes.data, example))

    def results(self, code: Sequence[Instruction]) -> tuple[Array, Array, int]:
        """Final registers and memory on every example, and how many runs ended."""
        registers, memory = self.rows.registers.copy(), self.rows.memory.copy()
        rows = self.rows_of(code)
        ended = self.library.soft_run(
            self.at, rows.ctypes.data, registers.ctypes.data, memory.ctypes.data
        )
        return registers, memory, int(ended)


def at_width(code: Sequence[Instruction], learned: int, width: int) -> Code:
    """Return a program learned at one width for another.

    A shift by all but one bit stays that, and a register set to the width is set to the new one:
    a loop over the bits of a word stays one.
    """

    def moved(i: Instruction) -> Instruction:
        if i.op == "SET" and i.n == learned:
            return replace(i, n=width)
        if not shifts(i.op):
            return i
        amount = i.n % learned
        return Instruction(i.op, i.d, i.a, i.b, mask(32) if amount == learned - 1 else amount)

    return tuple(map(moved, code)) if learned != width else tuple(code)


def for_width(task: Task, code: Sequence[Instruction], learned: int, width: int) -> Code:
    """A program of a task for another width: what the task gives is given anew."""
    moved = at_width(code, learned, width)
    given = sketch(task, width)
    if len(given) != len(moved):
        return moved
    return tuple(fixed or free for fixed, free in zip(given, moved, strict=True))


def inputs_to_check(task: Task, width: int) -> Iterator[Given]:
    """Every input where that is possible, otherwise edge cases and `CHECKS` random inputs."""
    if width == task.width and task.every is not None:
        return task.every()
    if not task.certain:
        return iter(task.edges(width))
    return iter([*task.edges(width), *draw(task, width, CHECKS, seed=-1)])


@lru_cache(maxsize=8)
def _checks(task: Task, width: int) -> tuple[tuple[Sequence[Given], Examples], ...]:
    """All inputs to check, in chunks, on a machine with every register."""
    config = replace(machine(task, width), registers=16)
    inputs = inputs_to_check(task, width)
    chunks = iter(lambda: list(islice(inputs, CHUNK)), [])
    return tuple((chunk, examples(task, config, chunk)) for chunk in chunks)


def counterexample(task: Task, code: Sequence[Instruction], width: int) -> Given | None:
    """An input on which a program is wrong, of those that `inputs_to_check` gives.

    A run that does not end is wrong, except in a task of the user's own: see `unfinished`.
    """
    config = replace(machine(task, width, max(1, len(code))), registers=16)
    for inputs, rows in _checks(task, width):
        bound = Bound(task, config, rows, elsewhere=False)
        first = 0
        while (wrong := bound.first_wrong(code, first)) is not None:
            if not may_be_slow(task) or bound.ends(code, wrong):
                return inputs[wrong]
            first = wrong + 1
    return None


def may_be_slow(task: Task) -> bool:
    """Whether a program may be slow on some inputs: they are then counted as not run."""
    return len(task.widths) == 1 and task.certain and not task.size


def unfinished(task: Task, code: Sequence[Instruction], width: int) -> int:
    """How many of the inputs to check take more steps than the task's limit."""
    if not may_be_slow(task) and task.certain:
        return 0
    config = replace(machine(task, width, max(1, len(code))), registers=16)
    return sum(
        len(rows) - Bound(task, config, rows, elsewhere=False).results(code)[2]
        for _, rows in _checks(task, width)
    )


def explain(task: Task, code: Sequence[Instruction], width: int, given: Given) -> str:
    """What is wrong with a program on an input that it gets wrong."""
    config = replace(machine(task, width, max(1, len(code))), registers=16)
    rows = examples(task, config, [given])
    registers, memory, ended = Bound(task, config, rows, elsewhere=False).results(code)
    if not ended:
        return f"does not end within {task.limit(width, task.size)} steps"
    for k in range(rows.wanted.shape[1]):
        if registers[0, k] != rows.wanted[0, k]:
            return f"R{k} is {registers[0, k]} and should be {rows.wanted[0, k]}"
    (at, *_) = np.flatnonzero((memory != rows.cells)[0] & (rows.matters[0] > 0)).tolist()
    return f"the word at address {at} is {memory[0, at]} and should be {rows.cells[0, at]}"
