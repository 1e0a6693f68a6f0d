"""Operations on the bits of words: and, or, xor, shifts, rotations, counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import decode, none, select
from transputer.circuit.word import Word, weighted


@dataclass(frozen=True, slots=True)
class Bitwise:
    """The bytes of `a and b`, `a or b`, `a xor b`."""

    both: tuple[Form, ...]
    either: tuple[Form, ...]
    differ: tuple[Form, ...]


def bitwise(g: Graph, name: str, a: Word, b: Word) -> Bitwise:
    """And, or and xor by byte, from one neuron per bit.

    relu(a + b - 1) == a and b for bits; a or b == a + b - (a and b), and a xor b == a + b -
    2 (a and b).
    """
    ands = [select(g, [x, y]) for x, y in zip(a.bits, b.bits, strict=True)]
    both = tuple(
        g.signal(f"{name}.{d}", weighted(ands[8 * d : 8 * d + 8], 2)) for d in range(len(a.bytes))
    )
    total = [x + y for x, y in zip(a.bytes, b.bytes, strict=True)]
    either = tuple(s - c for s, c in zip(total, both, strict=True))
    return Bitwise(both, either, tuple(s - 2 * c for s, c in zip(total, both, strict=True)))


def amounts(g: Graph, word: Word, size: int) -> list[Form]:
    """[amount == s] for s below `size` (a power of two), from the low bits of a word."""
    return decode(g, word.bits[: (size - 1).bit_length()])


def shift_left(g: Graph, a: Word, amount: Sequence[Form], when: Form | int = 1) -> list[Form]:
    """The bytes of a << s, for one-hot s."""
    return _moved(g, a, amount, when, lambda i, s: i - s)


def shift_right(g: Graph, a: Word, amount: Sequence[Form], when: Form | int = 1) -> list[Form]:
    """The bytes of a >> s, zeros shifted in, for one-hot s."""
    return _moved(g, a, amount, when, lambda i, s: i + s)


def sign_fill(g: Graph, a: Word, amount: Sequence[Form], when: Form | int = 1) -> list[Form]:
    """What an arithmetic shift adds to `shift_right`: the top s bits, where the sign is set."""
    size, filled = len(a.bits), [Form()] * len(a.bytes)
    for s, chosen in enumerate(amount):
        mask = (1 << size) - (1 << (size - s))
        ones = select(g, [chosen, when, a.bits[-1]]) if mask else Form()
        filled = [byte + (mask >> 8 * d & 255) * ones for d, byte in enumerate(filled)]
    return filled


def rotate_left(g: Graph, a: Word, amount: Sequence[Form], when: Form | int = 1) -> list[Form]:
    """The bytes of a rotated left by s, for one-hot s."""
    return _moved(g, a, amount, when, lambda i, s: (i - s) % len(a.bits))


def rotate_right(g: Graph, a: Word, amount: Sequence[Form], when: Form | int = 1) -> list[Form]:
    """The bytes of a rotated right by s, for one-hot s."""
    return _moved(g, a, amount, when, lambda i, s: (i + s) % len(a.bits))


def _moved(
    g: Graph,
    a: Word,
    amount: Sequence[Form],
    when: Form | int,
    source: Callable[[int, int], int],
) -> list[Form]:
    """Bit i of the result is bit `source(i, s)` of a, or 0 where there is none.

    For each s and byte one neuron: relu([amount == s] + when - 1) * (the byte as a sum of bits).
    """
    size = len(a.bits)
    result = [Form()] * len(a.bytes)
    for s, chosen in enumerate(amount):
        bits = [a.bits[source(i, s)] if 0 <= source(i, s) < size else Form() for i in range(size)]
        moved = [weighted(bits[i : i + 8], 2) for i in range(0, size, 8)]
        result = [
            byte + select(g, [chosen, when], more) for byte, more in zip(result, moved, strict=True)
        ]
    return result


def leading_zeros(g: Graph, bits: Sequence[Form], when: Form | int = 1) -> Form:
    """How many bits from the top are 0 before the first 1.

    The number of k for which the top k bits are all 0.
    """
    return sum((none(g, bits[len(bits) - k :], when) for k in range(1, len(bits) + 1)), Form())


def trailing_zeros(g: Graph, bits: Sequence[Form], when: Form | int = 1) -> Form:
    """How many bits from the bottom are 0 before the first 1."""
    return leading_zeros(g, bits[::-1], when)


def ones(g: Graph, bits: Sequence[Form], when: Form | int = 1) -> Form:
    """How many bits are 1: their sum."""
    return select(g, [when], sum(bits, Form()))
