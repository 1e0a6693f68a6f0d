"""Leaves that differ by a shift, as one leaf: the same words, whatever the address."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.expr import Variable, WordExpr, num, word
from transputer.engines.lifted.decoder.families import with_shifts
from transputer.engines.lifted.decoder.proved import ProvedRows, proved_rows
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, RowWord, Tree, leaves
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.model import digest

STATUS = sum(count for _, count in LAYOUT[: [name for name, _ in LAYOUT].index("status")])
ACCESSES = ("load", "load8_s", "load8_u", "load16_s", "load16_u", "store", "store8", "store16")


@pytest.fixture(scope="module")
def shipped() -> ProvedRows:
    rows = proved_rows(digest(model()), frozenset([STATUS]))
    assert rows is not None
    return rows


def conditions(tree: Tree) -> Iterator[WordExpr]:
    if isinstance(tree, RowSplit):
        yield tree.condition
        yield from conditions(tree.yes)
        yield from conditions(tree.no)


def leaf_of(tree: Tree, known: dict[Variable, int]) -> RowLeaf:
    while isinstance(tree, RowSplit):
        tree = tree.yes if tree.condition.value(known) else tree.no
    return tree


@pytest.mark.parametrize("name", ACCESSES)
def test_accesses_to_memory_have_fewer_leaves_and_the_same_words(
    shipped: ProvedRows, name: str
) -> None:
    (number,) = (
        n
        for n, fixed in enumerate(shipped.chosen)
        if {*fixed.values()} == {OPCODES[f"i32.{name}"], 0}
    )
    tree = shipped.tree(number)
    shifted, rng = with_shifts(tree), random.Random(number)
    assert sum(1 for _ in leaves(shifted)) < sum(1 for _ in leaves(tree))
    exprs = {*conditions(tree), *(w.expr for leaf in leaves(tree) for w in leaf.words)}
    variables = sorted({v for e in exprs for v in e.variables})
    reached = set()
    for _ in range(400):
        known = {v: rng.getrandbits(64) % (1 << shipped.frame.width[v[1]]) for v in variables}
        known |= {(OWN, 1): 50, (2, 7): 0xFFFF0000, (5, 7): rng.choice((1, 70000))}
        one, two = leaf_of(tree, known), leaf_of(shifted, known)
        reached.add(two.words)
        assert [w.expr.value(known) for w in one.words] == [w.expr.value(known) for w in two.words]
    assert len(reached) > 1


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
    assert isinstance(with_shifts(tree(exprs)), RowLeaf)
    wrong = [*exprs[:-1], access(last, word(5, 7))]
    assert isinstance(with_shifts(tree(wrong)), RowSplit)
    rng = random.Random(26)
    for plain in (tree(exprs), tree(wrong)):
        for k in range(last + 1):
            words = {(h, 7): rng.getrandbits(64) for h in (3, 4, 5)}
            known = {(OWN, 0): 8 * rng.getrandbits(20) + k, **words}
            one, two = leaf_of(plain, known), leaf_of(with_shifts(plain), known)
            assert one.words[0].expr.value(known) == two.words[0].expr.value(known)
