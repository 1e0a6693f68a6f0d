"""The set of values of the residual stream at one point, as `verify` propagates it."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from transputer.model.entries import Entries, entries
from transputer.model.tensors import Array
from transputer.values import dataclass

#: Owners of lanes that no single block determines: constant lanes, and all others.
CONSTANT, FREE = -1, -2


@dataclass(frozen=True, eq=False)
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
        nonzero = entries(table).used
        own_lanes = nonzero if lanes is None else lanes[nonzero]
        return StreamBlock(own, complete, own_lanes, table[:, nonzero])

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Return the lowest and highest value of each of its lanes."""
        return self.table.min(axis=0), self.table.max(axis=0)

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

    def forms(self, rows: Array | Entries, own: bool | None = None) -> tuple[Array, Array]:
        """Return the lowest and highest values of `rows @ x`.

        With `own=False`, leave out the constant and what the token's own parts determine.
        """
        rows = entries(rows)
        lo, hi = between(rows, self.lo, self.hi)
        if own is None:
            constant = rows.times(self.constant)
            lo, hi = lo + constant, hi + constant
        for block in self._read(rows):
            if own is None or block.own == own:
                some, reached = rows.columns(block.lanes)
                sums = block.table @ reached.T
                lo[some] += sums.min(axis=0)
                hi[some] += sums.max(axis=0)
        return lo, hi

    def _read(self, rows: Entries) -> list[StreamBlock]:
        """Return the blocks that some of the rows read."""
        return [block for block in self.blocks if rows.reads[block.lanes].any()]

    def magnitudes(self, rows: Array | Entries) -> Array:
        """Return, for each row, the largest sum of the magnitudes of the terms of `row @ x`."""
        weights = entries(rows).magnitudes
        most = weights.times(np.abs(self.constant) + np.maximum(-self.lo, self.hi))
        for block in self._read(weights):
            some, reached = weights.columns(block.lanes)
            most[some] += (np.abs(block.table) @ reached.T).max(axis=0)
        return most

    def scores(self, query: Array, keys: Array) -> float:
        """Return a bound on the sum of the terms of a score, for queries of these magnitudes.

        It is the smaller of two sound bounds: rows together, with the best row per part; or each
        row by itself.
        """
        rows = entries(keys)
        reached = rows.magnitudes.times(np.maximum(-self.lo, self.hi))
        most = float(query @ (reached + np.abs(rows.times(self.constant))))
        for block in self._read(rows):
            some, weights = rows.columns(block.lanes)
            most += float((np.abs(block.table @ weights.T) @ query[some]).max())
        apart = query @ np.abs(np.stack(self.forms(rows))).max(axis=0, initial=0.0)
        return min(most, float(apart))

    def lanes(self) -> tuple[Array, Array]:
        """Return the lowest and highest values of each lane."""
        lo, hi = self.constant + self.lo, self.constant + self.hi
        for block in self.blocks:
            low, high = block.ends
            lo[block.lanes] += low
            hi[block.lanes] += high
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
        change = change.copy()
        change[np.arange(len(changed)), changed] += 1.0
        rows = entries(change)
        constant, lo, hi = self.constant.copy(), self.lo.copy(), self.hi.copy()
        constant[changed] = rows.times(self.constant)
        lo[changed], hi[changed] = between(rows, self.lo, self.hi)
        moves = np.zeros(len(lo), dtype=bool)
        moves[changed] = True
        blocks = []
        for block in self.blocks:
            stay = ~moves[block.lanes]
            some, reached = rows.columns(block.lanes)
            if stay.all() and not some.size:
                blocks.append(block)
                continue
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


def between(rows: Array | Entries, lo: Array, hi: Array) -> tuple[Array, Array]:
    """Return the lowest and highest values of `rows @ x` for x between `lo` and `hi`."""
    rows = entries(rows)
    plus, low, high = rows.weights > 0, lo[rows.lanes], hi[rows.lanes]
    least = rows.weights * np.where(plus, low, high)
    most = rows.weights * np.where(plus, high, low)
    return rows.sums(least), rows.sums(most)
