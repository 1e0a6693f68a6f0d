"""Short trees of shipped rows: what the derived ones say, on tokens made to meet every corner."""

import hashlib
import json
import random
from pathlib import Path

import pytest

from tools.short.catalogue import catalogue
from tools.short.prove import cases, obligations
from tools.short.rows import Known, Shortener, leaf_of
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.proved import ProvedRows
from transputer.engines.lifted.decoder.rows import Tree, leaves, size
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model

RECORD = Path(__file__).parents[2] / "docs/benchmarks/short.json"
#: Tokens for a row.
TOKENS = 120


@pytest.fixture(scope="module")
def shipped() -> ProvedRows:
    rows = lifting(model(), frozenset([STATUS])).proved
    assert rows is not None
    return rows


def difference(derived: Tree, short: Tree, known: Known) -> str | None:
    """How trees differ on a token, where the guards of the short one hold."""
    one, two = leaf_of(derived, known), leaf_of(short, known)
    for g, (long, other) in enumerate(zip(one.words, two.words, strict=True)):
        if other.guard is None or other.guard.value(known):
            if long.expr.value(known) != other.expr.value(known):
                return f"word {g}"
            if long.guard is not None and not long.guard.value(known):
                return f"guard of word {g}"
    for h, query in two.queries.items():
        if query.index.expr.value(known) != one.queries[h].index.expr.value(known):
            return f"query of head {h}"
    return None


def tokens(shipped: ProvedRows, number: int, rng: random.Random) -> list[Known]:
    fetched, own = shipped.frame.setting.controls
    fixed = shipped.chosen[number]
    rules = next(
        rules
        for name, phase, rules in catalogue()
        if (OPCODES[name], phase) == (fixed[fetched], fixed[own])
    )
    shortener = Shortener(shipped.frame, frozenset([STATUS]), fixed, rules, rng)
    derived = shipped.derived(number)
    sources = {h for leaf_ in leaves(derived) for w in leaf_.words for h, _ in w.expr.variables}
    every = [(s, g) for s in {*sources, -1, 2} for g in range(len(shipped.frame.groups))]
    return [shortener._token(every) for _ in range(TOKENS)]


def test_short_trees_are_short(shipped: ProvedRows) -> None:
    assert len(shipped.short) >= 126
    group = shipped.frame.place[STATUS][0]
    for number, short in shipped.short.items():
        assert not shipped.long[number]
        for one in leaves(short):
            if one.words[group].expr.value({}) == 0:
                assert size(one) <= 120


def test_short_trees_say_what_the_derived_ones_say(shipped: ProvedRows) -> None:
    rng = random.Random(11)
    for number, short in shipped.short.items():
        derived = shipped.derived(number)
        for known in tokens(shipped, number, rng):
            assert difference(derived, short, known) is None, (number, known)


def test_rows_by_themselves_have_no_guards_of_short_trees(shipped: ProvedRows) -> None:
    lifted = lifting(model(), frozenset([STATUS]))
    partial = [number for number, flag in enumerate(shipped.partial) if flag]
    assert partial
    for number in partial:
        assert lifted.whole(shipped.chosen[number]) == shipped.derived(number)


def test_shipped_trees_are_those_that_were_proved(shipped: ProvedRows) -> None:
    """The files that solvers were asked come out of the shipped trees again, by their digest.

    Of a row that is proved over integers alone, it is known which they are.
    """
    records = json.loads(RECORD.read_text(encoding="utf-8"))["rows"]
    integers = [r for r in records if r.get("claims") == r["over integers"]]
    assert len(integers) > 70
    for record in integers[::8]:
        number, row = record["row"], (record["instruction"], record["phase"])
        rules = next(rules for op, phase, rules in catalogue() if (op, phase) == row)
        trees = shipped.derived(number), shipped.short[number]
        split = cases(shipped.frame, rules.cases)
        claims = obligations(shipped.frame, shipped.chosen[number], *trees, split)
        files = dict.fromkeys(text for claim in claims for text in claim[0])
        assert hashlib.sha256("".join(files).encode()).hexdigest() == record["sha256"], row


def test_a_wrong_formula_is_seen(shipped: ProvedRows) -> None:
    """The short tree of another row, with the same shape, is not this row's."""
    rng = random.Random(12)
    fetched, own = shipped.frame.setting.controls
    numbers = {(f[fetched], f[own]): n for n, f in enumerate(shipped.chosen)}
    adds, subtracts = numbers[OPCODES["f64.add"], 0], numbers[OPCODES["f64.sub"], 0]
    derived, wrong = shipped.derived(adds), shipped.short[subtracts]
    assert any(difference(derived, wrong, known) for known in tokens(shipped, adds, rng))
