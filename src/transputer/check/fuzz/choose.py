"""Random choices of a generator, from a seed or from hypothesis.

Generators choose the simplest alternative for the smallest number, so that hypothesis, which
prefers small numbers, shrinks their output.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choose(ABC):
    """A source of choices; all of them derive from `integer`."""

    @abstractmethod
    def integer(self, lo: int, hi: int) -> int:
        """A number from `lo` to `hi`, both included."""

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options; the simplest comes first."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """Return one of the options, with probabilities proportional to the weights."""
        at = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if at < weight:
                return option
            at -= weight
        raise ValueError("no options to choose from")

    def chance(self, one_in: int) -> bool:
        """Return True with probability 1 / `one_in`."""
        return self.integer(1, one_in) == one_in

    def several(self, lo: int, hi: int, make: Callable[[], T]) -> tuple[T, ...]:
        """Return from `lo` to `hi` items that `make` returns."""
        return tuple(make() for _ in range(self.integer(lo, hi)))


class Seeded(Choose):
    """Choices that depend on a seed alone, the same everywhere."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, lo: int, hi: int) -> int:
        """A number from `lo` to `hi`, evenly."""
        return self._random.randint(lo, hi)
