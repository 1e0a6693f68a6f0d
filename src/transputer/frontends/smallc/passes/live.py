"""Liveness of registers, and dead code."""

from collections.abc import Iterable

from transputer.frontends.smallc.tac import (
    PURE,
    Reg,
    TacBlock,
    TacExit,
    TacFunction,
    TacInstr,
    TacReturn,
    TacTrap,
    TacUnit,
    Value,
    every_instr,
    successors,
    term_values,
)

#: Terminators after which another function, or the host, may read a global.
_ENDS = (TacReturn, TacTrap, TacExit)


class Liveness:
    """The registers live at the end of each block, as a set of bits.

    Every global is live at calls and returns, since another function may read it.
    """

    def __init__(self, function: TacFunction, unit: TacUnit) -> None:
        self.masks: dict[Reg, int] = {}
        self.globals = 0
        for reg in unit.globals:
            self.globals |= self.bit(reg)
        self.end: dict[TacBlock, int] = {block: 0 for block in function.blocks}
        self._solve(function)

    def bit(self, reg: Reg) -> int:
        """The bit of a register."""
        mask = self.masks.get(reg)
        if mask is None:
            mask = self.masks[reg] = 1 << len(self.masks)
        return mask

    def bits(self, values: Iterable[Value]) -> int:
        """The bits of the registers among some values."""
        mask = 0
        for value in values:
            if value.__class__ is Reg:
                mask |= self.masks.get(value) or self.bit(value)
        return mask

    def before(self, one: TacInstr, live: int) -> int:
        """The registers live before an operation, from those live after it."""
        if one.dst is not None:
            live &= ~(self.masks.get(one.dst) or self.bit(one.dst))
        for value in one.args:
            if value.__class__ is Reg:
                live |= self.masks.get(value) or self.bit(value)
        return live | self.globals if one.op == "call" else live

    def at_term(self, block: TacBlock) -> int:
        """The registers live before a block's terminator."""
        live = self.end[block] | self.bits(term_values(block.term))
        return live | self.globals if isinstance(block.term, _ENDS) else live

    def _solve(self, function: TacFunction) -> None:
        """Solve the data flow: live in = read first, or live out and not written."""
        read, set_ = {}, {}
        for block in function.blocks:
            live, written = self.at_term(block), 0
            for one in reversed(block.instrs):
                live = self.before(one, live)
                if one.dst is not None:
                    written |= self.masks[one.dst]
            read[block], set_[block] = live, written
        start = dict(read)
        changed = True
        while changed:
            changed = False
            for block in reversed(function.blocks):
                end = 0
                for after in successors(block.term):
                    end |= start[after]
                if end != self.end[block]:
                    self.end[block], changed = end, True
                    start[block] = read[block] | end & ~set_[block]


def positions(bits: int) -> list[int]:
    """Where a set of bits has members, lowest first."""
    places = []
    while bits:
        low = bits & -bits
        places.append(low.bit_length() - 1)
        bits ^= low
    return places


def sweep(function: TacFunction, unit: TacUnit) -> bool:
    """Drop operations with a dead result; return whether there were any."""
    live = Liveness(function, unit)
    changed = False
    for block in function.blocks:
        wanted, instrs = live.at_term(block), []
        for one in reversed(block.instrs):
            if _useless(one, wanted, live):
                changed = True
                continue
            if one.op == "call" and one.dst is not None and not wanted & live.bit(one.dst):
                one = TacInstr(one.op, None, one.args, one.line, one.callee)
            instrs.append(one)
            wanted = live.before(one, wanted)
        block.instrs = instrs[::-1]
    return changed


def _useless(one: TacInstr, wanted: int, live: Liveness) -> bool:
    if one.op == "mov" and one.args[0] is one.dst:
        return True
    return one.op in PURE and one.dst is not None and not wanted & live.bit(one.dst)


def forget_unread(unit: TacUnit) -> None:
    """Drop globals that only the program could read and never does, with what sets them."""
    read = {reg for reg in unit.globals if reg.visible}
    for _, _, one in every_instr(unit):
        read |= {arg for arg in one.args if isinstance(arg, Reg)}
    for function in unit.functions.values():
        for block in function.blocks:
            read |= {v for v in term_values(block.term) if isinstance(v, Reg)}
    unread = set(unit.globals) - read
    if not unread:
        return
    unit.globals = [reg for reg in unit.globals if reg not in unread]
    for function in unit.functions.values():
        for block in function.blocks:
            block.instrs = [
                one for one in block.instrs if one.dst not in unread or one.op not in PURE
            ]
