"""Rows lifted to words: for given controls, a tree of conditions with a formula at each leaf.

The circuit of a row is a function of words: those of the token itself and of the tokens that heads
attend to. Conditions that decide between formulas are split on, one by one, until every word
of the next token is one expression, or until that would take too many leaves; then the digits of
a word are computed one by one, which is always possible.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transputer.engines.lifted.decoder.atoms import (
    MOST_SPLIT,
    Algebra,
    Atom,
    AtomTable,
    Bit,
    Poly,
    StepAtom,
    Tab,
    TooManyTerms,
    is_constant,
    plus,
    scaled,
)
from transputer.engines.lifted.decoder.circuit import OWN, Fixed, LiftedCircuit, RowForms
from transputer.engines.lifted.decoder.expr import WordExpr, WordForms, conjunction
from transputer.engines.lifted.decoder.numbers import BASE, DigitSum, groups, number
from transputer.engines.native.heads import PACKED
from transputer.errors import Unsupported

#: A tree has at most this many splits on one way down.
MAX_DEPTH = 12
MAX_LEAVES = 96
#: A tree with more leaves than this is not worth having.
MOST_LEAVES = 24
#: A step over at most this many bits is decided by deciding the bits.
FEW_BITS = 5
#: Terms that a lane is carried along with, where a row has too many: what is tried.
MOST_CARRIED = 4, 40
#: An atom that multiplies at least this many others chooses between them.
MANY = 4


#: Bits of words that are shifted.
WIDTHS = (32, 64)
#: What bit i of a word of some width weighs in the word shifted (or rotated) by k.
FAMILIES: dict[str, Callable[[int, int, int], int]] = {
    "shl": lambda width, i, k: 1 << i + k if i + k < width else 0,
    "shr": lambda width, i, k: 1 << i - k if i >= k else 0,
    "sar": lambda width, i, k: (
        (1 << i - k if i >= k else 0) + ((1 << k) - 1 << width - k) * (i == width - 1)
    ),
    "rotl": lambda width, i, k: 1 << (i + k) % width,
    "rotr": lambda width, i, k: 1 << (i - k) % width,
}


@dataclass(frozen=True)
class Key:
    """How a head finds tokens: parts that must have a tag (after a table), and an index.

    `special` tokens, where `extra` is not 0, are attended to where no key matches.
    """

    tags: tuple[tuple[int, tuple[int, ...]], ...]
    group: int
    digits: int
    extra: tuple[int, tuple[int, ...]] | None


@dataclass(frozen=True)
class RowWord:
    """A word of the next token: a formula, right wherever `guard` (if any) is 1."""

    expr: WordExpr
    guard: WordExpr | None
    lifted: bool


@dataclass(frozen=True)
class Query:
    """What a head asks for: tags and an index.

    `hits`: a token with that key, if there is one, is attended to, the latest of them.
    `falls_back`: without one it is a special token, the latest of them.
    """

    tags: tuple[WordExpr, ...]
    index: RowWord
    hits: bool
    falls_back: bool


@dataclass(frozen=True)
class RowLeaf:
    """Formulas for all words of the next token, by group, and for the queries, by head."""

    words: tuple[RowWord, ...]
    queries: Mapping[int, Query]


@dataclass(frozen=True)
class RowSplit:
    """A condition, the queries of the heads in it, and what holds where it is 1 and where 0."""

    condition: WordExpr
    queries: Mapping[int, Query]
    yes: "Tree"
    no: "Tree"


Tree = RowLeaf | RowSplit


@dataclass
class Lifter:
    """Lifts rows of a model.

    Where a part of `stops` is known not to be 0, the step is the last one, and its formulas do not
    matter. `order` is an order of the heads that breaks ties. `own` are the parts of the
    token itself that choose a row. `lone` are the groups of one part that are control: those, the
    stops, and what tells keys apart.
    """

    circuit: LiftedCircuit
    stops: frozenset[int] = frozenset()
    order: Sequence[int] = ()
    own: frozenset[int] = frozenset()
    groups: list[tuple[int, ...]] = field(init=False)
    words: WordForms = field(init=False)
    keys: dict[int, Key] = field(init=False)
    lone: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._fetches: dict[int, Query] = {}
        self.groups = groups(self.circuit)
        self.sizes = [part.size for part in self.circuit.model.parts]
        self.words = WordForms(self.groups, self.sizes)
        self.keys = {
            h: self._key(h) for h, head in enumerate(self.circuit.heads) if head.kind == PACKED
        }
        self.tagging = {
            p for key in self.keys.values() for p, _ in (*key.tags, *filter(None, [key.extra]))
        }
        control = {*self.tagging, *self.stops, *self.own}
        self.lone = tuple(
            g for g, ps in enumerate(self.groups) if len(ps) == 1 and ps[0] in control
        )

    def _key(self, h: int) -> Key:
        """What the key of a head is; `Unsupported` where it is not tags and an index."""
        head, last = self.circuit.heads[h], self.circuit.model.context - 1
        if not 0 < head.recency * last < head.scale:
            raise Unsupported("a head's recency may outweigh an address, or there is none")
        if head.offset.tables or len(head.extras) > 1:
            raise Unsupported("a head tells more than addresses apart")
        by_part = {next(iter(d.tables)): (j, d) for j, d in enumerate(head.digits)}
        if len(by_part) != len(head.digits):
            raise Unsupported("a head looks at a part twice")
        wide = {g for g, parts in enumerate(self.groups) for p in parts if len(parts) > 1}
        used = {self.words.place[p][0] for p in by_part} & wide
        if len(used) != 1:
            raise Unsupported("a head's address is not one number")
        (group,) = used
        digits = [p for p in self.groups[group] if p in by_part]
        if digits != list(self.groups[group][: len(digits)]):
            raise Unsupported("a head's address lacks its low digits")
        for p in digits:
            d = by_part[p][1]
            if (d.tables[p] + d.constant).tolist() != list(range(self.sizes[p])):
                raise Unsupported("a digit of an address is not the part's number")
        tags = tuple(
            (p, tuple((d.tables[p] + d.constant).tolist()))
            for p, (_, d) in by_part.items()
            if p not in digits
        )
        return Key(tags, group, len(digits), self._extra(h))

    def _extra(self, h: int) -> tuple[int, tuple[int, ...]] | None:
        extras = self.circuit.heads[h].extras
        if not extras or not extras[0].tables:
            return None
        if len(extras[0].tables) != 1:
            raise Unsupported("special tokens are told by several parts")
        ((part, table),) = extras[0].tables.items()
        values = tuple((table + extras[0].constant).tolist())
        if not set(values) <= {0, 1}:
            raise Unsupported("special tokens differ among themselves")
        return part, values

    @property
    def longest(self) -> Key:
        """The key with the most digits."""
        return max(self.keys.values(), key=lambda key: key.digits)

    def fetch_query(self, h: int) -> Query:
        """What a head of the first layer asks for, whatever the row."""
        if h not in self._fetches:
            algebra = Algebra(AtomTable())
            self.words.forget()
            polys = self.circuit.first_query(h, algebra)
            self._fetches[h] = self._query(algebra, h, polys)
        return self._fetches[h]

    def lift(self, fixed: Fixed) -> Iterator[Tree]:
        """The tree of a row, or several that say the same.

        Where its formulas take too many terms or leaves, lanes are carried along by name: its words
        are then computed digit by digit, as the neurons do, and it splits on nothing but control.
        The more terms a lane may have without a name, the more digits are seen to be one number,
        and the longer are other formulas; which tree is the shortest is only known afterwards.
        """
        try:
            tree = self._merged(self._tree(self._evaluated(fixed), {}, 0))
        except TooManyTerms:
            tree = None
        if tree is not None and sum(1 for _ in leaves(tree)) <= MOST_LEAVES:
            yield tree
            return
        control = {p for g in self.lone for p in self.groups[g]}
        for most in MOST_CARRIED:
            row, algebra = self._evaluated(fixed, most), Algebra(self._registry)
            forms = (algebra.opened(f) if p in control else f for p, f in enumerate(row.outputs))
            yield self._carried_tree(replace(row, outputs=tuple(forms)), {}, 0)

    def _evaluated(self, fixed: Fixed, most: int | None = None) -> RowForms:
        """The forms of a row; with `most`, no lane is carried along with more terms."""
        self._registry, self._leaves = AtomTable(), 0
        self.words.forget()
        algebra = Algebra(self._registry)
        for source in (OWN, *self.order):
            for part, size in enumerate(self.sizes):
                for i in range((size - 1).bit_length()):
                    algebra.bit(source, part, i)
        forms = self.circuit.evaluate(fixed, algebra, most)
        self._registry.most_work = MOST_SPLIT
        return forms

    def _merged(self, tree: Tree) -> Tree:
        """Replace splits on all low bits of a word by one operation if the leaves are a family."""
        if isinstance(tree, RowLeaf):
            return tree
        leaf = self._family(tree)
        if leaf is not None:
            return leaf
        return replace(tree, yes=self._merged(tree.yes), no=self._merged(tree.no))

    def _family(self, tree: RowSplit) -> RowLeaf | None:
        """One leaf for the leaves below, if they shift or rotate by the number they are for."""
        if tree.condition.kind != "field" or tree.condition.data[1] != 1:
            return None
        amount = tree.condition.parts[0]
        by_amount: dict[int, RowLeaf] = {}
        if not _by_amount(tree, amount, 0, 0, by_amount) or len(by_amount) not in WIDTHS:
            return None
        width = len(by_amount)
        first = by_amount[0]
        words = []
        for g, usual in enumerate(first.words):
            cases = [by_amount[k].words[g] for k in range(width)]
            if any(w.guard is not None for w in cases):
                return None
            if all(w.expr == usual.expr for w in cases):
                words.append(usual)
                continue
            kind = next((f for f in FAMILIES if self._is(f, usual.expr, cases)), None)
            if kind is None:
                return None
            words.append(RowWord(WordExpr(kind, (usual.expr, amount), (width,)), None, True))
        queries = {h: q for leaf in by_amount.values() for h, q in leaf.queries.items()}
        if any(
            leaf.queries.get(h, q) != q for leaf in by_amount.values() for h, q in queries.items()
        ):
            return None
        return RowLeaf(tuple(words), {**tree.queries, **queries})

    def _is(self, family: str, base: WordExpr, cases: list[RowWord]) -> bool:
        """Whether case k is the base shifted by k, for every k."""
        width = len(cases)
        word = base.parts[0] if base.kind == "field" and base.data == (0, width) else base
        if word.kind != "word" or (word is base) != (self.words.width[word.data[1]] == width):
            return False
        algebra = Algebra(AtomTable())
        self.words.forget()
        parts = self.groups[word.data[1]]
        bits = [algebra.bit(word.data[0], parts[i // 8], i % 8) for i in range(width)]
        for k, case in enumerate(cases):
            poly: Poly = {}
            for i, bit in enumerate(bits):
                poly = plus(poly, bit, FAMILIES[family](width, i, k))
            if self.words.expr(algebra, poly) != case.expr:
                return False
        return True

    def _tree(self, before: RowForms, decided: dict[Atom, int], depth: int) -> Tree:
        algebra = Algebra(self._registry, decided)
        row = before.under(algebra)
        numbers = self._numbers(algebra, row)
        if depth < MAX_DEPTH and self._leaves < MAX_LEAVES:
            atom = self._chosen(algebra, row, numbers)
            if atom is not None:
                yes = self._tree(row, {**decided, atom: 1}, depth + 1)
                no = self._tree(row, {**decided, atom: 0}, depth + 1)
                condition = self._condition(algebra, atom)
                return RowSplit(condition, self._queries(algebra, row, {condition}), yes, no)
        return self._leaf(algebra, row, numbers)

    def _carried_tree(self, row: RowForms, decided: dict[Atom, int], depth: int) -> Tree:
        """The same without filling decisions into words, which hold whatever is decided.

        Where the run ends they are filled in: nothing is then looked up in vain.
        """
        algebra = Algebra(self._registry, decided)
        control = {p: algebra.filled(row.outputs[p]) for g in self.lone for p in self.groups[g]}
        ends = any(algebra.bounds(control[p])[0] > 0 for p in self.stops if p in control)
        counts: Counter[int] = Counter()
        for part, poly in control.items():
            if part in self.tagging or not ends:
                for monomial in poly:
                    counts.update(i for i in monomial if isinstance(algebra.atoms[i], StepAtom))
        if counts and depth < MAX_DEPTH:
            most = max(counts.values())
            likely = sorted(i for i, count in counts.items() if count == most)
            atom = algebra.atoms[likely[len(likely) // 2]]
            yes = self._carried_tree(row, {**decided, atom: 1}, depth + 1)
            no = self._carried_tree(row, {**decided, atom: 0}, depth + 1)
            condition = self._condition(algebra, atom)
            return RowSplit(condition, self._queries(algebra, row, {condition}), yes, no)
        if ends:
            row = row.under(algebra)
        else:
            algebra = Algebra(self._registry)  # the same words in all leaves
        row = replace(row, outputs=tuple(control.get(p, f) for p, f in enumerate(row.outputs)))
        return self._leaf(algebra, row, self._numbers(algebra, row))

    def _numbers(self, algebra: Algebra, row: RowForms) -> list[DigitSum | None]:
        return [
            number(algebra, [row.outputs[p] for p in parts], [self.sizes[p] for p in parts])
            for parts in self.groups
        ]

    def _leaf(self, algebra: Algebra, row: RowForms, numbers: list[DigitSum | None]) -> RowLeaf:
        self._leaves += 1
        words = tuple(
            self._word(algebra, total, [row.outputs[p] for p in parts], parts)
            for total, parts in zip(numbers, self.groups, strict=True)
        )
        wanted = {e for w in words for e in (w.expr, w.guard) if e is not None}
        return RowLeaf(words, self._queries(algebra, row, wanted))

    def _queries(self, algebra: Algebra, row: RowForms, wanted: set[WordExpr]) -> dict[int, Query]:
        """The queries of the heads that expressions need, and of those that these need."""
        queries: dict[int, Query] = {}
        while True:
            heads = {h for e in wanted for h, _ in e.variables} - {*queries}
            missing = heads & {*self.keys}
            if not missing:
                return queries
            for h in missing:
                query = queries[h] = self._query(algebra, h, row.queries[h])
                wanted = {*wanted, *query.tags, query.index.expr}

    def _condition(self, algebra: Algebra, atom: Atom) -> WordExpr:
        if isinstance(atom, StepAtom):
            return self.words.condition(algebra, atom)
        return self.words.atom(algebra, algebra._numbers[atom])

    # What to split on

    def _chosen(
        self, algebra: Algebra, row: RowForms, numbers: list[DigitSum | None]
    ) -> Atom | None:
        """An atom to split on, so that words that are not formulas yet become some."""
        for (part,) in (self.groups[g] for g in self.lone):  # control has to be constant
            if not is_constant(row.outputs[part]):
                steps = _selectors(algebra, [row.outputs[part]], lone=True)
                if steps:
                    return self._finer(algebra, steps[0])
        if any(row.outputs[p] for p in self.stops):
            return None
        for total, parts in zip(numbers, self.groups, strict=True):
            forms = [row.outputs[p] for p in parts]
            steps = _selectors(algebra, forms) if total is None else _choosers(algebra, forms)
            if steps:
                return self._finer(algebra, steps[0])
        return None

    def _finer(self, algebra: Algebra, number_: int) -> Atom:
        """A bit instead of a step over few bits."""
        atom = algebra.atoms[number_]
        inner = (algebra.atoms[i] for i in algebra.nested({(number_,): 1}))
        bits = [other for other in inner if isinstance(other, Bit)]
        first = min(bits, key=lambda b: algebra._numbers[b], default=None)
        return first if first is not None and len(bits) <= FEW_BITS else atom

    # Formulas

    def _word(
        self, algebra: Algebra, total: DigitSum | None, digits: list[Poly], parts: tuple[int, ...]
    ) -> RowWord:
        if total is None:
            clamped = [
                WordExpr("clamp", (self.words.expr(algebra, digit),), (self.sizes[p],))
                for digit, p in zip(digits, parts, strict=True)
            ]
            terms = tuple(
                WordExpr("scale", (digit,), (BASE**d,)) if d else digit
                for d, digit in enumerate(clamped)
            )
            return RowWord(WordExpr("sum", terms) if len(terms) > 1 else terms[0], None, False)
        expr = self.words.expr(algebra, total.poly, total.modulus)
        guard = None
        if not total.proven:
            low = WordExpr("ge", (expr,), (0,))
            high = WordExpr("not", (WordExpr("ge", (expr,), (total.reach,)),))
            guard = WordExpr("product", (low, high))
        return RowWord(expr, guard, True)

    def _query(self, algebra: Algebra, h: int, polys: tuple[Poly, ...]) -> Query:
        key, head = self.keys[h], self.circuit.heads[h]
        by_part = {next(iter(d.tables)): j for j, d in enumerate(head.digits)}
        tags = tuple(self.words.expr(algebra, polys[by_part[p]]) for p, _ in key.tags)
        parts = self.groups[key.group][: key.digits]
        digits = [polys[by_part[p]] for p in parts]
        index = self._asked(algebra, digits, [self.sizes[p] for p in parts])
        if key.extra is None:
            return Query(tags, index, True, False)
        squares: Poly = {}
        for j in range(len(head.digits)):
            squares = plus(squares, algebra.square(polys[j]))
        # digits are proper, by proof or by guard, so relu(q) * q is q^2; a special token scores
        # as a hit does, and loses to one because it is the first token
        slack = plus(scaled(squares, head.scale), polys[len(head.digits)], -1)
        return Query(tags, index, algebra.bounds(slack)[0] >= 0, not slack)

    def _asked(self, algebra: Algebra, digits: list[Poly], sizes: list[int]) -> RowWord:
        """The index that digits are: proved, or guarded digit by digit."""
        total = number(algebra, digits, sizes)
        if total is not None:
            return self._word(algebra, total, [], ())
        terms, guards = [], []
        for d, (digit, size) in enumerate(zip(digits, sizes, strict=True)):
            expr = self.words.expr(algebra, digit)
            terms.append(WordExpr("scale", (expr,), (BASE**d,)) if d else expr)
            guards += [
                WordExpr("ge", (expr,), (0,)),
                WordExpr("not", (WordExpr("ge", (expr,), (size,)),)),
            ]
        return RowWord(WordExpr("sum", tuple(terms)), conjunction(guards), False)


def _selectors(algebra: Algebra, polys: list[Poly], lone: bool = False) -> list[int]:
    """Atoms that choose between formulas, the likeliest first.

    A step or a bit that multiplies others; the one that multiplies most comes first, then the one
    that was created first.
    """
    counts: Counter[int] = Counter()
    for poly in polys:
        for monomial in poly:
            if lone or len(monomial) > 1:
                for i in monomial:
                    counts[i] += 2 if isinstance(algebra.atoms[i], StepAtom) else 1
    if lone:
        return sorted(i for i in counts if isinstance(algebra.atoms[i], StepAtom))
    usable = [
        i
        for i in counts
        if isinstance(algebra.atoms[i], StepAtom | Bit)
        or (isinstance(algebra.atoms[i], Tab) and algebra.boolean(i))
    ]
    return sorted(usable, key=lambda i: (not _decodes(algebra, i), -counts[i], i))


def _choosers(algebra: Algebra, polys: list[Poly]) -> list[int]:
    """The one or two atoms that multiply many others, where a formula chooses between fields."""
    counts: Counter[int] = Counter()
    for poly in polys:
        for monomial in poly:
            if len(monomial) > 1:
                counts.update(monomial)
    chosen = [i for i, count in counts.items() if count >= MANY]
    return sorted(chosen, key=lambda i: (-counts[i], i)) if len(chosen) <= 2 else []


def _decodes(algebra: Algebra, number_: int) -> bool:
    """Whether an atom is a step over few bits."""
    if not isinstance(algebra.atoms[number_], StepAtom):
        return False
    inner = algebra.nested({(number_,): 1})
    return sum(isinstance(algebra.atoms[i], Bit) for i in inner) <= FEW_BITS


def _by_amount(
    tree: Tree, amount: WordExpr, decided: int, so_far: int, cases: dict[int, RowLeaf]
) -> bool:
    """Collect leaves below splits on all low bits of a word; return whether nothing else splits."""
    if isinstance(tree, RowLeaf):
        cases[so_far] = tree
        return decided + 1 in WIDTHS
    condition = tree.condition
    if condition.kind != "field" or condition.parts != (amount,) or condition.data[1] != 1:
        return False
    bit = 1 << condition.data[0]
    if decided & bit:
        return False
    return _by_amount(tree.yes, amount, decided | bit, so_far | bit, cases) and _by_amount(
        tree.no, amount, decided | bit, so_far, cases
    )


def leaves(tree: Tree) -> Iterator[RowLeaf]:
    """All leaves of a tree."""
    if isinstance(tree, RowLeaf):
        yield tree
    else:
        yield from leaves(tree.yes)
        yield from leaves(tree.no)


def own_expressions(tree: Tree) -> set[WordExpr]:
    """The expressions of a leaf or of a condition, with those of its queries."""
    if isinstance(tree, RowLeaf):
        exprs = {e for w in tree.words for e in (w.expr, w.guard) if e is not None}
    else:
        exprs = {tree.condition}
    for query in tree.queries.values():
        exprs |= {*query.tags, query.index.expr, *filter(None, [query.index.guard])}
    return exprs


def expressions(tree: Tree) -> set[WordExpr]:
    """All expressions of a tree."""
    if isinstance(tree, RowLeaf):
        return own_expressions(tree)
    return own_expressions(tree) | expressions(tree.yes) | expressions(tree.no)


def size(tree: Tree) -> int:
    """How many expressions a tree has."""
    seen: set[WordExpr] = set()
    todo = [*expressions(tree)]
    while todo:
        expr = todo.pop()
        if expr not in seen:
            seen.add(expr)
            todo += expr.parts
    return len(seen)
