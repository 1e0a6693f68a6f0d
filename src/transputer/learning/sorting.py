"""Sorting arrays by a learned loop.

First `sort2` is learned on registers. It becomes the middle of a compare and exchange of two
neighbours in memory, whose loads and stores are given, as is the address of the last word. The
two nested loops around it are then learned from arrays of 2 to 5 words.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from transputer.ir.soft import Code, Instruction, text
from transputer.isa.soft import SOFT
from transputer.learning.library import Piece, learn_piece
from transputer.learning.problem import Bound, Examples, machine
from transputer.learning.search import AnnealingSchedule, anneal
from transputer.learning.tasks import ORDER, TASKS, Task, sort_of
from transputer.values import dataclass

#: Operations that the loops may be made of.
CONTROL = ("MOV", "ADD", "ADDI", "SUB", "CMP", "JEQ", "JNE", "JLT", "JGE", "DJNZ")
#: What `oblivious` can follow.
_KNOWN = (*CONTROL, *ORDER, "LD", "ST", "LDP", "STP")
#: Where arrays begin when programs are tried.
BASES = (0, 3)
#: The largest arrays that a program is tried on.
MOST = 16
_BEFORE = "ADD R2, R0, R1\nADDI R2, R2, -1\n?\nLD R4, R3, 0\nLD R5, R3, 1\n"
_AFTER = "\nSTP R3, R4\nST R3, 0, R5\n?\n?\n?"


def sketched(piece: Piece) -> Task:
    """The task with everything but the loops given."""
    sketch = _BEFORE + text(piece.on((4, 5, 6))) + _AFTER
    return sort_of((2, 3, 4, 5), CONTROL, sketch)


@dataclass(frozen=True, slots=True)
class Sorted:
    """A program that sorts, and what it cost; None where nothing was found."""

    code: Code | None
    piece: int
    loops: int


def learn_to_sort(seed: int, seconds: float = 60.0) -> Sorted:
    """The piece, then the loops, at 8 bits."""
    piece, cost = learn_piece(TASKS["sort2"], ORDER, seed)
    if piece is None:
        return Sorted(None, cost, 0)
    result = anneal(
        sketched(piece), seed, seconds, AnnealingSchedule(changes=20_000, first=0.02, last=0.5)
    )
    return Sorted(result.code, cost, result.evaluations)


def oblivious(code: Code, count: int, base: int = 0) -> bool:
    """Whether data never decide an address or a branch and go only through moves, MIN and MAX.

    Nor may any access leave the array. A run with every word of the array marked; what is made
    of a marked word is marked. Operations other than those of a sketch are not looked into: they
    count as not oblivious.
    """
    run = _Marked(count, base)
    for _ in range(16 * count * count + 64):
        if run.pc >= len(code):
            return True
        if code[run.pc].op not in _KNOWN or not run.step(code[run.pc]):
            return False
    return False


class _Marked:
    """A machine whose data are marks instead of words."""

    def __init__(self, count: int, base: int) -> None:
        self.words = [base, count, *[0] * 14]
        self.data = [False] * 16
        self.cells = dict.fromkeys(range(base, base + count), True)  # data or not, by address
        self.pc, self.flags = 0, 0

    def step(self, i: Instruction) -> bool:
        """One instruction; False if data decided anything or went another way."""
        row, self.pc = SOFT[i.op], self.pc + 1
        if row.group == "memory":
            return self._access(i)
        if "pc" in row.imm or "to" not in row.imm:
            return self._control(i)
        used = [getattr(i, field) for field in ("a", "b") if field in row.imm]
        self.data[i.d] = any(self.data[r] for r in used)
        operands = [self.words[r] for r in used] + ([i.n] if "n" in row.imm else [])
        self.words[i.d] = row.pure(32, *operands)
        return not self.data[i.d] or i.op in ORDER

    def _access(self, i: Instruction) -> bool:
        row = SOFT[i.op]
        address = self.words[i.a] + (i.n if "n" in row.imm else 0) & 0xFFFFFFFF
        if self.data[i.a] or address not in self.cells:
            return False
        if "n" not in row.imm:
            self.words[i.a] += 1
        if "to" in row.imm:
            self.data[i.d] = self.cells[address]
        else:
            self.cells[address] = self.data[i.b]
        return True

    def _control(self, i: Instruction) -> bool:
        row = SOFT[i.op]
        if "b" in row.imm:  # a comparison
            self.flags = row.pure(32, self.words[i.a], self.words[i.b])
            return not (self.data[i.a] or self.data[i.b])
        if "to" in row.imm:  # a counter
            taken = self.words[i.d] = row.pure(32, self.words[i.d])
            decided = self.data[i.d]
        else:
            taken, decided = row.pure(32, self.flags), False
        self.pc = i.n if taken else self.pc
        return not decided


def sorts_zeros_and_ones(code: Code, count: int, base: int = 0) -> bool:
    """Whether every array of `count` zeros and ones is sorted.

    An oblivious program that does so sorts every array (the 0-1 principle): exchanges commute
    with monotone maps.
    """
    task = sort_of((count,), CONTROL, "")
    config = replace(machine(task, 32, len(code), size=count), registers=16)
    arrays = np.array(list(product((0, 1), repeat=count)), np.uint32)
    rows = _rows(arrays, config.memory, base)
    bound = Bound(task, config, rows, limit=32 * count * count + 64, elsewhere=False)
    return bound.first_wrong(code) is None


def _rows(arrays: np.ndarray, memory: int, base: int) -> Examples:
    """Examples of many arrays at once."""
    many, count = arrays.shape
    rng, inside = np.random.default_rng(count), slice(base, base + count)
    cells = rng.integers(0, 1 << 32, (many, memory), np.uint32)
    cells[:, inside] = arrays
    wanted, matters = cells.copy(), np.ones(cells.shape, np.uint8)
    wanted[:, inside] = np.sort(arrays, 1)
    registers = np.zeros((many, 16), np.uint32)
    registers[:, 0], registers[:, 1] = base, count
    return Examples(registers, cells, np.zeros((many, 0), np.uint32), wanted, matters)


def sizes_sorted(code: Code, most: int = MOST) -> list[int]:
    """Sizes from 1 to `most` at which every array is sorted, by the 0-1 principle."""
    return [
        n for n in range(1, most + 1)
        if all(oblivious(code, n, base) and sorts_zeros_and_ones(code, n, base) for base in BASES)
    ]  # fmt: skip
