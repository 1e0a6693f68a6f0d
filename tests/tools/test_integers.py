"""Claims of short trees over integers: what a file says of tokens is true of them.

A file that says something false of a token proves nothing. So each fact is evaluated on tokens, as
SMT-LIB means it, by the evaluator here.
"""

import json
import operator
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tools.short.catalogue import catalogue
from tools.short.floats import VALUE
from tools.short.forms import F, added
from tools.short.prove import cases, checker
from tools.short.rows import Known, Shortener
from transputer.engines.lifted.decoder.expr import WordExpr, word
from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.proved import Fixed, Packer, ProvedRows
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model

Text = str | list[Any]
#: Known bits of parts: first, count and value, by source and part.
Bits = dict[tuple[int, int], tuple[int, int, int]]
OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda *terms: sum(terms),
    "-": lambda *terms: -terms[0] if len(terms) == 1 else terms[0] - sum(terms[1:]),
    "*": operator.mul, "=": operator.eq, "<": operator.lt, "<=": operator.le,
    ">=": operator.ge, ">": operator.gt, "and": lambda *facts: all(facts),
    "or": lambda *facts: any(facts), "not": operator.not_, "=>": lambda p, q: not p or q,
    "ite": lambda condition, yes, no: yes if condition else no,
    "div": lambda x, m: x // m,  # as in SMT-LIB, for divisors above 0
    "digit": lambda x, d, c: max((v for v in range(256) if x >= v * d + v * v * c), default=0),
}  # fmt: skip


def read(text: str) -> Iterator[Text]:
    """The expressions of a text."""
    stack: list[list[Any]] = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    yield from stack[0]


def evaluated(text: Text, names: dict[str, int]) -> Any:
    """What an expression is."""
    if isinstance(text, str):
        return True if text == "true" else names[text] if text in names else int(text)
    return OPERATORS[text[0]](*(evaluated(part, names) for part in text[1:]))


class Said:
    """All that is said of the formulas of a row on a token, with what it should be."""

    def __init__(self, writer: Any, exprs: dict[int, WordExpr], known: Known) -> None:
        self.writer, self.exprs, self.memo = writer, exprs, {}
        self.known = known
        self.numbers: dict[str, int] = {}
        self.facts = 0
        keys = {name: key for key, name in writer.names.items()}
        for name, definition in writer.definitions.items():
            for one in read(definition):
                self._take(name, keys[name], one)

    def _take(self, name: str, key: tuple[Any, ...], one: Any) -> None:
        if one[0] == "define-fun":
            self.numbers[name] = evaluated(one[-1], self.numbers)
        elif one[0] == "declare-const":
            self.numbers[name] = self._token(key)
        else:
            assert one[0] == "assert"
            assert evaluated(one[1], self.numbers), (name, one)
            self.facts += 1

    def value(self, node: int) -> int:
        """A node of the row."""
        return self.exprs[node]._value(self.known, self.memo)

    def _token(self, key: tuple[Any, ...]) -> int:
        kind, *rest = key
        if kind in ("slice", "field"):
            word, first, last = rest
            count = last - first if kind == "slice" else last
            return self.value(word) >> first & (1 << count) - 1
        if kind == "word":
            return self.known[rest[0], rest[1]]
        if kind == "product":
            return self.numbers[rest[0]] * self.numbers[rest[1]]
        if kind == "digit":
            return int(evaluated(next(read(f"(digit {rest[0]})")), self.numbers))
        nodes = self.writer.nodes
        (node,) = (n for n, (k, p, d) in enumerate(nodes) if (k, *p, *d) == key)
        return self.value(node)


@pytest.fixture(scope="module")
def shipped() -> ProvedRows:
    rows = lifting(model(), frozenset([STATUS])).proved
    assert rows is not None
    return rows


def check(frame: DecoderFrame, packer: Packer, fixed: Fixed, bits: Bits, known: Known) -> int:
    """All that is said of a packer's formulas; return how many facts that are."""
    exprs = {n: expr for expr, n in packer._numbers.items()}
    nodes = json.loads(json.dumps(packer.nodes))
    writer = checker().Integers(checker().Tokens(nodes, frame.groups, frame.sizes), fixed, bits)
    terms = {node: writer.term(node) for node in exprs}
    said = Said(writer, exprs, known)
    for node, term in terms.items():
        value = said.value(node)
        assert term.low <= value <= term.high, exprs[node]
        assert evaluated(next(read(writer.fit(term, 0))), said.numbers) == value, exprs[node]
    return said.facts


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("i32.div_u", 0),
        ("i32.div_s", 1),
        ("i64.div_s", 3),
        ("f64.div", 3),
        ("f64.div", 1),
        ("f64.sqrt", 4),
    ],
)
def test_what_is_said_of_tokens_is_true(name: str, phase: int, shipped: ProvedRows) -> None:
    fetched, own = shipped.frame.setting.controls
    numbers = {(f[fetched], f[own]): n for n, f in enumerate(shipped.chosen)}
    number = numbers[OPCODES[name], phase]
    fixed, derived, short = shipped.chosen[number], shipped.derived(number), shipped.short[number]
    rules = next(rules for op, p, rules in catalogue() if (op, p) == (name, phase))
    packer = Packer()
    split = cases(shipped.frame, rules.cases)
    assert not any(isinstance(case, WordExpr) for case in split)
    packer.tree(derived)
    packer.tree(short)
    rng = random.Random(f"{name} {phase}")
    shortener = Shortener(shipped.frame, frozenset([STATUS]), fixed, rules, rng)
    variables = {v for expr in packer._numbers for v in expr.variables}
    for _ in range(10):
        known = shortener._token(variables)
        bits = {}
        for case in split:
            assert isinstance(case, tuple)
            source, part, first, count = case
            group, shift = shipped.frame.place[part]
            value = known[source, group] >> shift + first & (1 << count) - 1
            bits[source, part] = first, count, value
        assert check(shipped.frame, packer, fixed, bits, known) > 50


def test_what_is_said_of_rests_is_true(shipped: ProvedRows) -> None:
    """Sums less a floor of the same sum, or of another one, and products of bits and gates."""
    rng = random.Random(5)
    for _ in range(200):
        packer, known = (
            Packer(),
            {(-1, VALUE): rng.getrandbits(64), (3, VALUE): rng.getrandbits(64)},
        )
        fields = [F(word(h, VALUE))[8 * i : 8 * i + 8] for h in (-1, 3) for i in range(8)]
        whole = added(
            *(f * rng.choice((1, -1, 3, 256, -512, 65536)) for f in rng.sample(fields, 4))
        )
        whole = whole + rng.randrange(-300, 300)
        other = rng.choice((whole, whole + rng.choice((1, 256)), whole + rng.choice(fields)))
        by, sign = rng.choice((7, 256, 256, 65536, 1 << 24)), rng.choice((1, -1))
        less = whole * sign - (other * sign // by) * by
        gate = rng.choice(fields) >= 128
        for made in (F(WordExpr("clamp", (less.expr,), (by,))), other % by, gate * other * gate):
            packer.expr((made * rng.choice(fields)).expr)
        check(shipped.frame, packer, {}, {}, known)
