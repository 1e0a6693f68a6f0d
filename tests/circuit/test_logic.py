"""Conditions, exhaustively."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from transputer.circuit import Form, Graph, values
from transputer.circuit.logic import (
    choose,
    clamp,
    decode,
    equal,
    every,
    none,
    one_hot,
    select,
    some,
    spelled,
    step,
)

LOW, HIGH = -6, 9
X = np.arange(LOW, HIGH + 1)


def number(g: Graph) -> Form:
    return g.part("x", len(X)).lane("x", range(LOW, HIGH + 1))


def over(form: Form, **token: np.ndarray) -> np.ndarray:
    found: np.ndarray = values([form], {"x": X - LOW, **token})[0] + 0 * X
    return found


@pytest.mark.parametrize("t", range(LOW - 2, HIGH + 3))
@pytest.mark.parametrize(
    ("gadget", "meaning"),
    [(step, lambda x, t: x >= t), (equal, lambda x, t: x == t)],
    ids=["step", "equal"],
)
def test_steps_and_equality(
    gadget: Callable[..., Form], meaning: Callable[..., np.ndarray], t: int
) -> None:
    g = Graph()
    x, when = number(g), g.part("when", 2).number()
    assert (over(gadget(g, x, t)) == meaning(X, t)).all()
    for bit in (0, 1):
        gated = over(gadget(g, x, t, when), when=np.full(len(X), bit))
        assert (gated == bit * meaning(X, t)).all()


def test_one_hot_shares_neurons() -> None:
    g = Graph()
    hot = one_hot(g, number(g))
    assert np.array_equal([over(h) for h in hot], np.eye(len(X)))
    assert len({a for h in hot for a, _ in h.terms}) <= len(X) + 2


def test_clamp() -> None:
    g = Graph()
    form = clamp(g, number(g), -2, 3)
    assert (over(form) == X.clip(-2, 3)).all()
    assert (form.lo, form.hi) == (-2, 3)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_gadgets_of_bits(count: int) -> None:
    g = Graph()
    word = g.part("word", 1 << count)
    bits, when = word.bits(), g.part("when", 2).number()
    x = g.part("value", 5).number() - 2
    for v, on, amount in product(range(1 << count), (0, 1), range(5)):
        token = {"word": v, "when": on, "value": amount}
        held = [v >> i & 1 for i in range(count)]
        assert values([every(g, bits), some(g, bits), none(g, bits)], token) == [
            int(all(held)),
            int(any(held)),
            int(not any(held)),
        ]
        assert values([some(g, bits, when), none(g, bits, when)], token) == [
            on * any(held),
            on * (not any(held)),
        ]
        assert values([select(g, bits, x)], token) == [all(held) * (amount - 2)]
        assert values(decode(g, bits), token) == [int(v == w) for w in range(1 << count)]
        assert sum(values(spelled(bits, v), token)) == count


def test_choose() -> None:
    g = Graph()
    which, x = g.part("which", 4), g.part("x", 5).number()
    form = choose(g, [(which.one_hot(0), x), (which.one_hot(1), 3 - x), (which.one_hot(2), 7)])
    for w, v in product(range(4), range(5)):
        assert values([form], {"which": w, "x": v}) == [[v, 3 - v, 7, 0][w]]
