"""A picture of rows, columns and three colours, drawn point by point."""

import numpy as np

from transputer.machines.soft.backend import Array, jnp
from transputer.machines.soft.bits import places


def blank(height: int, width: int) -> Array:
    """A black picture of bytes."""
    return np.zeros((height, width, 3), np.uint8)


def point(picture: Array, x: Array, y: Array, colour: Array, probability: Array) -> Array:
    """The picture with a point drawn with a probability; x and y are bits, a colour is 24 of them.

    Colours are red, green and blue from the lowest byte on; points outside are not drawn.
    """
    height, width, _ = picture.shape
    rows = places(y, 1 << height.bit_length())[:height]
    columns = places(x, 1 << width.bit_length())[:width]
    scale = 2.0 ** jnp.arange(8)
    parts = jnp.stack([colour[8 * k : 8 * k + 8] @ scale for k in range(3)])
    share = probability * _inside(y, height) * _inside(x, width)
    where = (share * rows[:, None] * columns[None, :])[..., None]
    return picture + where * (parts - picture)


def _inside(word: Array, size: int) -> Array:
    """The probability that no bit above those that name a place is set."""
    return jnp.prod(1 - word[size.bit_length() :])


def hard_point(picture: Array, x: Array, y: Array, colour: Array) -> Array:
    """The same on integers."""
    height, width, _ = picture.shape
    inside = (x < width) & (y < height)
    row, column = jnp.where(inside, y, height), jnp.where(inside, x, width)
    parts = (colour >> jnp.array([0, 8, 16], jnp.uint32) & 0xFF).astype(picture.dtype)
    return jnp.asarray(picture).at[row, column].set(parts, mode="drop")
