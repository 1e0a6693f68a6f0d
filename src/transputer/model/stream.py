"""The set of values of the residual stream at one point, as `verify` propagates it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from transputer.model.tensors import Array

#: Owners of lanes that no single block determines: constant lanes, and all others.
CONSTANT, FREE = -1, -2


@dataclass(frozen=True, slots=True)
class StreamBlock:
    """Lanes that are determined together: the stream gets one of the rows of `table`.

    A block is a part of a token (a row per value), or the position (a row for the first and one
    for the last, which suffices for linear forms but is not `complete`). `own` blocks belong to
    the token itself, the others to a token that a head attended to.
    """

    own: bool
    complete: bool
    lanes: Any
    table: Array

    @staticmethod
    def of(own: bool, complete: bool, table: Array, lanes: Any = None) -> "StreamBlock":
        """Return the block of a table over `lanes` (default: all), without its zero lanes."""
        nonzero = np.flatnonzero(table.any(axis=0))
        own_lanes = nonzero if lanes is None else lanes[nonzero]
        return StreamBlock(own, complete, own_lanes, table[:, nonzero])

    def wide(self, width: int) -> Array:
        """Return the table over all lanes."""
        full = np.zeros((len(self.table), width))
        full[:, self.lanes] = self.table
        return full


@dataclass(frozen=True, slots=True)
class Stream:
    """The values of x: `constant`, plus one row of each block, plus at least `lo`, at most `hi`."""

    constant: Array
    blocks: tuple[StreamBlock, ...]
    lo: Array
    hi: Array

    def forms(self, rows: Array, own: bool | None = None) -> tuple[Array, Array]:
        """Return the lowest and highest values of `rows @ x`.

        With `own=False`, leave out the constant and what the token's own parts determine.
        """
        lo, hi = between(rows, self.lo, self.hi)
        if own is None:
            lo, hi = lo + rows @ self.constant, hi + rows @ self.constant
        for block in self._read(rows):
            if own is None or block.own == own:
                some, reached = _restricted(rows, block)
                sums = block.table @ reached.T
                lo[some] += sums.min(axis=0)
                hi[some] += sums.max(axis=0)
        return lo, hi

    def _read(self, rows: Array) -> list[StreamBlock]:
        """Return the blocks that some of the rows read."""
        read: Any = rows.any(axis=0)
        return [block for block in self.blocks if read[block.lanes].any()]

    def magnitudes(self, rows: Array) -> Array:
        """Return, for each row, the largest sum of the magnitudes of the terms of `row @ x`."""
        weights = np.abs(rows)
        most: Array = weights @ (np.abs(self.constant) + np.maximum(-self.lo, self.hi))
        for block in self._read(weights):
            some, reached = _restricted(weights, block)
            most[some] += (np.abs(block.table) @ reached.T).max(axis=0)
        return most

    def scores(self, query: Array, keys: Array) -> float:
        """Return a bound on the sum of the terms of a score, for queries of these magnitudes.

        It is the smaller of two sound bounds: rows together, with the best row per part; or each
        row by itself.
        """
        reached = np.abs(keys) @ np.maximum(-self.lo, self.hi) + np.abs(keys @ self.constant)
        most = float(query @ reached)
        for block in self.blocks:
            most += float((np.abs(block.table @ keys[:, block.lanes].T) @ query).max())
        apart = query @ np.abs(np.stack(self.forms(keys))).max(axis=0, initial=0.0)
        return min(most, float(apart))

    def lanes(self) -> tuple[Array, Array]:
        """Return the lowest and highest values of each lane."""
        lo, hi = self.constant + self.lo, self.constant + self.hi
        for block in self.blocks:
            lo[block.lanes] += block.table.min(axis=0)
            hi[block.lanes] += block.table.max(axis=0)
        return lo, hi

    def owners(self) -> Any:
        """Return, for each lane, the block that alone determines it, `CONSTANT` or `FREE`."""
        owner = np.where((self.lo == 0) & (self.hi == 0), CONSTANT, FREE)
        for number, block in enumerate(self.blocks):
            first = block.complete & (owner[block.lanes] == CONSTANT)
            owner[block.lanes] = np.where(first, number, FREE)
        return owner

    def mapped(self, changed: Any, change: Array) -> "Stream":
        """Return the values of x after `x[changed] += change @ x`."""
        if not len(changed):
            return self
        rows = change.copy()
        rows[np.arange(len(changed)), changed] += 1.0
        constant, lo, hi = self.constant.copy(), self.lo.copy(), self.hi.copy()
        constant[changed] = rows @ self.constant
        lo[changed], hi[changed] = between(rows, self.lo, self.hi)
        blocks = []
        for block in self.blocks:
            stay = ~np.isin(block.lanes, changed)
            some, reached = _restricted(rows, block)
            table = np.hstack([block.table[:, stay], block.table @ reached.T])
            lanes = np.concatenate([block.lanes[stay], changed[some]])
            blocks.append(StreamBlock.of(block.own, block.complete, table, lanes))
        return Stream(constant, tuple(blocks), lo, hi)

    def plus(self, lo: Array, hi: Array, tables: dict[int, Array] | None = None) -> "Stream":
        """Return the values of x after adding between `lo` and `hi`, and tables to some blocks."""
        blocks = list(self.blocks)
        for number, table in (tables or {}).items():
            block = blocks[number]
            blocks[number] = StreamBlock.of(block.own, block.complete, block.wide(len(lo)) + table)
        return replace(self, blocks=tuple(blocks), lo=self.lo + lo, hi=self.hi + hi)


def between(rows: Array, lo: Array, hi: Array) -> tuple[Array, Array]:
    """Return the lowest and highest values of `rows @ x` for x between `lo` and `hi`."""
    wide = np.flatnonzero((lo != 0) | (hi != 0))
    lo, hi, read = lo[wide], hi[wide], rows[:, wide]
    plus, minus = np.maximum(read, 0), np.minimum(read, 0)
    return plus @ lo + minus @ hi, plus @ hi + minus @ lo


def _restricted(rows: Array, block: StreamBlock) -> tuple[Any, Array]:
    """Return the indices of the rows that read the block's lanes, and their weights there."""
    reached = rows[:, block.lanes]
    some = np.flatnonzero(reached.any(axis=1))
    return some, reached[some]
