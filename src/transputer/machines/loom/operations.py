"""What each operation does: all of them prepare a minuend and a subtrahend, and one core subtracts.

Before an operation's row speaks, the minuend is the word of b, and the subtrahend that of a, which
for all but SUBLEQ is an empty scratchpad column: zero. A gate with the operation's literals is 1
in a step of that operation and closed in all others, so `relu(gate) * form` adds a form exactly
then. Three stages listen: `decode` (operands are there), `indirect` (what a pointer points to is
there) and `branch` (the result is there).
"""

from collections.abc import Callable

from transputer.circuit.bipolar import agree, doubled, spell
from transputer.circuit.form import Form
from transputer.circuit.looped import Loop, LoopLayer, StateRow
from transputer.ir.loom import LoomConfig
from transputer.isa.loom import LOOM
from transputer.isa.op import Op, Registry
from transputer.machines.loom.rows import LoomRows, Word
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """An operation in one layer: its gate, and what it adds where it is that operation's step."""

    loop: Loop
    layer: LoopLayer
    rows: LoomRows
    config: LoomConfig
    op: Op

    def literals(self) -> list[Form]:
        """What holds in a step of this operation."""
        return spell(self.loop.word(self.rows.a), self.op.code)

    def when(self, *more: Form) -> Form:
        """The gate of this operation, under further conditions."""
        return agree([*self.literals(), *more])

    def add(self, row: StateRow, value: Form | int = 1, *more: Form) -> None:
        """Add a value to a row in steps of this operation, under further conditions."""
        self.layer.add(row, self.layer.graph.neuron(self.when(*more), value))

    def replace(self, word: Word, new: list[Form], *more: Form) -> None:
        """Make the minuend, which is the word of b until then, another word."""
        old = self.loop.word(self.rows.left)
        for row, bit, other in zip(word, old, new, strict=True):
            self.add(row, other - bit, *more)

    @property
    def b(self) -> list[Form]:
        """The word of b, in `decode`."""
        return self.loop.word(self.rows.left)

    @property
    def c(self) -> list[Form]:
        """The word of c, in `decode`."""
        return self.loop.word(self.rows.right)


Rule = Callable[[Stage], None]
#: Every operation, when its operands are read.
loom: Registry[Rule] = Registry(LOOM)
#: Operations that go through a pointer.
indirect: Registry[Rule] = Registry(LOOM)
#: Operations that may jump.
branch: Registry[Rule] = Registry(LOOM)

_MINUS_ONE, _PLUS_ONE = Form.of(-1), Form.of(1)


@loom.on("SUBLEQ")
def _subleq(at: Stage) -> None:
    """What stands there before any row speaks; the jump is in the subtracting layer."""


@loom.on("HALT", "JMP", "JZ", "JNZ", "CMP")
def _quiet(at: Stage) -> None:
    at.add(at.rows.flag)


@loom.on("MOV")
def _move(at: Stage) -> None:
    at.replace(at.rows.minuend, at.c)


@loom.on("ADD")
def _add(at: Stage) -> None:
    _subtract_negative(at)


def _subtract_negative(at: Stage, *more: Form) -> None:
    """b - (-c): the subtrahend turns from zero into the complement of c, and one more.

    The complement of a bipolar word is -c; it is -c - 1 as a number, so the lowest digit gets 2.
    """
    for i, (row, bit) in enumerate(zip(at.rows.subtrahend, at.c, strict=True)):
        at.add(row, 1 - bit + (2 if i == 0 else 0), *more)


@loom.on("SUB")
def _subtract(at: Stage) -> None:
    for row, bit in zip(at.rows.subtrahend, at.c, strict=True):
        at.add(row, bit + 1)


@loom.on("INC")
def _increment(at: Stage) -> None:
    """b - (-1): all bits of the subtrahend are set."""
    for row in at.rows.subtrahend:
        at.add(row, 2)


@loom.on("DEC")
def _decrement(at: Stage) -> None:
    at.add(at.rows.subtrahend[0], 2)


@loom.on("SHL")
def _double(at: Stage) -> None:
    at.replace(at.rows.minuend, [_MINUS_ONE, *at.c[:-1]])


@loom.on("SHR")
def _halve(at: Stage) -> None:
    at.replace(at.rows.minuend, [*at.c[1:], at.c[-1]])


@loom.on("AND")
def _and(at: Stage) -> None:
    """A bit of b that is set where that of c is not loses 2."""
    for row, b, c in zip(at.rows.minuend, at.b, at.c, strict=True):
        at.add(row, -2, b, -c)


@loom.on("OR")
def _or(at: Stage) -> None:
    """A bit of b that is not set where that of c is gains 2."""
    for row, b, c in zip(at.rows.minuend, at.b, at.c, strict=True):
        at.add(row, 2, -b, c)


@loom.on("XOR")
def _xor(at: Stage) -> None:
    """A bit of b flips where that of c is set: b - 2b = -b."""
    for row, b, c in zip(at.rows.minuend, at.b, at.c, strict=True):
        at.add(row, -2 * b, c)


@loom.on("CMOV")
def _move_if_negative(at: Stage) -> None:
    at.replace(at.rows.minuend, at.c, at.b[-1])


@loom.on("MULACC")
def _multiply_step(at: Stage) -> None:
    at.replace(at.rows.minuend, [_MINUS_ONE, *at.b[:-1]])
    _subtract_negative(at, at.b[-1])


@loom.on("SWAP")
def _swap(at: Stage) -> None:
    at.replace(at.rows.minuend, at.c)
    for row, bit in zip(at.rows.second, at.b, strict=True):
        at.add(row, bit)


@loom.on("LOAD")
def _load(at: Stage) -> None:
    """The minuend is empty until it is known what the pointer points to."""
    at.replace(at.rows.minuend, [Form()] * at.config.bits)


@loom.on("STORE")
def _store(at: Stage) -> None:
    """The word of b stands already; where it goes to is not known yet."""


@loom.on("FIND")
def _find(at: Stage) -> None:
    """All ones until something is found; the start goes to `reach` as 2^(N+1) - 1 - 2 start."""
    at.add(at.rows.find)
    at.replace(at.rows.minuend, [_PLUS_ONE] * at.config.bits)
    at.add(at.rows.reach, (1 << at.config.bits) - doubled(at.b))
    for row, bit in zip(at.rows.needle, at.c, strict=True):
        at.add(row, bit)


@indirect.on("LOAD")
def _loaded(at: Stage) -> None:
    _trap_outside(at)
    for row, bit in zip(at.rows.minuend, at.loop.word(at.rows.left), strict=True):
        at.add(row, bit)


@indirect.on("STORE")
def _stored(at: Stage) -> None:
    _trap_outside(at)
    target, b = at.loop.word(at.rows.target), at.loop.word(at.rows.b)
    for row, new, old in zip(at.rows.b, target, b, strict=True):
        at.add(row, new - old)


def _trap_outside(at: Stage) -> None:
    """Trap where the pointer found no slot: a bit of its position is neither +1 nor -1."""
    bit = at.loop.now(at.rows.target[0])
    at.add(at.rows.outside)
    at.add(at.rows.outside, -1, bit)
    at.add(at.rows.outside, -1, -bit)


@branch.on("HALT", "JMP")
def _jump(at: Stage) -> None:
    """HALT has no operands: its place is column 0."""
    at.add(at.rows.flag)


@branch.on("JZ")
def _jump_if_zero(at: Stage) -> None:
    at.add(at.rows.flag, 1, *_is_zero(at))


@branch.on("JNZ")
def _jump_if_not_zero(at: Stage) -> None:
    at.add(at.rows.flag)
    at.add(at.rows.flag, -1, *_is_zero(at))


@branch.on("CMP")
def _jump_if_negative(at: Stage) -> None:
    at.add(at.rows.flag, 1, at.loop.now(at.rows.minuend[-1]))


def _is_zero(at: Stage) -> list[Form]:
    return spell(at.loop.word(at.rows.minuend), 0)
