"""Prune a model: remove what can never change a prediction.

Everything follows from the ranges that `streams` derives for every token sequence that the
vocabulary allows:

* a lane with a constant value is read from the constant lane instead;
* a neuron whose gate is never positive, or whose value is always 0, adds nothing;
* a row of a head whose query is 0, or whose key is the same for all tokens, does not affect which
  token wins. It becomes zeros: the width of a head belongs to its softmax;
* a lane that nothing reads need not be written: liveness propagates backwards from the outputs. A
  neuron that erases a lane (x - x) does not count as a reader of it.
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
    """Return a model with the same predictions and fewer lanes, neurons and heads.

    Hints on remaining heads and neurons are kept; hints on lanes are dropped. Raises `Unsupported`
    if no lane is always 1.
    """
    size = -1
    while size != (size := _size(model)):
        model = _Pruner(_steady(model)).model()
    return model


def _steady(model: Model) -> Model:
    """Move what all values of a part add alike into the bias."""
    common = [np.where((t == t[0]).all(axis=0), t[0], 0.0) for t in model.embeddings]
    return replace(
        model,
        bias=model.bias + sum(common),
        embeddings=tuple(t - row for t, row in zip(model.embeddings, common, strict=True)),
    )


def _size(model: Model) -> int:
    return sum(int(np.count_nonzero(a)) + len(a) for a in model.tensors().values())


@dataclass(frozen=True, eq=False)
class _PrunedNeurons:
    """Remaining neurons of a layer, with the hint group of each."""

    gate: Array
    value: Array
    out: Array
    groups: list[str]


class _Pruner:
    """One pass: ranges forward, liveness backward."""

    def __init__(self, model: Model) -> None:
        self.source = model
        self.points = streams(model)
        self.one = self._constant_lane()
        self.heads: list[list[tuple[Head, dict[str, Any]]]] = []
        self.neurons: list[_PrunedNeurons] = []
        self.outputs = tuple(self._folded(t, self.points[-1][0]) for t in model.outputs)
        self.used: Mask = np.zeros(model.width, dtype=bool)

    def model(self) -> Model:
        """Return the pruned model."""
        live: Mask = np.any([table.any(axis=0) for table in self.outputs], axis=0)
        self.used = live.copy()
        for number in reversed(range(len(self.source.layers))):
            live = self._layer(number, live)
            self.used |= live
        self.used[self.one] = live[self.one] = True
        return self._assembled(live)

    def _constant_lane(self) -> int:
        """Return the first lane that is always 1."""
        steady = np.ones(self.source.width, dtype=bool)
        for point in (p for pair in self.points for p in pair):
            steady &= (point.owners() == CONSTANT) & (point.constant == 1)
        lanes = np.flatnonzero(steady)
        if not lanes.size:
            raise Unsupported("the model has no lane that is always 1")
        return int(lanes[0])

    def _folded(self, rows: Array, stream: Stream) -> Array:
        """Return equal linear forms that read constant lanes from the one constant lane."""
        steady = stream.owners() == CONSTANT
        folded = np.where(steady, 0.0, rows)
        folded[:, self.one] = rows[:, steady] @ stream.constant[steady]
        return folded

    def _layer(self, number: int, live: Mask) -> Mask:
        """Prune a layer, given the lanes live after it; return the lanes live before it."""
        layer, (before, between) = self.source.layers[number], self.points[number]
        neurons, live = self._live_neurons(number, layer, between, live)
        heads = []
        reads = np.zeros_like(live)
        for index, head in enumerate(layer.heads):
            pruned = self._head(head, before, live)
            if pruned.output.any():
                heads.append((pruned, self._head_hint(number, index)))
                matrices = (pruned.query, pruned.key, pruned.value)
                reads |= np.any([m.any(axis=0) for m in matrices], axis=0)
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
        query, key = (np.where(rows[:, None], matrix, 0.0) for matrix in (query, key))
        return Head(query, key, value, output[:, values])

    def _live_neurons(
        self, number: int, layer: Layer, between: Stream, live: Mask
    ) -> tuple[_PrunedNeurons, Mask]:
        gate, value = self._folded(layer.gate, between), self._folded(layer.value, between)
        out = np.where(live[:, None], layer.out, 0.0)
        highest, ends = between.forms(gate)[1], between.forms(value)
        needed = (highest > 0) & ((ends[0] != 0) | (ends[1] != 0)) & out.any(axis=0)
        erasers = self._erasers(gate, value, np.where(needed, out, 0.0))
        erased = np.zeros_like(live)
        erased[[lane for _, lane in erasers]] = True
        readers = needed.copy()
        readers[[neuron for neuron, _ in erasers]] = False
        reads = gate[readers].any(axis=0) | value[readers].any(axis=0)
        groups = self._groups(number, len(gate))
        names = [groups[i] for i in np.flatnonzero(needed)]
        neurons = _PrunedNeurons(gate[needed], value[needed], out[:, needed], names)
        return neurons, (live & ~erased) | reads

    def _erasers(self, gate: Array, value: Array, out: Array) -> list[tuple[int, int]]:
        """Return (neuron, lane) for neurons that set a lane to zero, at most one per lane."""
        others = np.delete(gate, self.one, axis=1).any(axis=1)
        single = (np.count_nonzero(value, axis=1) == 1) & (np.count_nonzero(out, axis=0) == 1)
        erasers: dict[int, int] = {}
        for neuron in np.flatnonzero(single & ~others).tolist():
            lane = int(np.flatnonzero(value[neuron])[0])
            if gate[neuron, self.one] * value[neuron, lane] * out[lane, neuron] == -1:
                erasers.setdefault(lane, neuron)
        return [(neuron, lane) for lane, neuron in erasers.items() if lane != self.one]

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
            for number, layer in enumerate(self.heads)
            for index, (_, hint) in enumerate(layer)
            if hint
        ]
        neurons = []
        for number, layer_neurons in enumerate(self.neurons):
            first = 0
            for group, members in groupby(layer_neurons.groups):
                count = len(list(members))
                row = {"layer": number, "first": first, "count": count, "group": group}
                neurons += [row] if group else []
                first += count
        others = {k: v for k, v in self.source.hints.items() if k != "lanes"}
        return {**others, "heads": heads, "neurons": neurons}

    def _assembled(self, live: Mask) -> Model:
        """Assemble the remaining tensors; the embedding writes only live lanes."""
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
