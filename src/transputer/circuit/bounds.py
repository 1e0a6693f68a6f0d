"""Intervals of integers: what every constant of a circuit is derived from."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import CapacityError
from transputer.values import dataclass

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def __mul__(self, other: "Interval") -> "Interval":
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(ends), max(ends))

    def __contains__(self, value: int) -> bool:
        return self.lo <= value <= self.hi

    def scaled(self, weight: int) -> "Interval":
        """The interval of `weight * x`."""
        ends = (weight * self.lo, weight * self.hi)
        return Interval(min(ends), max(ends))

    def relu(self) -> "Interval":
        """The interval of `max(x, 0)`."""
        return Interval(max(self.lo, 0), max(self.hi, 0))

    @property
    def magnitude(self) -> int:
        """The largest absolute value."""
        return max(-self.lo, self.hi)


def combined(tables: Sequence[tuple[int, Table]]) -> NDArray[Any]:
    """The weighted sum of tables of one part, exact whatever the weights."""
    reach = sum(abs(weight) * max(1, int(np.abs(table).max())) for weight, table in tables)
    kind: Any = np.int64 if reach < 2**62 else object
    return sum((table.astype(kind) * weight for weight, table in tables), np.zeros(1, kind))


def of_rows(rows: NDArray[Any]) -> Interval:
    """The interval of a number that is one of the rows."""
    return Interval(int(rows.min()), int(rows.max()))


def piecewise(pieces: Iterable[tuple[int, int, int]], z: Interval) -> Interval:
    """The interval of `sum of weight * relu(sign * z + offset)`, sign +1 or -1.

    A piecewise linear function has its extremes at its corners `-sign * offset` or at the ends.
    """
    segments = list(pieces)
    corners = {-sign * offset for _, sign, offset in segments}
    at = sorted({z.lo, z.hi} | {c for c in corners if c in z})
    value = sum(w * max(s * z.lo + o, 0) for w, s, o in segments)
    low = high = value
    slope = {c: 0 for c in at}  # how the slope changes at each corner
    start = 0
    for w, s, o in segments:
        opens = -s * o
        start += w * s if (s > 0) == (opens <= z.lo) else 0
        if opens > z.lo and opens in slope:
            slope[opens] += w  # both relu(z - c) and relu(c - z) gain the slope w there
    for before, after in zip(at, at[1:], strict=False):
        start += slope[before]
        value += start * (after - before)
        low, high = min(low, value), max(high, value)
    return Interval(low, high)


def require(what: str, number: int, limit: int, form: object = "") -> None:
    """Raises `CapacityError` with the number (and the form) unless it is below the limit."""
    if number >= limit:
        text = f" {form}"[:120] if form else ""
        raise CapacityError(f"{what}{text}: may reach {number}, and must stay below {limit}")
