"""The reference engine: NumPy, dense, float64, textbook attention; what a Model means."""

from dataclasses import dataclass

import numpy as np

from transputer.errors import ContextError, UsageError
from transputer.model import Array, Head, Model, Token


@dataclass(frozen=True, slots=True)
class Attention:
    """What one head did at one position.

    `margin` is the score minus that of the runner-up, infinite where there is none; a margin
    of 0 means that a tie was broken. Both without the head's scale, as integers.
    """

    layer: int
    head: int
    position: int
    score: float
    margin: float


class _Rows:
    """A growing matrix: the keys or values of one head, one row per position."""

    def __init__(self, width: int) -> None:
        self._rows = np.empty((64, width))
        self._count = 0

    def append(self, row: Array) -> None:
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._count] = row
        self._count += 1

    @property
    def all(self) -> Array:
        return self._rows[: self._count]


class Reference:
    """A session: a sequence of tokens that only grows, with a cache of keys and values.

    With `trace`, `attention[t]` lists what each head did at position t.
    """

    def __init__(self, model: Model, trace: bool = False) -> None:
        self.model = model
        self.tokens: list[Token] = []
        self.attention: list[list[Attention]] = []
        self.residual = np.zeros(model.width)
        self._trace = trace
        self._caches = [
            [(_Rows(len(head.key)), _Rows(len(head.value))) for head in layer.heads]
            for layer in model.layers
        ]

    def append(self, token: Token) -> None:
        """Append a token and run the forward pass of its position.

        Raises `UsageError` for a token outside the vocabulary, `CapacityError` at the end of
        the declared context.
        """
        x = self._embed(token)
        self.tokens.append(tuple(token))
        self.attention.append([])
        for number, layer in enumerate(self.model.layers):
            attended = [self._attend(number, h, head, x) for h, head in enumerate(layer.heads)]
            x = x + sum(attended, np.zeros(self.model.width))
            x = x + layer.out @ (np.maximum(layer.gate @ x, 0.0) * (layer.value @ x))
        self.residual = x

    def next(self) -> Token:
        """The token that the last position predicts; raises `UsageError` in an empty session."""
        if not self.tokens:
            raise UsageError("an empty session predicts nothing; append a token first")
        return tuple(int(np.argmax(table @ self.residual)) for table in self.model.outputs)

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        token = self.next()
        self.append(token)
        return token

    def _embed(self, token: Token) -> Array:
        model = self.model
        if len(token) != len(model.parts):
            raise UsageError(f"a token has {len(model.parts)} parts, not {len(token)}")
        for part, value in zip(model.parts, token, strict=True):
            if not 0 <= value < part.size:
                raise UsageError(f"part {part.name} is below {part.size}, not {value}")
        if len(self.tokens) >= model.context:
            raise ContextError(model.context)
        rows = [table[value] for table, value in zip(model.embeddings, token, strict=True)]
        x: Array = model.bias + sum(rows) + model.position * len(self.tokens)
        return x

    def _attend(self, layer: int, number: int, head: Head, x: Array) -> Array:
        keys, values = self._caches[layer][number]
        keys.append(head.key @ x)
        values.append(head.value @ x)
        scores = keys.all @ (head.query @ x)
        best = len(scores) - 1 - int(np.argmax(scores[::-1]))  # the largest, then the latest
        if self._trace:
            others = np.delete(scores, best)
            margin = scores[best] - others.max() if others.size else np.inf
            score, scale = float(scores[best]), head.scale
            attention = Attention(layer, number, best, score / scale, float(margin) / scale)
            self.attention[-1].append(attention)
        attended: Array = head.output @ values.all[best]
        return attended
