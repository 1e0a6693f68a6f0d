"""One step of a looped model looked into: whom columns met in each head, what each layer leaves.

Computed from the tensors, as the reference engine does. Only columns that attend to others than
themselves are worked out one by one: a column that attends to itself alone copies its own value.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.model import Array, Looped, SelfHead


@dataclass(frozen=True, slots=True)
class Met:
    """What a head did in the first column: the others it attended to, and by how much they won.

    `margin` is infinite where all columns tie. `readers` are other columns that attended to the
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

    met: tuple[Met, ...]
    states: tuple[Array, ...]


class LoopedLens:
    """Steps of a looped model, one at a time."""

    def __init__(self, model: Looped) -> None:
        self.model = model
        self._kind: Any = np.dtype(model.exact)  # exact: no sum is too large for it
        self._names = {(h["layer"], h["head"]): h["name"] for h in model.hints.get("heads", ())}

    def look(self, state: Array) -> LoopedPass:
        """The step that a state makes."""
        x = state.astype(self._kind)
        met: list[Met] = []
        states = [state]
        for number, layer in enumerate(self.model.layers):
            added = np.zeros_like(x)
            for h, head in enumerate(layer.heads):
                found, more = self._head(head, x, number, h)
                met.append(found)
                added += more
            x = x + added
            gate, value, out = (w.astype(self._kind) for w in (layer.gate, layer.value, layer.out))
            x = x + out @ (np.maximum(gate @ x, 0) * (value @ x))
            states.append(x.astype(np.float64))
        return LoopedPass(tuple(met), tuple(states))

    def _head(self, head: SelfHead, x: Array, layer: int, number: int) -> tuple[Met, Array]:
        key, value, output = (w.astype(self._kind) for w in (head.key, head.value, head.output))
        keys, values = key @ x, value @ x
        scores = keys.T @ keys
        best = scores.max(axis=0)
        tied = scores == best
        own = np.diagonal(tied)
        for column in np.flatnonzero(~own | (np.count_nonzero(tied, axis=0) > 1)):
            values[:, column] = np.rint((value @ x[:, tied[:, column]]).mean(axis=1))
        return self._met(scores[:, 0], tied, layer, number), output @ values

    def _met(self, scores: Array, tied: Any, layer: int, number: int) -> Met:
        losers = scores[~tied[:, 0]]
        margin = float(scores.max() - losers.max()) if len(losers) else float("inf")
        name = self._names.get((layer, number), f"head {layer}.{number}")
        others, readers = (np.flatnonzero(t[1:]) + 1 for t in (tied[:, 0], tied[0]))
        return Met(layer, name, tuple(others.tolist()), int(scores.max()), margin,
                   tuple(readers.tolist()))  # fmt: skip


def fields(names: tuple[str, ...], column: Array) -> dict[str, int | str]:
    """What a column holds, by field: bits of -1 and 1 as a number, unsigned; nothing where empty.

    Rows `b.0`, `b.1`, … are the bits of `b`. What is on its way, neither empty nor all bits, is
    told digit by digit, the highest first.
    """
    found: dict[str, dict[int, int]] = {}
    for name, held in zip(names, column.tolist(), strict=True):
        word, _, bit = name.partition(".")
        found.setdefault(word, {})[int(bit) if bit else -1] = int(held)
    return {name: _number(bits) for name, bits in found.items() if any(bits.values())}


def _number(bits: dict[int, int]) -> int | str:
    if -1 in bits:
        return bits[-1]
    if all(bit in (-1, 1) for bit in bits.values()):
        return sum(1 << place for place, bit in bits.items() if bit > 0)
    return " ".join(str(bits[place]) for place in sorted(bits, reverse=True))
