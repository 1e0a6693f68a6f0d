"""Numbers in digits: floor division, carries, comparison, multiplication."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt

from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import select, step

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

    Two staircases in two layers, coarse and then fine, take about 2 sqrt(n) steps where one
    would take n: floor(x / b) == k floor(x / kb) + floor((x mod kb) / b). Three in three layers
    take about 3 times the cube root.
    """
    count = x.hi // base
    fine = _fine(count, levels)
    high = g.signal(f"{name}.coarse", floor_divide(g, x, base * fine))
    inner = g.assume(x - base * fine * high, 0, base * fine - 1, "a remainder")
    if levels > 2:
        more = split(g, f"{name}.inner", inner, base, levels - 1)[1]
    else:
        more = g.signal(f"{name}.fine", floor_divide(g, inner, base))
    rest = fine * high + more
    low = g.assume(x - base * rest, 0, base - 1, "a remainder")
    return low, g.assume(rest, 0, count, "a quotient")


@cache
def _fine(count: int, levels: int) -> int:
    """How many steps of the finer staircases one of the coarsest replaces."""
    most = isqrt(count) + 2 if levels == 2 else count + 2  # two take about as many steps each
    return min(range(1, most), key=lambda k: (count // k + _steps(k - 1, levels - 1), k))


@cache
def _steps(count: int, levels: int) -> int:
    """How many steps staircases up to a count take in all."""
    if levels == 1 or not count:
        return count
    fine = _fine(count, levels)
    return count // fine + _steps(fine - 1, levels - 1)


def carry(
    g: Graph,
    digits: Sequence[Form],
    bases: Sequence[int] | int = BYTE,
    when: Form | int = 1,
    most: int | None = None,
    fits: bool = False,
    group: int = GROUP,
) -> Carried:
    """Normalise digits of any size: the same number, with each digit in [0, base).

    With W_d the weight of digit d, what leaves digit d is floor(sum_{e<=d} W_e x_e / W_(d+1)),
    all carries at once, so digit d becomes x_d + carry_(d-1) - base_d * carry_d. Low digits
    that are proper together carry nothing and do not enter the sums above them.

    What cannot happen needs no neurons: `most` promises that where `when` is 1 every digit
    carries from 0 to that, `fits` that nothing leaves the top one.

    A sum over many digits would leave the exact range, so that after `group` bytes the carry
    goes to a lane, and the digits above take it one layer later.
    """
    radix = [bases] * len(digits) if isinstance(bases, int) else list(bases)
    total, weight, incoming = Form(), 1, Form()
    results: list[Form] = []
    for digit, base in zip(digits, radix, strict=True):
        total, weight = total + weight * digit, weight * base
        last = fits and len(results) == len(digits) - 1
        outgoing = Form() if last else floor_divide(g, total, weight, when, most)
        results.append(select(g, [when], digit) + incoming - base * outgoing)
        incoming = outgoing
        if total.lo >= 0 and total.hi < weight:
            total, weight = Form(), 1
        elif weight >= BYTE**group and len(results) < len(digits):
            incoming = g.signal(f"carry {len(results)}", outgoing)
            total, weight = incoming, 1
    return Carried(tuple(results), incoming)


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


def multiply(
    g: Graph, name: str, a: Sequence[Form], b: Sequence[Form], when: Form | int = 1
) -> tuple[Form, ...]:
    """The low bytes of a * b, as many as a has.

    relu(x) * y == x * y for x >= 0 gives the byte products; column c is the sum of those of
    weight 256^c. Columns are split into a low byte and the rest, which moves one column up;
    then carries as in addition.
    """
    size = len(a)
    columns = [
        g.signal(f"{name}.column{c}", [g.neuron(a[d], b[c - d]) for d in range(c + 1)])
        for c in range(size)
    ]
    parts = [split(g, f"{name}.column{c}", column, BYTE) for c, column in enumerate(columns)]
    lows, highs = [low for low, _ in parts], [Form(), *(high for _, high in parts)]
    digits = [low + high for low, high in zip(lows, highs, strict=False)]
    return carry(g, digits, BYTE, when).digits
