"""Ring buffers: what the keyboard, the mouse and the serial line put their words into.

A word that comes when the ring is full is lost. Taking from an empty ring gives all ones and
changes nothing.
"""

from dataclasses import dataclass

import numpy as np

from transputer.machines.soft.backend import Array, jax, jnp, pytree


@dataclass(frozen=True)
class Ring:
    """Words, the place of the first, and how many there are.

    Soft: words are bits, `first` (slots) and `count` (slots + 1) are distributions. Hard: integers.
    """

    words: Array
    first: Array
    count: Array


pytree(Ring)


def blank(slots: int) -> Ring:
    """An empty hard ring."""
    return Ring(np.zeros(slots, np.uint32), np.int32(0), np.int32(0))


def put(ring: Ring, word: Array, probability: Array) -> Ring:
    """The ring after a word came with a probability."""
    slots = ring.first.shape[0]
    turned = jnp.stack([jnp.roll(ring.first, k) for k in range(slots)])
    next_place = ring.count[:slots] @ turned  # where the next word goes, if there is room
    words = ring.words + (probability * next_place)[:, None] * (word - ring.words)
    more = jnp.concatenate([jnp.zeros(1), ring.count[:-1]]).at[-1].add(ring.count[-1])
    return Ring(words, ring.first, ring.count + probability * (more - ring.count))


def hard_put(ring: Ring, word: Array) -> Ring:
    """The same on integers."""
    slots = ring.words.shape[0]
    full = ring.count == slots
    place = jnp.where(full, slots, (ring.first + ring.count) % slots)
    words = jnp.asarray(ring.words).at[place].set(word, mode="drop")
    return Ring(words, ring.first, jnp.minimum(ring.count + 1, slots))


def take(ring: Ring, probability: Array) -> tuple[Array, Ring]:
    """The first word, and the ring after it was taken with a probability."""
    some = 1 - ring.count[0]
    word = some * (ring.first @ ring.words) + (1 - some)
    moved = ring.first + probability * some * (jnp.roll(ring.first, 1) - ring.first)
    fewer = jnp.concatenate([ring.count[1:], jnp.zeros(1)]).at[0].add(ring.count[0])
    return word, Ring(ring.words, moved, ring.count + probability * (fewer - ring.count))


def hard_take(ring: Ring) -> tuple[Array, Ring]:
    """The same on integers of 32 bits."""
    slots = ring.words.shape[0]
    some = ring.count > 0
    word = jnp.where(some, ring.words[ring.first], jnp.uint32(0xFFFFFFFF))
    first = jnp.where(some, (ring.first + 1) % slots, ring.first)
    return word, Ring(ring.words, first, jnp.maximum(ring.count - 1, 0))


def soften(ring: Ring, width: int) -> Ring:
    """The soft ring that is certain of this one."""
    slots = ring.words.shape[0]
    bits = (jnp.asarray(ring.words)[:, None] >> jnp.arange(width, dtype=jnp.uint32)) & 1
    place = jax.nn.one_hot(ring.first, slots)
    return Ring(bits.astype(jnp.float32), place, jax.nn.one_hot(ring.count, slots + 1))
