"""Discrete baselines on the same machine: random search, annealing, breadth-first search.

An *evaluation* is one candidate program run on the whole set of examples.
"""

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

import numpy as np

from transputer.ir.soft import Code, Instruction, decode
from transputer.isa.integers import signed
from transputer.isa.soft import SOFT, Shape, commutes, observed, shape
from transputer.learning.native import Frontier
from transputer.learning.problem import (
    NUMBERS,
    Bound,
    counterexample,
    draw,
    examples,
    machine,
    sketch,
)
from transputer.learning.tasks import Given, Task
from transputer.machines.soft.config import Config
from transputer.values import dataclass

#: Examples that a search starts with; counterexamples join them.
EXAMPLES = 16
#: Random programs tried between two looks at the clock.
TRIES = 20_000
#: What a budget of seconds is measured by: time on the wall, or `time.process_time`.
Clock = Callable[[], float]
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
    clock: Clock = time.monotonic,
) -> SearchResult:
    """Annealed random changes, restarted until a program is right on every input checked.

    Each chain starts from random instructions (the first from `start`, if given) around those
    that the task gives. A program that is right on all examples but wrong on another input adds
    that input to the examples.
    """

    def chain(bound: Bound, code: np.ndarray, state: np.ndarray, counted: ctypes.c_uint64) -> int:
        return int(bound.library.soft_anneal(
            bound.at, code.ctypes.data, state.ctypes.data, schedule.changes,
            schedule.first, schedule.last, ctypes.byref(counted),
        ))  # fmt: skip

    return _restarts(task, seed, seconds, width, length, chain, start, chains, schedule.elsewhere,
                     clock)  # fmt: skip


def guess(task: Task, seed: int = 0, seconds: float = 60.0, width: int = 8) -> SearchResult:
    """Random programs until one is right on every input checked."""

    def tries(bound: Bound, code: np.ndarray, state: np.ndarray, counted: ctypes.c_uint64) -> int:
        return int(bound.library.soft_random(
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
    clock: Clock = time.monotonic,
) -> SearchResult:
    given = sketch(task, width)
    config = machine(task, width, len(given) or length)
    inputs = draw(task, width, EXAMPLES, seed)
    state, counted = _seeded(seed), ctypes.c_uint64(0)
    began = clock()
    bound = _bound(task, config, inputs, given, elsewhere)
    done = 0
    while clock() - began < seconds and (chains is None or done < chains):
        code = bound.rows_of([i or Instruction("HALT") for i in given])
        bound.library.soft_draw(bound.at, code.ctypes.data, state.ctypes.data)
        if start and not done:
            code = bound.rows_of(start)
        done += 1
        if not attempt(bound, code, state, counted):
            continue
        program = decode(code.tolist(), 32)
        wrong = _wrong(task, program, width)
        if wrong is None:
            return SearchResult(program, counted.value, clock() - began, f"{done} chains")
        inputs = [*inputs, wrong]
        bound = _bound(task, config, inputs, given, elsewhere)
    return SearchResult(None, counted.value, clock() - began, f"{done} chains")


def _bound(task: Task, config: Config, inputs: Sequence[Given],
           given: Sequence[Instruction | None], elsewhere: bool) -> Bound:  # fmt: skip
    limit = min(400, task.limit(config.width, task.size))
    return Bound(task, config, examples(task, config, inputs), given, limit, elsewhere)


def _wrong(task: Task, code: Code, width: int) -> Given | None:
    """An input, at the width of the search, on which a program is wrong."""
    return counterexample(task, code, width)


def menu(config: Config, numbers: Sequence[int] = NUMBERS) -> list[Instruction]:
    """Every straight-line instruction of a machine that is not another one in disguise."""
    return [i for name in config.ops for i in _forms(name, config.registers, numbers)]


def _forms(name: str, registers: int, numbers: Sequence[int]) -> Iterator[Instruction]:
    uses = Instruction(name).uses
    every: Sequence[int] = range(registers)
    for d in every if "d" in uses else (0,):
        for a in every if "a" in uses else (0,):
            for b in every if "b" in uses else (0,):
                if commutes(name) and b < a or SOFT[name].imm == ("to", "a") and a == d:
                    continue
                for n in numbers if "n" in uses else (0,):
                    if n or name == "SET":
                        yield Instruction(name, d, a, b, n)
                    elif "n" not in uses:
                        yield Instruction(name, d, a, b)


#: Straight-line operations: breadth-first search knows no branches and no memory.
_STRAIGHT = tuple(op.name for op in SOFT if shape(op.name) in (Shape.VALUE, Shape.FLAGS))


def shortest(
    task: Task, width: int = 8, most: int = 4, capacity: int = 3_000_000, seed: int = 0,
    below: int | None = None, inputs: Sequence[Given] = (), config: Config | None = None,
    numbers: Sequence[int] = (),
) -> SearchResult:  # fmt: skip
    """The shortest straight-line program, by breadth-first search over what programs do.

    Two programs that leave the same in every register and flag on every example are one. That
    loses no program: where a level has no program that is right on the examples, no program of
    that length is right. A program that is right on the examples and wrong elsewhere adds an
    example, and the search begins again. With `below`, only shorter programs are looked for.
    `detail` says how far the search got: "none of length n" means with the operations, registers
    and numbers of the machine.
    """
    began, counted = time.monotonic(), ctypes.c_uint64(0)
    known = list(inputs) or draw(task, width, 12, seed)
    sizes = config or machine(task, width)
    ops = tuple(name for name in _STRAIGHT if name in sizes.ops)
    sizes = Config(width, sizes.registers, sizes.length, 1, 1, 1, ops)
    last = most if below is None else min(most, below - 1)
    while len(known) <= _MOST_EXAMPLES:
        outcome = _levels(task, sizes, known, last, capacity, counted, numbers or NUMBERS)
        if isinstance(outcome, Given):
            known.append(outcome)
            continue
        code, detail = outcome
        return SearchResult(code, counted.value, time.monotonic() - began, detail)
    return SearchResult(None, counted.value, time.monotonic() - began, "too many examples needed")


#: Examples of a breadth-first search at most.
_MOST_EXAMPLES = 32


def _levels(
    task: Task, config: Config, inputs: Sequence[Given], last: int, capacity: int,
    counted: ctypes.c_uint64, numbers: Sequence[int],
) -> tuple[Code | None, str] | Given:  # fmt: skip
    """One breadth-first search: a program and how far it got, or an example that it lacks."""
    bound = Bound(task, config, examples(task, config, inputs))
    space = _Space(bound, menu(config, numbers), capacity)
    for length in range(1, last + 1):
        wrong = None
        for code in space.goals(counted):
            wrong = _wrong(task, code, config.width)
            if wrong is None:
                return code, f"none of length {length - 1}" if length > 1 else "nothing is shorter"
        if wrong is not None:
            return wrong
        if length < last and not space.grow(counted):
            return None, f"none of length {length}"
    return None, f"none of length {last}"


def nothing_shorter(task: Task, code: Code, inputs: Sequence[Given]) -> tuple[bool | None, str]:
    """Whether no shorter straight-line program exists, and the sentence that says for what.

    None where breadth-first search is too large to tell.
    """
    length = len(code)
    if task.size or task.sketch or task.arity > 3:
        return None, "not examined: only programs on up to three words are"
    if length > LONGEST_EXAMINED:
        return None, f"not examined: longer than {LONGEST_EXAMINED} instructions"
    used = [i.n for i in code if "n" in i.uses and "pc" not in SOFT[i.op].imm]
    numbers = tuple(dict.fromkeys((*NUMBERS, *used)))
    # A program of k instructions writes at most k registers that hold no input.
    registers = task.arity + max(1, length - 1)
    config = replace(machine(task, task.target, length), registers=registers)
    result = shortest(task, task.target, below=length, inputs=list(inputs)[:12], config=config,
                      numbers=numbers)  # fmt: skip
    what = (
        f"straight-line program over {' '.join(n for n in _STRAIGHT if n in task.ops)} "
        f"with the constants {', '.join(str(signed(32, n)) for n in numbers)}"
    )
    if result.code is not None:
        return False, f"a shorter program exists: {'; '.join(map(str, result.code))}"
    if length == 1 or result.detail == f"none of length {length - 1}":
        return True, f"no shorter {what}"
    return None, f"not examined: {result.detail}"


#: The longest program whose minimality is examined.
LONGEST_EXAMINED = 3


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
        self._states = np.zeros((capacity, stride), registers.dtype)
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
        new = self.bound.library.soft_expand(
            self.bound.at, ctypes.byref(self.frontier), self.low, self.high, self.high, None, 0,
            ctypes.byref(counted),
        )  # fmt: skip
        self.low, self.high = self.high, self.high + max(0, new)
        return bool(new >= 0)

    def goals(self, counted: ctypes.c_uint64) -> Iterator[Code]:
        """Programs one instruction longer than the last level that are right on the examples."""
        pairs = np.zeros((_GOALS, 2), np.uint64)
        count = self.bound.library.soft_expand(
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
