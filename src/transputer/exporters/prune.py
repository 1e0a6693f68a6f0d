"""A smaller model that predicts the same: what can never matter is taken out of the tensors.

Everything follows from the ranges that `streams` derives, for every token sequence that the
vocabulary allows:

* a lane that holds one number is read from the constant lane instead;
* a neuron whose gate is never positive, or whose value is always 0, adds nothing;
* a row of a score whose query is 0, or whose key is the same for all tokens, decides nothing;
* what nobody reads need not be written: lanes are followed backwards from the outputs. A neuron
  that erases (x - x) does not count as a reader of what it erases.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.model import Array, Head, Layer, Model, streams
from transputer.model.stream import CONSTANT, Stream

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


def prune(model: Model) -> Model:
    """The same predictions with fewer lanes, neurons and heads; `Unsupported` without a constant.

    Hints on heads and neurons are kept for those that stay; those on lanes go.
    """
    size = -1
    while size != (size := _size(model)):
        model = _Pruner(_steady(model)).model()
    return model


def _steady(model: Model) -> Model:
    """The same model; what all values of a part add alike is in the bias."""
    common = [np.where((t == t[0]).all(axis=0), t[0], 0.0) for t in model.embeddings]
    return replace(
        model,
        bias=model.bias + sum(common),
        embeddings=tuple(t - row for t, row in zip(model.embeddings, common, strict=True)),
    )


def _size(model: Model) -> int:
    return sum(int(np.count_nonzero(a)) + len(a) for a in model.tensors().values())


@dataclass(frozen=True, eq=False)
class _Neurons:
    """Neurons of a layer with what each is for."""

    gate: Array
    value: Array
    out: Array
    groups: list[str]


class _Pruner:
    """One pass: forward, what ranges decide; backward, what is read."""

    def __init__(self, model: Model) -> None:
        self.source = model
        self.points = streams(model)
        self.one = self._constant_lane()
        self.heads: list[list[tuple[Head, dict[str, Any]]]] = []
        self.neurons: list[_Neurons] = []
        self.outputs = tuple(self._folded(t, self.points[-1][0]) for t in model.outputs)
        self.used: Mask = np.zeros(model.width, dtype=bool)

    def model(self) -> Model:
        """The pruned model."""
        live: Mask = np.any([table.any(axis=0) for table in self.outputs], axis=0)
        self.used = live.copy()
        for number in reversed(range(len(self.source.layers))):
            live = self._layer(number, live)
            self.used |= live
        self.used[self.one] = live[self.one] = True
        return self._assembled(live)

    def _constant_lane(self) -> int:
        """The first lane that is 1 everywhere."""
        steady = np.ones(self.source.width, dtype=bool)
        for point in (p for pair in self.points for p in pair):
            steady &= (point.owners() == CONSTANT) & (point.constant == 1)
        found = np.flatnonzero(steady)
        if not found.size:
            raise Unsupported("the model has no lane that is always 1")
        return int(found[0])

    def _folded(self, rows: Array, stream: Stream) -> Array:
        """The same forms; what lanes hold for certain comes from the constant lane."""
        steady = stream.owners() == CONSTANT
        made = np.where(steady, 0.0, rows)
        made[:, self.one] = rows[:, steady] @ stream.constant[steady]
        return made

    def _layer(self, number: int, live: Mask) -> Mask:
        """Keeps what is needed of a layer, given the lanes read after it; those read before."""
        layer, (before, between) = self.source.layers[number], self.points[number]
        neurons, live = self._live_neurons(number, layer, between, live)
        heads = []
        reads = np.zeros_like(live)
        for index, head in enumerate(layer.heads):
            made = self._head(head, before, live)
            if made.output.any():
                heads.append((made, self._head_hint(number, index)))
                reads |= np.any([m.any(axis=0) for m in (made.query, made.key, made.value)], axis=0)
        self.heads.insert(0, heads)
        self.neurons.insert(0, neurons)
        return live | reads

    def _head(self, head: Head, before: Stream, live: Mask) -> Head:
        output = np.where(live[:, None], head.output, 0.0)
        values = output.any(axis=0)
        query, key = self._folded(head.query, before), self._folded(head.key, before)
        low, high = before.forms(key)
        rows = query.any(axis=1) & (low != high)
        value = self._folded(head.value[values], before)
        return Head(query[rows], key[rows], value, output[:, values])

    def _live_neurons(
        self, number: int, layer: Layer, between: Stream, live: Mask
    ) -> tuple[_Neurons, Mask]:
        gate, value = self._folded(layer.gate, between), self._folded(layer.value, between)
        out = np.where(live[:, None], layer.out, 0.0)
        highest, ends = between.forms(gate)[1], between.forms(value)
        kept = (highest > 0) & ((ends[0] != 0) | (ends[1] != 0)) & out.any(axis=0)
        erasers = self._erasers(gate, value, np.where(kept, out, 0.0))
        erased = np.zeros_like(live)
        erased[[lane for _, lane in erasers]] = True
        readers = kept.copy()
        readers[[neuron for neuron, _ in erasers]] = False
        reads = gate[readers].any(axis=0) | value[readers].any(axis=0)
        groups = self._groups(number, len(gate))
        names = [groups[i] for i in np.flatnonzero(kept)]
        made = _Neurons(gate[kept], value[kept], out[:, kept], names)
        return made, (live & ~erased) | reads

    def _erasers(self, gate: Array, value: Array, out: Array) -> list[tuple[int, int]]:
        """Neurons that take away what a lane holds, one for a lane, and the lanes."""
        others = np.delete(gate, self.one, axis=1).any(axis=1)
        single = (np.count_nonzero(value, axis=1) == 1) & (np.count_nonzero(out, axis=0) == 1)
        found: dict[int, int] = {}
        for neuron in np.flatnonzero(single & ~others).tolist():
            lane = int(np.flatnonzero(value[neuron])[0])
            if gate[neuron, self.one] * value[neuron, lane] * out[lane, neuron] == -1:
                found.setdefault(lane, neuron)
        return [(neuron, lane) for lane, neuron in found.items() if lane != self.one]

    # Hints

    def _head_hint(self, layer: int, index: int) -> dict[str, Any]:
        hints: Sequence[dict[str, Any]] = self.source.hints.get("heads", [])
        return next((h for h in hints if (h["layer"], h["head"]) == (layer, index)), {})

    def _groups(self, layer: int, count: int) -> list[str]:
        groups = [""] * count
        for hint in self.source.hints.get("neurons", []):
            if hint["layer"] == layer:
                groups[hint["first"] : hint["first"] + hint["count"]] = [hint["group"]] * hint[
                    "count"
                ]
        return groups[:count]

    def _hints(self) -> dict[str, Any]:
        heads = [
            {**hint, "layer": number, "head": index}
            for number, held in enumerate(self.heads)
            for index, (_, hint) in enumerate(held)
            if hint
        ]
        neurons = []
        for number, held in enumerate(self.neurons):
            first = 0
            for group, members in groupby(held.groups):
                count = len(list(members))
                row = {"layer": number, "first": first, "count": count, "group": group}
                neurons += [row] if group else []
                first += count
        kept = {k: v for k, v in self.source.hints.items() if k != "lanes"}
        return {**kept, "heads": heads, "neurons": neurons}

    def _assembled(self, live: Mask) -> Model:
        """What is left; the embedding writes only lanes that are read."""
        source, lanes = self.source, np.flatnonzero(self.used)
        layers = tuple(
            Layer(
                tuple(
                    Head(h.query[:, lanes], h.key[:, lanes], h.value[:, lanes], h.output[lanes])
                    for h, _ in heads
                ),
                *(neurons.gate[:, lanes], neurons.value[:, lanes], neurons.out[lanes]),
            )
            for heads, neurons in zip(self.heads, self.neurons, strict=True)
        )
        return replace(
            source,
            bias=np.where(live, source.bias, 0.0)[lanes],
            position=np.where(live, source.position, 0.0)[lanes],
            embeddings=tuple(np.where(live, t, 0.0)[:, lanes] for t in source.embeddings),
            layers=layers,
            outputs=tuple(t[:, lanes] for t in self.outputs),
            names=tuple(source.names[i] for i in lanes) if source.names else (),
            hints=self._hints(),
        )
