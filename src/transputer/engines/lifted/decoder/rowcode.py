"""Rows as C: a function per row over the arrays of a session, whatever the program.

A row's function computes the words of the next token from those of the last one and from what
heads read, as its formulas say, and writes the token to the arrays. A step looks the instruction
up and calls the function of its row. No program is compiled into it, so the code of a row is
compiled once per model.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from math import prod

from transputer.engines.lifted.decoder.block import same_word
from transputer.engines.lifted.decoder.bytecode import interpreter
from transputer.engines.lifted.decoder.circuit import OWN, Fixed
from transputer.engines.lifted.decoder.cprint import HEAD, Printer, number
from transputer.engines.lifted.decoder.expr import Variable, WordExpr, num, word
from transputer.engines.lifted.decoder.rows import (
    Query,
    RowLeaf,
    RowWord,
    Tree,
    expressions,
    leaves,
    size,
)
from transputer.engines.lifted.decoder.shelf import KeyClass, Shelf
from transputer.engines.lifted.decoder.terms import Range, Terms

#: The last step of a run is taken from its formulas, not by code, if it has more expressions.
ENDING = 60
#: Why the code of rows stops: after all steps, after one that stops, before one that it cannot
#: take, before one whose array is missing, before one whose row is missing, after one whose token
#: has to be looked at, after one that filled the room for tokens to be seen.
DONE, STOPPED, OUT, ARRAY, ROW, UNPROVED, FULL = range(7)
#: What is said of a value of the part that tells keys apart: its tokens are to be seen; a token
#: with it may be one that a head with a constant query attends to, or a special one.
SEEN, UNSAFE = 1, 2

#: What the code of rows begins with, after HEAD of `cprint`.
STATE = """
typedef struct { uint64_t word, held; } Entry;
typedef struct { uint64_t word; } Bare;
typedef struct State State;
typedef int (*Row)(State *);
struct State {
    int64_t left, tally, rows, room, slot, marked, extra, next, from, enterable, fed, feeds;
    uint64_t *seen, *tape;
    Entry **arrays;
    const uint8_t *ready, *marks, *flags;
    const uint64_t *fixed, *special;
    uint32_t *visits, *used;
    const int32_t *enter;
    int64_t (*blocks)(State *, int64_t);
    const uint64_t *feed;
    uint64_t word[GROUPS];
};
"""


#: Products that a word is a factor of, so that it is worth to print a row for 0 apart.
FACTOR = 8
#: Kinds that need no name.
PLAIN = ("num", "word", "var")
#: A term of a sum: its weight and its factors.
Addend = tuple[int, tuple[WordExpr, ...]]


class RowPrinter:
    """Prints the function of one row.

    A leaf that may end the run and has more than `ending` expressions is left to its formulas.
    """

    ending = ENDING
    #: Whether each leaf computes the words that depend on what was compared, and a word that is a
    #: factor in many places is compared with 0 first: more code, of which less is executed.
    spreads = False

    def __init__(self, shelf: Shelf, tables: dict[tuple[int, ...], str]) -> None:
        self.shelf, self.frame = shelf, shelf.frame
        self.terms = Terms(self.frame.width)
        self.printer = Printer(self.terms)
        self.printer.tables = tables
        self.lines: list[str] = []
        self._named: dict[WordExpr, WordExpr] = {}
        self._meaning: dict[WordExpr, WordExpr] = {}
        self._heads: dict[Variable, WordExpr] = {}
        self._memo: dict[WordExpr, WordExpr] = {}
        self._fixed: dict[Variable, WordExpr] = {}
        self._uses: Counter[WordExpr] = Counter()
        self._count = 0

    def function(self, name: str, fixed: Fixed, tree: Tree) -> str:
        """The function of a row, which chooses by what is fixed."""
        self._begin()
        self._fixed = self._words_of(fixed)
        self._uses = _uses(tree)
        factors = [e for e, count in self._factors().items() if count >= FACTOR]
        self._apart(factors if self.spreads else [], tree)
        body = [*self.opening(), *self.lines]
        return "\n".join([f"static int {name}(State *s) {{", *body, "}", ""])

    def opening(self) -> list[str]:
        """Declarations of the words that were used."""
        return [f"const uint64_t w{g} = s->word[{g}];" for g in sorted(self.printer.used)]

    def _begin(self) -> None:
        self.lines = []
        self._named, self._heads, self._memo, self._fixed = {}, {}, {}, {}

    def fetched(self) -> dict[int, str]:
        """Texts of the words of the instruction that is fetched, as far as controls need them."""
        self._begin()
        fetch = self.frame.setting.fetch
        groups = {self.frame.place[p][0] for s, p in self.frame.setting.controls if s == fetch}
        return {g: self.printer.word(self._load(fetch, g, {}, must=True)) for g in groups}

    def note(self) -> str:
        """The function that writes the last token to its arrays."""
        self._begin()
        words = [word(OWN, g) for g in range(len(self.frame.groups))]
        self._commit(words, [self.printer.word(w) for w in words])
        lines = "\n".join([*self.opening(), *self.lines])
        return f"static int note(State *s) {{\n{lines}\nreturn 0;\n}}"

    def _words_of(self, fixed: Fixed) -> dict[Variable, WordExpr]:
        """Words that are fixed whole."""
        result = {}
        for (source, part), value in fixed.items():
            group, _ = self.frame.place[part]
            if len(self.frame.groups[group]) == 1:
                result[source, group] = num(value)
        return result

    # Trees

    def _factors(self) -> Counter[WordExpr]:
        """In how many products each word of the last token is a factor."""
        products = (e for e in self._uses if e.kind == "product")
        return Counter(
            f for e in products for f in {*e.parts} if f.kind == "word" and f.data[0] == OWN
        )

    def _apart(self, words: list[WordExpr], tree: Tree) -> None:
        """Print the tree for words that are 0, and for words that are not."""
        if not words:
            self._tree(tree)
            return
        condition = self.terms.equal(words[0], 0)
        self._branch(condition, lambda truth: self._apart(words[1:], tree))

    def _tree(self, tree: Tree) -> None:
        if isinstance(tree, RowLeaf):
            self._leaf(tree)
            return
        condition = self._value(tree.condition, tree.queries)
        if condition.kind == "num":
            self._tree(tree.yes if condition.data[0] else tree.no)
            return
        self._hoist([*leaves(tree)], tree.condition)
        self._branch(
            self._lowered(condition), lambda truth: self._tree(tree.yes if truth else tree.no)
        )

    def _branch(self, condition: WordExpr, side: Callable[[bool], None]) -> None:
        """Print what is done where a condition holds, and where it does not."""
        known, names = self.terms.known(), (self._named, self._heads, self._memo)
        for truth, opening in (
            (True, f"if ({self.printer.test(condition)}) {{"),
            (False, "} else {"),
        ):
            self.lines.append(opening)
            self._named, self._heads, self._memo = dict(names[0]), dict(names[1]), dict(names[2])
            self._assume(condition, truth)
            side(truth)
            self.terms.forget(dict(known))
        self.lines.append("}")
        self._named, self._heads, self._memo = names

    def _assume(self, condition: WordExpr, truth: bool = True) -> None:
        """A condition holds, or does not, and so does what it is the name of."""
        self.terms.assume(condition, truth)
        if condition.kind == "not":
            self._assume(condition.parts[0], not truth)
        elif condition in self._meaning:
            self._assume(self._meaning[condition], truth)

    def _hoist(self, below: list[RowLeaf], condition: WordExpr) -> None:
        """Compute words before a condition that does not change them, unless the run may end."""
        first = below[0]
        if any(map(self.shelf.ends, below)):
            return
        for g, row_word in enumerate(first.words):
            later = self.spreads and depends(row_word.expr, {*condition.parts})
            if row_word.expr.parts and same_word(below, g) and not later:
                self._word(row_word, first.queries)

    def _leaf(self, leaf: RowLeaf) -> None:
        if self.shelf.ends(leaf) and size(leaf) > self.ending:
            self.lines.append(f"return {OUT};")
            return
        words = [self._word(w, leaf.queries) for w in leaf.words]
        texts = [self.printer.word(w) for w in words]
        self._commit(words, texts)
        for g, (expr, text) in enumerate(zip(words, texts, strict=True)):
            if expr is not word(OWN, g):
                self.lines.append(f"s->word[{g}] = {text};")
        self.lines.append(f"return {DONE};")

    def _commit(self, words: Sequence[WordExpr], texts: Sequence[str]) -> None:
        """Write a token to its arrays."""
        for owner in self.shelf.classes:
            self._check(owner, words)
        for owner in self.shelf.classes:
            self._write(owner, words, texts)

    def _word(self, row_word: RowWord, queries: Mapping[int, Query]) -> WordExpr:
        if row_word.guard is not None:
            self._require(self._value(row_word.guard, queries))
        return self._name(self._value(row_word.expr, queries))

    # Values

    def _value(self, expr: WordExpr, queries: Mapping[int, Query]) -> WordExpr:
        """An expression of the row; what occurs in several places is a variable."""
        value = self._memo.get(expr)
        if value is None:
            if expr.kind == "num":
                value = expr
            elif expr.kind == "word":
                value = self._read((expr.data[0], expr.data[1]), queries)
            elif expr.kind == "sum":
                value = self._sum(addends(expr.parts), queries)
            else:
                parts = [self._value(p, queries) for p in expr.parts]
                value = self.terms.made(expr.kind, parts, expr.data)
            if self._uses[expr] > 1 and not is_scaled(value):
                value = self._name(value)
            self._memo[expr] = value
        if value.kind in ("var", "word"):
            lo, hi = self.terms.bounds(value)  # a condition that was tested is a number
            return num(lo) if lo == hi else value
        return value

    def _sum(self, terms: Sequence[Addend], queries: Mapping[int, Query]) -> WordExpr:
        """A sum; factors that terms have in common are outside of brackets.

        What is inside is often what was compared to get the factor, and has a name then.
        """
        shared = Counter(f for _, factors in terms if len(factors) > 1 for f in {*factors})
        most = max(shared.values(), default=0)
        if most < 2:
            values = [
                self.terms.product(num(weight), self._product(factors, queries))
                for weight, factors in terms
            ]
            return self.terms.joined(self.terms.made("sum", values, ()))
        common = next(f for f, count in shared.items() if count == most)
        inside, outside = [], []
        for weight, factors in terms:
            if len(factors) > 1 and common in factors:
                at = factors.index(common)
                inside.append((weight, factors[:at] + factors[at + 1 :]))
            else:
                outside.append((weight, factors))
        bracket, factor = self.terms.reduced(self._sum(inside, queries))
        product = self.terms.product(self._value(common, queries), bracket)
        rest = self._sum(outside, queries) if outside else num(0)
        return self.terms.joined(self.terms.plus(rest, product, factor))

    def _product(self, factors: Sequence[WordExpr], queries: Mapping[int, Query]) -> WordExpr:
        values = [self._value(f, queries) for f in factors]
        return reduce(self.terms.product, values, num(1))

    def _read(self, variable: Variable, queries: Mapping[int, Query]) -> WordExpr:
        if variable in self._fixed:
            return self._fixed[variable]
        if variable[0] == OWN:
            return word(OWN, variable[1])
        if variable not in self._heads:
            self._heads[variable] = self._load(variable[0], variable[1], queries)
        return self._heads[variable]

    def _fresh(self, reach: Range) -> WordExpr:
        self._count += 1
        variable = WordExpr("var", (), (self._count,))
        self.terms.ranges[variable] = reach
        return variable

    def _name(self, expr: WordExpr) -> WordExpr:
        """A variable for an expression, and before it one for each of its parts."""
        if is_plain(expr):
            return expr
        if expr not in self._named:
            lowered = self._lowered(expr)
            variable = self._fresh(self.terms.bounds(expr))
            if self.printer.fits(expr):
                kind, text = "uint64_t", self.printer.word(lowered)
            else:
                self.printer.wide.add(variable)
                kind, text = self.printer.type_of(lowered), self.printer.exact(lowered)
            self.lines.append(f"const {kind} v{variable.data[0]} = {text};")
            self._named[expr], self._meaning[variable] = variable, lowered
        return self._named[expr]

    def _lowered(self, expr: WordExpr) -> WordExpr:
        """The same with variables as its parts."""
        if not expr.parts:
            return expr
        plain = expr.kind in ("not", "matches")
        parts = [p if plain and p.kind == "ge" else self._name(p) for p in expr.parts]
        if expr.kind == "lin":
            total: dict[WordExpr, int] = {}
            for part, weight in zip(parts, expr.data[:-1], strict=True):
                total[part] = total.get(part, 0) + weight
            return self.terms.linear(total, expr.data[-1])
        return WordExpr(expr.kind, tuple(parts), expr.data)

    def _require(self, condition: WordExpr) -> None:
        if condition.kind == "num":
            if not condition.data[0]:
                self.lines.append(f"return {OUT};")
            return
        lowered = self._lowered(condition)
        self.lines.append(f"if (!({self.printer.test(lowered)})) return {OUT};")
        self.terms.assume(condition)

    # Arrays

    def _load(
        self, head: int, group: int, queries: Mapping[int, Query], must: bool = False
    ) -> WordExpr:
        reach = 0, (1 << self.frame.width[group]) - 1
        if head in self.shelf.fixed:
            at = self.shelf.fixed[head] * len(self.frame.groups) + group
            return self._declared(f"s->fixed[{at}]", reach)
        setting = self.frame.setting
        query = self.frame.fetched if head == setting.fetch else queries[head]
        if not query.hits:
            self.lines.append(f"return {OUT};")
        if query.index.guard is not None:
            self._require(self._value(query.index.guard, queries))
        owner = self.shelf.by_head[head]
        index = self._index(owner, self._value(query.index.expr, queries))
        entry = self._entry(owner, self._value(query.tags[0], queries), group, index)
        if query.falls_back:
            return self._declared(f"{entry}.held ? {entry}.word : s->special[{group}]", reach)
        if must or head != setting.fetch:  # an instruction that was fetched is there
            self.lines.append(f"if (!{entry}.held) return {OUT};")
        return self._declared(f"{entry}.word", reach)

    def _declared(self, text: str, reach: Range) -> WordExpr:
        variable = self._fresh(reach)
        self.lines.append(f"const uint64_t v{variable.data[0]} = {text};")
        return variable

    def _index(self, owner: KeyClass, index: WordExpr) -> str:
        return self.printer.word(self._name(self._digits(owner, index)))

    def _digits(self, owner: KeyClass, index: WordExpr) -> WordExpr:
        """The digits of a word that are an index."""
        most = 256**owner.digits
        lo, hi = self.terms.bounds(index)
        return self.terms.remainder(index, most) if lo < 0 or hi >= most else index

    def _entry(self, owner: KeyClass, tag: WordExpr, group: int, index: str) -> str:
        """The name of an entry; it is not held where no token has the tag."""
        self._count += 1
        name, count = f"e{self._count}", len(self.frame.groups)
        if tag.kind == "num":
            slot = owner.slot(tag.data[0])
            if slot is None or group not in self.shelf.groups(slot):
                self.lines.append(f"const Entry {name} = {{0, 0}};")
                return name
            array = f"s->arrays[{slot * count + group}]"
            bare = str(int(self.shelf.bare(slot, group)))
            if slot in self.shelf.certain and bare == "0":
                self.lines.append(f"const Entry {name} = {array}[{index}];")
                return name
        else:
            offset = number(owner.first - owner.low)
            self.lines.append(
                f"const int64_t t{name} = {self.printer.exact(self._name(tag))} + {offset};"
            )
            inside = f"t{name} >= {owner.slots.start} && t{name} < {owner.slots.stop}"
            array = f"{inside} ? s->arrays[t{name} * {count} + {group}] : 0"
            bare = self._bare(owner, group, f"t{name}")
        there = f"a{name}[{index}]"
        if bare != "0":
            there = f"{bare} ? (Entry){{((Bare *)a{name})[{index}].word, 1}} : {there}"
        self.lines += [
            f"Entry *const a{name} = {array};",
            f"const Entry {name} = !a{name} ? (Entry){{0, 0}} : {there};",
        ]
        return name

    def _bare(self, owner: KeyClass, group: int, slot: str) -> str:
        """Whether the array of a slot of a class has words alone, in C."""
        bare = tuple(int(self.shelf.bare(s, group)) for s in owner.slots)
        return f"{self._table(bare)}[{slot} - {owner.first}]" if any(bare) else "0"

    def is_bare(self) -> str:
        """The function that tells whether an array has words alone."""
        cases = []
        for group in range(len(self.frame.groups)):
            tests = [
                f"slot >= {owner.slots.start} && slot < {owner.slots.stop} && {bare}"
                for owner in self.shelf.classes
                if (bare := self._bare(owner, group, "slot")) != "0"
            ]
            if tests:
                cases.append(f"case {group}: return {' || '.join(map('({})'.format, tests))};")
        body = f"switch (group) {{ {' '.join(cases)} }} return 0;"
        return f"static int is_bare(int64_t slot, int64_t group) {{ {body} }}\n"

    def _table(self, values: tuple[int, ...]) -> str:
        """The name of a table."""
        return self.printer.tables.setdefault(values, f"T{len(self.printer.tables)}")

    def _slot(self, owner: KeyClass, words: Sequence[WordExpr]) -> int | str:
        """The slot that a token goes to: a number, or a text."""
        group = self.frame.place[owner.part][0]
        value = words[group]
        if value.kind == "num":
            return owner.slot_of(value.data[0])
        table = tuple(owner.first + tag - owner.low for tag in owner.table)
        return f"{self._table(table)}[{self.printer.word(value)}]"

    def _check(self, owner: KeyClass, words: Sequence[WordExpr]) -> None:
        """The arrays that a token goes to must be there."""
        slot = self._slot(owner, words)
        if isinstance(slot, str) or (slot not in self.shelf.certain and self.shelf.groups(slot)):
            test = f"if (!s->ready[{slot}])"
            self.lines.append(f"{test} {{ s->slot = {slot}; return {ARRAY}; }}")
        limits = tuple(self.shelf.reach(s) or 1 << 62 for s in owner.slots)
        limit = limits[slot - owner.first] if isinstance(slot, int) else min(limits)
        index = self._digits(owner, words[owner.group])
        if self.terms.bounds(index)[1] >= limit:
            most = number(limit)
            if isinstance(slot, str):
                most = f"{self._table(limits)}[{slot} - {owner.first}]"
            self.lines.append(
                f"if ({self.printer.word(self._name(index))} >= {most}) return {OUT};"
            )

    def _write(self, owner: KeyClass, words: Sequence[WordExpr], texts: Sequence[str]) -> None:
        slot, count = self._slot(owner, words), len(self.frame.groups)
        slots = [slot] if isinstance(slot, int) else owner.slots
        groups = sorted({g for s in slots for g in self.shelf.groups(s)})
        if not groups:
            return
        index = self._index(owner, words[owner.group])
        for g in groups:
            place = f"s->arrays[{slot} * {count} + {g}]"
            entry = f"{place}[{index}] = (Entry){{{texts[g]}, 1}};"
            word_alone = f"((Bare *){place})[{index}].word = {texts[g]};"
            if isinstance(slot, int):
                there = f"if ({place}) " if self.shelf.optional(slot, g) else ""
                self.lines.append(there + (word_alone if self.shelf.bare(slot, g) else entry))
                continue
            bare = self._bare(owner, g, slot)
            store = entry if bare == "0" else f"if ({bare}) {word_alone} else {entry}"
            self.lines.append(f"if ({place}) {{ {store} }}")


class SpreadPrinter(RowPrinter):
    """Prints a row that is used often."""

    spreads = True


def depends(expr: WordExpr, others: set[WordExpr]) -> bool:
    """Whether one of the others, if it has parts itself, is a part of an expression."""
    todo, seen = [expr], {expr}
    while todo:
        one = todo.pop()
        if one in others and one.parts:
            return True
        todo += [part for part in one.parts if part not in seen]
        seen.update(one.parts)
    return False


def is_plain(expr: WordExpr) -> bool:
    """Whether it needs no name: a number, a word, a variable, or bits of one."""
    return expr.kind in PLAIN or (expr.kind == "field" and expr.parts[0].kind in PLAIN)


def is_scaled(expr: WordExpr) -> bool:
    """Whether it is plain but for a factor: without a name, sums of such are found to be equal."""
    return is_plain(expr) or (
        expr.kind == "lin" and len(expr.parts) == 1 and not expr.data[1] and is_plain(expr.parts[0])
    )


def addends(parts: Iterable[WordExpr]) -> list[Addend]:
    """The terms of a sum."""
    terms: list[Addend] = []
    for part in parts:
        weight, rest = 1, part
        while rest.kind == "scale":
            weight, rest = weight * rest.data[0], rest.parts[0]
        if rest.kind == "num":
            terms.append((weight * rest.data[0], ()))
        else:
            terms.append((weight, _factors(rest)))
    return terms


def _factors(expr: WordExpr) -> tuple[WordExpr, ...]:
    if expr.kind != "product":
        return (expr,)
    return tuple(f for part in expr.parts for f in _factors(part))


def _uses(tree: Tree) -> Counter[WordExpr]:
    """In how many expressions each expression of a tree occurs."""
    uses: Counter[WordExpr] = Counter()
    todo = [*expressions(tree)]
    while todo:
        expr = todo.pop()
        uses[expr] += 1
        if uses[expr] == 1:
            todo += expr.parts
    return uses


def row_source(
    shelf: Shelf,
    rows: Mapping[int, tuple[Fixed, Tree]],
    printer: type[RowPrinter] = RowPrinter,
) -> str:
    """A file with the functions of rows, which it puts into a table at their numbers."""
    tables: dict[tuple[int, ...], str] = {}
    functions = [
        printer(shelf, tables).function(f"row{which}", fixed, tree)
        for which, (fixed, tree) in rows.items()
    ]
    places = "\n".join(f"    table[{which}] = row{which};" for which in rows)
    return "\n".join(
        [
            *(f"#define GROUPS {len(shelf.frame.groups)}", HEAD, STATE, table_texts(tables)),
            *functions,
            f"void rows_table(Row *table) {{\n{places}\n}}",
        ]
    )


def numbered(shelf: Shelf, fixed: Fixed) -> int:
    """The number of a row."""
    which, stride = 0, 1
    for control in shelf.frame.setting.controls:
        which += stride * fixed[control]
        stride *= shelf.frame.sizes[control[1]]
    return which


def row_count(shelf: Shelf) -> int:
    """How many rows there may be."""
    return prod(shelf.frame.sizes[part] for _, part in shelf.frame.setting.controls)


def driver_source(
    shelf: Shelf, printer: type[RowPrinter] = RowPrinter, interprets: bool = False
) -> str:
    """A file with what takes steps by calling rows, and what notes tokens of the host.

    With `interprets`, rows that are not compiled are interpreted, if there is a block.
    """
    frame, setting, count = shelf.frame, shelf.frame.setting, len(shelf.frame.groups)
    tables: dict[tuple[int, ...], str] = {}
    row = printer(shelf, tables)
    fetched = row.fetched()
    which, stride = [], 1
    for source, part in setting.controls:
        group, shift = frame.place[part]
        text = f"s->word[{group}]" if source == OWN else fetched[group]
        digit = text if len(frame.groups[group]) == 1 else f"({text} >> {shift} & 255)"
        which.append(f"{digit} * {stride}")
        stride *= frame.sizes[part]
    marked, counted = "0", shelf.want.counted
    if counted is not None:
        group = frame.place[counted.address[0]][0]
        zero = frame.place[counted.zero][0]
        marked = f"!s->word[{zero}] && s->word[{group}] < s->marked && s->marks[s->word[{group}]]"
    stops = " || ".join(f"s->word[{frame.place[p][0]}]" for p in shelf.want.stops) or "0"
    address, *rest = setting.static
    others = "".join(f" && !s->word[{g}]" for g in rest)
    hungry, fed = "0", (0, 0)
    if (wait := shelf.want.feed) is not None:
        fed = frame.place[wait.part][0], frame.place[wait.into][0]
        hungry = f"s->fed < s->feeds && s->word[{fed[0]}] == {wait.value}"
    flagged = frame.place[shelf.classes[-1].part][0]
    note = printer(shelf, tables).note()
    more, blocks, taken = "", "", "table[which](s)"
    if interprets:
        more, blocks = row.is_bare() + interpreter(OUT), ", const int64_t **blocks"
        taken = "table[which] ? table[which](s) : interpret(s, blocks[which])"
    missing = "!table[which] && !blocks[which]" if interprets else "!table[which]"
    return f"""#define GROUPS {count}
{HEAD}{STATE}{table_texts(tables)}
{note}
{more}
int64_t rows_run(State *s, Row *table{blocks}) {{
    while (s->left > 0) {{
        if (s->enter && !s->tape && s->word[{address}] < s->enterable{others}) {{
            const int32_t block = s->enter[s->word[{address}]];
            if (block >= 0) {{
                const int64_t before = s->left;
                if (s->blocks(s, block) == {FULL}) return {FULL};
                if (s->left != before) continue;
            }}
        }}
        {" ".join(row.opening())}
        {" ".join(row.lines)}
        const uint64_t which = {" + ".join(which)};
        if ({missing}) {{ s->slot = which; return {ROW}; }}
        if (s->word[{address}] < s->marked) s->visits[s->word[{address}]]++;
        s->used[which]++;
        const int64_t mark = {marked};
        const int reason = {taken};
        if (reason) return reason;
        s->left--;
        s->tally += mark;
        if (s->tape) {{
            for (int g = 0; g < GROUPS; g++) s->tape[g] = s->word[g];
            s->tape += GROUPS;
        }}
        const uint8_t flags = s->flags[s->word[{flagged}]];
        if (flags & {SEEN}) {{
            for (int g = 0; g < GROUPS; g++) s->seen[s->rows * GROUPS + g] = s->word[g];
            s->rows++;
        }}
        if (flags & {UNSAFE}) return {UNPROVED};
        if ({stops}) {{
            if (!({hungry})) return {STOPPED};
            s->word[{fed[0]}] = 0;
            s->word[{fed[1]}] = s->feed[s->fed++];
            if (note(s)) return {OUT};
        }}
        if (s->rows == s->room) return {FULL};
    }}
    return {DONE};
}}
int64_t rows_note(State *s, const uint64_t *words, int64_t count) {{
    for (int64_t i = 0; i < count; i++) {{
        for (int g = 0; g < GROUPS; g++) s->word[g] = words[i * GROUPS + g];
        if (note(s)) return i;
    }}
    return count;
}}
"""


def table_texts(tables: Mapping[tuple[int, ...], str]) -> str:
    """The tables of a file."""
    return "\n".join(
        f"static const int64_t {name}[] = {{{', '.join(map(number, values))}}};"
        for values, name in tables.items()
    )
