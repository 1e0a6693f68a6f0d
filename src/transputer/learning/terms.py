"""Enumeration of terms, cheapest first, and decision lists over them.

A term is an expression of the machine's operations over the inputs and constants; its cost is the
number of instructions. Terms that agree on all examples are one. Where no single term is right on
all examples, conditions between terms split them, and each part is solved by a term of its own.

An *evaluation* is one operation on all examples.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.compile import compiled
from transputer.ir.soft import word_of
from transputer.isa.soft import NAMES, SOFT, Shape, commutes, meaning, operands, shape
from transputer.isa.words import Templates
from transputer.learning.expressions import (
    CONDITION_NEEDS,
    CONDITIONS,
    AppliedTerm,
    ConditionalTerm,
    ConstantTerm,
    Expression,
    InputTerm,
)
from transputer.machines.soft.hardstate import word_type
from transputer.machines.soft.native import FLAGS, TEXT, word_bits, words_in_c
from transputer.values import dataclass

#: Bytes for the values of terms.
ROOM = 384 << 20
#: Examples at most: conditions are bits of a word.
MOST = 64
_NO_OPERATION = 0xFFFFFFFF
_Pointer, _Word, _Long = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
Masks = NDArray[np.uint64]
TermValues = NDArray[np.unsignedinteger[Any]]


def _rows(second: str) -> tuple[str, ...]:
    """Rows that write a value made of a and one more operand."""
    return tuple(
        name for name in NAMES
        if shape(name) is Shape.VALUE and operands(name) == ("a", second)
    )  # fmt: skip


#: Operations on two words, and on a word and a number.
PAIRS, SINGLES = _rows("b"), _rows("n")


class _Bank(ctypes.Structure):
    _fields_ = [
        *((name, _Word) for name in ("width", "examples", "results", "capacity", "count")),
        *((name, _Pointer) for name in ("wanted", "values", "first", "op", "left", "right")),
        ("table", _Pointer),
        ("slots", _Long),
        ("evaluations", _Long),
        *((name, _Word) for name in ("pairs_count", "singles_count", "numbers_count")),
        *((name, _Pointer) for name in ("pairs", "commutes", "singles", "numbers", "stop")),
    ]


class _Goals(ctypes.Structure):
    _fields_ = [
        *((name, _Pointer) for name in ("result", "op", "left", "right")),
        ("room", _Word),
        ("count", _Word),
    ]


@cache
def _library(bits: int) -> ctypes.CDLL:
    """The enumeration on words of so many bits, compiled if it was not yet."""
    from pathlib import Path

    text: Templates = TEXT
    cases = " \\\n".join(
        f"LOOP({SOFT[name].code}, {meaning(name)(text, 'x', 'y')})" for name in (*PAIRS, *SINGLES)
    )
    text_of_terms = (Path(__file__).parent / "terms.c").read_text()
    source = f"{words_in_c(bits)}#define TERM_CASES \\\n{cases}\n{text_of_terms}"
    loaded = compiled("learn", "terms", source, FLAGS, source.encode())
    goals = ctypes.c_void_p
    for name, result, arguments in (
        ("insert", ctypes.c_int, (_Pointer, _Pointer, _Word, _Word, _Word)),
        ("grow", ctypes.c_int, (_Pointer, _Word, _Word, _Word, _Word)),
        ("scan", None, (_Pointer, _Word, _Word, goals)),
        ("seek", ctypes.c_int, (_Pointer, _Word, _Word, _Word, _Word, _Word, goals)),
        ("cover", None, (_Pointer, _Word, _Word, _Pointer)),
        ("conditions", _Word, (_Pointer, _Word, _Word, *(_Pointer,) * 4, _Word, _Pointer, _Long)),
    ):
        function = getattr(loaded, f"terms_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


@dataclass(frozen=True, slots=True)
class Goal:
    """An expression that is one of the results on all examples."""

    result: int
    expression: Expression


class TermBank:
    """Terms over some inputs, level by level: level c holds those of c instructions."""

    def __init__(
        self,
        inputs: TermValues,  # (examples, inputs)
        wanted: TermValues,  # (examples, results)
        width: int,
        ops: Sequence[str],
        numbers: Sequence[int],
        stop: ctypes.c_int32 | None = None,
        capacity: int = 0,
        registers: Sequence[int] | None = None,
        large: Sequence[int] = (),
    ) -> None:
        sources = range(inputs.shape[1]) if registers is None else registers
        self.width, self.inputs = width, inputs.shape[1]
        examples = len(inputs)
        # Words that no instruction holds are put together by three.
        self.large = large if {"SET", "SHL", "ADDI"} <= set(ops) else ()
        self.stop = ctypes.c_int32(0) if stop is None else stop
        self._library, self._word = _library(word_bits(width)), word_type(width)
        self.constants = tuple(dict.fromkeys(word_of(n, width) for n in numbers))
        most = capacity or ROOM // (self._word().itemsize * examples + 24)
        slots = 1
        while slots < 2 * most:
            slots *= 2
        pairs = [name for name in PAIRS if name in ops]
        singles = [name for name in SINGLES if name in ops]
        broadcast = np.repeat(np.array(self.constants, self._word)[:, None], examples, 1)
        self._arrays = {
            "wanted": np.ascontiguousarray(wanted.T, self._word),
            "values": np.empty((most, examples), self._word),
            "first": np.empty(most, self._word),
            **{name: np.empty(most, np.uint32) for name in ("op", "left", "right")},
            "table": np.zeros(slots, np.uint32),
            "pairs": np.array([SOFT[name].code for name in pairs], np.uint32),
            "commutes": np.array([commutes(name) for name in pairs], np.uint32),
            "singles": np.array([SOFT[name].code for name in singles], np.uint32),
            "numbers": np.ascontiguousarray(broadcast),
        }
        at = {name: array.ctypes.data for name, array in self._arrays.items()}
        self._bank = _Bank(
            width, examples, wanted.shape[1], most, 0, at["wanted"], at["values"], at["first"],
            at["op"], at["left"], at["right"], at["table"], slots, 0, len(pairs), len(singles),
            len(self.constants), at["pairs"], at["commutes"], at["singles"], at["numbers"],
            ctypes.addressof(self.stop),
        )  # fmt: skip
        self._at = ctypes.byref(self._bank)
        self.results = wanted.shape[1]
        self.complete = True
        self._leaves: dict[int, Expression] = {}
        for k, register in enumerate(sources):
            self._leaf(inputs[:, k], InputTerm(register))
        self._leaf(np.zeros(examples, self._word), ConstantTerm(0))
        self.levels = [(0, self.count)]
        self._sets = "SET" in ops
        allowed = (needs <= set(ops) for needs in CONDITION_NEEDS.values())
        self._kinds = sum(1 << kind for kind, allows in enumerate(allowed) if allows)

    @property
    def count(self) -> int:
        """Terms so far."""
        return int(self._bank.count)

    @property
    def evaluations(self) -> int:
        """Operations tried so far."""
        return int(self._bank.evaluations)

    def _leaf(self, column: TermValues, expression: Expression) -> None:
        row = np.ascontiguousarray(column, self._word)
        if self._library.terms_insert(self._at, row.ctypes.data, _NO_OPERATION, 0, 0) == 1:
            self._leaves[self.count - 1] = expression

    def splits(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of levels whose terms, combined, make the next level."""
        cost = len(self.levels)
        for left in range(cost):
            right = cost - 1 - left
            yield self.levels[left], self.levels[right]

    def grow(self) -> bool:
        """The next level; False if there was no room, or `stop` was set."""
        grow, before, whole = self._library.terms_grow, self.count, True
        if len(self.levels) == 1 and self._sets:
            for number in (*self.constants, *self.large):
                self._leaf(np.full(self._bank.examples, number, self._word), ConstantTerm(number))
        whole = grow(self._at, *self.levels[-1], 0, 0) == 0
        for left, right in self.splits():
            whole = whole and grow(self._at, *left, *right) == 0
        self.levels.append((before, self.count))
        self.complete = self.complete and whole
        return bool(whole)

    def level_cost(self) -> int:
        """Operations that the next level takes."""
        singles = (self.levels[-1][1] - self.levels[-1][0]) * len(self.constants)
        total = singles * len(self._arrays["singles"])
        for left, right in self.splits():
            total += (left[1] - left[0]) * (right[1] - right[0]) * len(self._arrays["pairs"])
        return total

    def reached(self) -> list[Goal]:
        """Terms of the last level that are a result on all examples."""
        with _Hits() as hits:
            self._library.terms_scan(self._at, *self.levels[-1], hits.at)
            return [Goal(r, self.expression(left)) for r, _, left, _ in hits.rows()]

    def seek(self, result: int, left: tuple[int, int], right: tuple[int, int]) -> list[Goal]:
        """Operations on terms of two ranges that are a result on all examples."""
        with _Hits() as hits:
            self._library.terms_seek(self._at, result, *left, *right, hits.at)
            return [
                Goal(r, AppliedTerm(SOFT.by_code(op).name, self.expression(i), self.expression(j)))  # type: ignore[union-attr]
                for r, op, i, j in hits.rows()
            ]

    def expression(self, index: int) -> Expression:
        """The expression of a term."""
        if index in self._leaves:
            return self._leaves[index]
        op = SOFT.by_code(int(self._arrays["op"][index]))
        assert op is not None
        left, right = int(self._arrays["left"][index]), int(self._arrays["right"][index])
        if "n" in op.imm:
            return AppliedTerm(op.name, self.expression(left), ConstantTerm(self.constants[right]))
        return AppliedTerm(op.name, self.expression(left), self.expression(right))

    def values(self, index: int) -> TermValues:
        """What a term is on every example."""
        row: TermValues = self._arrays["values"][index]
        return row

    def cover(self, result: int, count: int) -> Masks:
        """The examples on which each of the first terms is a result, as bits."""
        masks = np.zeros(count, np.uint64)
        self._library.terms_cover(self._at, result, count, masks.ctypes.data)
        return masks

    def conditions(self, count: int, room: int = 200_000) -> "ConditionTable":
        """Conditions between the first terms, each set of examples once."""
        masks = np.zeros(room, np.uint64)
        kind, left, right = (np.zeros(room, np.uint32) for _ in range(3))
        slots = 1
        while slots < 2 * room:
            slots *= 2
        table = np.zeros(slots, np.uint64)
        number = self._library.terms_conditions(
            self._at, count, self._kinds, masks.ctypes.data, kind.ctypes.data, left.ctypes.data,
            right.ctypes.data, room, table.ctypes.data, slots,
        )  # fmt: skip
        self._bank.evaluations += count * count
        return ConditionTable(masks[:number], kind[:number], left[:number], right[:number])

    def decide(self, result: int, terms: int, pairs: int, depth: int = 4) -> Expression | None:
        """A decision list over the terms that is a result on all examples, if there is one."""
        examples = int(self._bank.examples)
        every = np.uint64((1 << examples) - 1)
        masks = self.cover(result, min(self.count, terms))
        distinct, order = np.unique(masks, return_index=True)
        order = np.sort(order[distinct != 0])
        cover = masks[order]
        conditions = self.conditions(min(self.count, pairs))
        if not len(conditions.masks) or not len(order):
            return None
        search = _Decisions(cover, conditions.masks)
        tree = search.solve(every, depth)
        return None if tree is None else self._tree(tree, order, conditions)

    def _tree(self, tree: "_Tree", order: NDArray[np.int64], table: "ConditionTable") -> Expression:
        if isinstance(tree, int):
            return self.expression(int(order[tree]))
        at, yes, no = tree
        return ConditionalTerm(
            CONDITIONS[int(table.kind[at])],
            self.expression(int(table.left[at])), self.expression(int(table.right[at])),
            self._tree(yes, order, table), self._tree(no, order, table),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConditionTable:
    """Conditions: where each holds, its kind, and the terms that it compares."""

    masks: Masks
    kind: NDArray[np.uint32]
    left: NDArray[np.uint32]
    right: NDArray[np.uint32]


_Tree = int | tuple[int, "_Tree", "_Tree"]


class _Decisions:
    """Trees of conditions over terms, for sets of examples as bits."""

    #: Splits tried at each depth, and sets examined in all.
    WIDTH, SETS = 12, 40

    def __init__(self, cover: Masks, conditions: Masks) -> None:
        self.cover = cover
        self.conditions = conditions
        order = np.argsort(-np.bitwise_count(cover).astype(np.int64), kind="stable")[:3000]
        self.large, self.sets = cover[order], 0

    def leaf(self, subset: np.uint64) -> int | None:
        """The cheapest term that is right on a set."""
        hits = np.flatnonzero((self.cover & subset) == subset)
        return int(hits[0]) if len(hits) else None

    def solve(self, subset: np.uint64, depth: int) -> "_Tree | None":
        """A tree that is right on a set of examples."""
        term = self.leaf(subset)
        if term is not None:
            return term
        self.sets += 1
        if not depth or self.sets > self.SETS:
            return None
        yes_sets = np.unique(self.conditions & subset)
        solved, scores = {}, []
        for sets in (yes_sets, subset & ~yes_sets):
            ok = np.zeros(len(sets), bool)
            for start in range(0, len(sets), 2048):
                part = sets[start : start + 2048]
                ok[start : start + 2048] = ((self.large[:, None] & part) == part).any(0)
            scores.append(ok)
        solved["yes"], solved["no"] = scores
        sizes = np.bitwise_count(yes_sets).astype(np.int64)
        total = int(np.bitwise_count(subset))
        proper = (sizes > 0) & (sizes < total)
        both = solved["yes"] & solved["no"] & proper
        if both.any():
            at = self._first(yes_sets[both], subset)
            inside = self.conditions[at] & subset
            yes, no = self.leaf(inside), self.leaf(subset & ~inside)
            assert yes is not None and no is not None
            return at, yes, no
        gain = np.where(solved["yes"], sizes, 0)
        gain = np.maximum(gain, np.where(solved["no"], total - sizes, 0)) * proper
        for k in np.argsort(-gain, kind="stable")[: self.WIDTH]:
            if not gain[k]:
                break
            at = self._first(yes_sets[k : k + 1], subset)
            inside = self.conditions[at] & subset
            yes_tree = self.solve(inside, depth - 1 if not solved["yes"][k] else 0)
            no_tree = self.solve(subset & ~inside, depth - 1 if not solved["no"][k] else 0)
            if yes_tree is not None and no_tree is not None:
                return at, yes_tree, no_tree
        return None

    def _first(self, sets: Masks, subset: np.uint64) -> int:
        """The cheapest condition that gives one of these sets."""
        return int(np.flatnonzero(np.isin(self.conditions & subset, sets))[0])


class _Hits:
    """Room for goals."""

    def __init__(self, room: int = 256) -> None:
        self._arrays = [np.zeros(room, np.uint32) for _ in range(4)]
        self._goals = _Goals(*(array.ctypes.data for array in self._arrays), room, 0)
        self.at = ctypes.byref(self._goals)

    def __enter__(self) -> "_Hits":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def rows(self) -> list[list[int]]:
        """What was recorded."""
        rows: list[list[int]] = np.stack(self._arrays, 1)[: self._goals.count].tolist()
        return rows


def combinations(
    goals: dict[int, list[Expression]], results: int, most: int
) -> Iterator[tuple[Expression, ...]]:
    """Choices of an expression for every result, if each has one."""
    if all(goals.get(k) for k in range(results)):
        for k, choice in enumerate(product(*(goals[k] for k in range(results)))):
            if k >= most:
                return
            yield choice
