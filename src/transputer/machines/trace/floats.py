"""IEEE 754 on the trace machine: the frame and the tail of all operations, sums and products.

**The frame.** A step of a float instruction leaves a number in its WORK token:

* `value` is X, 64 bits, any of them set;
* `at` is (E mod 256, E div 256, flags, shift), E from 0 to 4095;
* flags: `STICKY` says that the number is more than X, by less than one unit; `SIGN` that it is
  negative; bits from `PRIVATE` on belong to the instruction.

The number is X / 2^63 * 2^(E + 1 - bias), bias that of the result's format (127, 1023), which the
name of the opcode gives. So E is how far X may move left: where X has z leading zeros, it moves by
min(z, E), and E minus that, added to the significand above its fraction, is the packed exponent.
A significand with its top bit at bit 60 and biased exponent e (1 for a subnormal) has E = e + 2;
with its top bit at bit p, E = e + 62 - p. An integer n has X = n and E = bias + 62. An infinity is
X = 2^63, E = 2 bias; the canonical NaN is X = 3 * 2^62 there. Where STICKY is set, X has at most
10 leading zeros (f64) or 39 (f32), or E is below that, so that what is lost stays below a half.

**The tail.** An instruction continues in one of these phases with `m.goes_on(when, PHASE)`:

* `NORM` moves X left by whole bytes and says in `shift` how many bits are left to move (0 to 7);
  then PACK, or INFINITE where the biased exponent does not fit. X may be 0.
* `PACK` moves X left by `shift` (0 to 7), rounds to nearest even, packs and ends the instruction.
  What comes to PACK without NORM has E = 0, or its top bit at 63 after the shift.
* `INFINITE` ends with an infinity.
* `ALIGN` moves X right by `shift` (0 to 63) with sticky; then PACK. For results below the normal
  range: E = 0.
* `CUT` does the same and continues in phase `WHOLE`, which belongs to the instruction.
* `SCALE` is NORM without overflow, then `KEEP`: `value` is the significand as in the format, an
  integer below 2^24 or 2^53, and E what is left of it. Continues in `SCALED`, which belongs to the
  instruction. For subnormal operands: X = significand << 8 (f64) or << 32 (f32). X is not 0.

All of them keep SIGN, STICKY, the private flags and `work`; `shift` is 0 after ALIGN, CUT and KEEP.
Phases from 1 to 99 belong to the instruction.
"""

from transputer.circuit import Form
from transputer.circuit.arithmetic import BYTE, carry
from transputer.circuit.floats import (
    F32,
    F64,
    Cases,
    Choice,
    FloatFormat,
    Operand,
    ProductStart,
    add_aligned,
    align,
    begin_product,
    begin_sum,
    cut,
    factor,
    larger,
    normalise,
    pack,
    product,
    ripple,
    unpack,
)
from transputer.circuit.logic import select, step
from transputer.circuit.word import weighted
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import SEVERAL

# Phases of the tail; `SUM` is the alignment of a sum.
NORM, PACK, ALIGN, CUT, WHOLE, SCALE, KEEP, SCALED, SUM, INFINITE = range(100, 110)
#: A quotient begins again, its divisor scaled.
AGAIN = 99
# Flags, byte 2 of `at`.
STICKY, SIGN, PRIVATE = 1, 2, 4
#: Instructions that round to a format, by format, and all that use the tail.
SINGLES = tuple(name for name in SEVERAL if name.startswith("f32."))
DOUBLES = tuple(name for name in SEVERAL if name.startswith("f64."))
FLOATS = tuple(name for name in SEVERAL if "f32" in name or "f64" in name)
#: Instructions of two operands.
BINARY = tuple(f"f{n}.{op}" for n in (32, 64) for op in ("add", "sub", "mul", "div"))
#: E of an operand as `SCALE` takes it, beyond its biased exponent, and of an integer.
E_SINGLE, E_DOUBLE = F32.room, F64.room
E_INTEGER_SINGLE, E_INTEGER_DOUBLE = F32.bias + 62, F64.bias + 62

_FORMATS: tuple[tuple[str, FloatFormat, tuple[str, ...]], ...] = (
    ("f32", F32, SINGLES),
    ("f64", F64, DOUBLES),
)
# Private flags of sums and products.
_SUBTRACTS, _FIRST, _IMPLICIT = 4, 8, 16
_SECOND = 4
_ADD, _MUL = ("add", "sub"), ("mul",)


def flag(m: TraceCircuit, number: int) -> Form:
    """The bit of a flag of the frame."""
    return m.at.bits[16 + number.bit_length() - 1]


def room(m: TraceCircuit) -> tuple[Form, Form]:
    """The two digits of E in the frame, 12 bits of it whatever `at` holds elsewhere."""
    return m.parts["at"][0].number(), weighted(m.at.bits[8:12], 2)


def in_format(
    m: TraceCircuit, name: str, phases: tuple[int, ...], ops: tuple[str, ...], *bits: Form
) -> Cases:
    """Lanes that are 1 in these phases of the operations of a format, where these bits are."""
    return [
        (
            m.also(f"{name} {f}", m.op(*(f"{f}.{op}" for op in ops)), m.in_phase(*phases), *bits),
            layout,
        )
        for f, layout, _ in _FORMATS
    ]


def either(m: TraceCircuit, cases: Cases) -> Form:
    """1 in one of the formats."""
    total = sum((case for case, _ in cases), Form())
    return m.g.assume(total, 0, 1, "one format at a time")


def _rounding(m: TraceCircuit, name: str, *phases: int) -> Cases:
    """The same for all instructions that round to a format."""
    return [
        (m.also(f"{name} {f}", m.op(*names), m.in_phase(*phases)), layout)
        for f, layout, names in _FORMATS
    ]


def operands(m: TraceCircuit) -> tuple[Operand, Operand]:
    """The fields of S and T in the first step of an instruction of two operands, or of T's root.

    A quotient begins once more in phase `AGAIN`.
    """
    two = in_format(m, "two floats", (0, AGAIN), ("add", "sub", "mul", "div"))
    one = in_format(m, "floats", (0, AGAIN), ("add", "sub", "mul", "div", "sqrt"))
    return unpack(m.g, "S", m.S, two), unpack(m.g, "T", m.T, one)


# The tail


def tail(m: TraceCircuit) -> None:
    """The steps that all operations share: align, normalise, round, pack.

    The rule of sums applies it, once for the machine.
    """
    _align(m)
    _normalise(m)
    _pack(m)


def _align(m: TraceCircuit) -> None:
    """ALIGN and CUT: X moved right. SUM: the larger operand plus or minus that.

    Without a larger operand and a subtraction the sum is X itself, with no carries.
    """
    g, sticky = m.g, flag(m, STICKY)
    moves = m.also("float moves right", m.op(*FLOATS), m.in_phase(ALIGN, CUT, SUM))
    sums = in_format(m, "sum", (SUM,), _ADD)
    any_sum = either(m, sums)
    subtracts = m.also("subtracts", any_sum, flag(m, _SUBTRACTS))
    y = align(g, "aligned", m.value, m.at.bits[24:30], moves)
    x = larger(g, (m.S, m.T), flag(m, _FIRST), flag(m, _IMPLICIT), sums)
    m.result(add_aligned(g, "sum", y, x, subtracts, sticky))
    m.say("at", room(m), moves)
    rest = weighted([Form(), *m.at.bits[17:24]], 2)
    m.say("at", [Form(), Form(), g.neuron(moves, rest) + step(g, y.lost + sticky, 1, moves)])
    m.say("work", m.work.bytes, moves)
    for phase, after in ((ALIGN, PACK), (CUT, WHOLE), (SUM, NORM)):
        m.goes_on(m.also(f"float phase {phase}", moves, m.in_phase(phase)), after)


def _normalise(m: TraceCircuit) -> None:
    """NORM and SCALE."""
    g = m.g
    moves = m.also("float moves left", m.op(*FLOATS), m.in_phase(NORM, SCALE))
    low, high = room(m)
    whole = low + BYTE * high
    x = normalise(g, "normal", m.value.bytes, whole, moves)
    m.result(x.digits)
    m.say("at", [Form(), Form(), weighted(m.at.bits[16:24], 2)], moves)
    m.say("at", [Form(), Form(), Form(), x.shift])
    some = moves - x.zero
    rest = g.signal("low byte of E", g.neuron(some, low - x.moved))
    m.say("at", carry(g, [rest, g.neuron(some, high)], fits=True).digits)
    m.say("work", m.work.bytes, moves)
    over = Form()
    for case, f in _rounding(m, "normalises", NORM):
        over = over + step(g, whole - x.moved - 4096 * x.zero, 2 * f.bias, case)
    infinite = g.signal("overflows", over)
    scales = m.also("scales", moves, m.in_phase(SCALE))
    m.goes_on(g.signal("packs next", moves - scales - infinite), PACK)
    m.goes_on(infinite, INFINITE)
    m.goes_on(scales, KEEP)


def _pack(m: TraceCircuit) -> None:
    """PACK, KEEP and INFINITE."""
    g = m.g
    cases, packs = _rounding(m, "rounds", PACK, KEEP), _rounding(m, "packs", PACK)
    x = cut(g, "significand", m.value, m.at.bits[24:27], flag(m, STICKY), cases)
    fields = pack(g, m.at.bits[:11], flag(m, SIGN), packs)
    infinite = _rounding(m, "is infinite", INFINITE)
    digits = [d + more for d, more in zip(x.digits, fields, strict=True)]
    m.result(ripple(g, "packed", digits, x.up))
    for case, f in infinite:
        signed = select(g, [case, flag(m, SIGN)])
        pattern = [f.infinity >> 8 * j & 255 for j in range(f.bits // 8)]
        m.result([p * case for p in pattern[:-1]] + [pattern[-1] * case + 128 * signed])
    keeps = m.also("keeps a significand", m.op(*SINGLES, *DOUBLES), m.in_phase(KEEP))
    m.say("at", [*room(m), weighted(m.at.bits[16:24], 2)], keeps)
    m.say("work", m.work.bytes, keeps)
    m.goes_on(keeps, SCALED)
    unary = [name for name in (*SINGLES, *DOUBLES) if name not in BINARY]
    ends = m.in_phase(PACK, INFINITE)
    m.ends(m.also("two operands packed", m.op(*BINARY), ends), m.second)
    m.ends(m.also("one operand packed", m.op(*unary), ends), m.top)


# Sums and products


@trace.on("f32.add", "f32.sub", "f64.add", "f64.sub")
def sums(m: TraceCircuit) -> None:
    """Four steps: the smaller operand, the sum, and the tail."""
    tail(m)
    cases = in_format(m, "sum begins", (0,), _ADD)
    minus = m.op("f32.sub", "f64.sub")
    x = begin_sum(m.g, "sum", (m.S, m.T), *operands(m), minus, cases)
    m.result(x.digits)
    m.result(x.special)
    flags = SIGN * x.sign + _SUBTRACTS * x.subtracts + _FIRST * x.first + _IMPLICIT * x.implicit
    m.say("at", [*x.exponent, flags, x.shift])
    m.goes_on(m.g.signal("sum goes on", x.goes), SUM)
    m.ends(x.ends, m.second)


@trace.on("f32.mul", "f64.mul")
def products(m: TraceCircuit) -> None:
    """Three steps: the product of the significands, and the tail.

    A subnormal factor of a normal result is scaled first, and three steps are added.
    """
    g = m.g
    cases = in_format(m, "product begins", (0,), _MUL)
    again = in_format(m, "product resumes", (SCALED,), _MUL)
    x = begin_product(g, "product", (m.S, m.T), *operands(m), cases)
    resumes = either(m, again)
    fast = g.signal("product now", step(g, x.fast + resumes, 1))  # the weights prove a bit
    p = product(g, "product", *_factors(m, cases, again), fast, [f for _, f in cases])
    m.result(p.digits)
    m.result(x.digits)
    m.result(x.special)
    low, high = (a + g.neuron(resumes, b) for a, b in zip(x.exponent, room(m), strict=True))
    sign = SIGN * (x.sign + select(g, [resumes, flag(m, SIGN)]))
    flags = sign + STICKY * step(g, p.lost, 1, fast) + _SECOND * x.slow[1]
    # two low bytes, two implicit exponents and a constant: 255 + 255 + 2 + 255 < 3 * 256
    exponent = carry(g, [low, high], most=2, fits=True).digits
    m.say("at", [*exponent, flags, x.shift])
    _route(m, x, resumes)


def _factors(m: TraceCircuit, cases: Cases, again: Cases) -> tuple[list[Form], list[Form]]:
    """The significands of S and T, or of a scaled operand and the other one."""
    g, value, was_second = m.g, m.value, flag(m, _SECOND)
    others = in_format(m, "scaled was T,", (SCALED,), _MUL, was_second)
    sames = in_format(m, "scaled was S,", (SCALED,), _MUL, 1 - was_second)
    first: list[Choice] = []
    second: list[Choice] = []
    for i, (begins, f) in enumerate(cases):
        resumes, other, same = again[i][0], others[i][0], sames[i][0]
        implicit = [
            begins - g.neuron(begins - sum(f.exponent(word), Form())) for word in (m.S, m.T)
        ]
        first.append((begins, f, f.significand(m.S), implicit[0]))
        first.append((resumes, f, value.bytes[: f.top + 1], Form()))
        second.append((begins + same, f, f.significand(m.T), implicit[1] + same))
        second.append((other, f, f.significand(m.S), other))
    return factor(g, "first factor", first), factor(g, "second factor", second)


def _route(m: TraceCircuit, x: ProductStart, resumes: Form) -> None:
    """Where a product goes after its first step, and after the one that resumes."""
    g = m.g
    under = m.also("product below the range", x.fast, x.under)
    m.goes_on(g.signal("product to normalise", x.fast - under + resumes), NORM)
    m.goes_on(under, ALIGN)
    m.goes_on(g.signal("factor to scale", x.slow[0] + x.slow[1]), SCALE)
    m.ends(x.ends, m.second)
