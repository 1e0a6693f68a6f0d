"""What a changed weight changes, exactly, without running the sequence again.

A change is followed from where it happens to the predictions, over the positions and lanes that
it touches and nothing else. For a decoder that is all there is to know: fed with the tokens of
the recording, a broken model predicts the same tokens everywhere exactly if it would have
decoded the same sequence.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.check.audit.forward import Attended, Forward, winners
from transputer.model import Array, Head

#: A change of some rows of a matrix (positions), all columns.
Rows = tuple[Any, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """What is added to the stream: at these positions, to these lanes."""

    rows: Any
    lanes: Any
    added: Array

    @staticmethod
    def of(rows: Any, lanes: Any, added: Array) -> "Delta":
        """Without the rows and lanes where nothing is added."""
        some, wide = np.flatnonzero(added.any(axis=1)), np.flatnonzero(added.any(axis=0))
        return Delta(rows[some], lanes[wide], added[np.ix_(some, wide)])

    def plus(self, other: "Delta") -> "Delta":
        """Both together."""
        if not other.rows.size or not self.rows.size:
            return self if self.rows.size else other
        rows, lanes = np.union1d(self.rows, other.rows), np.union1d(self.lanes, other.lanes)
        added = np.zeros((len(rows), len(lanes)))
        for part in (self, other):
            at = np.ix_(np.searchsorted(rows, part.rows), np.searchsorted(lanes, part.lanes))
            added[at] += part.added
        return Delta.of(rows, lanes, added)

    def through(self, matrix: Array) -> Rows | None:
        """What it adds to `matrix @ x`, by rows; None where that is nothing."""
        added = self.added @ matrix[:, self.lanes].T
        some = np.flatnonzero(added.any(axis=1))
        return (self.rows[some], added[some]) if some.size else None


NOTHING = Delta(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 0)))


class Effects:
    """Changes of one model on one sequence.

    Every method answers with the positions whose prediction changes.
    """

    def __init__(self, forward: Forward) -> None:
        self.forward = forward
        self.model = forward.model
        self.lanes = np.arange(self.model.width)
        self.positions = np.arange(len(forward.tokens))
        self.read = [np.flatnonzero(table.any(axis=0)) for table in self.model.outputs]

    # What can be changed

    def weight(self, name: str, index: tuple[int, ...], factor: float) -> Any:
        """One weight of a tensor (named as `Model.tensors` does) times a factor."""
        change = float(self.model.tensors()[name][index]) * (factor - 1.0)
        where, *rest = name.split(".")
        if where in ("bias", "position", "embedding"):
            return self._embedded(name, index, change)
        if where == "output":
            return self._output(rest[0], index, change)
        layer = int(where.removeprefix("layer"))
        if len(rest) == 1:
            return self.follow(2 * layer + 2, self._neuron(layer, rest[0], index, change))
        head = int(rest[0].removeprefix("head"))
        return self.follow(2 * layer + 1, self._head(layer, head, rest[1], index, change))

    def without_neurons(self, layer: int, first: int, count: int) -> Any:
        """These neurons silent."""
        seen, chosen = self.forward.passes[layer], slice(first, first + count)
        product = np.maximum(seen.gate[:, chosen], 0.0) * seen.value[:, chosen]
        lost = -product @ self.model.layers[layer].out[:, chosen].T
        return self.follow(2 * layer + 2, Delta.of(self.positions, self.lanes, lost))

    def without_head(self, layer: int, head: int) -> Any:
        """This head silent."""
        seen = self.forward.passes[layer].heads[head]
        lost = -seen.value[seen.at] @ self.model.layers[layer].heads[head].output.T
        return self.follow(2 * layer + 1, Delta.of(self.positions, self.lanes, lost))

    def token(self, position: int, part: int, value: int) -> Any:
        """Another value of one part of one token."""
        table, old = self.model.embeddings[part], self.forward.tokens[position, part]
        change = (table[value] - table[old])[None]
        return self.follow(0, Delta.of(self.positions[[position]], self.lanes, change))

    # Where a weight acts first

    def _embedded(self, name: str, index: tuple[int, ...], change: float) -> Any:
        lane = np.array(index[-1:])
        if name == "bias":
            times = np.ones(len(self.positions))
        elif name == "position":
            times = self.positions.astype(np.float64)
        else:
            part = [p.name for p in self.model.parts].index(name.partition(".")[2])
            times = (self.forward.tokens[:, part] == index[0]).astype(np.float64)
        return self.follow(0, Delta.of(self.positions, lane, change * times[:, None]))

    def _neuron(self, layer: int, kind: str, index: tuple[int, ...], change: float) -> Delta:
        seen = self.forward.passes[layer]
        lane, neuron = index if kind == "out" else index[::-1]
        gate, value = seen.gate[:, neuron], seen.value[:, neuron]
        open_ = np.maximum(gate, 0.0)
        if kind == "out":
            return Delta.of(self.positions, np.array([lane]), change * (open_ * value)[:, None])
        moved = change * seen.middle[:, lane]
        opened = np.maximum(gate + moved, 0.0) - open_
        more = open_ * moved if kind == "value" else opened * value
        some = np.flatnonzero(more)
        out = self.model.layers[layer].out[:, neuron]
        lanes = np.flatnonzero(out)
        return Delta(some, lanes, np.outer(more[some], out[lanes])) if some.size else NOTHING

    def _head(
        self, layer: int, number: int, kind: str, index: tuple[int, ...], change: float
    ) -> Delta:
        seen = self.forward.passes[layer]
        attended, head = seen.heads[number], self.model.layers[layer].heads[number]
        row, lane = index if kind != "output" else index[::-1]
        if kind == "output":
            lost = change * attended.value[attended.at, row]
            return Delta.of(self.positions, np.array([lane]), lost[:, None])
        moved = change * seen.before[:, lane]
        some = np.flatnonzero(moved)
        if not some.size:
            return NOTHING
        rows = np.zeros((len(some), len(getattr(head, kind))))
        rows[:, row] = moved[some]
        return self._looked(head, attended, **{kind: (some, rows)})

    def _output(self, part: str, index: tuple[int, ...], change: float) -> Any:
        number = [p.name for p in self.model.parts].index(part)
        lanes = self.read[number]
        table = self.model.outputs[number][:, lanes].copy()
        table[index[0], np.searchsorted(lanes, index[1])] += change
        logits = self.forward.final[:, lanes] @ table.T
        return np.flatnonzero(logits.argmax(axis=1) != self.forward.predicted[:, number])

    # From there on

    def follow(self, stage: int, delta: Delta) -> Any:
        """Changed predictions where this is added to the stream at a stage.

        Stage 2i is the stream before layer i, 2i + 1 that after its heads.
        """
        for now in range(stage, 2 * len(self.model.layers)):
            if not delta.rows.size:
                break
            more = self._heads(now // 2, delta) if now % 2 == 0 else self._neurons(now // 2, delta)
            delta = delta.plus(more)
        return self._changed(delta)

    def _heads(self, layer: int, delta: Delta) -> Delta:
        total = NOTHING
        seen = self.forward.passes[layer].heads
        for head, attended in zip(self.model.layers[layer].heads, seen, strict=True):
            moved = {k: delta.through(getattr(head, k)) for k in ("query", "key", "value")}
            if any(rows is not None for rows in moved.values()):
                total = total.plus(self._looked(head, attended, **moved))
        return total

    def _looked(
        self,
        head: Head,
        attended: Attended,
        query: Rows | None = None,
        key: Rows | None = None,
        value: Rows | None = None,
    ) -> Delta:
        """What a head adds after some of its queries, keys or values have changed."""
        at = attended.at
        if query is not None or key is not None:
            asked = self.positions if query is None or key is not None else query[0]
            at = attended.at.copy()
            at[asked] = winners(
                _moved(attended.query, query)[asked], _moved(attended.key, key), asked
            )[0]
        values = _moved(attended.value, value)
        touched = at != attended.at
        if value is not None:
            touched |= np.isin(at, value[0])
        rows = np.flatnonzero(touched)
        lanes = np.flatnonzero(head.output.any(axis=1))
        change = values[at[rows]] - attended.value[attended.at[rows]]
        return Delta.of(rows, lanes, change @ head.output[lanes].T)

    def _neurons(self, layer: int, delta: Delta) -> Delta:
        weights, seen = self.model.layers[layer], self.forward.passes[layer]
        gates, values = weights.gate[:, delta.lanes], weights.value[:, delta.lanes]
        chosen = np.flatnonzero(gates.any(axis=1) | values.any(axis=1))
        if not chosen.size:
            return NOTHING
        at = np.ix_(delta.rows, chosen)
        gate, value = seen.gate[at], seen.value[at]
        new_gate = gate + delta.added @ gates[chosen].T
        new_value = value + delta.added @ values[chosen].T
        more = np.maximum(new_gate, 0.0) * new_value - np.maximum(gate, 0.0) * value
        rows, some = np.flatnonzero(more.any(axis=1)), np.flatnonzero(more.any(axis=0))
        if not some.size:
            return NOTHING
        out = weights.out[:, chosen[some]]
        lanes = np.flatnonzero(out.any(axis=1))
        return Delta.of(delta.rows[rows], lanes, more[np.ix_(rows, some)] @ out[lanes].T)

    def _changed(self, delta: Delta) -> Any:
        changed = np.zeros(len(delta.rows), dtype=bool)
        moved = self.forward.final[delta.rows]
        moved[:, delta.lanes] += delta.added
        for number, (table, lanes) in enumerate(zip(self.model.outputs, self.read, strict=True)):
            if np.isin(delta.lanes, lanes).any():
                logits = moved[:, lanes] @ table[:, lanes].T
                changed |= logits.argmax(axis=1) != self.forward.predicted[delta.rows, number]
        return delta.rows[changed]


def _moved(matrix: Array, rows: Rows | None) -> Array:
    if rows is None:
        return matrix
    moved = matrix.copy()
    moved[rows[0]] += rows[1]
    return moved
