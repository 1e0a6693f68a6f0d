"""Loss of a program: cross-entropy of its result bits, and optional extra terms."""

from collections.abc import Callable
from dataclasses import replace

from transputer.learning.problem import Examples
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import to_bits
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import FetchChoice
from transputer.machines.soft.state import SoftState, blank, soften
from transputer.machines.soft.step import advance
from transputer.values import dataclass

#: Probabilities are kept this far from 0 and 1 in the loss.
_MARGIN = 1e-4
BitLoss = Callable[[Array, Array], Array]
#: A choice, and a weight for each example, to a loss.
Loss = Callable[[FetchChoice, Array], Array]


@dataclass(frozen=True, slots=True)
class Extra:
    """What is added to the loss on the results: nothing, unless a weight says so.

    `shaped` is the share of the loss that a result in another register earns back. `auxiliary`
    weighs the same loss after every step instead of after the last.
    """

    shaped: float = 0.0
    auxiliary: float = 0.0


#: Nothing added.
PLAIN = Extra()


def _cross_entropy(probability: Array, bits: Array) -> Array:
    return -(bits * jnp.log(probability) + (1 - bits) * jnp.log(1 - probability))


def clipped(probabilities: Array, bits: Array) -> Array:
    """Cross-entropy that is flat where a probability is certain."""
    return _cross_entropy(jnp.clip(probabilities, _MARGIN, 1 - _MARGIN), bits)


def squared(probabilities: Array, bits: Array) -> Array:
    """The squared difference: a slope that neither vanishes nor explodes on certain wrong bits."""
    return (probabilities - bits) ** 2


def loss_of(
    rows: Examples, config: Config, steps: int, bit_loss: BitLoss, extra: Extra = PLAIN
) -> Loss:
    """The loss of the result bits after a run, averaged over examples and bits."""
    start = soften(blank(config), config)
    registers = to_bits(rows.registers, config.width)
    memory = to_bits(rows.memory, config.width)
    wanted = to_bits(rows.wanted, config.width)
    cells, matters = to_bits(rows.cells, config.width), jnp.asarray(rows.matters, jnp.float32)

    def of(state: SoftState, bits: Array, cell: Array, weight: Array) -> Array:
        """The loss on one example, summed over bits."""
        here = bit_loss(state.registers[: bits.shape[0]], bits).sum()
        stored = (bit_loss(state.memory, cell) * weight[:, None]).sum()
        if not extra.shaped:
            return here + stored
        anywhere = bit_loss(state.registers[:, None, :], bits).sum(-1).min(0).sum()
        return here + extra.shaped * (anywhere - here) + stored

    def loss(choice: FetchChoice, weights: Array) -> Array:
        def one(words: Array, stored: Array, bits: Array, cell: Array, weight: Array) -> Array:
            first = replace(start, registers=words, memory=stored)

            def once(state: SoftState, _: None) -> tuple[SoftState, Array]:
                after = advance(choice, state)
                return after, of(after, bits, cell, weight) if extra.auxiliary else jnp.float32(0)

            last, along = jax.lax.scan(once, first, None, steps)
            return of(last, bits, cell, weight) + extra.auxiliary * along.mean()

        losses = jax.vmap(one)(registers, memory, wanted, cells, matters)
        counted = wanted[0].size + matters.sum(-1) * config.width
        return (losses * weights).sum() / (counted * weights).sum()

    return loss


def entropy_of(choice: FetchChoice) -> Array:
    """The mean entropy of the choices of operation and registers."""

    def mean(probabilities: Array) -> Array:
        return -(probabilities * jnp.log(probabilities + 1e-9)).sum(-1).mean()

    return sum(mean(field) for field in (choice.op, choice.d, choice.a, choice.b)) / 4
