"""Instructions to write, and changes of their operands that mostly avoid traps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from transputer.check.fuzz.plan import instr
from transputer.check.fuzz.values import FORMATS
from transputer.errors import Trap
from transputer.ir.module import Instr
from transputer.isa.op import Op, ValType

#: Instructions that change the value on top of the stack.
Change = tuple[Instr, ...]


def _masks(*masks: int) -> tuple[Change, ...]:
    return tuple((instr("i32.const", mask), instr("i32.and")) for mask in masks)


#: Changes that mostly keep an index in range.
_ADDRESS = _masks(0x3F, 0x7F, 0xFF, 0xFFFF)
_SMALL = _masks(0x1, 0x3, 0x7)
_COUNT = _masks(0x3, 0xF, 0x3F)


def _nonzero(t: str) -> tuple[Change, ...]:
    """For a divisor: mostly odd."""
    odd = (instr(f"{t}.const", 1), instr(f"{t}.or"))
    return (), odd, odd


def _in_range(t: str) -> tuple[Change, ...]:
    """For a float to truncate: mostly small enough."""
    limit = (instr(f"{t}.const", FORMATS[ValType(t)].encode(1e9)), instr(f"{t}.min"))
    return (), limit, (instr(f"{t}.abs"), *limit)


@dataclass(frozen=True, slots=True)
class OperandKind:
    """The type of an operand, and changes, one of which is usually applied to the value."""

    type: ValType
    changes: tuple[Change, ...] = ()


#: An operand that is an index of something small.
INDEX = OperandKind(ValType.I32, _SMALL)


@dataclass(frozen=True, slots=True)
class PlannedInstr:
    """An instruction to write. `body` writes what follows; `ends` means that nothing runs after."""

    instr: Instr
    operands: tuple[OperandKind, ...] = ()
    results: tuple[ValType, ...] = ()
    body: Callable[[], None] | None = None
    ends: bool = False


def plain(types: Sequence[ValType]) -> tuple[OperandKind, ...]:
    """Return operands of these types without changes."""
    return tuple(map(OperandKind, types))


def tamed(op: Op) -> tuple[OperandKind, ...]:
    """Return the operands of a row with a signature, changed where they would mostly trap."""
    changes: tuple[tuple[Change, ...], ...] = ()
    if op.width:
        changes = (_ADDRESS,)
    elif op.group == "memory":
        changes = (_ADDRESS, *((_SMALL, _SMALL) if "data" in op.imm else (_ADDRESS, _COUNT)))
    elif op.group == "table":
        changes = (_SMALL, _SMALL, _SMALL)
    elif Trap.DIVIDE_BY_ZERO in op.traps:
        changes = ((), _nonzero(op.params[1].value))
    elif Trap.INVALID_CONVERSION in op.traps:
        changes = (_in_range(op.params[0].value),)
    if op.name == "memory.grow":
        changes = (_SMALL,)
    return tuple(map(OperandKind, op.params, (*changes, *((),) * len(op.params))))
