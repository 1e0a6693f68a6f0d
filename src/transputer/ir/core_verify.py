"""Verification of flat core code: valid immediates, one operand height per address."""

from collections.abc import Iterator, Mapping, Sequence

from transputer.errors import InvalidError
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule, entries, is_untyped
from transputer.ir.module import FuncType
from transputer.isa.core import CORE

#: Operands that an instruction pops and pushes, where that does not depend on immediates.
_EFFECTS = {op.name: (op.pops, op.pushes) for op in CORE}
_ENTRIES = frozenset({"jump", "br", "return"})
_ENDS = frozenset({"jump", "br", "br_table", "return", "unreachable", "exit", "halt"})


def verify_core(module: CoreModule) -> None:
    """Check immediates, targets, frames, and that heights agree where paths join.

    Raises `InvalidError` with the address. Heights of lowered assembly are not checked.
    """
    spaces = _spaces(module)
    for pc, instr in enumerate(module.code):
        _check_immediates(module, spaces, pc, instr)
    untyped = is_untyped(module)
    starts, types = {f.entry: f for f in module.functions}, module.func_types
    for function in module.functions:
        if not 0 <= function.entry < len(module.code):
            raise InvalidError(f"{function.name}: entry {function.entry} is outside the code")
        if not len(function.type.params) <= function.locals <= function.frame:
            raise InvalidError(
                f"{function.name}: inconsistent numbers of parameters, locals and frame slots"
            )
        if not untyped:
            _check_heights(module, starts, types, function)


def _spaces(module: CoreModule) -> dict[str, int]:
    d = module.declarations
    return {
        "pc": len(module.code),
        "func": len(module.func_types),
        "type": len(d.types),
        "table": len(d.table_types),
        "memory": len(d.memory_types),
        "global": len(d.global_types),
        "data": len(d.data),
        "elem": len(d.elements),
    }


def _check_immediates(
    module: CoreModule, spaces: dict[str, int], pc: int, instr: CoreInstr
) -> None:
    kinds = instr.op.imm
    if len(instr.args) != len(kinds):
        raise InvalidError(f"{pc}: {instr}: takes {len(kinds)} immediates")
    for kind, arg in zip(kinds, instr.args, strict=True):
        limit = spaces.get(kind, 1 << (64 if kind in ("i64", "f64") else 32))
        if not 0 <= arg < limit:
            raise InvalidError(f"{pc}: {instr}: {kind} {arg} is not below {limit}")
    if instr.name == "br_table":
        addresses = entries(module.code, pc)
        if addresses.stop > len(module.code):
            raise InvalidError(f"{pc}: {instr}: entries run off the end of the code")
        if bad := [at for at in addresses if module.code[at].name not in _ENTRIES]:
            raise InvalidError(f"{pc}: {instr}: entry {bad[0]} is not a jump, br or return")


def _check_heights(
    module: CoreModule,
    starts: Mapping[int, CoreFunction],
    types: Sequence[FuncType],
    function: CoreFunction,
) -> None:
    """Follow every path from the entry, visiting each address once."""
    heights: dict[int, int] = {}
    todo = [(function.entry, 0, function.entry)]
    while todo:
        pc, height, source = todo.pop()
        if pc in heights and heights[pc] == height:
            continue
        if problem := _misfit(module, function, heights, pc, height):
            where = f"{function.name}: {source}: {module.code[source]}"
            raise InvalidError(f"{where}: {problem}")
        heights[pc] = height
        after = _successors(module, starts, types, function, pc, height)
        todo += [(to, operands, pc) for to, operands in after]


def _misfit(
    module: CoreModule, function: CoreFunction, heights: dict[int, int], pc: int, height: int
) -> str:
    """Return why `pc` cannot be reached with `height` operands, or an empty string."""
    if pc >= len(module.code):
        return "runs off the end of the code"
    if pc in heights:
        return f"reaches {pc} with height {height}, not {heights[pc]}"
    if height < 0 or function.locals + height > function.frame:
        return f"height {height} does not fit the frame"
    return ""


def _successors(
    module: CoreModule,
    starts: Mapping[int, CoreFunction],
    types: Sequence[FuncType],
    function: CoreFunction,
    pc: int,
    height: int,
) -> Iterator[tuple[int, int]]:
    """Yield the successors of `pc` with their operand heights."""
    instr = module.code[pc]
    name = instr.op.name
    pops, pushes = _effect(module, types, function, instr)
    if "local" in instr.op.imm and instr.args[0] >= function.locals:
        raise InvalidError(f"{function.name}: {pc}: {instr}: no such local")
    if pops > height:
        raise InvalidError(
            f"{function.name}: {pc}: {instr}: pops {pops} operands, the stack has {height}"
        )
    after = height - pops + pushes
    tail = _tail_call(module, starts, function, pc) if name in ("br", "jump") else None
    if tail is not None:
        _check_tail(module, function, tail, pc)
    elif name in ("jump", "jump_if", "jump_unless"):
        yield instr.args[0], after
    elif name in ("br", "br_if"):
        target, base, keep = instr.args
        if keep > after or not function.locals <= base <= function.locals + after - keep:
            raise InvalidError(f"{function.name}: {pc}: {instr}: cannot keep {keep} of {after}")
        yield target, base - function.locals + keep
    elif name == "br_table":
        yield from ((entry, after) for entry in entries(module.code, pc))
    if name not in _ENDS:
        yield pc + 1, after


def _tail_call(
    module: CoreModule, starts: Mapping[int, CoreFunction], function: CoreFunction, pc: int
) -> CoreFunction | None:
    """Return the callee if the code at `pc` is a tail call.

    Arguments move to the start of the frame, unless they are there; then, if the callee has other
    locals, the operand stack goes above them.
    """
    instr = module.code[pc]
    target, base, keep = instr.args if instr.name == "br" else (*instr.args, function.locals, 0)
    moves = base == 0 < keep
    if moves and target == pc + 1 < len(module.code):
        then = module.code[target]
        if then.name == "br" and then.args[2] == 0:
            target, base = then.args[:2]
    callee = starts.get(target)
    if callee is None or (callee is function and not moves):
        return None
    params = callee.type.params
    placed = keep == len(params) if moves else not params or params == function.type.params
    return callee if placed and callee.locals == (base or keep) else None


def _check_tail(module: CoreModule, function: CoreFunction, callee: CoreFunction, pc: int) -> None:
    same = len(callee.type.results) == len(function.type.results)
    if not same or callee.frame > function.frame:
        where = f"{function.name}: {pc}: {module.code[pc]}"
        raise InvalidError(f"{where}: {callee.name} does not fit in place of its caller")


def _effect(
    module: CoreModule, types: Sequence[FuncType], function: CoreFunction, instr: CoreInstr
) -> tuple[int, int]:
    """Return the numbers of operands that an instruction pops and pushes."""
    name = instr.op.name
    if name == "call":
        type_ = types[instr.args[0]]
        return len(type_.params), len(type_.results)
    if name == "call_indirect":
        type_ = module.declarations.types[instr.args[0]]
        return len(type_.params) + 1, len(type_.results)
    if name == "return":
        if instr.args[0] != len(function.type.results):
            raise InvalidError(f"{function.name}: {instr}: does not match the type {function.type}")
        return instr.args[0], 0
    return _EFFECTS[name]
