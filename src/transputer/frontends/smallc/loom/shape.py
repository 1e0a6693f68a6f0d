"""Peephole patterns of loom code, one function each."""

from collections.abc import Callable
from dataclasses import replace

from transputer.frontends.smallc.loom.code import (
    CHANGING,
    LOOKING,
    OUTPUT,
    Cell,
    CodePart,
    LoomGoto,
    LoomOp,
    LoomTest,
    Operand,
    ways_in,
    with_operands,
)
from transputer.frontends.smallc.loom.live import PartLiveness
from transputer.frontends.smallc.tac import Reg


def shape(parts: list[CodePart], globals: list[Reg]) -> None:
    """Apply every pattern once."""
    _conditional_moves(parts)
    liveness = PartLiveness(parts, globals)
    for part in parts:
        _swaps(part, liveness)
        _in_place(part, liveness)
        _direct(part, liveness)
        _put_out(part, liveness)


def _conditional_moves(parts: list[CodePart]) -> None:
    """`if (x < 0) x = y` is one CMOV."""
    before = ways_in(parts)
    for part in parts:
        end = part.end
        if not isinstance(end, LoomTest) or end.name != "CMP" or len(before[end.yes]) != 1:
            continue
        arm = end.yes
        if len(arm.ops) != 1 or not isinstance(arm.end, LoomGoto) or arm.end.to is not end.no:
            continue
        move = arm.ops[0]
        if move.name == "MOV" and move.b is end.b:
            part.ops.append(LoomOp("CMOV", move.b, move.c, move.line))
            part.end = LoomGoto(end.no)


def _live_after(part: CodePart, i: int, liveness: PartLiveness) -> int:
    live = liveness.before_end(part)
    for op in reversed(part.ops[i + 1 :]):
        live = liveness.before(op, live)
    return live


def _swaps(part: CodePart, liveness: PartLiveness) -> None:
    """`t = a; a = b; b = t`, with t then unused, is one SWAP."""
    i = 0
    while i + 2 < len(part.ops):
        first, second, third = part.ops[i : i + 3]
        moves = all(op.name == "MOV" for op in (first, second, third))
        if moves and (first.c, second.c, third.c) == (second.b, third.b, first.b):
            free = not _live_after(part, i + 2, liveness) & liveness.bit(first.b)
            if free and isinstance(first.b, Reg) and OUTPUT not in (second.b, third.b):
                part.ops[i : i + 3] = [LoomOp("SWAP", second.b, third.b, first.line)]
        i += 1


def _in_place(part: CodePart, liveness: PartLiveness) -> None:
    """`t = word; t += x; word = t`, with t then unused, works on the word itself."""
    for i, op in enumerate(part.ops):
        if op.name != "MOV" or not isinstance(op.b, Cell) or not isinstance(op.c, Reg):
            continue
        cell, t = op.b, op.c
        if cell == OUTPUT or _live_after(part, i, liveness) & liveness.bit(t):
            continue
        j = i - 1
        while j >= 0 and not (part.ops[j].name == "MOV" and part.ops[j].b is t):
            one = part.ops[j]
            if one.name in LOOKING | CHANGING or cell in (one.b, one.c):
                break
            j -= 1
        else:
            if j >= 0 and part.ops[j].c == cell:
                change = _change(t, cell)
                part.ops[j : i + 1] = [one.mapped(change) for one in part.ops[j + 1 : i]]
                return _in_place(part, liveness)


def _change(t: Reg, cell: Cell) -> Callable[[Operand], Operand]:
    return lambda operand: cell if operand is t else operand


def _direct(part: CodePart, liveness: PartLiveness) -> None:
    """Read a word itself instead of a copy, if the word does not change."""
    i = 0
    while i < len(part.ops):
        match part.ops[i]:
            case LoomOp("MOV", Reg() as t, Cell() as cell) if _replaced(part, i, t, cell, liveness):
                continue
        i += 1


def _replaced(part: CodePart, i: int, t: Reg, cell: Cell, liveness: PartLiveness) -> bool:
    """Replace reads of t by the word and drop the copy at i, if possible."""
    changed_at = len(part.ops)  # from here on the word may change
    for j in range(i + 1, len(part.ops)):
        op = part.ops[j]
        if t in op.writes():
            return False
        if t in op.reads() and (j > changed_at or cell in op.writes()):
            return False
        if changed_at == len(part.ops) and (op.name in CHANGING or cell in op.writes()):
            changed_at = j
    if liveness.end[part] & liveness.bit(t):
        return False
    end = part.end
    if isinstance(end, LoomTest):
        if t in end.writes() or t in end.reads() and changed_at < len(part.ops):
            return False
        if end.turned and t in (end.turned[0].b, end.turned[0].c, end.turned[1]):
            part.end = end = replace(end, turned=None)
    change = _change(t, cell)
    part.ops[i:] = [op.mapped(change) for op in part.ops[i + 1 :]]
    part.end = with_operands(part.end, change)
    return True


def _put_out(part: CodePart, liveness: PartLiveness) -> None:
    """Compute a value in the output slot if it is used only there."""
    i = 1
    while i < len(part.ops):
        op, before = part.ops[i], part.ops[i - 1]
        if op.name == "MOV" and op.b == OUTPUT and isinstance(op.c, Reg) and before.b is op.c:
            once = before.name in ("MOV", "LOAD", "SHL", "SHR") and before.c is not op.c
            if once and not _live_after(part, i, liveness) & liveness.bit(op.c):
                part.ops[i - 1 : i + 1] = [replace(before, b=OUTPUT)]
                continue
        i += 1
