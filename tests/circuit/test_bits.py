"""Operations on bits, on edges and random words."""

from collections.abc import Callable

import numpy as np
import pytest

from transputer.circuit import Form, Graph, values
from transputer.circuit.bits import (
    amounts,
    bitwise,
    leading_zeros,
    ones,
    rotate_left,
    rotate_right,
    shift_left,
    shift_right,
    sign_fill,
    trailing_zeros,
)
from transputer.circuit.word import Word

FULL = 2**32
EDGES = [0, 1, 2, 31, 32, 33, 0x80, 0x8000, 2**31 - 1, 2**31, FULL - 2, FULL - 1]
RNG = np.random.default_rng(5)
A = np.concatenate([np.repeat(EDGES, len(EDGES)), RNG.integers(0, FULL, 3000)])
B = np.concatenate(
    [np.tile(EDGES, len(EDGES)), RNG.integers(0, FULL, 3000) >> RNG.integers(0, 33, 3000)]
)
PAIRS = [(int(a), int(b)) for a, b in zip(A, B, strict=True)]


def words(g: Graph) -> tuple[Word, Word]:
    return tuple(Word.of_parts([g.part(f"{n}{d}", 256) for d in range(4)]) for n in "ab")


def number(forms: list[Form], **more: int) -> list[int]:
    held = {f"{n}{d}": x >> 8 * d & 255 for n, x in (("a", A), ("b", B)) for d in range(4)}
    held |= {name: np.full(len(A), value) for name, value in more.items()}
    found = sum(256**d * v for d, v in enumerate(values(forms, held))) + 0 * A
    return [int(v) for v in found]


def test_bitwise() -> None:
    g = Graph()
    found = bitwise(g, "and", *words(g))
    assert number(list(found.both)) == [a & b for a, b in PAIRS]
    assert number(list(found.either)) == [a | b for a, b in PAIRS]
    assert number(list(found.differ)) == [a ^ b for a, b in PAIRS]


def rotated(a: int, s: int) -> int:
    return (a << s | a >> (32 - s)) % FULL


@pytest.mark.parametrize(
    ("gadget", "meaning"),
    [
        (shift_left, lambda a, s: (a << s) % FULL),
        (shift_right, lambda a, s: a >> s),
        (rotate_left, rotated),
        (rotate_right, lambda a, s: rotated(a, -s % 32)),
    ],
    ids=["shift_left", "shift_right", "rotate_left", "rotate_right"],
)
@pytest.mark.parametrize("on", [0, 1])
def test_shifts(
    gadget: Callable[..., list[Form]], meaning: Callable[[int, int], int], on: int
) -> None:
    g = Graph()
    (a, b), when = words(g), g.part("when", 2).number()
    found = number(gadget(g, a, amounts(g, b, 32), when), when=on)
    assert found == [on * meaning(x, y % 32) for x, y in PAIRS]


@pytest.mark.parametrize("on", [0, 1])
def test_arithmetic_shift(on: int) -> None:
    g = Graph()
    (a, b), when = words(g), g.part("when", 2).number()
    chosen = amounts(g, b, 32)
    zeros, fill = shift_right(g, a, chosen, when), sign_fill(g, a, chosen, when)
    found = number([z + f for z, f in zip(zeros, fill, strict=True)], when=on)
    signed = [(x - FULL if x >= FULL // 2 else x, y % 32) for x, y in PAIRS]
    assert found == [on * ((x >> s) % FULL) for x, s in signed]


@pytest.mark.parametrize(
    ("gadget", "meaning"),
    [
        (leading_zeros, lambda b: 32 - b.bit_length()),
        (trailing_zeros, lambda b: (b & -b).bit_length() - 1 if b else 32),
        (ones, lambda b: b.bit_count()),
    ],
    ids=["leading", "trailing", "ones"],
)
@pytest.mark.parametrize("on", [0, 1])
def test_counts(gadget: Callable[..., Form], meaning: Callable[[int], int], on: int) -> None:
    g = Graph()
    (_, b), when = words(g), g.part("when", 2).number()
    assert number([gadget(g, b.bits, when)], when=on) == [on * meaning(y) for _, y in PAIRS]


def test_a_word_of_bits_is_the_same_word() -> None:
    g = Graph()
    a, _ = words(g)
    assert number(list(Word.of_bits(a.bits).bytes)) == [x for x, _ in PAIRS]
    assert a.map(lambda form: form) == a
