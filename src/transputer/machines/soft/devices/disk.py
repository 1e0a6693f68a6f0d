"""A disk in sectors. It is sparse: only sectors that were written take a slot, others are zero."""

from dataclasses import dataclass

import numpy as np

from transputer.machines.soft.backend import Array, jnp, pytree
from transputer.machines.soft.devices.associative import first_free, hard_match, match, mix


@dataclass(frozen=True)
class Disk:
    """Slots: the number of the sector in each, its words, and whether the slot is in use."""

    tags: Array
    sectors: Array
    used: Array


pytree(Disk)


def blank(resident: int, size: int) -> Disk:
    """A hard disk of zeros that can hold `resident` sectors of `size` words."""
    tags = np.zeros(resident, np.uint32)
    return Disk(tags, np.zeros((resident, size), np.uint32), np.zeros(resident, bool))


def load(disk: Disk, sector: Array) -> Array:
    """The expected words of a sector."""
    return jnp.tensordot(match(disk.tags, disk.used, sector), disk.sectors, 1)


def hard_load(disk: Disk, sector: Array) -> Array:
    """The words of a sector."""
    slot, hit = hard_match(disk.tags, disk.used, sector)
    return jnp.where(hit, disk.sectors[slot], 0)


def store(disk: Disk, sector: Array, words: Array) -> tuple[Disk, Array]:
    """The disk with a sector written, and the probability that there was no slot left for it."""
    slots = match(disk.tags, disk.used, sector)
    free = first_free(disk.used)
    where = slots + (1 - slots.sum()) * free
    full = (1 - slots.sum()) * (1 - free.sum())
    return Disk(
        mix(disk.tags, sector, where),
        mix(disk.sectors, words, where),
        mix(disk.used, jnp.ones_like(disk.used), where),
    ), full


def hard_store(disk: Disk, sector: Array, words: Array) -> tuple[Disk, Array]:
    """The same on integers."""
    slot, hit = hard_match(disk.tags, disk.used, sector)
    full = ~hit & disk.used.all()
    where = jnp.where(full, disk.used.shape[0], jnp.where(hit, slot, jnp.argmin(disk.used)))
    return Disk(
        disk.tags.at[where].set(sector, mode="drop"),
        disk.sectors.at[where].set(words, mode="drop"),
        disk.used.at[where].set(True, mode="drop"),
    ), full
