"""Simplify control flow: jumps to jumps, unreachable blocks, blocks to merge."""

from transputer.frontends.smallc.tac import (
    COMPARE,
    TacBlock,
    TacBranch,
    TacFunction,
    TacJump,
    TacUnit,
    predecessors,
    redirect,
    successors,
)


def simplify(function: TacFunction, unit: TacUnit) -> bool:
    """Fold branches, skip empty blocks, merge chains, prune; return whether any changed."""
    changed = False
    while (
        _folded(function, unit.bits)
        or _followed(function)
        or _pruned(function)
        or _merged(function)
    ):
        changed = True
    return changed


def _folded(function: TacFunction, bits: int) -> bool:
    """Fold branches whose outcome is known or whose targets are equal."""
    changed = False
    for block in function.blocks:
        term = block.term
        if not isinstance(term, TacBranch):
            continue
        known = True if term.yes is term.no else _answer(term, bits)
        if known is not None:
            block.term, changed = TacJump(term.yes if known else term.no), True
    return changed


def _answer(term: TacBranch, bits: int) -> bool | None:
    match term.a, term.b:
        case int(a), int(b):
            return COMPARE[term.op](bits, a, b)
        case a, b if a is b:
            return term.op in ("eq", "le", "ule")
    return None


def _followed(function: TacFunction) -> bool:
    """Skip blocks that only jump."""
    changed = False

    def end(block: TacBlock) -> TacBlock:
        visited = {block}
        while not block.instrs and isinstance(block.term, TacJump) and block.term.to not in visited:
            block = block.term.to
            visited.add(block)
        return block

    for block in function.blocks:
        term = redirect(block.term, end)
        if successors(term) != successors(block.term):
            block.term, changed = term, True
    return changed


def _pruned(function: TacFunction) -> bool:
    """Remove unreachable blocks."""
    reached, todo = set(), [function.blocks[0]]
    while todo:
        block = todo.pop()
        if block not in reached:
            reached.add(block)
            todo.extend(successors(block.term))
    live = [block for block in function.blocks if block in reached]
    changed = len(live) != len(function.blocks)
    function.blocks = live
    return changed


def _merged(function: TacFunction) -> bool:
    """Merge a block into its only predecessor."""
    before = predecessors(function.blocks)
    merged: set[TacBlock] = set()
    for block in function.blocks:
        while block not in merged and isinstance(block.term, TacJump):
            after = block.term.to
            if after is block or after is function.blocks[0] or len(before[after]) != 1:
                break
            block.instrs += after.instrs
            block.term = after.term
            merged.add(after)
    function.blocks = [block for block in function.blocks if block not in merged]
    return bool(merged)


def order(function: TacFunction) -> list[TacBlock]:
    """Blocks in reverse postorder."""
    visited: set[TacBlock] = set()
    blocks: list[TacBlock] = []
    stack = [(function.blocks[0], iter(successors(function.blocks[0].term)))]
    visited.add(function.blocks[0])
    while stack:
        block, after = stack[-1]
        for one in after:
            if one not in visited:
                visited.add(one)
                stack.append((one, iter(successors(one.term))))
                break
        else:
            stack.pop()
            blocks.append(block)
    return blocks[::-1]
