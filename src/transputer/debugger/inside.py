"""Every number inside the forward passes over a sequence, by name.

Computes all positions at once from the tensors, as a textbook writes causal attention. The engines
compute them one by one and must give the same numbers.
"""

from typing import Any

import numpy as np

from transputer.model import Array, Head, Model, Token
from transputer.values import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One head at one position; `scores` has one number per visible position.

    Queries and scores are without the head's scale.
    """

    layer: int
    name: str
    query: Array
    key: Array  # of the position attended to
    scores: Array
    copied: dict[str, int]  # nonzero values

    @property
    def position(self) -> int:
        """The position attended to: the latest of those with the largest score."""
        return len(self.scores) - 1 - int(np.argmax(self.scores[::-1]))

    @property
    def score(self) -> int:
        """The largest score."""
        return int(self.scores[self.position])

    @property
    def second(self) -> int:
        """The runner-up: the position attended to if `position` did not exist."""
        others = self.scores.copy()
        others[self.position] = -np.inf
        return len(others) - 1 - int(np.argmax(others[::-1]))

    @property
    def margin(self) -> int:
        """The difference between the largest score and the runner-up's."""
        return self.score - int(self.scores[self.second])


@dataclass(frozen=True, slots=True)
class Firing:
    """One neuron at one position: `relu(gate) * value`, added to lanes with weights."""

    group: str
    gate: int
    value: int
    writes: dict[str, int]

    @property
    def product(self) -> int:
        """The neuron's activation."""
        return max(self.gate, 0) * self.value


class Inside:
    """Forward passes of a model with hints over a sequence of at least two tokens."""

    def __init__(self, model: Model, tokens: list[Token]) -> None:
        self.model, self.tokens = model, tokens
        self.before: list[Array] = []  # the residual stream before the heads of each layer
        self.between: list[Array] = []  # and before its neurons
        x = self._embedded()
        for layer in model.layers:
            self.before.append(x)
            x = x + sum((self._attended(head, x) for head in layer.heads), np.zeros_like(x))
            self.between.append(x)
            x = x + (np.maximum(x @ layer.gate.T, 0.0) * (x @ layer.value.T)) @ layer.out.T
        self.after = x

    def _embedded(self) -> Array:
        parts = np.array(self.tokens).T
        rows = [table[values] for table, values in zip(self.model.embeddings, parts, strict=True)]
        x: Array = self.model.bias + np.outer(np.arange(len(self.tokens)), self.model.position)
        return x + sum(rows, np.zeros_like(x))

    def _scores(self, head: Head, x: Array) -> Array:
        scores: Array = (x @ head.query.T / head.scale) @ (x @ head.key.T).T
        scores[np.triu_indices(len(x), 1)] = -np.inf
        return scores

    def _attended(self, head: Head, x: Array) -> Array:
        best = len(x) - 1 - np.argmax(self._scores(head, x)[:, ::-1], axis=1)
        output: Array = (x @ head.value.T)[best] @ head.output.T
        return output

    # Views

    def inputs(self, position: int) -> dict[str, int]:
        """Return the nonzero lanes that the token's embedding sets, by name."""
        return _named(
            {lane["name"]: self.before[0][position, lane["lane"]] for lane in self._lanes(-1)}
        )

    def _lanes(self, start: int) -> list[dict[str, Any]]:
        return [lane for lane in self.model.hints["lanes"] if lane["from"] == start]

    def looks(self, position: int) -> list[Look]:
        """Return the look of each head at a position."""
        return [self._look(hint, position) for hint in self.model.hints["heads"]]

    def _look(self, hint: dict[str, Any], position: int) -> Look:
        head = self.model.layers[hint["layer"]].heads[hint["head"]]
        x = self.before[hint["layer"]]
        scores = self._scores(head, x)[position, : position + 1]
        best = len(scores) - 1 - int(np.argmax(scores[::-1]))
        copied = _named(dict(zip(hint["values"], head.value @ x[best], strict=True)))
        rows = len(hint["query"])  # those after are the padding of a softmax
        query, key = head.query @ x[position] / head.scale, head.key @ x[best]
        return Look(hint["layer"], hint["name"], query[:rows], key[:rows], scores, copied)

    def open(self, position: int, layer: int) -> dict[str, int]:
        """Return the number of neurons with a nonzero activation in each group."""
        weights, x = self.model.layers[layer], self.between[layer][position]
        products = np.maximum(weights.gate @ x, 0.0) * (weights.value @ x)
        counts = {
            h["group"]: int(np.count_nonzero(products[h["first"] : h["first"] + h["count"]]))
            for h in self.model.hints["neurons"]
            if h["layer"] == layer
        }
        return {group: count for group, count in counts.items() if count}

    def firings(self, position: int, layer: int, group: str) -> list[Firing]:
        """Return every neuron of one group of a layer, open or not."""
        (hint,) = (
            h for h in self.model.hints["neurons"] if (h["layer"], h["group"]) == (layer, group)
        )
        numbers = range(hint["first"], hint["first"] + hint["count"])
        return [self._firing(position, layer, group, number) for number in numbers]

    def _firing(self, position: int, layer: int, group: str, number: int) -> Firing:
        weights, x = self.model.layers[layer], self.between[layer][position]
        gate, value, out = weights.gate[number], weights.value[number], weights.out[:, number]
        return Firing(
            group,
            int(gate @ x),
            int(value @ x),
            {self._written(int(lane), layer): int(out[lane]) for lane in np.flatnonzero(out)},
        )

    def _written(self, lane: int, layer: int) -> str:
        """Return the name of a lane after the neurons of a layer (hints count half layers)."""
        names = [
            h["name"]
            for h in self.model.hints["lanes"]
            if h["lane"] == lane and h["from"] <= 2 * layer + 1 and h["to"] > layer
        ]
        return str(names[-1])

    def final(self, name: str, position: int) -> int:
        """Return the final value of a lane that the outputs read."""
        last = len(self.model.layers)
        (lane,) = {
            h["lane"] for h in self.model.hints["lanes"] if h["name"] == name and h["to"] >= last
        }
        return int(self.after[position, lane])

    def logits(self, position: int, part: str) -> Array:
        """Return the logits of one part of the next token."""
        names = [p.name for p in self.model.parts]
        logits: Array = self.model.outputs[names.index(part)] @ self.after[position]
        return logits

    def predicted(self, position: int) -> Token:
        """Return the predicted next token."""
        return tuple(int(np.argmax(table @ self.after[position])) for table in self.model.outputs)


def _named(numbers: dict[str, Any]) -> dict[str, int]:
    return {name: int(number) for name, number in numbers.items() if number}
