"""Whole programs of the soft machine: code, the words that memory begins with, and their file.

What a compiler and the host agree on:

* All registers begin as 0, and execution at place 0. The result is in R0 when the machine stops.
* `ZERO` stays 0 while the program runs; one that fails ends with a number of `FAILURES` there.
* Word 0 of memory belongs to no object. The stack grows down from address -1: addresses wrap,
  so it lies at the top of however much memory the machine has.

The file has four numbers of 32 bits, lowest byte first (`MAGIC`, how many instructions, how many
words, how many words of memory it wants), then 8 bytes for each instruction (operation, d, a, b,
and the number in four bytes), then the words.
"""

import struct

from transputer.errors import CapacityError, MalformedError, Place, Trap
from transputer.ir.loom import Symbol
from transputer.ir.soft import Code, Instruction
from transputer.isa.soft import SOFT
from transputer.values import dataclass

#: The register of the result, and the one that is 0 unless the program has failed.
RESULT, ZERO = 0, 13
#: How a program can fail, by what is then in register `ZERO`.
FAILURES = {
    1: Trap.DIVIDE_BY_ZERO,
    2: Trap.STACK_EXHAUSTED,
    3: Trap.UNREACHABLE,
    4: Trap.UNINITIALIZED_ELEMENT,
    5: Trap.HEAP_EXHAUSTED,
}
#: The most words of memory that an image may want: 64 MB.
MOST = 1 << 24
MAGIC = b"SOFT"
_HEADER = struct.Struct("<4sIII")
_INSTRUCTION = struct.Struct("<BBBBI")
_WORD = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Image:
    """A program for words of 32 bits: its code, the first words of memory, and what it needs.

    `memory` is a power of two. Symbols name globals by their address; `lines` has the line of the
    source for each instruction, 0 where it has none.
    """

    code: Code
    words: tuple[int, ...] = ()
    memory: int = 256
    lines: tuple[int, ...] = ()
    symbols: tuple[Symbol, ...] = ()


def room(words: int) -> int:
    """The least power of two that is at least `words`; `CapacityError` above `MOST`."""
    if words > MOST:
        raise CapacityError(f"needs {words:,} words of memory, there are at most {MOST:,}")
    return 1 << max(1, words - 1).bit_length()


def to_bytes(image: Image) -> bytes:
    """The file of an image."""
    head = _HEADER.pack(MAGIC, len(image.code), len(image.words), image.memory)
    code = (_INSTRUCTION.pack(SOFT[i.op].code, i.d, i.a, i.b, i.n) for i in image.code)
    return b"".join((head, *code, *map(_WORD.pack, image.words)))


def from_bytes(data: bytes, file: str = "") -> Image:
    """The image in a file; `MalformedError` where it is none."""
    if len(data) < _HEADER.size or data[:4] != MAGIC:
        raise MalformedError("not an image of the soft machine", Place(file, offset=0))
    _, instructions, count, memory = _HEADER.unpack_from(data)
    wanted = _HEADER.size + instructions * _INSTRUCTION.size + count * _WORD.size
    if len(data) != wanted:
        problem = f"{len(data):,} bytes, where the header says {wanted:,}"
        raise MalformedError(problem, Place(file, offset=4))
    if memory & (memory - 1) or not count <= memory <= MOST:
        problem = f"memory of {memory:,} words: a power of two up to {MOST:,} that holds the words"
        raise MalformedError(problem, Place(file, offset=12))
    end = wanted - count * _WORD.size
    code = tuple(_instruction(data, at, file) for at in range(_HEADER.size, end, _INSTRUCTION.size))
    words = tuple(word for (word,) in _WORD.iter_unpack(data[end:]))
    return Image(code, words, memory)


def _instruction(data: bytes, at: int, file: str) -> Instruction:
    op, d, a, b, n = _INSTRUCTION.unpack_from(data, at)
    row = SOFT.by_code(op)
    if row is None or max(d, a, b) > 15:
        raise MalformedError("no instruction of the soft machine", Place(file, offset=at))
    return Instruction(row.name, d, a, b, n)
