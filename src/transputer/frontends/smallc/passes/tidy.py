"""Small rewrites: compute results in place, and arms without a jump."""

from dataclasses import replace

from transputer.frontends.smallc.passes.live import Liveness
from transputer.frontends.smallc.tac import (
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacUnit,
    predecessors,
    successors,
)


def retarget(function: TacFunction, unit: TacUnit) -> bool:
    """`t = a + b; x = t` with t then unused is `x = a + b`; return whether there was any."""
    liveness, changed = Liveness(function, unit), False
    for block in function.blocks:
        live = liveness.at_term(block)
        i = len(block.instrs) - 1
        while i >= 0:
            one = block.instrs[i]
            if _copies_dead(one, live, liveness) and _retargeted(block, i):
                changed = True
            else:
                live = liveness.before(one, live)
            i -= 1
    return changed


def _copies_dead(one: TacInstr, live: int, liveness: Liveness) -> bool:
    """Return whether an operation copies a local register that is dead afterwards."""
    t = one.args[0] if one.op == "mov" else None
    return isinstance(t, Reg) and bool(t.scope) and not live & liveness.bit(t)


def _retargeted(block: TacBlock, i: int) -> bool:
    """Compute x in the place of t and drop the copy `x = t` at i, if nothing between uses x."""
    x, t = block.instrs[i].dst, block.instrs[i].args[0]
    assert isinstance(t, Reg) and x
    j = i - 1
    while j >= 0 and block.instrs[j].dst is not t:
        one = block.instrs[j]
        if one.dst is x or x in one.args or one.op == "call" and not x.scope:
            return False
        j -= 1
    if j < 0 or t in block.instrs[j].args or t is x:
        return False
    if block.instrs[j].op == "call" and not x.scope:
        return False
    block.instrs[j] = replace(block.instrs[j], dst=x)
    for k in range(j + 1, i):
        one = block.instrs[k]
        if t in one.args:
            block.instrs[k] = replace(one, args=tuple(x if a is t else a for a in one.args))
    del block.instrs[i]
    return True


def hoist(function: TacFunction, unit: TacUnit) -> bool:
    """`if (c) v = 1; else v = 0;` is `v = 0; if (c) v = 1;`; return whether there was any."""
    before = predecessors(function.blocks)
    live: Liveness | None = None
    changed = False
    for block in function.blocks:
        term = block.term
        if not isinstance(term, TacBranch):
            continue
        for arm, other in ((term.no, term.yes), (term.yes, term.no)):
            if len(before[arm]) != 1 or not _movable(arm, other, term):
                continue
            live = live or Liveness(function, unit)
            if _unread(arm.instrs[0].dst, other, live):
                block.instrs += arm.instrs
                arm.instrs, changed, live = [], True, None
                break
    return changed


def _movable(arm: TacBlock, other: TacBlock, term: TacBranch) -> bool:
    """Whether an arm only sets a register that the test does not read."""
    if len(arm.instrs) != 1 or not isinstance(arm.term, TacJump) or arm.instrs[0].op != "mov":
        return False
    v = arm.instrs[0].dst
    if v is None or v is term.a or v is term.b:
        return False
    return isinstance(other.term, TacJump) and other.term.to is arm.term.to


def _unread(v: Reg | None, other: TacBlock, liveness: Liveness) -> bool:
    """Return whether a block, and what follows it, sets a register before reading it."""
    assert v
    live = liveness.at_term(other)
    for one in reversed(other.instrs):
        live = liveness.before(one, live)
    return not live & liveness.bit(v)


def chain(function: TacFunction, bits: int) -> bool:
    """Reuse the difference of the previous comparison with a constant.

    `if (x == 3) … else if (x == 5)` tests `t = x - 3`, then `t - 2`.
    """
    before = predecessors(function.blocks)
    differences: dict[TacBlock, tuple[Reg, int, Reg]] = {}
    for block in function.blocks:
        term = block.term
        if not (isinstance(term, TacBranch) and _numbered(term)) or term.b == 0:
            continue
        assert isinstance(term.a, Reg) and isinstance(term.b, int)
        above = before[block][0] if len(before[block]) == 1 else None
        known = differences.get(above) if above and not _changes(block, term.a) else None
        if known and known[0] is term.a and above and successors(above.term)[1] is block:
            _, value, t = known
            block.instrs.append(TacInstr("add", t, (t, _wrapped(bits, value - term.b)), term.line))
        elif _leads(block, term.a, before):
            t = Reg(f"{term.a.name}'", term.a.scope or "?")
            block.instrs.append(TacInstr("add", t, (term.a, _wrapped(bits, -term.b)), term.line))
        else:
            continue
        differences[block] = (term.a, term.b, t)
        block.term = replace(term, a=t, b=0)
    return bool(differences)


def _numbered(term: TacBranch) -> bool:
    return term.op == "eq" and isinstance(term.a, Reg) and isinstance(term.b, int)


def _wrapped(bits: int, x: int) -> int:
    low = x & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _changes(block: TacBlock, reg: Reg) -> bool:
    return any(one.dst is reg or one.op == "call" for one in block.instrs)


def _leads(block: TacBlock, x: Reg, before: dict[TacBlock, list[TacBlock]]) -> bool:
    """Whether the next test, where this one fails, compares the same register with a number."""
    assert isinstance(block.term, TacBranch)
    after = block.term.no
    term = after.term
    if len(before[after]) != 1 or not isinstance(term, TacBranch) or not _numbered(term):
        return False
    return term.a is x and term.b != 0 and not _changes(after, x)
