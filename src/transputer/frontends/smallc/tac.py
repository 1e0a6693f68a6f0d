"""Three-address code, the intermediate form between small C and a machine.

Words have one width throughout, and a value is a register (`Reg`), a number (always the signed
reading) or the address of an object (`Addr`), which is a number known when memory is laid out.
Scalars whose address is never taken are registers, globals too; all else are objects.

| op | meaning |
|---|---|
| `mov` | dst = a |
| `add sub mul and or xor shl` | wrapping |
| `div rem shr`, `udiv urem ushr` | signed, toward zero, and unsigned |
| `abs` | of the least value the least value |
| `find` | the first address from a on whose word is b, or -1 |
| `load`, `store` | dst = word at a; word at a = b |
| `call` | dst = callee(args) |
| `out` | output a's low 8 bits |
| `in` | dst = the next byte of the input, or -1 |
"""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TypeAlias

from transputer.errors import Trap
from transputer.values import dataclass


@dataclass(eq=False, slots=True)
class Reg:
    """A virtual register, compared by identity; a global has no `scope`."""

    name: str
    scope: str = ""
    initial: "int | Addr" = 0
    visible: bool = False  # a global that the host may read and write between runs

    def __repr__(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(eq=False, slots=True)
class MemoryObject:
    """Words in memory: an array, or a scalar whose address is taken."""

    name: str
    size: int
    scope: str = ""
    initial: "tuple[int | Addr, ...]" = ()
    constant: bool = False
    visible: bool = False

    def __repr__(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class Addr:
    """The address of a word of an object."""

    object: MemoryObject
    offset: int = 0

    def __repr__(self) -> str:
        return f"&{self.object}+{self.offset}"


Value: TypeAlias = Reg | int | Addr


@dataclass(frozen=True, slots=True)
class TacInstr:
    """One operation; `line` is the source line, 0 if there is none."""

    op: str
    dst: Reg | None = None
    args: tuple[Value, ...] = ()
    line: int = 0
    callee: str = ""

    def __repr__(self) -> str:
        to = f"{self.dst} = " if self.dst else ""
        return f"{to}{self.op} {self.callee}{list(self.args)}"


@dataclass(frozen=True, slots=True)
class TacJump:
    """Jump to a block."""

    to: "TacBlock"


@dataclass(frozen=True, slots=True)
class TacBranch:
    """Jump to `yes` if `a op b`, else to `no`; op is eq, lt, le, ult or ule."""

    op: str
    a: Value
    b: Value
    yes: "TacBlock"
    no: "TacBlock"
    line: int = 0


@dataclass(frozen=True, slots=True)
class TacReturn:
    """Return to the caller."""

    value: Value | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class TacTrap:
    """End the run with a trap."""

    line: int = 0
    cause: Trap = Trap.DIVIDE_BY_ZERO


@dataclass(frozen=True, slots=True)
class TacExit:
    """End the run with an exit code."""

    value: Value
    line: int = 0


Term: TypeAlias = TacJump | TacBranch | TacReturn | TacTrap | TacExit


@dataclass(eq=False, slots=True)
class TacBlock:
    """A basic block: operations, then a terminator."""

    name: str
    instrs: list[TacInstr] = field(default_factory=list)
    term: Term = TacTrap()

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class TacFunction:
    """A function; its first block is the entry."""

    name: str
    params: list[Reg]
    returns: bool
    blocks: list[TacBlock] = field(default_factory=list)
    objects: list[MemoryObject] = field(default_factory=list)
    line: int = 0


@dataclass(eq=False, slots=True)
class TacUnit:
    """A program: functions by name, global registers and objects."""

    bits: int
    functions: dict[str, TacFunction] = field(default_factory=dict)
    globals: list[Reg] = field(default_factory=list)
    objects: list[MemoryObject] = field(default_factory=list)
    result: Reg | None = None  # main's value, once all functions are one


#: Operations without effect beyond their destination.
PURE = frozenset("mov add sub mul div rem udiv urem and or xor shl shr ushr abs find load".split())
COMMUTATIVE = frozenset(("add", "mul", "and", "or", "xor"))


def wrap(bits: int, x: int) -> int:
    """The signed reading of the low bits."""
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def power_of_two(x: int) -> int | None:
    """The exponent of a power of two; None for another number."""
    return x.bit_length() - 1 if x > 0 and x & (x - 1) == 0 else None


def beyond(bits: int, at: Addr, distance: int) -> Addr:
    """The address `distance` words further; wrapped if it is outside the object."""
    offset = (at.offset + distance) & ((1 << bits) - 1)
    return Addr(at.object, offset if offset <= at.object.size else wrap(bits, offset))


def _quotient(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _unsigned(f: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda n, a, b: f(a & ((1 << n) - 1), b & ((1 << n) - 1))


FOLD: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda n, a, b: a + b,
    "sub": lambda n, a, b: a - b,
    "mul": lambda n, a, b: a * b,
    "div": lambda n, a, b: _quotient(a, b),
    "rem": lambda n, a, b: a - b * _quotient(a, b),
    "udiv": _unsigned(lambda a, b: a // b),
    "urem": _unsigned(lambda a, b: a % b),
    "and": lambda n, a, b: a & b,
    "or": lambda n, a, b: a | b,
    "xor": lambda n, a, b: a ^ b,
    "shl": lambda n, a, b: a << b,
    "shr": lambda n, a, b: a >> b,
    "ushr": _unsigned(lambda a, b: a >> b),
}
_DIVIDING = frozenset(("div", "rem", "udiv", "urem"))
_SHIFTING = frozenset(("shl", "shr", "ushr"))

COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda n, a, b: a == b,
    "lt": lambda n, a, b: a < b,
    "le": lambda n, a, b: a <= b,
    "ult": lambda n, a, b: a & ((1 << n) - 1) < b & ((1 << n) - 1),
    "ule": lambda n, a, b: a & ((1 << n) - 1) <= b & ((1 << n) - 1),
}


def fold(bits: int, op: str, a: int, b: int) -> int | None:
    """The value of an operation on numbers; None if it is undefined."""
    if op in _DIVIDING and b == 0 or op in _SHIFTING and not 0 <= b < bits:
        return None
    return wrap(bits, FOLD[op](bits, a, b))


def successors(term: Term) -> tuple[TacBlock, ...]:
    """The successors of a block."""
    match term:
        case TacJump(to):
            return (to,)
        case TacBranch(yes=yes, no=no):
            return (yes, no)
    return ()


def term_values(term: Term) -> tuple[Value, ...]:
    """What a terminator reads."""
    match term:
        case TacBranch(a=a, b=b):
            return (a, b)
        case TacReturn(value=value) if value is not None:
            return (value,)
        case TacExit(value):
            return (value,)
    return ()


def redirect(term: Term, change: Callable[[TacBlock], TacBlock]) -> Term:
    """A terminator with other successors."""
    match term:
        case TacJump(to):
            return TacJump(change(to))
        case TacBranch(op, a, b, yes, no, line):
            return TacBranch(op, a, b, change(yes), change(no), line)
    return term


def replace_values(term: Term, change: Callable[[Value], Value]) -> Term:
    """A terminator that reads other values."""
    match term:
        case TacBranch(op, a, b, yes, no, line):
            return TacBranch(op, change(a), change(b), yes, no, line)
        case TacReturn(value, line) if value is not None:
            return TacReturn(change(value), line)
        case TacExit(value, line):
            return TacExit(change(value), line)
    return term


def predecessors(blocks: list[TacBlock]) -> dict[TacBlock, list[TacBlock]]:
    """The predecessors of each block, once per edge."""
    before: dict[TacBlock, list[TacBlock]] = {block: [] for block in blocks}
    for block in blocks:
        for after in successors(block.term):
            before[after].append(block)
    return before


def every_instr(unit: TacUnit) -> Iterator[tuple[TacFunction, TacBlock, TacInstr]]:
    """Every operation of a program with its function and block."""
    for function in unit.functions.values():
        for block in function.blocks:
            for one in block.instrs:
                yield function, block, one


def text(unit: TacUnit) -> str:
    """A program as text, for debugging the compiler."""
    lines = []
    for function in unit.functions.values():
        lines.append(f"{function.name}({', '.join(map(str, function.params))}):")
        for block in function.blocks:
            lines.append(f" {block}:")
            lines += [f"  {one}" for one in block.instrs]
            lines.append(f"  {_shown(block.term)}")
    return "\n".join(lines)


def _shown(term: Term) -> str:
    match term:
        case TacJump(to):
            return f"goto {to}"
        case TacBranch(op, a, b, yes, no):
            return f"if {a} {op} {b} goto {yes} else {no}"
        case TacReturn(value):
            return f"return {value}"
        case TacExit(value):
            return f"exit {value}"
    return "trap"
