"""A program as C: the rows of a model, with everything folded in that the tokens so far decide.

A node is a state of control: the words of the token itself that decide what is fetched, and lone
parts that the circuit reads. At a node the fetched token is known, so the row is known, and its
tree is printed with constants filled in. Writes go to arrays, one per tag and word that is read;
heads read them. At what is not covered (a key that was never written, a word out of range, an
unforeseen state), the C code returns before the step, and another engine continues.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr
from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.rows import Key, RowLeaf, RowSplit, RowWord, Tree
from transputer.errors import Unsupported
from transputer.model import Token

#: A state of control: the values of the static groups.
Node = tuple[int, ...]
MAX_NODES = 60_000


@dataclass(frozen=True)
class LiftedArray:
    """The words of one group, by index, of the tokens whose parts have some tags."""

    tags: tuple[tuple[int, tuple[int, ...]], ...]
    wanted: tuple[int, ...]
    index: int
    digits: int
    group: int

    def holds(self, token: Token) -> bool:
        """Whether a token goes there."""
        return all(
            table[token[p]] == w for (p, table), w in zip(self.tags, self.wanted, strict=True)
        )

    def alike(self, other: "LiftedArray") -> bool:
        """Whether they hold the same but for the digits of the index."""
        mine = self.tags, self.wanted, self.index, self.group
        return mine == (other.tags, other.wanted, other.index, other.group)


def array_of(key: Key, tags: tuple[int, ...], group: int) -> LiftedArray:
    """Where a head reads a word."""
    return LiftedArray(key.tags, tags, key.group, key.digits, group)


class LiftedPrompt:
    """What the tokens so far say, as far as heads can look it up."""

    def __init__(self, frame: DecoderFrame, tokens: Sequence[Token]) -> None:
        self.frame = frame
        self.tokens = tokens
        self._indices: dict[Key, dict[tuple[tuple[int, ...], int], Token]] = {}
        self._leaders: dict[int, Token] = {}
        self._held: dict[tuple[Key, int], dict[tuple[int | None, ...], set[int]]] = {}

    def find(self, key: Key, tags: tuple[int, ...], index: int) -> Token | None:
        """The latest token with a key."""
        by_index = self._indices.get(key)
        if by_index is None:
            by_index = {place(self.frame, key, token): token for token in self.tokens}
            self._indices[key] = by_index
        return by_index.get((tags, index))

    def held(self, key: Key, group: int) -> dict[tuple[int | None, ...], set[int]]:
        """By tags, the words of a group that tokens have."""
        if (key, group) not in self._held:
            indices: dict[tuple[int | None, ...], set[int]] = {}
            for token in self.tokens:
                indices.setdefault(place(self.frame, key, token)[0], set()).add(
                    self.frame.words(token)[group]
                )
            self._held[key, group] = indices
        return self._held[key, group]

    def note(self, token: Token) -> None:
        """A token was appended to the tokens."""
        for key, index in self._indices.items():
            index[place(self.frame, key, token)] = token

    def special(self, key: Key) -> Token | None:
        """The special token of a key; `Unsupported` if its digits are not 0 or it is not first."""
        if key.extra is None:
            return None
        part, table = key.extra
        places = [t for t, token in enumerate(self.tokens) if table[token[part]]]
        if not places:
            return None
        if places != [0]:
            raise Unsupported("a special token is not the first")
        token, parts = self.tokens[0], self.frame.groups[key.group][: key.digits]
        if any(token[p] for p in parts) or any(t[token[p]] for p, t in key.tags):
            raise Unsupported("a special token has an address")
        return token

    def leader(self, head: int) -> Token:
        """What a head with a constant query attends to."""
        if head not in self._leaders:
            score = self.frame.fixed[head]
            best = max(range(len(self.tokens)), key=lambda t: (score.of(self.tokens[t], t), t))
            self._leaders[head] = self.tokens[best]
        return self._leaders[head]


def place(frame: DecoderFrame, key: Key, token: Token) -> tuple[tuple[int, ...], int]:
    """The tags and the index of a token, as a head sees them."""
    tags = tuple(table[token[p]] for p, table in key.tags)
    digits = frame.groups[key.group][: key.digits]
    return tags, sum(token[p] << 8 * d for d, p in enumerate(digits))


@dataclass(frozen=True)
class Want:
    """What the caller wants to know: parts that stop, tokens to see, and a weight per node.

    `watch` pairs a part with values; `kept` are parts of the words that are looked up later, but
    not in tokens with the parts and values of `unread`.
    """

    stops: tuple[int, ...] = ()
    watch: tuple[tuple[int, frozenset[int]], ...] = ()
    weigh: Callable[[Mapping[int, int]], int] = lambda parts: 0
    kept: tuple[int, ...] = ()
    unread: tuple[tuple[int, frozenset[int]], ...] = ()


@dataclass(frozen=True)
class End:
    """Where a leaf goes: the lone parts of its token, the node if known, whether it is seen."""

    lone: Mapping[int, int]
    target: Node | None
    seen: bool


@dataclass
class LiftedStep:
    """A node as it will be printed: what is known, the pruned tree, and where it goes.

    `ends` are the leaves that continue the run, `last` those that end it.
    """

    node: Node
    known: dict[Variable, int]
    tree: Tree
    next: set[Node] = field(default_factory=set)
    dynamic: bool = False
    seen: bool = False
    weight: int = 0
    ends: list[tuple[End, RowLeaf]] = field(default_factory=list)
    last: list[tuple[Mapping[int, int], RowLeaf]] = field(default_factory=list)
    _goes: dict[int, bool] = field(default_factory=dict)

    def tokens(self) -> Iterator[tuple[Mapping[int, int], RowLeaf]]:
        """All leaves of which it is known where their token goes, with its lone parts."""
        yield from ((end.lone, leaf) for end, leaf in self.ends)
        yield from self.last

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


class LiftedProgram:
    """All nodes that can be foreseen, and the C code for them."""

    def __init__(
        self,
        frame: DecoderFrame,
        tokens: Sequence[Token],
        want: Want,
        rows: Callable[[Mapping[tuple[int, int], int]], Tree],
        entries: Sequence[Node],
    ) -> None:
        self.frame, self.setting, self.want, self.rows = frame, frame.setting, want, rows
        self.prompt = LiftedPrompt(frame, tokens)
        self.lone = frame.lone
        self.running = {
            (h, g): value
            for h in frame.fixed
            for g, value in enumerate(frame.words(self.prompt.leader(h)))
        }
        keys = frame.keys.values()
        tags = [p for key in keys for p, _ in (*key.tags, *([key.extra] if key.extra else []))]
        self._tag_groups = {frame.place[p][0] for p in tags}
        self.steps: dict[Node, LiftedStep] = {}
        self.entries: set[Node] = {*entries, *self._seeds()}
        self.written: set[tuple[tuple[int, int], ...]] = set()
        self._written: dict[Key, set[tuple[int, ...]]] = {}
        self.targets: set[Node] = set()
        self._asked: dict[object, tuple[Tree, frozenset[Variable]]] = {}
        self._discover()

    def _seeds(self) -> Iterator[Node]:
        """A node for everything that can be fetched, where the address is a word."""
        query, key = (
            self.frame.fetched,
            self.frame.keys[self.setting.fetch],
        )
        index, tags = query.index.expr, tuple(t.value({}) for t in query.tags)
        if index.kind == "word" and index.data[0] == OWN:
            for token in self.prompt.tokens:
                own_tags, address = place(self.frame, key, token)
                if own_tags == tags:
                    yield tuple(address if g == index.data[1] else 0 for g in self.setting.static)

    # Discovering

    def _discover(self) -> None:
        todo = [*self.entries]
        while todo:
            node = todo.pop()
            if node not in self.steps:
                if len(self.steps) >= MAX_NODES:
                    raise Unsupported(f"lifted: more than {MAX_NODES} states of control")
                self.steps[node] = self._step(node)
                todo += self.steps[node].next
            if not todo:
                todo += self._dynamic_targets()
        fetch = self.frame.keys[self.setting.fetch]
        for lone in self.written:
            if self.tags(fetch, dict(lone)) == self._fetch_tags:
                raise Unsupported("a generated token may be fetched")
        self._check_special()
        self._check_running()

    def _check_special(self) -> None:
        """No generated token may be special to a head."""
        for key in self.frame.keys.values():
            if key.extra is None:
                continue
            part, table = key.extra
            group = self.frame.place[part][0]
            for lone in self.written:
                if table[dict(lone).get(group, 0)] or group not in dict(lone):
                    raise Unsupported("a generated token may be special")

    def _step(self, node: Node) -> LiftedStep:
        known = dict(self.running)
        known |= {(OWN, g): v for g, v in zip(self.setting.static, node, strict=True)}
        key = self.frame.keys[self.setting.fetch]
        token, tags = self._fetched(known, key)
        self._fetch_tags = tags
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
        try:
            tree = pruned(self.rows(fixed), known)
        except Unsupported:
            return LiftedStep(node, known, NOWHERE)
        step = LiftedStep(node, known, tree, weight=self.want.weigh(own))
        for leaf in each_leaf(tree):
            self._follow(step, leaf)
        return step

    def _parts(self, group: int, value: int) -> Iterator[tuple[int, int]]:
        for d, part in enumerate(self.frame.groups[group]):
            yield part, value >> 8 * d & 255

    def _fetched(
        self, known: Mapping[Variable, int], key: Key
    ) -> tuple[Token | None, tuple[int, ...]]:
        """What is fetched at a node: the query of the fetching head needs the node alone."""
        query = self.frame.fetched
        tags = tuple(t.value(known) for t in query.tags)
        index = query.index.expr.value(known)
        if index is None or None in tags:
            raise Unsupported("what is fetched depends on more than control")
        values = tuple(t for t in tags if t is not None)
        return self.prompt.find(key, values, index), values

    def _follow(self, step: LiftedStep, leaf: RowLeaf) -> None:
        values = {g: leaf.words[g].expr.value(step.known) for g in self.lone}
        guards = (leaf.words[g].guard for g in self.lone)
        shut = any(guard is not None and guard.value(step.known) == 0 for guard in guards)
        if shut or not self.tagged(values):
            return  # printed as stuck
        lone = {g: v for g, v in values.items() if v is not None}
        self.written.add(tuple(sorted(lone.items())))
        if self.stopped(lone) or len(lone) < len(values):
            step.last.append((lone, leaf))
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

    def tagged(self, lone: Mapping[int, int | None]) -> bool:
        """Whether it is known where a token with these lone parts goes."""
        return all(lone[g] is not None for g in self._tag_groups)

    def stopped(self, lone: Mapping[int, int]) -> bool:
        """Whether a token with these lone parts ends the run."""
        return any(lone.get(self.frame.place[p][0]) for p in self.want.stops)

    def tags(self, key: Key, lone: Mapping[int, int]) -> tuple[int, ...] | None:
        """The tags of a token whose lone parts are these."""
        tags = []
        for part, table in key.tags:
            group = self.frame.place[part][0]
            if group not in lone:
                return None
            tags.append(table[lone[group]])
        return tuple(tags)

    def outdated_by(self, token: Token) -> bool:
        """Whether a token of the host changes what nodes or heads with fixed queries rely on."""
        fetch = self.frame.keys[self.setting.fetch]
        if place(self.frame, fetch, token)[0] == self._fetch_tags:
            return True
        for key in self.frame.keys.values():
            if key.extra is not None and key.extra[1][token[key.extra[0]]]:
                return True
        return any(
            score.of(token, self.frame.context - 1) >= score.of(self.prompt.leader(h), 0)
            for h, score in self.frame.fixed.items()
        )

    def has_tags(self, array: LiftedArray, lone: Mapping[int, int]) -> bool:
        """Whether a token with these lone parts belongs into an array."""
        values = tuple(t[lone[self.frame.place[p][0]]] for p, t in array.tags)
        return values == array.wanted

    def kept_arrays(self) -> list[LiftedArray]:
        """Arrays that hold what may be looked up later: all written tags, by the longest key."""
        key, place = self.frame.longest, self.frame.place
        groups = sorted({place[p][0] for p in self.want.kept})
        unread = [(place[p][0], values) for p, values in self.want.unread]
        tags = {
            self.tags(key, dict(lone))
            for lone in self.written
            if not any(dict(lone).get(g) in values for g, values in unread)
        }
        return [array_of(key, t, g) for t in sorted(t for t in tags if t) for g in groups]

    def arrays(self) -> list[LiftedArray]:
        """Everything that a step may read, or that is looked up later."""
        arrays: dict[LiftedArray, None] = {}
        for step in self.steps.values():
            for array in self._read_by(step, step.tree):
                arrays[array] = None
        return [*arrays, *(a for a in self.kept_arrays() if a not in arrays)]

    def _read_by(self, step: LiftedStep, tree: Tree) -> Iterator[LiftedArray]:
        if tree is NOWHERE:
            return
        if isinstance(tree, RowSplit):
            yield from self._read_by(step, tree.yes)
            yield from self._read_by(step, tree.no)
        for head, group in self._variables(tree):
            query = tree.queries.get(head)
            if query is not None and (head, group) not in step.known:
                tags = tuple(t.value(step.known) for t in query.tags)
                values = tuple(t for t in tags if t is not None)
                key, fixed = self.frame.keys[head], query.index.expr.value(step.known)
                if len(values) == len(tags) and (fixed is None or values in self.written_tags(key)):
                    yield array_of(key, values, group)

    def _variables(self, tree: Tree) -> frozenset[Variable]:
        """All words that a leaf, or a condition, reads."""
        place = id(tree) if isinstance(tree, RowLeaf) else (id(tree.condition), id(tree.queries))
        if place not in self._asked:
            if isinstance(tree, RowLeaf):
                exprs = [e for w in tree.words for e in (w.expr, w.guard) if e is not None]
            else:
                exprs = [tree.condition]
            for query in tree.queries.values():
                guard = query.index.guard
                exprs += [*query.tags, query.index.expr, *([] if guard is None else [guard])]
            self._asked[place] = tree, frozenset(v for e in exprs for v in e.variables)
        return self._asked[place][1]

    def written_tags(self, key: Key) -> set[tuple[int, ...]]:
        """The tags, as a key sees them, of tokens that may be generated."""
        if key not in self._written:
            tags = (self.tags(key, dict(lone)) for lone in self.written)
            self._written[key] = {t for t in tags if t is not None}
        return self._written[key]

    def reach(self, array: LiftedArray) -> int:
        """The largest index that any token has written, or can write, in an array."""
        parts = self.frame.groups[array.index]
        most = max(
            (
                sum(t[p] << 8 * d for d, p in enumerate(parts))
                for t in self.prompt.tokens
                if array.holds(t)
            ),
            default=0,
        )
        for step in self.steps.values():
            for lone, leaf in step.tokens():
                if self.has_tags(array, lone):
                    most = max(most, self._most(leaf.words[array.index], step))
        return most

    def _most(self, word: RowWord, step: LiftedStep) -> int:
        """Not less than a word can be, wherever its guard is 1."""
        most = word.expr.most(step.known, self.width)
        if word.guard is not None and word.guard.kind == "product":
            for part in word.guard.parts:  # not [word >= bound]
                if part.kind == "not" and part.parts[0].parts == (word.expr,):
                    most = min(most, part.parts[0].data[0] - 1)
        return most

    def width(self, variable: Variable) -> int:
        """The bits of a word."""
        return self.frame.width[variable[1]]

    def _dynamic_targets(self) -> set[Node]:
        """Where dynamic jumps may go: what the words that they read have held or may be given."""
        targets: set[Node] = set()
        self._constants: dict[tuple[Key, int], dict[tuple[int | None, ...], set[int]]] = {}
        for step in [s for s in self.steps.values() if s.dynamic]:
            for leaf in each_leaf(step.tree):
                targets |= self._targets(step, leaf)
        self.targets |= targets
        return targets - {*self.steps}

    def _given(self, key: Key, group: int) -> dict[tuple[int | None, ...], set[int]]:
        """By tags, the constants that steps write in the words of a group."""
        place_ = key, group
        if place_ not in self._constants:
            indices: dict[tuple[int | None, ...], set[int]] = {}
            for step in self.steps.values():
                for lone, leaf in step.tokens():
                    tags, value = self.tags(key, lone), leaf.words[group].expr.value(step.known)
                    if tags is not None and value is not None:
                        indices.setdefault(tags, set()).add(value)
            self._constants[place_] = indices
        return self._constants[place_]

    def _targets(self, step: LiftedStep, leaf: RowLeaf) -> set[Node]:
        exprs = [leaf.words[g].expr for g in self.setting.static]
        unknown = {v for e in exprs for v in e.variables if v not in step.known}
        if len(unknown) != 1:
            return set()
        ((head, group),) = unknown
        if head == OWN or head not in leaf.queries:
            return set()
        key, query = self.frame.keys[head], leaf.queries[head]
        tags = tuple(t.value(step.known) for t in query.tags)
        values = self.prompt.held(key, group).get(tags, set())
        values = values | self._given(key, group).get(tags, set())
        targets = set()
        for value in values:
            target = [e.value({**step.known, (head, group): value}) for e in exprs]
            if None not in target:
                targets.add(tuple(v for v in target if v is not None))
        return targets

    def _check_running(self) -> None:
        """No generated token may outscore the one that a head with a constant query attends to."""
        last = self.frame.context - 1
        for h, score in self.frame.fixed.items():
            reached = score.of(self.prompt.leader(h), 0)
            for step in self.steps.values():
                for _, leaf in step.tokens():
                    most = score.constant + max(0, score.position * last)
                    for part, table in score.tables.items():
                        group, shift = self.frame.place[part]
                        value = leaf.words[group].expr.value(step.known)
                        most += max(table) if value is None else table[value >> shift & 255]
                    if most >= reached:
                        raise Unsupported("a generated token may outscore a fixed one")


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
