"""Operations on the bits of words: and, or, xor, shifts, rotations, counts."""

from collections.abc import Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import none, select, spelled
from transputer.circuit.word import Word, weighted
from transputer.values import dataclass


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


@dataclass(frozen=True, slots=True)
class Amount:
    """How far a word moves: `bits[s]` is 1 for s bits from 0 to 8, `bytes[b]` for b bytes.

    `narrow` counts the bytes of words of half the width too; where only they are moved,
    `bytes` and `whole` are 0. All are 0 where nothing moves.
    """

    bits: tuple[Form, ...]
    bytes: tuple[Form, ...]
    narrow: tuple[Form, ...]
    whole: Form


def amount(
    g: Graph, name: str, by: Word, size: int, plain: Sequence[Form], back: Sequence[Form]
) -> Amount:
    """How far words of `size` bytes, and of half as many, move by the number `by`.

    `plain` and `back` are bits for (half, whole) words: they move by n, or by the width - n,
    as the other half of a rotation does. With n = 8 h + l, width - n == 8 (h_max - h) + (8 - l),
    so that l is spelled as it is or counted down from 8, and h from its maximum.
    """
    low, high = by.bits[:3], by.bits[3 : 3 + (size - 1).bit_length()]
    moves = g.signal(f"{name} moves", sum(plain, Form()))
    returns = g.signal(f"{name} returns", sum(back, Form()))
    ones = [
        (select(g, [*spelled(low, s), moves]) if s < 8 else Form())
        + (select(g, [*spelled(low, 8 - s), returns]) if s else Form())
        for s in range(9)
    ]
    whole, narrow = [], []
    for b in range(size):
        wide = [
            select(g, [*spelled(high, b), plain[1]]),
            select(g, [*spelled(high, size - 1 - b), back[1]]),
        ]
        half = [
            select(g, [*spelled(high[:-1], b), plain[0]]),
            select(g, [*spelled(high[:-1], size // 2 - 1 - b), back[0]]),
        ]
        whole.append(g.signal(f"{name} by {b} bytes", wide))
        both = [*wide, *(half if b < size // 2 else [])]
        narrow.append(g.signal(f"{name} by {b} bytes at all", both))
    return Amount(
        tuple(g.signal(f"{name} by {s} bits", one) for s, one in enumerate(ones)),
        tuple(whole),
        tuple(narrow),
        g.signal(f"{name} whole", plain[1] + back[1]),
    )


def shift_left(g: Graph, name: str, a: Word, by: Amount) -> list[Form]:
    """The bytes of a moved up: by bits, then by bytes. Of a half word, nothing goes above it."""
    size = len(a.bytes)
    moved = [
        g.signal(f"{name} byte {j}", [g.neuron(one, _byte(a, 8 * j - s)) for s, one in _each(by)])
        for j in range(size)
    ]
    results = []
    for j in range(size):
        amounts = by.bytes if j >= size // 2 else by.narrow
        results.append(sum((g.neuron(amounts[b], moved[j - b]) for b in range(j + 1)), Form()))
    return results


def shift_right(g: Graph, name: str, a: Word, by: Amount) -> list[Form]:
    """The bytes of a moved down; above a half or whole word there are zeros."""
    size, half = len(a.bytes), len(a.bits) // 2
    below = Word(a.bytes[: size // 2], a.bits[:half])
    moved = []
    for j in range(size):
        word = below if j < size // 2 else a
        cases = [g.neuron(one, _byte(word, 8 * j + s)) for s, one in _each(by)]
        if j == size // 2 - 1:  # bits of the upper half come down
            upper = Word(a.bytes, (*[Form()] * half, *a.bits[half:]))
            cases += [select(g, [one, by.whole], _byte(upper, 8 * j + s)) for s, one in _each(by)]
        moved.append(g.signal(f"{name} byte {j}", cases))
    results = []
    for j in range(size):
        amounts = [by.bytes if j + b >= size // 2 else by.narrow for b in range(size - j)]
        cases = [g.neuron(amount[b], moved[j + b]) for b, amount in enumerate(amounts)]
        results.append(sum(cases, Form()))
    return results


def _each(by: Amount) -> list[tuple[int, Form]]:
    return list(enumerate(by.bits))


def _byte(a: Word, start: int) -> Form:
    """Eight bits of a word from one on; there are zeros below and above it."""
    bits = range(start, start + 8)
    return weighted([a.bits[i] if 0 <= i < len(a.bits) else Form() for i in bits], 2)


def sign_fill(g: Graph, name: str, by: Amount, whole: Form, half: Form) -> list[Form]:
    """What arithmetic shifts add to `shift_right` where the sign, of a whole or half word, is set.

    Moved by 8 b + s, the top b bytes are filled, and s bits of the next one: 256 - 2^(8 - s).
    """
    size = len(by.bytes)
    signed = g.signal(f"{name} of negative", whole + half)
    part = g.signal(
        f"{name} filled",
        [(256 - (1 << 8 - s)) * select(g, [by.bits[s], signed]) for s in range(1, 8)],
    )
    filled = [Form()] * size
    for width, sign in ((size, whole), (size // 2, half)):
        for b in range(width):
            top = width - 1 - b
            filled[top] = filled[top] + g.neuron(by.narrow[b] + 255 * sign - 255, part)
            ones = select(g, [by.narrow[b], sign]) if b else Form()
            for j in range(top + 1, width):
                filled[j] = filled[j] + 255 * ones
    return filled


def leading_zeros(g: Graph, a: Word, whens: Sequence[Form]) -> Form:
    """How many bits from the top are 0 before the first 1, in the bytes from the top down.

    `whens[d]` is 1 where byte d counts; those below it count where it and all above are 0. Of
    each byte that all bytes above leave to count: the number of k whose top k bits are all 0.
    """
    total = Form()
    for d in range(len(a.bytes)):
        above = sum(a.bytes[d + 1 :], Form())
        counts = (
            g.signal(f"zeros above byte {d}", g.neuron(whens[d] - above))
            if above.terms
            else whens[d]
        )
        bits = a.bits[8 * d : 8 * d + 8]
        total = total + sum((none(g, bits[8 - k :], counts) for k in range(1, 9)), Form())
    return total


def trailing_zeros(g: Graph, a: Word, whens: Sequence[Form]) -> Form:
    """How many bits from the bottom are 0 before the first 1; `whens` as in `leading_zeros`."""
    turned = Word(a.bytes[::-1], a.bits[::-1])
    return leading_zeros(g, turned, whens[::-1])


def ones(g: Graph, bits: Sequence[Form], when: Form | int = 1) -> Form:
    """How many bits are 1: their sum."""
    return select(g, [when], sum(bits, Form()))
