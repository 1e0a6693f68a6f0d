"""The table of the soft machine: 32 operations on words of any width, three registers and a number.

An instruction has five fields: operation, registers d, a and b, and a number of one word. A row's
immediates name the fields it uses, in the order in which they are written: `to` (register d),
`a`, `b`, `n` (the number) and `pc` (the number as a place in the code). A place at or beyond the
end stops the machine.

A pure function takes the width in bits, then the operands. What the row writes:

* to d, its value; `LDP` and `STP` also add 1 to a (where d and a are the same, the value stays);
* `CMP` alone sets the flags, and compares a with b. Packed into one int they are Z (equal), N
  (the difference looks negative), C (no borrow), V (the difference overflowed) and S (a is less,
  signed: N xor V), from the lowest bit;
* memory has words; `LDB` and `STB` count its bytes, the lowest of a word first. Addresses wrap.
"""

from dataclasses import replace

from transputer.isa import integers as it
from transputer.isa.op import Op, Table

#: The flags, from the lowest bit of the packed form.
FLAGS = ("Z", "N", "C", "V", "S")

_LOW, _HIGH, _ONES = 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF


def first(n: int, a: int) -> int:
    """The operand itself."""
    return a


def compare(n: int, a: int, b: int) -> int:
    """The flags of `a - b`, packed."""
    difference = it.sub(n, a, b)
    less = it.lt_s(n, a, b)
    negative = difference >> (n - 1)
    flags = (int(a == b), negative, int(a >= b), negative ^ less, less)
    return sum(flag << i for i, flag in enumerate(flags))


def equal(n: int, flags: int) -> int:
    """Whether the compared were equal."""
    return flags & 1


def unequal(n: int, flags: int) -> int:
    """Whether the compared differed."""
    return 1 - (flags & 1)


def less(n: int, flags: int) -> int:
    """Whether the first compared was less, signed."""
    return flags >> 4 & 1


def not_less(n: int, flags: int) -> int:
    """Whether the first compared was not less, signed."""
    return 1 - (flags >> 4 & 1)


def if_less(n: int, old: int, a: int, flags: int) -> int:
    """`a` after a comparison that found less, otherwise what was there."""
    return a if less(n, flags) else old


def min_s(n: int, a: int, b: int) -> int:
    """The lesser, signed."""
    return a if it.lt_s(n, a, b) else b


def max_s(n: int, a: int, b: int) -> int:
    """The greater, signed."""
    return b if it.lt_s(n, a, b) else a


def decrement(n: int, a: int) -> int:
    """One less, wrapping."""
    return it.sub(n, a, 1)


# fmt: off
_DAB, _DAN = ("to", "a", "b"), ("to", "a", "n")
_MOVES = (
    Op("MOV", 1, "i:i", "Copy a to d.", first, ((5, 5), (_LOW, _LOW)), ("to", "a")),
    Op("SET", 2, "i:i", "The number to d.", first, ((_ONES, _ONES), (0, 0)), ("to", "n")),
    Op("CMOV", 16, "iii:i", "Copy a to d if the compared a was less.", if_less,
       ((1, 2, 0b10000, 2), (1, 2, 0b01111, 1)), ("to", "a")),
)
_ARITHMETIC = (
    Op("ADD", 3, "ii:i", "a + b, wrapping.", it.add, ((_ONES, 1, 0), (_HIGH, 1, _LOW)), _DAB),
    Op("ADDI", 4, "ii:i", "a + the number, wrapping.", it.add, ((0, _ONES, _ONES), (_LOW, _LOW, 0)), _DAN),
    Op("SUB", 5, "ii:i", "a - b, wrapping.", it.sub, ((0, 1, _ONES), (_LOW, 1, _HIGH)), _DAB),
    Op("MIN", 13, "ii:i", "The lesser of a and b, signed.", min_s,
       ((_HIGH, _ONES, _ONES), (_LOW, _HIGH, _LOW)), _DAB),
    Op("MAX", 14, "ii:i", "The greater of a and b, signed.", max_s,
       ((_HIGH, _ONES, _HIGH), (_LOW, _HIGH, _HIGH)), _DAB),
    Op("CMP", 15, "ii:i", "Set the flags of a - b.", compare,
       ((5, 5, 0b00101), (_HIGH, _ONES, 0b01010), (_LOW, 1, 0b11100), (0, 1, 0b10010)), ("a", "b")),
)
_BITWISE = (
    Op("AND", 6, "ii:i", "Bitwise and.", it.and_, ((12, 10, 8),), _DAB),
    Op("OR", 7, "ii:i", "Bitwise or.", it.or_, ((12, 10, 14),), _DAB),
    Op("XOR", 8, "ii:i", "Bitwise exclusive or.", it.xor, ((12, 10, 6), (_ONES, _ONES, 0)), _DAB),
    Op("SHL", 9, "ii:i", "a shifted left by the number modulo the width.", it.shl,
       ((1, 31, _LOW), (1, 32, 1)), _DAN),
    Op("SHR", 10, "ii:i", "a shifted right, zeros coming in.", it.shr_u,
       ((_LOW, 31, 1), (_ONES, 33, _HIGH)), _DAN),
    Op("SRA", 11, "ii:i", "a shifted right, its sign coming in.", it.shr_s,
       ((_LOW, 31, _ONES), (_HIGH, 30, 1)), _DAN),
)
_CONTROL = (
    Op("HALT", 0, ":", "Stop."),
    Op("JMP", 17, ":", "Go to the place.", imm=("pc",)),
    Op("JEQ", 18, "i:", "Go there if the compared were equal.", equal, ((1, 1), (0b11110, 0)), ("pc",)),
    Op("JNE", 19, "i:", "Go there if the compared differed.", unequal, ((1, 0), (0b11110, 1)), ("pc",)),
    Op("JLT", 20, "i:", "Go there if the compared a was less, signed.", less,
       ((0b10000, 1), (0b01111, 0)), ("pc",)),
    Op("JGE", 21, "i:", "Go there if it was not.", not_less, ((0b10000, 0), (0b01111, 1)), ("pc",)),
    Op("DJNZ", 12, "i:i", "Take 1 from d and go there unless that makes it zero.", decrement,
       ((1, 0), (0, _ONES), (_LOW, _HIGH)), ("to", "pc")),
    Op("CALL", 22, ":i", "The next place to d, and go there.", imm=("to", "pc")),
    Op("RET", 23, "i:", "Go to the place that a holds.", imm=("a",)),
)
_MEMORY = (
    Op("LD", 24, "i:i", "Load the word at a + the number.", imm=_DAN),
    Op("ST", 25, "ii:", "Store b at a + the number.", imm=("a", "n", "b")),
    Op("LDP", 26, "i:ii", "Load the word at a, then add 1 to a.", imm=("to", "a")),
    Op("STP", 27, "ii:i", "Store b at a, then add 1 to a.", imm=("a", "b")),
    Op("LDB", 28, "i:i", "Load the byte at a + the number, zero-extended.", imm=_DAN, width=1),
    Op("STB", 29, "ii:", "Store the low byte of b at byte a + the number.", imm=("a", "n", "b"), width=1),
)
_PORTS = (
    Op("IN", 30, ":i", "The next word of the input; all ones when there is none.", imm=("to",)),
    Op("OUT", 31, "i:", "Append a to the output; lost when that is full.", imm=("a",)),
)
# fmt: on

_GROUPS = {
    "move": _MOVES,
    "arithmetic": _ARITHMETIC,
    "bitwise": _BITWISE,
    "control": _CONTROL,
    "memory": _MEMORY,
    "port": _PORTS,
}

SOFT = Table(
    "soft",
    sorted(
        (replace(op, group=group) for group, rows in _GROUPS.items() for op in rows),
        key=lambda op: op.code,
    ),
)
#: Every operation, by number.
NAMES = tuple(op.name for op in SOFT)
