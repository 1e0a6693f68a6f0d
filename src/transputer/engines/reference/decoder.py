"""The reference engine: NumPy, dense, float64, textbook attention; what a Model means."""

import numpy as np

from transputer.errors import ContextError, UsageError
from transputer.model import Array, Head, Layer, Model, Token
from transputer.values import dataclass


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

    def append(self, rows: Array) -> None:
        while self._count + len(rows) > len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._count : self._count + len(rows)] = rows
        self._count += len(rows)

    @property
    def all(self) -> Array:
        return self._rows[: self._count]


class Reference:
    """A session: a sequence of tokens that only grows, with a cache of keys and values.

    Positions whose results nobody has asked for yet are computed together, at most BLOCK of them.
    With `trace`, `attention[t]` lists what each head did at position t.
    """

    BLOCK = 64

    def __init__(self, model: Model, trace: bool = False) -> None:
        self.model = model
        self.tokens: list[Token] = []
        self._attention: list[list[Attention]] = []
        self._residual = np.zeros(model.width)
        self._trace = trace
        self._caches = [
            [(_Rows(len(head.key)), _Rows(len(head.value))) for head in layer.heads]
            for layer in model.layers
        ]

    def append(self, token: Token) -> None:
        """Append a token.

        Raises `UsageError` for a token outside the vocabulary, `CapacityError` at the end of
        the declared context.
        """
        model = self.model
        if len(token) != len(model.parts):
            raise UsageError(f"a token has {len(model.parts)} parts, not {len(token)}")
        for part, value in zip(model.parts, token, strict=True):
            if not 0 <= value < part.size:
                raise UsageError(f"part {part.name} is below {part.size}, not {value}")
        if len(self.tokens) >= model.context:
            raise ContextError(model.context)
        self.tokens.append(tuple(token))
        if len(self.tokens) - len(self._attention) == self.BLOCK:
            self._forward()

    @property
    def residual(self) -> Array:
        """The residual stream at the last position, after the last layer."""
        self._forward()
        return self._residual

    @property
    def attention(self) -> list[list[Attention]]:
        """By position, what each head did there."""
        self._forward()
        return self._attention

    def next(self) -> Token:
        """The token that the last position predicts; raises `UsageError` in an empty session."""
        if not self.tokens:
            raise UsageError("an empty session predicts nothing; append a token first")
        x = self.residual
        return tuple(int(np.argmax(table @ x)) for table in self.model.outputs)

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        token = self.next()
        self.append(token)
        return token

    def _forward(self) -> None:
        """Run the forward pass of the positions that have none yet, one row each."""
        first = len(self._attention)
        if first == len(self.tokens):
            return
        self._attention += ([] for _ in self.tokens[first:])
        x = np.stack([self._embed(at) for at in range(first, len(self.tokens))])
        for number, layer in enumerate(self.model.layers):
            attended = [self._attend(number, h, head, x) for h, head in enumerate(layer.heads)]
            x = x + sum(attended, np.zeros_like(x))
            x = x + self._neurons(number, layer, x) @ layer.out.T
        self._residual = x[-1]

    def _embed(self, at: int) -> Array:
        model = self.model
        rows = [table[v] for table, v in zip(model.embeddings, self.tokens[at], strict=True)]
        x: Array = model.bias + sum(rows) + model.position * at
        return x

    def _attend(self, layer: int, number: int, head: Head, x: Array) -> Array:
        keys, values = self._caches[layer][number]
        keys.append(x @ head.key.T)
        values.append(x @ head.value.T)
        first = len(self.tokens) - len(x)
        best = [
            self._best(layer, number, head, first + row, keys.all[: first + row + 1] @ query)
            for row, query in enumerate(x @ head.query.T)
        ]
        attended: Array = values.all[best] @ head.output.T
        return attended

    def _neurons(self, number: int, layer: Layer, x: Array) -> Array:
        opened: Array = np.maximum(x @ layer.gate.T, 0.0) * (x @ layer.value.T)
        return opened

    def _best(self, layer: int, number: int, head: Head, at: int, scores: Array) -> int:
        """The position with the largest score; of several, the latest."""
        best = len(scores) - 1 - int(np.argmax(scores[::-1]))
        if self._trace:
            others = np.delete(scores, best)
            margin = scores[best] - others.max() if others.size else np.inf
            score, scale = float(scores[best]), head.scale
            attention = Attention(layer, number, best, score / scale, float(margin) / scale)
            self._attention[at].append(attention)
        return best
