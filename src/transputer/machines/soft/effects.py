"""What one instruction does, soft and hard: each row registers both on the table.

A rule sees the operands and says what its row would do if it alone were executed. A soft step
blends the effects of all rows by the chances of their operations; a hard step picks one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from transputer.isa.op import Registry
from transputer.isa.soft import SOFT
from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.bits import add, places
from transputer.machines.soft.state import HardState, State


@dataclass(frozen=True)
class Operands:
    """What soft rules see: words as bits, before anything is written."""

    state: State
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
    """What a row does; what is None it does not do. Chances for soft rules, booleans for hard.

    `value` goes to d with the chance `gate`. `store` is where, which bits, and the word (soft),
    or the address and the whole new word (hard).
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

    @property
    def cell(self) -> Array:
        """The address a + n."""
        return (self.a + self.n) & (self.state.memory.shape[0] - 1)

    @property
    def pointed(self) -> Array:
        """The address a."""
        return self.a & (self.state.memory.shape[0] - 1)


SoftRule = Callable[[Operands], Effect]
HardRule = Callable[[HardOperands], Effect]
soft: Registry[SoftRule] = Registry(SOFT)
hard: Registry[HardRule] = Registry(SOFT)
