"""The part of a program that runs most, as steps with everything filled in that is known.

A node is a state of control: the words of the token itself that decide what is fetched, and lone
parts that the circuit reads. At a node the fetched token is known, so the row is known, and its
tree is printed with constants filled in. Writes go to arrays, and heads read them. At what is not
covered (a key that was never written, a word out of range, a node that was left out), the C code
returns before the step, and the code of rows goes on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.circuit import OWN, Fixed
from transputer.engines.lifted.decoder.expr import Variable, WordExpr
from transputer.engines.lifted.decoder.frame import FixedScore
from transputer.engines.lifted.decoder.fused import Fused, Lone
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, Tree
from transputer.engines.lifted.decoder.shelf import Shelf
from transputer.errors import Unsupported
from transputer.model import Token

#: A state of control: the values of the static groups.
Node = tuple[int, ...]
MAX_NODES = 60_000


@dataclass(frozen=True)
class End:
    """Where a leaf goes: the lone parts of its token, the node if known, whether it is seen."""

    lone: Mapping[int, int]
    target: Node | None
    seen: bool


@dataclass
class LiftedStep:
    """A node as it will be printed: what is known, the pruned tree, and where it goes.

    `ends` are the leaves that continue the run.
    """

    node: Node
    known: dict[Variable, int]
    tree: Tree
    next: set[Node] = field(default_factory=set)
    dynamic: bool = False
    seen: bool = False
    weight: int = 0
    #: How many steps it is; where a condition is 1, how many fewer, and how many of them count.
    count: int = 1
    early: tuple[WordExpr, int, int] | None = None
    ends: list[tuple[End, RowLeaf]] = field(default_factory=list)
    _goes: dict[int, bool] = field(default_factory=dict)

    def end(self, leaf: RowLeaf) -> End | None:
        """Where a leaf goes."""
        return next((end for end, other in self.ends if other is leaf), None)

    def goes_on(self, tree: Tree) -> bool:
        """Whether a leaf of the tree continues the run."""
        if id(tree) not in self._goes:
            self._goes[id(tree)] = any(self.end(leaf) is not None for leaf in each_leaf(tree))
        return self._goes[id(tree)]

    def going_on(self, tree: Tree) -> list[RowLeaf]:
        """The leaves of the tree that continue the run."""
        return [leaf for leaf in each_leaf(tree) if self.end(leaf) is not None]


class HostTokens:
    """What tokens of the host say: instructions, constants, and words that were given."""

    def __init__(
        self,
        shelf: Shelf,
        tokens: NDArray[np.uint16],
        constants: Mapping[Variable, int],
        special: Sequence[int],
        leads: Mapping[int, int],
    ) -> None:
        self.shelf, self.tokens = shelf, tokens
        self.constants, self.special, self.leads = constants, special, leads
        fetch = shelf.by_head[shelf.frame.setting.fetch]
        rows = self._with(shelf.code)
        parts = shelf.frame.groups[fetch.group][: fetch.digits]
        weights = [256**d for d in range(len(parts))]
        places = rows[:, list(parts)].astype(np.int64) @ np.array(weights)
        self.code: dict[int, Token] = dict(
            zip(places.tolist(), map(tuple, rows.tolist()), strict=True)
        )
        self.named = shelf.named(rows)
        self._held: dict[tuple[int, int], set[int]] = {}

    def _with(self, slot: int) -> NDArray[np.uint16]:
        """The tokens that go to a slot."""
        owner = self.shelf.owner(slot)
        slots = np.array([owner.slot(tag) for tag in owner.table])
        rows: NDArray[np.uint16] = self.tokens[slots[self.tokens[:, owner.part]] == slot]
        return rows

    def held(self, slot: int, group: int) -> set[int]:
        """The words of a group that tokens in a slot have."""
        if (slot, group) not in self._held:
            parts = self.shelf.frame.groups[group]
            digits = self._with(slot)[:, list(parts)].astype(np.uint64)
            words = digits << 8 * np.arange(len(parts), dtype=np.uint64)
            self._held[slot, group] = {*words.sum(axis=1, dtype=np.uint64).tolist()}
        return self._held[slot, group]


class LiftedProgram:
    """Nodes that are worth code of their own: those that `hot` names, as far as they are reached.

    `code` are the tokens of the instructions, by address; `held` says which words of a group the
    tokens of the host with a tag have. `constants` are words that heads with a constant query
    read, `special` those of the special token.
    """

    def __init__(
        self,
        shelf: Shelf,
        rows: Callable[[Mapping[tuple[int, int], int]], Tree],
        host: HostTokens,
        hot: Callable[[Node], bool],
        seeds: Iterable[Node],
        fused: Callable[[Fixed], Fused | None] = lambda fixed: None,
    ) -> None:
        self.shelf, self.host, self.hot, self.rows = shelf, host, hot, rows
        self.fused = fused
        self.frame, self.setting = shelf.frame, shelf.frame.setting
        self.want, self.lone = shelf.want, shelf.frame.lone
        self._tag_groups = {self.frame.place[c.part][0] for c in shelf.classes}
        self.steps: dict[Node, LiftedStep] = {}
        self.targets: set[Node] = set()
        self.dropped: set[int] = set()  # slots to which tokens between steps would go
        self._discover([*seeds])

    # Discovering

    def _discover(self, todo: list[Node]) -> None:
        while todo:
            node = todo.pop()
            if node not in self.steps and self.hot(node):
                if len(self.steps) >= MAX_NODES:
                    raise Unsupported(f"lifted: more than {MAX_NODES} states of control")
                self.steps[node] = self._step(node)
                todo += self.steps[node].next
            if not todo:
                todo += self._dynamic_targets()
        for step in self.steps.values():
            for end, leaf in step.ends:
                self._check_safe(step, end, leaf)

    def _check_safe(self, step: LiftedStep, end: End, leaf: RowLeaf) -> None:
        """No token may be special to a head, or one that a head with a constant query finds."""
        for key in self.frame.keys.values():
            if key.extra is not None and key.extra[1][end.lone[self.frame.place[key.extra[0]][0]]]:
                raise Unsupported("a generated token may be special")
        for h, most, tables in self._scores:
            for (group, shift), table, largest in tables:
                value = leaf.words[group].expr.value(step.known)
                most += largest if value is None else table[value >> shift & 255]
            if most >= self.host.leads[h]:
                raise Unsupported("a generated token may outscore a fixed one")

    @cached_property
    def _scores(self) -> list[tuple[int, int, list[tuple[Variable, tuple[int, ...], int]]]]:
        """Of heads with a constant query: the largest score without tables, and the tables.

        Each has the place of its part, and its largest value.
        """
        last, place = self.frame.context - 1, self.frame.place
        return [
            (
                h,
                score.constant + max(0, score.position * last),
                [(place[part], table, max(table)) for part, table in score.tables.items()],
            )
            for h, score in self.frame.fixed.items()
        ]

    def _step(self, node: Node) -> LiftedStep:
        known = dict(self.host.constants)
        known |= {(OWN, g): v for g, v in zip(self.setting.static, node, strict=True)}
        index = self.frame.fetched.index.expr.value(known)
        if index is None:
            raise Unsupported("what is fetched depends on more than control")
        token = self.host.code.get(index)
        if token is None:
            return LiftedStep(node, known, NOWHERE)
        words = self.frame.words(token)
        known |= {(self.setting.fetch, g): v for g, v in enumerate(words)}
        own = {
            p: v
            for g, v in zip(self.setting.static, node, strict=True)
            for p, v in self._parts(g, v)
        }
        fixed = {(s, p): own[p] if s == OWN else token[p] for s, p in self.setting.controls}
        several = self.fused(fixed)
        if several is not None and self._unnoticed(several, own):
            return self._several(LiftedStep(node, known, pruned(several.tree, known)), several, own)
        try:
            tree = pruned(self.rows(fixed), known)
        except Unsupported:
            return LiftedStep(node, known, NOWHERE)
        step = LiftedStep(node, known, tree, weight=self.want.weigh(own))
        for leaf in each_leaf(tree):
            self._follow(step, leaf)
        return step

    def _several(self, step: LiftedStep, several: Fused, own: Mapping[int, int]) -> LiftedStep:
        """A step that is several."""
        weights = [self.want.weigh(own)]
        for lone in several.between:
            each = {self.want.weigh(token) for token in self._tokens(lone, own)}
            if len(each) != 1:
                raise Unsupported("a step that may count, or not")
            weights += each
        step.count, step.weight = len(weights), sum(weights)
        if several.early is not None:
            condition, taken = several.early
            step.early = condition, len(weights) - taken, sum(weights[taken:])
        for leaf in each_leaf(step.tree):
            self._follow(step, leaf)
        return step

    def _tokens(self, lone: Lone, own: Mapping[int, int]) -> Iterator[dict[int, int]]:
        """What the parts of control of a token between steps may be."""
        for values in lone:
            pairs = zip(self.lone, values, strict=True)
            yield {**own, **{p: v for g, value in pairs for p, v in self._parts(g, value)}}

    def _unnoticed(self, several: Fused, own: Mapping[int, int]) -> bool:
        """Whether nobody sees, keeps or looks up a token between steps.

        What only an instruction that is not there would look up is dropped.
        """
        tokens = [token for lone in several.between for token in self._tokens(lone, own)]
        if any(map(self._noticed, tokens)):
            return False
        slots = {c.slot_of(token[c.part]) for token in tokens for c in self.shelf.classes}
        self.dropped |= {slot for slot in slots if self.shelf.groups(slot)}
        return True

    def _noticed(self, token: Mapping[int, int]) -> bool:
        """Whether somebody does, of a token with these parts."""
        shelf, want = self.shelf, self.want
        slots = [owner.slot_of(token[owner.part]) for owner in shelf.classes]
        kept = (
            slot in self.host.named or not shelf.optional(slot, group)
            for slot in slots
            for group in shelf.groups(slot)
        )
        extras = (key.extra for key in self.frame.keys.values() if key.extra is not None)
        return (
            any(kept)
            or any(token[part] for part in want.stops)
            or any(token.get(part) in chosen for part, chosen in want.watch)
            or any(table[token[part]] for part, table in extras)
            or any(
                self._highest(score, token) >= self.host.leads[h]
                for h, score in self.frame.fixed.items()
            )
        )

    def _highest(self, score: FixedScore, token: Mapping[int, int]) -> int:
        """The most that a token with these parts scores for a head with a constant query."""
        most = score.constant + max(0, score.position * (self.frame.context - 1))
        for part, table in score.tables.items():
            most += table[token[part]] if part in token else max(table)
        return most

    def _parts(self, group: int, value: int) -> Iterator[tuple[int, int]]:
        for d, part in enumerate(self.frame.groups[group]):
            yield part, value >> 8 * d & 255

    def _follow(self, step: LiftedStep, leaf: RowLeaf) -> None:
        values = {g: leaf.words[g].expr.value(step.known) for g in self.lone}
        guards = (leaf.words[g].guard for g in self.lone)
        shut = any(guard is not None and guard.value(step.known) == 0 for guard in guards)
        if shut or any(values[g] is None for g in self._tag_groups):
            return  # printed as stuck
        lone = {g: v for g, v in values.items() if v is not None}
        if self._stopped(lone) or len(lone) < len(values):
            return
        static = [leaf.words[g].expr.value(step.known) for g in self.setting.static]
        target = None if None in static else tuple(v for v in static if v is not None)
        end = End(lone, target, self._watched(lone))
        step.ends.append((end, leaf))
        step.seen = step.seen or end.seen
        if target is None:
            step.dynamic = True
        else:
            step.next.add(target)

    def _watched(self, lone: Mapping[int, int]) -> bool:
        place = self.frame.place
        return any(lone.get(place[part][0]) in chosen for part, chosen in self.want.watch)

    def _stopped(self, lone: Mapping[int, int]) -> bool:
        """Whether a token with these lone parts ends the run."""
        return any(lone.get(self.frame.place[p][0]) for p in self.want.stops)

    # Dynamic jumps

    def _dynamic_targets(self) -> set[Node]:
        """Where dynamic jumps may go: what the words that they read have held or may be given."""
        self._constants: dict[tuple[int, int], set[int]] = {}
        for step in self.steps.values():
            for end, leaf in step.ends:
                for owner in self.shelf.classes:
                    slot = owner.slot_of(end.lone[self.frame.place[owner.part][0]])
                    for group in self.shelf.groups(slot):
                        value = leaf.words[group].expr.value(step.known)
                        if value is not None:
                            self._constants.setdefault((slot, group), set()).add(value)
        targets: set[Node] = set()
        for step in [s for s in self.steps.values() if s.dynamic]:
            for leaf in each_leaf(step.tree):
                targets |= self._targets(step, leaf)
        self.targets |= {t for t in targets if self.hot(t)}
        return self.targets - {*self.steps}

    def _targets(self, step: LiftedStep, leaf: RowLeaf) -> set[Node]:
        exprs = [leaf.words[g].expr for g in self.setting.static]
        unknown = {v for e in exprs for v in e.variables if v not in step.known}
        if len(unknown) != 1:
            return set()
        ((head, group),) = unknown
        if head == OWN or head not in leaf.queries:
            return set()
        tag, owner = leaf.queries[head].tags[0].value(step.known), self.shelf.by_head[head]
        slot = None if tag is None else owner.slot(tag)
        if slot is None:
            return set()
        values = self.host.held(slot, group) | self._constants.get((slot, group), set())
        targets = set()
        for value in values:
            target = [e.value({**step.known, (head, group): value}) for e in exprs]
            if None not in target:
                targets.add(tuple(v for v in target if v is not None))
        return targets


NOWHERE = RowSplit(WordExpr("num", (), (0,)), {}, None, None)  # type: ignore[arg-type]


def pruned(tree: Tree, known: Mapping[Variable, int]) -> Tree:
    """Without the branches that what is known excludes."""
    if isinstance(tree, RowLeaf):
        return tree
    value = tree.condition.value(known)
    if value is None:
        yes, no = pruned(tree.yes, known), pruned(tree.no, known)
        return RowSplit(tree.condition, tree.queries, yes, no)
    return pruned(tree.yes if value else tree.no, known)


def each_leaf(tree: Tree) -> Iterator[RowLeaf]:
    """All leaves."""
    if isinstance(tree, RowLeaf):
        yield tree
    elif tree is not NOWHERE:
        yield from each_leaf(tree.yes)
        yield from each_leaf(tree.no)
