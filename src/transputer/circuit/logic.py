"""Conditions: steps, equality, selection, one-hot codes.

Every gadget takes forms of integers and gives forms; nothing is approximate. `when` multiplies
the result: with a bit, the gadget contributes where the bit is 1 and adds nothing elsewhere.
Bits are forms that are 0 or 1.
"""

from collections.abc import Iterable, Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph


def step(g: Graph, x: Form, threshold: int, when: Form | int = 1) -> Form:
    """[x >= threshold].

    relu(z + 1) - relu(z) == [z >= 0] for integer z.
    """
    z = x - threshold
    if z.lo >= 0:
        return Form.of(when)
    return g.neuron(z + 1, when) - g.neuron(z, when)


def equal(g: Graph, x: Form, value: int, when: Form | int = 1) -> Form:
    """[x == value].

    relu(z + 1) - 2 relu(z) + relu(z - 1) == [z == 0] for integer z; where z cannot be negative
    (or positive), relu(1 - z) (or relu(1 + z)) alone.
    """
    z = x - value
    if z.lo >= 0:
        return g.neuron(1 - z, when)
    if z.hi <= 0:
        return g.neuron(1 + z, when)
    return g.neuron(z + 1, when) - 2 * g.neuron(z, when) + g.neuron(z - 1, when)


def select(g: Graph, conditions: Iterable[Form | int], value: Form | int = 1) -> Form:
    """The value where all conditions are 1, else 0.

    relu(b_1 + .. + b_n - (n - 1)) == b_1 and .. and b_n for bits.
    """
    bits = [Form.of(c) for c in conditions]
    return g.neuron(sum(bits, Form()) - (len(bits) - 1), value)


def choose(g: Graph, cases: Iterable[tuple[Form, Form | int]]) -> Form:
    """The value whose bit is 1, for bits of which at most one is; else 0.

    The sum of relu(bit) * value.
    """
    return sum((g.neuron(bit, value) for bit, value in cases), Form())


def every(g: Graph, bits: Iterable[Form]) -> Form:
    """1 where all bits are 1."""
    return select(g, bits)


def some(g: Graph, bits: Iterable[Form], when: Form | int = 1) -> Form:
    """1 where a bit is 1: [sum >= 1]."""
    return step(g, sum(bits, Form()), 1, when)


def none(g: Graph, bits: Iterable[Form], when: Form | int = 1) -> Form:
    """1 where no bit is 1.

    relu(1 - sum) == [sum == 0] for sums that are not negative; `when` closes the gate instead
    of the 1, so that a bit gates without a product.
    """
    return g.neuron(when - sum(bits, Form()))


def one_hot(g: Graph, x: Form, when: Form | int = 1) -> list[Form]:
    """[x == v] for each v from `x.lo` to `x.hi`; neighbours share neurons."""
    return [equal(g, x, v, when) for v in range(x.lo, x.hi + 1)]


def decode(g: Graph, bits: Sequence[Form]) -> list[Form]:
    """[number == v] for each v of the number with these bits, one neuron each."""
    return [every(g, spelled(bits, v)) for v in range(1 << len(bits))]


def spelled(bits: Sequence[Form], value: int) -> list[Form]:
    """The conditions under which the number with these bits is `value`, for `select`."""
    return [bit if value >> i & 1 else 1 - bit for i, bit in enumerate(bits)]


def clamp(g: Graph, x: Form, lo: int, hi: int) -> Form:
    """The nearest number in [lo, hi]; the weights then prove the range.

    lo + relu(x - lo) - relu(x - hi) == min(max(x, lo), hi).
    """
    return lo + g.neuron(x - lo) - g.neuron(x - hi)
