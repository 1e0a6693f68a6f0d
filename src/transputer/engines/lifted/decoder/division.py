"""Long division, found in formulas: steps that together divide.

With t = 2 r + (the top bit of v), one step is: r becomes t - d and v becomes 2 v + 1 (modulo 2^32)
where t >= d; r becomes t and v becomes 2 v elsewhere. If r < d before, then t < 2 d, so r < d
after; and for x = r 2^n + (the top n bits of v), after n steps r is x mod d and v is
v 2^n + floor(x / d) modulo 2^32: by induction, since appending a bit b to x makes x mod d into
(2 (x mod d) + b) mod d, and floor(x / d) into 2 floor(x / d), plus one where 2 (x mod d) + b >= d.

Nothing but the formulas of the steps is looked at: each must be exactly this one, and no other
word may change or be written where anybody reads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr, num, word
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    End,
    LiftedArray,
    LiftedProgram,
    LiftedStep,
    Node,
)
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, RowSplit, RowWord, Tree
from transputer.engines.lifted.decoder.terms import Terms

BITS = 32
#: Fewer steps than this are done one by one.
FEW = 8
#: A condition that must hold, with the queries of its heads.
Condition = tuple[WordExpr, Mapping[int, Query]]


@dataclass(frozen=True)
class _Round:
    """One step of a long division: the words it changes, what it divides by, when it is one."""

    low: int
    high: int
    divisor: WordExpr
    queries: Mapping[int, Query]
    conditions: tuple[Condition, ...]
    end: End

    def repeats(self, other: "_Round") -> bool:
        """Whether another one does the same with the same words, under the same conditions."""
        return (
            (self.low, self.high, self.divisor) == (other.low, other.high, other.divisor)
            and self.queries == other.queries
            and [c for c, _ in self.conditions] == [c for c, _ in other.conditions]
        )


@dataclass(frozen=True)
class Division:
    """Steps that divide together; `end` is where the last one goes."""

    steps: tuple[LiftedStep, ...]
    low: int
    high: int
    divisor: WordExpr
    queries: Mapping[int, Query]
    conditions: tuple[Condition, ...]
    end: End


class Divisions:
    """Finds long divisions among the steps of a program."""

    def __init__(self, program: LiftedProgram, arrays: list[LiftedArray]) -> None:
        self.program, self.arrays = program, arrays
        self.terms = Terms(program.frame.width)
        self._rounds: dict[Node, _Round | None] = {}
        self._known: dict[tuple[object, ...], bool] = {}

    def at(self, step: LiftedStep, follows: Callable[[Node], bool]) -> Division | None:
        """The division that begins with a step, as long as blocks go on."""
        first = self._round(step)
        if first is None:
            return None
        steps, last = [step], first
        while len(steps) < BITS and last.end.target is not None and follows(last.end.target):
            after = self.program.steps[last.end.target]
            match = self._round(after)
            if match is None or not match.repeats(first):
                break
            steps.append(after)
            last = match
        if len(steps) < FEW:
            return None
        return Division(
            tuple(steps), first.low, first.high, first.divisor, first.queries, first.conditions,
            last.end,
        )  # fmt: skip

    def _round(self, step: LiftedStep) -> _Round | None:
        if step.node not in self._rounds:
            self._rounds[step.node] = self._found(step)
        return self._rounds[step.node]

    def _found(self, step: LiftedStep) -> _Round | None:
        conditions: list[Condition] = []
        tree: Tree = step.tree
        while isinstance(tree, RowSplit) and tree is not NOWHERE:
            yes, no = step.goes_on(tree.yes), step.goes_on(tree.no)
            if yes and no:
                break
            if not yes and not no:
                return None
            condition = tree.condition if yes else WordExpr("not", (tree.condition,))
            conditions.append((condition, tree.queries))
            tree = tree.yes if yes else tree.no
        if not isinstance(tree, RowSplit) or tree is NOWHERE:
            return None
        if not isinstance(tree.yes, RowLeaf) or not isinstance(tree.no, RowLeaf):
            return None
        return self._matched(step, tree, tree.yes, tree.no, tuple(conditions))

    def _matched(
        self,
        step: LiftedStep,
        tree: RowSplit,
        yes: RowLeaf,
        no: RowLeaf,
        conditions: tuple[Condition, ...],
    ) -> _Round | None:
        condition = tree.condition
        ends = step.end(yes), step.end(no)
        end = ends[0]
        if end is None or end != ends[1] or end.target is None or end.seen:
            return None
        if any(self.program.has_tags(array, end.lone) for array in self.arrays):
            return None
        fixed = {*self.program.setting.static, *self.program.lone}
        changed = [
            g
            for g, (a, b) in enumerate(zip(yes.words, no.words, strict=True))
            if g not in fixed and not (a.expr is b.expr is word(OWN, g))
        ]
        others = sorted({v for v in condition.variables if v[0] != OWN and v not in step.known})
        if len(changed) != 2 or len(others) != 1:
            return None
        divisor = word(*others[0])
        head = divisor.data[0]
        if any(q.queries.get(head, tree.queries[head]) != tree.queries[head] for q in (yes, no)):
            return None
        if not self._steady(step, divisor, tree.queries, {*changed}):
            return None
        for low, high in permutations(changed):
            words = tuple(side.words[g] for side in (yes, no) for g in (low, high))
            key = condition, words, low, high, divisor
            if key not in self._known:
                self._known[key] = self._is_round(*key)
            if self._known[key]:
                return _Round(low, high, divisor, tree.queries, conditions, end)
        return None

    def _steady(
        self, step: LiftedStep, divisor: WordExpr, queries: Mapping[int, Query], changed: set[int]
    ) -> bool:
        """Whether the divisor is found at a place that does not change."""
        query = queries.get(divisor.data[0])
        if query is None:
            return False
        asked = {v for e in (*query.tags, query.index.expr) for v in e.variables}
        return all(v in step.known or (v[0] == OWN and v[1] not in changed) for v in asked)

    def _is_round(
        self,
        condition: WordExpr,
        words: tuple[RowWord, ...],
        low: int,
        high: int,
        divisor: WordExpr,
    ) -> bool:
        """Whether words low and high, where the condition holds and where not, are as they must."""
        width = self.program.frame.width
        if {width[low], width[high], width[divisor.data[1]]} != {BITS}:
            return False
        terms, r, v = self.terms, word(OWN, high), word(OWN, low)
        doubled = terms.linear({r: 2, terms.field(v, BITS - 1, 1): 1}, 0)
        rest = terms.plus(doubled, divisor, -1)
        moved = terms.linear({terms.field(v, 0, BITS - 1): 2}, 0)
        right = (terms.plus(moved, num(1)), rest, moved, doubled)
        wanted = (
            (condition, terms.at_least(rest, 0)),
            *((one.expr, form) for one, form in zip(words, right, strict=True)),
        )
        if any(terms.under(one, _itself, {}) is not form for one, form in wanted):
            return False
        # r stays below d, so that no guard of a word below 2^32 can fail
        return all(_guards(one) for one in words)


def _itself(variable: Variable) -> WordExpr:
    return word(*variable)


def _guards(word: RowWord) -> bool:
    """Whether what is checked at run time is only that it is a word."""
    low, high = WordExpr("ge", (word.expr,), (0,)), WordExpr("ge", (word.expr,), (2**BITS,))
    return word.guard is None or word.guard is WordExpr("product", (low, WordExpr("not", (high,))))
