"""Programs and configurations of the loom machine.

A `LoomProgram` numbers memory slots and instructions from 0, so it runs in every configuration with
enough of both; `columns` computes the absolute columns.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from transputer.errors import CapacityError, InvalidError, Trap, UsageError
from transputer.isa.integers import mask, signed
from transputer.isa.loom import LOOM
from transputer.isa.op import Op
from transputer.values import dataclass

#: Bits that the words of a configuration may have.
WIDTHS = (8, 16, 32)
#: Bits of a word, and so of an `int`, unless the user asks for another width.
DEFAULT_BITS = 32
#: The slot whose writes are the output.
OUTPUT = 0
#: The symbol of the slot that holds a program's result.
RESULT = "result"
#: Symbols of compiled code that tell why it trapped: a number of `CAUSES`, and the stack pointer.
CAUSE, STACK_POINTER = "__trap", "__stack_pointer"
CAUSES = {
    1: Trap.DIVIDE_BY_ZERO,
    2: Trap.UNREACHABLE,
    3: Trap.UNINITIALIZED_ELEMENT,
    4: Trap.HEAP_EXHAUSTED,
}
#: The symbol of the memory that holds the input: bytes, then -1.
INPUT = "__input"
#: Operation number of an empty instruction column: it has no row, so it traps.
EMPTY = 31
#: Instructions that never fall through to the next one.
_LEAVING = ("HALT", "JMP")


@dataclass(frozen=True, slots=True)
class LoomConfig:
    """A size of the machine: total `columns`, `bits` of a word, `scratch` and `memory` columns.

    Raises `UsageError` if the sizes do not fit together.
    """

    columns: int
    bits: int
    scratch: int = 32
    memory: int = 64

    def __post_init__(self) -> None:
        for good, why in self._conditions():
            if not good:
                raise UsageError(f"loom configuration {self.name}: {why}")

    def _conditions(self) -> Iterator[tuple[bool, str]]:
        yield self.columns & (self.columns - 1) == 0, "the number of columns is a power of two"
        yield self.bits in WIDTHS, f"words have {', '.join(map(str, WIDTHS))} bits"
        power = self.scratch & (self.scratch - 1) == 0
        yield power and self.scratch >= 32, "the scratchpad is a power of two of at least 32"
        yield 2 <= self.memory < 1 << self.bits, "memory has 2 slots and fewer than words count"
        yield self.slots >= 1, f"{self.scratch} + {self.memory} columns leave none for code"

    @property
    def address(self) -> int:
        """Bits of a column number."""
        return self.columns.bit_length() - 1

    @property
    def slots(self) -> int:
        """Number of instructions that fit."""
        return self.columns - self.scratch - self.memory

    @property
    def rows(self) -> int:
        """Number of rows of the published state of this size."""
        return 9 * self.address + 8 * self.bits + 1

    @property
    def name(self) -> str:
        """The name that the command line takes, in full."""
        return f"{self.columns}x{self.bits},s={self.scratch},m={self.memory}"


#: The published configurations, by the size of their state.
PUBLISHED = {
    "146x512": LoomConfig(512, 8, 32, 160),
    "155x1024": LoomConfig(1024, 8, 32, 64),
    "164x2048": LoomConfig(2048, 8, 32, 224),
}


def configuration(text: str) -> LoomConfig:
    """Parse a configuration: a published name, or `COLUMNSxBITS[,s=N][,m=N]`."""
    if text in PUBLISHED:
        return PUBLISHED[text]
    match = re.fullmatch(r"(\d{1,7})x(\d{1,2})(?:,s=(\d{1,6}))?(?:,m=(\d{1,7}))?", text)
    if not match:
        raise UsageError(
            f"{text!r} is not a loom configuration: use {', '.join(PUBLISHED)} "
            "or COLUMNSxBITS,m=SLOTS such as 1024x16,m=128"
        )
    columns, bits, scratch, memory = (int(g) if g else 0 for g in match.groups())
    return LoomConfig(columns, bits, scratch or 32, memory or 64)


@dataclass(frozen=True, slots=True)
class LoomInstr:
    """One instruction: its row of the table, its slots, and the target of a jump."""

    op: Op
    a: int = 0
    b: int = 0
    c: int = 0
    line: int = 0  # of the source; 0 if unknown

    def __str__(self) -> str:
        operands = {"a": self.a, "b": self.b, "c": self.c, "pc": self.c}
        shown = [f"@{operands[i]}" if i == "pc" else str(operands[i]) for i in self.op.imm]
        return " ".join([self.op.name, ", ".join(shown)]).strip()


def instr(name: str, *operands: int, line: int = 0) -> LoomInstr:
    """Build an instruction from the name of its row and its operands in the row's order."""
    op = LOOM[name]
    if len(operands) != len(op.imm):
        raise ValueError(f"{name} takes {len(op.imm)} operands, not {len(operands)}")
    fields = {"c" if kind == "pc" else kind: x for kind, x in zip(op.imm, operands, strict=True)}
    return LoomInstr(op, line=line, **fields)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named part of memory: `count` slots from `slot`."""

    name: str
    slot: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class LoomProgram:
    """Code and initial words (signed or not) of memory from slot 0 on; the rest is zero.

    `main` is the slot of main's value in a program compiled from C; assembly has none, and may
    leave its result in the slot named `result`.
    """

    code: tuple[LoomInstr, ...]
    memory: tuple[int, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    bits: int = DEFAULT_BITS
    main: int | None = None

    @property
    def result(self) -> int | None:
        """The slot of the result: main's value, or the slot named `result`; None without one."""
        return self._slot(RESULT) if self.main is None else self.main

    def cause(self, trap: Trap, memory: Sequence[int]) -> Trap:
        """The trap in the terms of the source, from the machine's trap and its last memory.

        Compiled code traps by an access outside memory. It writes the reason first, or its stack
        is full: an access past the end of memory is then a call too many.
        """
        reason, pointer = self._slot(CAUSE), self._slot(STACK_POINTER)
        if trap is not Trap.MEMORY_OUT_OF_BOUNDS:
            return trap
        if reason is not None and memory[reason] in CAUSES:
            return CAUSES[memory[reason]]
        if pointer is not None and memory[pointer] >= len(memory):
            return Trap.STACK_EXHAUSTED
        return trap

    @property
    def reads(self) -> bool:
        """Whether the program reads its input."""
        return self._slot(INPUT) is not None

    def with_input(self, data: bytes) -> "LoomProgram":
        """The program with its input in memory; raises `CapacityError` if it has no room for it."""
        symbol = next((one for one in self.symbols if one.name == INPUT), None)
        if symbol is None:
            return self
        if len(data) >= symbol.count:
            raise CapacityError(
                f"the input has {len(data):,} bytes, the program room for {symbol.count - 1:,}; "
                f"write #pragma transputer input {len(data)}"
            )
        memory = list(self.memory)
        memory[symbol.slot : symbol.slot + len(data) + 1] = [*data, -1]
        return replace(self, memory=tuple(memory))

    def _slot(self, name: str) -> int | None:
        return next((symbol.slot for symbol in self.symbols if symbol.name == name), None)

    def check(self, config: LoomConfig) -> None:
        """Raise `CapacityError` if it does not fit, `InvalidError` if it is malformed."""
        _check(self, config)


def smallest(program: LoomProgram) -> LoomConfig:
    """Return the smallest configuration that a program fits, published ones first.

    Raises `CapacityError` if a word cannot count the slots that the program needs.
    """
    code, memory = len(program.code), max(2, len(program.memory))
    if program.bits == 8:
        for config in PUBLISHED.values():
            if code <= config.slots and memory <= config.memory:
                return config
    return tightest(program)


def tightest(program: LoomProgram) -> LoomConfig:
    """Return the configuration with the fewest columns and slots that a program fits.

    Raises as `smallest` does.
    """
    code, memory = len(program.code), max(2, len(program.memory))
    if memory >= 1 << program.bits:
        raise CapacityError(
            f"needs {memory:,} memory slots, words of {program.bits} bits count "
            f"{mask(program.bits):,}"
        )
    columns = 128
    while columns < 32 + memory + code:
        columns *= 2
    return LoomConfig(columns, program.bits, 32, memory)


def words(program: LoomProgram, config: LoomConfig) -> list[int]:
    """The initial word of every slot, unsigned."""
    initial = [word & mask(config.bits) for word in program.memory]
    return initial + [0] * (config.memory - len(initial))


def columns(program: LoomProgram, config: LoomConfig) -> list[tuple[int, int, int]]:
    """The operands of every instruction column, empty ones included, as absolute columns."""
    start = config.scratch + config.memory

    def absolute(kind: str, value: int) -> int:
        return value + (start if kind == "pc" else config.scratch)

    operands = []
    for one in program.code:
        kinds = {"c" if k == "pc" else k: k for k in one.op.imm}
        b, c = (absolute(kinds[k], getattr(one, k)) if k in kinds else 0 for k in "bc")
        a = absolute("a", one.a) if "a" in kinds else one.op.code
        operands.append((a, b, c))
    return operands + [(EMPTY, 0, 0)] * (config.slots - len(operands))


def _check(program: LoomProgram, config: LoomConfig) -> None:
    if program.bits != config.bits:
        raise InvalidError(f"a program for {program.bits} bits on a machine of {config.bits}")
    name = next((known for known, one in PUBLISHED.items() if one == config), config.name)
    if len(program.code) > config.slots:
        raise CapacityError(
            f"needs {len(program.code):,} instruction slots, {name} has {config.slots:,}"
        )
    if len(program.memory) > config.memory:
        raise CapacityError(
            f"needs {len(program.memory):,} memory slots, {name} has {config.memory:,}"
        )
    for word in program.memory:
        if signed(config.bits, word & mask(config.bits)) != word and word & ~mask(config.bits):
            raise InvalidError(f"{word} is not a word of {config.bits} bits")
    for at, one in enumerate(program.code):
        for kind in one.op.imm:
            value = one.c if kind == "pc" else getattr(one, kind)
            limit = len(program.code) if kind == "pc" else config.memory
            if not 0 <= value < limit:
                raise InvalidError(f"instruction {at} ({one}): {value} is not one of {limit}")
    if len(program.code) == config.slots and program.code[-1].op.name not in _LEAVING:
        raise InvalidError("the last instruction column must hold HALT or JMP")
