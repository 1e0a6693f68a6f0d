"""Operations on bits, on edges and random words."""

import numpy as np
import pytest

from transputer.circuit import Form, Graph, values
from transputer.circuit.bits import (
    Amount,
    amount,
    bitwise,
    leading_zeros,
    ones,
    shift_left,
    shift_right,
    sign_fill,
    trailing_zeros,
)
from transputer.circuit.word import Word

FULL = 2**64
EDGES = [0, 1, 2, 31, 32, 33, 63, 64, 0x80, 0x8000, 2**31 - 1, 2**31, 2**32, FULL // 2, FULL - 1]
RNG = np.random.default_rng(5)
RANDOM, MORE = RNG.integers(0, FULL, (2, 3000), dtype=np.uint64)
A = np.concatenate([np.repeat(np.array(EDGES, np.uint64), len(EDGES)), RANDOM])
B = np.concatenate(
    [np.tile(np.array(EDGES, np.uint64), len(EDGES)), MORE >> RNG.integers(0, 64, 3000, np.uint64)]
)
PAIRS = list(zip(A.tolist(), B.tolist(), strict=True))


def words(g: Graph) -> tuple[Word, Word]:
    return tuple(Word.of_parts([g.part(f"{n}{d}", 256) for d in range(8)]) for n in "ab")


def number(forms: list[Form], **more: int) -> list[int]:
    held = {
        f"{n}{d}": (x >> np.uint64(8 * d) & np.uint64(255)).astype(np.int64)
        for n, x in (("a", A), ("b", B))
        for d in range(8)
    }
    held |= {name: np.full(len(A), value) for name, value in more.items()}
    digits = [np.broadcast_to(v, len(A)).tolist() for v in values(forms, held)]
    return [sum(v << 8 * d for d, v in enumerate(column)) for column in zip(*digits, strict=True)]


def test_bitwise() -> None:
    g = Graph()
    found = bitwise(g, "and", *words(g))
    assert number(list(found.both)) == [a & b for a, b in PAIRS]
    assert number(list(found.either)) == [a | b for a, b in PAIRS]
    assert number(list(found.differ)) == [a ^ b for a, b in PAIRS]


def moved(g: Graph, name: str, b: Word, back: bool = False) -> Amount:
    """An amount for half words where the part `when` is 1, for whole ones where it is 2."""
    part = g.parts.get("when") or g.part("when", 3)
    bits = [part.one_hot(1), part.one_hot(2)]
    off = [Form(), Form()]
    return amount(g, name, b, 8, off if back else bits, bits if back else off)


WIDTHS = {0: 1, 1: 32, 2: 64}


@pytest.mark.parametrize("on", [0, 1, 2])
def test_shifts(on: int) -> None:
    """Half words (1) move as if there were nothing above them, and leave nothing there."""
    g = Graph()
    a, b = words(g)
    width = WIDTHS[on]
    full = 2**width
    pairs = [(x % full, y % width) for x, y in PAIRS]
    up = number(shift_left(g, "up", a, moved(g, "up", b)), when=on)
    down = number(shift_right(g, "down", a, moved(g, "down", b)), when=on)
    assert up == [(x << s) % full if on else 0 for x, s in pairs]
    assert down == [x >> s if on else 0 for x, s in pairs]
    around = number(shift_left(g, "back", a, moved(g, "back", b, back=True)), when=on)
    assert around == [(x << width - s) % full if on else 0 for x, s in pairs]


@pytest.mark.parametrize("on", [0, 1, 2])
def test_arithmetic_shift(on: int) -> None:
    g = Graph()
    a, b = words(g)
    by = moved(g, "down", b)
    signs = [
        g.signal(f"sign {i}", g.neuron(g.parts["when"].one_hot(i) + a.bits[at] - 1))
        for i, at in ((1, 31), (2, 63))
    ]
    zeros, fill = shift_right(g, "down", a, by), sign_fill(g, "sign", by, signs[1], signs[0])
    found = number([z + f for z, f in zip(zeros, fill, strict=True)], when=on)
    width = WIDTHS[on]
    full = 2**width
    signed = [(x % full - full * (x % full >> width - 1), y % width) for x, y in PAIRS]
    assert found == [(x >> s) % full if on else 0 for x, s in signed]


@pytest.mark.parametrize("on", [0, 1])
@pytest.mark.parametrize("size", [4, 8])
def test_counts(size: int, on: int) -> None:
    g = Graph()
    (_, b), when = words(g), g.part("when", 2).number()
    whens, bits = [when] * size + [Form()] * (8 - size), 8 * size
    numbers = [y % 2**bits for _, y in PAIRS]
    low = Word(b.bytes[:size], b.bits[:bits])
    zeros = [(y & -y).bit_length() - 1 if y else bits for y in numbers]
    assert number([leading_zeros(g, low, whens[:size])], when=on) == [
        on * (bits - y.bit_length()) for y in numbers
    ]
    assert number([trailing_zeros(g, low, whens[:size])], when=on) == [on * z for z in zeros]
    assert number([ones(g, low.bits, when)], when=on) == [on * y.bit_count() for y in numbers]


def test_a_word_of_bits_is_the_same_word() -> None:
    g = Graph()
    a, _ = words(g)
    assert number(list(Word.of_bits(a.bits).bytes)) == [x for x, _ in PAIRS]
    assert a.map(lambda form: form) == a
