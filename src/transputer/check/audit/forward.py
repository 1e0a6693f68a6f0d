"""All positions of a recorded sequence at once: the values of every lane, head and neuron.

This is the function that an engine computes position by position, in another order of summation:
over the whole sequence, weight by weight. All numbers are kept, so that the effect of a changed
weight can be propagated (`effects.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.model import Array, Head, Model, Token, entries

#: The score of a later token.
NEVER = -np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Attended:
    """One head at all positions: queries, keys, values, and the positions attended to (`at`).

    `margin` is the winner's score minus that of the runner-up, infinite if there is none. Both
    are without the head's scale.
    """

    query: Array
    key: Array
    value: Array
    at: Any
    score: Array
    margin: Array


@dataclass(frozen=True, slots=True, eq=False)
class LayerPass:
    """One layer at all positions: the stream before and after its heads, gates and values."""

    before: Array
    heads: tuple[Attended, ...]
    middle: Array
    gate: Array
    value: Array


class Forward:
    """A model at every position of a sequence.

    `predicted[t]` is the token after position t, `lead[t]` the margin of its closest part.
    """

    def __init__(self, model: Model, tokens: Sequence[Token]) -> None:
        self.model = model
        self.tokens = np.array(tokens, dtype=np.int64)
        self.passes: list[LayerPass] = []
        x = self._embedded()
        for number in range(len(model.layers)):
            x = self._layer(number, x)
        self.final = x
        parts = [_argmax(_logits(table, x)) for table in model.outputs]
        self.predicted = np.stack([index for index, _ in parts], axis=1)
        self.lead = np.min([margin for _, margin in parts], axis=0)

    def _embedded(self) -> Array:
        model, count = self.model, len(self.tokens)
        stream: Array = np.asfortranarray(model.bias + np.outer(np.arange(count), model.position))
        for part, table in enumerate(model.embeddings):
            lanes = entries(table).used
            stream[:, lanes] += table[np.ix_(self.tokens[:, part], lanes)]
        return stream

    def _layer(self, number: int, x: Array) -> Array:
        layer = self.model.layers[number]
        heads = tuple(attend(head, x) for head in layer.heads)
        middle = x.copy(order="F")
        for head, attended in zip(layer.heads, heads, strict=True):
            middle += entries(head.output).over(attended.value[attended.at])
        gate, value = entries(layer.gate).over(middle), entries(layer.value).over(middle)
        self.passes.append(LayerPass(x, heads, middle, gate, value))
        after: Array = middle + entries(layer.out).over(np.maximum(gate, 0.0) * value)
        return after


def _logits(table: Array, x: Array) -> Array:
    lanes = entries(table).used
    logits: Array = x[:, lanes] @ table[:, lanes].T
    return logits


def _argmax(logits: Array) -> tuple[Any, Array]:
    """Return the lowest index of the largest logit of each row, and its margin."""
    index = logits.argmax(axis=1)
    rows = np.arange(len(logits))
    best = logits[rows, index]
    logits[rows, index] = NEVER
    return index, best - logits.max(axis=1)


def attend(head: Head, x: Array) -> Attended:
    """Compute one head at all positions of a stream."""
    query, key, value = (entries(m).over(x) for m in (head.query, head.key, head.value))
    positions = np.arange(len(x))
    at, best, scores = winners(query, key, positions)
    scores[positions, at] = NEVER
    margin = best - scores.max(axis=1)
    return Attended(query, key, value, at, best / head.scale, margin / head.scale)


def winners(query: Array, key: Array, positions: Any) -> tuple[Any, Array, Array]:
    """Return what queries at `positions` attend to (largest score, then latest) and the scores."""
    scores = query @ key.T
    count = scores.shape[1]
    scores[np.arange(count) > positions[:, None]] = NEVER
    at = count - 1 - scores[:, ::-1].argmax(axis=1)
    return at, scores[np.arange(len(positions)), at], scores
