"""Inline functions where that is smaller; turn tail calls into loops."""

from collections.abc import Callable
from dataclasses import replace

from transputer.frontends.smallc.tac import (
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacReturn,
    TacUnit,
    Value,
    every_instr,
    redirect,
    replace_values,
)

#: Approximate cost of an operation in two-operand instructions.
_COST = {"mov": 0.7, "load": 1.0, "store": 1.0, "out": 1.0, "abs": 3.0, "find": 2.0, "call": 3.0}
_OTHER, _JUMP, _TEST, _RETURN = 1.4, 0.3, 1.8, 0.4
#: Cost of a call beside the argument moves: site number and jump; and of the return.
_ARGUMENT, _CALL, _SITE = 0.8, 2.0, 1.0


def callees(function: TacFunction) -> set[str]:
    """The functions that a function calls."""
    return {one.callee for block in function.blocks for one in block.instrs if one.op == "call"}


def reachable(unit: TacUnit, start: str) -> set[str]:
    """The functions that a call may reach; the function itself only if it is recursive."""
    names: set[str] = set()
    todo = [start]
    while todo:
        for name in callees(unit.functions[todo.pop()]):
            if name not in names:
                names.add(name)
                todo.append(name)
    return names


def recursive(unit: TacUnit) -> set[str]:
    """Recursive functions."""
    return {name for name in unit.functions if name in reachable(unit, name)}


def drop_uncalled(unit: TacUnit) -> None:
    """Remove functions that main does not reach."""
    names = {"main"} | reachable(unit, "main")
    unit.functions = {name: f for name, f in unit.functions.items() if name in names}


def inline(unit: TacUnit) -> set[str]:
    """Inline functions called once or smaller than their calls; return the names that changed."""
    changed: set[str] = set()
    drop_uncalled(unit)
    again = recursive(unit)
    for name in _leaves_first(unit):
        if name == "main" or name in again:
            continue
        sites = sum(one.callee == name for _, _, one in every_instr(unit) if one.op == "call")
        function = unit.functions[name]
        size = _size(function)
        apart = size + sites * (_CALL + _SITE + _ARGUMENT * len(function.params))
        if sites == 1 or sites * size <= apart:
            changed |= _inline_everywhere(unit, function)
            del unit.functions[name]
    return changed


def _leaves_first(unit: TacUnit) -> list[str]:
    names: list[str] = []
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in visited:
            return
        visited.add(name)
        for one in sorted(callees(unit.functions[name])):
            visit(one)
        names.append(name)

    visit("main")
    return names


def _size(function: TacFunction) -> float:
    total = 0.0
    for block in function.blocks:
        for one in block.instrs:
            if one.op in ("shl", "shr", "ushr") and isinstance(one.args[1], int):
                total += min(one.args[1], 5) + 0.4
            else:
                total += _COST.get(one.op, _OTHER)
        match block.term:
            case TacJump():
                total += _JUMP
            case TacBranch(b=b):
                total += 1 if b == 0 else _TEST
            case _:
                total += _RETURN
    return total


def _inline_everywhere(unit: TacUnit, callee: TacFunction) -> set[str]:
    changed = set()
    for function in unit.functions.values():
        if function is callee:
            continue
        todo, inlined = list(function.blocks), False
        while todo:
            block = todo.pop(0)
            for i, one in enumerate(block.instrs):
                if one.op == "call" and one.callee == callee.name:
                    todo.insert(0, _inline_at(function, block, i, callee))
                    inlined = True
                    break
        if inlined:
            changed.add(function.name)
            function.objects += [o for o in callee.objects if o not in function.objects]
    return changed


def _inline_at(function: TacFunction, block: TacBlock, i: int, callee: TacFunction) -> TacBlock:
    """Replace a call by the body of the function; return the block after it."""
    call, rest = block.instrs[i], TacBlock(f"{block.name}.", block.instrs[i + 1 :], block.term)
    regs: dict[Reg, Reg] = {}

    def mine(value: Value) -> Value:
        if not isinstance(value, Reg) or not value.scope:
            return value
        if value not in regs:
            regs[value] = Reg(value.name, function.name)
        return regs[value]

    copies = {b: TacBlock(f"{b.name}~", _renamed(b.instrs, mine, call.line)) for b in callee.blocks}
    for old, new in copies.items():
        new.term = redirect(replace_values(old.term, mine), copies.__getitem__)
        if isinstance(new.term, TacReturn):
            if call.dst and new.term.value is not None:
                new.instrs.append(TacInstr("mov", call.dst, (new.term.value,), new.term.line))
            new.term = TacJump(rest)
    block.instrs = block.instrs[:i]
    for param, arg in zip(callee.params, call.args, strict=True):
        to = mine(param)
        assert isinstance(to, Reg)
        block.instrs.append(TacInstr("mov", to, (arg,), call.line))
    block.term = TacJump(copies[callee.blocks[0]])
    at = function.blocks.index(block) + 1
    function.blocks[at:at] = [*copies.values(), rest]
    return rest


def _renamed(instrs: list[TacInstr], mine: Callable[[Value], Value], line: int) -> list[TacInstr]:
    """Operations on the caller's registers; those of routines have the line of the call."""
    blocks = []
    for one in instrs:
        dst = mine(one.dst) if one.dst else None
        assert dst is None or isinstance(dst, Reg)
        args = tuple(map(mine, one.args))
        blocks.append(replace(one, dst=dst, args=args, line=one.line or line))
    return blocks


def loop_tail_calls(function: TacFunction) -> bool:
    """Turn `return f(x)` inside f into a jump to its start; return whether there was any."""
    entry = function.blocks[0]
    if function.objects:  # their words belong to one call
        return False
    changed = False
    for block in function.blocks:
        last = block.instrs[-1] if block.instrs else None
        if not last or last.op != "call" or last.callee != function.name:
            continue
        if not isinstance(block.term, TacReturn):
            continue
        if block.term.value is not None and block.term.value is not last.dst:
            continue
        block.instrs.pop()
        fresh = [Reg(p.name, function.name) for p in function.params]
        pairs = [*zip(fresh, last.args, strict=True), *zip(function.params, fresh, strict=True)]
        block.instrs += [TacInstr("mov", to, (arg,), last.line) for to, arg in pairs]
        block.term = TacJump(entry)
        changed = True
    if changed:  # the first block has no predecessor but the call
        function.blocks.insert(0, TacBlock(f"{entry.name}'", [], TacJump(entry)))
    return changed
