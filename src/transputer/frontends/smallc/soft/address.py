"""Fold address sums into loads and stores: the machine adds them itself.

`t = x + c; y = load t` becomes `y = load x, c`: a load's second and a store's third operand is
added to the address.
"""

from dataclasses import replace

from transputer.frontends.smallc.passes.live import Liveness
from transputer.frontends.smallc.tac import (
    Addr,
    Reg,
    TacBlock,
    TacFunction,
    TacInstr,
    TacUnit,
    Value,
    term_values,
)


def displace(function: TacFunction, unit: TacUnit) -> None:
    """Fold sums into loads and stores; offsets are numbers and addresses of statics."""
    liveness = Liveness(function, unit)
    for block in function.blocks:
        live = liveness.end[block] | liveness.bits(term_values(block.term))
        for i in range(len(block.instrs) - 1, -1, -1):
            uses = _uses(block, i, live, liveness)
            if uses:
                x, c = block.instrs[i].args
                for j in uses:
                    block.instrs[j] = _displaced(block.instrs[j], x, c)
                del block.instrs[i]


def _uses(block: TacBlock, i: int, live: int, liveness: Liveness) -> list[int]:
    """The only users of the sum at i, if all are loads and stores; else nothing."""
    one = block.instrs[i]
    if one.op != "add" or one.dst is None or not one.dst.scope or not _folds(one):
        return []
    t, x = one.dst, one.args[0]
    uses = []
    for j in range(i + 1, len(block.instrs)):
        user = block.instrs[j]
        if t in user.args:
            if user.op not in ("load", "store") or user.args.index(t) or user.args.count(t) > 1:
                return []
            if len(user.args) != (1 if user.op == "load" else 2):
                return []
            uses.append(j)
        if user.dst is t:
            return uses
        if user.dst is x and _again(block, j, t):
            return []
    return [] if live & liveness.bit(t) else uses


def _folds(one: TacInstr) -> bool:
    """Whether a sum is of a local register and a link-time constant."""
    x, c = one.args
    known = isinstance(c, int) or isinstance(c, Addr) and not c.object.scope
    return isinstance(x, Reg) and bool(x.scope) and x is not one.dst and known


def _again(block: TacBlock, j: int, t: Reg) -> bool:
    """Whether a register is used after an operation, before it is set again."""
    for user in block.instrs[j + 1 :]:
        if t in user.args:
            return True
        if user.dst is t:
            return False
    return False


def _displaced(one: TacInstr, x: Value, c: Value) -> TacInstr:
    return replace(one, args=(x, *one.args[1:], c))
