"""Numbers in digits: exhaustive where small, edges and random words otherwise."""

from itertools import product

import numpy as np
import pytest

from transputer.circuit import Form, Graph, values
from transputer.circuit.arithmetic import (
    add,
    carry,
    compare,
    floor_divide,
    multiply,
    split,
    subtract,
)
from transputer.circuit.word import Word, weighted

EDGES = [0, 1, 2, 127, 128, 255, 256, 257, 0xFFFF, 0x10000, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
RANDOM = np.random.default_rng(3).integers(0, 2**32, (2, 4000))
A = np.concatenate([np.repeat(EDGES, len(EDGES)), RANDOM[0]])
B = np.concatenate([np.tile(EDGES, len(EDGES)), RANDOM[1]])


def words(g: Graph) -> tuple[Word, Word]:
    return tuple(Word.of_parts([g.part(f"{n}{d}", 256) for d in range(4)]) for n in "ab")


def token(on: int | None = None) -> dict[str, np.ndarray]:
    held = {f"{n}{d}": x >> 8 * d & 255 for n, x in (("a", A), ("b", B)) for d in range(4)}
    return held if on is None else {**held, "when": np.full(len(A), on)}


def number(digits: list[np.ndarray]) -> np.ndarray:
    assert all(((digit >= 0) & (digit <= 255)).all() for digit in digits)
    return sum(256**d * digit for d, digit in enumerate(digits))


@pytest.mark.parametrize("divisor", [1, 3, 4, 7, 100])
@pytest.mark.parametrize(("lo", "hi"), [(0, 40), (-20, 20), (-30, -5), (5, 30)])
def test_floor_divide(lo: int, hi: int, divisor: int) -> None:
    g = Graph()
    x, when = g.part("x", hi - lo + 1).lane("x", range(lo, hi + 1)), g.part("when", 2).number()
    seen = np.arange(lo, hi + 1)
    for on in (0, 1):
        held = {"x": seen - lo, "when": np.full(len(seen), on)}
        assert (
            values([floor_divide(g, x, divisor, when)], held)[0] == on * (seen // divisor)
        ).all()


@pytest.mark.parametrize("base", [2, 10, 16, 100])
def test_split(base: int) -> None:
    g = Graph()
    low, rest = split(g, "s", g.part("x", 1000).number(), base)
    seen = np.arange(1000)
    found = values([low, rest], {"x": seen})
    assert (found[0] == seen % base).all() and (found[1] == seen // base).all()
    assert (low.lo, low.hi) == (0, base - 1)


def test_carry_in_mixed_radix() -> None:
    g = Graph()
    bases = [2, 3, 5]
    sizes = [range(-3, 6), range(-4, 7), range(-5, 9)]
    xs = [g.part(f"x{i}", len(s)).lane(f"x{i}", s) for i, s in enumerate(sizes)]
    made = carry(g, xs, bases)
    cases = np.array(list(product(*sizes)))
    held = {f"x{i}": cases[:, i] - sizes[i][0] for i in range(3)}
    *digits, out = values([*made.digits, made.carry], held)
    total = cases @ np.array([1, 2, 6])
    assert (digits[0] + 2 * digits[1] + 6 * digits[2] == total % 30).all()
    assert (out == total // 30).all()


def test_carries_that_cannot_happen_need_no_neurons() -> None:
    """Promises about where `when` is 1 leave fewer neurons, and the same digits there."""
    g = Graph()
    xs, when = [g.part(f"x{i}", 12).number() for i in range(3)], g.part("when", 2).number()
    plain, few, fit = (
        carry(g, xs, 4, when, **promised) for promised in ({}, {"most": 1}, {"fits": True})
    )
    assert neurons(fit.carry) == 0 < neurons(few.carry) < neurons(plain.carry)
    cases = np.array([x for x in product(range(12), repeat=3) if kept_promise(x)])
    held = {f"x{i}": cases[:, i] for i in range(3)}
    for on in (0, 1):
        given = {**held, "when": np.full(len(cases), on)}
        wanted = values(plain.digits, given)
        for made in (few, fit):
            assert np.array_equal(values(made.digits, given), wanted)


def kept_promise(x: tuple[int, ...]) -> bool:
    """Digits of base 4 that fit, and of which none carries more than 1."""
    sums = [sum(4**e * x[e] for e in range(d + 1)) // 4 ** (d + 1) for d in range(3)]
    return max(sums) <= 1 and not sums[2]


def neurons(form: Form) -> int:
    return len(form.of_neurons().terms)


@pytest.mark.parametrize("on", [0, 1])
def test_add_and_subtract(on: int) -> None:
    g = Graph()
    (a, b), when = words(g), g.part("when", 2).number()
    plus, minus = add(g, a.bytes, b.bytes, when), subtract(g, a.bytes, b.bytes, when)
    *digits, out = values([*plus.digits, plus.carry], token(on))
    assert (number(digits) == on * ((A + B) % 2**32)).all()
    assert (out == on * ((A + B) >> 32)).all()
    *digits, out = values([*minus.digits, minus.carry], token(on))
    assert (number(digits) == on * ((A - B) % 2**32)).all()
    assert (out == -on * (A < B)).all()


def test_ungated_add_is_linear_but_for_carries() -> None:
    g = Graph()
    a, b = words(g)
    assert add(g, a.bytes, b.bytes).digits[0].of_neurons() != Form()
    assert len(add(g, a.bytes, b.bytes).digits[0].terms) == 4


def test_compare() -> None:
    g = Graph()
    a, b = words(g)

    def signed(x: np.ndarray) -> np.ndarray:
        return np.where(x >= 2**31, x - 2**32, x)

    for order, x, y in (
        (compare(g, a.number(), b.number()), A, B),
        (compare(g, a.signed(), b.signed()), signed(A), signed(B)),
    ):
        less, same, greater = values([order.less, order.equal, order.greater], token())
        assert (less == (x < y)).all() and (same == (x == y)).all() and (greater == (x > y)).all()


@pytest.mark.parametrize("on", [0, 1])
def test_multiply(on: int) -> None:
    g = Graph()
    (a, b), when = words(g), g.part("when", 2).number()
    found = number(values(multiply(g, "mul", a.bytes, b.bytes, when), token(on)))
    wanted = [on * (int(x) * int(y) % 2**32) for x, y in zip(A, B, strict=True)]
    assert found.tolist() == wanted


def test_multiply_bytes_exhaustively() -> None:
    g = Graph()
    x, y = g.part("x", 256).number(), g.part("y", 256).number()
    low, high = multiply(g, "mul", [x, Form()], [y, Form()])
    left, right = np.repeat(np.arange(256), 256), np.tile(np.arange(256), 256)
    found = values([low, high], {"x": left, "y": right})
    assert (found[0] + 256 * found[1] == left * right).all()


def test_weighted() -> None:
    g = Graph()
    x = [g.part(f"x{i}", 10).number() for i in range(3)]
    assert values([weighted(x, 10)], {"x0": 3, "x1": 2, "x2": 1}) == [123]
