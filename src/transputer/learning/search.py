"""Discrete baselines on the same machine: random search, annealing, breadth-first search.

An *evaluation* is one candidate program run on the whole set of examples.
"""

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np

from transputer.ir.soft import Code, Instruction, decode
from transputer.isa.soft import SOFT, Shape, commutes, observed, shape
from transputer.learning.native import Frontier, library
from transputer.learning.problem import (
    NUMBERS,
    Bound,
    at_width,
    counterexample,
    draw,
    examples,
    machine,
    sketch,
)
from transputer.learning.tasks import Given, Task
from transputer.machines.soft.config import Config

#: Examples that a search starts with; counterexamples join them.
EXAMPLES = 16
#: Random programs tried between two looks at the clock.
TRIES = 20_000
#: How many goals of one level of the breadth-first search are checked.
_GOALS = 4096


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search came to: the program, or None; what it cost."""

    code: Code | None
    evaluations: int
    seconds: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AnnealingSchedule:
    """Annealing: changes per chain, and the inverse temperature at its start and end."""

    changes: int = 100_000
    first: float = 0.05
    last: float = 1.0
    elsewhere: bool = True


#: What annealing does unless told otherwise.
STANDARD = AnnealingSchedule()


def _seeded(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 1 << 63, 2, dtype=np.uint64)


def anneal(
    task: Task,
    seed: int = 0,
    seconds: float = 60.0,
    schedule: AnnealingSchedule = STANDARD,
    width: int = 8,
    length: int | None = None,
    start: Sequence[Instruction] = (),
    chains: int | None = None,
) -> SearchResult:
    """Annealed random changes, restarted until a program is right on every input checked.

    Each chain starts from random instructions (the first from `start`, if given) around those
    that the task gives. A program that is right on all examples but wrong on another input adds
    that input to the examples.
    """

    def chain(bound: Bound, code: np.ndarray, state: np.ndarray, counted: ctypes.c_uint64) -> int:
        return int(library().soft_anneal(
            bound.at, code.ctypes.data, state.ctypes.data, schedule.changes,
            schedule.first, schedule.last, ctypes.byref(counted),
        ))  # fmt: skip

    return _restarts(task, seed, seconds, width, length, chain, start, chains, schedule.elsewhere)


def guess(task: Task, seed: int = 0, seconds: float = 60.0, width: int = 8) -> SearchResult:
    """Random programs until one is right on every input checked."""

    def tries(bound: Bound, code: np.ndarray, state: np.ndarray, counted: ctypes.c_uint64) -> int:
        return int(library().soft_random(
            bound.at, code.ctypes.data, state.ctypes.data, TRIES, ctypes.byref(counted)
        ))  # fmt: skip

    return _restarts(task, seed, seconds, width, None, tries)


def _restarts(
    task: Task,
    seed: int,
    seconds: float,
    width: int,
    length: int | None,
    attempt: Callable[[Bound, np.ndarray, np.ndarray, ctypes.c_uint64], int],
    start: Sequence[Instruction] = (),
    chains: int | None = None,
    elsewhere: bool = True,
) -> SearchResult:
    given = sketch(task, width)
    config = machine(task, width, len(given) or length)
    inputs = draw(task, width, EXAMPLES, seed)
    state, counted = _seeded(seed), ctypes.c_uint64(0)
    began = time.monotonic()
    bound = _bound(task, config, inputs, given, elsewhere)
    done = 0
    while time.monotonic() - began < seconds and (chains is None or done < chains):
        code = bound.rows_of([i or Instruction("HALT") for i in given])
        library().soft_draw(bound.at, code.ctypes.data, state.ctypes.data)
        if start and not done:
            code = bound.rows_of(start)
        done += 1
        if not attempt(bound, code, state, counted):
            continue
        program = decode(code.tolist(), 32)
        wrong = _wrong(task, program, width)
        if wrong is None:
            return SearchResult(program, counted.value, time.monotonic() - began, f"{done} chains")
        inputs = [*inputs, wrong]
        bound = _bound(task, config, inputs, given, elsewhere)
    return SearchResult(None, counted.value, time.monotonic() - began, f"{done} chains")


def _bound(task: Task, config: Config, inputs: Sequence[Given],
           given: Sequence[Instruction | None], elsewhere: bool) -> Bound:  # fmt: skip
    limit = min(400, task.limit(config.width, task.size))
    return Bound(task, config, examples(task, config, inputs), given, limit, elsewhere)


def _wrong(task: Task, code: Code, width: int) -> Given | None:
    return counterexample(task, at_width(code, width, task.width), task.width)


def menu(config: Config) -> list[Instruction]:
    """Every straight-line instruction of a machine that is not another one in disguise."""
    return [i for name in config.ops for i in _forms(name, config.registers)]


def _forms(name: str, registers: int) -> Iterator[Instruction]:
    uses = Instruction(name).uses
    every: Sequence[int] = range(registers)
    for d in every if "d" in uses else (0,):
        for a in every if "a" in uses else (0,):
            for b in every if "b" in uses else (0,):
                if commutes(name) and b < a or SOFT[name].imm == ("to", "a") and a == d:
                    continue
                for n in NUMBERS if "n" in uses else (0,):
                    if n or name == "SET":
                        yield Instruction(name, d, a, b, n)
                    elif "n" not in uses:
                        yield Instruction(name, d, a, b)


#: Straight-line operations: breadth-first search knows no branches and no memory.
_STRAIGHT = tuple(op.name for op in SOFT if shape(op.name) in (Shape.VALUE, Shape.FLAGS))


def shortest(
    task: Task, width: int = 8, most: int = 4, capacity: int = 3_000_000, seed: int = 0,
    below: int | None = None,
) -> SearchResult:  # fmt: skip
    """The shortest straight-line program, by breadth-first search over what programs do.

    Two programs that leave the same in every register and flag on every example are one. A
    level that holds no program right on all inputs proves that there is none of that length
    with the task's operations and registers and the numbers of `NUMBERS`. With `below`, only
    shorter programs are looked for. `detail` says how far the proof goes.
    """
    began = time.monotonic()
    config = machine(task, width)
    ops = tuple(name for name in _STRAIGHT if name in config.ops)
    config = Config(width, config.registers, config.length, 1, 1, 1, ops)
    counted = ctypes.c_uint64(0)
    rows = examples(task, config, draw(task, width, 12, seed))
    bound = Bound(task, config, rows)
    space = _Space(bound, menu(config), capacity)
    last = most if below is None else min(most, below - 1)
    for length in range(1, last + 1):
        for code in space.goals(counted):
            if _wrong(task, code, width) is None:
                detail = f"none of length {length - 1}" if length > 1 else "nothing is shorter"
                return SearchResult(code, counted.value, time.monotonic() - began, detail)
        if length < last and not space.grow(counted):
            return SearchResult(
                None, counted.value, time.monotonic() - began, f"none of length {length}"
            )
    return SearchResult(None, counted.value, time.monotonic() - began, f"none of length {last}")


class _Space:
    """The states reached so far; the last level is from `low` to `high`."""

    def __init__(self, bound: Bound, instructions: Sequence[Instruction], capacity: int) -> None:
        self.bound, self.instructions = bound, instructions
        registers = bound.rows.registers
        stride = registers.size + len(registers)
        flags = reduce(or_, (observed(i.op) for i in instructions), 0)
        slots = 1
        while slots < 2 * capacity:
            slots *= 2
        self._menu = np.array(
            [(SOFT[i.op].code, i.d, i.a, i.b, i.n) for i in instructions], np.uint32
        )
        self._states = np.zeros((capacity, stride), np.uint32)
        self._states[0, : registers.size] = registers.T.ravel()
        self._parent, self._by = np.zeros(capacity, np.uint32), np.zeros(capacity, np.uint32)
        self._table = np.zeros(slots, np.uint64)
        self.low, self.high = 0, 1
        self.frontier = Frontier(
            self._menu.ctypes.data, len(instructions), stride, flags, self._states.ctypes.data,
            self._parent.ctypes.data, self._by.ctypes.data, self._table.ctypes.data,
            capacity, slots,
        )  # fmt: skip

    def grow(self, counted: ctypes.c_uint64) -> bool:
        """One level more; False if there was no room for it."""
        new = library().soft_expand(
            self.bound.at, ctypes.byref(self.frontier), self.low, self.high, self.high, None, 0,
            ctypes.byref(counted),
        )  # fmt: skip
        self.low, self.high = self.high, self.high + max(0, new)
        return bool(new >= 0)

    def goals(self, counted: ctypes.c_uint64) -> Iterator[Code]:
        """Programs one instruction longer than the last level that are right on the examples."""
        pairs = np.zeros((_GOALS, 2), np.uint64)
        count = library().soft_expand(
            self.bound.at, ctypes.byref(self.frontier), self.low, self.high, self.high,
            pairs.ctypes.data, _GOALS, ctypes.byref(counted),
        )  # fmt: skip
        for state, instruction in pairs[:count].tolist():
            yield (*self._path(state), self.instructions[instruction])

    def _path(self, state: int) -> Code:
        steps: list[Instruction] = []
        while state:
            steps.append(self.instructions[self._by[state]])
            state = int(self._parent[state])
        return tuple(reversed(steps))
