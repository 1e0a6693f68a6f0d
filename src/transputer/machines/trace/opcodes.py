"""The opcodes of the trace machine: core rows, some in variants by their immediates.

Numbers mean nothing: the embedding gives every opcode its control lanes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from transputer.isa.core import CORE
from transputer.isa.op import Op, Table
from transputer.machines.trace.vocabulary import Space

#: Rows that are another row with other immediates.
ALIASES = {
    "unreachable": "trap",
    "ref.null": "i32.const",
    "ref.func": "i32.const",
    "ref.is_null": "i32.eqz",
    "table.size": "memory.size",
    "table.extend": "memory.grow",
}
#: Rows that come in variants: how many values a branch or a return keeps.
VARIANTS = {
    "br": ("br.0", "br.1", "br.n"),
    "br_if": ("br_if.0", "br_if.1", "br_if.n"),
    "return": ("return.0", "return.1", "return.n"),
}
#: Opcodes without a core row: functions of the host end in this.
EXTRA = ("host",)
_LATER = ("i64.", "f32.", "f64.")
#: Rows that this machine does not have and no lowering removes yet.
LOWERED = frozenset(
    {
        *("memory.fill", "memory.copy", "memory.init", "data.drop"),  # lower/bulk.py has these
        *("table.init", "table.copy", "table.fill", "table.grow", "elem.drop"),
        *("i32.wrap_i64", "i32.reinterpret_f32"),
        *(op.name for op in CORE if op.name.startswith("i32.trunc_")),
    }
)


def claimed(table: Table) -> list[Op]:
    """The rows that the machine executes itself: neither lowered nor written as another row."""
    return [
        op
        for op in table
        if op.name not in ALIASES and op.name not in LOWERED and not op.name.startswith(_LATER)
    ]


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
#: Division takes several steps and says itself what each writes.
DIVISIONS = ("i32.div_s", "i32.div_u", "i32.rem_s", "i32.rem_u")

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
    if name in _SHAPES or name in DIVISIONS or name not in CORE:
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
