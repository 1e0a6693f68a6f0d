"""What a program is punished for: the surprise at its results, and what may be added to that."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from transputer.learning.problem import Examples
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import to_bits
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import Choice
from transputer.machines.soft.state import State, blank, soften
from transputer.machines.soft.step import advance

#: Chances are kept this far from 0 and 1 in the loss.
_MARGIN = 1e-4
Surprise = Callable[[Array, Array], Array]
#: A choice, and a weight for each example, to a loss.
Loss = Callable[[Choice, Array], Array]


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


def _surprise(kept: Array, bits: Array) -> Array:
    return -(bits * jnp.log(kept) + (1 - bits) * jnp.log(1 - kept))


def clipped(chances: Array, bits: Array) -> Array:
    """Cross-entropy that is flat where a chance is certain."""
    return _surprise(jnp.clip(chances, _MARGIN, 1 - _MARGIN), bits)


def squared(chances: Array, bits: Array) -> Array:
    """The squared difference: a slope that neither vanishes nor explodes on certain wrong bits."""
    return (chances - bits) ** 2


def loss_of(
    rows: Examples, config: Config, steps: int, surprise: Surprise, extra: Extra = PLAIN
) -> Loss:
    """The surprise at the result bits after a run, averaged over examples and bits."""
    start = soften(blank(config), config)
    registers = to_bits(rows.registers, config.width)
    memory = to_bits(rows.memory, config.width)
    wanted = to_bits(rows.wanted, config.width)
    cells, matters = to_bits(rows.cells, config.width), jnp.asarray(rows.matters, jnp.float32)

    def of(state: State, bits: Array, cell: Array, weight: Array) -> Array:
        """The surprise at one example, summed over bits."""
        here = surprise(state.registers[: bits.shape[0]], bits).sum()
        stored = (surprise(state.memory, cell) * weight[:, None]).sum()
        if not extra.shaped:
            return here + stored
        anywhere = surprise(state.registers[:, None, :], bits).sum(-1).min(0).sum()
        return here + extra.shaped * (anywhere - here) + stored

    def loss(choice: Choice, weights: Array) -> Array:
        def one(words: Array, held: Array, bits: Array, cell: Array, weight: Array) -> Array:
            first = replace(start, registers=words, memory=held)

            def once(state: State, _: None) -> tuple[State, Array]:
                after = advance(choice, state)
                return after, of(after, bits, cell, weight) if extra.auxiliary else jnp.float32(0)

            last, along = jax.lax.scan(once, first, None, steps)
            return of(last, bits, cell, weight) + extra.auxiliary * along.mean()

        found = jax.vmap(one)(registers, memory, wanted, cells, matters)
        counted = wanted[0].size + matters.sum(-1) * config.width
        return (found * weights).sum() / (counted * weights).sum()

    return loss


def entropy_of(choice: Choice) -> Array:
    """The mean entropy of the choices of operation and registers."""

    def mean(chances: Array) -> Array:
        return -(chances * jnp.log(chances + 1e-9)).sum(-1).mean()

    return sum(mean(field) for field in (choice.op, choice.d, choice.a, choice.b)) / 4
