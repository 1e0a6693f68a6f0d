"""Words as vectors of bits, lowest first; each is the probability that the bit is set.

Every function is a polynomial that is linear in each bit. Where all bits are 0 or 1 it is the
integer operation, exactly; in between it is its expectation for independent bits.
"""

import numpy as np

from transputer.machines.soft.backend import Array, jax, jnp


def halves(numbers: Array) -> Array:
    """NumPy's numbers of 64 bits as two of 32, the low one first, along a new last axis."""
    return np.stack([numbers & np.uint64(0xFFFFFFFF), numbers >> np.uint64(32)], -1).astype("u4")


def to_bits(numbers: Array, width: int) -> Array:
    """Bits of unsigned numbers, along a new last axis.

    JAX has numbers of 32 bits; wider ones are NumPy's, or come as `halves`.
    """
    if width > 32:
        parts = halves(numbers) if numbers.dtype == np.uint64 else numbers
        bits = to_bits(parts, 32)
        return bits.reshape(*bits.shape[:-2], 64)
    shifts = jnp.arange(width, dtype=jnp.uint32)
    return (jnp.asarray(numbers, jnp.uint32)[..., None] >> shifts & 1).astype(jnp.float32)


def extended(bits: Array, width: int) -> Array:
    """A word with its highest bit repeated up to a width."""
    more = width - bits.shape[-1]
    return jnp.concatenate([bits, jnp.repeat(bits[..., -1:], more, -1)], -1) if more else bits


def to_numbers(bits: Array) -> Array:
    """The unsigned numbers that bits of 0 and 1 stand for; NumPy's, if they have 64 bits."""
    if bits.shape[-1] > 32:
        low, high = (np.asarray(to_numbers(part)) for part in jnp.split(bits, 2, -1))
        return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
    weights = jnp.uint32(1) << jnp.arange(bits.shape[-1], dtype=jnp.uint32)
    return (jnp.asarray(bits > 0.5, jnp.uint32) * weights).sum(-1, dtype=jnp.uint32)


def xor(a: Array, b: Array) -> Array:
    """Exclusive or."""
    return a + b - 2 * a * b


def add(a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
    """Sum of two words and a carry into the lowest bit, and the carry out of the highest.

    A bit turns the carry c into g + p c, with g = a b and p = a xor b. Such maps compose, so
    that log2(width) rounds of composing with the map k bits below give every carry.
    """
    half = xor(a, b)
    generate, propagate = a * b, half
    generate = generate.at[..., 0].add(half[..., 0] * carry)
    reach = 1
    while reach < a.shape[-1]:
        generate, propagate = (
            generate + propagate * up(generate, reach),
            propagate * up(propagate, reach),
        )
        reach *= 2
    carries = up(generate, 1).at[..., 0].set(carry)
    return xor(half, carries), generate[..., -1]


def up(bits: Array, count: int) -> Array:
    """Shifted left, zeros coming in."""
    return jnp.concatenate([jnp.zeros_like(bits[..., :count]), bits[..., :-count]], -1)


def down(bits: Array, count: int, fill: Array) -> Array:
    """Shifted right, `fill` (a last axis of one) coming in."""
    filling = jnp.broadcast_to(fill, (*bits.shape[:-1], count))
    return jnp.concatenate([bits[..., count:], filling], -1)


def shift(bits: Array, amount: Array, fill: Array | None) -> Array:
    """Shifted left if `fill` is None, else right, by an amount modulo the width.

    Bit k of the amount mixes the word with itself shifted by 2^k.
    """
    for k in range(bits.shape[-1].bit_length() - 1):
        moved = up(bits, 1 << k) if fill is None else down(bits, 1 << k, fill)
        bits = bits + amount[..., k : k + 1] * (moved - bits)
    return bits


def multiply(a: Array, b: Array) -> Array:
    """Product modulo 2^width: for each bit of b, from the highest, double and add a times it.

    A scan over the bits keeps the compiled step small. As `shift` and `add` do elsewhere, it
    treats the bits that enter an addition as independent.
    """

    def once(total: Array, bit: Array) -> tuple[Array, None]:
        doubled = up(total, 1)
        return add(doubled, a * bit[..., None], jnp.zeros_like(bit))[0], None

    bits = jnp.moveaxis(b, -1, 0)[::-1]
    product, _ = jax.lax.scan(once, jnp.zeros_like(a), bits)
    return product


def places(bits: Array, count: int) -> Array:
    """The distribution over `count` places (a power of two) of the low bits, read as a number."""
    probabilities = jnp.ones_like(bits[..., :1])
    for k in range(count.bit_length() - 1):
        bit = bits[..., k : k + 1]
        probabilities = jnp.concatenate([probabilities * (1 - bit), probabilities * bit], -1)
    return probabilities


def all_zero(bits: Array) -> Array:
    """The probability that no bit is set."""
    return jnp.prod(1 - bits, -1)
