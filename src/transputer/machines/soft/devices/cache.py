"""A cache of single words, written through, that gives up the line used longest ago."""

from dataclasses import dataclass

import numpy as np

from transputer.machines.soft.backend import Array, jnp, pytree
from transputer.machines.soft.devices.associative import hard_match, match, mix, oldest


@dataclass(frozen=True)
class Cache:
    """Lines: the address each holds, the word, whether it is in use, accesses since it was used.

    Soft: addresses and words are bits, `used` is a probability. Hard: integers and booleans.
    """

    tags: Array
    words: Array
    used: Array
    age: Array


pytree(Cache)


def blank(lines: int) -> Cache:
    """An empty hard cache."""
    zeros = np.zeros(lines, np.uint32)
    return Cache(zeros, zeros, np.zeros(lines, bool), np.zeros(lines, np.int32))


def access(
    cache: Cache, address: Array, behind: Array, writes: Array, word: Array, tau: Array
) -> tuple[Array, Array, Cache]:
    """One access: the word, the probability that it was a hit, and the cache after it.

    `behind` is what memory holds at the address; with the probability `writes` the access writes
    `word` instead.
    """
    slots = match(cache.tags, cache.used, address)
    hit = slots.sum()
    here = slots @ cache.words + (1 - hit) * behind
    word = here + writes * (word - here)
    where = slots + (1 - hit) * oldest(cache.age, tau)
    return (
        word,
        hit,
        Cache(
            mix(cache.tags, address, where),
            mix(cache.words, word, where),
            mix(cache.used, jnp.ones_like(cache.used), where),
            (cache.age + 1) * (1 - where),
        ),
    )


def hard_access(
    cache: Cache, address: Array, behind: Array, writes: Array, word: Array
) -> tuple[Array, Array, Cache]:
    """The same on integers."""
    line, hit = hard_match(cache.tags, cache.used, address)
    where = jnp.where(hit, line, jnp.argmax(cache.age))
    word = jnp.where(writes, word, jnp.where(hit, cache.words[line], behind))
    return (
        word,
        hit,
        Cache(
            cache.tags.at[where].set(address),
            cache.words.at[where].set(word),
            cache.used.at[where].set(True),
            (cache.age + 1).at[where].set(0),
        ),
    )
