"""Definite assignment: which locals may be read before they are written.

Assignments only accumulate along a path, so a loop's back edges cannot remove any that hold at
its entry, and one pass over structured code is exact. Sets of locals are bit masks.
"""

from dataclasses import dataclass

from transputer.ir.module import Function
from transputer.ir.verified import FrameLayout

#: In unreachable code, every local counts as assigned.
_ALL = -1


@dataclass(slots=True)
class _Block:
    kind: str
    entry: int  # assigned when the block was entered
    joined: int = _ALL  # assigned on every branch to its end


def read_before_written(function: Function, frame: FrameLayout) -> list[int]:
    """Return the declared locals, without parameters, that must be zeroed."""
    blocks = [_Block("func", 0)]
    assigned = (1 << frame.params) - 1
    needed: set[int] = set()
    for instr, height in zip(function.body, frame.heights, strict=True):
        name = instr.name
        if height < 0:
            assigned = _ALL
        if name == "try_table":  # an exception may come before any assignment in the block
            for clause in instr.args[1]:
                _branch(blocks, clause.label, assigned)
        if name in ("block", "loop", "if", "try_table"):
            blocks.append(_Block(name, assigned))
        elif name == "else":
            blocks[-1].joined &= assigned
            blocks[-1].kind, assigned = "else", blocks[-1].entry
        elif name == "end":
            block = blocks.pop()
            assigned &= block.joined & (block.entry if block.kind == "if" else _ALL)
        elif name in ("br", "br_if", "br_on_null", "br_on_non_null", "br_table"):
            depths = instr.args[0] if name == "br_table" else (instr.args[0],)
            for depth in set(depths):
                _branch(blocks, depth, assigned)
        elif name == "local.get":
            if not assigned >> instr.args[0] & 1:
                needed.add(instr.args[0])
        elif name in ("local.set", "local.tee"):
            assigned |= 1 << instr.args[0]
    return sorted(needed)


def _branch(blocks: list[_Block], depth: int, assigned: int) -> None:
    """Join the assigned locals into the target's end; a branch back to a loop adds nothing."""
    block = blocks[-1 - depth]
    if block.kind != "loop":
        block.joined &= assigned
