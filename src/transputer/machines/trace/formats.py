"""Fields of a float in a word: what the rules of floating-point instructions read."""

from transputer.circuit import Form
from transputer.circuit.word import Word, weighted
from transputer.isa.floats import F32, F64, Format
from transputer.machines.trace.machine import TraceCircuit

FORMATS = (F32, F64)


def bias(f: Format) -> int:
    """The exponent field of 1."""
    return f.infinity >> f.fraction + 1


def exponent(m: TraceCircuit, f: Format) -> Form:
    """A lane for the exponent field of T."""
    return m.g.signal(f"f{f.bits} exponent", weighted(m.T.bits[f.fraction : f.bits - 1], 2))


def sign(word: Word, f: Format) -> Form:
    """The sign bit."""
    return word.bits[f.bits - 1]


def fraction_sum(word: Word, f: Format, lowest: int = 0) -> Form:
    """A number that is 0 where the fraction is 0 from bit `lowest` on, and positive elsewhere.

    The sum of whole bytes and of the bits beside them.
    """
    first, last = -(-lowest // 8), f.fraction // 8
    bits = (*word.bits[lowest : 8 * first], *word.bits[8 * last : f.fraction])
    return sum(word.bytes[first:last], sum(bits, Form()))


def is_infinite(m: TraceCircuit, word: Word, f: Format, when: Form) -> Form:
    """1 where `when` is 1 and the word is an infinity.

    With n of e exponent bits set, relu(n - (e - 1)) is 1 where all of them are, and
    relu(n - (e - 1) - fraction) where the fraction is 0 as well.
    """
    return m.g.neuron(_ones(word, f, when) - fraction_sum(word, f))


def is_nan(m: TraceCircuit, word: Word, f: Format, when: Form) -> Form:
    """1 where `when` is 1 and the word is a NaN."""
    return m.g.neuron(_ones(word, f, when)) - is_infinite(m, word, f, when)


def _ones(word: Word, f: Format, when: Form) -> Form:
    """1 where all bits of the exponent are 1 and `when` is; else 0 or less."""
    bits = word.bits[f.fraction : f.bits - 1]
    return sum(bits, when) - len(bits)


def pattern(number: int, when: Form) -> list[Form]:
    """The bytes of a constant where a bit is 1, else 0."""
    return [(number >> 8 * j & 255) * when for j in range(8)]


def left_aligned(word: Word, f: Format, top: Form | int) -> list[Form]:
    """The bytes of fraction and `top` bit, moved so that the top bit is bit 63."""
    bits = [Form()] * (63 - f.fraction) + [*word.bits[: f.fraction], Form.of(top)]
    return [weighted(bits[j : j + 8], 2) for j in range(0, 64, 8)]
