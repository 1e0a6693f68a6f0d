"""Main memory, addressed by place; `devices.content` addresses it by content."""

from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.bits import places
from transputer.machines.soft.effects import Effect, HardOperands, Operands, hard, soft


def load(memory: Array, cells: Array) -> Array:
    """The expected word."""
    return cells @ memory


def lanes(x: Operands) -> tuple[Array, Array]:
    """The byte at a + n: the distribution over words, and over the bytes of a word."""
    words, width = x.state.memory.shape
    size = width // 8
    spread = places(x.displaced, words * size).reshape(words, size)
    return spread.sum(1), spread.sum(0)


def hard_lane(x: HardOperands) -> tuple[Array, Array]:
    """The word that has byte a + n, and how far up its bits are."""
    size = x.width // 8
    at = (x.a + x.n) & jnp.uint32(x.state.memory.shape[0] * size - 1)
    return at // size, at % size * 8


@soft.on("LD")
def _(x: Operands) -> Effect:
    return Effect(load(x.state.memory, x.cells))


@hard.on("LD")
def _(x: HardOperands) -> Effect:
    return Effect(x.state.memory[x.cell])


@soft.on("LDP")
def _(x: Operands) -> Effect:
    return Effect(load(x.state.memory, x.pointed), bump=True)


@hard.on("LDP")
def _(x: HardOperands) -> Effect:
    return Effect(x.state.memory[x.pointed], bump=True)


@soft.on("LDB")
def _(x: Operands) -> Effect:
    cells, lane = lanes(x)
    byte = lane @ load(x.state.memory, cells).reshape(-1, 8)
    return Effect(jnp.concatenate([byte, jnp.zeros_like(x.a[8:])]))


@hard.on("LDB")
def _(x: HardOperands) -> Effect:
    cell, low = hard_lane(x)
    return Effect(x.state.memory[cell] >> low & 0xFF)


@soft.on("ST")
def _(x: Operands) -> Effect:
    return Effect(store=(x.cells, jnp.ones_like(x.b), x.b))


@hard.on("ST")
def _(x: HardOperands) -> Effect:
    return Effect(store=(x.cell, x.b))


@soft.on("STP")
def _(x: Operands) -> Effect:
    return Effect(store=(x.pointed, jnp.ones_like(x.b), x.b), bump=True)


@hard.on("STP")
def _(x: HardOperands) -> Effect:
    return Effect(store=(x.pointed, x.b), bump=True)


@soft.on("STB")
def _(x: Operands) -> Effect:
    cells, lane = lanes(x)
    return Effect(store=(cells, jnp.repeat(lane, 8), jnp.tile(x.b[:8], lane.shape[0])))


@hard.on("STB")
def _(x: HardOperands) -> Effect:
    cell, low = hard_lane(x)
    rest = x.state.memory[cell] & ~(jnp.uint32(0xFF) << low)
    return Effect(store=(cell, rest | (x.b & 0xFF) << low))
