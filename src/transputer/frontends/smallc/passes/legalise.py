"""Replace operations that a machine lacks by others, or by calls of routines."""

from collections.abc import Callable

from transputer.frontends.smallc.calls import ROUTINE
from transputer.frontends.smallc.tac import Reg, TacFunction, TacInstr, TacUnit, Value
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class MachineOperations:
    """The operations of a machine."""

    operations: frozenset[str]  # with any operands
    shifts: int  # largest constant shift, one instruction per place


def legalise(
    unit: TacUnit, target: MachineOperations, routine: Callable[[str], TacFunction]
) -> set[str]:
    """Rewrite operations that the machine lacks; return the names of changed functions.

    `routine` returns the function of an operation.
    """
    changed: set[str] = set()
    for function in list(unit.functions.values()):
        for block in function.blocks:
            instrs: list[TacInstr] = []
            for one in block.instrs:
                rewritten = _legal(one, target, function.name, unit.bits)
                if rewritten != [one]:
                    changed.add(function.name)
                instrs += rewritten
            block.instrs = instrs
    wanted = {
        one.callee.removeprefix(ROUTINE)
        for function in unit.functions.values()
        for block in function.blocks
        for one in block.instrs
        if one.op == "call" and one.callee in _CALLED
    }
    for op in sorted(wanted):
        if ROUTINE + op not in unit.functions:
            unit.functions[ROUTINE + op] = routine(op)
            changed.add(ROUTINE + op)
    return changed


def _legal(one: TacInstr, target: MachineOperations, scope: str, bits: int) -> list[TacInstr]:
    if one.op in ("shl", "shr", "ushr"):
        count = one.args[1]
        if isinstance(count, int) and 0 <= count <= target.shifts:
            return [one]
    elif one.op == "mul" and isinstance(one.args[1], int):
        steps = _product(one, one.args[1], scope, bits)
        if steps:
            return steps
    if one.op in target.operations or one.op not in _ROUTINES:
        return [one]
    return [TacInstr("call", one.dst, one.args, one.line, ROUTINE + one.op)]


_ROUTINES = frozenset("mul div rem udiv urem shl shr ushr".split())
_CALLED = frozenset(ROUTINE + op for op in _ROUTINES)
#: Limit on shifts and additions in the place of a product with a constant.
_STEPS = 9


def _digits(number: int) -> list[int]:
    """A number in non-adjacent form: digits -1, 0, 1 of base two, the highest first."""
    digits = []
    while number:
        digit = 2 - (number & 3) if number & 1 else 0
        digits.append(digit)
        number = (number - digit) >> 1
    return digits[::-1]


def _product(one: TacInstr, number: int, scope: str, bits: int) -> list[TacInstr]:
    """Shifts and additions for a product with a constant; None if they are too many."""
    x, negative = one.args[0], number < 0
    digits = _digits(-number if negative else number)
    if len(digits) + sum(map(abs, digits)) + 2 * negative > _STEPS:
        return []
    instrs: list[TacInstr] = []
    total: Value = x
    shift = 0

    def emit(op: str, a: Value, b: Value) -> Reg:
        to = Reg("product", scope)
        instrs.append(TacInstr(op, to, (a, b), one.line))
        return to

    for digit in digits[1:]:
        shift += 1
        if digit:
            total = emit("add" if digit > 0 else "sub", emit("shl", total, shift), x)
            shift = 0
    if shift:
        total = emit("shl", total, shift)
    if negative:
        total = emit("sub", 0, total)
    instrs.append(TacInstr("mov", one.dst, (total,), one.line))
    return instrs
