"""The opcodes of the trace machine: core rows, some in variants by their immediates.

Numbers mean nothing: the embedding gives every opcode its control lanes.
"""

from collections.abc import Iterable

from transputer.isa.core import CORE
from transputer.isa.op import Op, Table
from transputer.machines.trace.vocabulary import Space
from transputer.values import dataclass

#: Rows that are another row with other immediates, or on the same bits: values of 32 bits stand
#: in slots of 64 with zeros above.
ALIASES = {
    "ref.null": "i32.const",
    "ref.func": "i32.const",
    "ref.is_null": "i32.eqz",
    "table.size": "memory.size",
    "table.extend": "memory.grow",
    "i64.const": "i32.const",
    "f32.const": "i32.const",
    "f64.const": "i32.const",
    "f32.load": "i32.load",
    "i64.load8_u": "i32.load8_u",
    "i64.load16_u": "i32.load16_u",
    "i64.load32_u": "i32.load",
    "f64.load": "i64.load",
    "f32.store": "i32.store",
    "i64.store8": "i32.store8",
    "i64.store16": "i32.store16",
    "i64.store32": "i32.store",
    "f64.store": "i64.store",
    "i64.popcnt": "i32.popcnt",
    "i64.extend_i32_s": "i64.extend32_s",
    **{f"i64.{n}": f"i32.{n}" for n in ("eqz", "eq", "ne", "lt_u", "gt_u", "le_u", "ge_u")},
    **{f"i64.{n}": f"i32.{n}" for n in ("and", "or", "xor", "div_u", "rem_u")},
    "i32.reinterpret_f32": "i64.extend_i32_u",
    "i64.reinterpret_f64": "i64.extend_i32_u",
    "f32.reinterpret_i32": "i64.extend_i32_u",
    "f64.reinterpret_i64": "i64.extend_i32_u",
    "f32.convert_i32_u": "f32.convert_i64_u",
    "f64.convert_i32_u": "f64.convert_i64_u",
}
#: Rows that come in variants: how many values a branch or a return keeps.
VARIANTS = {
    "br": ("br.0", "br.1", "br.n"),
    "br_if": ("br_if.0", "br_if.1", "br_if.n"),
    "return": ("return.0", "return.1", "return.n"),
}
#: Opcodes without a core row: functions of the host end in this.
EXTRA = ("host",)
#: Rows that lower/bulk.py writes with others.
LOWERED = frozenset(
    {
        *("memory.fill", "memory.copy", "memory.init", "data.drop"),
        *("table.init", "table.copy", "table.fill", "table.grow", "elem.drop"),
    }
)


def claimed(table: Table) -> list[Op]:
    """The rows that the machine executes itself: neither lowered nor written as another row."""
    return [op for op in table if op.name not in ALIASES and op.name not in LOWERED]


def _names() -> list[str]:
    names = [name for op in claimed(CORE) for name in VARIANTS.get(op.name, (op.name,))]
    return [*names, *EXTRA]


#: The number of every opcode; 0 is no instruction.
OPCODES = {name: number for number, name in enumerate(_names(), 1)}


@dataclass(frozen=True, slots=True)
class OpcodeShape:
    """How an opcode uses what every step has.

    `base` is where the address U starts: "frame", "stack", "zero", or nothing. `reads` is the
    space that R reads at U. `writes` is the space of what it writes in its only step, and `to`
    where: "push" is the new top of the stack, "U" is U; other opcodes say that themselves.
    `leaves` says that the new stack pointer counts from the frame. `looks` is what X looks up:
    an "element" of a table, an "entry" of a jump table.
    """

    base: str = ""
    reads: int = 0
    writes: int = 0
    to: str = ""
    leaves: bool = False
    looks: str = ""


_PUSH = OpcodeShape(writes=Space.SLOT, to="push")
_SIZED = OpcodeShape("zero", Space.SIZE)
_LOAD = OpcodeShape("zero", Space.SIZE, Space.SLOT, "push")
_KEPT = OpcodeShape("stack", Space.SLOT)
DIVISIONS = ("i32.div_s", "i32.div_u", "i32.rem_s", "i32.rem_u", "i64.div_s", "i64.rem_s")
#: Instructions that may take several steps and say themselves what each writes.
SEVERAL = (
    *DIVISIONS,
    *(f"f{n}.{op}" for n in (32, 64) for op in ("add", "sub", "mul", "div", "sqrt")),
    *("f32.demote_f64", "f64.promote_f32"),
    *(op.name for op in CORE if ".trunc_" in op.name),
    *(op.name for op in CORE if ".convert_" in op.name and op.name not in ALIASES),
)

_SHAPES = {
    "i32.const": _PUSH,
    "local.get": OpcodeShape("frame", Space.SLOT, Space.SLOT, "push"),
    "local.set": OpcodeShape("frame", 0, Space.SLOT, "U"),
    "local.tee": OpcodeShape("frame", 0, Space.SLOT, "U"),
    "local.zero": OpcodeShape("frame", 0, Space.SLOT, "U"),
    "global.get": OpcodeShape("zero", Space.GLOBAL, Space.SLOT, "push"),
    "global.set": OpcodeShape("zero", 0, Space.GLOBAL, "U"),
    "select": OpcodeShape("stack", Space.SLOT, Space.SLOT, "push"),
    "select_second": OpcodeShape("stack", Space.SLOT, Space.SLOT, "push"),
    "memory.size": _LOAD,
    "memory.grow": _SIZED,
    "table.get": OpcodeShape("zero", Space.SIZE, Space.SLOT, "push", looks="element"),
    "table.set": _SIZED,
    "br.0": OpcodeShape(leaves=True),
    "br.1": OpcodeShape("frame", 0, Space.SLOT, "U", leaves=True),
    "br.n": OpcodeShape("stack", Space.SLOT, leaves=True),
    "br_if.1": OpcodeShape("frame"),
    "br_if.n": _KEPT,
    "return.0": OpcodeShape(leaves=True),
    "return.1": OpcodeShape("frame", 0, Space.SLOT, "U", leaves=True),
    "return.n": OpcodeShape("stack", Space.SLOT, leaves=True),
    "call": OpcodeShape("stack", 0, Space.FRAME),
    "call_indirect": OpcodeShape("zero", Space.SIZE, looks="element"),
    "br_table": OpcodeShape(looks="entry"),
    "gosub": OpcodeShape("frame", 0, Space.FRAME),
    "var.get": OpcodeShape("frame", Space.VARIABLE, Space.SLOT, "push"),
    "var.set": OpcodeShape("frame", 0, Space.VARIABLE, "U"),
    "var.tee": OpcodeShape("frame", 0, Space.VARIABLE, "U"),
    "var.zero": OpcodeShape("frame", 0, Space.VARIABLE, "U"),
    "output": OpcodeShape(writes=Space.OUTPUT),
    "dup": _PUSH,
    "over": _PUSH,
    "rot": _KEPT,
    "swap": _KEPT,
}


def _shape(name: str) -> OpcodeShape:
    if name in _SHAPES or name in SEVERAL or name not in CORE:
        return _SHAPES.get(name, OpcodeShape())
    op = CORE[name]
    if op.width:
        return _LOAD if op.pushes else _SIZED
    return _PUSH if op.fn else OpcodeShape()


#: The shape of every opcode.
SHAPES = {name: _shape(name) for name in OPCODES}


def shaped(**wanted: object) -> Iterable[str]:
    """The opcodes whose shape has these values."""
    return [n for n, s in SHAPES.items() if all(getattr(s, k) == v for k, v in wanted.items())]
