"""Loom code before its slots are chosen: operands are registers, constants and words of objects."""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TypeAlias

from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg
from transputer.ir.loom import CAUSE
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A word of an object, as an operand itself (an `Addr` operand is a constant, its address)."""

    object: MemoryObject
    offset: int = 0


Operand: TypeAlias = Reg | int | Addr | Cell

#: Writes to slot 0 are the output.
OUTPUT = Cell(MemoryObject("output", 1))
#: Holds the reason of a trap that the code itself makes.
TRAP_CAUSE = Cell(MemoryObject(CAUSE, 1))

#: Which of the operands b and c an instruction reads, and which it writes.
READS = {
    "MOV": "c",
    "SHL": "c",
    "SHR": "c",
    "LOAD": "c",
    "INC": "b",
    "DEC": "b",
    "STORE": "bc",
    "ADD": "bc",
    "SUB": "bc",
    "AND": "bc",
    "OR": "bc",
    "XOR": "bc",
    "CMOV": "bc",
    "FIND": "bc",
    "SWAP": "bc",
}
WRITES = {name: "b" for name in READS} | {"STORE": "", "SWAP": "bc"}
#: Instructions that look at all of memory, or change it.
LOOKING, CHANGING = frozenset(("LOAD", "FIND")), frozenset(("STORE",))


@dataclass(frozen=True, slots=True)
class LoomOp:
    """One instruction that falls through to the next."""

    name: str
    b: Operand
    c: Operand = 0
    line: int = 0

    def reads(self) -> Iterator[Operand]:
        """The operands it reads."""
        for which in READS[self.name]:
            yield self.b if which == "b" else self.c

    def writes(self) -> Iterator[Operand]:
        """The operands it writes."""
        for which in WRITES[self.name]:
            yield self.b if which == "b" else self.c

    def mapped(self, change: Callable[[Operand], Operand]) -> "LoomOp":
        """The same with other operands."""
        two = len(READS[self.name] + WRITES[self.name]) > 2 or "c" in READS[self.name]
        return LoomOp(self.name, change(self.b), change(self.c) if two else 0, self.line)


@dataclass(frozen=True, slots=True)
class LoomGoto:
    """Jump to a part."""

    to: "CodePart"


@dataclass(frozen=True, slots=True)
class LoomTest:
    """JZ, JNZ, CMP or SUBLEQ: to `yes` where it jumps, else to `no`.

    `turned` are the operation and operands of the opposite test where that costs no more: it
    takes the place of the block's last instruction and the test.
    """

    name: str
    b: Operand
    yes: "CodePart"
    no: "CodePart"
    a: Operand = 0  # of SUBLEQ, which also writes b
    line: int = 0
    turned: "tuple[LoomOp, Operand] | None" = None

    def reads(self) -> Iterator[Operand]:
        """The operands it reads."""
        yield self.b
        if self.name == "SUBLEQ":
            yield self.a

    def writes(self) -> Iterator[Operand]:
        """The operands it writes; a difference with zero writes what was there."""
        if self.name == "SUBLEQ" and self.a != 0:
            yield self.b


@dataclass(frozen=True, slots=True)
class LoomHalt:
    """Stop."""

    line: int = 0


@dataclass(frozen=True, slots=True)
class LoomTrapped:
    """The last instruction trapped."""


End: TypeAlias = LoomGoto | LoomTest | LoomHalt | LoomTrapped


@dataclass(eq=False, slots=True)
class CodePart:
    """Instructions without jumps, then an end."""

    name: str
    ops: list[LoomOp] = field(default_factory=list)
    end: End = LoomTrapped()

    def __repr__(self) -> str:
        return self.name


def ways(end: End) -> tuple[CodePart, ...]:
    """The successors of a part."""
    match end:
        case LoomGoto(to):
            return (to,)
        case LoomTest(yes=yes, no=no):
            return (yes, no)
    return ()


def led(end: End, change: Callable[[CodePart], CodePart]) -> End:
    """An end that goes elsewhere."""
    match end:
        case LoomGoto(to):
            return LoomGoto(change(to))
        case LoomTest(name, b, yes, no, a, line, turned):
            return LoomTest(name, b, change(yes), change(no), a, line, turned)
    return end


def with_operands(end: End, change: Callable[[Operand], Operand]) -> End:
    """An end with other operands."""
    match end:
        case LoomTest(name, b, yes, no, a, line, turned):
            other = (turned[0].mapped(change), change(turned[1])) if turned else None
            return LoomTest(name, change(b), yes, no, change(a), line, other)
    return end


def ways_in(parts: list[CodePart]) -> dict[CodePart, list[CodePart]]:
    """The predecessors of each part."""
    before: dict[CodePart, list[CodePart]] = {part: [] for part in parts}
    for part in parts:
        for after in ways(part.end):
            before[after].append(part)
    return before


def text(parts: list[CodePart]) -> str:
    """Code as text, for debugging the compiler."""
    lines = []
    for part in parts:
        lines.append(f" {part}:")
        lines += [f"  {op.name} {op.b}, {op.c}" for op in part.ops]
        end = part.end
        if isinstance(end, LoomTest):
            lines.append(f"  {end.name} {end.a}, {end.b} to {end.yes} else {end.no}")
        else:
            lines.append(f"  {end}")
    return "\n".join(lines)
