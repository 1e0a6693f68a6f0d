"""Gadgets of long division."""

import numpy as np

from transputer.circuit import Form, Graph, values
from transputer.circuit.division import excess, negate, remainder
from transputer.circuit.word import Word


def _words(g: Graph, *names: str) -> list[Word]:
    return [Word.of_parts([g.part(f"{name}{i}", 256) for i in range(8)]) for name in names]


def _token(**numbers: list[int]) -> dict[str, np.ndarray]:
    return {
        f"{name}{i}": np.array([x >> 8 * i & 255 for x in column])
        for name, column in numbers.items()
        for i in range(8)
    }


def test_remainder() -> None:
    """The bytes of a - q d for every q that leaves it in [0, 2^64)."""
    g = Graph()
    a, d = _words(g, "a", "d")
    q = g.part("q", 256)
    columns = [x - g.neuron(q.number(), y) for x, y in zip(a.bytes, d.bytes, strict=True)]
    rest = remainder(g, "rest", columns)
    rng = np.random.default_rng(3)
    cases = []
    for _ in range(4000):
        x, y = (
            int(rng.integers(0, 2**64, dtype=np.uint64)) >> int(rng.integers(0, 60)) for _ in "xy"
        )
        cases.append((x, y, min(255, x // max(y, 1), int(rng.integers(0, 256)))))
    x, y, z = map(list, zip(*cases, strict=True))
    token = _token(a=x, d=y) | {"q": np.array(z)}
    *digits, low, high = values([*rest.bytes, rest.low, rest.high], token)
    wanted = [i - j * k for i, j, k in cases]
    assert [sum(int(b[n]) << 8 * i for i, b in enumerate(digits)) for n in range(len(x))] == wanted
    assert [(int(h) << 32) + int(n) for h, n in zip(high, low, strict=True)] == wanted


def test_negate() -> None:
    """Of the bytes that are wanted, modulo what they hold."""
    g = Graph()
    (a,) = _words(g, "a")
    wide = g.part("wide", 2).number()
    digits = negate(g, a.bytes, [Form.of(1)] * 4 + [wide] * 4)
    numbers = [0, 1, 255, 256, 2**24, 2**32 - 1, 2**32, 2**40, 2**63, 2**64 - 1, 0x0102030405060700]
    for bits, mode in ((32, 0), (64, 1)):
        token = _token(a=numbers) | {"wide": np.full(len(numbers), mode)}
        columns = [np.broadcast_to(v, len(numbers)) for v in values(digits, token)]
        result = [
            sum(int(c[n]) << 8 * i for i, c in enumerate(columns)) for n in range(len(numbers))
        ]
        assert result == [-x % (1 << bits) for x in numbers]


def test_excess() -> None:
    """Its sign is that of the whole difference, also where the low one is that of two units."""
    g = Graph()
    high, low = g.part("high", 11), g.part("low", 13)
    edges = [-(2**33) + 1, -(2**32) - 1, -(2**32), -(2**32) + 1, -1, 0, 1, 2**32 - 1]
    table = [*edges, *edges[:5]]
    form = excess(g, "e", high.number() - 5, low.lane("difference", table))
    for h in range(11):
        for n, number in enumerate(table):
            (z,) = values([form], {"high": h, "low": n})
            assert (z > 0) - (z < 0) == np.sign(2**32 * (h - 5) + number)
