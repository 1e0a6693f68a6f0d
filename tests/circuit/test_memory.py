"""Extract and insert in a window of two words: every start and width."""

import numpy as np
import pytest

from transputer.circuit import Form, Graph, values
from transputer.circuit.memory import extract, insert, sign_extend
from transputer.circuit.word import Word

COUNT = 500
FIRST, SECOND, VALUE = np.random.default_rng(7).integers(0, 2**32, (3, COUNT))
WINDOWS = [int(p) | int(q) << 32 for p, q in zip(FIRST, SECOND, strict=True)]


def word(g: Graph, name: str) -> Word:
    return Word.of_parts([g.part(f"{name}{d}", 256) for d in range(4)])


def number(forms: list[Form], start: int, on: int) -> list[int]:
    named = {"p": FIRST, "q": SECOND, "v": VALUE}
    held = {f"{n}{d}": x >> 8 * d & 255 for n, x in named.items() for d in range(4)}
    held |= {"start": np.full(COUNT, start), "when": np.full(COUNT, on)}
    found = sum(256**d * v for d, v in enumerate(values(forms, held))) + 0 * FIRST
    return [int(v) for v in found]


@pytest.mark.parametrize("on", [0, 1])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_extract(width: int, on: int) -> None:
    g = Graph()
    p, q, start_, when = word(g, "p"), word(g, "q"), g.part("start", 4), g.part("when", 2)
    at = [start_.one_hot(s) for s in range(4)]
    found = extract(g, p, q, at, [when.number()] * width)
    extended = found + [Form()] * (4 - width)
    filled = (
        sign_extend(g, p, q, at, width, range(width, 4), when.number())
        if width < 4
        else [Form()] * 4
    )
    signed = [x + y for x, y in zip(extended, filled, strict=True)]
    size = 8 * width
    for start in range(4):
        wanted = [window >> 8 * start & (1 << size) - 1 for window in WINDOWS]
        assert number(found, start, on) == [on * w for w in wanted]
        negative = [(w - (w >> size - 1 << size)) % 2**32 for w in wanted]
        assert number(signed, start, on) == [on * w for w in negative]


@pytest.mark.parametrize("on", [0, 1])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_insert(width: int, on: int) -> None:
    g = Graph()
    p, q, v = word(g, "p"), word(g, "q"), word(g, "v")
    part, when = g.part("start", 4), g.part("when", 2).number()
    at = [part.one_hot(s) for s in range(4)]
    wanted = [when if k < width else Form() for k in range(4)]
    low = insert(g, p, v, at, wanted)
    high = insert(g, q, v, at, wanted, second=True)
    for start in range(4):
        mask = (1 << 8 * width) - 1 << 8 * start
        after = [
            window & ~mask | (int(value) << 8 * start) & mask
            for window, value in zip(WINDOWS, VALUE, strict=True)
        ]
        assert number(low, start, on) == [on * (w % 2**32) for w in after]
        assert number(high, start, on) == [on * (w >> 32) for w in after]
