"""Floating-point instructions of one step: comparisons, min and max, instructions on the sign.

f32 and f64 share their neurons. A value of 32 bits has zeros above it, so that the order of two
patterns of one sign is that of their 64 bits.
"""

from collections.abc import Iterable

from transputer.circuit import Form
from transputer.circuit.logic import select, step
from transputer.circuit.word import Word, weighted
from transputer.isa.floats import Format
from transputer.machines.trace.formats import FORMATS, is_nan, pattern, sign
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.vocabulary import BYTE

_ORDERS = ("eq", "ne", "lt", "gt", "le", "ge")


def _both(*names: str) -> list[str]:
    return [f"f{f.bits}.{name}" for f in FORMATS for name in names]


def _ordering(m: TraceCircuit, f: Format, *others: str) -> Form:
    """1 for the comparisons of a format, and others of its instructions."""
    return m.op(*(f"f{f.bits}.{name}" for name in (*_ORDERS, *others)))


@trace.on(*_both(*_ORDERS, "min", "max"))
def float_compares(m: TraceCircuit) -> None:
    """Less, equal, greater or unordered; an instruction picks some of them, or an operand.

    min and max take -0 to be below +0, comparisons do not.
    """
    unordered = _nans(m)
    less, greater = _orders(m, unordered + _zeros(m))
    m.result([less], m.op(*_both("lt", "le", "ne")))
    m.result([greater], m.op(*_both("gt", "ge", "ne")))
    m.result([m.g.neuron(m.op(*_both("eq", "le", "ge")) - less - greater - unordered)])
    m.result([_some(m, unordered, m.op(*_both("ne")))])
    _choices(m, less, greater, unordered)


def _some(m: TraceCircuit, count: Form, when: Form) -> Form:
    """`when` and [count >= 1], for counts up to 2.

    relu(z) - relu(z - 1) == [z >= 1] for z = count - 2 (1 - when).
    """
    return step(m.g, count - 2 + 2 * when, 1)


def _nans(m: TraceCircuit) -> Form:
    """How many of the operands are NaNs, for comparisons, min and max."""
    nans = (
        is_nan(m, word, f, _ordering(m, f, "min", "max")) for word in (m.S, m.T) for f in FORMATS
    )
    return m.g.signal("NaNs", nans)


def _zeros(m: TraceCircuit) -> Form:
    """1 where both operands of a comparison are zeros, of any sign."""
    zeros = Form()
    for f in FORMATS:
        magnitudes = (sum(w.bytes[: f.bits // 8], -128 * sign(w, f)) for w in (m.S, m.T))
        zeros = zeros + m.g.neuron(_ordering(m, f) - sum(magnitudes, Form()))
    return m.g.signal("zeros", zeros)


def _orders(m: TraceCircuit, neither: Form) -> tuple[Form, Form]:
    """[S < T] and [S > T] of comparisons, min and max; both are 0 where `neither` is not.

    With c from -3 to 3, of the sign of S - T as unsigned numbers, and with sign bits s and t:
    S > T iff s = t = 0 and c > 0, or s = t = 1 and c < 0, or s = 0 and t = 1. The first and the
    last are [c + 8 t - 16 s >= 1], the second is [-c + 8 (s + t) - 16 >= 1].
    """
    g = m.g
    halves = [
        weighted(m.S.bytes[part], BYTE) - weighted(m.T.bytes[part], BYTE)
        for part in (slice(4, 8), slice(4))
    ]
    above, reached, more, least = (
        g.signal(f"order {i}", step(g, halves[i // 2], 1 - i % 2)) for i in range(4)
    )
    c = 2 * (above + reached - 1) + more + least - 1
    signs = [_sign(m, name, word) for name, word in (("S", m.S), ("T", m.T))]
    results = []
    for name, way, (s, t) in (("less", -c, signs[::-1]), ("greater", c, signs)):
        plain = step(g, way + 8 * t - 16 * s - 32 * neither, 1)
        negative = step(g, -way + 8 * (s + t) - 16 - 32 * neither, 1)
        results.append(g.signal(f"{name} as floats", plain + negative))
    return results[0], results[1]


def _sign(m: TraceCircuit, name: str, word: Word) -> Form:
    """The sign bit of an operand of comparisons, min and max."""
    bits = (select(m.g, [_ordering(m, f, "min", "max"), sign(word, f)]) for f in FORMATS)
    return m.g.signal(f"sign of {name}", bits)


def _choices(m: TraceCircuit, less: Form, greater: Form, unordered: Form) -> None:
    """min and max: an operand, or the canonical NaN."""
    least, most = m.op(*_both("min")), m.op(*_both("max"))
    first = [m.g.neuron(o - worse - unordered) for o, worse in ((least, greater), (most, less))]
    second = [m.g.neuron(o, worse) for o, worse in ((least, greater), (most, less))]
    _copy(m, "S", first, "copysign")
    _copy(m, "T", second, "abs", "neg")
    for f in FORMATS:
        m.result(pattern(f.nan, _some(m, unordered, m.op(f"f{f.bits}.min", f"f{f.bits}.max"))))


def _copy(m: TraceCircuit, name: str, chosen: Iterable[Form], *others: str) -> None:
    """The result is an operand where a bit is 1, or the instruction is one of the others."""
    word = m.S if name == "S" else m.T
    bit = m.g.signal(f"result is {name}", sum(chosen, m.op(*_both(*others))))
    m.result(word.bytes, bit)


@trace.on(*_both("abs", "neg", "copysign"))
def signs(m: TraceCircuit) -> None:
    """What the sign bit gains: `_choices` copies the operand."""
    for f in FORMATS:
        s, t = sign(m.S, f), sign(m.T, f)
        gains = (("abs", -t), ("neg", 1 - 2 * t), ("copysign", t - s))
        gain = (m.g.neuron(m.op(f"f{f.bits}.{name}"), change) for name, change in gains)
        m.result(pattern(f.sign, sum(gain, Form())))
