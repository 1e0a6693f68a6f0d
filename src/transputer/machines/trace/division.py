"""Division by digits of base 256: one per step, chosen by the argmax of the part `digit`.

A WORK token holds the remainder R in `at` (low half) and `work`, and in `value` what is left of
the dividend, above the digits of the quotient so far: each step moves a byte of it into R and the
digit in from below. A signed division divides magnitudes.

* phase 0: traps. Where the dividend has n bytes and the divisor D has d, the first d - 1 bytes
  yield no digit: R starts with them, and `value` with the j = n - d + 1 others (at least one). The
  digit of this step is the first.
* phases j..1: `256 R + byte - digit * D`, and the next digit. The last step writes the quotient,
  or the remainder.
* phase `FIX`: the remainder, where it may still be D too large.

Where D fits half a word, the digit is exact. Otherwise both sides are compared without their low
2 or 4 bytes, D rounded up, so that the digit is the true one, or 1 less: without those bytes,
(X + 256) / D - X / (D + 1) < 1 as long as X < 257 D and D >= 2^16. Where it is 1 less, R reaches D,
and 1 is added to the quotient. The next step, told by `MORE` in its phase, subtracts 256 D more, or
in `FIX` D, which is the digit there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from transputer.circuit import Form
from transputer.circuit.arithmetic import BYTE
from transputer.circuit.division import (
    HALF,
    UNIT,
    Remainder,
    excess,
    length_flags,
    negate,
    remainder,
)
from transputer.circuit.logic import clamp, select, step
from transputer.circuit.word import Word, weighted
from transputer.errors import Trap
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import DIVISIONS
from transputer.machines.trace.vocabulary import Space, trap_status

SIZE = 8
_UNSIGNED = ("i32.div_u", "i32.rem_u")
_SIGNED = ("i32.div_s", "i32.rem_s"), ("i64.div_s", "i64.rem_s")
_QUOTIENTS = ("i32.div_u", "i32.div_s", "i64.div_s")
_REMAINDERS = ("i32.rem_u", "i32.rem_s", "i64.rem_s")
# Phases. MORE is added where R has reached D.
_DIGITS, MORE, FIX = range(1, SIZE + 1), 16, 32
_TURNS = (*_DIGITS, *(k + MORE for k in _DIGITS))
_FURTHER = tuple(p for p in _TURNS if p % MORE > 1)


@trace.on(*DIVISIONS, "i64.div_u", "i64.rem_u")
def division(m: TraceCircuit) -> None:
    """Set up, take digits, write the result with its sign."""
    s, t = _Sign.of(m, "dividend", m.S), _Sign.of(m, "divisor", m.T)
    divisor = _divisor(m, t)
    start = _start(m, s, divisor)
    turns = _Turns.of(m, divisor)
    rest = _next_remainder(m, divisor, turns)
    corrected = _choose_digit(m, divisor, start, turns, rest)
    _say_next(m, turns, rest, corrected)
    _say_results(m, s, t, turns, rest, corrected)


@dataclass(frozen=True, slots=True)
class _Sign:
    """The sign of an operand of signed divisions.

    `gates` are (positive, negative) for 32 and 64 bits, each at most 0 where that is not so and
    in rows of another width; `negative` is a bit.
    """

    gates: tuple[tuple[Form, Form], ...]
    negative: Form

    @staticmethod
    def of(m: TraceCircuit, name: str, word: Word) -> "_Sign":
        """The sign of S or T."""
        ops = [m.op(*names) for names in _SIGNED]
        bits = (word.bits[31], word.bits[63])
        gates = tuple((op - bit, op + bit - 1) for op, bit in zip(ops, bits, strict=True))
        return _Sign(gates, m.g.signal(f"{name} < 0", [m.g.neuron(x) for _, x in gates]))

    def of_byte(self, i: int) -> tuple[tuple[Form, Form], ...]:
        """The gates of the widths that have byte i."""
        return self.gates if i < HALF else self.gates[1:]


@dataclass(frozen=True, slots=True)
class _Divisor:
    """The divisor's magnitude by bytes, of which the lowest may be 256, and as numbers.

    `low` and `high` are its halves, `middle` is bytes 2 to 5. `flags[d - 1]` is 1 where the bytes
    from d on are 0.
    """

    bytes: tuple[Form, ...]
    low: Form
    middle: Form
    high: Form
    flags: tuple[Form, ...]


def _divisor(m: TraceCircuit, sign: _Sign) -> _Divisor:
    """|T| == ~T + 1 where T is negative; the 1 is left in the lowest byte. 0 in other rows.

    Every term is a bit times a byte, which proves that the bytes are not negative.
    """
    g, plain = m.g, m.op(*_UNSIGNED)
    digits = []
    for i, byte in enumerate(m.T.bytes):
        terms = [g.neuron(plain, byte)]
        for positive, negative in sign.of_byte(i):
            terms += [g.neuron(positive, byte), g.neuron(negative, 255 + (i == 0) - byte)]
        digits.append(g.signal(f"divisor {i}", terms))
    low, middle, high = (
        g.signal(f"divisor from {i}", clamp(g, weighted(digits[i : i + HALF], BYTE), 0, UNIT))
        for i in (0, 2, HALF)
    )
    flags = (g.signal(f"divisor < 256^{d}", f) for d, f in enumerate(length_flags(g, digits), 1))
    return _Divisor(tuple(digits), low, middle, high, tuple(flags))


def _dividend(m: TraceCircuit, sign: _Sign) -> list[Form]:
    """|S| by proper bytes; see `negate`."""
    g, digits = m.g, m.S.bytes
    result = []
    for i, byte in enumerate(digits):
        total = byte
        for _, negative in sign.of_byte(i):
            into = g.neuron(negative - sum(digits[:i], Form()))
            out = g.neuron(negative - sum(digits[: i + 1], Form()))
            total = total + g.neuron(negative, 255 - 2 * byte) + into - BYTE * out
        result.append(m.byte(f"dividend {i}", total))
    return result


@dataclass(frozen=True, slots=True)
class _Start:
    """What phase 0 begins with: R and `value` by bytes; `traps` is 1 where it ends there."""

    traps: Form
    rest: tuple[Form, ...]
    value: tuple[Form, ...]


def _start(m: TraceCircuit, sign: _Sign, divisor: _Divisor) -> _Start:
    g = m.g
    first = m.also("division begins", m.op(*DIVISIONS), m.in_phase(0))
    traps = g.signal("division traps", _traps(m, first))
    goes_on = g.signal("division goes on", g.neuron(first - traps))
    dividend = _dividend(m, sign)
    shorter = sum(divisor.flags, Form()) - sum(length_flags(g, dividend), Form())
    longer = g.signal("dividend is longer by", shorter)
    reaches = [goes_on, *(step(g, longer, v, goes_on) for v in range(1, SIZE)), Form()]
    moved = [Form()] * (2 * SIZE)
    for j in _DIGITS:
        chosen = g.signal(f"{j} digits", reaches[j - 1] - reaches[j])
        m.say("phase", [j * chosen])
        for i, byte in enumerate(dividend):
            moved[i + SIZE - j] = moved[i + SIZE - j] + g.neuron(chosen, byte)
    m.stay = m.stay + goes_on
    m.say("space", [Space.WORK * goes_on])
    m.say("value", moved[:SIZE])
    m.say("at", moved[SIZE : SIZE + HALF])
    m.say("work", moved[SIZE + HALF :])
    return _Start(traps, tuple(moved[SIZE:]), tuple(moved[:SIZE]))


def _traps(m: TraceCircuit, first: Form) -> Form:
    """A divisor of 0, or the one quotient of a width that does not fit: -2^(n-1) / -1."""
    g = m.g
    zero = g.neuron(first - sum(m.T.bytes, Form()))
    over = Form()
    for bits, name in ((32, "i32.div_s"), (64, "i64.div_s")):
        begins = m.also(f"{name} begins", m.op(name), m.in_phase(0))
        least = [m.S.bits[bits - 1], *(1 - b for b in m.S.bits[: bits - 1])]
        over = over + select(g, [begins, *least, *m.T.bits[:bits]])
    m.late_traps(
        (zero, trap_status(Trap.DIVIDE_BY_ZERO)), (over, trap_status(Trap.INTEGER_OVERFLOW))
    )
    return zero + over


@dataclass(frozen=True, slots=True)
class _Turns:
    """Bits of the phases: a digit is applied (`turn`), another follows (`more`), none (`last`).

    `to_fix` is the last one of a remainder that may need `FIX`, `fix` that phase.
    """

    turn: Form
    more: Form
    last: Form
    to_fix: Form
    fix: Form

    @staticmethod
    def of(m: TraceCircuit, divisor: _Divisor) -> "_Turns":
        """The bits of the instruction and its phase; the divisor's length decides about `FIX`."""
        op = m.op(*DIVISIONS)
        turn = m.also("division step", op, m.in_phase(*_TURNS))
        more = m.also("more digits", op, m.in_phase(*_FURTHER))
        last = m.also("last digit", op, m.in_phase(1, 1 + MORE))
        wanted = m.also("last digit of a remainder", m.op(*_REMAINDERS), m.in_phase(1, 1 + MORE))
        to_fix = m.also("remainder to fix", wanted, 1 - divisor.flags[HALF - 1])
        fix = m.also("fixes the remainder", op, m.in_phase(FIX))
        return _Turns(turn, more, last, to_fix, fix)


def _next_remainder(m: TraceCircuit, divisor: _Divisor, turns: _Turns) -> Remainder:
    """`256 R + byte - (digit + 256 [MORE]) D`, or in `FIX` `R - digit * D`.

    No byte leaves at the top: a divisor of 8 bytes has one digit, a shorter one a shorter R.
    """
    g, old = m.g, (*m.at.bytes, *m.work.bytes)
    shifted = (m.value.bytes[-1], *old[:-1])
    more = m.in_phase(*(k + MORE for k in _DIGITS))
    again = [Form(), *(g.neuron(more, d) for d in divisor.bytes[:-1])]
    columns = [
        g.neuron(turns.turn, a) + g.neuron(turns.fix, b) - g.neuron(m.digit, d) - e
        for a, b, d, e in zip(shifted, old, divisor.bytes, again, strict=True)
    ]
    return remainder(g, "remainder", columns)


def _choose_digit(
    m: TraceCircuit, divisor: _Divisor, start: _Start, turns: _Turns, rest: Remainder
) -> Form:
    """Say the next digit; return the bit that R has reached D."""
    g = m.g
    z = excess(g, "halves differ", rest.high - divisor.high, rest.low - divisor.low)
    corrected = g.signal("R reaches D", step(g, z, 0, turns.turn))
    halves = [weighted(start.rest[i : i + HALF], BYTE) for i in (0, HALF)]
    low = g.signal("low half", clamp(g, rest.low + g.signal("first low", halves[0]), 0, UNIT - 1))
    all_of_high = rest.high + g.signal("first high", halves[1])
    high = g.signal("high half", clamp(g, all_of_high, 0, UNIT - 1))
    few = g.signal("two bytes of it", clamp(g, all_of_high, 0, 2 * BYTE**2 - 1))
    upper = weighted(rest.bytes[2:HALF], BYTE) + g.signal(
        "first upper", weighted(start.rest[2:HALF], BYTE)
    )
    upper = g.signal("upper bytes of the low half", clamp(g, upper, 0, BYTE**2 - 1))
    byte = g.signal("next byte", [g.neuron(turns.more, m.value.bytes[-2]), start.value[-1]])
    exact, middle, top = _windows(m, divisor, start.traps)
    m.divides(exact, BYTE * low + byte, divisor.low)
    m.divides(middle, BYTE * (BYTE**2 * few + upper), divisor.middle + 1)
    m.divides(top, BYTE * high, divisor.high + 1)
    for window, number in ((middle, divisor.middle), (top, divisor.high)):
        m.dividend = m.dividend - g.neuron(corrected + window - 1, BYTE * (number + 1))
    m.divides(turns.to_fix, corrected, Form.of(1))
    return corrected


def _windows(m: TraceCircuit, divisor: _Divisor, traps: Form) -> tuple[Form, Form, Form]:
    """Where a digit is chosen: bits that D has at most 4 bytes, 5 or 6, more."""
    chosen = m.also("chooses a digit", m.op(*DIVISIONS), m.in_phase(0, *_FURTHER), 1 - traps)
    short, medium = divisor.flags[HALF - 1], divisor.flags[HALF + 1]
    exact = m.also("compares all", chosen, short)
    middle = m.also("compares without 2 bytes", chosen, medium - short)
    top = m.also("compares without 4 bytes", chosen, 1 - medium)
    return exact, middle, top


def _say_next(m: TraceCircuit, turns: _Turns, rest: Remainder, corrected: Form) -> None:
    """R and the phase; `value` moves up by a byte, also where it is the result."""
    g = m.g
    keeps = g.signal("keeps the remainder", turns.more + turns.to_fix)
    m.say("at", rest.bytes[:HALF], keeps)
    m.say("work", rest.bytes[HALF:], keeps)
    after = m.phase.lane(
        "phase after", [p % MORE - 1 if p in _TURNS else 0 for p in range(m.phase.size)]
    )
    m.say("phase", [after], turns.more)
    m.say("phase", [MORE * select(g, [corrected, turns.more]) + FIX * turns.to_fix])
    m.say("space", [Space.WORK * keeps])
    m.stay = m.stay + keeps


def _say_results(
    m: TraceCircuit, s: _Sign, t: _Sign, turns: _Turns, rest: Remainder, corrected: Form
) -> None:
    """The quotient is negative where the signs differ, the remainder where the dividend is."""
    g = m.g
    wide = m.op(*_SIGNED[1])
    both = g.neuron(s.negative + t.negative - 1)
    differ = g.signal("signs differ", s.negative + t.negative - 2 * both)
    quotient = m.also("quotient ends", m.op(*_QUOTIENTS), m.in_phase(1, 1 + MORE))
    left = g.signal("remainder ends", turns.last - quotient - turns.to_fix + turns.fix)
    digits = [m.digit + corrected, *m.value.bytes[:-1]]
    minus = m.also("negative quotient", quotient, differ)
    moves = g.signal("moves the quotient", turns.more + quotient - minus)
    m.result([m.digit, *m.value.bytes[:-1]], moves)
    m.result([select(g, [moves, corrected])])
    m.result(negate(g, digits, _by_width(m, "negative quotient", minus, wide)))
    minus = m.also("negative remainder", left, s.negative)
    m.result(rest.bytes, g.signal("positive remainder", left - minus))
    m.result(negate(g, rest.bytes, _by_width(m, "negative remainder", minus, wide)))
    m.ends(g.signal("division ends", quotient + left), m.second)


def _by_width(m: TraceCircuit, name: str, when: Form, wide: Form) -> Sequence[Form]:
    """The bit for each byte of a result."""
    return [when] * HALF + [m.also(f"{name}, wide", when, wide)] * HALF
