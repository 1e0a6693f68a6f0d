"""The flat core code: what every front end lowers to and the trace machine executes.

A step reads the instruction at `pc`, the stack pointer `sp` and the frame pointer `fp`. All
values live in slots of one array: locals at `fp + i`, operands above them, the top operand at
`sp - 1`. Targets are absolute. Where a branch has to move values, the instruction says so:
the top `keep` slots move to `fp + height`. References are 0 for null, else the id plus one.
The assembly's locals live in a space of their own, because its operand stack is shared
between caller and callee.
"""

from dataclasses import replace
from functools import partial

from transputer.errors import Trap
from transputer.isa import integers as it
from transputer.isa.op import Op, Table
from transputer.isa.wasm import WASM

#: Traps that core code has not.
_ELSEWHERE = (
    *(Trap.INVALID_INSTRUCTION, Trap.HEAP_EXHAUSTED),
    *(Trap.UNCAUGHT_EXCEPTION, Trap.NULL_EXCEPTION, Trap.NULL_FUNCTION, Trap.NULL_REFERENCE),
)
#: Why core code may trap.
CAUSES = tuple(trap for trap in Trap if trap not in _ELSEWHERE)


def _row(name: str, code: int, sig: str, doc: str, *imm: str, traps: tuple[Trap, ...] = ()) -> Op:
    return Op(name, code, sig, doc, None, (), imm, traps)


# fmt: off
_CONTROL = (
    _row("jump", 0x0C, ":", "Go to a place.", "pc"),
    _row("jump_if", 0x0D, "x:", "Pop; go there if not zero.", "pc"),
    _row("jump_unless", 0x04, "x:", "Pop; go there if zero.", "pc"),
    _row("br", 0x08, "", "Move the top `keep` slots down to `height` and go there.",
         "pc", "height", "keep"),
    _row("br_if", 0x09, "x:", "Pop; if not zero, as `br`.", "pc", "height", "keep"),
    _row("br_table", 0x0E, "x:",
         "Pop i; execute the jump, br or return min(i, count) places after the next instruction.",
         "count"),
    _row("call", 0x10, "", "Call: the arguments become the first locals of a new frame.", "func",
         traps=(Trap.STACK_EXHAUSTED,)),
    _row("return", 0x0F, "", "Move the top `count` slots to the frame's start and leave it.",
         "count"),
    _row("table.extend", 0x27, "x:x", "Pop a count; append that many nulls to a table; push its old size, or -1.",
         "table"),
    _row("local.zero", 0x1F, ":",
         "Set a local to zero, on entry to a function that may read it first.", "local"),
)

_DEVICES = (
    _row("input", 0xE0, ":x", "Push the next input byte, or -1 at its end."),
    _row("output", 0xE1, "x:", "Pop; its low byte is output, for standard error if bit 8 is set."),
    _row("exit", 0xE2, "x:", "Pop; end the program with that exit code."),
    _row("halt", 0xE3, ":", "End the program; the operand stack is its result."),
)

_ASSEMBLY = (
    _row("dup", 0xE4, "x:xx", "a → a a"),
    _row("swap", 0xE5, "xx:xx", "a b → b a"),
    _row("over", 0xE6, "xx:xxx", "a b → a b a"),
    _row("rot", 0xE7, "xxx:xxx", "a b c → b c a"),
    _row("select_second", 0xE8, "xxx:x", "a b c → b if c is not zero, else a"),
    Op("i32.abs", 0xE9, "i:i", "Absolute value, wrapping.", partial(it.abs_, 32),
       ((0x80000000, 0x80000000), (0xFFFFFFFF, 1))),
    Op("i32.neg", 0xEA, "i:i", "Zero minus the value.", partial(it.neg, 32),
       ((1, 0xFFFFFFFF), (0x80000000, 0x80000000))),
    _row("gosub", 0xEB, ":", "Go there with variables of its own; operands are shared.",
         "pc", "size", traps=(Trap.STACK_EXHAUSTED,)),
    _row("gosub_return", 0xEC, ":", "Leave to after the last gosub.",
         traps=(Trap.STACK_UNDERFLOW,)),
    _row("var.get", 0xED, ":x", "Push a variable.", "local"),
    _row("var.set", 0xEE, "x:", "Pop into a variable.", "local"),
    _row("var.tee", 0xEF, "x:x", "Copy the top slot into a variable.", "local"),
    _row("var.zero", 0xF0, ":",
         "Set a variable to zero, before code that may read it first.", "local"),
)
# fmt: on

#: Rows that WebAssembly does not have, or has in another sense.
_OWN = {"control": _CONTROL, "device": _DEVICES, "assembly": _ASSEMBLY}

#: Rows of WebAssembly that core code keeps under their own name, with their effect on slots.
_EFFECTS = {
    "unreachable": "",
    "call_indirect": "",
    "drop": "x:",
    "select": "xxx:x",
    "local.get": ":x",
    "local.set": "x:",
    "local.tee": "x:x",
    "global.get": ":x",
    "global.set": "x:",
    "table.get": "x:x",
    "table.set": "xx:",
    "table.grow": "xx:x",
    "table.fill": "xxx:",
    "ref.null": ":x",
    "ref.is_null": "x:x",
}
_IMMEDIATES = {"memarg": ("offset", "memory")}


def _kept(op: Op) -> Op:
    """A WebAssembly row as core code has it: an access names its memory, not its alignment."""
    imm = tuple(kind for old in op.imm for kind in _IMMEDIATES.get(old, (old,)))
    imm = () if op.name == "ref.null" else imm
    sig = _EFFECTS.get(op.name, op.sig)
    return op if (sig, imm) == (op.sig, op.imm) else replace(op, sig=sig, imm=imm)


CORE = Table(
    "core code",
    sorted(
        (
            *(_kept(op) for op in WASM if op.sig or op.name in _EFFECTS if op.name != "nop"),
            *(replace(op, group=group) for group, rows in _OWN.items() for op in rows),
        ),
        key=lambda op: op.code,
    ),
)

#: Open calls beyond which a call traps: a call's depth fits in two bytes.
MAX_FRAMES = 1 << 16
#: Slots beyond which a call traps.
MAX_SLOTS = 1 << 20
#: Instructions that a program may come to; lowering and loading take 700 bytes for each.
MAX_CODE = 1 << 21
