"""The program counter: a distribution over places, the last of which is the end."""

from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import all_zero, places
from transputer.machines.soft.effects import Effect, HardOperands, Operands, hard, soft


@soft.on("HALT")
def _(x: Operands) -> Effect:
    return Effect(stop=True)


@hard.on("HALT")
def _(x: HardOperands) -> Effect:
    return Effect(stop=True)


@soft.on("JMP")
def _(x: Operands) -> Effect:
    return Effect(jump=jnp.float32(1))


@hard.on("JMP")
def _(x: HardOperands) -> Effect:
    return Effect(jump=jnp.bool_(True))


@soft.on("CALL")
def _(x: Operands) -> Effect:
    return Effect(x.here, jump=jnp.float32(1))


@hard.on("CALL")
def _(x: HardOperands) -> Effect:
    return Effect(x.here, jump=jnp.bool_(True))


@soft.on("RET")
def _(x: Operands) -> Effect:
    return Effect(back=True)


@hard.on("RET")
def _(x: HardOperands) -> Effect:
    return Effect(back=True)


@soft.on("DJNZ")
def _(x: Operands) -> Effect:
    return Effect(x.decremented, jump=1 - all_zero(x.decremented))


def reach(length: int) -> int:
    """How many places a number can name: the power of two above the length."""
    return int(1 << length.bit_length())


def target(word: Array, length: int) -> Array:
    """The distribution of the place that a word names; whatever lies beyond the end is the end."""
    probabilities = places(word, reach(length))
    end = probabilities[..., length:].sum(-1, keepdims=True)
    return jnp.concatenate([probabilities[..., :length], end], -1)


def hard_target(word: Array, length: int) -> Array:
    """The place that a word names."""
    return jnp.minimum(word & (reach(length) - 1), length).astype(jnp.int32)


def advance(pc: Array, running: Array, jump: Array, back: Array, stop: Array,
            named: Array, held: Array) -> Array:  # fmt: skip
    """The next distribution, from the probabilities to jump, to return and to stop.

    `named` and `held` are where a jump and a return go, `running` is the probability that the
    program had not ended.
    """
    left = (jump + back + stop) / jnp.where(running > 0, running, 1.0)
    onward = jnp.concatenate([jnp.zeros_like(pc[:1]), pc[:-1] * (1 - left)])
    end = jax.nn.one_hot(pc.shape[0] - 1, pc.shape[0])
    return onward + jump * named + back * held + (stop + pc[-1]) * end
