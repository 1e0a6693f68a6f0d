"""Conversions between floats and integers, and between the formats, in at most three steps.

    float to integer    significand with its top bit at 63; CUT; the sign
    integer to float    magnitude; NORM; PACK
    f32.demote_f64      significand; ALIGN if the result is subnormal; PACK; of a zero: one step
    f64.promote_f32     one step; of a subnormal number: significand; NORM; PACK

The phases are those of `floats.py`. What ends or traps in the first step is not gated by the
phase: where it holds, there is no other step.
"""

from collections.abc import Iterable, Sequence

from transputer.circuit import Form, Graph
from transputer.circuit.logic import select, step
from transputer.circuit.word import weighted
from transputer.errors import Trap
from transputer.isa.core import CORE
from transputer.isa.floats import F32, F64
from transputer.machines.trace.floats import (
    ALIGN,
    CUT,
    E_INTEGER_DOUBLE,
    E_INTEGER_SINGLE,
    NORM,
    PACK,
    SIGN,
    WHOLE,
    flag,
)
from transputer.machines.trace.formats import (
    FORMATS,
    bias,
    exponent,
    fraction_sum,
    is_infinite,
    is_nan,
    left_aligned,
    pattern,
    sign,
)
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.vocabulary import BYTE, trap_status

_DEMOTE, _PROMOTE = "f32.demote_f64", "f64.promote_f32"
_TRUNCATIONS = tuple(op.name for op in CORE if ".trunc_" in op.name)
_CONVERSIONS = tuple(op.name for op in CORE if ".convert_" in op.name)
_SIZES = (32, 64)


def _truncations(*parts: str) -> list[str]:
    """The truncations whose names have all these parts."""
    return [name for name in _TRUNCATIONS if all(part in f"{name}." for part in parts)]


# From floats


@trace.on(*_TRUNCATIONS, _DEMOTE, _PROMOTE)
def from_floats(m: TraceCircuit) -> None:
    """The first steps, which share the significand of T with its top bit at 63, and the last."""
    narrow, wide = _truncate(m)
    goes = (
        (F32, m.g.signal("f32 goes on", narrow + _promote(m)), m.op(*_truncations("_f32"))),
        (F64, m.g.signal("f64 goes on", wide + _demote(m)), Form.of(1)),
    )
    for f, when, top in goes:
        m.result(left_aligned(m.T, f, top), when)
        m.say("at", [Form(), Form(), SIGN * sign(m.T, f)], when)
    _whole(m)


def _truncate(m: TraceCircuit) -> list[Form]:
    """Where a truncation goes on, by format; elsewhere it ends or traps.

    A magnitude below 1 is 0.
    """
    g = m.g
    over = g.signal("integer too large", _overflows(m))
    smalls, negatives, nans, goes = [], [], [], []
    for f in FORMATS:
        op, e = m.op(*_truncations(f"_f{f.bits}")), exponent(m, f)
        smalls.append(g.signal(f"f{f.bits} below 1", step(g, -e, 1 - bias(f), op)))
        negatives.append(select(g, [op, sign(m.T, f)]))
        nans.append(is_nan(m, m.T, f, op))
        begins = op + m.in_phase(0) - 1 - over - smalls[-1]
        goes.append(g.signal(f"f{f.bits} is cut", g.neuron(begins)))
        shift = [Form(), Form(), Form(), bias(f) + 63 - e]
        m.say("at", shift, goes[-1])
    nan, negative = g.signal("truncates NaN", nans), g.signal("truncates below 0", negatives)
    _traps(m, over, nan)
    saturates = m.op(*_truncations("_sat"))
    m.goes_on(g.signal("truncation goes on", goes), CUT)
    m.ends(g.signal("truncated at once", sum(smalls, select(g, [saturates, over]))), m.top)
    for n in _SIZES:
        most = g.neuron(over + m.op(*_truncations(f"i{n}.", "_sat")) - 1 - nan - negative)
        m.result(pattern((1 << n) - 1, most))
        signed = over + m.op(*_truncations(f"i{n}.", "_sat", "_s.")) - 1 - nan
        m.result(pattern(1 << n - 1, g.neuron(signed, 2 * negative - 1)))
    return goes


def _traps(m: TraceCircuit, over: Form, nan: Form) -> None:
    plain = m.op(*(name for name in _TRUNCATIONS if "_sat" not in name))
    m.late_traps(
        (select(m.g, [plain, nan]), trap_status(Trap.INVALID_CONVERSION)),
        (select(m.g, [plain, over - nan]), trap_status(Trap.INTEGER_OVERFLOW)),
    )


def _overflows(m: TraceCircuit) -> Iterable[Form]:
    """1 where the integer does not fit, or T is a NaN, for each kind of truncation.

    Of a signed one with n bits: magnitudes from 2^(n-1) on, if T is negative from 2^(n-1) + 1
    on. Of an unsigned one: from 2^n on, if T is negative from 1 on.
    """
    g = m.g
    for f in FORMATS:
        e, negative = exponent(m, f), sign(m.T, f)
        for n in _SIZES:
            lowest = max(0, f.fraction - n + 1)  # the lowest bit that counts at 2^(n-1)
            bits = fraction_sum(m.T, f, lowest)
            unit = bits.hi + 1
            limit = bias(f) + n - 1
            kind = (f"i{n}.", f"_f{f.bits}")
            yield step(
                g, unit * e + bits - negative, unit * limit, m.op(*_truncations(*kind, "_s."))
            )
            yield step(g, e + n * negative, limit + 1, m.op(*_truncations(*kind, "_u.")))


def _whole(m: TraceCircuit) -> None:
    """The last step of a truncation: the magnitude in `value`, or minus that."""
    whole = m.also("truncated", m.op(*_TRUNCATIONS), m.in_phase(WHOLE))
    negative, wide = (
        m.also(f"{name} below 0", m.op(*names), m.in_phase(WHOLE), flag(m, SIGN))
        for name, names in (("truncated", _TRUNCATIONS), ("i64 truncated", _truncations("i64.")))
    )
    digits = m.value.bytes
    m.result(digits, whole)
    m.result(_turned(m.g, digits, negative, wide))
    m.ends(whole, m.top)


def _turned(g: Graph, digits: Sequence[Form], when: Form, wide: Form) -> list[Form]:
    """What makes a number that is not 0 its negative, added to its bytes where a bit is 1.

    Of numbers of 32 bits only the lower half changes; `wide` is 1 where there is an upper one.
    -x == (255 - x_j in every byte) + 1, and the 1 passes byte j where all up to it are 0.
    """
    whens = [when] * 4 + [wide] * 4
    carries = [when, *(g.neuron(whens[j] - sum(digits[:j], Form())) for j in range(1, 8)), Form()]
    return [
        g.neuron(bit, 255 - 2 * digit) + carries[j] - BYTE * carries[j + 1]
        for j, (digit, bit) in enumerate(zip(digits, whens, strict=True))
    ]


def _demote(m: TraceCircuit) -> Form:
    """Where a demotion goes on: to PACK, or below the normal range to ALIGN.

    With the top bit at 63, E is the biased exponent in f32 minus 1; it is 0 for e = `least`. What
    is subnormal in f64 becomes a zero.
    """
    g, e, op = m.g, exponent(m, F64), m.op(_DEMOTE)
    least = bias(F64) - bias(F32) + 1
    begins = m.also("demotion begins", op, m.in_phase(0))
    shut = (e.hi + 1) * (1 - begins)
    over = g.signal("demotion overflows", step(g, e - shut, least + 2 * bias(F32)))
    zero = g.signal("demotion to a zero", g.neuron(begins - e))
    normal = g.signal("demotion to a normal number", step(g, e - shut, least) - over)
    m.say("at", [e - least], normal)
    below = least - e - shut - (e.hi + 1) * zero
    m.say("at", [Form(), Form(), Form(), g.neuron(below) - g.neuron(below - 63)])
    m.goes_on(normal, PACK)
    m.goes_on(g.signal("demotion below the normal range", begins - normal - over - zero), ALIGN)
    m.ends(g.signal("demoted at once", over + zero), m.top)
    nan = g.signal("demotes NaN", is_nan(m, m.T, F64, op))
    m.result(pattern(F32.infinity, over))
    m.result(pattern(F32.nan - F32.infinity, nan))
    m.result(pattern(F32.sign, g.neuron(over + zero + sign(m.T, F64) - 1 - nan)))
    return begins - over - zero


def _promote(m: TraceCircuit) -> Form:
    """Where a promotion goes on, to NORM: for subnormal numbers.

    For others the biases differ by 56 * 16, which the low four bits of the exponent do not see;
    infinity adds 56 * 16 once more.
    """
    g, op, bits = m.g, m.op(_PROMOTE), m.T.bits
    least = op - sum(bits[F32.fraction : F32.bits - 1], Form())
    zero = g.neuron(least - fraction_sum(m.T, F32))
    subnormal = g.neuron(least) - zero
    nan, infinite = (test(m, m.T, F32, op) for test in (is_nan, is_infinite))
    plain = g.signal("promotes at once", op - subnormal - nan)
    moved = [*[Form()] * 29, *bits[:31], Form(), Form(), Form(), bits[31]]
    m.result([weighted(moved[j : j + 8], 2) for j in range(0, 64, 8)], plain)
    m.result(pattern((bias(F64) - bias(F32)) << F64.fraction, plain - zero + infinite))
    m.result(pattern(F64.nan, nan))
    m.ends(g.signal("promoted at once", op - subnormal), m.top)
    goes = m.also("promotion goes on", subnormal, m.in_phase(0))
    low, high = _digits(bias(F64) - bias(F32))
    m.say("at", [low * goes, high * goes])
    m.goes_on(goes, NORM)
    return goes


def _digits(number: int) -> tuple[int, int]:
    """A number as the two lowest bytes of `at`."""
    return number % BYTE, number // BYTE


# From integers


@trace.on(*_CONVERSIONS)
def from_integers(m: TraceCircuit) -> None:
    """The magnitude of T, to be normalised."""
    g, first = m.g, m.in_phase(0)
    begins = []
    for f, room in ((F32, E_INTEGER_SINGLE), (F64, E_INTEGER_DOUBLE)):
        names = [f"f{f.bits}.convert_{kind}" for kind in ("i32_s", "i64_s", "i64_u")]
        begins.append(m.also(f"conversion to f{f.bits}", m.op(*names), first))
        m.say("at", [digit * begins[-1] for digit in _digits(room)])
    goes = g.signal("conversion begins", begins)
    narrow, wide = (
        m.also(f"negative i{n}", m.op(*(f"f{f.bits}.convert_i{n}_s" for f in FORMATS)), first, bit)
        for n, bit in ((32, m.T.bits[31]), (64, m.T.bits[63]))
    )
    negative = g.signal("negative integer", narrow + wide)
    m.result(m.T.bytes, goes)
    m.result(_turned(g, m.T.bytes, negative, wide))
    m.say("at", [Form(), Form(), SIGN * negative])
    m.goes_on(goes, NORM)
