"""Conditional propagation of constants and copies."""

from collections.abc import Callable
from typing import TypeAlias

from transputer.frontends.smallc.passes.algebra import simpler
from transputer.frontends.smallc.passes.flow import order
from transputer.frontends.smallc.tac import (
    COMPARE,
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacUnit,
    Term,
    Value,
    replace_values,
    successors,
)

#: What is known of registers: a number, an address, or another register with the same value.
Known: TypeAlias = dict[Reg, Value]


def propagate(function: TacFunction, unit: TacUnit) -> bool:
    """Rewrite operations with known values; return whether any changed."""
    starts = _solve(function, unit.bits)
    changed = False
    for block in function.blocks:
        if block not in starts:
            continue
        known = dict(starts[block])
        for i, one in enumerate(block.instrs):
            new = _step(one, known, unit.bits)
            if new.op != one.op or new.args != one.args:
                block.instrs[i], changed = new, True
        term = _known_term(block.term, known)
        if term != block.term:
            block.term, changed = term, True
        changed |= _thread(block, known, unit.bits)
    return changed


def _solve(function: TacFunction, bits: int) -> dict[TacBlock, Known]:
    """Known values at the start of every reachable block."""
    starts: dict[TacBlock, Known] = {function.blocks[0]: {}}
    places = {block: i for i, block in enumerate(order(function))}
    todo = {function.blocks[0]}
    while todo:
        block = min(todo, key=places.__getitem__)
        todo.remove(block)
        known = dict(starts[block])
        for one in block.instrs:
            _step(one, known, bits)
        for after, facts in _ways(block, known, bits):
            if after not in starts:
                starts[after] = facts
                todo.add(after)
                continue
            both = {r: v for r, v in starts[after].items() if facts.get(r) == v and r in facts}
            if len(both) != len(starts[after]):
                starts[after] = both
                todo.add(after)
    return starts


def _ways(block: TacBlock, known: Known, bits: int) -> list[tuple[TacBlock, Known]]:
    """The possible successors of a block with the values known there, equalities included."""
    term = _known_term(block.term, known)
    if not isinstance(term, TacBranch):
        return [(after, known) for after in successors(term)]
    if isinstance(term.a, int) and isinstance(term.b, int):
        return [(term.yes if COMPARE[term.op](bits, term.a, term.b) else term.no, known)]
    if term.yes is term.no:
        return [(term.yes, known)]
    equal = known
    if term.op == "eq" and isinstance(term.a, Reg) and isinstance(term.b, int):
        equal = {**known, term.a: term.b}
    return [(term.yes, equal), (term.no, known)]


def _known_term(term: Term, known: Known) -> Term:
    return replace_values(term, lambda value: _look(value, known))


def _look(value: Value, known: Known) -> Value:
    return known.get(value, value) if isinstance(value, Reg) else value


def _step(one: TacInstr, known: Known, bits: int) -> TacInstr:
    """Rewrite an operation with known values; update `known` to hold after it."""
    if any(arg.__class__ is Reg and arg in known for arg in one.args):
        args = tuple(_look(a, known) for a in one.args)
        one = TacInstr(one.op, one.dst, args, one.line, one.callee)
    one = simpler(one, bits)
    if one.op == "call":
        _kill(known, lambda reg: not reg.scope)
    if one.dst is None:
        return one
    dst = one.dst
    _kill(known, lambda reg: reg is dst)
    if one.op == "mov" and one.args[0] is not dst:
        known[dst] = one.args[0]
    return one


def _kill(known: Known, killed: Callable[[Reg], bool]) -> None:
    """Invalidate what is known of and through some registers."""
    for reg in [r for r, v in known.items() if killed(r) or isinstance(v, Reg) and killed(v)]:
        del known[reg]


def _thread(block: TacBlock, known: Known, bits: int) -> bool:
    """Skip an empty block whose branch is decided by known values."""
    term = block.term
    if not isinstance(term, TacJump) or term.to.instrs or term.to is block:
        return False
    branch = _known_term(term.to.term, known)
    if not isinstance(branch, TacBranch):
        return False
    if not (isinstance(branch.a, int) and isinstance(branch.b, int)):
        return False
    yes = COMPARE[branch.op](bits, branch.a, branch.b)
    block.term = TacJump(branch.yes if yes else branch.no)
    return True
