"""Arithmetic, bitwise operations, shifts and moves."""

from transputer.machines.soft.backend import jnp
from transputer.machines.soft.bits import shift, xor
from transputer.machines.soft.effects import Effect, HardOperands, Operands, hard, soft


@soft.on("MOV")
def _(x: Operands) -> Effect:
    return Effect(x.a)


@hard.on("MOV")
def _(x: HardOperands) -> Effect:
    return Effect(x.a)


@soft.on("SET")
def _(x: Operands) -> Effect:
    return Effect(x.n)


@hard.on("SET")
def _(x: HardOperands) -> Effect:
    return Effect(x.n)


@soft.on("ADD")
def _(x: Operands) -> Effect:
    return Effect(x.total)


@hard.on("ADD")
def _(x: HardOperands) -> Effect:
    return Effect(x.word(x.a + x.b))


@soft.on("ADDI")
def _(x: Operands) -> Effect:
    return Effect(x.displaced)


@hard.on("ADDI")
def _(x: HardOperands) -> Effect:
    return Effect(x.word(x.a + x.n))


@soft.on("SUB")
def _(x: Operands) -> Effect:
    return Effect(x.difference)


@hard.on("SUB")
def _(x: HardOperands) -> Effect:
    return Effect(x.word(x.a - x.b))


@soft.on("AND")
def _(x: Operands) -> Effect:
    return Effect(x.a * x.b)


@hard.on("AND")
def _(x: HardOperands) -> Effect:
    return Effect(x.a & x.b)


@soft.on("OR")
def _(x: Operands) -> Effect:
    return Effect(x.a + x.b - x.a * x.b)


@hard.on("OR")
def _(x: HardOperands) -> Effect:
    return Effect(x.a | x.b)


@soft.on("XOR")
def _(x: Operands) -> Effect:
    return Effect(xor(x.a, x.b))


@hard.on("XOR")
def _(x: HardOperands) -> Effect:
    return Effect(x.a ^ x.b)


@soft.on("SHL")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, None))


@hard.on("SHL")
def _(x: HardOperands) -> Effect:
    return Effect(x.word(x.a << (x.n & (x.width - 1))))


@soft.on("SHR")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, jnp.zeros_like(x.a[..., :1])))


@hard.on("SHR")
def _(x: HardOperands) -> Effect:
    return Effect(x.a >> (x.n & (x.width - 1)))


@soft.on("SRA")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, x.a[..., -1:]))


@hard.on("SRA")
def _(x: HardOperands) -> Effect:
    return Effect(x.word(x.signed(x.a) >> (x.n & (x.width - 1)).astype(jnp.int32)))


@soft.on("MIN")
def _(x: Operands) -> Effect:
    return Effect(x.b + x.less * (x.a - x.b))


@hard.on("MIN")
def _(x: HardOperands) -> Effect:
    return Effect(jnp.where(x.signed(x.a) < x.signed(x.b), x.a, x.b))


@soft.on("MAX")
def _(x: Operands) -> Effect:
    return Effect(x.a + x.less * (x.b - x.a))


@hard.on("MAX")
def _(x: HardOperands) -> Effect:
    return Effect(jnp.where(x.signed(x.a) < x.signed(x.b), x.b, x.a))
