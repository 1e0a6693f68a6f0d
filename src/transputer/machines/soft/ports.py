"""Input and output: tapes with a soft position each."""

from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.effects import Effect, HardOperands, Operands, hard, soft


@soft.on("IN")
def _(x: Operands) -> Effect:
    read = x.state.read
    return Effect(read[:-1] @ x.state.inputs + read[-1], reads=True)


@hard.on("IN")
def _(x: HardOperands) -> Effect:
    tape = jnp.append(x.state.inputs, x.mask)
    return Effect(tape[x.state.read], reads=True)


@soft.on("OUT")
def _(x: Operands) -> Effect:
    return Effect(writes=True)


@hard.on("OUT")
def _(x: HardOperands) -> Effect:
    return Effect(writes=True)


def onward(place: Array, probability: Array) -> Array:
    """A position that moves on with this probability; the last place keeps what reaches it."""
    moved = jnp.concatenate([jnp.zeros_like(place[:1]), place[:-1]]).at[-1].add(place[-1])
    return place + probability * (moved - place)


def append(tape: Array, place: Array, word: Array, probability: Array) -> Array:
    """The tape with the word written at the position, with this probability."""
    mass = probability * place[:-1, None]
    return tape + mass * (word - tape)
