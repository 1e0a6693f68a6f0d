"""Long division in base 256: remainders, their comparison with the divisor, negation.

A step of a division has a remainder, the divisor D and a digit q that the argmax of an output
part chose. It needs the bytes of `256 remainder + byte - q D`; for the next digit it needs only
two numbers, which `Graph.output_quotient` compares.
"""

from collections.abc import Sequence

from transputer.circuit.arithmetic import floor_divide
from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import clamp
from transputer.circuit.word import weighted
from transputer.values import dataclass

BYTE = 256
#: Bytes of half a word, and how many values they have.
HALF = 4
UNIT: int = BYTE**HALF
#: Carries of one step of the coarse staircase; the fine one takes them one by one.
COARSE = 16


@dataclass(frozen=True, slots=True)
class Remainder:
    """A number by its bytes, and by its low half and the rest."""

    bytes: tuple[Form, ...]
    low: Form
    high: Form


def remainder(g: Graph, name: str, columns: Sequence[Form]) -> Remainder:
    """The number `sum of 256^i column_i`, promised to fit its bytes, two halves of `HALF` columns.

    A column is a byte minus a byte times a digit, so that every partial sum carries from -256 to
    1. That is floor(sum / 256^(i+1)), found by two staircases: sixteens of carries, then the rest.
    The high half takes the carry of the low one two layers later; as a number it needs none of
    its own.
    """
    lanes = [g.signal(f"{name} column {i}", column) for i, column in enumerate(columns)]
    low = _carried(g, name, columns[:HALF], lanes[:HALF], Form())
    carry = low.carries[-1]
    high = _carried(g, f"{name} high", columns[HALF:], lanes[HALF:], carry)
    number = g.assume(low.total - UNIT * carry, 0, UNIT - 1, "half a word")
    digits = []
    incoming = Form()
    for lane, outgoing in zip(lanes, (*low.carries, *high.carries), strict=True):
        digit = lane + incoming - BYTE * outgoing
        digits.append(g.assume(digit, 0, BYTE - 1, "a proper digit"))
        incoming = outgoing
    return Remainder(tuple(digits), number, high.total + carry)


@dataclass(frozen=True, slots=True)
class _Carries:
    """What leaves each column of half a word, none the top of the high one, and their sum."""

    carries: tuple[Form, ...]
    total: Form


def _carried(
    g: Graph, name: str, columns: Sequence[Form], lanes: Sequence[Form], incoming: Form
) -> _Carries:
    carries = []
    total = lanes[0]
    for i in range(HALF):
        if i:  # one lane per sum, so that each step of a staircase reads one
            total = g.signal(f"{name} total {i}", weighted(columns[: i + 1], BYTE))
        if i == HALF - 1 and incoming != Form():
            carries.append(Form())
            continue
        weight: int = BYTE ** (i + 1)
        x = g.assume(total + incoming, -BYTE * weight, 2 * weight - 1, "a byte less a product")
        coarse = g.signal(f"{name} coarse {i}", floor_divide(g, x, COARSE * weight))
        rest = g.assume(x - COARSE * weight * coarse, 0, COARSE * weight - 1, "a remainder")
        carries.append(
            COARSE * coarse + g.signal(f"{name} fine {i}", floor_divide(g, rest, weight))
        )
    return _Carries(tuple(carries), total)


def excess(g: Graph, name: str, high: Form, low: Form) -> Form:
    """A number whose sign is that of `2^32 high + low`, for a low difference in (-2^33, 2^32).

    From 2 on, and from -1 down, the high difference decides alone, so that it can be clamped:
    2^32 min(max(high, -1), 2) + low.
    """
    return low + UNIT * g.signal(name, clamp(g, high, -1, 2))


def length_flags(g: Graph, digits: Sequence[Form]) -> list[Form]:
    """[all digits from d on are 0] for each d from 1 on: relu(1 - their sum)."""
    return [g.neuron(1 - sum(digits[d:], Form())) for d in range(1, len(digits))]


def negate(g: Graph, digits: Sequence[Form], whens: Sequence[Form]) -> list[Form]:
    """The bytes of minus a number of proper bytes; `whens[i]` is 1 where byte i is wanted.

    -x == ~x + 1: byte i is 255 - x_i, and 1 more if all below are 0, which is when ~x + 1 carries:
    relu(1 - sum of the bytes below). Where it is itself 0 too, it carries on: 256 less.
    """
    result = []
    for i, (digit, when) in enumerate(zip(digits, whens, strict=True)):
        into, out = (g.neuron(when - sum(digits[:n], Form())) for n in (i, i + 1))
        result.append(g.neuron(when, 255 - digit) + into - BYTE * out)
    return result
