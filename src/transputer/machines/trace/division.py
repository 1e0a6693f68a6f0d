"""Integer division by digits, and the one rule of all instructions that take digits.

`value` holds what is left of the dividend, above the digits of the quotient so far: each step moves
a byte of it into R and the digit in from below. A signed division divides magnitudes.

* phase 0: traps. Where the dividend has n bytes and the divisor D has d, the first d - 1 bytes
  yield no digit: R starts with them, and `value` with the j = n - d + 1 others (at least one). The
  digit of this step is the first.
* phases j..1: a digit each. The last step writes the quotient, or the remainder.
* phase `FIX`: the remainder, where it may still be D too large. The digit is 1 where it is.

A divisor of 8 bytes has one digit, a shorter one a shorter R, so that nothing leaves R at the top.
"""

from collections.abc import Sequence

from transputer.circuit import Form
from transputer.circuit.arithmetic import BYTE
from transputer.circuit.division import HALF, length_flags, negate
from transputer.circuit.logic import clamp, select, step
from transputer.circuit.word import Word
from transputer.errors import Trap
from transputer.machines.trace.digits import (
    DIGITS,
    FURTHER,
    LAST,
    SIZE,
    TURNS,
    Applied,
    Choice,
    Divisor,
    apply_digit,
    choose_digit,
    say_next,
)
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import DIVISIONS
from transputer.machines.trace.roots import QUOTIENTS, ROOTS, FloatDigits
from transputer.machines.trace.vocabulary import Space, trap_status
from transputer.values import dataclass

_UNSIGNED = ("i32.div_u", "i32.rem_u")
_SIGNED = ("i32.div_s", "i32.rem_s"), ("i64.div_s", "i64.rem_s")
_QUOTIENTS = ("i32.div_u", "i32.div_s", "i64.div_s")
_REMAINDERS = ("i32.rem_u", "i32.rem_s", "i64.rem_s")
FIX = 32


@trace.on(*DIVISIONS, "i64.div_u", "i64.rem_u", *QUOTIENTS, *ROOTS)
def division(m: TraceCircuit) -> None:
    """Quotients, remainders and roots: one circuit takes the digits of all."""
    g, floats = m.g, FloatDigits.of(m)
    s, t = _Sign.of(m, "dividend", m.S), _Sign.of(m, "divisor", m.T)
    terms = [a + b for a, b in zip(_divisor(m, t), floats.divisor, strict=True)]
    divisor = Divisor.of(m, terms)
    start = _start(m, s, divisor)
    first = [a + b for a, b in zip(start.rest, floats.rest, strict=True)]
    m.say("at", first[:HALF])
    m.say("work", first[HALF:])
    turns = _Turns.of(m, divisor)
    turn = m.also("digit step", m.op(*DIVISIONS, *QUOTIENTS, *ROOTS), m.in_phase(*TURNS))
    columns = _columns(m, turns, turn, floats)
    applied = apply_digit(m, columns, divisor, floats.root, turn)
    byte = g.signal("next byte", [g.neuron(turns.more, m.value.bytes[-2]), start.value[-1]])
    choice = _choice(m, divisor, start.traps, floats.chooses)
    choose_digit(m, choice, applied, first, start.rest, byte, divisor, floats.root)
    m.divides(turns.to_fix, applied.corrected, Form.of(1))
    more = m.also("more digits", m.op(*DIVISIONS, *QUOTIENTS, *ROOTS), m.in_phase(*FURTHER))
    say_next(m, applied, more, g.signal("keeps the remainder", more + turns.to_fix))
    m.say("phase", [FIX * turns.to_fix])
    _say_results(m, s, t, turns, applied)
    floats.finish(m, applied)


@dataclass(frozen=True, slots=True)
class _Sign:
    """The sign of an operand of signed divisions.

    `gates` are pairs (positive, negative) for 32 and 64 bits. Each is above 0 only if the operand
    has that sign and the row that width; `negative` is a bit.
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


def _divisor(m: TraceCircuit, sign: _Sign) -> list[Form]:
    """|T| == ~T + 1 where T is negative; the 1 is left in the lowest byte. 0 in other rows.

    Every term is a bit times a byte, which proves that the bytes are not negative.
    """
    g, plain = m.g, m.op(*_UNSIGNED)
    digits = []
    for i, byte in enumerate(m.T.bytes):
        total = g.neuron(plain, byte)
        for positive, negative in sign.of_byte(i):
            total = total + g.neuron(positive, byte)
            total = total + g.neuron(negative, 255 + (i == 0) - byte)
        digits.append(total)
    return digits


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


def _start(m: TraceCircuit, sign: _Sign, divisor: Divisor) -> _Start:
    g = m.g
    first = m.also("division begins", m.op(*DIVISIONS), m.in_phase(0))
    traps = g.signal("division traps", _traps(m, first))
    goes_on = g.signal("division goes on", g.neuron(first - traps))
    dividend = _dividend(m, sign)
    shorter = sum(divisor.flags, Form()) - sum(length_flags(g, dividend), Form())
    longer = g.signal("dividend is longer by", shorter)
    reaches = [goes_on, *(step(g, longer, v, goes_on) for v in range(1, SIZE)), Form()]
    moved = [Form()] * (2 * SIZE)
    for j in DIGITS:
        chosen = g.signal(f"{j} digits", reaches[j - 1] - reaches[j])
        m.say("phase", [j * chosen])
        for i, byte in enumerate(dividend):
            moved[i + SIZE - j] = moved[i + SIZE - j] + g.neuron(chosen, byte)
    m.stay = m.stay + goes_on
    m.say("space", [Space.WORK * goes_on])
    m.say("value", moved[:SIZE])
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
    def of(m: TraceCircuit, divisor: Divisor) -> "_Turns":
        """The bits of the instruction and its phase; the divisor's length decides about `FIX`."""
        op = m.op(*DIVISIONS)
        turn = m.also("division step", op, m.in_phase(*TURNS))
        more = m.also("more digits of a division", op, m.in_phase(*FURTHER))
        last = m.also("last digit", op, m.in_phase(*LAST))
        wanted = m.also("last digit of a remainder", m.op(*_REMAINDERS), m.in_phase(*LAST))
        to_fix = m.also("remainder to fix", wanted, 1 - divisor.flags[HALF - 1])
        fix = m.also("fixes the remainder", op, m.in_phase(FIX))
        return _Turns(turn, more, last, to_fix, fix)


def _columns(m: TraceCircuit, turns: _Turns, turn: Form, floats: FloatDigits) -> list[Form]:
    """`256 R + byte` by columns, or in `FIX` R. Only the R of a root reaches its top byte."""
    g, old = m.g, (*m.at.bytes, *m.work.bytes)
    moved = [g.neuron(turns.turn, m.value.bytes[-1]), *(g.neuron(turn, b) for b in old[:-1])]
    moved[-1] = moved[-1] + BYTE * g.neuron(floats.root_turn, old[-1])
    return [a + g.neuron(turns.fix, b) for a, b in zip(moved, old, strict=True)]


def _choice(m: TraceCircuit, divisor: Divisor, traps: Form, floats: Form) -> Choice:
    """D has at most 4 bytes, 5 or 6, more; that of a float always has 7."""
    g = m.g
    chosen = m.also("chooses a digit", m.op(*DIVISIONS), m.in_phase(0, *FURTHER), 1 - traps)
    short, medium = divisor.flags[HALF - 1], divisor.flags[HALF + 1]
    exact = m.also("compares all", chosen, short)
    middle = m.also("compares without 2 bytes", chosen, medium - short)
    longest = g.signal("long divisor", select(g, [chosen, 1 - medium]) + floats)
    return Choice(exact, middle, g.signal("compares without 4 bytes", clamp(g, longest, 0, 1)))


def _say_results(m: TraceCircuit, s: _Sign, t: _Sign, turns: _Turns, applied: Applied) -> None:
    """The quotient is negative where the signs differ, the remainder where the dividend is.

    `value` moves up by a byte, also where it is the result, and for the quotients of floats.
    """
    g, rest, corrected = m.g, applied.rest, applied.corrected
    wide = m.op(*_SIGNED[1])
    both = g.neuron(s.negative + t.negative - 1)
    differ = g.signal("signs differ", s.negative + t.negative - 2 * both)
    quotient = m.also("quotient ends", m.op(*_QUOTIENTS), m.in_phase(*LAST))
    left = g.signal("remainder ends", turns.last - quotient - turns.to_fix + turns.fix)
    digits = [m.digit + corrected, *m.value.bytes[:-1]]
    minus = m.also("negative quotient", quotient, differ)
    further = m.also(
        "more digits of a quotient", m.op(*DIVISIONS, *QUOTIENTS), m.in_phase(*FURTHER)
    )
    moves = g.signal("moves the quotient", further + quotient - minus)
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
