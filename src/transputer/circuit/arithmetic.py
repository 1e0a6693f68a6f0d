"""Numbers in digits: floor division, carries, comparison, multiplication."""

from collections.abc import Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import select, step
from transputer.values import dataclass

BYTE = 256
#: Bytes whose carries are computed in one layer: 256^5 times a digit's sum is below 2^53.
GROUP = 5


@dataclass(frozen=True, slots=True)
class Carried:
    """Proper digits, each in [0, base), and what is carried out of the top (below 0: borrowed)."""

    digits: tuple[Form, ...]
    carry: Form


@dataclass(frozen=True, slots=True)
class Order:
    """Three bits of which exactly one is 1."""

    less: Form
    equal: Form
    greater: Form


def floor_divide(
    g: Graph, x: Form, divisor: int, when: Form | int = 1, most: int | None = None
) -> Form:
    """floor(x / divisor), a staircase over the range of x; from 0 to `most`, if that is promised.

    The number of multiples k * divisor (k >= 1) that x reaches, minus the number of those
    (k <= 0) that it stays below.
    """
    bottom, top = x.lo // divisor, x.hi // divisor
    if most is not None:
        bottom, top = 0, min(most, top)
    ups = (step(g, x, k * divisor, when) for k in range(1, top + 1))
    downs = (step(g, -x, 1 - k * divisor, when) for k in range(bottom + 1, 1))
    return sum(ups, Form()) - sum(downs, Form())


def split(g: Graph, name: str, x: Form, base: int, levels: int = 2) -> tuple[Form, Form]:
    """x as (low digit, rest): x == low + base * rest with 0 <= low < base, for x >= 0.

    Staircases of falling coarseness, a layer each, take about levels * n^(1/levels) steps where
    one would take n: floor(x / b) == k floor(x / kb) + floor((x mod kb) / b).
    """
    count = x.hi // base
    rest, inner = Form(), x
    for level in reversed(range(levels)):
        unit = max(1, round((count + 1) ** (level / levels)))
        quotient = g.signal(f"{name}.level{level}", floor_divide(g, inner, base * unit))
        rest = rest + unit * quotient
        inner = g.assume(inner - base * unit * quotient, 0, base * unit - 1, "a remainder")
    return inner, g.assume(rest, 0, count, "a quotient")


def carry(
    g: Graph,
    digits: Sequence[Form],
    bases: Sequence[int] | int = BYTE,
    when: Form | int | Sequence[Form] = 1,
    most: int | None = None,
    fits: bool = False,
    group: int = GROUP,
) -> Carried:
    """Normalise digits of any size: the same number, with each digit in [0, base).

    With W_d the weight of digit d, what leaves digit d is floor(sum_{e<=d} W_e x_e / W_(d+1)),
    all carries at once, so digit d becomes x_d + carry_(d-1) - base_d * carry_d. Low digits
    that are proper together carry nothing and do not enter the sums above them.

    What cannot happen needs no neurons: `most` promises that where `when` is 1 every digit
    carries from 0 to that, `fits` that nothing leaves the top one. `when` may be a bit for each
    digit; each implies that of the digit below.

    A sum over many digits would leave the exact range, so that after `group` bytes the carry
    goes to a lane, and the digits above take it one layer later.
    """
    radix = [bases] * len(digits) if isinstance(bases, int) else list(bases)
    whens = [when] * len(digits) if isinstance(when, Form | int) else list(when)
    total, weight, previous = Form(), 1, Form()
    results: list[Form] = []
    outgoing = Form()
    for digit, base, now in zip(digits, radix, whens, strict=True):
        incoming = floor_divide(g, total, weight, now, most) if weight > 1 else Form()
        total, weight = total + weight * digit, weight * base
        last = fits and len(results) == len(digits) - 1
        outgoing = Form() if last else floor_divide(g, total, weight, now, most)
        results.append(select(g, [now], digit + previous) + incoming - base * outgoing)
        previous = Form()
        if total.lo >= 0 and total.hi < weight:
            total, weight = Form(), 1
        elif weight >= BYTE**group and len(results) < len(digits):
            previous = g.signal(f"carry {len(results)}", outgoing)
            total, weight = previous, 1
    return Carried(tuple(results), outgoing)


def add(
    g: Graph, a: Sequence[Form], b: Sequence[Form], when: Form | int = 1, bases: int = BYTE
) -> Carried:
    """a + b digit by digit; the carry is 1 where the sum does not fit."""
    return carry(g, [x + y for x, y in zip(a, b, strict=True)], bases, when)


def subtract(
    g: Graph, a: Sequence[Form], b: Sequence[Form], when: Form | int = 1, bases: int = BYTE
) -> Carried:
    """a - b digit by digit, modulo what fits; the carry is -1 where b > a."""
    return carry(g, [x - y for x, y in zip(a, b, strict=True)], bases, when)


def compare(g: Graph, a: Form, b: Form, when: Form | int = 1) -> Order:
    """How a compares with b; `Word.number` and `Word.signed` give the two orders of words.

    With z = b - a: less == [z >= 1], greater == 1 - [z >= 0]; three neurons in all.
    """
    less, reached = step(g, b - a, 1, when), step(g, b - a, 0, when)
    return Order(less, reached - less, Form.of(when) - reached)


def compare_wide(g: Graph, name: str, high: Form, low: Form) -> Order:
    """The order of a and b, given the differences a - b of their high and low halves.

    With [h > 0], [h >= 0], [l > 0], [l >= 0]: a >= b iff 2 [h > 0] + [h >= 0] + [l >= 0] >= 2.
    """
    above, reached, more, least = (
        g.signal(f"{name} {i}", step(g, x, k))
        for i, (x, k) in enumerate(((high, 1), (high, 0), (low, 1), (low, 0)))
    )
    greater = g.signal(f"{name} greater", step(g, 2 * above + reached + more, 2))
    less = g.signal(f"{name} less", 1 - step(g, 2 * above + reached + least, 2))
    return Order(less, 1 - less - greater, greater)


def multiply(
    g: Graph, name: str, a: Sequence[Form], b: Sequence[Form], when: Form | int | Sequence[Form] = 1
) -> tuple[Form, ...]:
    """The low bytes of a * b, as many as a has; `when` as in `carry`.

    relu(x) * y == x * y for x >= 0 gives the byte products; column c is the sum of those of
    weight 256^c. Columns are split into a low byte and the rest, which moves one column up;
    then carries as in addition.
    """
    size = len(a)
    columns = [
        g.signal(f"{name}.column{c}", [g.neuron(a[d], b[c - d]) for d in range(c + 1)])
        for c in range(size)
    ]
    parts = [split(g, f"{name}.column{c}", column, BYTE, 3) for c, column in enumerate(columns)]
    lows, highs = [low for low, _ in parts], [Form(), *(high for _, high in parts)]
    digits = [low + high for low, high in zip(lows, highs, strict=False)]
    return carry(g, digits, BYTE, when, group=3).digits
