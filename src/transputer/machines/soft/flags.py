"""The flags, and what depends on them: soft rules."""

from transputer.isa.soft import FLAGS
from transputer.machines.soft.backend import jnp
from transputer.machines.soft.bits import all_zero, xor
from transputer.machines.soft.effects import Effect, Operands, soft

_Z, _S = FLAGS.index("Z"), FLAGS.index("S")


@soft.on("CMP")
def _(x: Operands) -> Effect:
    carry, sign = x.sums[1][1], x.difference[..., -1]
    overflow = xor(x.a[..., -1], x.b[..., -1]) * xor(x.a[..., -1], sign)
    return Effect(flags=jnp.stack([all_zero(x.difference), sign, carry, overflow, x.less], -1))


@soft.on("CMOV")
def _(x: Operands) -> Effect:
    return Effect(x.a, gate=x.state.flags[..., _S])


@soft.on("JEQ")
def _(x: Operands) -> Effect:
    return Effect(jump=x.state.flags[..., _Z])


@soft.on("JNE")
def _(x: Operands) -> Effect:
    return Effect(jump=1 - x.state.flags[..., _Z])


@soft.on("JLT")
def _(x: Operands) -> Effect:
    return Effect(jump=x.state.flags[..., _S])


@soft.on("JGE")
def _(x: Operands) -> Effect:
    return Effect(jump=1 - x.state.flags[..., _S])
