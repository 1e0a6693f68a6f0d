"""States of the machine: soft ones hold distributions, hard ones integers."""

from dataclasses import dataclass

from transputer.isa.soft import FLAGS
from transputer.machines.soft.backend import Array, jax, jnp, pytree
from transputer.machines.soft.bits import to_bits, to_numbers
from transputer.machines.soft.config import Config
from transputer.machines.soft.hardstate import HardState, blank

__all__ = ["HardState", "SoftState", "blank", "harden", "soften"]


@dataclass(frozen=True)
class SoftState:
    """A soft state. Words are bits, `pc`, `read` and `wrote` are distributions over places.

    The last place of each means *ended*: the program, the input, the room for output. The input
    stands at the end of its tape, and reading starts at its first word.
    """

    registers: Array  # (registers, width)
    flags: Array  # (flags)
    pc: Array  # (length + 1)
    memory: Array  # (memory, width)
    inputs: Array  # (inputs, width)
    read: Array  # (inputs + 1)
    outputs: Array  # (outputs, width)
    wrote: Array  # (outputs + 1)


pytree(SoftState)
pytree(HardState)


def soften(state: HardState, config: Config) -> SoftState:
    """The soft state that is certain of this one."""

    def words(numbers: Array) -> Array:
        return to_bits(numbers, config.width)

    def place(number: Array, count: int) -> Array:
        return jax.nn.one_hot(number, count + 1)

    return SoftState(
        words(state.registers),
        to_bits(state.flags, len(FLAGS)),
        place(state.pc, config.length),
        words(state.memory),
        words(state.inputs),
        place(state.read, config.inputs),
        words(state.outputs),
        place(state.wrote, config.outputs),
    )


def harden(state: SoftState) -> HardState:
    """The hard state that is most likely."""

    def place(probabilities: Array) -> Array:
        return jnp.argmax(probabilities, -1).astype(jnp.int32)

    return HardState(
        to_numbers(state.registers),
        to_numbers(state.flags).astype(jnp.int32),
        place(state.pc),
        to_numbers(state.memory),
        to_numbers(state.inputs),
        place(state.read),
        to_numbers(state.outputs),
        place(state.wrote),
    )
