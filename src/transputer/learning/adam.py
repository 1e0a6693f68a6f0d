"""Adam, as a pair of pure functions on pytrees."""

from dataclasses import dataclass
from typing import TypeVar

from transputer.machines.soft.backend import Array, jax, jnp, pytree

Tree = TypeVar("Tree")
_FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Moments:
    """Running means of the gradient and of its square, and how many updates they saw."""

    mean: object
    square: object
    count: Array


pytree(Moments)


def start(values: Tree) -> Moments:
    """Moments before the first update."""
    zeros = jax.tree.map(jnp.zeros_like, values)
    return Moments(zeros, zeros, jnp.float32(0))


def update(values: Tree, slope: Tree, moments: Moments, rate: float) -> tuple[Tree, Moments]:
    """Values one step down the slope, each coordinate by about `rate`."""
    count = moments.count + 1
    mean = jax.tree.map(lambda m, g: _FIRST * m + (1 - _FIRST) * g, moments.mean, slope)
    square = jax.tree.map(lambda s, g: _SECOND * s + (1 - _SECOND) * g * g, moments.square, slope)
    grown, spread = 1 - _FIRST**count, 1 - _SECOND**count  # of a mean that started at zero

    def moved(value: Array, m: Array, s: Array) -> Array:
        return value - rate * (m / grown) / (jnp.sqrt(s / spread) + _SMALL)

    return jax.tree.map(moved, values, mean, square), Moments(mean, square, count)
