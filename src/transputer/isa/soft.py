"""The table of the soft machine: 36 operations on words of any width, three registers and a number.

An instruction has five fields: operation, registers d, a and b, and a number of 32 bits, which is
cut to narrower words and sign-extended to wider ones. A row's immediates name the fields it uses,
in the order in which they are written: `to` (register d), `a`, `b`, `n` (the number) and `pc` (the
number as a place in the code). A place at or beyond the end stops the machine.

A pure function takes the width in bits, then the operands (`operands` says which); it is written
over any algebra of words, so that the interpreter, the hard path in JAX and in C, proofs and
exports all derive from it. The machine adds the differentiable meaning. What the row writes:

* to d, its value; `LDP` and `STP` also add 1 to a (where d and a are the same, the value stays);
* `CMP` alone sets the flags, and compares a with b. Packed into one int they are Z (equal), N
  (the difference looks negative), C (no borrow), V (the difference overflowed) and S (a is less,
  signed: N xor V), from the lowest bit;
* memory has words; `LDB` and `STB` count its bytes, the lowest of a word first. Addresses wrap.
"""

from dataclasses import replace
from enum import Enum
from functools import cache
from itertools import product
from typing import Any

from transputer.errors import Unsupported
from transputer.isa.op import Op, Registry, Table
from transputer.isa.words import Condition, Meaning, Rule, Word, WordAlgebra

#: The flags, from the lowest bit of the packed form.
FLAGS = ("Z", "N", "C", "V", "S")
_Z, _S = FLAGS.index("Z"), FLAGS.index("S")

_LOW, _HIGH, _ONES = 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF


def _compare(w: WordAlgebra, a: Word, b: Word) -> Any:
    """The flags of `a - b`."""
    less, negative = w.less(a, b), w.negative(w.sub(a, b))
    carry = w.not_(w.below(a, b))
    return w.flags(w.equal(a, b), negative, carry, w.differ(negative, less), less)


def _if_less(w: WordAlgebra, old: Word, a: Word, flags: Any) -> Word:
    """`a` after a comparison that found less, otherwise what was there."""
    return w.choose(w.flag(flags, _S), a, old)


def _flag(index: int) -> Rule:
    """Whether a flag is set."""

    def holds(w: WordAlgebra, flags: Any) -> Condition:
        return w.flag(flags, index)

    return holds


def _no_flag(index: int) -> Rule:
    """Whether a flag is not set."""

    def holds(w: WordAlgebra, flags: Any) -> Condition:
        return w.not_(w.flag(flags, index))

    return holds


move = Meaning(lambda w, a: a)
add = Meaning(lambda w, a, b: w.add(a, b))
sub = Meaning(lambda w, a, b: w.sub(a, b))
mul = Meaning(lambda w, a, b: w.mul(a, b))
and_ = Meaning(lambda w, a, b: w.and_(a, b))
or_ = Meaning(lambda w, a, b: w.or_(a, b))
xor = Meaning(lambda w, a, b: w.xor(a, b))
shl = Meaning(lambda w, a, b: w.shl(a, b))
shr = Meaning(lambda w, a, b: w.shr(a, b))
sra = Meaning(lambda w, a, b: w.sra(a, b))
min_s = Meaning(lambda w, a, b: w.choose(w.less(a, b), a, b))
max_s = Meaning(lambda w, a, b: w.choose(w.less(a, b), b, a))
decrement = Meaning(lambda w, a: w.sub(a, w.number(1)))
compare = Meaning(_compare)
if_less = Meaning(_if_less)
equal, unequal = Meaning(_flag(_Z)), Meaning(_no_flag(_Z))
less, not_less = Meaning(_flag(_S)), Meaning(_no_flag(_S))


# fmt: off
_DAB, _DAN = ("to", "a", "b"), ("to", "a", "n")
_MOVES = (
    Op("MOV", 1, "i:i", "Copy a to d.", move, ((5, 5), (_LOW, _LOW)), ("to", "a")),
    Op("SET", 2, "i:i", "The number to d.", move, ((_ONES, _ONES), (0, 0)), ("to", "n")),
    Op("CMOV", 16, "iii:i", "Copy a to d if the compared a was less.", if_less,
       ((1, 2, 0b10000, 2), (1, 2, 0b01111, 1)), ("to", "a")),
)
_ARITHMETIC = (
    Op("ADD", 3, "ii:i", "a + b, wrapping.", add, ((_ONES, 1, 0), (_HIGH, 1, _LOW)), _DAB),
    Op("ADDI", 4, "ii:i", "a + the number, wrapping.", add, ((0, _ONES, _ONES), (_LOW, _LOW, 0)), _DAN),
    Op("SUB", 5, "ii:i", "a - b, wrapping.", sub, ((0, 1, _ONES), (_LOW, 1, _HIGH)), _DAB),
    Op("MUL", 32, "ii:i", "a * b, wrapping.", mul, ((_ONES, _ONES, 1), (0x10001, 0x10001, 0x20001)), _DAB),
    Op("MIN", 13, "ii:i", "The lesser of a and b, signed.", min_s,
       ((_HIGH, _ONES, _ONES), (_LOW, _HIGH, _LOW)), _DAB),
    Op("MAX", 14, "ii:i", "The greater of a and b, signed.", max_s,
       ((_HIGH, _ONES, _HIGH), (_LOW, _HIGH, _HIGH)), _DAB),
    Op("CMP", 15, "ii:i", "Set the flags of a - b.", compare,
       ((5, 5, 0b00101), (_HIGH, _ONES, 0b01010), (_LOW, 1, 0b11100), (0, 1, 0b10010)), ("a", "b")),
)
_BITWISE = (
    Op("AND", 6, "ii:i", "Bitwise and.", and_, ((12, 10, 8),), _DAB),
    Op("OR", 7, "ii:i", "Bitwise or.", or_, ((12, 10, 14),), _DAB),
    Op("XOR", 8, "ii:i", "Bitwise exclusive or.", xor, ((12, 10, 6), (_ONES, _ONES, 0)), _DAB),
    Op("SHL", 9, "ii:i", "a shifted left by the number modulo the width.", shl,
       ((1, 31, _LOW), (1, 32, 1)), _DAN),
    Op("SHR", 10, "ii:i", "a shifted right, zeros coming in.", shr,
       ((_LOW, 31, 1), (_ONES, 33, _HIGH)), _DAN),
    Op("SRA", 11, "ii:i", "a shifted right, its sign coming in.", sra,
       ((_LOW, 31, _ONES), (_HIGH, 30, 1)), _DAN),
    Op("SHLV", 33, "ii:i", "a shifted left by b modulo the width.", shl, ((1, 31, _LOW), (1, 32, 1)), _DAB),
    Op("SHRV", 34, "ii:i", "a shifted right by b, zeros coming in.", shr,
       ((_LOW, 31, 1), (_ONES, 33, _HIGH)), _DAB),
    Op("SRAV", 35, "ii:i", "a shifted right by b, its sign coming in.", sra,
       ((_LOW, 31, _ONES), (_HIGH, 30, 1)), _DAB),
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


class Shape(Enum):
    """What a row does with the result of its function; rows without one have rules of their own."""

    VALUE = "writes it to d"
    FLAGS = "sets the flags"
    BRANCH = "jumps if it holds"
    COUNT = "writes it to d and jumps unless it is zero"
    OTHER = "has no function"


@cache
def shape(name: str) -> Shape:
    """The shape of a row, from its fields."""
    op = SOFT[name]
    if op.fn is None:
        return Shape.OTHER
    if "to" in op.imm:
        return Shape.COUNT if "pc" in op.imm else Shape.VALUE
    return Shape.BRANCH if "pc" in op.imm else Shape.FLAGS


@cache
def operands(name: str) -> tuple[str, ...]:
    """What a row's function takes: registers `d`, `a`, `b`, the number `n`, the `flags`.

    Its fields, and where the signature has one operand more, `d` before them (the flags where
    there is no `d`); where it has two more, also the flags after them.
    """
    op = SOFT[name]
    fields = tuple(field for field in op.imm if field in ("a", "b", "n"))
    more = ("d", "flags") if "to" in op.imm else ("flags",)
    missing = op.pops - len(fields)
    if not 0 <= missing <= len(more):
        raise Unsupported(f"{name}: {op.pops} operands, where its fields are {', '.join(op.imm)}")
    before, after = more[:missing][:1], more[:missing][1:]
    return (*before, *fields, *after)


def meaning(name: str) -> Rule:
    """A row's hard meaning over any algebra; `Unsupported` where its function is for ints alone."""
    fn = SOFT[name].fn
    if not isinstance(fn, Meaning):
        raise Unsupported(f"{name} has no hard meaning: its function must be a Meaning")
    return fn.rule


def require(registry: Registry[Any], what: str) -> None:
    """`Unsupported`, naming the rows, if a part of the machine lacks rules for some."""
    missing = registry.missing()
    if missing:
        raise Unsupported(f"{what} lacks a meaning for {', '.join(missing)}")


# Properties of rows, found by trying all words of four bits.
_BITS = 4
_WORDS = range(1 << _BITS)


@cache
def commutes(name: str) -> bool:
    """Whether a and b may be exchanged."""
    fn = SOFT[name].fn
    if fn is None or operands(name) != ("a", "b"):
        return False
    return all(fn(_BITS, a, b) == fn(_BITS, b, a) for a, b in product(_WORDS, repeat=2))


@cache
def shifts(name: str) -> bool:
    """Whether the number counts modulo the width, as the amount of a shift does."""
    fn = SOFT[name].fn
    if fn is None or operands(name) != ("a", "n"):
        return False
    return all(fn(_BITS, a, n) == fn(_BITS, a, n % _BITS) for a, n in product(_WORDS, repeat=2))


@cache
def observed(name: str) -> int:
    """The flags that a row's function depends on, packed."""
    fn, takes = SOFT[name].fn, operands(name) if SOFT[name].fn else ()
    if fn is None or "flags" not in takes:
        return 0
    others = len(takes) - 1

    def result(flags: int) -> int:
        words = iter(range(1, others + 1))
        return fn(_BITS, *(flags if take == "flags" else next(words) for take in takes))

    bits = (1 << k for k in range(len(FLAGS)))
    every = range(1 << len(FLAGS))
    return sum(bit for bit in bits if any(result(f) != result(f ^ bit) for f in every))
