"""One step of a looped model in detail: what the columns attend to, and what each layer writes.

Computed from the tensors, as the reference engine does. A column that attends only to itself copies
its own value, so only the other columns are computed one by one.
"""

from typing import Any

import numpy as np

from transputer.model import Array, Looped, SelfHead
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class ColumnLookup:
    """A head in the first column: the other columns that it attended to, and the score margin.

    `margin` is infinite if all columns tie. `readers` are other columns that attended to the
    first one.
    """

    layer: int
    name: str
    others: tuple[int, ...]
    score: int
    margin: float
    readers: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LoopedPass:
    """One step: heads, and the state before and after each layer."""

    lookups: tuple[ColumnLookup, ...]
    states: tuple[Array, ...]


class LoopedLens:
    """Computes steps of a looped model, one at a time."""

    def __init__(self, model: Looped) -> None:
        self.model = model
        self._kind: Any = np.dtype(model.exact)  # exact: no sum is too large for it
        self._names = {(h["layer"], h["head"]): h["name"] for h in model.hints.get("heads", ())}

    def look(self, state: Array) -> LoopedPass:
        """Return the step from a state."""
        x = state.astype(self._kind)
        lookups: list[ColumnLookup] = []
        states = [state]
        for number, layer in enumerate(self.model.layers):
            added = np.zeros_like(x)
            for h, head in enumerate(layer.heads):
                lookup, output = self._head(head, x, number, h)
                lookups.append(lookup)
                added += output
            x = x + added
            gate, value, out = (w.astype(self._kind) for w in (layer.gate, layer.value, layer.out))
            x = x + out @ (np.maximum(gate @ x, 0) * (value @ x))
            states.append(x.astype(np.float64))
        return LoopedPass(tuple(lookups), tuple(states))

    def _head(
        self, head: SelfHead, x: Array, layer: int, number: int
    ) -> tuple[ColumnLookup, Array]:
        key, value, output = (w.astype(self._kind) for w in (head.key, head.value, head.output))
        keys, values = key @ x, value @ x
        scores = keys.T @ keys
        best = scores.max(axis=0)
        tied = scores == best
        own = np.diagonal(tied)
        for column in np.flatnonzero(~own | (np.count_nonzero(tied, axis=0) > 1)):
            values[:, column] = np.rint((value @ x[:, tied[:, column]]).mean(axis=1))
        return self._lookup(scores[:, 0], tied, layer, number), output @ values

    def _lookup(self, scores: Array, tied: Any, layer: int, number: int) -> ColumnLookup:
        losers = scores[~tied[:, 0]]
        margin = float(scores.max() - losers.max()) if len(losers) else float("inf")
        name = self._names.get((layer, number), f"head {layer}.{number}")
        others, readers = (np.flatnonzero(t[1:]) + 1 for t in (tied[:, 0], tied[0]))
        return ColumnLookup(layer, name, tuple(others.tolist()), int(scores.max()), margin,
                   tuple(readers.tolist()))  # fmt: skip


def fields(names: tuple[str, ...], column: Array) -> dict[str, int | str]:
    """Return the fields of a column as unsigned numbers; empty fields are left out.

    Rows `b.0`, `b.1`, … are the bits of `b`, each -1 or 1. A field that is neither empty nor all
    bits (an intermediate result) is shown digit by digit, the highest first.
    """
    words: dict[str, dict[int, int]] = {}
    for name, value in zip(names, column.tolist(), strict=True):
        word, _, bit = name.partition(".")
        words.setdefault(word, {})[int(bit) if bit else -1] = int(value)
    return {name: _number(bits) for name, bits in words.items() if any(bits.values())}


def _number(bits: dict[int, int]) -> int | str:
    if -1 in bits:
        return bits[-1]
    if all(bit in (-1, 1) for bit in bits.values()):
        return sum(1 << place for place, bit in bits.items() if bit > 0)
    return " ".join(str(bits[place]) for place in sorted(bits, reverse=True))
