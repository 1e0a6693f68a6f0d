"""Programs of the soft machine as plain instructions, their text, and their arrays."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Place, SourceError
from transputer.isa.integers import mask, signed
from transputer.isa.soft import SOFT
from transputer.values import dataclass

#: Columns of a program as an array: operation, d, a, b, number.
FIELDS = ("op", "d", "a", "b", "n")
_REGISTERS = {"to": "d", "a": "a", "b": "b"}
#: Bits of an instruction's number. It is cut to narrower words and sign-extended to wider ones.
NUMBER = 32


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. Fields that the operation does not use are 0."""

    op: str
    d: int = 0
    a: int = 0
    b: int = 0
    n: int = 0

    def __str__(self) -> str:
        fields = [_written(self, kind) for kind in SOFT[self.op].imm]
        return f"{self.op} {', '.join(fields)}".rstrip()

    @property
    def uses(self) -> frozenset[str]:
        """The fields that its operation looks at, by their names here."""
        kinds = SOFT[self.op].imm
        return frozenset(_REGISTERS.get(kind, "n") for kind in kinds)

    def plain(self) -> "Instruction":
        """The same with every unused field 0."""
        kept = {name: getattr(self, name) for name in self.uses}
        return Instruction(self.op, **kept)


Code = tuple[Instruction, ...]


def _written(instruction: Instruction, kind: str) -> str:
    if kind in _REGISTERS:
        return f"R{getattr(instruction, _REGISTERS[kind])}"
    return str(instruction.n if kind == "pc" else signed(NUMBER, instruction.n))


def word_of(number: int, width: int) -> int:
    """The word of `width` bits that an instruction's number stands for."""
    return signed(NUMBER, number) & mask(width)


def number_for(word: int, width: int) -> int | None:
    """The number that stands for a word of `width` bits; None if there is none."""
    number = word & mask(min(width, NUMBER))
    return number if word_of(number, width) == word & mask(width) else None


def encode(code: Sequence[Instruction]) -> NDArray[np.int64]:
    """The program as rows of integers, one per instruction."""
    rows = [(SOFT[i.op].code, i.d, i.a, i.b, i.n) for i in code]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(FIELDS))


def decode(rows: Iterable[Sequence[int]], width: int) -> Code:
    """Instructions from rows of integers; numbers are read as signed words of this width."""
    code = []
    for op, d, a, b, n in rows:
        row = SOFT.by_code(int(op))
        if row is None:
            raise ValueError(f"the soft machine has no operation {op}")
        number = int(n) & mask(width)
        if "pc" not in row.imm:
            number = signed(width, number) & mask(NUMBER)
        code.append(Instruction(row.name, int(d), int(a), int(b), number).plain())
    return tuple(code)


def text(code: Iterable[Instruction]) -> str:
    """One instruction per line, as `parse` reads it."""
    return "\n".join(map(str, code))


def parse(source: str, file: str = "") -> Code:
    """Instructions from their text; `;` starts a comment. Raises `SourceError` with the place."""
    code = []
    for at, line, words in _written_lines(source):
        try:
            code.append(_instruction(words))
        except ValueError as problem:
            raise SourceError(str(problem), Place(file, at, 1, text=line)) from None
    return tuple(code)


def line_numbers(source: str) -> list[int]:
    """The line of each instruction of a text that `parse` reads."""
    return [at for at, _, _ in _written_lines(source)]


def _written_lines(source: str) -> Iterator[tuple[int, str, list[str]]]:
    """Lines with an instruction: number, text and words."""
    for at, line in enumerate(source.splitlines(), 1):
        words = line.split(";")[0].replace(",", " ").split()
        if words:
            yield at, line, words


def _instruction(words: Sequence[str]) -> Instruction:
    name, *fields = words
    if name not in SOFT:
        raise ValueError(f"the soft machine has no operation {name}")
    kinds = SOFT[name].imm
    if len(fields) != len(kinds):
        raise ValueError(f"{name} takes {len(kinds)} fields, not {len(fields)}")
    return Instruction(name, **dict(map(_field, kinds, fields)))


def _field(kind: str, word: str) -> tuple[str, int]:
    if kind in _REGISTERS:
        if word[:1] != "R" or not word[1:].isdigit():
            raise ValueError(f"{word} is not a register; they are R0, R1, and so on")
        return _REGISTERS[kind], int(word[1:])
    try:
        return "n", int(word, 0) & mask(NUMBER)
    except ValueError:
        raise ValueError(f"{word} is not a number") from None
