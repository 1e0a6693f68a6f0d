"""A block of steps as C: executed with expressions for words, so that little is left to do.

Words are expressions on the words at the block's beginning. What a step writes is remembered and
forwarded to reads of the same place; it goes to the arrays at the next *commit*. Between commits
nothing has happened: if a condition shows that lifted code cannot continue, it jumps back to the
state of the last commit, and the caller continues from there. So conditions need no order: those
on the words at the beginning are all checked there. Two indices whose difference is not a
number are taken to be different; that they are is one of these conditions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, Self

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.cprint import Printer, unsigned
from transputer.engines.lifted.decoder.expr import BITS, Variable, WordExpr, num, word
from transputer.engines.lifted.decoder.program import (
    NOWHERE,
    End,
    LiftedProgram,
    LiftedStep,
    Node,
)
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, RowSplit, Tree
from transputer.engines.lifted.decoder.terms import BOOLEAN, UNSIGNED, Range, Terms

#: An entry of an array: its number, what the index is but for a constant, the constant.
Place = tuple[int, WordExpr, int]
#: Kinds that get a variable where they are a part of something, and kinds that never need one.
_HEAVY = frozenset(
    ("floor", "clamp", "square", "table", "digit", "across", "choose", "zeros", "fadd", "fmul")
)
_PLAIN = frozenset(("num", "word", "var"))
_ZERO = num(0)
#: Bits of the bytes that C loads and stores at once.
SIZES = (8, 16, 32, 64)


class UnreachableBlock(Exception):
    """This path cannot continue in C."""


class _Mixed(Exception):
    """An arm reads what may have been written by steps before: those are to be committed first."""


class SharedCode(Protocol):
    """What blocks share."""

    program: LiftedProgram
    terms: Terms
    printer: Printer
    arrays: set[int]
    #: Whether code may load and store single bytes of an entry.
    bytewise: bool

    def keeps(self, slot: int, group: int) -> bool:
        """Whether code writes to an array."""

    def unlikely(self, test: str) -> str:
        """A condition on which code leaves, which is rare."""

    def bare(self, array: int) -> bool:
        """Whether an array has words alone."""

    def stored(self, array: int, index: str, value: str) -> str:
        """The C that stores a word."""

    def some_bytes(self, size: int, array: int, at: str) -> str:
        """The C of some bytes of an array, counted in bits, from the byte `at` on."""

    def follows(self, node: Node) -> bool:
        """Whether a block continues with a node."""

    def detour(self, step: LiftedStep) -> tuple[Node, Node] | None:
        """Where a step goes, directly or by one step more at the second node."""

    def variable(self) -> int:
        """A number for a C variable or a label."""


class ArrayLine(str):
    """A line that concerns an entry of an array."""

    def __new__(cls, text: str, place: Place) -> Self:
        """The line with this text."""
        line = super().__new__(cls, text)
        line.place = place
        return line

    place: Place


class EntryLine(ArrayLine):
    """Loads an entry with its flag."""


class ReadLine(ArrayLine):
    """Declares a variable, `name`, with the word of an entry.

    `default` is what it is where nothing was written; without one, code cannot go on then.
    """

    name: str
    default: int | None


class WriteLine(ArrayLine):
    """Writes an entry; `value` is the text of its word."""

    value: str


class BytesLine(ArrayLine):
    """Reads or writes some bytes of an entry, in its array."""


class HeldLine(str):
    """A line that leaves unless entries were written: their names and places, and the label."""

    names: list[tuple[str, Place]]
    label: str

    @staticmethod
    def of(names: list[tuple[str, Place]], label: str) -> "HeldLine":
        """The line for these entries."""
        tests = " & ".join(f"{name}.held" for name, _ in names)
        line = HeldLine(f"if (!({tests})) goto {label};")
        line.names, line.label = names, label
        return line


@dataclass
class WordsChange:
    """Marks where the words become those after a step; `texts` and `numbers` by group.

    `words` has the expressions of all; `node` is where the next step is, if that is known.
    """

    texts: dict[int, str]
    numbers: dict[int, int]
    words: list[WordExpr]
    node: Node | None


@dataclass
class Back:
    """Where code returns to if it cannot continue: the state of a commit, its steps uncounted."""

    label: str
    assign: WordsChange | None
    node: Node
    done: tuple[int, int]
    charged: tuple[int, int]
    used: bool = False


@dataclass
class BlockJump:
    """To a node, or (`to` is a C text) to one with all other static words as in `node`."""

    node: Node
    to: str | None = None
    full: bool = False  # tokens to be seen may fill the room


@dataclass
class SeenToken:
    """A token to be seen: the texts of its words."""

    texts: list[str]


Line = str | WordsChange | Back | BlockJump | SeenToken
#: Lines with the arms of forks, which may get more at their ends.
_Lines = list["Line | _Lines"]
#: What words are after an arm: expression, range, text.
_Ends = dict[int, tuple[WordExpr, Range, str]]


@dataclass
class _Now:
    """What changes along a path, and is restored after an arm of a fork."""

    words: list[WordExpr]
    pending: dict[Place, WordExpr] = field(default_factory=dict)
    loads: dict[Place, WordExpr] = field(default_factory=dict)
    #: What entries of arrays hold, whatever is pending.
    content: dict[Place, WordExpr] = field(default_factory=dict)
    held: list[tuple[str, Place]] = field(default_factory=list)
    named: dict[WordExpr, WordExpr] = field(default_factory=dict)
    heads: dict[Variable, WordExpr] = field(default_factory=dict)
    memo: dict[WordExpr, WordExpr] = field(default_factory=dict)
    done: tuple[int, int] = (0, 0)
    detoured: tuple[int, int] = (0, 0)
    #: Texts that count the steps that were not taken, for when code cannot return before them.
    spared: list[str] = field(default_factory=list)

    def copy(self) -> "_Now":
        return _Now(
            list(self.words), dict(self.pending), dict(self.loads), dict(self.content),
            list(self.held), dict(self.named), dict(self.heads), dict(self.memo), self.done,
            self.detoured, list(self.spared),
        )  # fmt: skip


class LiftedBlock:
    """The C lines of a block; `steps` is how many it takes, `extra` those of detours.

    `known` has words, by group, that are numbers whenever the block begins.
    """

    def __init__(
        self, code: SharedCode, first: LiftedStep, known: Mapping[int, int] | None = None
    ) -> None:
        self.code, self.program, self.terms = code, code.program, code.terms
        self.printer, self.frame = code.printer, code.program.frame
        self.shelf = code.program.shelf
        self.static = self.program.setting.static
        self.terms.forget({})
        words = [word(OWN, g) for g in range(len(self.frame.groups))]
        for g, value in zip(self.static, first.node, strict=True):
            words[g] = num(value)
        for g, value in (known or {}).items():
            words[g] = num(value)
        self.now = _Now(words)
        self.first = first
        self._lines: _Lines = []
        self.entry: dict[WordExpr, Range] = {}
        self.apart: dict[WordExpr, Range] = {}
        self.nodes: list[Node] = []
        self.steps = self.weight = self.extra = 0
        self._arm = 0
        self._meaning: dict[WordExpr, WordExpr] = {}
        self._read_at: dict[WordExpr, Place] = {}
        self.back = self._begin(first)
        self.back.assign = None
        self._build()
        self._lines.append(self.back)
        self.lines = [*_flat(self._lines)]

    # Steps

    def _build(self) -> None:
        step: LiftedStep | None = self.first
        while step is not None:
            self._step = step
            self.nodes.append(step.node)
            self.steps, self.weight = self.steps + step.count, self.weight + step.weight
            try:
                end = self._run(step)
            except (UnreachableBlock, _Mixed):
                self._lines.append(self._leave())
                return
            if end is None:
                return
            self.now.done = self.steps, self.weight
            step = self._go_on(end)

    def _run(self, step: LiftedStep) -> End | None:
        """One step of the straight path; None if the block has ended with it."""
        self._step, self.now.heads, self.now.memo = step, {}, {}
        tree = step.tree
        while isinstance(tree, RowSplit):
            if tree is NOWHERE:
                raise UnreachableBlock
            condition = self._value(tree.condition, tree.queries)
            if condition.kind == "num":
                tree = tree.yes if condition.data[0] else tree.no
                continue
            yes, no = step.goes_on(tree.yes), step.goes_on(tree.no)
            if yes and no:
                return self._fork(step, tree)
            if not yes and not no:
                raise UnreachableBlock
            self._require(condition if yes else self.terms.negated(condition))
            tree = tree.yes if yes else tree.no
        return self._leaf(step, tree)

    def _leaf(
        self, step: LiftedStep, leaf: RowLeaf, given: Mapping[int, WordExpr] | None = None
    ) -> End:
        """The words of a leaf become the present ones, and are written."""
        end = step.end(leaf)
        if end is None:
            raise UnreachableBlock
        exprs = self._words(leaf, given or {})
        for g, value in end.lone.items():
            exprs[g] = num(value)
        for g, static in zip(self.static, end.target or (), strict=False):
            exprs[g] = num(static)
        self._write(step, end.lone, exprs)
        self._spare(step, leaf)
        self.now.words = exprs
        return end

    def _spare(self, step: LiftedStep, leaf: RowLeaf) -> None:
        """Where fewer steps are taken than `step.count`, the others are not counted."""
        if step.early is None:
            return
        condition, steps, weight = step.early
        ends = self._value(condition, leaf.queries)
        name = self.printer.word(self._plain(ends))
        extra = f" extra -= {steps - weight} * {name};" if steps != weight else ""
        self.now.spared.append(f"left += {steps} * {name};{extra}")

    def _words(self, leaf: RowLeaf, given: Mapping[int, WordExpr]) -> list[WordExpr]:
        """The words of a leaf, checked; those that are no plain expressions get a variable."""
        exprs = []
        for g, row_word in enumerate(leaf.words):
            if g in given:
                exprs.append(given[g])
                continue
            value = self._value(row_word.expr, leaf.queries)
            if row_word.guard is not None:
                self._require(self._value(row_word.guard, leaf.queries))
            exprs.append(self._plain(value))
        return exprs

    def _go_on(self, end: End) -> LiftedStep | None:
        """The next step, or the end of the block."""
        if end.target is not None and not end.seen and self.code.follows(end.target):
            return self.program.steps[end.target]
        self._finish(end)
        return None

    def _finish(self, end: End) -> None:
        """Commit all writes, set the words, and continue at the next node."""
        others = self.static[1:]
        if end.target is None and any(self.now.words[g].kind != "num" for g in others):
            raise UnreachableBlock
        self._flush()
        if end.seen:
            self._lines.append(SeenToken([self.printer.word(w) for w in self.now.words]))
        if end.target is None:
            rest = (0, *(self.now.words[g].data[0] for g in others))
            to = self.printer.word(self.now.words[self.static[0]])
            name = f"v{self.code.variable()}"
            self._lines.append(f"const uint64_t {name} = {to};")
            self._lines += [self._assign(None), BlockJump(rest, name, end.seen)]
        else:
            self._lines += [self._assign(end.target), BlockJump(end.target, None, end.seen)]

    # Forks

    def _fork(self, step: LiftedStep, tree: RowSplit) -> End | None:
        leaves = step.going_on(tree)
        ends = [end for leaf in leaves if (end := step.end(leaf)) is not None]
        first = ends[0]
        if first.target is not None and all(end == first for end in ends):
            return self._join(step, tree, leaves)
        way = self.code.detour(step)
        self._commit(step)
        if way is None:
            self._diverge(step, tree)
            return None
        return self._around(step, tree, way)

    def _arms(self, step: LiftedStep, tree: Tree, leaf: Callable[[RowLeaf], None]) -> None:
        """Print a tree as nested conditions; the state of an arm is discarded after it."""
        before, known = self.now, self.terms.known()
        self.now = before.copy()
        try:
            if isinstance(tree, RowLeaf):
                if step.end(tree) is None:
                    raise UnreachableBlock
                leaf(tree)
                self._check_held()
                return
            if tree is NOWHERE or not step.goes_on(tree):
                raise UnreachableBlock
            condition = self._value(tree.condition, tree.queries)
            if condition.kind == "num":
                self._arms(step, tree.yes if condition.data[0] else tree.no, leaf)
                return
            self._check_held()
            test = self._arm_lines(step, tree, condition, leaf)
            self._lines += test
        except UnreachableBlock:
            self._lines.append(self._leave())
        finally:
            self.now = before
            self.terms.forget(known)

    def _arm_lines(
        self, step: LiftedStep, tree: RowSplit, condition: WordExpr, leaf: Callable[[RowLeaf], None]
    ) -> _Lines:
        condition = self._lowered(condition)
        outer, known = self._lines, self.terms.known()
        arms: list[_Lines] = []
        self._arm += 1
        try:
            for truth, side in ((True, tree.yes), (False, tree.no)):
                self.terms.assume(condition, truth)
                self._lines = []
                self._arms(step, side, leaf)
                arms.append(self._lines)
                self.terms.forget(dict(known))
        finally:
            self._arm -= 1
            self._lines = outer
            self.terms.forget(known)
        test = self.printer.test(condition)
        way = self.code.detour(step)
        ends = [step.end(leaf) for leaf in step.going_on(tree.yes)]
        if way is not None and ends and all(end and end.target == way[1] for end in ends):
            test = self.code.unlikely(test)  # so is a step more
        return [f"if ({test}) {{", arms[0], "} else {", arms[1], "}"]

    def _join(self, step: LiftedStep, tree: RowSplit, leaves: list[RowLeaf]) -> End:
        """Leaves that go to the same node: words that differ are set in arms, the rest after."""
        self._check_held()
        place = len(self._lines)
        try:
            return self._joined(step, tree, leaves, place)
        except _Mixed:
            del self._lines[place:]
            self._commit(step)
            return self._joined(step, tree, leaves, len(self._lines))

    def _joined(self, step: LiftedStep, tree: RowSplit, leaves: list[RowLeaf], place: int) -> End:
        first = leaves[0]
        fixed = {*self.static, *self.program.lone}
        differ = [g for g in range(len(first.words)) if g not in fixed and not same_word(leaves, g)]
        ends: list[tuple[_Lines, _Ends]] = []

        def arm(leaf: RowLeaf) -> None:
            joined: _Ends = {}
            for g in fixed:  # `_leaf` looks at the first leaf alone
                guard = leaf.words[g].guard
                if guard is not None:
                    self._require(self._value(guard, leaf.queries))
            for g in differ:
                row_word = leaf.words[g]
                value = self._lowered(self._value(row_word.expr, leaf.queries))
                if row_word.guard is not None:
                    self._require(self._value(row_word.guard, leaf.queries))
                joined[g] = value, self.terms.bounds(value), self.printer.word(value)
            self._check_held()
            ends.append((self._lines, joined))

        self._arms(step, tree, arm)
        if not ends:
            raise UnreachableBlock
        return self._leaf(step, first, self._merged(ends, differ, place))

    def _merged(
        self, ends: "list[tuple[_Lines, _Ends]]", groups: list[int], place: int
    ) -> dict[int, WordExpr]:
        """One expression for what each word is after the arms; declared at a place before them."""
        merged = {}
        for g in groups:
            values, ranges, texts = zip(*(values[g] for _, values in ends), strict=True)
            if all(v is values[0] for v in values) and values[0].kind in _PLAIN:
                merged[g] = values[0]
                continue
            lows, highs = zip(*ranges, strict=True)
            variable = self._fresh((max(min(lows), 0), min(max(highs), UNSIGNED[1])))
            self._lines.insert(place, f"uint64_t v{variable.data[0]};")
            for (lines, _), text in zip(ends, texts, strict=True):
                lines.append(f"v{variable.data[0]} = {text};")
            merged[g] = variable
        return merged

    def _diverge(self, step: LiftedStep, tree: RowSplit) -> None:
        """Leaves that go to different nodes: the end of the block."""

        def arm(leaf: RowLeaf) -> None:
            end = self._leaf(step, leaf)
            self._finish(end)

        self._arms(step, tree, arm)

    def _around(self, step: LiftedStep, tree: RowSplit, way: tuple[Node, Node]) -> End:
        """Leaves that go to a node directly, or by one step more."""
        place = len(self._lines)
        ends: list[tuple[_Lines, list[WordExpr]]] = []
        results: list[End] = []
        written: set[int] = set()

        def arm(leaf: RowLeaf) -> None:
            end = self._leaf(step, leaf)
            written.update(array for array, _, _ in self.now.pending)
            self._flush()
            if end.target != way[0]:
                end = self._one_more(self.program.steps[way[1]], written)
                self._step = step
            results.append(end)
            ends.append((self._lines, self.now.words))

        self._arms(step, tree, arm)
        if not ends:
            raise UnreachableBlock
        groups = range(len(self.now.words))
        changed = [g for g in groups if any(w[g] is not ends[0][1][g] for _, w in ends)]
        differ = [g for g in changed if g not in self.static]
        merged = self._merged(
            [(lines, {g: self._printed(words[g]) for g in differ}) for lines, words in ends],
            differ,
            place,
        )
        self.now.words = [merged.get(g, ends[0][1][g]) for g in groups]
        self.now.loads = {p: e for p, e in self.now.loads.items() if p[0] not in written}
        self.now.content = {p: e for p, e in self.now.content.items() if p[0] not in written}
        self.now.done = self.steps, self.weight
        self._lines.append(self.back)
        self.back = self._begin(self.program.steps[way[0]])
        return results[0]

    def _printed(self, expr: WordExpr) -> tuple[WordExpr, Range, str]:
        return expr, self.terms.bounds(expr), self.printer.word(expr)

    def _one_more(self, step: LiftedStep, written: set[int]) -> End:
        """The step of a detour, with a state of its own to come back to."""
        self._lines.append(_charge(step.count, step.weight))
        self.extra = max(self.extra, step.count)
        self.now.done = self.steps, self.weight
        self.now.detoured = step.count, step.weight
        outer, self.back = self.back, self._begin(step)
        try:
            end = self._run(step)
            assert end is not None
            written.update(array for array, _, _ in self.now.pending)
            self._flush()
        except UnreachableBlock:
            self._lines += [self._leave(), self.back]
            raise
        else:
            self._lines.append(self.back)
            return end
        finally:
            self.back = outer

    # Values

    def _value(self, expr: WordExpr, queries: Mapping[int, Query]) -> WordExpr:
        """An expression of the row, on the words at the beginning and on variables."""
        if expr.kind == "num":
            return expr
        known, heads, words = self._step.known, self.now.heads, self.now.words

        def env(variable: Variable) -> WordExpr:
            if variable[0] == OWN:
                return words[variable[1]]
            value = known.get(variable)
            if value is not None:
                return num(value)
            if variable not in heads:
                self._load(variable[0], variable[1], queries)
            return heads[variable]

        value = self.terms.under(expr, env, self.now.memo)
        long = [word for word in _narrow(value) if self._is_short(word)]
        return self._value(expr, queries) if long else value

    def _is_short(self, word: WordExpr) -> bool:
        """Leave where a word has more than 32 bits; false if that is known already."""
        condition = self.terms.negated(self.terms.at_least(word, 1 << 32))
        if condition.kind == "num":
            return False
        self._require(condition)
        self.now.memo = {}
        return True

    def _fresh(self, reach: Range) -> WordExpr:
        variable = WordExpr("var", (), (self.code.variable(),))
        self.terms.ranges[variable] = reach
        return variable

    def _plain(self, expr: WordExpr) -> WordExpr:
        """The same as a number, a word or a variable, or one of these and a constant."""
        lone = expr.kind == "lin" and expr.data[:-1] == (1,)
        part = expr.parts[0] if lone else expr
        if expr.kind == "num" or (part.kind in _PLAIN and self.printer.fits(expr)):
            return expr
        return self._name(expr)

    def _name(self, expr: WordExpr) -> WordExpr:
        if expr not in self.now.named:
            lowered = self._lowered(expr)
            variable = self._fresh(self.terms.bounds(expr))
            if self.printer.fits(expr):
                text = f"const uint64_t v{variable.data[0]} = {self.printer.word(lowered)};"
            else:
                self.printer.wide.add(variable)
                kind = self.printer.type_of(lowered)
                text = f"const {kind} v{variable.data[0]} = {self.printer.exact(lowered)};"
            self._lines.append(text)
            self.now.named[expr] = variable
            self._meaning[variable] = expr
        return self.now.named[expr]

    def _lowered(self, expr: WordExpr) -> WordExpr:
        """With variables for what would be printed, and computed, several times."""
        if expr.kind in _PLAIN or not expr.parts:
            return expr
        if expr in self.now.named:
            return self.now.named[expr]
        if self.code.bytewise and self._loads_bytes(expr):
            return self.now.named[expr]
        parts = []
        for part in expr.parts:
            part = self._lowered(part)
            long = part.kind == "ge" and len(part.parts[0].parts) > 2
            parts.append(self._name(part) if part.kind in _HEAVY or long else part)
        if all(a is b for a, b in zip(parts, expr.parts, strict=True)):
            return expr
        if expr.kind == "lin":
            terms = list(zip(parts, expr.data[:-1], strict=True))
            total: dict[WordExpr, int] = {}
            for part, weight in terms:
                total[part] = total.get(part, 0) + weight
            return self.terms.linear(total, expr.data[-1])
        return WordExpr(expr.kind, tuple(parts), expr.data)

    # Conditions

    def _require(self, condition: WordExpr) -> None:
        """Leave C where a condition does not hold."""
        condition = self.terms.again(condition)
        if condition.kind == "num":
            if not condition.data[0]:
                raise UnreachableBlock
            return
        if condition.kind == "product":
            for part in condition.parts:
                self._require(part)
            return
        before = {} if self._arm else self._entry_range(condition)
        for expr, (lo, hi) in before.items():
            low, high = self.entry.get(expr, (lo, hi))
            self.entry[expr] = max(lo, low), min(hi, high)
            self.terms.narrow(expr, lo, hi)
        if not before:
            lowered = self._lowered(condition)
            test = self.printer.test(self.terms.negated(lowered))
            self.back.used = True
            self._lines.append(f"if ({self.code.unlikely(test)}) goto {self.back.label};")
            self.terms.assume(condition)
            self.terms.assume(lowered)

    def _entry_range(self, condition: WordExpr) -> dict[WordExpr, Range]:
        """The range that a word of the beginning must be in, if that is what is required."""
        inner = condition.parts[0] if condition.kind == "not" else condition
        if len(inner.parts) != 1 or inner.parts[0].kind != "word":
            return {}
        known = self.terms.known()
        self.terms.assume(condition)
        interval = self.terms.bounds(inner.parts[0])
        self.terms.forget(known)
        lo, hi = self.terms.bounds(inner.parts[0])
        if interval == (lo, hi) or interval[0] > interval[1] or inner.kind not in BOOLEAN:
            return {}
        return {inner.parts[0]: interval}

    def _leave(self) -> str:
        self.back.used = True
        return f"goto {self.back.label};"

    def _check_held(self) -> None:
        """All entries read since must have been written."""
        if self.now.held:
            self.back.used = True
            self._lines.append(HeldLine.of(self.now.held, self.back.label))
            self.now.held = []

    # Arrays

    def _load(self, head: int, group: int, queries: Mapping[int, Query]) -> None:
        owner, query = self.shelf.by_head[head], queries[head]
        tag = self._value(query.tags[0], queries)
        slot = owner.slot(tag.data[0]) if tag.kind == "num" else None
        if not query.hits or slot is None or group not in self.shelf.groups(slot):
            raise UnreachableBlock
        if query.index.guard is not None:
            self._require(self._value(query.index.guard, queries))
        index = self._value(query.index.expr, queries)
        default = self.program.host.special[group] if query.falls_back else None
        self.now.heads[head, group] = self._read(self._array(slot, group), index, default)

    def _array(self, slot: int, group: int) -> int:
        number = slot * len(self.frame.groups) + group
        self.code.arrays.add(number)
        return number

    def _place_of(self, array: int, index: WordExpr) -> Place:
        reach = 256 ** self.shelf.digits(array // len(self.frame.groups))
        lo, hi = self.terms.bounds(index)
        if lo < 0 or hi >= reach:
            index = self.terms.remainder(index, reach)
        terms, offset = self.terms.split(index)
        base = self.terms.linear(terms, 0)
        if base.kind != "lin" and base.kind not in _PLAIN:
            base = self._name(base)
        return array, base, offset

    def _read(self, array: int, index: WordExpr, default: int | None) -> WordExpr:
        place = self._place_of(array, index)
        if place in self.now.pending:
            return self.now.pending[place]
        if place in self.now.loads:
            return self.now.loads[place]
        if any(not self._differs(place, other) for other in self.now.pending):
            self._commit(self._step)
        variable = self._fresh(UNSIGNED)
        name = f"v{variable.data[0]}"
        entry = f"A{place[0]}[{self._index(place)}]"
        declared = f"const uint64_t {name} ="
        if default == 0:
            read = ReadLine(f"{declared} {entry}.word;", place)
        else:
            text = f"e{name}.word"
            if default is None:
                self.now.held.append((f"e{name}", place))
            else:
                text = f"e{name}.held ? {text} : {unsigned(default)}"
            self._lines.append(EntryLine(f"const Entry e{name} = {entry};", place))
            read = ReadLine(f"{declared} {text};", place)
        read.name, read.default = name, default
        self._lines.append(read)
        self.now.loads[place] = variable
        if default == 0:
            self.now.content[place], self._read_at[variable] = variable, place
        return variable

    # Bytes of entries

    def _loads_bytes(self, expr: WordExpr) -> bool:
        """Read bytes alone, if an expression is some bytes of entries as their array has them."""
        inner, (start, count) = expr, (0, BITS)
        if expr.kind == "field":
            (inner,), (start, count) = expr.parts, expr.data
        size = next((n for n in SIZES if start + count <= n), 0)
        match inner:
            case WordExpr("shr", (whole, amount), (64,)) if expr.kind == "field":
                place = self._held_by(whole)
                first = self._byte(amount, size)
            case WordExpr("across", (whole, more, amount)):
                place, other = self._held_by(whole), self._held_by(more)
                if place is None or other != (*place[:2], place[2] + 1):
                    return False
                first = self._first_byte(amount) if self.code.bare(place[0]) else None
            case _:
                return False
        if first is None or place is None or not size:
            return False
        bytes_ = WordExpr("field", (inner,), (0, size))
        if bytes_ not in self.now.named:
            variable = self._fresh((0, (1 << size) - 1))
            text = self.code.some_bytes(size, place[0], self._offset(place, first))
            self._lines.append(BytesLine(f"const uint64_t v{variable.data[0]} = {text};", place))
            self.now.named[bytes_] = variable
        self.now.named[expr] = self.terms.field(self.now.named[bytes_], start, count)
        return True

    def _held_by(self, variable: WordExpr) -> Place | None:
        """The entry of which a variable is the word, if its array has it."""
        place = self._read_at.get(variable)
        return place if place and self.now.content.get(place) is variable else None

    def _stored_bytes(self, place: Place, value: WordExpr) -> str | None:
        """The C of a write that changes some bytes of an entry; None if it is another write."""
        meaning = self._meaning.get(value, value)
        if meaning.kind == "mod" and meaning.data == (1 << BITS,):
            (meaning,) = meaning.parts
        terms, offset = self.terms.split(meaning)
        old = self.now.content.get(place)
        if old is None or offset or len(terms) != 3 or terms.pop(old, 0) != 1:
            return None
        by_weight = {weight: part for part, weight in terms.items()}
        match by_weight.get(1), by_weight.get(-1):
            case WordExpr("shl", (new, amount), (64,)), WordExpr("shl", (gone, again), (64,)):
                pass
            case _:
                return None
        size = gone.data[-1] if gone.kind == "field" else 0
        at, (lo, hi) = self._byte(amount, size), self.terms.bounds(new)
        bytes_of_old = WordExpr("field", (WordExpr("shr", (old, amount), (64,)),), (0, size))
        if at is None or again is not amount or gone is not bytes_of_old or lo < 0 or hi >> size:
            return None
        held = "" if self.code.bare(place[0]) else f" A{place[0]}[{self._index(place)}].held = 1;"
        some = self.code.some_bytes(size, place[0], self._offset(place, at))
        return f"{some} = {self.printer.word(new)};{held}"

    def _byte(self, amount: WordExpr, size: int) -> WordExpr | None:
        """The first of some bytes of a word that are shifted; None if they may not be whole."""
        first = self._first_byte(amount)
        if first is None or not 0 < size < BITS:
            return None
        lo, hi = self.terms.bounds(first)
        return first if lo >= 0 and hi + size // 8 <= BITS // 8 else None

    def _first_byte(self, amount: WordExpr) -> WordExpr | None:
        """A number of bits as one of bytes; None if it may be none."""
        terms, offset = self.terms.split(amount)
        if offset % 8 or any(w % 8 for w in terms.values()):
            return None
        return self.terms.linear({p: w // 8 for p, w in terms.items()}, offset // 8)

    def _offset(self, place: Place, first: WordExpr) -> str:
        """Where in its array a byte of an entry is."""
        index = self.terms.plus(self._meaning.get(place[1], place[1]), num(place[2]))
        stride = BITS // 8 * (1 if self.code.bare(place[0]) else 2)
        return self.printer.word(self.terms.joined(self.terms.plus(first, index, stride)))

    def _index(self, place: Place) -> str:
        return self.printer.word(self.terms.plus(place[1], num(place[2])))

    def _differs(self, one: Place, two: Place) -> bool:
        """Whether two places are different, perhaps because that is checked at the beginning."""
        if one[0] != two[0]:
            return True
        if one[1] is two[1]:
            return one[2] != two[2]
        difference = self.terms.plus(one[1], two[1], -1)
        gap = two[2] - one[2]  # where the difference is this, the places are the same
        if difference.kind == "num":
            return difference.data[0] != gap
        lo, hi = self.terms.bounds(difference)
        if not lo <= gap <= hi:
            return True
        if not all(p.kind == "word" for e in (one[1], two[1]) for p in self.terms.split(e)[0]):
            return False
        if next(iter(self.terms.split(difference)[0].values())) < 0:
            difference, gap = self.terms.plus(_ZERO, difference, -1), -gap
        lo, hi = self.apart.get(difference, (gap, gap))
        self.apart[difference] = min(lo, gap), max(hi, gap)
        return True

    def _write(self, step: LiftedStep, lone: Mapping[int, int], exprs: list[WordExpr]) -> None:
        """What a step writes: remembered until the next commit."""
        places = {}
        for owner in self.shelf.classes:
            slot = owner.slot_of(lone[self.frame.place[owner.part][0]])
            reach = self.shelf.reach(slot)
            if reach is not None:
                index = self.terms.remainder(exprs[owner.group], 256**owner.digits)
                self._require(self.terms.negated(self.terms.at_least(index, reach)))
            for group in filter(partial(self.code.keeps, slot), self.shelf.groups(slot)):
                place = self._place_of(self._array(slot, group), exprs[owner.group])
                places[place] = self._plain(exprs[group])
        for place in places:
            if any(o != place and not self._differs(place, o) for o in self.now.pending):
                self._commit(step)
        for place, value in places.items():
            for other in [*self.now.loads]:
                if other == place or not self._differs(place, other):
                    del self.now.loads[other]
            for other in [*self.now.content]:
                if other != place and not self._differs(place, other):
                    del self.now.content[other]
            self.now.pending[place] = value

    def _flush(self) -> None:
        """Commit the writes of the steps so far."""
        self._check_held()
        self._lines += self.now.spared
        self.now.spared = []
        for place, value in self.now.pending.items():
            text = self.printer.word(value)
            stored = self._stored_bytes(place, value) if self.code.bytewise else None
            if stored is None:
                write = WriteLine(self.code.stored(place[0], self._index(place), text), place)
                write.value = text
                self._lines.append(write)
            else:
                self._lines.append(BytesLine(stored, place))
            self.now.loads[place] = value
            self.now.content.pop(place, None)
        self.now.pending = {}

    def _commit(self, step: LiftedStep) -> None:
        """Commit what the steps before this one have written."""
        if self.now.pending or self.now.spared:
            if self._arm:
                raise _Mixed
            self._flush()
            self._lines.append(self.back)
            self.back = self._begin(step)
        else:
            self._check_held()

    def _begin(self, step: LiftedStep) -> Back:
        """From here on, code that cannot continue returns to this step."""
        label = f"R{self.code.variable()}"
        return Back(label, self._assign(step.node), step.node, self.now.done, self.now.detoured)

    def _assign(self, node: Node | None) -> WordsChange:
        texts: dict[int, str] = {}
        numbers: dict[int, int] = {}
        for g, expr in enumerate(self.now.words):
            if expr.kind == "num":
                numbers[g] = expr.data[0]
            elif expr is not word(OWN, g):
                texts[g] = self.printer.word(expr)
        return WordsChange(texts, numbers, [*self.now.words], node)

    # The beginning

    def conditions(self, but: Callable[[WordExpr], bool] | None = None) -> list[str]:
        """C texts of what must not be the case at the beginning of the block.

        Conditions on sums of words that `but` names are left out.
        """
        conditions = []
        for expr, (lo, hi) in self.entry.items():
            if but is not None and but(expr):
                continue
            natural = (1 << self.terms.widths[expr.data[1]]) - 1
            name = self.printer.word(expr)
            if hi >= natural:
                conditions.append(f"{name} < {unsigned(lo)}")
            else:
                moved = f"{name} - {unsigned(lo)}" if lo else name
                conditions.append(f"{moved} > {unsigned(hi - lo)}")
        for difference, (lo, hi) in self.apart.items():
            if but is not None and but(difference):
                continue
            lowest = self.terms.plus(difference, num(lo), -1)
            conditions.append(f"{self.printer.word(lowest)} <= {unsigned(hi - lo)}")
        return conditions


def _flat(lines: _Lines) -> Iterator[Line]:
    for line in lines:
        if isinstance(line, list):
            yield from _flat(line)
        else:
            yield line


def _narrow(expr: WordExpr) -> Iterator[WordExpr]:
    """Words of which a sum takes 32 bits with a sign, and what is above them apart.

    That is how the comparison of short words looks; then there is nothing above.
    """
    if expr.kind == "lin":
        for part in expr.parts:
            above = WordExpr("field", part.parts, (32, 32))
            if part.kind == "field" and part.data == (31, 1) and above in expr.parts:
                yield part.parts[0]
    elif expr.kind in ("ge", "eq", "not"):
        yield from _narrow(expr.parts[0])


def _charge(steps: int, weight: int) -> str:
    text = f"left -= {steps};"
    return text if weight == steps else f"{text} extra += {steps - weight};"


def same_word(leaves: list[RowLeaf], group: int) -> bool:
    """Whether all leaves have the same word, with the same heads."""
    first = leaves[0]
    row_word = first.words[group]
    if row_word.guard is not None or any(leaf.words[group] != row_word for leaf in leaves):
        return False
    heads = {h for h, _ in row_word.expr.variables}
    while True:
        more = {
            v
            for h in heads & {*first.queries}
            for e in (*first.queries[h].tags, first.queries[h].index.expr)
            for v, _ in e.variables
        } - heads
        if not more:
            break
        heads |= more
    return all(leaf.queries.get(h) == first.queries.get(h) for leaf in leaves for h in heads)


__all__ = ["WordsChange", "Back", "LiftedBlock", "SharedCode", "BlockJump", "Line", "SeenToken"]
