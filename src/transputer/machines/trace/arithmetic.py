"""Numeric instructions on integers that take one step.

Values of 32 bits stand in slots of 64 with zeros above, so that i32 and i64 share circuits: what
must not reach the upper half is gated by the bits of the i64 rows.
"""

from transputer.circuit import Form
from transputer.circuit.arithmetic import Order, carry, compare_wide, multiply
from transputer.circuit.bits import (
    amount,
    bitwise,
    leading_zeros,
    ones,
    shift_left,
    shift_right,
    sign_fill,
    trailing_zeros,
)
from transputer.circuit.logic import select, step
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.vocabulary import BYTE


def _each(m: TraceCircuit, name: str) -> list[Form]:
    """For each byte the bit of an operation that has it in its results."""
    return [m.op(f"i32.{name}", f"i64.{name}")] * 4 + [m.op(f"i64.{name}")] * 4


@trace.on("i32.const", "i64.const", "f32.const", "f64.const", "ref.null", "ref.func")
def const(m: TraceCircuit) -> None:
    """The immediate."""
    m.result(m.immediate.bytes, m.op("i32.const"))


@trace.on("i32.add", "i64.add")
def add(m: TraceCircuit) -> None:
    """Bytes with carries."""
    sums = [s + t for s, t in zip(m.S.bytes, m.T.bytes, strict=True)]
    m.result(carry(m.g, sums, BYTE, _each(m, "add")).digits)


@trace.on("i32.sub", "i64.sub")
def sub(m: TraceCircuit) -> None:
    """Bytes with borrows."""
    differences = [s - t for s, t in zip(m.S.bytes, m.T.bytes, strict=True)]
    m.result(carry(m.g, differences, BYTE, _each(m, "sub")).digits)


@trace.on("i32.neg")
def neg(m: TraceCircuit) -> None:
    """Zero minus the bytes."""
    m.result(carry(m.g, [-b for b in m.T.low(4).bytes], BYTE, m.op("i32.neg")).digits)


@trace.on("i32.abs")
def abs_(m: TraceCircuit) -> None:
    """The value, or zero minus it where the sign bit is set."""
    op, negative = m.op("i32.abs"), m.also("abs of negative", m.op("i32.abs"), m.T.bits[31])
    m.result(m.T.low(4).bytes, m.g.signal("abs of positive", op - negative))
    m.result(carry(m.g, [-b for b in m.T.low(4).bytes], BYTE, negative).digits)


@trace.on("i32.mul", "i64.mul")
def mul(m: TraceCircuit) -> None:
    """Byte products, column sums, carries."""
    m.result(multiply(m.g, "product", m.S.bytes, m.T.bytes, _each(m, "mul")))


@trace.on("i32.and", "i32.or", "i32.xor", "i64.and", "i64.or", "i64.xor")
def logic(m: TraceCircuit) -> None:
    """One neuron per bit for all three."""
    results = bitwise(m.g, "and", m.S, m.T)
    m.result(results.both, m.op("i32.and"))
    m.result(results.either, m.op("i32.or"))
    m.result(results.differ, m.op("i32.xor"))


_MOVES = ("shl", "shr_s", "shr_u", "rotl", "rotr")


@trace.on(*(f"{t}.{name}" for t in ("i32", "i64") for name in _MOVES))
def shifts(m: TraceCircuit) -> None:
    """Moved up and moved down: a rotation is both, one of them by the width minus the amount."""

    def ops(*names: str) -> list[Form]:
        return [m.op(*(f"{t}.{n}" for n in names)) for t in ("i32", "i64")]

    up = amount(m.g, "up", m.T, 8, ops("shl", "rotl"), ops("rotr"))
    down = amount(m.g, "down", m.T, 8, ops("shr_s", "shr_u", "rotr"), ops("rotl"))
    m.result(shift_left(m.g, "up", m.S, up))
    m.result(shift_right(m.g, "down", m.S, down))
    negative, whole = (
        m.also(f"shift of negative {t}", m.op(f"{t}.shr_s"), m.S.bits[sign])
        for t, sign in (("i32", 31), ("i64", 63))
    )
    m.result(sign_fill(m.g, "sign", down, whole, negative))


@trace.on("i32.clz", "i32.ctz", "i32.popcnt", "i64.clz", "i64.ctz", "i64.popcnt")
def counts(m: TraceCircuit) -> None:
    """Sums of conditions on bits."""
    m.result([leading_zeros(m.g, m.T, _each(m, "clz"))])
    m.result([trailing_zeros(m.g, m.T, _each(m, "ctz"))])
    m.result([ones(m.g, m.T.bits, m.op("i32.popcnt"))])


@trace.on(
    *("i32.extend8_s", "i32.extend16_s", "i64.extend8_s", "i64.extend16_s", "i64.extend32_s"),
    *("i64.extend_i32_s", "i32.wrap_i64", "i64.extend_i32_u"),
    *("i32.reinterpret_f32", "i64.reinterpret_f64", "f32.reinterpret_i32", "f64.reinterpret_i64"),
)
def extend(m: TraceCircuit) -> None:
    """The low bytes, and the sign above them."""
    for size in (1, 2, 4):
        names = [f"i64.extend{8 * size}_s", *([f"i32.extend{8 * size}_s"] if size < 4 else [])]
        op, wide = m.op(*names), m.op(names[0])
        sign = m.T.bits[8 * size - 1]
        m.result(m.T.low(size).bytes, op)
        fill = [255 * select(m.g, [op, sign])] * (4 - size)
        m.result([*[Form()] * size, *fill, *[255 * select(m.g, [wide, sign])] * 4])
    m.result(m.T.low(4).bytes, m.op("i32.wrap_i64"))
    m.result(m.T.bytes, m.op("i64.extend_i32_u"))


@trace.on("i32.eqz", "i64.eqz", "ref.is_null")
def eqz(m: TraceCircuit) -> None:
    """relu(1 - sum of bytes)."""
    m.result([m.g.neuron(m.op("i32.eqz") - sum(m.T.bytes, Form()))])


_ORDERS = ("eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u")


@trace.on(*(f"{t}.{name}" for t in ("i32", "i64") for name in _ORDERS))
def compares(m: TraceCircuit) -> None:
    """Three orders, by halves of 32 bits; an instruction picks a sum of their bits.

    Unsigned ones are the same for both widths. The top bit counts negative in a signed one.
    """
    high = m.S.high(4).number() - m.T.high(4).number()
    low = m.S.low(4).number() - m.T.low(4).number()
    signs, signs32 = (m.S.bits[i] - m.T.bits[i] for i in (63, 31))
    unsigned = compare_wide(m.g, "order", high, low)
    m.result([unsigned.equal], m.op("i32.eq"))
    m.result([1 - unsigned.equal], m.op("i32.ne"))
    _ordered(m, unsigned, "i32.{}_u")
    _ordered(m, compare_wide(m.g, "signed order", high - (1 << 32) * signs, low), "i64.{}_s")
    difference = low - (1 << 32) * signs32
    more, least = (m.g.signal(f"i32 order {i}", step(m.g, difference, 1 - i)) for i in range(2))
    _ordered(m, Order(1 - least, least - more, more), "i32.{}_s")


def _ordered(m: TraceCircuit, order: Order, names: str) -> None:
    m.result([order.less], m.op(names.format("lt")))
    m.result([order.greater], m.op(names.format("gt")))
    m.result([1 - order.greater], m.op(names.format("le")))
    m.result([1 - order.less], m.op(names.format("ge")))
