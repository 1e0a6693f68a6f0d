"""The nonzero weights of a matrix: few of the weights of a constructed model are not zero."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from transputer.model.tensors import Array

#: The entries of arrays that cannot be written to, by identity, while the arrays exist.
_known: dict[int, tuple["ref[NDArray[Any]]", "Entries"]] = {}


@dataclass(frozen=True, eq=False)
class Entries:
    """The nonzero weights of a matrix of a shape, row by row, with their rows and lanes."""

    shape: tuple[int, int]
    rows: Any
    lanes: Any
    weights: Array

    @cached_property
    def starts(self) -> Any:
        """Return where each row starts, and the number of entries."""
        counts = np.bincount(self.rows, minlength=self.shape[0])
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def magnitudes(self) -> "Entries":
        """Return the magnitudes of the weights."""
        return Entries(self.shape, self.rows, self.lanes, np.abs(self.weights))

    @cached_property
    def transposed(self) -> "Entries":
        """Return the entries of the transposed matrix."""
        order = np.argsort(self.lanes, kind="stable")
        shape = self.shape[1], self.shape[0]
        return Entries(shape, self.lanes[order], self.rows[order], self.weights[order])

    @cached_property
    def reads(self) -> Any:
        """Return, for each lane, whether some row reads it."""
        return np.bincount(self.lanes, minlength=self.shape[1]) > 0

    @cached_property
    def used(self) -> Any:
        """Return the lanes that some row reads."""
        return np.flatnonzero(self.reads)

    def sums(self, terms: Array) -> Array:
        """Return the sum of each row's terms, of which there is one per entry."""
        return _added(self.rows, terms, self.shape[0])

    def times(self, x: Array) -> Array:
        """Return the product with a vector."""
        return self.sums(self.weights * x[self.lanes])

    @cached_property
    def terms(self) -> tuple[Any, list[tuple[Any, Array]]]:
        """Return the rows with most entries first, and the first entry of each, the second, …."""
        counts = np.diff(self.starts)
        order = np.argsort(-counts, kind="stable")
        rows = self.part(order)
        place = np.arange(len(rows.rows)) - rows.starts[rows.rows]
        terms = (np.flatnonzero(place == k) for k in range(int(counts.max(initial=0))))
        return order, [(rows.lanes[k], rows.weights[k][:, None]) for k in terms]

    def over(self, x: Array) -> Array:
        """Return `x @ matrix.T`, summing the first weight of every row, then the second, …."""
        order, terms = self.terms
        stream = np.ascontiguousarray(x.T)
        sums = np.zeros((len(order), len(x)))
        for lanes, weights in terms:
            sums[: len(lanes)] += weights * stream[lanes]
        product = np.empty_like(sums)
        product[order] = sums
        return product.T  # lanes stay together, as the next product wants them

    def only(self, kept: Any) -> "Entries":
        """Return the entries that a mask keeps, in a matrix of the same shape."""
        return Entries(self.shape, self.rows[kept], self.lanes[kept], self.weights[kept])

    def part(self, chosen: Any) -> "Entries":
        """Return the matrix of the chosen rows, in their order."""
        first = self.starts[:-1][chosen]
        counts = self.starts[1:][chosen] - first
        at = spans(first, counts)
        rows = np.repeat(np.arange(len(counts)), counts)
        return Entries((len(counts), self.shape[1]), rows, self.lanes[at], self.weights[at])

    def columns(self, lanes: Any) -> tuple[Any, Array]:
        """Return the rows that read some of `lanes`, and their weights there."""
        place = np.full(self.shape[1], -1)
        place[lanes] = np.arange(len(lanes))
        columns = place[self.lanes]
        at = np.flatnonzero(columns >= 0)
        rows = self.rows[at]
        fresh = np.ones(len(rows), dtype=bool)  # where a row begins
        np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
        some = rows[fresh]
        weights = np.zeros((len(some), len(lanes)))
        weights[np.cumsum(fresh) - 1, columns[at]] = self.weights[at]
        return some, weights

    def matrix(self, other: "Entries") -> Array:
        """Return the product with another matrix, with all its zeros."""
        first = other.starts[:-1][self.lanes]
        counts = other.starts[1:][self.lanes] - first
        at = spans(first, counts)
        place = np.repeat(self.rows, counts) * other.shape[1] + other.lanes[at]
        terms = np.repeat(self.weights, counts) * other.weights[at]
        shape = self.shape[0], other.shape[1]
        return _added(place, terms, shape[0] * shape[1]).reshape(shape)


def _added(places: Any, terms: Array, size: int) -> Array:
    return np.bincount(places, terms, size).astype(np.float64, copy=False)  # integers if empty


def spans(first: Any, counts: Any) -> Any:
    """Return `first[i], first[i] + 1, ...`, as many as `counts[i]`, for each i in turn."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + counts, counts)


def entries(matrix: "NDArray[Any] | Entries") -> Entries:
    """Return the nonzero weights of a matrix, or of a vector as its only row."""
    if isinstance(matrix, Entries):
        return matrix
    known = _known.get(id(matrix))
    if known is not None and known[0]() is matrix and not matrix.flags.writeable:
        return known[1]
    shape = matrix.shape if matrix.ndim == 2 else (1, len(matrix))
    places = np.flatnonzero(np.ascontiguousarray(matrix) != 0)
    rows, lanes = np.divmod(places, max(1, shape[1]))
    result = Entries(shape, rows, lanes, matrix[rows, lanes] if matrix.ndim == 2 else matrix[lanes])
    if not matrix.flags.writeable:
        number = id(matrix)
        _known[number] = ref(matrix, lambda _: _known.pop(number, None)), result
    return result
