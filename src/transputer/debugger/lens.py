"""One forward pass looked into: what each head asked, found and copied, what each layer holds.

The pass is computed from the tensors alone, over those tokens of the sequence that are given with
their positions. That is enough wherever what heads compare and copy is in the tokens themselves,
which is checked, and wherever the tokens left out are such that no head can find them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.model import Array, Head, Model, Token

Rows = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one head did: the position it attended to, its score, and by how much it won.

    Scores are without the head's scale. `margin` is infinite where there was nothing else to
    attend to. `asked` is the address that the
    query is largest for, digit by digit, where the head looks for one.
    """

    layer: int
    head: int
    name: str
    position: int
    score: int
    margin: float
    copied: dict[str, int]  # what is not zero
    asked: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One forward pass: heads, the fields after each layer, and the token that it predicts."""

    found: tuple[Found, ...]
    embedded: dict[str, int]
    layers: tuple[dict[str, int], ...]
    predicted: Token


class Lens:
    """Forward passes of a model one at a time; raises `Unsupported` where heads need more."""

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

    def look(self, tokens: Rows, positions: NDArray[np.int64]) -> Pass:
        """The pass at the last of these tokens, which are in the order of their positions."""
        model, last = self.model, len(tokens) - 1
        x = model.bias + model.position * positions[last]
        for table, value in zip(model.embeddings, tokens[last], strict=True):
            x = x + table[value]
        embedded, found, held = self._fields(x, -1), [], []
        for number, layer in enumerate(model.layers):
            added = np.zeros_like(x)
            for h, (head, tables) in enumerate(zip(layer.heads, self._heads[number], strict=True)):
                seen, copied = tables.attend(head, x, tokens, positions)
                found.append(self._found(number, h, seen, copied))
                added = added + head.output @ copied
            x = x + added
            x = x + layer.out @ (np.maximum(layer.gate @ x, 0.0) * (layer.value @ x))
            held.append(self._fields(x, number))
        predicted = tuple(int(np.argmax(table @ x)) for table in model.outputs)
        return Pass(tuple(found), embedded, tuple(held), predicted)

    def _found(self, layer: int, head: int, seen: "_Seen", copied: Array) -> Found:
        hint: dict[str, Any] = self._names.get((layer, head), {})
        names = hint.get("values", [f"value {i}" for i in range(len(copied))])
        return Found(
            layer,
            head,
            hint.get("name", f"head {layer}.{head}"),
            seen.position,
            seen.score,
            seen.margin,
            {name: int(v) for name, v in zip(names, copied, strict=True) if v},
            _asked(hint.get("key", ()), seen.query),
        )

    def _fields(self, x: Array, layer: int) -> dict[str, int]:
        """Lanes that hold something after the neurons of a layer (-1: after the embedding)."""
        now = 2 * layer + 1
        return {
            lane["name"]: int(x[lane["lane"]])
            for lane in self.model.hints.get("lanes", ())
            if lane["from"] <= now and lane["to"] > layer and x[lane["lane"]]
        }


@dataclass(frozen=True, slots=True)
class _Seen:
    position: int
    score: int
    margin: float
    query: Array


def _asked(keys: Sequence[str], query: Array) -> dict[str, int]:
    """The digits that score best: the largest of q a - c a^2 is at a = q / 2c."""
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
    ) -> tuple[_Seen, Array]:
        """The latest of the tokens with the largest score, and what is copied from there."""
        query = head.query @ x / head.scale
        scores = self._key.dot(query, tokens, positions)
        best = len(scores) - 1 - int(np.argmax(scores[::-1]))
        score, scores[best] = int(scores[best]), -np.inf
        seen = _Seen(int(positions[best]), score, score - float(scores.max()), query)
        return seen, self._value.rows(tokens[best], int(positions[best]))


@dataclass(frozen=True, slots=True)
class _Linear:
    """A linear form of tokens: a constant, so much per position, and a table per part."""

    constant: Array
    slope: Array
    tables: tuple[tuple[int, Array], ...]  # only parts that matter

    def rows(self, token: Sequence[int], position: int) -> Array:
        """Its value at one token."""
        made: Array = self.constant + self.slope * position
        for part, table in self.tables:
            made = made + table[token[part]]
        return made

    def dot(self, query: Array, tokens: Rows, positions: NDArray[np.int64]) -> Array:
        """Its product with a query at every token."""
        constant, slope = float(query @ self.constant), float(query @ self.slope)
        made: Array = positions.astype(np.float64) * slope + constant
        for part, table in self.tables:
            made = made + (table @ query)[tokens[:, part]]
        return made


def _of_parts(model: Model, rows: Array) -> _Linear:
    lanes = np.flatnonzero(rows.any(axis=0))  # few: the rest would be multiplied by zero
    few = rows[:, lanes].T
    tables = [(i, table[:, lanes] @ few) for i, table in enumerate(model.embeddings)]
    kept = tuple((i, table) for i, table in tables if table.any())
    return _Linear(rows @ model.bias, rows @ model.position, kept)
