"""Slots found by their tag: what a cache, a TLB and a sparse disk have in common.

A soft tag is a word of bits; a slot matches a key with the probability that all bits agree and that
the slot is in use.
"""

from transputer.machines.soft.backend import Array, jax, jnp


def match(tags: Array, used: Array, key: Array) -> Array:
    """The probability of each slot to hold the key."""
    agree = tags * key + (1 - tags) * (1 - key)
    return used * jnp.prod(agree, -1)


def hard_match(tags: Array, used: Array, key: Array) -> tuple[Array, Array]:
    """The slot that holds the key, and whether one does."""
    hits = (tags == key) & used
    return jnp.argmax(hits), hits.any()


def oldest(age: Array, tau: Array) -> Array:
    """The slot to give up: softmax of the ages; at 0 the oldest, the first of equals."""
    sure = jax.nn.one_hot(jnp.argmax(age), age.shape[0])
    warm = jax.nn.softmax(age / jnp.where(tau > 0, tau, 1.0))
    return jnp.where(tau > 0, warm, sure)


def first_free(used: Array) -> Array:
    """The probability of each slot to be the first that is not in use."""
    before = jnp.concatenate([jnp.ones_like(used[:1]), jnp.cumprod(used)[:-1]])
    return before * (1 - used)


def mix(old: Array, new: Array, probability: Array) -> Array:
    """`new` with a probability for each slot, else `old`."""
    spread = probability.reshape(probability.shape + (1,) * (old.ndim - 1))
    return old + spread * (new - old)
