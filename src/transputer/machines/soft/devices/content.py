"""Memory addressed by content, as in a neural Turing machine."""

from transputer.machines.soft.backend import Array, jax, jnp


def match(memory: Array, key: Array, tau: Array) -> Array:
    """Where a word of this content stands: softmax of minus the number of differing bits.

    At temperature 0 it is the first of the nearest words, exactly.
    """
    differing = (memory + key - 2 * memory * key).sum(-1)
    nearest = jax.nn.one_hot(jnp.argmin(differing, -1), memory.shape[-2])
    soft_match = jax.nn.softmax(-differing / jnp.where(tau > 0, tau, 1.0), -1)
    return jnp.where(tau > 0, soft_match, nearest)


def hard_match(memory: Array, key: Array) -> Array:
    """The first of the words that differ from the key in the fewest bits."""
    return jnp.argmin(jax.lax.population_count(memory ^ key), -1)


def read(memory: Array, where: Array) -> Array:
    """The expected word."""
    return where @ memory


def write(memory: Array, where: Array, erase: Array, add: Array) -> Array:
    """Memory after erasing some bits and setting some others, by probability of place and bit."""
    erased = memory * (1 - where[:, None] * erase)
    return erased + where[:, None] * add * (1 - erased)


def hard_write(memory: Array, where: Array, erase: Array, add: Array) -> Array:
    """The same on integers: bits of `erase` go, then bits of `add` are set."""
    return memory.at[where].set((memory[where] & ~erase) | add)
