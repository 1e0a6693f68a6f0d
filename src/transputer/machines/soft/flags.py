"""The flags, and what depends on them."""

from transputer.isa.soft import FLAGS
from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.bits import all_zero, xor
from transputer.machines.soft.effects import Effect, HardOperands, Operands, hard, soft

_Z, _S = FLAGS.index("Z"), FLAGS.index("S")


@soft.on("CMP")
def _(x: Operands) -> Effect:
    carry, sign = x.sums[1][1], x.difference[..., -1]
    overflow = xor(x.a[..., -1], x.b[..., -1]) * xor(x.a[..., -1], sign)
    return Effect(flags=jnp.stack([all_zero(x.difference), sign, carry, overflow, x.less], -1))


@hard.on("CMP")
def _(x: HardOperands) -> Effect:
    less = x.signed(x.a) < x.signed(x.b)
    sign = (x.a - x.b) >> (x.width - 1) & 1 == 1
    flags = (x.a == x.b, sign, x.a >= x.b, sign != less, less)
    return Effect(flags=sum(flag.astype(jnp.int32) << i for i, flag in enumerate(flags)))


def _flag(x: HardOperands, index: int) -> Array:
    return x.state.flags >> index & 1 == 1


@soft.on("CMOV")
def _(x: Operands) -> Effect:
    return Effect(x.a, gate=x.state.flags[..., _S])


@hard.on("CMOV")
def _(x: HardOperands) -> Effect:
    return Effect(x.a, gate=_flag(x, _S))


@soft.on("JEQ")
def _(x: Operands) -> Effect:
    return Effect(jump=x.state.flags[..., _Z])


@hard.on("JEQ")
def _(x: HardOperands) -> Effect:
    return Effect(jump=_flag(x, _Z))


@soft.on("JNE")
def _(x: Operands) -> Effect:
    return Effect(jump=1 - x.state.flags[..., _Z])


@hard.on("JNE")
def _(x: HardOperands) -> Effect:
    return Effect(jump=~_flag(x, _Z))


@soft.on("JLT")
def _(x: Operands) -> Effect:
    return Effect(jump=x.state.flags[..., _S])


@hard.on("JLT")
def _(x: HardOperands) -> Effect:
    return Effect(jump=_flag(x, _S))


@soft.on("JGE")
def _(x: Operands) -> Effect:
    return Effect(jump=1 - x.state.flags[..., _S])


@hard.on("JGE")
def _(x: HardOperands) -> Effect:
    return Effect(jump=~_flag(x, _S))
