"""Inputs that tell apart programs which agree with all examples."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from transputer.errors import Unsupported
from transputer.ir.soft import Code, text
from transputer.isa.integers import signed
from transputer.learning.expressions import compile_terms, resolved
from transputer.learning.problem import Bound, Examples, machine
from transputer.learning.tasks import Given, Task, place_array
from transputer.learning.terms import TermBank, combinations
from transputer.machines.soft.hardstate import word_type
from transputer.values import dataclass

#: Inputs on which programs are compared.
TRIED = 400


@dataclass(frozen=True, slots=True)
class Question:
    """An input on which two programs that agree with the examples differ."""

    inputs: tuple[int, ...]
    array: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    other: tuple[str, ...]

    def __str__(self) -> str:
        given = [str(list(self.array))] if self.array else []
        given += list(map(str, self.inputs))
        left, right = (", ".join(map(str, words)) for words in (self.first, self.second))
        return (
            f"another program of {len(self.other)} instructions agrees with the examples, too: for "
            f"{', '.join(given)} this one gives {left}, the other {right}. Add the right one."
        )


def question(task: Task, code: Code, work: Any) -> Question | None:
    """An input on which another short program that agrees with the examples differs."""
    inputs = _inputs(task)
    mine = _results(task, code, inputs)
    for other in _rivals(task, work.inputs):
        theirs = _results(task, other, inputs)
        for k in np.flatnonzero((mine[0] != theirs[0]).any(1) & mine[1] & theirs[1]).tolist():
            given = inputs[k]
            numbers = [signed(task.target, word) for word in given.registers]
            rest = numbers[2:] if task.size else numbers
            array = tuple(signed(task.target, word) for word in task.array(given))
            first, second = (
                tuple(signed(task.target, int(w)) for w in r[0][k]) for r in (mine, theirs)
            )
            return Question(tuple(rest), array, first, second, tuple(text(other).split("\n")))
    return None


def _inputs(task: Task) -> list[Given]:
    """Small inputs first, then any."""
    rng = random.Random(0)
    known = {given.registers for given in task.edges(task.target)}
    inputs = []
    scalars = task.arity - 2 if task.size else task.arity
    for k in range(TRIED):
        span = 4 + k // 8
        words = [rng.randint(-span, span) for _ in range(scalars)]
        if task.size:
            array = [rng.randint(-span, span) for _ in range(rng.randint(1, task.size))]
            inputs.append(place_array(array, words, 0, task.target, task.size))
        else:
            given = Given(tuple(word & (1 << task.target) - 1 for word in words))
            if given.registers not in known:
                inputs.append(given)
    return inputs


def _results(task: Task, code: Code, inputs: Sequence[Given]) -> tuple[np.ndarray, np.ndarray]:
    """Result words (or the whole memory) on every input, and which runs ended."""
    config = replace(machine(task, task.target, max(1, len(code))), registers=16)
    word = word_type(task.target)
    registers = np.zeros((len(inputs), 16), word)
    memory = np.zeros((len(inputs), config.memory), word)
    for k, given in enumerate(inputs):
        registers[k, : task.arity] = given.registers
        memory[k, : len(given.memory)] = given.memory[: config.memory]
    none = np.zeros((len(inputs), 0), word)
    rows = Examples(registers, memory, none, memory, np.zeros(memory.shape, np.uint8))
    bound = Bound(task, config, rows, elsewhere=False)
    after, cells, _ = bound.results(code)
    ended = np.array([bound.ends(code, k) for k in range(len(inputs))])
    return (after[:, : task.results] if task.results else cells), ended


def _rivals(task: Task, inputs: Sequence[Given]) -> list[Code]:
    """Short programs without loops that agree with the examples."""
    if task.size or not task.results:
        return []
    from transputer.learning.problem import examples

    config = replace(machine(task, task.target, 64), registers=16)
    rows = examples(task, config, inputs)
    rivals: list[Code] = []
    # The last example is left out of the merging, so that terms that differ there stay apart.
    for numbers in (task.numbers[:4], task.numbers):
        bank = TermBank(rows.registers[:, : task.arity], rows.wanted, task.target, task.ops,
                        numbers, capacity=300_000)  # fmt: skip
        goals: dict[int, list[Any]] = {}
        while len(bank.levels) < 5 and bank.level_cost() < 3_000_000:
            for result in range(task.results):
                for left, right in bank.splits():
                    for goal in bank.seek(result, left, right):
                        goals.setdefault(goal.result, []).append(goal.expression)
            for choice in combinations(goals, task.results, 32):
                try:
                    rivals.append(
                        resolved(compile_terms(choice, task.arity, 16, width=task.target))
                    )
                except Unsupported:
                    continue
            if rivals:
                return rivals
            bank.grow()
    return rivals
