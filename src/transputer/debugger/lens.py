"""One forward pass in detail: what each head looked up and copied, and the fields of each layer.

The pass is computed from the tensors alone, over a subset of the sequence's tokens with their
positions. That is exact under two conditions. Keys and values depend on the tokens only, not on
what earlier layers computed; `Lens` checks this. And no head can attend to a token that was left
out; the caller ensures this.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.paths import LayerNumbers, PathFinder, Paths
from transputer.errors import Unsupported
from transputer.model import Array, Head, Model, Token
from transputer.values import dataclass

Rows = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class HeadLookup:
    """What one head did: the position that it attended to, its score, and the score margin.

    Scores are without the head's scale. `margin` is infinite if there was only one token. `target`
    is the address with the largest score, digit by digit, for heads that look up an address.
    """

    layer: int
    head: int
    name: str
    position: int
    score: int
    margin: float
    copied: dict[str, int]  # nonzero values
    target: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class ForwardPass:
    """One forward pass: heads, the fields after each layer, and the predicted token."""

    lookups: tuple[HeadLookup, ...]
    embedded: dict[str, int]
    layers: tuple[dict[str, int], ...]
    predicted: Token
    passes: tuple[LayerNumbers, ...]


class Lens:
    """Computes forward passes of a model, one at a time.

    Raises `Unsupported` if a key or a value depends on what an earlier layer computed.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        written = np.zeros(model.width, dtype=bool)
        self._heads: list[list[_Tables]] = []
        for number, layer in enumerate(model.layers):
            for head in layer.heads:
                if (np.abs(head.key).sum(axis=0) + np.abs(head.value).sum(axis=0))[written].any():
                    raise Unsupported(f"layer {number} attends to what earlier layers computed")
            self._heads.append([_Tables(model, head) for head in layer.heads])
            for head in layer.heads:
                written |= head.output.any(axis=1)
            written |= layer.out.any(axis=1)

    @cached_property
    def _names(self) -> dict[tuple[int, int], dict[str, Any]]:
        return {(h["layer"], h["head"]): h for h in self.model.hints.get("heads", ())}

    def look(self, tokens: Rows, positions: NDArray[np.int64]) -> ForwardPass:
        """Return the pass at the last of `tokens`, which are ordered by position."""
        model, last = self.model, len(tokens) - 1
        x = model.bias + model.position * positions[last]
        for table, value in zip(model.embeddings, tokens[last], strict=True):
            x = x + table[value]
        embedded, lookups, fields, passes = self._fields(x, -1), [], [], []
        for number, layer in enumerate(model.layers):
            before, added, values = x, np.zeros_like(x), []
            for h, (head, tables) in enumerate(zip(layer.heads, self._heads[number], strict=True)):
                winner, copied = tables.attend(head, x, tokens, positions)
                lookups.append(self._lookup(number, h, winner, copied))
                added = added + head.output @ copied
                values.append(copied)
            between = x + added
            fired = np.maximum(layer.gate @ between, 0.0) * (layer.value @ between)
            x = between + layer.out @ fired
            passes.append(LayerNumbers(before, between, tuple(values), fired))
            fields.append(self._fields(x, number))
        predicted = tuple(int(np.argmax(table @ x)) for table in model.outputs)
        return ForwardPass(tuple(lookups), embedded, tuple(fields), predicted, tuple(passes))

    @cached_property
    def _finder(self) -> PathFinder:
        return PathFinder(self.model)

    def paths(self, forward: ForwardPass, fields: Sequence[str] = ()) -> Paths:
        """Return what has a path to the next token, or to its parts that belong to `fields`."""
        names = [part.name for part in self.model.parts]
        parts = [name for name in names if name.rstrip("0123456789") in fields]
        return self._finder.paths(forward.passes, parts if fields else None)

    def live_lanes(self, paths: Paths) -> list[frozenset[str]]:
        """Return the names of the lanes with a path, after the embedding and after each layer."""
        return [
            frozenset(
                lane["name"]
                for lane in self.model.hints.get("lanes", ())
                if lane["from"] <= 2 * layer + 1 and lane["to"] > layer and mask[lane["lane"]]
            )
            for layer, mask in enumerate(paths.lanes, -1)
        ]

    def _lookup(self, layer: int, head: int, winner: "_Winner", copied: Array) -> HeadLookup:
        hint: dict[str, Any] = self._names.get((layer, head), {})
        names = hint.get("values", [f"value {i}" for i in range(len(copied))])
        return HeadLookup(
            layer,
            head,
            hint.get("name", f"head {layer}.{head}"),
            winner.position,
            winner.score,
            winner.margin,
            {name: int(v) for name, v in zip(names, copied, strict=True) if v},
            _target(hint.get("key", ()), winner.query),
        )

    def _fields(self, x: Array, layer: int) -> dict[str, int]:
        """Return the nonzero lanes after the neurons of a layer (-1: after the embedding)."""
        now = 2 * layer + 1
        return {
            lane["name"]: int(x[lane["lane"]])
            for lane in self.model.hints.get("lanes", ())
            if lane["from"] <= now and lane["to"] > layer and x[lane["lane"]]
        }


@dataclass(frozen=True, slots=True)
class _Winner:
    position: int
    score: int
    margin: float
    query: Array


def _target(keys: Sequence[str], query: Array) -> dict[str, int]:
    """Return the digits with the largest score: q a - c a^2 is largest at a = q / 2c."""
    squares = [i for i, name in enumerate(keys) if name.startswith("-|")]
    if len(squares) != 1 or query[squares[0]] <= 0:
        return {}
    digits = zip(keys[: squares[0]], query[: squares[0]] / (2 * query[squares[0]]), strict=True)
    return {name: int(digit) for name, digit in digits}


class _Tables:
    """Keys and values of one head by the parts of a token: `key @ embedding[part][v]`."""

    def __init__(self, model: Model, head: Head) -> None:
        self._key = _of_parts(model, head.key)
        self._value = _of_parts(model, head.value)

    def attend(
        self, head: Head, x: Array, tokens: Rows, positions: NDArray[np.int64]
    ) -> tuple[_Winner, Array]:
        """Return the latest token with the largest score, and the value copied from it."""
        query = head.query @ x / head.scale
        scores = self._key.dot(query, tokens, positions)
        best = len(scores) - 1 - int(np.argmax(scores[::-1]))
        score, scores[best] = int(scores[best]), -np.inf
        winner = _Winner(int(positions[best]), score, score - float(scores.max()), query)
        return winner, self._value.rows(tokens[best], int(positions[best]))


@dataclass(frozen=True, slots=True)
class _Linear:
    """A linear form of tokens: a constant, a slope per position, and a table per part."""

    constant: Array
    slope: Array
    tables: tuple[tuple[int, Array], ...]  # only parts with a nonzero table

    def rows(self, token: Sequence[int], position: int) -> Array:
        """Return the form's value at one token."""
        value: Array = self.constant + self.slope * position
        for part, table in self.tables:
            value = value + table[token[part]]
        return value

    def dot(self, query: Array, tokens: Rows, positions: NDArray[np.int64]) -> Array:
        """Return the product of a query with the form's value at every token."""
        constant, slope = float(query @ self.constant), float(query @ self.slope)
        products: Array = positions.astype(np.float64) * slope + constant
        for part, table in self.tables:
            products = products + (table @ query)[tokens[:, part]]
        return products


def _of_parts(model: Model, rows: Array) -> _Linear:
    lanes = np.flatnonzero(rows.any(axis=0))  # few lanes; all others are multiplied by zero
    few = rows[:, lanes].T
    tables = [(i, table[:, lanes] @ few) for i, table in enumerate(model.embeddings)]
    nonzero = tuple((i, table) for i, table in tables if table.any())
    return _Linear(rows @ model.bias, rows @ model.position, nonzero)
