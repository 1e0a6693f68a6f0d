"""Liveness of the registers of loom code."""

from collections.abc import Iterable

from transputer.frontends.smallc.loom.code import (
    OUTPUT,
    CodePart,
    LoomHalt,
    LoomOp,
    LoomTest,
    Operand,
    ways,
)
from transputer.frontends.smallc.tac import Reg


class PartLiveness:
    """The registers live at the end of each part, as bits; the globals at a halt."""

    def __init__(self, parts: list[CodePart], globals: Iterable[Reg]) -> None:
        self.masks: dict[Reg, int] = {}
        self.globals = 0
        for reg in globals:
            self.globals |= self.bit(reg)
        self.start = dict.fromkeys(parts, 0)
        self.end = dict.fromkeys(parts, 0)
        self._solve(parts)

    def bit(self, operand: Operand) -> int:
        """The bit of a register; none for another operand."""
        if not isinstance(operand, Reg):
            return 0
        mask = self.masks.get(operand)
        if mask is None:
            mask = self.masks[operand] = 1 << len(self.masks)
        return mask

    def bits(self, operands: Iterable[Operand]) -> int:
        """The bits of the registers among some operands."""
        mask = 0
        for one in operands:
            mask |= self.bit(one)
        return mask

    def before_end(self, part: CodePart) -> int:
        """The registers live before a part's end."""
        if isinstance(part.end, LoomTest):
            written = self.bits(part.end.writes())
            return self.end[part] & ~written | self.bits(part.end.reads())
        return self.end[part]

    def before(self, op: LoomOp, after: int) -> int:
        """The registers live before an instruction."""
        return after & ~self.bits(op.writes()) | self.bits(op.reads())

    def _solve(self, parts: list[CodePart]) -> None:
        """Solve the data flow: live in = read first, or live out and not written."""
        read, written = {}, {}
        for part in parts:
            self.end[part] = self.globals if isinstance(part.end, LoomHalt) else 0
            live = self.before_end(part)
            writes = self.bits(part.end.writes()) if isinstance(part.end, LoomTest) else 0
            for op in reversed(part.ops):
                live = self.before(op, live)
                writes |= self.bits(op.writes())
            read[part], written[part] = live, writes
        self.start.update(read)
        changed = True
        while changed:
            changed = False
            for part in reversed(parts):
                end = self.end[part]
                for after in ways(part.end):
                    end |= self.start[after]
                if end != self.end[part]:
                    self.end[part], changed = end, True
                    self.start[part] = read[part] | end & ~written[part]


def sweep(parts: list[CodePart], globals: Iterable[Reg]) -> bool:
    """Drop instructions with a dead result; return whether there were any."""
    liveness, changed = PartLiveness(parts, globals), False
    for part in parts:
        live, ops = liveness.before_end(part), []
        for op in reversed(part.ops):
            if _useless(op, live, liveness) and not _trap(op):
                changed = True
                continue
            ops.append(op)
            live = liveness.before(op, live)
        part.ops = ops[::-1]
    return changed


def _useless(op: LoomOp, live: int, liveness: PartLiveness) -> bool:
    if op.name == "MOV" and op.b == op.c and op.b != OUTPUT:
        return True
    if op.name in ("STORE", "SWAP"):
        return False
    return isinstance(op.b, Reg) and not live & liveness.bit(op.b)


def _trap(op: LoomOp) -> bool:
    return op.name == "LOAD" and op.c == -1
