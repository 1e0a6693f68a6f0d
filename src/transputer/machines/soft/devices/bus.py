"""The bus: one of those who ask may go; who has waited goes sooner."""

from transputer.machines.soft.backend import Array, jax, jnp


def grant(asks: Array, priority: Array, waited: Array, tau: Array) -> tuple[Array, Array]:
    """The probability of each to go, and the waiting times after it.

    Softmax of priority plus waiting time among those who ask, by their probability to ask; at
    temperature 0 the highest goes, the first of equals. Where nobody asks nobody goes.
    """
    score = priority + waited
    best = jax.nn.one_hot(jnp.argmax(jnp.where(asks > 0, score, -jnp.inf)), score.shape[0])
    weights = asks * jnp.exp((score - score.max()) / jnp.where(tau > 0, tau, 1.0))
    total = weights.sum()
    warm = weights / jnp.where(total > 0, total, 1.0)
    anybody = 1 - jnp.prod(1 - asks)
    goes = jnp.where(tau > 0, warm, best * asks) * anybody
    return goes, (waited + 1) * (asks - goes).clip(0)


def hard_grant(asks: Array, priority: Array, waited: Array) -> tuple[Array, Array]:
    """The same on booleans and integers: the index of who goes, or the number of askers."""
    score = jnp.where(asks, priority + waited, jnp.iinfo(jnp.int32).min)
    goes = jnp.where(asks.any(), jnp.argmax(score), asks.shape[0])
    stays = asks & (jnp.arange(asks.shape[0]) != goes)
    return goes, jnp.where(stays, waited + 1, 0)


def carry(goes: Array, words: Array) -> Array:
    """What the bus carries: the expected word of who goes, zero if nobody does."""
    return goes @ words
