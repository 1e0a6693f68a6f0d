"""Register allocation: values live in machine registers or in words of the frame."""

from itertools import count
from typing import TypeAlias

from transputer.frontends.smallc.passes.live import Liveness, positions
from transputer.frontends.smallc.tac import MemoryObject, Reg, TacFunction, TacInstr, TacUnit
from transputer.values import dataclass

#: Allocatable registers; calls clobber all of them.
FREE = range(10)
#: Number of arguments in registers; the rest lie below the caller's frame.
PASSED = 8


@dataclass(frozen=True, slots=True)
class FrameSlot:
    """A word of the frame, counted from the stack pointer."""

    at: int


Home: TypeAlias = int | FrameSlot


@dataclass(frozen=True, slots=True)
class SoftFrame:
    """Homes of a function's registers, and the layout of its frame."""

    homes: dict[Reg, Home]
    objects: dict[MemoryObject, int]
    link: int | None  # where the return address is saved, if its register is needed
    size: int


def allocate(function: TacFunction, unit: TacUnit) -> SoftFrame:
    """Assign homes to all local registers; values live across a call are in the frame.

    From the stack pointer up: values, objects, the return address, and the arguments that the
    caller put below its own frame, the first of them topmost.
    """
    conflicts = _Conflicts(function, unit)
    beyond = function.params[PASSED:]
    homes = _homes(conflicts, function.params[:PASSED], set(beyond))
    size = 1 + max((home.at for home in homes.values() if isinstance(home, FrameSlot)), default=-1)
    objects = {}
    for local in function.objects:
        objects[local] = size
        size += local.size
    link = size if conflicts.leaves else None
    size += conflicts.leaves + len(beyond)
    homes |= {reg: FrameSlot(size - 1 - i) for i, reg in enumerate(beyond)}
    return SoftFrame(homes, objects, link, size)


class _Conflicts:
    """Which local registers are live together, which across a call, and which are copied."""

    def __init__(self, function: TacFunction, unit: TacUnit) -> None:
        self.live = live = Liveness(function, unit)
        for param in function.params:
            live.bit(param)
        self.regs = list(live.masks)
        self.edges = [0] * len(self.regs)
        self.copies: list[list[Reg]] = [[] for _ in self.regs]
        self.across = 0
        self.leaves = False  # the register of the way back is used for something else
        for block in function.blocks:
            wanted = live.at_term(block)
            for one in reversed(block.instrs):
                self._instr(one, wanted & ~live.globals)
                wanted = live.before(one, wanted)
        for param in function.params:  # they arrive together, wanted or not
            self._apart(param, live.bits(function.params))

    def number(self, reg: Reg) -> int:
        """The position of a register's bit."""
        return self.live.bit(reg).bit_length() - 1

    def _instr(self, one: TacInstr, wanted: int) -> None:
        self.leaves |= one.op in ("call", "find")
        if one.op == "call":
            self.across |= wanted & ~(self.live.bit(one.dst) if one.dst else 0)
        if one.dst is None or not one.dst.scope:
            return
        source = one.args[0] if one.op == "mov" else None
        if isinstance(source, Reg) and source.scope:
            wanted &= ~self.live.bit(source)
            self.copies[self.number(one.dst)].append(source)
            self.copies[self.number(source)].append(one.dst)
        self._apart(one.dst, wanted)

    def _apart(self, reg: Reg, others: int) -> None:
        own = self.live.bit(reg)
        self.edges[self.number(reg)] |= others & ~own
        for i in positions(others & ~own):
            self.edges[i] |= own


def _homes(conflicts: _Conflicts, params: list[Reg], placed: set[Reg]) -> dict[Reg, Home]:
    """Assign each register a home that no conflicting register has; copies share if possible.

    Registers in `placed` have theirs already.
    """
    homes: dict[Reg, Home] = {}
    wishes: dict[Reg, list[Home]] = {reg: [i] for i, reg in enumerate(params)}
    for reg in [*params, *(reg for reg in conflicts.regs if reg not in params)]:
        if not reg.scope or reg in placed:
            continue
        i = conflicts.number(reg)
        others = (conflicts.regs[j] for j in positions(conflicts.edges[i]))
        taken = {homes[other] for other in others if other in homes}
        across = bool(conflicts.across >> i & 1)
        copies = [homes[other] for other in conflicts.copies[i] if other in homes]
        wanted = [home for home in copies if isinstance(home, FrameSlot) == across]
        if not across:
            wanted += [*wishes.get(reg, ()), *FREE]
        wanted.append(_free_slot(taken))
        homes[reg] = next(home for home in wanted if home not in taken)
    return homes


def _free_slot(taken: set[Home]) -> FrameSlot:
    """The first free word of the frame."""
    return next(slot for slot in map(FrameSlot, count()) if slot not in taken)
