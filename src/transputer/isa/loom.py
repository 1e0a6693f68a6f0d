"""The table of the loom machine: 21 operations and SUBLEQ on N-bit words, three operands each.

An instruction is (a, b, c). Where `a` is below the number of scratchpad columns it is the
operation's number; otherwise it is itself an operand, and the instruction is SUBLEQ. `b` and `c`
are memory slots; `c` of a jump is a place in the code. A row's immediates name the operands it
uses, in the order in which they are written: `a`, `b`, `c` (slots) and `pc` (a place).

A pure function takes the width in bits, then the words of the operands that the signature counts
(b before c; for SUBLEQ b before a), and gives the new word of b, or for a jump whether it is
taken. What more a row does:

* SUBLEQ writes `b - a`, wrapping, and jumps where b was not greater than a, signed: the exact
  difference decides, so that comparisons are right over the full range;
* LOAD and STORE take the word of c as the index of a slot, unsigned; an index that is not a slot
  traps, and nothing is written;
* FIND takes the word of b as the index to begin at, unsigned, and leaves there the index of the
  first slot at or after it that holds the word of c, or all ones where there is none;
* SWAP exchanges two slots;
* slot 0 is the output: whatever writes it also puts out the low 8 bits of its new word;
* a number without a row traps.
"""

from dataclasses import replace

from transputer.errors import Trap
from transputer.isa import integers as it
from transputer.isa.op import Op, Table


def second(n: int, b: int, c: int) -> int:
    """The other operand's word."""
    return c


def increment(n: int, b: int) -> int:
    """One more, wrapping."""
    return it.add(n, b, 1)


def decrement(n: int, b: int) -> int:
    """One less, wrapping."""
    return it.sub(n, b, 1)


def double(n: int, b: int, c: int) -> int:
    """Twice the other word, wrapping."""
    return it.add(n, c, c)


def halve(n: int, b: int, c: int) -> int:
    """The other word shifted right by one, its sign coming in."""
    return it.shr_s(n, c, 1)


def zero(n: int, b: int) -> int:
    """Whether the word is zero."""
    return int(b == 0)


def nonzero(n: int, b: int) -> int:
    """Whether the word is not zero."""
    return int(b != 0)


def negative(n: int, b: int) -> int:
    """Whether the word is negative."""
    return b >> (n - 1)


def if_negative(n: int, b: int, c: int) -> int:
    """The other word where this one is negative, otherwise this one."""
    return c if negative(n, b) else b


def multiply_step(n: int, b: int, c: int) -> int:
    """Twice the word, and the other added where it was negative; wrapping."""
    return (2 * b + (c if negative(n, b) else 0)) & it.mask(n)


def not_greater(n: int, b: int, a: int) -> int:
    """Whether b <= a, signed: the jump of SUBLEQ."""
    return int(it.signed(n, b) <= it.signed(n, a))


#: The number under which the table keeps SUBLEQ; no instruction holds it.
SUBLEQ_ROW = 1 << 16
#: Index that FIND leaves if there is no such slot, as a signed word.
NOT_FOUND = -1

# Edge cases are at 8 bits.
# fmt: off
_BC, _OUT_OF_RANGE = ("b", "c"), (Trap.MEMORY_OUT_OF_BOUNDS,)
_MOVES = (
    Op("MOV", 1, "ii:i", "Copy c to b.", second, ((1, 0x80, 0x80),), _BC),
    Op("LOAD", 11, "i:i", "Copy to b the slot whose index c holds.", imm=_BC, traps=_OUT_OF_RANGE),
    Op("FIND", 16, "ii:i", "The first index from b on whose slot equals c.", imm=_BC),
    Op("SWAP", 17, "ii:ii", "Exchange b and c.", imm=_BC),
    Op("CMOV", 18, "ii:i", "Copy c to b if b is negative.", if_negative,
       ((0x80, 5, 5), (0xFF, 0, 0), (0x7F, 5, 0x7F), (0, 5, 0)), _BC),
    Op("STORE", 20, "ii:", "Copy b to the slot whose index c holds.", imm=_BC, traps=_OUT_OF_RANGE),
)
_ARITHMETIC = (
    Op("ADD", 2, "ii:i", "b + c, wrapping.", it.add, ((0x7F, 1, 0x80), (0xFF, 1, 0)), _BC),
    Op("INC", 6, "i:i", "b + 1, wrapping.", increment, ((0xFF, 0), (0x7F, 0x80)), ("b",)),
    Op("DEC", 7, "i:i", "b - 1, wrapping.", decrement, ((0, 0xFF), (0x80, 0x7F)), ("b",)),
    Op("SHL", 8, "ii:i", "Twice c to b, wrapping.", double, ((0, 0xC1, 0x82),), _BC),
    Op("SHR", 9, "ii:i", "Half of c to b, rounded down.", halve,
       ((0, 0x81, 0xC0), (0, 0x7F, 0x3F), (0, 0xFF, 0xFF)), _BC),
    Op("SUB", 15, "ii:i", "b - c, wrapping.", it.sub, ((0, 1, 0xFF), (0x80, 1, 0x7F)), _BC),
    Op("MULACC", 19, "ii:i", "Twice b, and c added if b was negative; wrapping.", multiply_step,
       ((0x80, 3, 3), (0x40, 3, 0x80), (0xFF, 0xFF, 0xFD)), _BC),
)
_BITWISE = (
    Op("AND", 12, "ii:i", "Bitwise and.", it.and_, ((12, 10, 8),), _BC),
    Op("OR", 13, "ii:i", "Bitwise or.", it.or_, ((12, 10, 14),), _BC),
    Op("XOR", 14, "ii:i", "Bitwise exclusive or.", it.xor, ((12, 10, 6), (0xFF, 0xFF, 0)), _BC),
)
_CONTROL = (
    Op("HALT", 0, ":", "Stop."),
    Op("JMP", 3, ":", "Go to the place.", imm=("pc",)),
    Op("JZ", 4, "i:", "Go there if b is zero.", zero, ((0, 1), (0x80, 0)), ("b", "pc")),
    Op("JNZ", 5, "i:", "Go there if b is not zero.", nonzero, ((0, 0), (0x80, 1)), ("b", "pc")),
    Op("CMP", 10, "i:", "Go there if b is negative.", negative,
       ((0x80, 1), (0x7F, 0), (0, 0)), ("b", "pc")),
    Op("SUBLEQ", SUBLEQ_ROW, "ii:i", "b - a, wrapping; go there if b was not greater, signed.",
       it.sub, ((0x9C, 100, 0x38), (5, 5, 0), (5, 6, 0xFF)), ("a", "b", "pc")),
)
# fmt: on

_GROUPS = {"move": _MOVES, "arithmetic": _ARITHMETIC, "bitwise": _BITWISE, "control": _CONTROL}

LOOM = Table(
    "loom",
    sorted(
        (replace(op, group=group) for group, rows in _GROUPS.items() for op in rows),
        key=lambda op: op.code,
    ),
)
