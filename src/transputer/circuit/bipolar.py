"""Conditions and words on bipolar lanes: -1 is a 0 bit, +1 a 1 bit, 0 is no bit at all.

A literal is a form that is +1 where something holds and -1 where it does not. Bits of words are
least significant first.
"""

from collections.abc import Iterable, Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import select, step
from transputer.circuit.word import weighted


def spell(bits: Sequence[Form], number: int) -> list[Form]:
    """The literals that hold where the word with these bits is `number`."""
    return [bit if number >> i & 1 else -bit for i, bit in enumerate(bits)]


def agree(literals: Iterable[Form]) -> Form:
    """A gate that is 1 where all literals hold, and never positive elsewhere.

    l_1 + .. + l_n - (n - 1) == 1 where all are +1, and each that is -1 takes away 2. It stays
    closed, too, in columns whose n >= 1 lanes are all 0.
    """
    terms = list(literals)
    return sum(terms, Form()) - (len(terms) - 1)


def doubled(bits: Sequence[Form]) -> Form:
    """2 w - (2^n - 1) for the unsigned word w with these n bits."""
    return weighted(bits, 2)


def doubled_signed(bits: Sequence[Form]) -> Form:
    """2 w + 1 for the word w in two's complement: the top bit counts negative."""
    return weighted(bits, 2) - (1 << len(bits)) * bits[-1]


def borrows(
    g: Graph, minuend: Sequence[Form], subtrahend: Sequence[Form], when: Form | int = 1
) -> list[Form]:
    """[the low i + 1 bits of the minuend are below those of the subtrahend], for each i.

    With D = sum of 2^j (m_j - s_j) over the low bits, twice their difference, it is [-D >= 1].
    """
    digits = [m - s for m, s in zip(minuend, subtrahend, strict=True)]
    return [step(g, -weighted(digits[: i + 1], 2), 1, when) for i in range(len(digits))]


def difference(
    g: Graph, minuend: Sequence[Form], subtrahend: Sequence[Form], when: Form | int = 1
) -> list[Form]:
    """The bits of minuend - subtrahend, wrapping, where `when` is 1; 0 where it is 0.

    With borrows b, bit i is m_i - s_i - b_(i-1) + 2 b_i in bits of 0 and 1; doubled, less 1.
    """
    lent = borrows(g, minuend, subtrahend, when)
    incoming = [Form(), *lent]
    pairs = zip(minuend, subtrahend, incoming, lent, strict=False)
    return [select(g, [when], m - s - 1) - 2 * below + 4 * out for m, s, below, out in pairs]


def increment(g: Graph, bits: Sequence[Form], when: Form) -> list[Form]:
    """What is added to the bits to make the word one more, where the gate `when` is 1.

    Bit i flips where all bits below it are 1: carry c_i; in bits of 0 and 1 it becomes
    x_i + c_i - 2 c_(i+1), and half of what a bipolar bit gains is c_i - 2 c_(i+1). A closed
    `when` is not positive, so 2 (`when` - 1) closes the carries with it.
    """
    carries = [g.neuron(when)]
    carries += [g.neuron(agree([*bits[:i], 2 * when - 1])) for i in range(1, len(bits) + 1)]
    return [2 * c - 4 * out for c, out in zip(carries, carries[1:], strict=False)]
