"""A machine with all devices: the hard path, one instruction after the other.

Words at addresses below the window are memory, behind the cache and, once a program has stored
the address of its tables to PAGES, behind paging. So are bytes (LDB, STB), as parts of their words.
After every instruction the bus lets one device work.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from transputer.errors import StepLimitError, UsageError
from transputer.ir.soft import Code, Instruction, encode
from transputer.isa.integers import mask
from transputer.isa.ports import PORTS, WINDOW
from transputer.isa.soft import SOFT
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.devices import cache, paging
from transputer.machines.soft.devices.ports import Devices, reads, serve, writes
from transputer.machines.soft.hard import hard_step
from transputer.machines.soft.state import HardState, blank

_WORD = 32
_access = jax.jit(cache.hard_access)
_translate = jax.jit(paging.hard_translate, static_argnums=(4, 5))


@dataclass(frozen=True)
class Outcome:
    """Where a run ended: the machine, its devices, steps, and the address of a page fault."""

    state: HardState
    devices: Devices
    steps: int
    fault: int | None = None


class PageFault(Exception):
    """A page that is not there; whoever steps the board catches it."""

    def __init__(self, address: int) -> None:
        self.address = address


class Board:
    """Runs one program; `ram` are the words that memory starts with."""

    def __init__(self, code: Code, devices: Devices, ram: Array = ()) -> None:
        names = tuple({"HALT", *(i.op for i in code)})
        config = Config(_WORD, 16, max(1, len(code)), devices.sizes.ram, 1, 1, names)
        if len(ram) > config.memory:
            raise UsageError(f"{len(ram)} words; memory has {config.memory}")
        self.code, self.devices = code, devices
        self.state = replace(blank(config), memory=np.zeros(config.memory, np.uint32))
        self.state.memory[: len(ram)] = ram
        ops = tuple(op.name for op in SOFT if op.name in names)
        rows = jnp.asarray(encode(code or (Instruction("HALT"),)), jnp.uint32)
        self._step: Callable[[HardState], HardState] = jax.jit(
            partial(hard_step, rows, width=_WORD, ops=ops)
        )

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""
        return int(self.state.pc) >= len(self.code)

    def run(self, limit: int = 100_000) -> Outcome:
        """Run to the end; a page fault ends a run too. Raises `StepLimitError` at the limit."""
        for steps in range(limit):
            if self.ended:
                return Outcome(self.state, self.devices, steps)
            try:
                self.step()
            except PageFault as fault:
                return Outcome(self.state, self.devices, steps, fault.address)
        raise StepLimitError(limit)

    def step(self) -> None:
        """One instruction, then one turn of the bus."""
        i = self.code[int(self.state.pc)]
        row = SOFT[i.op]
        if row.group == "memory":
            access = self._byte if row.width else self._word
            access(i, loads="to" in row.imm)
        else:
            self.state = self._step(self.state)
        self.devices, ram = serve(self.devices, self.state.memory)
        self.state = replace(self.state, memory=ram)

    def _address(self, i: Instruction) -> int:
        """The address of an access, in words or in bytes."""
        base = int(np.asarray(self.state.registers)[i.a])
        return base + (i.n if "n" in i.uses else 0) & mask(_WORD)

    def _byte(self, i: Instruction, loads: bool) -> None:
        """An access to a byte reads its word; a store then writes the word back.

        Both count as one access of the cache.
        """
        address = self._address(i) // (_WORD // 8)
        seen, place = self._memory(address, True, 0)
        hits, misses = self.devices.hits, self.devices.misses
        cell = address % self.devices.sizes.ram
        standing_in, ram = np.array(self.state.memory), np.array(self.state.memory)
        standing_in[cell] = seen
        after = self._step(replace(self.state, memory=standing_in))
        if not loads:
            ram[place] = word = int(np.asarray(after.memory)[cell])
            self._memory(address, False, word)
            self.devices = replace(self.devices, hits=hits, misses=misses)
        self.state = replace(after, memory=ram)

    def _word(self, i: Instruction, loads: bool) -> None:
        """An access to a word: the cell that the instruction names stands in for what it means."""
        address, stored = self._address(i), int(np.asarray(self.state.registers)[i.b])
        if address >= WINDOW:
            seen, place = self._port(address - WINDOW, loads, stored), None
        else:
            seen, place = self._memory(address, loads, stored)
        cell = address % self.devices.sizes.ram
        standing_in, ram = np.array(self.state.memory), np.array(self.state.memory)
        standing_in[cell] = seen
        after = self._step(replace(self.state, memory=standing_in))
        if place is not None and not loads:
            ram[place] = stored
        self.state = replace(after, memory=ram)

    def _port(self, number: int, loads: bool, word: int) -> int:
        """What a load from a port gives; what a store does. Other ports give 0 and do nothing."""
        row = PORTS.by_code(number)
        if row is None or row.name not in (reads if loads else writes).rules:
            return 0
        if not loads:
            self.devices = writes.rules[row.name](self.devices.latched(row.name, word), word)
            return 0
        seen, self.devices = reads.rules[row.name](self.devices, self.state.memory)
        return seen

    def _memory(self, address: int, loads: bool, word: int) -> tuple[int, int]:
        """What an access to memory sees, and its physical address."""
        devices, sizes = self.devices, self.devices.sizes
        root = devices.latch("PAGES")
        if root:
            physical, fault, tlb = _translate(
                devices.tlb, self.state.memory, np.uint32(root), np.uint32(address), sizes.table,
                sizes.offset,
            )  # fmt: skip
            if fault:
                raise PageFault(address)
            address, devices = int(physical), replace(devices, tlb=tlb)
        place = address % sizes.ram
        behind = np.asarray(self.state.memory)[place]
        seen, hit, lines = _access(
            devices.cache, np.uint32(place), behind, np.bool_(not loads), np.uint32(word)
        )
        hits, misses = devices.hits + int(hit), devices.misses + int(not hit)
        self.devices = replace(devices, cache=lines, hits=hits, misses=misses)
        return int(seen), place
