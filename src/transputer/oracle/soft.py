"""The interpreter of images: the soft machine as its table says it, to hold the others against.

Every instruction becomes a closure once; a run is then `pc = step[pc]()`.
"""

from collections.abc import Callable, Sequence

from transputer.errors import StepLimitError, Trap
from transputer.ir.image import FAILURES, RESULT, ZERO, Image
from transputer.ir.soft import Instruction
from transputer.isa.integers import mask, signed
from transputer.isa.op import Registry
from transputer.isa.soft import SOFT, Shape, meaning, operands, require, shape
from transputer.isa.words import Ints

#: Bits of a word.
BITS = 32
_ONES = mask(BITS)

Step = Callable[[], int]
Maker = Callable[["Soft", Instruction, int], Step]
MAKERS: Registry[Maker] = Registry(SOFT)


class Soft:
    """One run of an image; `registers`, `flags`, `pc`, `memory` and `output` are its state."""

    def __init__(self, image: Image, read: Callable[[], int] = lambda: -1) -> None:
        require(MAKERS, "the interpreter")
        self.read = read
        self.registers = [0] * 16
        self.memory = [*image.words, *[0] * (image.memory - len(image.words))]
        self.output = bytearray()
        self.flags = self.pc = self.steps = 0
        self._within = (1 << len(image.code).bit_length()) - 1
        code = enumerate(image.code)
        self._code = [MAKERS.rules[one.op](self, one, at) for at, one in code]

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""
        return self.pc >= len(self._code)

    @property
    def result(self) -> int:
        """What main has returned."""
        return signed(BITS, self.registers[RESULT])

    @property
    def trap(self) -> Trap | None:
        """How the program failed, if it did."""
        return FAILURES.get(self.registers[ZERO])

    def run(self, limit: int) -> None:
        """Run until the program ends; `StepLimitError` after `limit` steps of this call."""
        code, pc, steps = self._code, self.pc, 0
        end = len(code)
        while pc < end and steps < limit:
            steps += 1
            pc = code[pc]()
        self.pc, self.steps = pc, self.steps + steps
        if pc < end:
            raise StepLimitError(limit)

    def place(self, word: int) -> int:
        """The place that a word names; whatever lies beyond the end is the end."""
        return min(word & self._within, len(self._code))

    def cell(self, address: int) -> int:
        """The word of memory at an address: addresses wrap."""
        return address & (len(self.memory) - 1)


def _writing(soft: Soft, one: Instruction, at: int, value: Callable[[], int]) -> Step:
    registers, d, after = soft.registers, one.d, at + 1

    def step() -> int:
        registers[d] = value()
        return after

    return step


def _value(soft: Soft, one: Instruction) -> Callable[[], int]:
    """The result of the row's function on the operands that an instruction names."""
    rule, words, r = meaning(one.op), Ints(BITS), soft.registers
    cells: dict[str, tuple[Sequence[int], int]] = {
        "d": (r, one.d),
        "a": (r, one.a),
        "b": (r, one.b),
        "n": ((one.n,), 0),
    }
    takes = operands(one.op)
    if "flags" in takes:
        return lambda: rule(
            words, *(soft.flags if t == "flags" else cells[t][0][cells[t][1]] for t in takes)
        )
    if len(takes) == 2:
        (x, i), (y, j) = (cells[take] for take in takes)
        return lambda: rule(words, x[i], y[j])
    return lambda: rule(words, *(cells[t][0][cells[t][1]] for t in takes))


def _write_value(soft: Soft, one: Instruction, at: int) -> Step:
    return _writing(soft, one, at, _value(soft, one))


def _set_flags(soft: Soft, one: Instruction, at: int) -> Step:
    value = _value(soft, one)

    def step() -> int:
        soft.flags = value()
        return at + 1

    return step


def _jump_if(soft: Soft, one: Instruction, at: int) -> Step:
    taken = _value(soft, one)
    return lambda: soft.place(one.n) if taken() else at + 1


def _count(soft: Soft, one: Instruction, at: int) -> Step:
    value, r = _value(soft, one), soft.registers

    def step() -> int:
        r[one.d] = value()
        return soft.place(one.n) if r[one.d] else at + 1

    return step


_BY_SHAPE: dict[Shape, Maker] = {
    Shape.VALUE: _write_value,
    Shape.FLAGS: _set_flags,
    Shape.BRANCH: _jump_if,
    Shape.COUNT: _count,
}
for _op in SOFT:
    if _op.fn is not None:
        MAKERS.on(_op.name)(_BY_SHAPE[shape(_op.name)])


@MAKERS.on("HALT")
def _halt(soft: Soft, one: Instruction, at: int) -> Step:
    return lambda: soft.place(_ONES)


@MAKERS.on("JMP")
def _jump(soft: Soft, one: Instruction, at: int) -> Step:
    return lambda: soft.place(one.n)


@MAKERS.on("CALL")
def _call(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        soft.registers[one.d] = at + 1
        return soft.place(one.n)

    return step


@MAKERS.on("RET")
def _return(soft: Soft, one: Instruction, at: int) -> Step:
    return lambda: soft.place(soft.registers[one.a])


@MAKERS.on("LD")
def _load(soft: Soft, one: Instruction, at: int) -> Step:
    r, memory = soft.registers, soft.memory
    return _writing(soft, one, at, lambda: memory[soft.cell(r[one.a] + one.n)])


@MAKERS.on("ST")
def _store(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        soft.memory[soft.cell(soft.registers[one.a] + one.n)] = soft.registers[one.b]
        return at + 1

    return step


@MAKERS.on("LDP")
def _load_on(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        r = soft.registers
        word = soft.memory[soft.cell(r[one.a])]
        r[one.a] = r[one.a] + 1 & _ONES
        r[one.d] = word
        return at + 1

    return step


@MAKERS.on("STP")
def _store_on(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        r = soft.registers
        soft.memory[soft.cell(r[one.a])] = r[one.b]
        r[one.a] = r[one.a] + 1 & _ONES
        return at + 1

    return step


def _byte(soft: Soft, one: Instruction) -> tuple[int, int]:
    """The word that has the byte at a + n, and how far up its bits are."""
    address = soft.registers[one.a] + one.n & _ONES
    return soft.cell(address >> 2), (address & 3) * 8


@MAKERS.on("LDB")
def _load_byte(soft: Soft, one: Instruction, at: int) -> Step:
    def value() -> int:
        cell, low = _byte(soft, one)
        return soft.memory[cell] >> low & 0xFF

    return _writing(soft, one, at, value)


@MAKERS.on("STB")
def _store_byte(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        cell, low = _byte(soft, one)
        rest = soft.memory[cell] & ~(0xFF << low)
        soft.memory[cell] = rest | (soft.registers[one.b] & 0xFF) << low
        return at + 1

    return step


@MAKERS.on("IN")
def _in(soft: Soft, one: Instruction, at: int) -> Step:
    return _writing(soft, one, at, lambda: soft.read() & _ONES)


@MAKERS.on("OUT")
def _out(soft: Soft, one: Instruction, at: int) -> Step:
    def step() -> int:
        soft.output.append(soft.registers[one.a] & 0xFF)
        return at + 1

    return step
