"""Floats rounded to integers (ceil, floor, trunc, nearest), in one step and in place.

With k bits of the fraction below the point, the pattern's low k bits are cleared, and where the
magnitude is rounded up, 2^k is added; a carry into the exponent is right. f32 and f64 share all
neurons of bits, because both fractions start at bit 0.
"""

from transputer.circuit import Form
from transputer.circuit.logic import select, step
from transputer.circuit.word import weighted
from transputer.isa.floats import F32, F64, Format
from transputer.machines.trace.formats import (
    FORMATS,
    bias,
    exponent,
    fraction_sum,
    is_nan,
    pattern,
    sign,
)
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.values import dataclass

_MODES = ("ceil", "floor", "trunc", "nearest")
#: The bits that may be cleared.
_BITS = range(F64.fraction)


@dataclass(frozen=True, slots=True)
class _Operand:
    """Lanes about T, all 0 for other instructions than those that round its format.

    `kept` counts the bits that stay, from bit 63 down: none where the magnitude is below 1, or
    of a NaN. `whole` is 1 where the magnitude is at least 1, `nan` where T is a NaN (and then
    `whole` is 0), `away` where the instruction rounds away from zero.
    """

    kept: Form
    whole: Form
    nan: Form
    away: Form


@trace.on(*(f"f{f.bits}.{mode}" for f in FORMATS for mode in _MODES))
def roundings(m: TraceCircuit) -> None:
    """Clear the bits below the point, and add 1 above them where the mode says so."""
    g = m.g
    operands = [_operand(m, f) for f in FORMATS]
    kept = g.assume(g.signal("bits kept", [o.kept for o in operands]), 0, 64, "of one format")
    wide = operands[1].whole
    stays, tail = _cleared(m, kept)
    stays[6] = stays[6] + 16 * g.neuron(wide, weighted(m.T.bits[52:56], 2))
    stays = [g.signal(f"cleared {j}", byte) for j, byte in enumerate(stays)]
    mask = _mask(m, kept)
    up = _up(m, operands, stays, tail)
    # Bits that stay and bits of the mask add up to at most 255, so that a 1 added at bit 0
    # leaves byte j - 1 iff the bytes below j add up to 255 j.
    runs = [sum(stays[:j], sum(mask[:j], up)) - 255 * j for j in range(1, 8)]
    carries = [up, *(g.neuron(run) for run in runs)]
    for j in range(7):
        gain = g.neuron(up, mask[j]) + carries[j] - 256 * carries[j + 1]
        m.result([*[Form()] * j, stays[j] + gain])
    m.result([*[Form()] * 7, g.neuron(wide, weighted(m.T.bits[56:63], 2)) + carries[7]])
    for f, operand in zip(FORMATS, operands, strict=True):
        _below_one(m, f, operand)
        m.result(pattern(f.nan, operand.nan))


def _operand(m: TraceCircuit, f: Format) -> _Operand:
    g, name = m.g, f"f{f.bits}"
    op = m.op(*(f"{name}.{mode}" for mode in _MODES))
    e, negative = exponent(m, f), sign(m.T, f)

    def beyond(least: int) -> Form:
        """relu(e - least) for these instructions, else 0."""
        return g.neuron(e - least - (e.hi + 1) * (1 - op))

    nan = is_nan(m, m.T, f, op)
    reached = beyond(bias(f) - 1) - beyond(bias(f))
    integral = beyond(bias(f)) - beyond(bias(f) + f.fraction)
    away = select(g, [m.op(f"{name}.floor"), negative]) + g.neuron(m.op(f"{name}.ceil") - negative)
    return _Operand(
        integral + (64 - f.fraction) * reached - 64 * nan,
        g.signal(f"{name} from 1 on", reached - nan),
        g.signal(f"{name} rounds NaN", nan),
        g.signal(f"{name} away from 0", away),
    )


def _cleared(m: TraceCircuit, kept: Form) -> tuple[list[Form], Form]:
    """The bytes of bits that stay, and 64 [highest lost] + [lowest that stays] + (number lost).

    With z = kept - (64 - i), bit i stays where z >= 0; it is the lowest that does where z = 0,
    and the highest that does not where z = -1. These are first and second differences of
    relu(z - 1), relu(z), relu(z + 1), relu(z + 2).
    """
    stays, tail = [], Form()
    for i in (*_BITS, F64.fraction):
        ramp = [m.g.neuron(kept - (64 - i) + n, m.T.bits[i]) for n in (-1, 0, 1, 2)]
        tail = tail + ramp[2] - 2 * ramp[1] + ramp[0]
        if i in _BITS:
            stays.append(ramp[2] - ramp[1])
            tail = tail + 64 * (ramp[3] - 2 * ramp[2] + ramp[1]) + m.T.bits[i] - stays[-1]
    return _octets(stays), m.g.signal("tail", tail)


def _mask(m: TraceCircuit, kept: Form) -> list[Form]:
    """The bytes of 2^k - 1: bit i is not among those kept."""
    ones = [1 - step(m.g, kept, 64 - i) for i in _BITS]
    return [m.g.signal(f"mask {j}", byte) for j, byte in enumerate(_octets(ones))]


def _octets(bits: list[Form]) -> list[Form]:
    return [weighted(bits[j : j + 8], 2) for j in range(0, len(bits), 8)]


def _up(m: TraceCircuit, operands: list[_Operand], stays: list[Form], tail: Form) -> Form:
    """1 where the magnitude is at least 1 and rounded up.

    Away from zero: where a bit is lost. To nearest: where the highest of the lost bits is set,
    and another one or the lowest that stays.
    """
    g = m.g
    whole, away = (sum((getattr(o, n) for o in operands), Form()) for n in ("whole", "away"))
    lost = sum(m.T.bytes[:7], Form()) - sum(stays, Form())
    nearest = m.op(*(f"f{f.bits}.nearest" for f in FORMATS))
    return g.signal(
        "rounds up",
        step(g, lost - 2048 * (2 - whole - away), 1)
        + step(g, tail - 256 * (2 - whole - nearest), 64 + 2),
    )


def _below_one(m: TraceCircuit, f: Format, operand: _Operand) -> None:
    """The sign, and 1 where a magnitude below 1 is rounded up.

    To nearest: where the exponent is that of 1/2 and the fraction is not 0.
    """
    g, op = m.g, m.op(*(f"f{f.bits}.{mode}" for mode in _MODES))
    kept_above = operand.whole if f is F32 else Form()  # there the sign stays as other bits do
    negative = g.neuron(op + sign(m.T, f) - 1 - operand.nan - kept_above)
    m.result(pattern(f.sign, negative))
    nearest = m.op(f"f{f.bits}.nearest")
    unit = fraction_sum(m.T, f).hi + 1
    size = unit * (exponent(m, f) - (bias(f) - 1) * nearest) + fraction_sum(m.T, f)
    shut = (size.hi + 1) * (1 - nearest - operand.away + operand.whole + operand.nan)
    m.result(pattern(bias(f) << f.fraction, step(g, size - shut, 1)))
