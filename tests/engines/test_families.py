"""Leaves that differ by a shift, as one leaf: the same words, whatever the address."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr, num, word
from transputer.engines.lifted.decoder.families import _holds, with_shifts
from transputer.engines.lifted.decoder.proved import ProvedRows, proved_rows
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, RowWord, Tree, leaves
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.model import digest

STATUS = sum(count for _, count in LAYOUT[: [name for name, _ in LAYOUT].index("status")])
ACCESSES = (
    *("i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u", "i32.store"),
    *("i32.store8", "i32.store16", "i64.load", "i64.load16_s", "i64.load32_s", "i64.store"),
)


@pytest.fixture(scope="module")
def shipped() -> ProvedRows:
    rows = proved_rows(digest(model()), frozenset([STATUS]))
    assert rows is not None
    return rows


def fixed(chosen: Mapping[tuple[int, int], int]) -> tuple[str, int]:
    """The instruction and the phase of a row."""
    (opcode,) = (v for (source, _), v in chosen.items() if source != OWN)
    (phase,) = (v for (source, _), v in chosen.items() if source == OWN)
    return next((name for name, number in OPCODES.items() if number == opcode), ""), phase


def conditions(tree: Tree) -> Iterator[WordExpr]:
    if isinstance(tree, RowSplit):
        yield tree.condition
        yield from conditions(tree.yes)
        yield from conditions(tree.no)


def leaf_of(tree: Tree, known: dict[Variable, int]) -> RowLeaf:
    while isinstance(tree, RowSplit):
        tree = tree.yes if tree.condition.value(known) else tree.no
    return tree


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize(
    ("name", "phase"), [*((a, 0) for a in ACCESSES), ("i32.store", 1), ("i64.store", 1)]
)
def test_accesses_to_memory_have_fewer_leaves_and_the_same_words(
    shipped: ProvedRows, name: str, across: bool, phase: int
) -> None:
    (number,) = (n for n, chosen in enumerate(shipped.chosen) if fixed(chosen) == (name, phase))
    tree = shipped.tree(number)
    shifted, rng = with_shifts(tree, across), random.Random(number)
    if (name, across) == ("i64.load", False):  # all but one of its leaves read two words
        assert len([*leaves(shifted)]) == len([*leaves(tree)])
    else:
        assert len([*leaves(shifted)]) < len([*leaves(tree)])
    exprs = {*conditions(tree), *(w.expr for leaf in leaves(tree) for w in leaf.words)}
    variables = sorted({v for e in exprs for v in e.variables})
    reached = set()
    for _ in range(400):
        known = {v: rng.getrandbits(64) % (1 << shipped.frame.width[v[1]]) for v in variables}
        known |= {(OWN, 1): 50, (2, 7): 0xFFFF0000, (5, 7): rng.choice((1, 70000))}
        one, two = leaf_of(tree, known), leaf_of(shifted, known)
        reached.add(two.words)
        assert [w.expr.value(known) for w in one.words] == [w.expr.value(known) for w in two.words]
        for head, query in one.queries.items():
            assert query.index.expr.value(known) == two.queries[head].index.expr.value(known)
            if two.queries[head].index.guard is None and query.index.guard is not None:
                assert query.index.guard.value(known) == 1
    assert len(reached) > 1


@pytest.mark.parametrize("name", ["i32.load", "i32.load16_s", "i64.load", "i64.load32_s"])
def test_bytes_across_two_words_are_one_leaf(shipped: ProvedRows, name: str) -> None:
    (number,) = (n for n, chosen in enumerate(shipped.chosen) if fixed(chosen) == (name, 0))
    plain, crossed = (with_shifts(shipped.tree(number), across) for across in (False, True))
    ends = {leaf.words for leaf in leaves(crossed) if "across" in kinds(leaf.words[7].expr)}
    assert len(ends) == 1
    assert not any("across" in kinds(w.expr) for leaf in leaves(plain) for w in leaf.words)
    assert sum(1 for _ in leaves(crossed)) < sum(1 for _ in leaves(plain))


def test_only_digits_that_are_proper_are_said_to_be(shipped: ProvedRows) -> None:
    """Numbers in a guard that was proved are changed: what is still proved holds."""
    (number,) = (n for n, chosen in enumerate(shipped.chosen) if fixed(chosen) == ("i32.store", 1))
    guards = (q.index.guard for leaf in leaves(shipped.tree(number)) for q in leaf.queries.values())
    guard = next(g for g in guards if g is not None and "floor" in kinds(g))
    assert _holds(guard)
    rng, held = random.Random(7), 0
    for _ in range(300):
        changed = mutated(guard, rng)
        if not _holds(changed):
            continue
        held += 1
        for _ in range(100):
            known = {
                v: rng.choice((rng.getrandbits(64), rng.getrandbits(64) | rng.getrandbits(64), ~0))
                & (1 << 64) - 1
                for v in sorted(changed.variables)
            }
            assert changed.value(known) == 1
    assert 0 < held < 100


def mutated(expr: WordExpr, rng: random.Random) -> WordExpr:
    """The same expression with one number changed, wherever that occurs."""
    numbered = sorted(
        {e for e in every(expr) if e.data and e.kind != "word"}, key=lambda e: (e.kind, e.data)
    )
    chosen = rng.choice(numbered)
    at = rng.randrange(len(chosen.data))
    data = list(chosen.data)
    data[at] = rng.choice((data[at] + 1, max(1, data[at] - 1), 2 * data[at], data[at] // 2 or 1))

    def copy(expr: WordExpr) -> WordExpr:
        new = tuple(data) if expr is chosen else expr.data
        return WordExpr(expr.kind, tuple(map(copy, expr.parts)), new)

    return copy(expr)


def every(expr: WordExpr) -> Iterator[WordExpr]:
    yield expr
    for part in expr.parts:
        yield from every(part)


def kinds(expr: WordExpr) -> set[str]:
    return {e.kind for e in every(expr)}


def chain(last: WordExpr) -> tuple[RowSplit, WordExpr]:
    """Eight leaves that read byte k of a word, but for the last one; and what tells them apart."""
    place = WordExpr("field", (word(OWN, 0),), (0, 3))
    tree: Tree = RowLeaf((RowWord(last, None, True),), {})
    for k in range(6, -1, -1):
        byte = WordExpr("field", (word(3, 7),), (8 * k, 8))
        leaf = RowLeaf((RowWord(byte, None, True),), {})
        tree = RowSplit(WordExpr("ge", (place,), (k + 1,)), {}, tree, leaf)
    assert isinstance(tree, RowSplit)
    return tree, place


def test_a_leaf_that_is_none_of_the_family_stays() -> None:
    tree, _ = chain(WordExpr("field", (word(3, 7),), (56, 8)))
    assert isinstance(with_shifts(tree), RowLeaf)
    for wrong in (
        WordExpr("field", (word(3, 7),), (48, 8)),
        WordExpr("field", (word(4, 7),), (56, 8)),
        num(7),
    ):
        tree, _ = chain(wrong)
        shifted = with_shifts(tree)
        assert isinstance(shifted, RowSplit) and len([*leaves(shifted)]) == 2
        for k in range(8):
            known = {(OWN, 0): k, (3, 7): 0x0807060504030201, (4, 7): 99 << 56}
            one, two = leaf_of(tree, known), leaf_of(shifted, known)
            assert one.words[0].expr.value(known) == two.words[0].expr.value(known)


def test_what_tells_leaves_apart_must_be_small() -> None:
    tree, place = chain(WordExpr("field", (word(3, 7),), (56, 8)))
    wide = WordExpr("field", place.parts, (0, 4))

    def widened(tree: Tree) -> Tree:
        if isinstance(tree, RowLeaf):
            return tree
        condition = WordExpr("ge", (wide,), tree.condition.data)
        return replace(tree, condition=condition, yes=widened(tree.yes))

    assert with_shifts(widened(tree)) == widened(tree)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("write", [False, True])
def test_a_wrong_leaf_of_any_access_stays(width: int, write: bool) -> None:
    """The shift gives at every place what its leaf gave; a leaf of another word stays."""
    place, old, new = WordExpr("field", (word(OWN, 0),), (0, 3)), word(3, 7), word(4, 7)
    last, bits = 8 - width, 8 * width

    def access(k: int, old: WordExpr = old) -> WordExpr:
        if not write:
            return WordExpr("field", (old,), (8 * k, bits))
        pieces = [(old, 0, 8 * k, 0), (new, 0, bits, 8 * k), (old, 8 * k + bits, 64, 8 * k + bits)]
        fields = [
            WordExpr("scale", (WordExpr("field", (w,), (at, min(n, 64 - at))),), (1 << to,))
            for w, at, n, to in pieces
            if n and at < 64
        ]
        return WordExpr("sum", tuple(fields))

    def tree(exprs: list[WordExpr]) -> Tree:
        leaves_ = [RowLeaf((RowWord(e, None, True),), {}) for e in exprs]
        result: Tree = leaves_[-1]
        for k in range(len(exprs) - 2, -1, -1):
            result = RowSplit(WordExpr("ge", (place,), (k + 1,)), {}, result, leaves_[k])
        return result

    exprs = [access(k) for k in range(last + 1)]
    others = [num(9)] * (width > 1)
    assert len([*leaves(with_shifts(tree([*exprs, *others])))]) == 1 + len(others)
    wrong = [*exprs[:-1], access(last, word(5, 7))]
    assert len([*leaves(with_shifts(tree([*wrong, *others])))]) == 2 + len(others)
    rng = random.Random(26)
    # without the others, the last leaf is also that of places after it
    for plain in (tree([*exprs, *others]), tree([*wrong, *others]), tree(exprs)):
        for k in range(8):
            words = {(h, 7): rng.getrandbits(64) for h in (3, 4, 5)}
            known = {(OWN, 0): 8 * rng.getrandbits(20) + k, **words}
            one, two = leaf_of(plain, known), leaf_of(with_shifts(plain), known)
            assert one.words[0].expr.value(known) == two.words[0].expr.value(known)
