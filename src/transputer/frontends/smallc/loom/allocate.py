"""Register allocation: registers that do not conflict share a slot."""

from collections.abc import Callable
from dataclasses import replace

from transputer.frontends.smallc.loom.code import CodePart, End, LoomTest, Operand, with_operands
from transputer.frontends.smallc.loom.live import PartLiveness, sweep
from transputer.frontends.smallc.passes.live import positions
from transputer.frontends.smallc.tac import Reg


class _LoomConflicts:
    """Registers that must be in different slots; joined registers have one representative."""

    def __init__(self, parts: list[CodePart], globals: list[Reg]) -> None:
        liveness = PartLiveness(parts, globals)
        for part in parts:
            for op in part.ops:
                liveness.bits((*op.reads(), *op.writes()))
            if isinstance(part.end, LoomTest):
                liveness.bits(part.end.reads())
        self.regs = list(liveness.masks)
        self.number = {reg: i for i, reg in enumerate(self.regs)}
        self.members = [1 << i for i in range(len(self.regs))]
        self.edges = [0] * len(self.regs)
        self.leader = list(range(len(self.regs)))
        self._all_different(liveness.globals)
        self._all_different(liveness.start[parts[0]] | liveness.globals)
        for part in parts:
            self._part(part, liveness)

    def _all_different(self, group: int) -> None:
        for i in positions(group):
            self.edges[i] |= group & ~(1 << i)

    def _part(self, part: CodePart, liveness: PartLiveness) -> None:
        live = liveness.end[part]
        if isinstance(part.end, LoomTest):
            self._written(liveness.bits(part.end.writes()), live)
        live = liveness.before_end(part)
        for op in reversed(part.ops):
            same = liveness.bit(op.c) if op.name == "MOV" else 0
            self._written(liveness.bits(op.writes()), live & ~same)
            live = liveness.before(op, live)

    def _written(self, written: int, live: int) -> None:
        for i in positions(written):
            others = live & ~(1 << i)
            self.edges[i] |= others
            for j in positions(others):
                self.edges[j] |= 1 << i

    def find(self, reg: Reg) -> int:
        """The representative's number."""
        i = self.number[reg]
        while self.leader[i] != i:
            i = self.leader[i]
        return i

    def representative(self, reg: Reg) -> Reg:
        """The register that stands for those joined with one."""
        return self.regs[self.find(reg)]

    def join(self, a: Reg, b: Reg) -> bool:
        """Join two registers; False if they conflict or are joined already."""
        i, j = self.find(a), self.find(b)
        if i == j or self.edges[i] & self.members[j] or self.edges[j] & self.members[i]:
            return False
        if not self.regs[j].scope:  # a global keeps its name
            i, j = j, i
        self.leader[j] = i
        self.members[i] |= self.members[j]
        self.edges[i] |= self.edges[j]
        return True


def coalesce(parts: list[CodePart], globals: list[Reg]) -> None:
    """Join registers that are copied to each other, as long as any can be."""
    while True:
        sweep(parts, globals)
        conflicts = _LoomConflicts(parts, globals)
        joined = False
        for part in parts:
            for op in part.ops:
                if op.name == "MOV" and isinstance(op.b, Reg) and isinstance(op.c, Reg):
                    joined |= conflicts.join(op.b, op.c)
        if not joined:
            _rename(parts, lambda reg: reg)
            return
        _rename(parts, conflicts.representative)


def colour(parts: list[CodePart], globals: list[Reg]) -> dict[Reg, Reg]:
    """Merge registers that do not conflict; return the representative of each."""
    conflicts = _LoomConflicts(parts, globals)
    slots: list[int] = []  # the members of each slot
    homes: dict[Reg, Reg] = {}
    order = sorted(conflicts.regs, key=lambda reg: bool(reg.scope))
    firsts: list[Reg] = []
    for reg in order:
        i = conflicts.number[reg]
        for slot, members in enumerate(slots):
            if not reg.scope or members & conflicts.edges[i]:
                continue
            slots[slot] |= 1 << i
            homes[reg] = firsts[slot]
            break
        else:
            slots.append(1 << i)
            firsts.append(reg)
            homes[reg] = reg
    _rename(parts, homes.__getitem__)
    return homes


def _rename(parts: list[CodePart], change: Callable[[Reg], Reg]) -> None:
    def operand(v: Operand) -> Operand:
        return change(v) if isinstance(v, Reg) else v

    for part in parts:
        ops = [op.mapped(operand) for op in part.ops]
        part.ops = [op for op in ops if op.name != "MOV" or op.b != op.c]
        part.end = _settled(part, with_operands(part.end, operand))


def _settled(part: CodePart, end: End) -> End:
    """Return `end` without its inverse if the copy that it destroys is not the last instruction."""
    if not isinstance(end, LoomTest) or not end.turned:
        return end
    last = part.ops[-1] if part.ops else None
    if last and last.name == "MOV" and last.b is end.b and last.c == end.turned[1]:
        return end
    return replace(end, turned=None)
