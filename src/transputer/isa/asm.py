"""The stack assembly table: the seed's opcodes, 1 to 55, and TRAP (99).

Values are 32-bit integers on one operand stack; arithmetic wraps. A row's doc says what the
instruction does and then, after two spaces, its stack effect, the top operand last.

Stated once instead of on every row: an instruction that finds fewer operands than it takes
traps with STACK_UNDERFLOW, and one that would leave more than `STACK_LIMIT` slots in use with
STACK_EXHAUSTED. A trapping instruction changes nothing. Where it could trap for several
reasons, underflow comes first, then exhaustion, then the traps of its row.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby

from transputer.errors import Trap
from transputer.isa import integers as it
from transputer.isa.op import Op, Table

#: The most operand slots in use at once.
STACK_LIMIT = 2**20
#: The most calls open at once.
CALL_LIMIT = 65_535
#: Local variables are numbered below this.
LOCALS = 65_536
#: Instructions after which control never continues with the next one.
ENDS = frozenset({"HALT", "RETURN", "TRAP"})

_LOW, _HIGH, _ONES = 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF
_ZERO = (Trap.DIVIDE_BY_ZERO,)
_ZERO_OR_OVERFLOW = (Trap.DIVIDE_BY_ZERO, Trap.INTEGER_OVERFLOW)
_BOUNDS = (Trap.MEMORY_OUT_OF_BOUNDS,)


def second_if(a: int, b: int, c: int) -> int:
    """`b` if `c` is not zero, else `a`; WebAssembly's select has it the other way round."""
    return b if c else a


# fmt: off
_STACK = (
    Op("PUSH", 1, ":i", "Push a constant.  → n", imm=("i32",)),
    Op("POP", 2, "i:", "Discard the top.  a →"),
    Op("DUP", 4, "i:ii", "Duplicate the top.  a → a a"),
    Op("SWAP", 10, "ii:ii", "Exchange the top two.  a b → b a"),
    Op("OVER", 11, "ii:iii", "Copy the second to the top.  a b → a b a"),
    Op("ROT", 12, "iii:iii", "Bring the third to the top.  a b c → b c a"),
    Op("SELECT", 42, "iii:i",
       "The second if the top is not zero, else the first (WebAssembly: the reverse).  "
       "a b c → b if c≠0 else a", second_if,
       ((10, 20, 0, 10), (10, 20, 1, 20), (10, 20, _LOW, 20), (0, _ONES, 256, _ONES))),
)

_ARITHMETIC = (
    Op("ADD", 3, "ii:i", "Add, wrapping.  a b → a+b", partial(it.add, 32),
       ((_ONES, 1, 0), (_HIGH, 1, _LOW), (_LOW, _LOW, 0))),
    Op("SUB", 6, "ii:i", "Subtract, wrapping.  a b → a-b", partial(it.sub, 32),
       ((0, 1, _ONES), (_LOW, 1, _HIGH), (5, 3, 2))),
    Op("MUL", 13, "ii:i", "Multiply, wrapping.  a b → a*b", partial(it.mul, 32),
       ((0x10000, 0x10000, 0), (_ONES, _ONES, 1), (_LOW, _ONES, _LOW))),
    Op("DIV_S", 14, "ii:i", "Divide signed, toward zero.  a b → a/b", partial(it.div_s, 32),
       ((0xFFFFFFF9, 2, 0xFFFFFFFD), (7, 0xFFFFFFFE, 0xFFFFFFFD), (_LOW, 1, _LOW),
        (1, 0, Trap.DIVIDE_BY_ZERO), (_LOW, _ONES, Trap.INTEGER_OVERFLOW)),
       traps=_ZERO_OR_OVERFLOW),
    Op("DIV_U", 15, "ii:i", "Divide unsigned.  a b → a/b", partial(it.div_u, 32),
       ((0xFFFFFFF9, 2, 0x7FFFFFFC), (_LOW, _ONES, 0), (_ONES, 1, _ONES),
        (1, 0, Trap.DIVIDE_BY_ZERO)), traps=_ZERO),
    Op("REM_S", 16, "ii:i", "Signed remainder, with the sign of the dividend.  a b → a%b",
       partial(it.rem_s, 32),
       ((0xFFFFFFF9, 2, _ONES), (7, 0xFFFFFFFE, 1), (_LOW, _ONES, 0),
        (1, 0, Trap.DIVIDE_BY_ZERO)), traps=_ZERO),
    Op("REM_U", 17, "ii:i", "Unsigned remainder.  a b → a%b", partial(it.rem_u, 32),
       ((0xFFFFFFF9, 2, 1), (_LOW, _ONES, _LOW), (7, 7, 0), (1, 0, Trap.DIVIDE_BY_ZERO)),
       traps=_ZERO),
    Op("ABS", 40, "i:i", "Absolute value of the signed reading; the lowest number stays.  a → |a|",
       partial(it.abs_, 32), ((_ONES, 1), (_LOW, _LOW), (_HIGH, _HIGH), (0, 0))),
    Op("NEG", 41, "i:i", "Zero minus the value, wrapping.  a → -a", partial(it.neg, 32),
       ((1, _ONES), (_LOW, _LOW), (0, 0), (_ONES, 1))),
)

_COMPARISON = (
    Op("EQZ", 18, "i:i", "Test for zero.  a → a==0", partial(it.eqz, 32),
       ((0, 1), (_LOW, 0), (1, 0))),
    Op("EQ", 19, "ii:i", "Equal.  a b → a==b", partial(it.eq, 32), ((5, 5, 1), (0, _LOW, 0))),
    Op("NE", 20, "ii:i", "Not equal.  a b → a≠b", partial(it.ne, 32), ((5, 5, 0), (0, _LOW, 1))),
    Op("LT_S", 21, "ii:i", "Signed less than.  a b → a<b", partial(it.lt_s, 32),
       ((_LOW, _HIGH, 1), (1, 1, 0), (0, _ONES, 0))),
    Op("LT_U", 22, "ii:i", "Unsigned less than.  a b → a<b", partial(it.lt_u, 32),
       ((_LOW, _HIGH, 0), (1, 1, 0), (0, _ONES, 1))),
    Op("GT_S", 23, "ii:i", "Signed greater than.  a b → a>b", partial(it.gt_s, 32),
       ((_LOW, _HIGH, 0), (1, 1, 0), (0, _ONES, 1))),
    Op("GT_U", 24, "ii:i", "Unsigned greater than.  a b → a>b", partial(it.gt_u, 32),
       ((_LOW, _HIGH, 1), (1, 1, 0), (0, _ONES, 0))),
    Op("LE_S", 25, "ii:i", "Signed less or equal.  a b → a<=b", partial(it.le_s, 32),
       ((_LOW, _HIGH, 1), (1, 1, 1), (0, _ONES, 0))),
    Op("LE_U", 26, "ii:i", "Unsigned less or equal.  a b → a<=b", partial(it.le_u, 32),
       ((_LOW, _HIGH, 0), (1, 1, 1), (0, _ONES, 1))),
    Op("GE_S", 27, "ii:i", "Signed greater or equal.  a b → a>=b", partial(it.ge_s, 32),
       ((_LOW, _HIGH, 0), (1, 1, 1), (0, _ONES, 1))),
    Op("GE_U", 28, "ii:i", "Unsigned greater or equal.  a b → a>=b", partial(it.ge_u, 32),
       ((_LOW, _HIGH, 1), (1, 1, 1), (0, _ONES, 0))),
)

_BITWISE = (
    Op("AND", 29, "ii:i", "Bitwise and.  a b → a&b", partial(it.and_, 32),
       ((12, 10, 8), (0xF0F0F0F0, 0xFFFF0000, 0xF0F00000))),
    Op("OR", 30, "ii:i", "Bitwise or.  a b → a|b", partial(it.or_, 32),
       ((12, 10, 14), (0xF0F0F0F0, 0xFFFF0000, 0xFFFFF0F0))),
    Op("XOR", 31, "ii:i", "Bitwise exclusive or.  a b → a^b", partial(it.xor, 32),
       ((5, 3, 6), (_ONES, _ONES, 0), (_LOW, _ONES, _HIGH))),
    Op("SHL", 32, "ii:i", "Shift left by b modulo 32.  a b → a<<b", partial(it.shl, 32),
       ((1, 31, _LOW), (1, 32, 1), (3, 31, _LOW), (1, _ONES, _LOW))),
    Op("SHR_S", 33, "ii:i", "Arithmetic shift right by b modulo 32.  a b → a>>b",
       partial(it.shr_s, 32), ((_LOW, 31, _ONES), (_LOW, 32, _LOW), (_HIGH, 30, 1))),
    Op("SHR_U", 34, "ii:i", "Logical shift right by b modulo 32.  a b → a>>b",
       partial(it.shr_u, 32), ((_LOW, 31, 1), (_LOW, 32, _LOW), (_ONES, 28, 15))),
    Op("ROTL", 35, "ii:i", "Rotate left by b modulo 32.  a b → a rotated", partial(it.rotl, 32),
       ((0x80000001, 1, 3), (0xABCD9876, 32, 0xABCD9876), (0xABCD9876, 0xFFFFFFF0, 0x9876ABCD))),
    Op("ROTR", 36, "ii:i", "Rotate right by b modulo 32.  a b → a rotated", partial(it.rotr, 32),
       ((1, 1, _LOW), (0xABCD9876, 32, 0xABCD9876), (0xABCD9876, 0xFFFFFFF8, 0xCD9876AB))),
    Op("CLZ", 37, "i:i", "Count leading zero bits; 32 for zero.  a → n", partial(it.clz, 32),
       ((0, 32), (1, 31), (_LOW, 0))),
    Op("CTZ", 38, "i:i", "Count trailing zero bits; 32 for zero.  a → n", partial(it.ctz, 32),
       ((0, 32), (1, 0), (_LOW, 31))),
    Op("POPCNT", 39, "i:i", "Count one bits.  a → n", partial(it.popcnt, 32),
       ((0, 0), (_ONES, 32), (0x80000001, 2))),
)

_CONTROL = (
    Op("HALT", 5, ":", "End the program; the operand stack is its result.  →"),
    Op("JZ", 7, "i:", "Pop; go to the target if zero.  a →", imm=("pc",)),
    Op("JNZ", 8, "i:", "Pop; go to the target if not zero.  a →", imm=("pc",)),
    Op("NOP", 9, ":", "Do nothing; does not count as an instruction.  →"),
    Op("CALL", 54, ":", "Open zeroed locals and go to the target; operands are shared.  →",
       imm=("pc",), traps=(Trap.STACK_EXHAUSTED,)),
    Op("RETURN", 55, ":", "Go to after the last CALL, with its locals; traps if there is none.  →",
       traps=(Trap.STACK_UNDERFLOW,)),
    Op("TRAP", 99, ":", "Trap: the program reports a failure.  →", traps=(Trap.UNREACHABLE,)),
)

_LOCALS = (
    Op("LOCAL.GET", 43, ":i", "Push a local variable.  → a", imm=("local",)),
    Op("LOCAL.SET", 44, "i:", "Pop into a local variable.  a →", imm=("local",)),
    Op("LOCAL.TEE", 45, "i:i", "Copy the top into a local variable.  a → a", imm=("local",)),
)

_MEMORY = (
    Op("I32.LOAD", 46, "i:i", "Load four bytes.  p → a", it.same,
       ((_ONES, _ONES), (0x12345678, 0x12345678)), (), _BOUNDS, 4),
    Op("I32.STORE", 47, "ii:", "Store four bytes.  p a →", partial(it.wrap, 32),
       ((_ONES, _ONES), (_LOW, _LOW)), (), _BOUNDS, 4),
    Op("I32.LOAD8_U", 48, "i:i", "Load a byte and zero-extend.  p → a", it.same,
       ((0x80, 0x80), (0xFF, 0xFF)), (), _BOUNDS, 1),
    Op("I32.LOAD8_S", 49, "i:i", "Load a byte and sign-extend.  p → a",
       partial(it.extend_s, 32, 8), ((0x80, 0xFFFFFF80), (0x7F, 0x7F)), (), _BOUNDS, 1),
    Op("I32.LOAD16_U", 50, "i:i", "Load two bytes and zero-extend.  p → a", it.same,
       ((0x8000, 0x8000), (0xFFFF, 0xFFFF)), (), _BOUNDS, 2),
    Op("I32.LOAD16_S", 51, "i:i", "Load two bytes and sign-extend.  p → a",
       partial(it.extend_s, 32, 16), ((0x8000, 0xFFFF8000), (0x7FFF, 0x7FFF)), (), _BOUNDS, 2),
    Op("I32.STORE8", 52, "ii:", "Store the low byte.  p a →", partial(it.wrap, 8),
       ((0x1FF, 0xFF), (0xFFFFFF80, 0x80)), (), _BOUNDS, 1),
    Op("I32.STORE16", 53, "ii:", "Store the low two bytes.  p a →", partial(it.wrap, 16),
       ((0x1FFFF, 0xFFFF), (0xFFFF8000, 0x8000)), (), _BOUNDS, 2),
)
# fmt: on

_GROUPS = {
    "stack": _STACK,
    "arithmetic": _ARITHMETIC,
    "comparison": _COMPARISON,
    "bitwise": _BITWISE,
    "control": _CONTROL,
    "local": _LOCALS,
    "memory": _MEMORY,
}

ASM = Table(
    "stack assembly",
    (replace(op, group=group) for group, rows in _GROUPS.items() for op in rows),
)


def reference() -> str:
    """The instructions as Markdown, one table per group: what `docs/assembly.md` holds."""
    sections = groupby(ASM, key=lambda op: op.group)
    return "\n".join("\n".join(_section(group, rows)) for group, rows in sections)


def _section(group: str, rows: Iterator[Op]) -> Iterator[str]:
    yield f"### {group.capitalize()}\n"
    yield "| number | instruction | stack effect | what it does | traps |"
    yield "|---:|---|---|---|---|"
    for op in rows:
        does, _, effect = op.doc.partition("  ")
        name = " ".join((op.name, *(f"*{kind}*" for kind in op.imm)))
        traps = ", ".join(trap.value for trap in op.traps)
        cells = (str(op.code), name, effect.replace("|", "\\|"), does, traps)
        yield f"| {' | '.join(cells)} |"
    yield ""
