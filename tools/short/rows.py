"""Short trees: a rule for each formula that is long, tried on random tokens."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tools.short.forms import F, of, own
from transputer.engines.lifted.decoder.certificate import EDGES
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr
from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.rows import (
    Query,
    RowLeaf,
    RowSplit,
    RowWord,
    Tree,
    own_expressions,
)

#: The group of the stack pointer.
SP = 1
#: Expressions in a formula that is not worth a rule.
FEW = 6
#: Tokens on which a formula is tried, and how many are made to find them.
SAMPLES, TRIES = 200, 20_000
Known = dict[Variable, int]
#: A formula, and where it holds.
Ruled = F | tuple[F, F]


@dataclass(frozen=True)
class Rules:
    """Candidates for the words of a row by group, what it branches on, and tokens as they occur.

    `branches` come after what the row checks of the stack.
    """

    words: Mapping[int, Sequence[Ruled]]
    branches: Sequence[F] = ()
    sample: Callable[[random.Random], Known] = lambda rng: {}
    #: Fields of a byte of a word; a solver proves each value of them by itself.
    cases: Sequence[F] = ()


def size(expr: WordExpr) -> int:
    """How many expressions one has, with itself."""
    seen: set[WordExpr] = set()
    todo = [expr]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += one.parts
    return len(seen)


@dataclass
class Shortener:
    """Makes the short tree of a row; `missing` says which formulas have no rule.

    Where what the row checks of the stack does not hold, the tree stays as it is.
    """

    frame: DecoderFrame
    stops: frozenset[int]
    fixed: Mapping[tuple[int, int], int]
    rules: Rules
    rng: random.Random
    missing: list[str] = field(default_factory=list)

    def tree(self, tree: Tree) -> Tree:
        """The short tree."""
        variables = {v for e in _all(tree) for v in e.variables}
        tokens = [self._token(variables) for _ in range(TRIES)]
        reached = [(known, leaf_of(tree, known)) for known in tokens]
        short = dict.fromkeys(c for c in _conditions(tree) if size(c) <= 2 * FEW)
        return self._checked(tree, [c for c in short if self._checks(c, reached)], reached)

    # Random tokens

    def _token(self, variables: Iterable[Variable]) -> Known:
        rng, known = self.rng, {}
        for source, group in variables:
            width = self.frame.width[group]
            pick = rng.random()
            if pick < 0.2:
                number = rng.choice(EDGES)
            elif pick < 0.4:
                number = rng.getrandbits(width) >> rng.randrange(width)
            else:
                number = rng.getrandbits(width)
            known[source, group] = number % (1 << width)
        known.update((v, n) for v, n in self.rules.sample(rng).items() if v in known)
        for (source, part), value in self.fixed.items():
            group, _ = self.frame.place[part]
            if (source, group) in known and len(self.frame.groups[group]) == 1:
                known[source, group] = value
        return known

    # Trees

    def _checks(self, condition: WordExpr, reached: "Reached") -> bool:
        """Whether a condition is about the stack pointer, or decides whether the run goes on."""
        going = {bool(condition.value(known)) for known, leaf in reached if not self._stops(leaf)}
        return (OWN, SP) in condition.variables or len(going) == 1

    def _checked(self, tree: Tree, checks: list[WordExpr], reached: "Reached") -> Tree:
        """The tree below checks: the side to which a token comes that does not stop goes on."""
        if not checks:
            return self._branched([*self.rules.branches], reached)
        condition, *rest = checks
        sides = {
            truth: [
                (known, leaf) for known, leaf in reached if bool(condition.value(known)) == truth
            ]
            for truth in (True, False)
        }
        goes_on = [t for t in sides if any(not self._stops(leaf) for _, leaf in sides[t])]
        if len(goes_on) != 1:
            self.missing.append("a check that does not decide whether the run goes on")
            return tree
        (good,) = goes_on
        below = self._checked(_under(tree, condition, good), rest, sides[good])
        other = _under(tree, condition, not good)
        pair = (below, other) if good else (other, below)
        return RowSplit(condition, self._queries(reached, {condition}, tree), *pair)

    def _stops(self, leaf: RowLeaf) -> bool:
        return any(leaf.words[self.frame.place[p][0]].expr.value({}) != 0 for p in self.stops)

    def _branched(self, branches: list[F], reached: "Reached") -> Tree:
        if not branches:
            return self._made(reached)
        first, *rest = branches
        yes = [(known, leaf) for known, leaf in reached if first.expr.value(known)]
        no = [(known, leaf) for known, leaf in reached if not first.expr.value(known)]
        if not yes or not no:
            return self._branched(rest, reached)
        queries = self._queries(reached, {first.expr})
        return RowSplit(first.expr, queries, self._branched(rest, yes), self._branched(rest, no))

    def _made(self, reached: "Reached") -> RowLeaf:
        """A leaf."""
        if len(reached) < SAMPLES // 10:
            self.missing.append(f"only {len(reached)} tokens come to a leaf")
        reached = reached[: 5 * SAMPLES]
        words = tuple(self._word(g, reached) for g in range(len(self.frame.groups)))
        wanted = {e for w in words for e in (w.expr, w.guard) if e is not None}
        return RowLeaf(words, self._queries(reached, wanted))

    def _queries(
        self, reached: "Reached", wanted: set[WordExpr], tree: Tree | None = None
    ) -> dict[int, Query]:
        """The queries that formulas need, as they are in the derived tree, or shorter.

        Above checks, an index may hold only where they do: its guard is the first one of `tree`.
        """
        kept: dict[int, Query] = {}
        while True:
            heads = {h for e in wanted for h, _ in e.variables} & {*self.frame.keys} - {*kept}
            heads -= {self.frame.setting.fetch}
            if not heads:
                return dict(sorted(kept.items()))
            for h in heads:
                having = [(known, leaf) for known, leaf in reached if h in leaf.queries]
                query = having[0][1].queries[h] if tree is None else _first(tree, h)
                values = [
                    (known, leaf.queries[h].index.expr.value(known)) for known, leaf in having
                ]
                index = query.index
                if size(index.expr) > FEW:
                    found = next((f for f in self._counted if _is(f, values)), None)
                    if found is None:
                        self.missing.append(f"query of head {h}: {size(index.expr)} expressions")
                    else:
                        guard = None if tree is None else query.index.guard
                        index = RowWord(found.expr, guard, True)
                kept[h] = replace(query, index=index)
                wanted = {*wanted, *query.tags, index.expr}

    def _word(self, group: int, reached: "Reached") -> RowWord:
        values = [(known, leaf.words[group]) for known, leaf in reached]
        given, short = self.rules.words.get(group, ()), {word for _, word in values}
        few = size(values[0][1].expr) <= FEW and values[0][1].guard is None
        if len(short) == 1 and few and not given:
            return values[0][1]
        right = [(known, word.expr.value(known)) for known, word in values]
        constant = [of(right[0][1] or 0)] if len({value for _, value in right}) == 1 else []
        for rule in (*given, *constant, *self._plain):
            formula, guard = rule if isinstance(rule, tuple) else (rule, None)
            if not all(v in known for v in formula.expr.variables for known in (right[0][0],)):
                continue
            held = [p for p in right if guard is None or guard.expr.value(p[0])]
            if len(held) >= len(right) // 10 and _is(formula, held):
                return RowWord(formula.expr, None if guard is None else guard.expr, True)
        self.missing.append(f"word {group}: {size(values[0][1].expr)} expressions")
        return values[0][1]

    @cached_property
    def _counted(self) -> list[F]:
        """Addresses that differ by little from a word."""
        return [own(g) + k for g in range(3) for k in (-1, -2, -3, 1)]

    @cached_property
    def _plain(self) -> list[F]:
        """Words as they were, or moved by little."""
        spans = [(g, 1 << self.frame.width[g]) for g in range(3)]
        moved = [(own(g) + k) % size for g, size in spans for k in (1, -1, -2, -3)]
        whole = [own(g) for g in range(len(self.frame.groups))]
        return [*whole, *self._counted, *moved]


#: Tokens with the leaf of the derived tree that each comes to.
Reached = list[tuple[Known, RowLeaf]]


def _is(formula: F, values: list[tuple[Known, int | None]]) -> bool:
    return all(formula.expr.value(known) == value for known, value in values)


def leaf_of(tree: Tree, known: Known) -> RowLeaf:
    """The leaf that a token comes to, with all that is asked on the way."""
    asked: dict[int, Query] = {}
    while not isinstance(tree, RowLeaf):
        asked.update(tree.queries)
        tree = tree.yes if tree.condition.value(known) else tree.no
    return replace(tree, queries={**asked, **tree.queries})


def _first(tree: Tree, head: int) -> Query:
    """The query of a head that comes first in a tree."""
    while head not in tree.queries and isinstance(tree, RowSplit):
        tree = tree.yes if _asks(tree.yes, head) else tree.no
    return tree.queries[head]


def _asks(tree: Tree, head: int) -> bool:
    if head in tree.queries or isinstance(tree, RowLeaf):
        return head in tree.queries
    return _asks(tree.yes, head) or _asks(tree.no, head)


def _under(tree: Tree, condition: WordExpr, truth: bool) -> Tree:
    """The tree where a condition is decided."""
    if isinstance(tree, RowLeaf):
        return tree
    if tree.condition is condition:
        return _under(tree.yes if truth else tree.no, condition, truth)
    sides = (_under(side, condition, truth) for side in (tree.yes, tree.no))
    return RowSplit(tree.condition, tree.queries, *sides)


def _conditions(tree: Tree) -> Iterator[WordExpr]:
    if not isinstance(tree, RowLeaf):
        yield tree.condition
        yield from _conditions(tree.yes)
        yield from _conditions(tree.no)


def _all(tree: Tree) -> set[WordExpr]:
    if isinstance(tree, RowLeaf):
        return own_expressions(tree)
    return own_expressions(tree) | _all(tree.yes) | _all(tree.no)
