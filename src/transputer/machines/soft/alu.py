"""Arithmetic, bitwise operations, shifts and moves: soft rules."""

from transputer.machines.soft.backend import jnp
from transputer.machines.soft.bits import multiply, shift, xor
from transputer.machines.soft.effects import Effect, Operands, soft


@soft.on("MOV")
def _(x: Operands) -> Effect:
    return Effect(x.a)


@soft.on("SET")
def _(x: Operands) -> Effect:
    return Effect(x.n)


@soft.on("ADD")
def _(x: Operands) -> Effect:
    return Effect(x.total)


@soft.on("ADDI")
def _(x: Operands) -> Effect:
    return Effect(x.displaced)


@soft.on("SUB")
def _(x: Operands) -> Effect:
    return Effect(x.difference)


@soft.on("AND")
def _(x: Operands) -> Effect:
    return Effect(x.a * x.b)


@soft.on("OR")
def _(x: Operands) -> Effect:
    return Effect(x.a + x.b - x.a * x.b)


@soft.on("XOR")
def _(x: Operands) -> Effect:
    return Effect(xor(x.a, x.b))


@soft.on("SHL")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, None))


@soft.on("SHR")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, jnp.zeros_like(x.a[..., :1])))


@soft.on("SRA")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.n, x.a[..., -1:]))


@soft.on("MUL")
def _(x: Operands) -> Effect:
    return Effect(multiply(x.a, x.b))


@soft.on("SHLV")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.b, None))


@soft.on("SHRV")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.b, jnp.zeros_like(x.a[..., :1])))


@soft.on("SRAV")
def _(x: Operands) -> Effect:
    return Effect(shift(x.a, x.b, x.a[..., -1:]))


@soft.on("MIN")
def _(x: Operands) -> Effect:
    return Effect(x.b + x.less * (x.a - x.b))


@soft.on("MAX")
def _(x: Operands) -> Effect:
    return Effect(x.a + x.less * (x.b - x.a))
