"""Loops by enumeration: skeletons of loops, and small blocks for their holes.

A skeleton is the frame of a loop: over the words of an array, from both ends of it, over
neighbours, as many times as a word has bits, or while a condition holds. Every block is an
expression of few instructions over the loop's variables; of blocks that do the same on random
words one is kept. The choice of a skeleton depends on what the task takes and returns, never on its
name, and the result says which skeleton it has.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations

import numpy as np

from transputer.errors import Unsupported
from transputer.ir.soft import Code, Instruction, decode, encode, number_for
from transputer.isa.integers import mask
from transputer.isa.soft import SOFT
from transputer.learning.expressions import AppliedTerm, Expression, InputTerm, compile_terms
from transputer.learning.native import SkeletonRows
from transputer.learning.problem import Bound
from transputer.learning.tasks import Task
from transputer.learning.terms import PAIRS, SINGLES, TermBank
from transputer.machines.soft.hardstate import word_type
from transputer.values import dataclass

#: A register that always holds 0, and registers for parts of expressions.
ZERO, SCRATCH = 15, (12, 13, 14)
_ITEM, _SKIP = 0x40000000, -2 & mask(32)
#: Choices tried between two looks at the clock.
CHUNK = 400_000
#: Programs of one skeleton at most, by effort.
PROGRAMS = (300_000, 6_000_000, 30_000_000, 100_000_000)
#: Operations of blocks in the first rounds.
_CHEAP = tuple(op for op in (*PAIRS, *SINGLES) if op not in ("SHLV", "SHRV", "SRAV"))


def _i(op: str, d: int = 0, a: int = 0, b: int = 0, n: int = 0) -> Instruction:
    return Instruction(op, d, a, b, n & mask(32))


#: Instructions, and the numbers of holes.
Items = tuple[Instruction | int, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Items of a loop: instructions (jumps name items) and holes, by number, with their blocks."""

    name: str
    items: Items
    holes: tuple[tuple[Code, ...], ...]

    @property
    def size(self) -> int:
        """How many programs it stands for."""
        return int(np.prod([len(blocks) for blocks in self.holes], dtype=object))


class Blocks:
    """Blocks over variables of a loop; all of a task share random words to tell them apart."""

    def __init__(self, width: int, ops: Sequence[str], numbers: Sequence[int]) -> None:
        self.width, self.ops, self.numbers = width, tuple(ops), tuple(numbers)
        self.terms = cache(self._terms)
        self.values = cache(self._values)
        self.conditions = cache(self._conditions)

    def _words(self, count: int) -> np.ndarray:
        rng = np.random.default_rng(7)
        words = rng.integers(0, 1 << self.width, (24, count), np.uint64)
        words[8:16] = rng.integers(0, 12, (8, count))
        words[16:20] >>= rng.integers(0, self.width, (4, count)).astype(np.uint64)
        return words.astype(word_type(self.width))

    def _terms(
        self, variables: tuple[int, ...], cost: int, numbers: bool = True, most: int = 30_000
    ) -> list[tuple[int, Expression]]:
        """Cost and expression of every different term."""
        words = self._words(len(variables))
        ops = [op for op in self.ops if op in _CHEAP or op == "SET"]
        constants = self.numbers if numbers else ()
        bank = TermBank(words, np.zeros((len(words), 0), words.dtype), self.width, ops, constants,
                        capacity=most, registers=variables)  # fmt: skip
        for _ in range(cost):
            if not bank.grow():
                break
        return [
            (level, bank.expression(k))
            for level, (low, high) in enumerate(bank.levels) for k in range(low, high)
        ]  # fmt: skip

    def _values(
        self, target: int, variables: tuple[int, ...], cost: int, numbers: bool = True
    ) -> tuple[Code, ...]:
        """Blocks that leave a value in a register."""
        blocks: list[Code] = []
        for _, term in self.terms(variables, cost, numbers):
            if term == InputTerm(target):
                blocks.append(())
                continue
            try:
                blocks.append(
                    compile_terms([term], variables, 16, [target], self.width, [ZERO], SCRATCH)
                )
            except Unsupported:
                continue
        return tuple(blocks)

    def _conditions(
        self, variables: tuple[int, ...], item: int, cost: int = 0, zero: bool = False
    ) -> tuple[Code, ...]:
        """Blocks that go to an item of the skeleton if a comparison holds.

        With `zero`, terms of more than no cost are compared with zero alone.
        """
        words = (ZERO, *variables)  # a comparison with zero comes first
        there = _ITEM + item
        blocks: list[Code] = []
        jumps = [op for op in ("JEQ", "JNE", "JLT", "JGE") if op in self.ops]
        for op in jumps:
            pairs = combinations(words, 2) if op in ("JEQ", "JNE") else permutations(words, 2)
            blocks += [(_i("CMP", 0, p, q), _i(op, n=there)) for p, q in pairs]
        if cost:
            for level, term in self.terms(variables, cost):
                if not level or not isinstance(term, AppliedTerm):
                    continue
                first = compile_terms([term], variables, 16, [SCRATCH[0]], self.width, [ZERO],
                                      SCRATCH)  # fmt: skip
                for op in jumps:
                    blocks += [(*first, _i("CMP", 0, SCRATCH[0], q), _i(op, n=there))
                               for q in ((ZERO,) if zero else words)]  # fmt: skip
        return tuple(blocks)


class Filler:
    """The programs of a skeleton, tried on examples in C.

    A program must end on the first `must` examples, within `quick` steps; on the others it may be
    slow.
    """

    def __init__(
        self, skeleton: Skeleton, bound: Bound, stop: ctypes.c_int32, must: int | None = None,
        quick: int | None = None,
    ) -> None:  # fmt: skip
        self.skeleton, self.bound, self.stop = skeleton, bound, stop
        self.must = len(bound.rows) if must is None else must
        self.quick = bound.problem.m.limit if quick is None else quick
        holes = skeleton.holes
        pool = [i for blocks in holes for block in blocks for i in block] or [_i("HALT")]
        sizes = [len(block) for blocks in holes for block in blocks]
        fixed = [i if isinstance(i, Instruction) else _i("HALT") for i in skeleton.items]
        self._arrays = [
            np.ascontiguousarray(encode(fixed).astype(np.uint32)),
            np.array([-1 if isinstance(i, Instruction) else i for i in skeleton.items], np.int32),
            np.cumsum([0, *(len(blocks) for blocks in holes)]).astype(np.uint32),
            np.cumsum([0, *sizes])[:-1].astype(np.uint32),
            np.array(sizes, np.uint32),
            np.ascontiguousarray(encode(pool).astype(np.uint32)),
        ]
        at = [array.ctypes.data for array in self._arrays]
        self.rows = SkeletonRows(len(fixed), len(holes), *at)

    def tried(self, evaluations: ctypes.c_uint64) -> Iterator[list[Code]]:
        """Programs that are right on all examples, chunk by chunk."""
        hits = np.zeros(64, np.uint64)
        start, end = 0, self.skeleton.size
        while start < end and not self.stop.value:
            to = min(end, start + CHUNK)
            count = self.bound.library.soft_fill(
                self.bound.at, ctypes.byref(self.rows), start, to, self.must, self.quick,
                hits.ctypes.data, len(hits), ctypes.byref(self.stop), ctypes.byref(evaluations),
            )  # fmt: skip
            yield [self.program(int(number)) for number in hits[:count]]
            start = int(hits[count - 1]) + 1 if count == len(hits) else to

    def program(self, number: int) -> Code:
        """The program of a choice."""
        code = np.zeros((64, 5), np.uint32)
        length = self.bound.library.soft_assemble(
            ctypes.byref(self.rows), self.bound.problem.jumps, number, code.ctypes.data
        )
        return decode(code[:length].tolist(), 32)


def skeletons(task: Task, effort: int) -> Iterator[Skeleton]:
    """The skeletons that fit what a task takes and returns, with blocks as large as `effort`."""
    blocks = Blocks(task.target, task.ops, _numbers(task, effort))
    if task.size:
        yield from _fitting(_on_arrays(task, blocks, effort), task, effort)
        return
    few_first = _fitting(_on_words(task, blocks, effort), task, effort)
    yield from sorted(few_first, key=lambda skeleton: skeleton.size)


def _fitting(source: Iterator[Skeleton], task: Task, effort: int) -> Iterator[Skeleton]:
    """Those whose instructions the task allows, with as many programs as `effort` allows."""
    for skeleton in source:
        needed = {i.op for i in skeleton.items if isinstance(i, Instruction)}
        if needed <= set(task.ops) and all(skeleton.holes):
            yield fitted(skeleton, PROGRAMS[min(effort, len(PROGRAMS)) - 1])


def _numbers(task: Task, effort: int) -> tuple[int, ...]:
    """Constants of blocks: few at first, then also those of the specification, then all."""
    if task.given_numbers or effort > 2:
        return task.numbers
    few = (0, 1, mask(32), 2)
    return few if effort == 1 else tuple(dict.fromkeys((*few, *task.numbers[: task.harvested])))


def fitted(skeleton: Skeleton, most: int) -> Skeleton:
    """The skeleton cut to `most` programs: the longest lists keep their cheapest blocks."""
    holes = list(skeleton.holes)
    while np.prod([len(blocks) for blocks in holes], dtype=object) > most:
        at = max(range(len(holes)), key=lambda k: len(holes[k]))
        holes[at] = holes[at][: max(1, len(holes[at]) * 7 // 8)]
    return Skeleton(skeleton.name, skeleton.items, tuple(holes))


def _on_arrays(task: Task, blocks: Blocks, effort: int) -> Iterator[Skeleton]:
    if task.results:
        if task.results == 1 and task.arity > 2:
            yield _halving(task, blocks, effort)
        yield from _folds(task, blocks, effort)
    else:
        yield from _in_place(task, blocks, effort)


def _halving(task: Task, blocks: Blocks, effort: int) -> Skeleton:
    """A loop that halves the number of words and looks at the one in the middle."""
    keys = tuple(range(2, task.arity))
    middle, word = task.arity, task.arity + 1
    items: Items = (
        _i("SHR", 1, 1, n=1), _i("ADD", middle, 0, 1), _i("LD", word, middle), 0, 1,
        _i("CMP", 0, 1, ZERO), _i("JNE", n=0), 2,
    )  # fmt: skip
    return Skeleton(
        "halving the array", items,
        (blocks.conditions((word, *keys), 5), blocks.values(0, (0, middle), min(effort, 2)),
         ((), *blocks.values(0, (0, word, *keys), 1))),
    )  # fmt: skip


def _starts(register: int, others: Sequence[int], blocks: Blocks, first: bool) -> tuple[Code, ...]:
    """What a variable may hold before the loop."""
    starts: list[Code] = [()]
    if "SET" in blocks.ops:
        starts += [(_i("SET", register, n=n),) for n in (1, -1)]
    if "LD" in blocks.ops and first:
        starts.append((_i("LD", register, 0),))
    starts += [(_i("MOV", register, other),) for other in others]
    if "SET" in blocks.ops:
        top = 1 << (blocks.width - 1)
        numbers = (number_for(n, blocks.width) for n in (top, top - 1))
        starts += [(_i("SET", register, n=n),) for n in numbers if n is not None]
    return tuple(starts)


def _folds(task: Task, blocks: Blocks, effort: int) -> Iterator[Skeleton]:
    """Loops over the words of an array with one or two variables."""
    keys = tuple(range(2, task.arity))
    word, one, two, index = (task.arity + k for k in range(4))
    results = (_i("MOV", 0, one),) if task.results == 1 else (_i("MOV", 0, one), _i("MOV", 1, two))
    load, count = _i("LDP", word, 0), _i("ADDI", index, index, n=1)
    starts = _starts(one, (1, *keys), blocks, True)
    final: tuple[Code, ...] = (results,)
    if effort > 1 and task.results == 1:
        final = (results, *blocks.values(0, (one, *keys), 1))
    if task.results == 1:
        body = blocks.values(one, (word, one, *keys), min(effort, 2) + 1 if effort < 3 else 3)
        items: Items = (0, load, 1, _i("DJNZ", 1, n=1), 2)
        yield Skeleton("a fold over the array", items, (starts, body, final))
        variables = (word, one, *keys)
        # A guarded update, without and with the index.
        for indexed in (False, True):
            seen = (*variables, index) if indexed else variables
            items = (0, load, 1, 2, *((count,) if indexed else ()), _i("DJNZ", 1, n=1), 3)
            guard = blocks.conditions(seen, 4, int(effort > 2))
            update = blocks.values(one, seen, min(effort, 2))
            name = "a fold over the array with a condition" + ", and the index" * indexed
            yield Skeleton(name, items, (starts, guard, update, final))
        # A search that leaves the loop.
        items = (0, load, 1, 2, _i("DJNZ", 1, n=1), 3)
        leave = blocks.conditions(variables, 5)
        update = blocks.values(one, variables, 1)
        yield Skeleton("a search that leaves the loop", items, (starts, leave, update, final))
    others = _starts(two, keys, blocks, True)
    seen = (word, one, two, index, *keys)
    if task.results <= 2:
        # Two variables updated under one condition.
        items = (0, 1, load, 2, 3, 4, count, _i("DJNZ", 1, n=2), 5)
        guard = blocks.conditions((word, one, two, *keys), 6)
        yield Skeleton(
            "a fold with two variables under a condition", items,
            (starts, others, guard, blocks.values(one, seen, effort - 1, False),
             blocks.values(two, seen, effort - 1, False), (results,)),
        )  # fmt: skip
        shadow = index + 1
        if effort == 1:
            # Both always, and a result made of both.
            items = (0, 1, load, 2, 3, _i("MOV", one, shadow), _i("DJNZ", 1, n=2), 4)
            triple = (word, one, two)
            yield Skeleton(
                "a fold with two variables", items,
                (starts[:5], others[:4], blocks.values(shadow, triple, 1, False),
                 blocks.values(two, triple, 1, False), blocks.values(0, (one, two), 1, False)),
            )  # fmt: skip
            return
        # One under a condition, the other always.
        items = (0, 1, load, 2, 3, 4, count, _i("DJNZ", 1, n=2), 5)
        guard = blocks.conditions((word, one, two, *keys), 5)
        yield Skeleton(
            "a fold with two variables, one under a condition", items,
            (starts[:5], others[:4], guard, blocks.values(one, (word, one, index, *keys), 1),
             blocks.values(two, (word, two), 1, False), (results,)),
        )  # fmt: skip
        # Both always.
        items = (0, 1, load, 2, 3, _i("MOV", one, shadow), _i("DJNZ", 1, n=2), 4)
        triple = (word, one, two)
        yield Skeleton(
            "a fold with two variables", items,
            (starts[:5], others[:4], blocks.values(shadow, triple, 2, effort > 2),
             blocks.values(two, triple, 2, effort > 2), final),
        )  # fmt: skip


def _in_place(task: Task, blocks: Blocks, effort: int) -> Iterator[Skeleton]:
    """Loops that change an array."""
    keys = tuple(range(2, task.arity))
    word, one, index, size, value = (task.arity + k for k in range(5))
    load, count = _i("LD", word, 0), _i("ADDI", index, index, n=1)
    store = _i("STP", 0, b=value)
    starts = _starts(one, keys, blocks, False)
    update: tuple[Code, ...] = ((), (_i("MOV", one, value),), (_i("MOV", one, word),))
    seen = (word, one, *keys)
    items: Items = (0, load, 1, store, 2, _i("DJNZ", 1, n=1))
    yield Skeleton(
        "a map over the array", items, (starts, blocks.values(value, seen, effort + 1), update)
    )
    seen = (word, one, index, size, *keys)
    items = (_i("MOV", size, 1), 0, load, 1, store, 2, count, _i("DJNZ", 1, n=2))
    yield Skeleton(
        "a map over the array with the index", items,
        (starts, blocks.values(value, seen, effort), update),
    )  # fmt: skip
    guard = blocks.conditions((word, one, index, *keys), 5)
    items = (0, load, _i("MOV", value, word), 1, 2, store, 3, count, _i("DJNZ", 1, n=1))
    yield Skeleton(
        "a map over the array with a condition", items,
        (starts[:3], guard, blocks.values(value, (word, one, index, *keys), min(effort, 2)),
         update),
    )  # fmt: skip
    last, low, high = task.arity + 1, task.arity + 2, task.arity + 3
    pair = (low, high, *keys)
    shadow = task.arity + 4
    ends = (
        _i("ADD", last, 0, 1), _i("ADDI", last, last, n=-1), _i("CMP", 0, 0, last),
        _i("JGE", n=11), _i("LD", low, 0), _i("LD", high, last), 0, 1,
        _i("ST", 0, last, high), _i("STP", 0, b=shadow), _i("JMP", n=1),
    )  # fmt: skip
    yield Skeleton(
        "from both ends of the array", ends,
        (blocks.values(shadow, pair, effort, False), blocks.values(high, pair, effort, False)),
    )  # fmt: skip
    at = task.arity
    neighbours = (
        _i("ADD", last, 0, 1), _i("ADDI", last, last, n=-1), _i("CMP", 0, 0, last),
        _i("JGE", n=15), _i("MOV", at, 0), _i("LD", low, at), _i("LD", high, at, n=1), 0, 1,
        _i("ST", 0, at, high, 1), _i("STP", 0, at, shadow), _i("CMP", 0, at, last),
        _i("JLT", n=5), _i("DJNZ", 1, n=4), _i("JMP", n=15),
    )  # fmt: skip
    yield Skeleton(
        "over neighbours, as often as the array has words", neighbours,
        (blocks.values(shadow, pair, effort, False), blocks.values(high, pair, effort, False)),
    )  # fmt: skip


def _on_words(task: Task, blocks: Blocks, effort: int) -> Iterator[Skeleton]:
    """Loops on registers alone."""
    if task.results > 2:
        return
    inputs = tuple(range(task.arity))
    one, two, counter, shadow = (task.arity + k for k in range(4))
    if task.arity > 4:
        return
    bits = _i("SET", counter, n=blocks.width)
    finals = blocks.values(0, inputs, 1, effort > 1)
    sums = blocks.values(0, (one,), 1)
    for at in inputs[:2]:
        before = blocks.values(at, (at,), 1)
        change = blocks.values(at, inputs, 2)
        items: Items = (0, bits, 1, _i("DJNZ", counter, n=2), 2)
        if task.results == 1:
            yield Skeleton("once for each bit", items, (before, change, finals))
            items = (0, bits, 1, 2, _i("DJNZ", counter, n=2), 3)
            starts = ((), (_i("SET", one, n=1),), *((_i("MOV", one, k),) for k in inputs))
            yield Skeleton(
                "once for each bit, with one variable", items,
                (starts, blocks.values(one, (one, *inputs), 2 if task.arity < 3 else 1),
                 blocks.values(at, (at,), 1), sums),
            )  # fmt: skip
            items = (0, bits, 1, 2, 3, _i("DJNZ", counter, n=2), 4)
            guarded = blocks.conditions((*inputs, one), 4, 1)
            yield Skeleton(
                "once for each bit, with one variable under a condition", items,
                (starts[:2], guarded, blocks.values(one, (one, *inputs), 1),
                 blocks.values(at, (at,), 1), sums),
            )  # fmt: skip
    if effort > 1 and task.results == 1 and task.arity == 2:
        # One word shifted out, the other doubled: products and the like.
        items = (bits, 0, 1, 2, 3, _i("DJNZ", counter, n=1), 4)
        guarded = blocks.conditions((0,), 3, 1, True)
        yield Skeleton(
            "once for each bit, with three variables", items,
            (guarded, blocks.values(one, (one, *inputs), 1, False),
             blocks.values(0, (0,), 1), blocks.values(1, (1,), 1), sums[:2]),
        )  # fmt: skip
    yield from _while_loops(task, blocks, effort, inputs, one, two, shadow)


def _while_loops(
    task: Task, blocks: Blocks, effort: int, inputs: tuple[int, ...], one: int, two: int,
    shadow: int,
) -> Iterator[Skeleton]:  # fmt: skip
    """Loops that go on until a condition holds."""
    ends: tuple[Code, ...] = tuple((_i("MOV", 0, k),) if k else () for k in (*inputs, one))
    if effort > 1:
        ends = (*ends, *blocks.values(0, (*inputs, one), 1, True))
    back = _i("JMP", n=0)
    for at in inputs[:2]:
        if task.results == 1:
            items: Items = (0, 1, 2, 3, _i("JMP", n=1), 4)
            starts = ((), *((_i("SET", one, n=n),) for n in (1, -1)),
                      *((_i("MOV", one, k),) for k in inputs))  # fmt: skip
            yield Skeleton(
                "while a condition holds, with one variable", items,
                (starts, blocks.conditions((*inputs, one), 5, int(effort > 1)),
                 blocks.values(one, (one, *inputs), min(effort, 2)),
                 blocks.values(at, inputs, min(effort, 2)), ends),
            )  # fmt: skip
            two_ends = ((_i("MOV", 0, one),), (_i("MOV", 0, two),))
            items = (0, 1, 2, 3, 4, _i("MOV", one, shadow), 5, _i("JMP", n=2), 6)
            pair = (one, two, at)
            yield Skeleton(
                "while a condition holds, with two variables", items,
                (starts[:2], ((), (_i("SET", two, n=1),)), blocks.conditions(inputs, 8),
                 blocks.values(shadow, pair, 1, False), blocks.values(two, pair, 1, False),
                 blocks.values(at, (at,), 1), two_ends),
            )  # fmt: skip
    if task.arity >= 2:
        items = (0, 1, 2, _i("MOV", 0, shadow), back, 3)
        left, right = inputs[:2]
        costs = {1: ((1, 1), (2, 1), (1, 2)), 2: ((3, 1), (1, 3))}.get(effort, ((2, 2),))
        for first, second in costs:
            yield Skeleton(
                "while a condition holds, on two words", items,
                (blocks.conditions(inputs, 5), blocks.values(shadow, (left, right), first, False),
                 blocks.values(right, (left, right), second, False), ends[: task.arity]),
            )  # fmt: skip


def jumps_in(code: Code) -> bool:
    """Whether a program has a jump back."""
    return any("pc" in SOFT[i.op].imm and i.n <= k for k, i in enumerate(code))
