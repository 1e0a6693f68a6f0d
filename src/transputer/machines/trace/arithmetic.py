"""Numeric instructions: results in one step, division in at most 35."""

from transputer.circuit import Form
from transputer.circuit.arithmetic import add, carry, compare, multiply, subtract
from transputer.circuit.bits import (
    amounts,
    bitwise,
    leading_zeros,
    ones,
    rotate_left,
    rotate_right,
    shift_left,
    shift_right,
    sign_fill,
    trailing_zeros,
)
from transputer.circuit.logic import select, step
from transputer.circuit.word import Word, weighted
from transputer.errors import Trap
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import DIVISIONS
from transputer.machines.trace.vocabulary import BYTE, Space, trap_status


@trace.on("i32.const", "ref.null", "ref.func")
def const(m: TraceCircuit) -> None:
    """The immediate."""
    m.result(m.immediate.bytes, m.op("i32.const"))


@trace.on("i32.add")
def add_(m: TraceCircuit) -> None:
    """Bytes with four carries."""
    m.result(add(m.g, m.S.bytes, m.T.bytes, m.op("i32.add")).digits)


@trace.on("i32.sub")
def sub(m: TraceCircuit) -> None:
    """Bytes with four borrows."""
    m.result(subtract(m.g, m.S.bytes, m.T.bytes, m.op("i32.sub")).digits)


@trace.on("i32.neg")
def neg(m: TraceCircuit) -> None:
    """Zero minus the bytes."""
    m.result(carry(m.g, [-b for b in m.T.bytes], BYTE, m.op("i32.neg")).digits)


@trace.on("i32.abs")
def abs_(m: TraceCircuit) -> None:
    """The value, or zero minus it where the sign bit is set."""
    op, negative = m.op("i32.abs"), m.also("abs of negative", m.op("i32.abs"), m.T.bits[31])
    m.result(m.T.bytes, m.g.signal("abs of positive", op - negative))
    m.result(carry(m.g, [-b for b in m.T.bytes], BYTE, negative).digits)


@trace.on("i32.mul")
def mul(m: TraceCircuit) -> None:
    """Byte products, column sums, two rounds of carries."""
    m.result(multiply(m.g, "product", m.S.bytes, m.T.bytes, m.op("i32.mul")))


@trace.on("i32.and", "i32.or", "i32.xor")
def logic(m: TraceCircuit) -> None:
    """One neuron per bit for all three."""
    results = bitwise(m.g, "and", m.S, m.T)
    m.result(results.both, m.op("i32.and"))
    m.result(results.either, m.op("i32.or"))
    m.result(results.differ, m.op("i32.xor"))


@trace.on("i32.shl", "i32.shr_s", "i32.shr_u", "i32.rotl", "i32.rotr")
def shifts(m: TraceCircuit) -> None:
    """A one-hot amount chooses the moved bytes."""
    by = amounts(m.g, m.T, 32)
    amount = [m.g.signal(f"shift {i}", bit) for i, bit in enumerate(by)]
    m.result(shift_left(m.g, m.S, amount, m.op("i32.shl")))
    m.result(shift_right(m.g, m.S, amount, m.op("i32.shr_s", "i32.shr_u")))
    m.result(sign_fill(m.g, m.S, amount, m.op("i32.shr_s")))
    m.result(rotate_left(m.g, m.S, amount, m.op("i32.rotl")))
    m.result(rotate_right(m.g, m.S, amount, m.op("i32.rotr")))


@trace.on("i32.clz", "i32.ctz", "i32.popcnt")
def counts(m: TraceCircuit) -> None:
    """Sums of conditions on bits."""
    m.result([leading_zeros(m.g, m.T.bits, m.op("i32.clz"))])
    m.result([trailing_zeros(m.g, m.T.bits, m.op("i32.ctz"))])
    m.result([ones(m.g, m.T.bits, m.op("i32.popcnt"))])


@trace.on("i32.extend8_s", "i32.extend16_s")
def extend(m: TraceCircuit) -> None:
    """The low bytes, and the sign above them."""
    for name, size in (("i32.extend8_s", 1), ("i32.extend16_s", 2)):
        op = m.op(name)
        m.result(m.T.bytes[:size], op)
        fill = 255 * select(m.g, [op, m.T.bits[8 * size - 1]])
        m.result([Form()] * size + [fill] * (4 - size))


@trace.on("i32.eqz", "ref.is_null")
def eqz(m: TraceCircuit) -> None:
    """relu(1 - sum of bits)."""
    m.result([m.g.neuron(m.op("i32.eqz") - sum(m.T.bits, Form()))])


@trace.on(
    *("i32.eq", "i32.ne", "i32.lt_s", "i32.lt_u", "i32.gt_s", "i32.gt_u"),
    *("i32.le_s", "i32.le_u", "i32.ge_s", "i32.ge_u"),
)
def compares(m: TraceCircuit) -> None:
    """Two orders, three bits each; an instruction picks a sum of them."""
    for s, order in (
        ("u", compare(m.g, m.S.number(), m.T.number())),
        ("s", compare(m.g, m.S.signed(), m.T.signed())),
    ):
        less = m.g.signal(f"less {s}", order.less)
        greater = m.g.signal(f"greater {s}", order.greater)
        m.result([less], m.op(f"i32.lt_{s}"))
        m.result([greater], m.op(f"i32.gt_{s}"))
        m.result([1 - greater], m.op(f"i32.le_{s}"))
        m.result([1 - less], m.op(f"i32.ge_{s}"))
        if s == "u":
            m.result([1 - less - greater], m.op("i32.eq"))
            m.result([less + greater], m.op("i32.ne"))


# Division, one bit per step. Remainder and quotient travel in `at` and `value` of WORK tokens.
#
#   phase 0    traps; unsigned: (0, dividend) -> 1; signed: |divisor| replaces it -> 34
#   phase 34   signed: (0, |dividend|) -> 1
#   phase 1-32 one bit each; the last one of an unsigned division writes the result
#   phase 33   signed: the result with its sign
#
# From 34 on, a negative divisor is remembered by adding 64 to the phase.
_BITS = range(1, 33)
_FIX, _START, _NEGATIVE = 33, 34, 64
SIGNED = ("i32.div_s", "i32.rem_s")
UNSIGNED = ("i32.div_u", "i32.rem_u")
REMAINDERS = ("i32.rem_s", "i32.rem_u")


def _either(*phases: int) -> tuple[int, ...]:
    """Phases with and without the mark of a negative divisor."""
    return (*phases, *(p + _NEGATIVE for p in phases))


@trace.on(*DIVISIONS)
def division(m: TraceCircuit) -> None:
    """Restoring division."""
    g = m.g
    first = m.also("division begins", m.op(*DIVISIONS), m.in_phase(0))
    work = m.also("division bit", m.op(*DIVISIONS), m.in_phase(*_either(*_BITS)))
    last = m.also("last bit, unsigned", m.op(*UNSIGNED), m.in_phase(32))
    fix = m.also("division sign", m.op(*SIGNED), m.in_phase(*_either(_FIX)))
    start = m.also("signed division begins", m.op(*SIGNED), m.in_phase(*_either(_START)))
    signed = m.also("divisor made positive", m.op(*SIGNED), m.in_phase(0))
    zero, over = _division_traps(m, first)
    _begin(m, first, signed, start)
    remainder, quotient = _one_bit(m, work)
    goes_on = g.signal("division goes on", work - last)
    m.say("at", remainder, goes_on)
    m.result(quotient, goes_on)
    wanted = m.also("remainder wanted", last, m.op(*REMAINDERS))
    m.result(remainder, wanted)
    m.result(quotient, g.signal("quotient wanted", last - wanted))
    _signs(m, fix)
    ends = g.signal("division ends", last + fix)
    m.say("at", m.second, ends)
    m.say("at", m.top, signed)
    slot = g.signal("division to slot", ends + signed - zero - over)
    m.say("space", [Form.of(Space.SLOT)], slot)
    works = g.signal("work", first - signed + start + goes_on - zero)
    m.say("space", [Form.of(Space.WORK)], works)
    m.stay = m.stay + m.op(*DIVISIONS) - ends
    _phases(m, first, signed, start, goes_on)


def _division_traps(m: TraceCircuit, first: Form) -> tuple[Form, Form]:
    """A zero divisor; the one quotient that does not fit."""
    zero = m.g.signal("divides by zero", m.g.neuron(first - sum(m.T.bits, Form())))
    most = [m.S.bits[31], *(1 - b for b in m.S.bits[:31]), *m.T.bits]
    begins = m.also("quotient begins", m.op("i32.div_s"), m.in_phase(0))
    over = m.g.signal("quotient overflows", select(m.g, [begins, *most]))
    m.late_traps(
        (zero, trap_status(Trap.DIVIDE_BY_ZERO)), (over, trap_status(Trap.INTEGER_OVERFLOW))
    )
    return zero, over


def _begin(m: TraceCircuit, first: Form, signed: Form, start: Form) -> None:
    """Absolute values where the division is signed."""
    g = m.g
    for word, when, name in ((m.T, signed, "divisor"), (m.S, start, "dividend")):
        minus = m.also(f"negative {name}", when, word.bits[31])
        m.result(word.bytes, g.signal(f"positive {name}", when - minus))
        m.result(carry(g, [-b for b in word.bytes], BYTE, minus).digits)
    m.result(m.S.bytes, g.signal("unsigned dividend", first - signed))


def _one_bit(m: TraceCircuit, work: Form) -> tuple[list[Form], list[Form]]:
    """Remainder and quotient after one more bit.

    X = 2 remainder + top bit of the quotient; where X >= D, subtract D and set the new bit.
    Byte d of X - D needs to know whether the bytes below borrow.
    """
    g, (remainder, quotient), divisor = m.g, (m.at, m.value), m.T
    doubled = [quotient.bits[31], *remainder.bits]  # 33 bits
    x = Word.of_bits(doubled[:32])
    fits = g.signal("fits", step(g, weighted(doubled, 2) - divisor.number(), 0, work))
    borrows = [Form()]
    for k in (1, 2, 3):
        low = weighted(divisor.bytes[:k], BYTE) - weighted(x.bytes[:k], BYTE)
        borrows.append(g.signal(f"borrow {k}", step(g, low, 1)))
    top = [*x.bytes[:3], x.bytes[3] + BYTE * doubled[32]]
    borrowed = [*borrows[1:], Form()]
    bits = []
    for d in range(4):
        less = BYTE * borrowed[d] - divisor.bytes[d] - borrows[d]
        bits.append(g.signal(f"remainder {d}", g.neuron(work, top[d]) + g.neuron(fits, less)))
    shifted = Word.of_bits([Form(), *quotient.bits[:31]])
    doubled_quotient = [g.neuron(work, b) for b in shifted.bytes]
    doubled_quotient[0] = doubled_quotient[0] + fits
    return bits, [g.signal(f"quotient {d}", q) for d, q in enumerate(doubled_quotient)]


def _signs(m: TraceCircuit, fix: Form) -> None:
    """The remainder has the sign of the dividend, the quotient that of both multiplied."""
    g, (remainder, quotient) = m.g, (m.at, m.value)
    minus, divisor = m.S.bits[31], m.in_phase(_FIX + _NEGATIVE)
    rest = m.also("remainder's sign", fix, m.op("i32.rem_s"))
    negative_rest = m.also("negative remainder", rest, minus)
    both = m.also("signs agree", fix, minus, divisor)
    differ = g.signal("signs differ", g.neuron(fix, minus + divisor) - 2 * both)
    negative = m.also("negative quotient", differ, 1 - rest)
    plain_rest = g.signal("plain remainder", rest - negative_rest)
    plain = g.signal("plain quotient", fix - rest - negative)
    m.result(remainder.bytes, plain_rest)
    m.result(quotient.bytes, plain)
    m.result(carry(g, [-b for b in remainder.bytes], BYTE, negative_rest).digits)
    m.result(carry(g, [-b for b in quotient.bytes], BYTE, negative).digits)


def _phases(m: TraceCircuit, first: Form, signed: Form, start: Form, goes_on: Form) -> None:
    """The phase after each step."""
    minus = m.also("divisor is negative", signed, m.T.bits[31])
    m.say("phase", [first + (_START - 1) * signed + _NEGATIVE * minus])
    back = m.phase.lane(
        "phase after start", [p - _START + 1 if p in _either(_START) else 0 for p in range(128)]
    )
    m.say("phase", [back], start)
    m.say("phase", [m.phase.number() + 1], goes_on)
