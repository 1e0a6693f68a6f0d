"""Quotients and square roots of floats: digits of base 256, then the tail of `floats.py`.

**Quotients.** With the significands a and b as integers below 2^53 (those of f32 moved up by 29
bits), seven digits give Q = floor(a 2^56 / 2b), from 2^54 to 2^56: X = 2^8 Q has its top bit at 63
or 62. What is left of R is sticky. While digits are taken, the top bytes of `value` and `work` hold
2048 + E, E the room of the result, and its sign.

**Roots.** N = a 2^4 or a 2^5, so that the exponent is even, has a root p from 1 to 2 in units of
2^-56. R starts as N - 1, and `value` with the seven digits of the root's fraction, all 0. The top
byte of `value` is 0, or for a scaled operand half its exponent.

**Subnormal operands** are scaled first. A dividend goes on from there, and so does a root. A
divisor is needed in every step: it takes its own place on the stack, multiplied by 2^64, and the
quotient begins again.
"""

from transputer.circuit import Form
from transputer.circuit.arithmetic import BYTE, carry
from transputer.circuit.division import HALF
from transputer.circuit.floats import F32, F64, Cases, FloatFormat, Operand, parity, special
from transputer.circuit.logic import clamp, equal, select, step
from transputer.circuit.word import Word, weighted
from transputer.machines.trace.digits import (
    FURTHER,
    LAST,
    MORE,
    SIZE,
    TURNS,
    Applied,
    RootTerms,
    in_turn,
)
from transputer.machines.trace.floats import (
    AGAIN,
    ALIGN,
    INFINITE,
    PACK,
    PRIVATE,
    SCALE,
    SCALED,
    SIGN,
    either,
    flag,
    in_format,
    operands,
    room,
)
from transputer.machines.trace.machine import TraceCircuit
from transputer.values import dataclass

QUOTIENTS, ROOTS = ("f32.div", "f64.div"), ("f32.sqrt", "f64.sqrt")
#: Digits of a result.
COUNT = 7
#: Added to E while digits are taken; what a scaled operand is multiplied by, as a power of 2.
_ABOVE, _SCALED = 2048, 64
#: The flag of a scaled divisor.
_SECOND = PRIVATE
_NONE = (Form(),) * SIZE


def _bytes(bits: list[Form]) -> list[Form]:
    """The eight bytes of a number with these bits."""
    return [weighted(bits[i : i + 8], 2) for i in range(0, 8 * SIZE, 8)]


def _moved(bits: tuple[Form, ...], by: int) -> list[Form]:
    """The bytes of `bits` shifted left."""
    return _bytes([*[Form()] * by, *bits])


def _fraction(f: FloatFormat, word: Word, by: int) -> list[Form]:
    """The stored fraction, shifted left until the implicit bit is bit 52 + `by`."""
    return _moved(word.bits[: f.fraction], F64.fraction - f.fraction + by)


@dataclass(frozen=True, slots=True)
class _First:
    """How an instruction goes on after its first step: with digits, or T has to be scaled."""

    starts: Form
    scales: Form


@dataclass(frozen=True, slots=True)
class FloatDigits:
    """What floats add to the circuit of digits: terms of D and of the first R, and bits.

    `chooses` is 1 where a digit follows, `root_turn` where one of a root is applied.
    """

    divisor: tuple[Form, ...]
    rest: tuple[Form, ...]
    chooses: Form
    root: RootTerms
    root_turn: Form

    @staticmethod
    def of(m: TraceCircuit) -> "FloatDigits":
        """Say all that first steps say; the terms of the others."""
        g = m.g
        s, t = operands(m)
        quotient = in_format(m, "quotient begins", (0, AGAIN), ("div",))
        root = in_format(m, "root begins", (0,), ("sqrt",))
        first, start = _begin_quotient(m, s, t, quotient), _begin_root(m, t, root)
        _scale(m, g.signal("divisor or radicand to scale", first.scales + start.scales))
        _replace_divisor(m)
        rests = [
            *_first_quotient(m, first, quotient),
            *_first_root(m, start, root),
        ]
        rest = tuple(sum(column, Form()) for column in zip(*rests, strict=True))
        scaled = m.in_phase(SCALED)
        resumes = [
            m.also("quotient resumes", m.op(*QUOTIENTS), scaled, 1 - flag(m, _SECOND)),
            m.also("root resumes", m.op(*ROOTS), scaled),
        ]
        starts = g.signal("digits begin", [first.starts, start.starts, *resumes])
        m.goes_on(starts, COUNT)
        further = m.also("more digits of a float", m.op(*QUOTIENTS, *ROOTS), m.in_phase(*FURTHER))
        turn = m.also("root step", m.op(*ROOTS), m.in_phase(*TURNS))
        terms = _root_terms(m, turn)
        digits = [a + b for a, b in zip(_divisor(m), _root_divisor(m, turn), strict=True)]
        return FloatDigits(tuple(digits), rest, starts + further, terms, turn)

    def finish(self, m: TraceCircuit, applied: Applied) -> None:
        """Say what the steps with digits say besides R: `value`, and in the last one the frame."""
        g = m.g
        last = m.also("last digit of a float", m.op(*QUOTIENTS, *ROOTS), m.in_phase(*LAST))
        rest = applied.rest
        inexact = step(g, rest.low + rest.high, 1, last) - equal(g, applied.beyond, 0, last)
        m.say("at", [Form(), Form(), inexact])
        _finish_quotient(m, applied.corrected)
        _finish_root(m, self, applied.corrected)


# First steps


def _begin_quotient(m: TraceCircuit, s: Operand, t: Operand, cases: Cases) -> _First:
    """Infinities, zeros and no numbers are said at once: 1 / T has T's zeros as infinities."""
    g, when = m.g, either(m, cases)
    nans = s.special - s.infinite + t.special - t.infinite
    bad = step(g, nans, 1) + select(g, [s.infinite, t.infinite]) + select(g, [s.zero, t.zero])
    bad = g.signal("quotient is no number", select(g, [when, g.signal("bad operands", bad)]))
    sign = g.signal("quotient's sign", parity(g, [s.sign, t.sign]))
    large = g.signal("quotient is special", step(g, nans + s.infinite + t.zero, 1, when))
    ends = g.signal(
        "quotient ends at once", step(g, s.special + t.special + s.zero + t.zero, 1, when)
    )
    m.result(special(g, cases, large, bad, sign))
    _say_sign(m, cases, sign, ends, 1 - large)
    m.ends(ends, m.second)
    plain = when - ends
    scales_t = g.signal("scales the divisor", g.neuron(plain + t.tiny - 1))
    scales_s = g.signal("scales the dividend", g.neuron(plain + s.tiny - t.tiny - 1))
    starts = g.signal("quotient starts", g.neuron(plain - s.tiny - t.tiny))
    low, high = _room(m, s, t, cases)
    m.say("value", [*_NONE[:-1], low], starts)
    m.say("work", [*_NONE[: HALF - 1], high], starts)
    m.say("work", [*_NONE[: HALF - 1], 128 * select(g, [starts, sign])])
    for case, f in cases:
        m.result(_fraction(f, m.S, 11), m.also(f"scales S, {f.bits} bits", scales_s, case))
    m.say("at", [low, high], scales_s)
    m.say("at", [Form(), Form(), SIGN * select(g, [scales_s, sign])])
    m.goes_on(scales_s, SCALE)
    return _First(starts, scales_t)


def _say_sign(m: TraceCircuit, cases: Cases, sign: Form, *conditions: Form) -> None:
    """The sign of a zero."""
    for case, f in cases:
        last = f.bits // 8 - 1
        m.result([*_NONE[:last], 128 * select(m.g, [case, sign, *conditions])])


def _room(m: TraceCircuit, s: Operand, t: Operand, cases: Cases) -> list[Form]:
    """The digits of 2048 + E, E = e_S - e_T + bias - 1; a scaled T has 64 more in its exponent."""
    g = m.g
    again = m.also("quotient begins again", m.op(*QUOTIENTS), m.in_phase(AGAIN))
    low = s.exponent[0] + s.tiny - t.exponent[0] + _SCALED * again
    high = s.exponent[1] - t.exponent[1]
    for case, f in cases:
        quotient, rest = divmod(_ABOVE + f.bias - 1, BYTE)
        low, high = low + rest * case, high + quotient * case
    low = g.assume(low, -255, 600, "one format at a time")
    digits = carry(g, [low, high], BYTE, either(m, cases), fits=True).digits
    return [m.byte(f"quotient's room {i}", digit) for i, digit in enumerate(digits)]


def _scale(m: TraceCircuit, when: Form) -> None:
    """T to be scaled. Its exponent, times 2^64, is 65 minus how far it moves."""
    for f, names in ((F32, ("f32.div", "f32.sqrt")), (F64, ("f64.div", "f64.sqrt"))):
        m.result(_fraction(f, m.T, 11), m.also(f"scales T, {f.bits} bits", when, m.op(*names)))
    m.say("at", [(_SCALED + 1) * when, Form(), _SECOND * when])
    m.goes_on(when, SCALE)


def _replace_divisor(m: TraceCircuit) -> None:
    """The scaled divisor goes where the divisor is, with its sign: a number of its format."""
    cases = in_format(m, "scaled was a divisor,", (SCALED,), ("div",), flag(m, _SECOND))
    for case, f in cases:
        bits = [*m.value.bits[: f.fraction], *m.at.bits[:8]]
        bits += [Form()] * (f.bits - 1 - len(bits))
        m.result(_bytes([*bits[: f.bits - 1], m.T.bits[f.bits - 1]]), case)
    when = either(m, cases)
    m.ends(m.g.signal("scaled divisor", when), m.top)
    m.say("phase", [AGAIN * when])
    m.stay = m.stay + when


def _first_quotient(m: TraceCircuit, first: _First, cases: Cases) -> list[list[Form]]:
    """R is the significand of the dividend, scaled or not."""
    g, rests = m.g, []
    scaled = in_format(m, "scaled was a dividend,", (SCALED,), ("div",), 1 - flag(m, _SECOND))
    for (case, f), (resumes, _) in zip(cases, scaled, strict=True):
        starts = m.also(f"quotient starts, {f.bits} bits", first.starts, case)
        for when, word in ((starts, m.S), (resumes, m.value)):
            rest = [g.neuron(when, byte) for byte in _fraction(f, word, 0)]
            rest[F64.top] = rest[F64.top] + F64.unit * when
            rests.append(rest)
        m.say("value", [*_NONE[:-1], room(m)[0]], resumes)
        m.say("work", [*_NONE[: HALF - 1], room(m)[1] + 128 * flag(m, SIGN)], resumes)
    return rests


def _begin_root(m: TraceCircuit, t: Operand, cases: Cases) -> _First:
    """Zeros keep their sign; negative numbers have no root."""
    g, when = m.g, either(m, cases)
    nan = t.special - t.infinite
    bad = g.signal("root is no number", step(g, nan + t.sign - t.zero, 1, when))
    large = g.signal("root is special", step(g, t.special + t.sign - t.zero, 1, when))
    ends = g.signal("root ends at once", step(g, t.special + t.sign + t.zero, 1, when))
    m.result(special(g, cases, large, bad, Form()))
    _say_sign(m, cases, t.sign, t.zero)
    m.ends(ends, m.top)
    plain = when - ends
    scales = g.signal("scales the radicand", g.neuron(plain + t.tiny - 1))
    starts = g.signal("root starts", g.neuron(plain - t.tiny))
    return _First(starts, scales)


def _first_root(m: TraceCircuit, first: _First, cases: Cases) -> list[list[Form]]:
    """R = N - 1: the fraction times 2^4, or where the exponent is even, 1 + the fraction times 2^5.

    A scaled operand has its exponent, plus 64, in the frame; half of it goes on.
    """
    g, rests = m.g, []
    scaled = in_format(m, "scaled was a radicand,", (SCALED,), ("sqrt",))
    for (case, f), (resumes, _) in zip(cases, scaled, strict=True):
        starts = m.also(f"root starts, {f.bits} bits", first.starts, case)
        for when, word, odd in (
            (starts, m.T, m.T.bits[f.fraction]),
            (resumes, m.value, m.at.bits[0]),
        ):
            rest = [g.neuron(when + odd - 1, byte) for byte in _fraction(f, word, 4)]
            even = _fraction(f, word, 5)
            even[-1] = even[-1] + 1
            rests.append([a + g.neuron(when - odd, b) for a, b in zip(rest, even, strict=True)])
        half = weighted(m.at.bits[1:8], 2) + m.at.bits[0]
        m.say("value", [*_NONE[:-1], half], resumes)
    return rests


# Steps with digits


def _divisor(m: TraceCircuit) -> list[Form]:
    """2 b of a quotient."""
    g, digits = m.g, list(_NONE)
    for name, f in zip(QUOTIENTS, (F32, F64), strict=True):
        op = m.op(name)
        digits = [d + g.neuron(op, b) for d, b in zip(digits, _fraction(f, m.T, 1), strict=True)]
        digits[F64.top] = digits[F64.top] + 2 * F64.unit * g.neuron(op)
    return digits


def _root_divisor(m: TraceCircuit, turn: Form) -> list[Form]:
    """2 p + digit * w, p = 1 + the fraction in `value`; 2 p = 2 in the first step."""
    g = m.g
    digits = [g.neuron(turn, byte) for byte in _moved(m.value.bits[: 8 * COUNT], 1)]
    for k in range(1, COUNT + 1):
        digits[k - 1] = digits[k - 1] + g.neuron(_root_turn(m, k), m.digit)
    any_step = m.also("root has p", m.op(*ROOTS), m.in_phase(0, SCALED, *TURNS))
    digits[-1] = digits[-1] + 2 * g.neuron(any_step)
    return digits


def _root_turn(m: TraceCircuit, k: int) -> Form:
    """The bit of the step in which k digits of a root are to be applied."""
    return m.also(f"root step {k}", m.op(*ROOTS), m.in_phase(*in_turn(k)))


def _root_terms(m: TraceCircuit, turn: Form) -> RootTerms:
    """What a root adds, with w = 256^(k-1) the weight of its digit.

    R is compared with 2 p + (2 digit + 1) w == D + (digit + 1) w. The next 2 p is D + digit * w,
    and 2 w more where R has reached that. Where it was reached one step ago, with digit and w now
    those of this step, 256 (2 p - 256 w) is still to be subtracted. What is subtracted is
    256 D == 256 (2 p + digit * w), so that 256 w (digit + 256) is added. There R was beyond 2 p by
    less than 2 p 771 / 2^25, because the high half of 2 p is at least 2^25, so the digit is 0.
    """
    g = m.g
    turns = tuple(_root_turn(m, k) for k in range(1, COUNT + 1))
    low = high = following = Form()
    for k, bit in enumerate(turns):
        if k < HALF:
            low = low + BYTE**k * g.neuron(bit, m.digit + 1)
        else:
            high = high + BYTE ** (k - HALF) * g.neuron(bit, m.digit + 1)
            following = following + BYTE ** (k - HALF) * g.neuron(bit, m.digit)
    columns = list(_NONE)
    for k in range(1, COUNT):
        again = m.also(f"root step {k} after more", m.op(*ROOTS), m.in_phase(k + MORE))
        columns[k + 1] = columns[k + 1] + g.neuron(again)
    weights = {COUNT: BYTE, COUNT + MORE: BYTE, 0: BYTE**2, SCALED: BYTE**2}
    square = m.phase.lane(
        "square's weight",
        [weights.get(p, int(p in FURTHER)) for p in range(m.phase.size)],
    )
    chosen = m.also("root has a square", m.op(*ROOTS), m.in_phase(0, SCALED, *FURTHER))
    return RootTerms(
        compared=(g.signal("root compared, low", low), g.signal("root compared, high", high)),
        next_divisor=g.signal("next root divisor", [following, 2 * g.neuron(turn)]),
        columns=tuple(columns),
        turns=turns,
        square=g.signal("square", g.neuron(chosen, square)),
    )


def _finish_quotient(m: TraceCircuit, corrected: Form) -> None:
    """E and the sign are kept; the last step says X, and where it goes.

    E - s, with s the leading zeros of X (0 or 1), is the room that is left. Below 0, E itself says
    how far X moves right.
    """
    g = m.g
    further = m.also("more digits of a ratio", m.op(*QUOTIENTS), m.in_phase(*FURTHER))
    m.say("value", [*_NONE[:-1], m.value.bytes[-1]], further)
    m.say("work", [*_NONE[: HALF - 1], m.work.bytes[-1]], further)
    cases = in_format(m, "ratio", LAST, ("div",))
    last = either(m, cases)
    m.result([Form(), m.digit, *m.value.bytes[: COUNT - 1]], last)
    m.result([Form(), select(g, [last, corrected])])
    low, high = m.value.bytes[-1], weighted(m.work.bits[24:29], 2)
    total = low + BYTE * high
    zeros = 1 - m.value.bits[8 * COUNT - 9]
    reached = g.signal("ratio is normal or nearly", step(g, total, _ABOVE, last))
    above = g.signal("ratio has room", step(g, total, _ABOVE + 1, last))
    moved = g.signal("ratio moves", select(g, [above, zeros]))
    borrow = g.neuron(moved - low)
    m.say("at", [g.neuron(reached, low) - moved + BYTE * borrow])
    m.say("at", [Form(), g.neuron(reached, high - _ABOVE // BYTE) - borrow])
    m.say("at", [Form(), Form(), SIGN * select(g, [last, m.work.bits[31]]), moved])
    below = g.signal("ratio is below", last - reached)
    far = g.signal("how far below", clamp(g, _ABOVE - total, 0, 63))
    m.say("at", [Form(), Form(), Form(), far], below)
    over = g.signal(
        "ratio overflows",
        [step(g, total - zeros, _ABOVE + 2 * f.bias, case) for case, f in cases],
    )
    m.goes_on(below, ALIGN)
    m.goes_on(over, INFINITE)
    m.goes_on(g.signal("ratio to pack", reached - over), PACK)


def _finish_root(m: TraceCircuit, floats: FloatDigits, corrected: Form) -> None:
    """The digits keep their places: X = p, whose top bit is at 56, moves left by 7.

    Its exponent is floor((e + bias) / 2), with e = 2 a + b and an odd bias a + b + (bias - 1) / 2.
    """
    g = m.g
    m.result(m.value.bytes[:COUNT], floats.root_turn)
    for k, turn in enumerate(floats.root.turns):
        digit = g.neuron(turn, m.digit) + select(g, [turn, corrected])
        m.result([*_NONE[:k], digit])
    further = m.also("more digits of a root", m.op(*ROOTS), m.in_phase(*FURTHER))
    m.say("value", [*_NONE[:-1], m.value.bytes[-1]], further)
    cases = in_format(m, "root", LAST, ("sqrt",))
    last = either(m, cases)
    m.result([*_NONE[:-1], last])
    low = high = Form()
    for case, f in cases:
        bits = f.exponent(m.T)
        quotient, rest = divmod((f.bias - 1) // 2 - 1, BYTE)
        half = weighted(bits[1:9], 2) + bits[0] + m.value.bytes[-1] + rest
        tiny = g.neuron(case - sum(bits, Form()))
        low = low + g.neuron(case, half) - _SCALED // 2 * tiny
        high = high + g.neuron(case, weighted(bits[9:], 2) + quotient)
    low = g.signal("root's exponent", g.assume(low, 0, 2 * BYTE - 1, "one format at a time"))
    m.say("at", [*carry(g, [low, high], fits=True).digits, Form(), COUNT * last])
    m.goes_on(g.signal("root to pack", last), PACK)
