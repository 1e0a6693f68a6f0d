"""Which lanes hold what the token alone decides, layer by layer, derived from the tensors.

A lane that nothing has written since the embedding is a function of the token and its position:
a constant, plus a table per part, plus a multiple of the position. A row of weights over such
lanes is one too: a `LaneReading`. A neuron that subtracts a lane from itself erases it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from transputer.model import EXACT, Array, Entries, Head, Layer, Model, entries, verify
from transputer.model.stream import between

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
#: Beyond every number that can occur.
UNBOUNDED = 2.0**55


def integers(array: Array) -> Ints:
    """The same numbers as 64-bit integers; `verify` has shown that they are integers."""
    return array.astype(np.int64)


def product(one: Ints, two: Ints) -> Ints:
    """Return the product of integer matrices; floating point is faster, and used if it is exact."""
    left, right = one.astype(np.float64), two.astype(np.float64)
    if (np.abs(left) @ np.abs(right)).max(initial=0.0) < EXACT / 2:
        return integers(left @ right)
    exact: Ints = one @ two
    return exact


@lru_cache(maxsize=2)
def varying(model: Model) -> Mask:
    """Lanes that the embedding or the position makes differ from token to token."""
    varies: Mask = model.position != 0
    for table in model.embeddings:
        lanes = entries(table).used
        varies[lanes] |= (table[:, lanes] != table[0, lanes]).any(axis=0)
    return varies


@dataclass(frozen=True, eq=False)
class LaneReading:
    """`constant + position * t + sum of tables[part][token[part]]`; tables begin with 0."""

    constant: int = 0
    position: int = 0
    tables: Mapping[int, Ints] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[tuple[int, bytes], ...]:
        """Equal for readings that differ by a constant (and by the position)."""
        return tuple((part, self.tables[part].tobytes()) for part in sorted(self.tables))

    @property
    def identity(self) -> tuple[int, int, tuple[tuple[int, bytes], ...]]:
        """Equal for readings that are the same function."""
        return self.constant, self.position, self.shape

    @property
    def low(self) -> int:
        """The least it can be, at position 0."""
        return self.constant + sum(int(table.min()) for table in self.tables.values())

    @property
    def high(self) -> int:
        """The most it can be, at position 0."""
        return self.constant + sum(int(table.max()) for table in self.tables.values())

    @property
    def bits(self) -> int:
        """How many bits tell its values apart, at one position."""
        return (self.high - self.low).bit_length()

    @staticmethod
    def of(constant: int, position: int, tables: Mapping[int, Ints]) -> "LaneReading":
        """With what tables share moved to the constant, and without tables of zeros."""
        shared = constant + sum(int(table[0]) for table in tables.values())
        moved = {part: table - table[0] for part, table in tables.items()}
        return LaneReading(shared, position, {p: t for p, t in moved.items() if t.any()})


def total(readings: list[tuple[int, LaneReading]]) -> LaneReading:
    """The sum of readings, each with a factor."""
    tables: dict[int, Ints] = {}
    for factor, item in readings:
        for part, table in item.tables.items():
            tables[part] = tables.get(part, 0) + factor * table
    constant = sum(factor * item.constant for factor, item in readings)
    position = sum(factor * item.position for factor, item in readings)
    return LaneReading.of(constant, position, tables)


@dataclass(frozen=True, eq=False)
class LaneStage:
    """What is known about the lanes at one point of a model.

    `fresh` lanes hold what the embedding gave them, `empty` ones nothing, others anything
    between `lo` and `hi`.
    """

    model: Model
    fresh: Mask
    empty: Mask
    lo: Array
    hi: Array

    @cached_property
    def constant(self) -> Mask:
        """Lanes that hold the same number for every token at every position."""
        mask: Mask = self.empty | (self.fresh & ~varying(self.model))
        return mask

    @cached_property
    def held(self) -> Ints:
        """What constant lanes hold; 0 for the others."""
        sums = self.model.bias + sum(table[0] for table in self.model.embeddings)
        return integers(np.where(self.constant & ~self.empty, sums, 0.0))

    def readings(self, rows: Ints) -> list[LaneReading | None]:
        """Each row of weights as a function of the token, or None if it is not one."""
        readings: list[LaneReading | None] = [None] * len(rows)
        pure = np.flatnonzero(~rows[:, ~(self.fresh | self.empty)].any(axis=1))
        lanes = np.flatnonzero(self.fresh & rows[pure].any(axis=0))
        weights = rows[np.ix_(pure, lanes)]
        constants = weights @ integers(self.model.bias[lanes])
        positions = (weights @ integers(self.model.position[lanes])).tolist()
        columns: list[dict[int, Ints]] = [{} for _ in pure]
        for part, embedding in enumerate(self.model.embeddings):
            used = np.isin(lanes, entries(embedding).used)
            some = np.flatnonzero(weights[:, used].any(axis=1))
            sums = product(weights[np.ix_(some, used)], integers(embedding[:, lanes[used]]).T)
            constants[some] += sums[:, 0]
            sums = sums - sums[:, :1]
            for i in np.flatnonzero(sums.any(axis=1)).tolist():
                columns[some[i]][part] = sums[i]
        for i, *reading in zip(pure.tolist(), constants.tolist(), positions, columns, strict=True):
            readings[i] = LaneReading(*reading)
        return readings

    def positions(self, rows: Ints) -> Ints:
        """The coefficient of the position in each row, as far as fresh lanes show it."""
        weights: Ints = np.where(self.fresh, rows, 0) @ integers(self.model.position)
        return weights

    def span(self, rows: Array | Entries) -> tuple[Array, Array]:
        """Bounds of each row, lane by lane; far apart where sums might be rounded."""
        rows = entries(rows)
        exact = rows.magnitudes.times(np.maximum(np.abs(self.lo), np.abs(self.hi))) < EXACT
        lo, hi = between(rows, self.lo, self.hi)
        return np.where(exact, lo, -UNBOUNDED), np.where(exact, hi, UNBOUNDED)

    def after_heads(self, layer: Layer) -> "LaneStage":
        """Between the heads of a layer and its neurons."""
        lo, hi, written = self.lo, self.hi, np.zeros_like(self.fresh)
        for head in layer.heads:
            low, high = self._added(head)
            lo, hi = lo + low, hi + high
            written[entries(head.output).rows] = True
        return LaneStage(self.model, self.fresh & ~written, self.empty & ~written, lo, hi)

    def after_neurons(self, layer: Layer, erasers: Ints, lo: Array, hi: Array) -> "LaneStage":
        """After the neurons of a layer, some of which erase; the range of lanes is given."""
        outs = entries(layer.out).transposed
        erased, written = np.zeros((2, len(lo)), dtype=bool)
        erased[outs.part(erasers).lanes] = True
        written[outs.part(np.setdiff1d(np.arange(outs.shape[0]), erasers)).lanes] = True
        fresh, empty = self.fresh & ~erased & ~written, (self.empty | erased) & ~written
        return LaneStage(self.model, fresh, empty, lo, hi)

    def erasers(self, layer: Layer) -> Ints:
        """Neurons that take away what a lane holds: x + out * relu(gate) * value is x - x."""
        gates, values = entries(layer.gate), entries(layer.value)
        outs = entries(layer.out).transposed
        moved = gates.rows[~self.constant[gates.lanes]]
        force = np.maximum(gates.times(self.held.astype(np.float64)), 0.0)
        force[moved] = 0.0
        single = (np.diff(values.starts) == 1) & (np.diff(outs.starts) == 1)
        erasers: dict[int, int] = {}
        for n in np.flatnonzero(single & (force > 0)).tolist():
            lane = int(values.lanes[values.starts[n]])
            if force[n] * layer.value[n, lane] * layer.out[lane, n] == -1:
                erasers.setdefault(lane, n)
        return np.array(sorted(erasers.values()), dtype=np.int64)

    def _added(self, head: Head) -> tuple[Array, Array]:
        """Bounds of what a head adds to each lane."""
        output = entries(head.output)
        written = output.transposed.used
        copied = output.part(written).matrix(entries(head.value))
        low, high = np.zeros((2, len(self.lo)))
        spans, reads = self.span(copied), self.readings(integers(copied))
        last = self.model.context - 1
        for i, (lane, read) in enumerate(zip(written, reads, strict=True)):
            low[lane], high[lane] = spans[0][i], spans[1][i]
            if read is not None:
                low[lane] = read.low + min(0, read.position * last)
                high[lane] = read.high + max(0, read.position * last)
        return low, high


@dataclass(frozen=True, eq=False)
class LayerStages:
    """A layer: lanes before its heads, between heads and neurons, and which neurons erase."""

    before: LaneStage
    between: LaneStage
    erasers: Ints


@lru_cache(maxsize=2)
def stages(model: Model) -> tuple[LayerStages, ...]:
    """The layers of a model, which is verified first; one more says what the outputs read."""
    bounds = verify(model)
    every = np.ones(model.width, dtype=bool)
    now = LaneStage(model, every, ~every, *bounds.ranges[0])
    result = []
    for number, layer in enumerate(model.layers):
        between = now.after_heads(layer)
        erasers = between.erasers(layer)
        result.append(LayerStages(now, between, erasers))
        now = between.after_neurons(layer, erasers, *bounds.ranges[number + 1])
    return (*result, LayerStages(now, now, np.zeros(0, dtype=np.int64)))
