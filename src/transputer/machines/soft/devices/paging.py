"""Virtual addresses: two levels of tables in memory, and a buffer of translations.

An entry of a table is a number shifted left by one, with the lowest bit set if it is there. In
the first level the number is the address of a table, in the second it is a frame.
"""

from dataclasses import dataclass

import numpy as np

from transputer.machines.soft.backend import Array, jnp, pytree
from transputer.machines.soft.bits import add, places
from transputer.machines.soft.devices.associative import hard_match, match, mix, oldest


@dataclass(frozen=True)
class Tlb:
    """Translations that were used last: pages, their frames, in use or not, age."""

    pages: Array
    frames: Array
    used: Array
    age: Array


pytree(Tlb)


def blank(entries: int) -> Tlb:
    """An empty hard buffer."""
    zeros = np.zeros(entries, np.uint32)
    return Tlb(zeros, zeros, np.zeros(entries, bool), np.zeros(entries, np.int32))


def _sum(a: Array, b: Array) -> Array:
    return add(a, b, jnp.float32(0))[0]


def _entry(memory: Array, at: Array) -> tuple[Array, Array]:
    """The number in the entry at an address, and the probability that it is there."""
    word = places(at, memory.shape[0]) @ memory
    return jnp.concatenate([word[1:], jnp.zeros_like(word[:1])]), word[0]


def walk(
    memory: Array, root: Array, address: Array, table: int, offset: int
) -> tuple[Array, Array]:
    """The frame of an address by its tables, and the probability that there is none."""
    width = address.shape[0]

    def field(low: int, count: int) -> Array:
        return jnp.zeros(width).at[:count].set(address[low : low + count])

    where, there = _entry(memory, _sum(root, field(offset + table, table)))
    frame, present = _entry(memory, _sum(where, field(offset, table)))
    return frame, 1 - there * present


def hard_walk(
    memory: Array, root: Array, address: Array, table: int, offset: int
) -> tuple[Array, Array]:
    """The same on integers."""
    last, mask = memory.shape[0] - 1, (1 << table) - 1
    first = memory[(root + (address >> (offset + table) & mask)) & last]
    second = memory[((first >> 1) + (address >> offset & mask)) & last]
    return second >> 1, (first & second & 1) == 0


def translate(
    tlb: Tlb, memory: Array, root: Array, address: Array, table: int, offset: int, tau: Array
) -> tuple[Array, Array, Tlb]:
    """The physical address, the probability of a fault, and the buffer after it.

    A translation in the buffer is believed without a look at the tables.
    """
    width = address.shape[0]
    page = jnp.concatenate([address[offset:], jnp.zeros(offset)])
    slots = match(tlb.pages, tlb.used, page)
    hit = slots.sum()
    walked, missing = walk(memory, root, address, table, offset)
    fault = (1 - hit) * missing
    frame = slots @ tlb.frames + (1 - hit) * walked
    where = (slots + (1 - hit) * oldest(tlb.age, tau)) * (1 - fault)
    physical = jnp.concatenate([address[:offset], frame[: width - offset]])
    return (
        physical,
        fault,
        Tlb(
            mix(tlb.pages, page, where),
            mix(tlb.frames, frame, where),
            mix(tlb.used, jnp.ones_like(tlb.used), where),
            (tlb.age + 1) * (1 - where),
        ),
    )


def hard_translate(
    tlb: Tlb, memory: Array, root: Array, address: Array, table: int, offset: int
) -> tuple[Array, Array, Tlb]:
    """The same on integers of 32 bits."""
    page = address >> offset
    slot, hit = hard_match(tlb.pages, tlb.used, page)
    walked, missing = hard_walk(memory, root, address, table, offset)
    fault = ~hit & missing
    frame = jnp.where(hit, tlb.frames[slot], walked)
    where = jnp.where(hit, slot, jnp.argmax(tlb.age))
    where = jnp.where(fault, tlb.age.shape[0], where)
    physical = (frame << offset) | (address & ((1 << offset) - 1))
    return (
        physical,
        fault,
        Tlb(
            tlb.pages.at[where].set(page, mode="drop"),
            tlb.frames.at[where].set(frame, mode="drop"),
            tlb.used.at[where].set(True, mode="drop"),
            (tlb.age + 1).at[where].set(0, mode="drop"),
        ),
    )
