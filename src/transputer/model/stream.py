"""What the residual stream can hold at one point: the abstract value that `verify` follows."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from transputer.model.tensors import Array

#: Owners of lanes that no single block decides: constant ones, and all the others.
CONSTANT, FREE = -1, -2


@dataclass(frozen=True, slots=True)
class StreamBlock:
    """Lanes decided together: the stream gets one row of `table`, whichever it is.

    A block is a part of a token (a row per value), or a position: a row each for the first and
    the last, which is enough for what is linear in it, and not `complete`. `own` blocks belong
    to the token itself, the others to a token that a head attended to.
    """

    own: bool
    complete: bool
    lanes: Any
    table: Array

    @staticmethod
    def of(own: bool, complete: bool, table: Array, lanes: Any = None) -> "StreamBlock":
        """The block of a table over these lanes (all), without those it leaves alone."""
        touched = np.flatnonzero(table.any(axis=0))
        chosen = touched if lanes is None else lanes[touched]
        return StreamBlock(own, complete, chosen, table[:, touched])

    def wide(self, width: int) -> Array:
        """The table over all lanes."""
        full = np.zeros((len(self.table), width))
        full[:, self.lanes] = self.table
        return full


@dataclass(frozen=True, slots=True)
class Stream:
    """x is `constant` + one row of each block + something between `lo` and `hi`, per lane."""

    constant: Array
    blocks: tuple[StreamBlock, ...]
    lo: Array
    hi: Array

    def forms(self, rows: Array, own: bool | None = None) -> tuple[Array, Array]:
        """Lowest and highest value of `rows @ x`.

        With `own=False`, of what is neither constant nor decided by the token's own parts.
        """
        lo, hi = between(rows, self.lo, self.hi)
        if own is None:
            lo, hi = lo + rows @ self.constant, hi + rows @ self.constant
        for block in self.blocks:
            if own is None or block.own == own:
                some, reached = _restricted(rows, block)
                sums = block.table @ reached.T
                lo[some] += sums.min(axis=0)
                hi[some] += sums.max(axis=0)
        return lo, hi

    def magnitudes(self, rows: Array) -> Array:
        """For each row the most that the magnitudes of the terms of `row @ x` can add up to."""
        weights = np.abs(rows)
        most: Array = weights @ (np.abs(self.constant) + np.maximum(-self.lo, self.hi))
        for block in self.blocks:
            some, reached = _restricted(weights, block)
            most[some] += (np.abs(block.table) @ reached.T).max(axis=0)
        return most

    def scores(self, query: Array, keys: Array) -> float:
        """The most that the terms of a score add up to, for queries of these magnitudes.

        Two bounds, each sound: rows together, best row per part, or each row by itself.
        """
        reached = np.abs(keys) @ np.maximum(-self.lo, self.hi) + np.abs(keys @ self.constant)
        most = float(query @ reached)
        for block in self.blocks:
            most += float((np.abs(block.table @ keys[:, block.lanes].T) @ query).max())
        apart = query @ np.abs(np.stack(self.forms(keys))).max(axis=0, initial=0.0)
        return min(most, float(apart))

    def lanes(self) -> tuple[Array, Array]:
        """Lowest and highest value of each lane."""
        lo, hi = self.constant + self.lo, self.constant + self.hi
        for block in self.blocks:
            lo[block.lanes] += block.table.min(axis=0)
            hi[block.lanes] += block.table.max(axis=0)
        return lo, hi

    def owners(self) -> Any:
        """For each lane the block that decides it alone, `CONSTANT` or `FREE`."""
        owner = np.where((self.lo == 0) & (self.hi == 0), CONSTANT, FREE)
        for number, block in enumerate(self.blocks):
            first = block.complete & (owner[block.lanes] == CONSTANT)
            owner[block.lanes] = np.where(first, number, FREE)
        return owner

    def mapped(self, changed: Any, change: Array) -> "Stream":
        """What x can be after `x[changed] += change @ x`."""
        if not len(changed):
            return self
        rows = change.copy()
        rows[np.arange(len(changed)), changed] += 1.0
        constant, lo, hi = self.constant.copy(), self.lo.copy(), self.hi.copy()
        constant[changed] = rows @ self.constant
        lo[changed], hi[changed] = between(rows, self.lo, self.hi)
        blocks = []
        for block in self.blocks:
            full = block.wide(len(lo))
            full[:, changed] = block.table @ rows[:, block.lanes].T
            blocks.append(StreamBlock.of(block.own, block.complete, full))
        return Stream(constant, tuple(blocks), lo, hi)

    def plus(self, lo: Array, hi: Array, tables: dict[int, Array] | None = None) -> "Stream":
        """What x can be after something between is added, and to some blocks full tables."""
        blocks = list(self.blocks)
        for number, table in (tables or {}).items():
            block = blocks[number]
            blocks[number] = StreamBlock.of(block.own, block.complete, block.wide(len(lo)) + table)
        return replace(self, blocks=tuple(blocks), lo=self.lo + lo, hi=self.hi + hi)


def between(rows: Array, lo: Array, hi: Array) -> tuple[Array, Array]:
    """Lowest and highest value of `rows @ x` for x between lo and hi."""
    plus, minus = np.maximum(rows, 0), np.minimum(rows, 0)
    return plus @ lo + minus @ hi, plus @ hi + minus @ lo


def _restricted(rows: Array, block: StreamBlock) -> tuple[Any, Array]:
    """The rows that touch the block's lanes, and their weights there."""
    reached = rows[:, block.lanes]
    some = np.flatnonzero(reached.any(axis=1))
    return some, reached[some]
