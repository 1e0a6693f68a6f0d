"""What loads from and stores to the ports do: each row of the map registers its rules here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from transputer.errors import CapacityError
from transputer.isa.op import Registry
from transputer.isa.ports import PORTS
from transputer.machines.soft.backend import Array, jax
from transputer.machines.soft.devices import bus, cache, content, disk, gpu, paging, rings, screen
from transputer.machines.soft.devices.sizes import Sizes

#: Who may ask for the bus, and who goes first.
ASKERS = ("disk", "screen", "gpu")
PRIORITY = np.array([2, 1, 0], np.int32)


@dataclass(frozen=True)
class Devices:
    """The hard state of every device. `latches` keep what was stored to ports, by number."""

    sizes: Sizes
    keyboard: rings.Ring
    mouse: rings.Ring
    serial: rings.Ring
    sent: tuple[int, ...]
    disk: disk.Disk
    picture: Array
    gpu: Array
    cache: cache.Cache
    tlb: paging.Tlb
    latches: tuple[int, ...]
    asks: tuple[bool, ...] = (False,) * len(ASKERS)
    waited: tuple[int, ...] = (0,) * len(ASKERS)
    hits: int = 0
    misses: int = 0

    def latch(self, name: str) -> int:
        """What was last stored to a port."""
        return self.latches[PORTS[name].code]

    def latched(self, name: str, word: int) -> "Devices":
        """The same with a word stored to a port, before the port does anything."""
        at = PORTS[name].code
        return replace(self, latches=(*self.latches[:at], word, *self.latches[at + 1 :]))


def blank(sizes: Sizes) -> Devices:
    """Everything empty."""
    ring = rings.blank(sizes.ring)
    return Devices(
        sizes, ring, ring, ring, (), disk.blank(sizes.resident, sizes.sector),
        screen.blank(sizes.height, sizes.width), np.zeros(sizes.gpu, np.int32),
        cache.blank(sizes.lines), paging.blank(sizes.entries), (0,) * len(PORTS),
    )  # fmt: skip


Read = Callable[[Devices, Array], tuple[int, Devices]]
Write = Callable[[Devices, int], Devices]
reads: Registry[Read] = Registry(PORTS)
writes: Registry[Write] = Registry(PORTS)

_put, _take = jax.jit(rings.hard_put), jax.jit(rings.hard_take)
_load, _store = jax.jit(disk.hard_load), jax.jit(disk.hard_store)
_point = jax.jit(screen.hard_point)
_work = jax.jit(gpu.hard_work, static_argnums=3)
_grant, _match = jax.jit(bus.hard_grant), jax.jit(content.hard_match)


def received(devices: Devices, ring: str, words: Sequence[int]) -> Devices:
    """The devices after words came to the keyboard, the mouse or the serial line."""
    queue = getattr(devices, ring)
    for word in words:
        queue = _put(queue, np.uint32(word))
    changed: Any = {ring: queue}
    return replace(devices, **changed)


def _ring(port: str, count: str, ring: str) -> None:
    @reads.on(port)
    def take(devices: Devices, ram: Array) -> tuple[int, Devices]:
        word, left = _take(getattr(devices, ring))
        changed: Any = {ring: left}
        return int(word), replace(devices, **changed)

    @reads.on(count)
    def waiting(devices: Devices, ram: Array) -> tuple[int, Devices]:
        return int(getattr(devices, ring).count), devices


_ring("KEYBOARD", "KEYS", "keyboard")
_ring("MOUSE", "EVENTS", "mouse")
_ring("SERIAL", "RECEIVED", "serial")


def _latch(name: str) -> None:
    """A port that gives back what was stored to it."""
    reads.on(name)(lambda devices, ram: (devices.latch(name), devices))
    writes.on(name)(lambda devices, word: devices)


for _name in ("DISK_SECTOR", "DISK_AT", "SCREEN_X", "SCREEN_Y", "GPU_A", "GPU_B", "GPU_OUT",
              "GPU_M", "GPU_K", "GPU_N", "GPU_AT"):  # fmt: skip
    _latch(_name)


def _go(port: str, asker: str) -> None:
    """A port that asks for the bus."""
    at = ASKERS.index(asker)

    @writes.on(port)
    def ask(devices: Devices, word: int) -> Devices:
        return replace(devices, asks=(*devices.asks[:at], True, *devices.asks[at + 1 :]))


_go("DISK_GO", "disk")
_go("SCREEN_GO", "screen")
_go("GPU_GO", "gpu")


@writes.on("SERIAL")
def _(devices: Devices, word: int) -> Devices:
    return replace(devices, sent=(*devices.sent, word))


@reads.on("BUSY")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    return sum(int(asks) << k for k, asks in enumerate(devices.asks)), devices


@reads.on("HITS")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    return devices.hits, devices


@reads.on("MISSES")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    return devices.misses, devices


@reads.on("MATCH")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    return int(_match(ram, np.uint32(devices.latch("MATCH")))), devices


@writes.on("MATCH")
def _(devices: Devices, word: int) -> Devices:
    return devices


@reads.on("PAGES")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    return devices.latch("PAGES"), devices


@writes.on("PAGES")
def _(devices: Devices, word: int) -> Devices:
    """New tables: translations of the old ones are forgotten."""
    return replace(devices, tlb=paging.blank(devices.sizes.entries))


@reads.on("GPU_WORD")
def _(devices: Devices, ram: Array) -> tuple[int, Devices]:
    at = devices.latch("GPU_AT") % devices.sizes.gpu
    word = int(np.asarray(devices.gpu)[at]) & 0xFFFFFFFF
    return word, devices.latched("GPU_AT", (at + 1) % devices.sizes.gpu)


@writes.on("GPU_WORD")
def _(devices: Devices, word: int) -> Devices:
    at = devices.latch("GPU_AT") % devices.sizes.gpu
    words = np.array(devices.gpu)
    words[at] = np.uint32(word).astype(np.int32)
    return replace(devices, gpu=words).latched("GPU_AT", (at + 1) % devices.sizes.gpu)


def serve(devices: Devices, ram: Array) -> tuple[Devices, Array]:
    """The devices and the memory after the bus let one of those who ask do its work."""
    if not any(devices.asks):
        return devices, ram
    goes, waited = _grant(np.array(devices.asks), PRIORITY, np.array(devices.waited, np.int32))
    asks = tuple(each and k != int(goes) for k, each in enumerate(devices.asks))
    devices = replace(devices, asks=asks, waited=tuple(int(w) for w in waited))
    return _JOBS[int(goes)](devices, ram)


def _transfer(devices: Devices, ram: Array) -> tuple[Devices, Array]:
    size, base = devices.sizes.sector, devices.latch("DISK_AT")
    sector = np.uint32(devices.latch("DISK_SECTOR") % devices.sizes.sectors)
    where = (base + np.arange(size)) % len(ram)
    if devices.latch("DISK_GO") == 1:
        ram = np.array(ram)
        ram[where] = np.asarray(_load(devices.disk, sector))
        # Lines of the cache may hold what was there before.
        return replace(devices, cache=cache.blank(devices.sizes.lines)), ram
    disk, full = _store(devices.disk, sector, np.asarray(ram)[where])
    if full:
        raise CapacityError(f"the disk holds {devices.sizes.resident} sectors that are not zero; "
                            "make Sizes.resident larger")  # fmt: skip
    return replace(devices, disk=disk), ram


def _draw(devices: Devices, ram: Array) -> tuple[Devices, Array]:
    x, y, colour = (
        np.uint32(devices.latch(name)) for name in ("SCREEN_X", "SCREEN_Y", "SCREEN_GO")
    )
    return replace(devices, picture=_point(devices.picture, x, y, colour)), ram


def _compute(devices: Devices, ram: Array) -> tuple[Devices, Array]:
    places = ("GPU_A", "GPU_B", "GPU_OUT", "GPU_M", "GPU_K", "GPU_N")
    job = gpu.Job(*(np.int32(devices.latch(name) % (1 << 31)) for name in places))
    side = devices.sizes.side
    if max(int(job.m), int(job.k), int(job.n)) > side:
        raise CapacityError(f"the GPU's matrices have at most {side} rows and columns; "
                            "make Sizes.side larger")  # fmt: skip
    after = _work(devices.gpu, np.uint32(devices.latch("GPU_GO")), job, side)
    return replace(devices, gpu=after), ram


_JOBS = (_transfer, _draw, _compute)
