"""Subroutine libraries: learned programs as pieces of longer ones.

A piece is a learned program whose registers are renamed wherever it is used. Its scratch register
held anything while it was learned, so that it works in the middle of another program. A longer
program is then searched for as a sequence of pieces; what the pieces cost to learn is counted.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from transputer.ir.soft import Code, Instruction
from transputer.isa.soft import SOFT
from transputer.learning.problem import Bound, counterexample, draw, examples, machine
from transputer.learning.search import EXAMPLES, AnnealingSchedule, Clock, SearchResult, anneal
from transputer.learning.tasks import Expected, Given, Task
from transputer.values import dataclass

#: Changes to a sequence of pieces before it is drawn anew.
CHANGES = 2000
_WORST = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Piece:
    """A straight-line program on the registers R0 to R(`registers` - 1); the last is scratch."""

    name: str
    code: Code
    registers: int

    def on(self, registers: Sequence[int]) -> Code:
        """The piece with its registers renamed."""

        def moved(i: Instruction) -> Instruction:
            fields = {name: registers[getattr(i, name)] for name in ("d", "a", "b")}
            return replace(i, **fields).plain()

        return tuple(map(moved, self.code))


def dirty(task: Task) -> Task:
    """The same task with one more register, which holds anything at first and at the end."""

    def solve(width: int, given: Given) -> Expected:
        return task.solve(width, Given(given.registers[:-1]))

    def with_junk(rng: object, width: int) -> Given:
        given = task.draw(rng, width)  # type: ignore[arg-type]
        return Given((*given.registers, rng.getrandbits(width)))  # type: ignore[attr-defined]

    def edges(width: int) -> list[Given]:
        return [
            Given((*given.registers, junk)) for given in task.edges(width) for junk in (0, 1, 7)
        ]

    return replace(
        task, arity=task.arity + 1, solve=solve, draw=with_junk, edges=edges, every=None,
        registers=max(task.registers, task.arity + 1),
    )  # fmt: skip


def learn_piece(
    task: Task, ops: tuple[str, ...], seed: int, seconds: float = 60.0,
    clock: Clock = time.monotonic,
) -> tuple[Piece | None, int]:  # fmt: skip
    """A piece for a task with these operations, and what it cost; None if nothing was found."""
    wanted = replace(dirty(task), ops=ops, registers=task.arity + 1)
    result = anneal(wanted, seed, seconds, AnnealingSchedule(changes=5000), clock=clock)
    if result.code is None or any("pc" in SOFT[i.op].imm for i in result.code):
        return None, result.evaluations
    straight = tuple(i for i in result.code if i.op != "HALT")
    return Piece(task.name, straight, task.arity + 1), result.evaluations


#: A use of a piece: which one, and the registers it works on.
Use = tuple[int, tuple[int, ...]]


def assemble(
    task: Task, pieces: Sequence[Piece], uses: int, seed: int = 0, seconds: float = 60.0,
    clock: Clock = time.monotonic,
) -> SearchResult:  # fmt: skip
    """A sequence of `uses` pieces that solves a task, by simulated annealing at 8 bits."""
    rng, began = np.random.default_rng(seed), clock()
    search = _Assembly(task, pieces, uses, rng)
    inputs = draw(task, 8, EXAMPLES, seed)
    while clock() - began < seconds:
        code = search.chain(inputs)
        if code is None:
            continue
        wrong = counterexample(task, code, 8)
        if wrong is None:
            return SearchResult(code, search.evaluations, clock() - began, f"{uses} pieces")
        inputs = [*inputs, wrong]
    return SearchResult(None, search.evaluations, clock() - began, f"{uses} pieces")


class _Assembly:
    """Sequences of pieces under random changes."""

    def __init__(
        self, task: Task, pieces: Sequence[Piece], uses: int, rng: np.random.Generator
    ) -> None:
        self.task, self.pieces, self.uses, self.rng = task, pieces, uses, rng
        self.evaluations = 0
        length = uses * max(len(piece.code) for piece in pieces)
        self.config = replace(machine(task, 8, length), registers=task.arity + 1)

    def use(self) -> Use:
        """A piece on different argument registers; the machine's last register is its scratch."""
        which = int(self.rng.integers(len(self.pieces)))
        count = self.pieces[which].registers - 1
        order = self.rng.permutation(self.task.arity)[:count]
        return which, (*map(int, order), self.task.arity)

    def code(self, uses: Sequence[Use]) -> Code:
        """The sequence as one program."""
        return tuple(i for which, registers in uses for i in self.pieces[which].on(registers))

    def chain(self, inputs: Sequence[Given]) -> Code | None:
        """One annealed chain from a random sequence; the program if it is right on the inputs."""
        bound = Bound(self.task, self.config, examples(self.task, self.config, inputs),
                      elsewhere=False)  # fmt: skip
        current = [self.use() for _ in range(self.uses)]
        points = self._points(bound, current)
        for turn in range(CHANGES):
            if points == 0:
                return self.code(current)
            changed = list(current)
            changed[int(self.rng.integers(self.uses))] = self.use()
            allowed = points + self.rng.exponential(CHANGES / (turn + 1))
            now = self._points(bound, changed)
            if now <= allowed:
                current, points = changed, now
        return self.code(current) if points == 0 else None

    def _points(self, bound: Bound, uses: Sequence[Use]) -> int:
        self.evaluations += 1
        rows = bound.rows_of(self.code(uses))
        return int(bound.library.soft_cost(bound.at, rows.ctypes.data, _WORST))
