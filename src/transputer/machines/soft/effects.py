"""What one instruction does, soft and hard: a rule of each kind for every row of the table.

A rule sees the operands and says what its row would do if it alone were executed. A soft step
blends the effects of all rows by the probabilities of their operations; a hard step picks one. The
hard rule of a row that has a function is derived from it; the others are registered beside the
soft ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from transputer.isa.op import Registry
from transputer.isa.soft import SOFT, Shape, meaning, operands, shape
from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.bits import add, places
from transputer.machines.soft.state import HardState, SoftState


@dataclass(frozen=True)
class Operands:
    """What soft rules see: words as bits, before anything is written."""

    state: SoftState
    old: Array  # what d holds
    a: Array
    b: Array
    n: Array
    here: Array  # the next place, as a word

    @cached_property
    def sums(self) -> tuple[Array, Array]:
        """Six sums in one adder, and their carries: see the properties below."""
        zeros, ones = jnp.zeros_like(self.a), jnp.ones_like(self.a)
        # a - b = a + not b + 1, and a signed comparison is an unsigned one of a and b with
        # their sign bits flipped.
        flipped = self.a.at[..., -1].set(1 - self.a[..., -1])
        other = (1 - self.b).at[..., -1].set(self.b[..., -1])
        left = jnp.stack([self.a, self.a, self.a, self.a, self.old, flipped])
        right = jnp.stack([self.b, 1 - self.b, self.n, zeros, ones, other])
        return add(left, right, jnp.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]))

    @property
    def total(self) -> Array:
        """a + b."""
        return self.sums[0][0]

    @property
    def difference(self) -> Array:
        """a - b."""
        return self.sums[0][1]

    @property
    def displaced(self) -> Array:
        """a + n."""
        return self.sums[0][2]

    @property
    def following(self) -> Array:
        """a + 1."""
        return self.sums[0][3]

    @property
    def decremented(self) -> Array:
        """d - 1."""
        return self.sums[0][4]

    @property
    def less(self) -> Array:
        """Whether a is less than b, signed."""
        return 1 - self.sums[1][5]

    @cached_property
    def cells(self) -> Array:
        """The word at a + n, as a distribution over memory."""
        return places(self.displaced, self.state.memory.shape[0])

    @cached_property
    def pointed(self) -> Array:
        """The word at a, likewise."""
        return places(self.a, self.state.memory.shape[0])


@dataclass(frozen=True)
class Effect:
    """What a row does; None where it does not. Probabilities for soft rules, booleans for hard.

    `value` goes to d with the probability `gate`. `store` is the place, which bits, and the word
    (soft), or the address and the whole new word (hard).
    """

    value: Array | None = None
    gate: Array | None = None
    bump: bool = False  # adds 1 to a
    jump: Array | None = None  # goes to the number's place
    back: bool = False  # goes to the place that a holds
    stop: bool = False
    flags: Array | None = None
    store: tuple[Array, ...] | None = None
    reads: bool = False
    writes: bool = False


@dataclass(frozen=True)
class HardOperands:
    """What hard rules see: the same as unsigned integers."""

    state: HardState
    old: Array
    a: Array
    b: Array
    n: Array
    here: Array
    width: int

    @property
    def mask(self) -> Array:
        """The largest word."""
        return jnp.uint32((1 << self.width) - 1)

    def signed(self, word: Array) -> Array:
        """A word as a signed integer."""
        spare = 32 - self.width
        return (word << spare).astype(jnp.int32) >> spare

    def word(self, number: Array) -> Array:
        """The low bits of a number."""
        return jnp.asarray(number).astype(jnp.uint32) & self.mask

    def operand(self, name: str) -> Array:
        """An operand of a row's function: see `isa.soft.operands`."""
        return (
            self.state.flags
            if name == "flags"
            else self.old
            if name == "d"
            else getattr(self, name)
        )

    @property
    def cell(self) -> Array:
        """The address a + n."""
        return (self.a + self.n) & (self.state.memory.shape[0] - 1)

    @property
    def pointed(self) -> Array:
        """The address a."""
        return self.a & (self.state.memory.shape[0] - 1)

    # The algebra of words that hard meanings are written over.

    def number(self, value: int) -> Array:
        """A constant."""
        return jnp.uint32(value & ((1 << self.width) - 1))

    def add(self, a: Array, b: Array) -> Array:
        """Sum."""
        return self.word(a + b)

    def sub(self, a: Array, b: Array) -> Array:
        """Difference."""
        return self.word(a - b)

    def mul(self, a: Array, b: Array) -> Array:
        """Product."""
        return self.word(a * b)

    def and_(self, a: Array, b: Array) -> Array:
        """Bitwise and."""
        return a & b

    def or_(self, a: Array, b: Array) -> Array:
        """Bitwise or."""
        return a | b

    def xor(self, a: Array, b: Array) -> Array:
        """Bitwise exclusive or."""
        return a ^ b

    def shl(self, a: Array, b: Array) -> Array:
        """Shift left."""
        return self.word(a << (b & (self.width - 1)))

    def shr(self, a: Array, b: Array) -> Array:
        """Logical shift right."""
        return a >> (b & (self.width - 1))

    def sra(self, a: Array, b: Array) -> Array:
        """Arithmetic shift right."""
        return self.word(self.signed(a) >> (b & (self.width - 1)).astype(jnp.int32))

    def equal(self, a: Array, b: Array) -> Array:
        """Whether two words are equal."""
        return a == b

    def less(self, a: Array, b: Array) -> Array:
        """Signed less than."""
        return self.signed(a) < self.signed(b)

    def below(self, a: Array, b: Array) -> Array:
        """Unsigned less than."""
        return a < b

    def negative(self, a: Array) -> Array:
        """The highest bit."""
        return a >> (self.width - 1) & 1 == 1

    def not_(self, condition: Array) -> Array:
        """Negation."""
        return ~condition

    def differ(self, a: Array, b: Array) -> Array:
        """Exclusive or of two conditions."""
        return a != b

    def choose(self, condition: Array, a: Array, b: Array) -> Array:
        """`a` where the condition holds, else `b`."""
        return jnp.where(condition, a, b)

    def flag(self, flags: Array, index: int) -> Array:
        """One of the flags."""
        return flags >> index & 1 == 1

    def flags(self, *conditions: Array) -> Array:
        """The flags packed."""
        return sum(bit.astype(jnp.int32) << i for i, bit in enumerate(conditions))


SoftRule = Callable[[Operands], Effect]
HardRule = Callable[[HardOperands], Effect]
soft: Registry[SoftRule] = Registry(SOFT)
hard: Registry[HardRule] = Registry(SOFT)


def _derived(name: str) -> HardRule:
    """The hard rule of a row that has a function."""
    rule, takes, kind = meaning(name), operands(name), shape(name)

    def effect(x: HardOperands) -> Effect:
        result = rule(x, *map(x.operand, takes))
        if kind is Shape.FLAGS:
            return Effect(flags=result)
        if kind is Shape.BRANCH:
            return Effect(jump=result)
        return Effect(result, jump=result != 0 if kind is Shape.COUNT else None)

    return effect


for _op in SOFT:
    if _op.fn is not None:
        hard.on(_op.name)(_derived(_op.name))
