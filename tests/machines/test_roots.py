"""Quotients and square roots of floats on the bench, against numpy's."""

from typing import Any

import numpy as np
import pytest

from tests.machines.rules import RuleBench, decode, execute
from transputer.machines.trace.division import division
from transputer.machines.trace.floats import products, sums

_KINDS: dict[str, tuple[Any, Any, int, int]] = {
    "f32": (np.float32, np.uint32, 23, 0x7FC00000),
    "f64": (np.float64, np.uint64, 52, 0x7FF8 << 48),
}
_FUNCTIONS = {"div": np.divide, "sqrt": lambda _, b: np.sqrt(b)}


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    """The tail comes with the sums."""
    return RuleBench([division, sums, products])


def _edges(kind: str) -> list[int]:
    """Zeros, subnormals, powers of two and their neighbours, the largest, infinities, NaNs."""
    _, _, fraction, nan = _KINDS[kind]
    bits = int(kind[1:])
    one = (1 << bits - 2 - fraction) - 1
    exponents = [0, 1, 2, one - 1, one, one + 1, one + fraction, 2 * one]
    fractions = [0, 1, 1 << fraction - 1, (1 << fraction) - 1]
    numbers = [(e << fraction) + f for e in exponents for f in fractions]
    numbers += [(2 * one + 1) << fraction, ((2 * one + 1) << fraction) + 1, nan]
    return [x + s for x in numbers for s in (0, 1 << bits - 1)]


def _random(kind: str, count: int) -> tuple[list[int], list[int]]:
    """Pairs of all exponents, near each other, subnormal, of few bits, and exact ratios."""
    _, _, fraction, _ = _KINDS[kind]
    bits = int(kind[1:])
    top = (1 << bits - 1 - fraction) - 1
    rng = np.random.default_rng(bits)

    def pattern(choice: int, other: int) -> int:
        sign, part = int(rng.integers(0, 2)), int(rng.integers(0, 1 << fraction))
        exponent = int(rng.integers(0, top))
        if choice & 1:
            part &= -1 << int(rng.integers(0, fraction))
        if choice & 2:
            exponent = min(max((other >> fraction & top) + int(rng.integers(-3, 4)), 0), top - 1)
        if choice & 4 and int(rng.integers(0, 3)) == 0:
            exponent, part = 0, part >> int(rng.integers(0, fraction)) or 1
        return (sign << bits - 1) + (exponent << fraction) + part

    a, b = [], []
    for i in range(count):
        b.append(pattern(i % 8, 0))
        a.append(pattern(i // 8 % 8, b[-1]))
    return a, b


def _near_ties(kind: str) -> list[int]:
    """Numbers whose root lies just above the middle of two neighbours.

    m (m + 1) + d == n 2^k for small even d: sqrt(n 2^k) is m + 1/2 and d / 2m more. Such m is found
    bit by bit.
    """
    _, _, fraction, _ = _KINDS[kind]
    bias = (1 << int(kind[1:]) - 2 - fraction) - 1
    numbers = []
    for d in range(2, 60, 2):
        for m in (0, 1):
            for bit in range(1, fraction + 1):
                if (m * (m + 1) + d) % (2 << bit):
                    m |= 1 << bit
            m |= 1 << fraction
            n, k = m * (m + 1) + d, 0
            while n >> fraction + 1:
                if n & 1:
                    break
                n, k = n >> 1, k + 1
            if n >> fraction == 1:
                numbers.append((bias + k - fraction << fraction) + n - (1 << fraction))
    return numbers


def _wanted(name: str, a: Any, b: Any) -> list[int]:
    kind, op = name.split(".")
    real, natural, _, nan = _KINDS[kind]
    with np.errstate(all="ignore"):
        x, y = (np.array(c, natural).view(real) for c in (a, b))
        result = _FUNCTIONS[op](x, y)
    return np.where(np.isnan(result), natural(nan), result.view(natural)).tolist()


def _check(bench: RuleBench, name: str, a: list[int], b: list[int]) -> Any:
    done = execute(bench, name, np.array(a, np.uint64), np.array(b, np.uint64))
    wanted = _wanted(name, a, b)
    wrong = [
        (hex(x), hex(y), hex(v), hex(w))
        for x, y, v, w in zip(a, b, done.values.tolist(), wanted, strict=True)
        if v != w
    ]
    assert not wrong, (len(wrong), wrong[:5])
    return done.steps


@pytest.mark.slow
@pytest.mark.parametrize("kind", _KINDS)
def test_quotients(bench: RuleBench, kind: str) -> None:
    _, _, fraction, _ = _KINDS[kind]
    edges = _edges(kind)
    a, b = _random(kind, 20_000)
    a += [x for x in edges for _ in edges]
    b += edges * len(edges)
    steps = _check(bench, f"{kind}.div", a, b)
    fields = [np.array(c, np.uint64) >> np.uint64(fraction) for c in (a, b)]
    mask = np.uint64((1 << int(kind[1:]) - 1 - fraction) - 1)
    normal = ((fields[0] & mask) > 0) & ((fields[1] & mask) > 0)
    assert steps[normal].max() <= 13
    assert steps.max() <= 16


@pytest.mark.slow
@pytest.mark.parametrize("kind", _KINDS)
def test_roots(bench: RuleBench, kind: str) -> None:
    a, b = _random(kind, 20_000)
    numbers = _edges(kind) + a + b
    steps = _check(bench, f"{kind}.sqrt", [0] * len(numbers), numbers)
    assert steps.max() <= 12


@pytest.mark.parametrize("kind", _KINDS)
def test_roots_near_ties_and_exact(bench: RuleBench, kind: str) -> None:
    """A root may miss the middle of two neighbours by little; squares have exact roots."""
    ties = _near_ties(kind)
    assert len(ties) > 10
    real, natural, fraction, _ = _KINDS[kind]
    rng = np.random.default_rng(5)
    roots = rng.integers(1, 1 << fraction // 2 + 1, 2000).astype(real)
    numbers = ties + (roots * roots).view(natural).tolist()
    _check(bench, f"{kind}.sqrt", [0] * len(numbers), numbers)


@pytest.mark.slow
def test_weights() -> None:
    """Bounds hold for the weights, and the reference engine decodes the same."""
    model = RuleBench([division, sums, products]).model()
    for kind in _KINDS:
        a, b = _random(kind, 40)
        edges = _edges(kind)
        a, b = a + edges[::7], b + edges[3::5]
        for op in _FUNCTIONS:
            name = f"{kind}.{op}"
            pairs = list(zip(a, b, strict=False))
            wanted = _wanted(name, *map(list, zip(*pairs, strict=True)))
            assert [decode(model, name, x, y)[0] for x, y in pairs] == wanted
