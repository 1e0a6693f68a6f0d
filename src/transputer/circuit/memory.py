"""Bytes and half words in a window of two words: extract, sign-extend, insert.

The window is the aligned word that holds the first byte, and the next one; `at[s]` is 1 where the
access starts at byte s of the first.
"""

from collections.abc import Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import select
from transputer.circuit.word import Word

At = Sequence[Form]


def extract(
    g: Graph, first: Word, second: Word, at: At, wanted: Sequence[Form | int]
) -> list[Form]:
    """Byte j of what starts at s: window byte s + j, where `wanted[j]` is 1.

    `wanted[j]` is the bit "the access has more than j bytes", so widths share neurons.
    """
    window = (*first.bytes, *second.bytes)
    return [
        sum((select(g, [where, wish], window[s + j]) for s, where in enumerate(at)), Form())
        for j, wish in enumerate(wanted)
    ]


def sign_extend(
    g: Graph, first: Word, second: Word, at: At, width: int, fill: range, when: Form | int = 1
) -> list[Form]:
    """What a signed access of `width` bytes adds to `extract`: 255 in each byte of `fill`.

    The sign is bit 7 of the last byte read.
    """
    bits = (*first.bits, *second.bits)
    signs = (select(g, [where, when, bits[8 * (s + width) - 1]]) for s, where in enumerate(at))
    negative = sum(signs, Form())
    return [255 * negative if j in fill else Form() for j in range(len(first.bytes))]


def insert(
    g: Graph,
    old: Word,
    value: Word,
    at: At,
    wanted: Sequence[Form],
    second: bool = False,
) -> list[Form]:
    """The word of the window after bytes of a value are stored at s.

    `old` is the word as it was: the first of the window, or with `second` the next one.
    `wanted[k]` is the bit "byte k of the value is stored"; where not even the first is, zeros.
    Byte j is `old[j]`, and where byte k of the value comes there, their difference more.
    """
    size = len(old.bytes)
    result = []
    for j in range(size):
        cases = [g.neuron(wanted[0], old.bytes[j])]
        for s, where in enumerate(at):
            k = j - s + (size if second else 0)
            if 0 <= k < size:
                cases.append(select(g, [where, wanted[k]], value.bytes[k] - old.bytes[j]))
        result.append(sum(cases, Form()))
    return result
