"""The C text of a program: a label for every node, a few integer operations for its step."""

from collections.abc import Callable, Iterable

from transputer.engines.lifted.decoder.atoms import Algebra, Poly, plus
from transputer.engines.lifted.decoder.expr import WordExpr, WordForms
from transputer.engines.lifted.looped.program import LoopedNode, LoopedProgram
from transputer.engines.lifted.looped.tree import (
    DATA,
    INDEX,
    MARKS,
    Best,
    Crowd,
    Fork,
    Selection,
    StepLeaf,
    Tree,
)

#: Bits of a key for which all columns are put into a table.
MAX_TABLE = 16

_HEAD = """\
#include <stdint.h>
typedef uint{width}_t word;
typedef struct {{ int64_t node; word *data; }} State;
static inline int64_t floor_(int64_t z, int64_t m) {{ return z / m - (z % m < 0); }}
"""


class StepEmitter:
    """Prints a program; where a step leads to one of `stops`, the code comes back."""

    def __init__(self, program: LoopedProgram, stops: Iterable[int]) -> None:
        self.program, self.stops = program, set(stops)
        self.width = next(w for w in (8, 16, 32) if w >= len(program.columns.data))
        self.tables: dict[str, str] = {}
        marks = max(1, len(program.stepper.marks))
        self.sizes = [1 << len(program.columns.data), 1 << marks, program.model.columns]
        self.made = {word for words in program.stepper.words for word in words}

    def text(self) -> str:
        """All of it: `lifted_run` makes at most `left` steps, and returns how many are left."""
        nodes = self.program.nodes.values()
        code = [_Step(self, node).text() for node in nodes]
        entries = "".join(f"case {n.number}: goto G{n.number};\n" for n in nodes)
        return (
            f"{_HEAD.format(width=self.width)}{self._marks()}{''.join(self.tables.values())}"
            "int64_t lifted_run(State *state, int64_t left) {\nword *m = state->data;\n"
            "int64_t node = state->node;\n"
            f"switch (node) {{\n{entries}}}\nreturn left;\n{''.join(code)}"
            "out: state->node = node; return left;\n}\n"
        )

    def _marks(self) -> str:
        """The constants of columns that selections look at, as bits."""
        marks, fixed = self.program.stepper.marks, self.program.columns.fixed
        packed = [
            sum(1 << i for i, row in enumerate(marks) if fixed[row, j] > 0)
            for j in range(self.program.model.columns)
        ]
        return f"static const int64_t marks[] = {{{', '.join(map(str, packed))}}};\n"

    def table(self, values: tuple[int, ...]) -> str:
        """The name of a table of numbers."""
        text = ", ".join(map(_number, values))
        name = next((n for n, line in self.tables.items() if f"{{{text}}}" in line), "")
        if not name:
            name = f"table{len(self.tables)}"
            self.tables[name] = f"static const int64_t {name}[] = {{{text}}};\n"
        return name

    def lookup(self, selection: Selection) -> str:
        """The name of a function from the value of bits to a column, 0 where there is none."""
        places = sorted(selection.places)
        low, high = places[0][0], places[-1][0]
        name = f"find{selection.source}_{len(selection.bits)}"
        if name in self.tables:
            return name
        offset = places[0][1] - low
        if all(column - at == offset for at, column in places) and high - low == len(places) - 1:
            body = f"return x >= {low} && x <= {high} ? x + {offset} : 0;"
            title = ""
        elif len(selection.bits) <= MAX_TABLE:
            known = dict(places)
            listed = ", ".join(str(known.get(x, 0)) for x in range(1 << len(selection.bits)))
            title = f"static const int32_t {name}_[] = {{{listed}}};\n"
            body = f"return {name}_[x];"
        else:
            pairs = ", ".join(f"{{{at}, {column}}}" for at, column in places)
            title = f"static const int64_t {name}_[][2] = {{{pairs}}};\n"
            body = (
                f"int64_t a = 0, b = {len(places)};\n"
                f"while (b - a > 1) {{ int64_t c = (a + b) / 2; if ({name}_[c][0] <= x) a = c; "
                f"else b = c; }}\nreturn {name}_[a][0] == x ? {name}_[a][1] : 0;"
            )
        self.tables[name] = f"{title}static inline int64_t {name}(int64_t x) {{ {body} }}\n"
        return name


class _Step:
    """Prints one node."""

    def __init__(self, emitter: StepEmitter, node: LoopedNode) -> None:
        self.emitter, self.node = emitter, node
        self.algebra = Algebra(node.registry)
        self.words = WordForms([(DATA,), (MARKS,), (INDEX,)], emitter.sizes)

    def text(self) -> str:
        number, leave = self.node.number, self._leave()
        if number in self.emitter.stops or self.node.halted:
            arrive = f"S{number}: left--; {leave}\n"
        else:
            arrive = f"S{number}: if (!--left) {leave}\n"
        return f"{arrive}G{number}: {self._tree(self.node.tree)}\n"

    def _tree(self, tree: Tree) -> str:
        if isinstance(tree, str):
            return self._leave()
        if isinstance(tree, StepLeaf):
            return self._leaf(tree)
        yes, no = self._tree(tree.yes), self._tree(tree.no)
        if isinstance(tree.on, Best):
            asked, test = self._search(tree.on), f"t{tree.on.source}"
        elif isinstance(tree.on, Selection):
            asked = f"const int64_t t{tree.on.source} = {self._sought(tree.on)};\n"
            test = f"t{tree.on.source}"
        else:
            asked, test = "", self._poly(self.algebra.atom(tree.on, (0, 1)))
        return f"{{ {self._numbers(tree, asked + test)}{asked}if ({test}) {yes} else {no} }}"

    def _sought(self, selection: Selection) -> str:
        total: Poly = {}
        for i, bit in enumerate(selection.bits):
            total = plus(total, self.algebra.atom(bit, (0, 1)), 1 << i)
        return f"{self.emitter.lookup(selection)}({self._poly(total)})"

    def _search(self, best: Best) -> str:
        """The best of a crowd, 0 where none is good enough; without a word where two are."""
        it, winner = f"t{best.crowd.source}", f"t{best.source}"
        return (
            f"int64_t {winner} = 0, most = {_number(best.own)}; int tie = 0;\n"
            f"{self._each(best.crowd, it)} {{ const int64_t score = {self._poly(best.score)};\n"
            f"if (score > most) {{ most = score; {winner} = {it}; tie = 0; }}\n"
            f"else if (score == most) tie = 1; }}\nif (tie) {self._leave()}\n"
        )

    def _each(self, crowd: Crowd, it: str) -> str:
        """A loop over the columns of a crowd."""
        first, last = crowd.columns[0], crowd.columns[-1]
        if last - first == len(crowd.columns) - 1:
            return f"for (int64_t {it} = {first}; {it} <= {last}; {it}++)"
        name = self.emitter.table(crowd.columns)
        count = len(crowd.columns)
        return f"for (int64_t i_ = 0, {it}; i_ < {count} && ({it} = {name}[i_], 1); i_++)"

    def _leave(self) -> str:
        return f"{{ node = {self.node.number}; goto out; }}"

    def _leaf(self, leaf: StepLeaf) -> str:
        values, writes = "", ""
        for i, (target, bits) in enumerate(leaf.writes):
            total: Poly = {}
            for place, bit in enumerate(bits):
                total = plus(total, bit, 1 << place)
            at = target if isinstance(target, int) else f"t{target.source}"
            values += f"const word v{i} = (word){self._poly(total)}; "
            writes += f"m[{at}] = v{i}; "
        after = self.emitter.program.nodes[leaf.after].number
        return f"{{ {self._numbers(leaf, values)}{values}{writes}goto S{after}; }}"

    def _numbers(self, at: StepLeaf | Fork, text: str) -> str:
        """Declarations of the numbers that a text refers to, and that these refer to."""
        lines = ""
        for source, number in reversed(at.numbers):
            if f"r{source}_" in text + lines:
                value = self._poly(number.poly, number.modulus)
                lines = f"const int64_t r{source}_ = {value};\n{lines}"
        return lines

    def _poly(self, poly: Poly, modulus: int | None = None) -> str:
        return self._printed(self.words.expr(self.algebra, poly, modulus))

    def _printed(self, expr: WordExpr) -> str:
        parts = [self._printed(part) for part in expr.parts]
        if expr.kind == "word":
            return self._word(*expr.data)
        if expr.kind == "table":
            return f"{self.emitter.table(expr.data)}[{parts[0]}]"
        return f"({_KINDS[expr.kind](parts, expr.data)})"

    def _word(self, source: int, group: int) -> str:
        if source < self.emitter.program.model.columns:
            return f"(int64_t)m[{source}]"
        if source in self.emitter.made:
            return f"r{source}_"
        texts = {DATA: "(int64_t)m[t{0}]", MARKS: "marks[t{0}]", INDEX: "t{0}"}
        return texts[group].format(source)


def _number(value: int) -> str:
    return str(value) if abs(value) < 2**31 else f"INT64_C({value})"


def _matches(parts: list[str], data: tuple[int, ...]) -> str:
    pairs = zip(parts, data[::2], data[1::2], strict=True)
    return " && ".join(f"({x} & {_number(mask)}) == {_number(value)}" for x, mask, value in pairs)


#: C for each kind of expression, from its parts and numbers, as 64 bits with a sign.
_KINDS: dict[str, Callable[[list[str], tuple[int, ...]], str]] = {
    "num": lambda p, d: _number(d[0]),
    "sum": lambda p, d: " + ".join(p),
    "scale": lambda p, d: f"{_number(d[0])} * {p[0]}",
    "product": lambda p, d: f"{p[0]} * {p[1]}",
    "and": lambda p, d: f"{p[0]} & {p[1]}",
    "or": lambda p, d: f"{p[0]} | {p[1]}",
    "xor": lambda p, d: f"{p[0]} ^ {p[1]}",
    "field": lambda p, d: f"{p[0]} >> {d[0]} & {_number((1 << d[1]) - 1)}",
    "signed": lambda p, d: f"({p[0]} ^ {_number(1 << d[0] - 1)}) - {_number(1 << d[0] - 1)}",
    "ones": lambda p, d: f"__builtin_popcountll({p[0]})",
    "ge": lambda p, d: f"{p[0]} >= {_number(d[0])}",
    "eq": lambda p, d: f"{p[0]} == {_number(d[0])}",
    "not": lambda p, d: f"!{p[0]}",
    "matches": _matches,
    "floor": lambda p, d: f"floor_({p[0]}, {_number(d[0])})",
    "mod": lambda p, d: f"{p[0]} & {_number(d[0] - 1)}",
}
