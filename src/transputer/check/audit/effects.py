"""The exact effect of a changed weight, without running the sequence again.

A change is propagated from its location to the predictions, only over the positions and lanes that
it affects. For a decoder this is complete: given the tokens of the recording, a broken model
predicts the same tokens everywhere if and only if it would have decoded the same sequence.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.check.audit.forward import Attended, Forward, winners
from transputer.model import Array, Head, entries

#: A change of some rows of a matrix (positions), all columns.
Rows = tuple[Any, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """A change of the stream: what is added to some lanes at some positions."""

    rows: Any
    lanes: Any
    added: Array

    @staticmethod
    def of(rows: Any, lanes: Any, added: Array) -> "Delta":
        """Return a delta without the rows and lanes that do not change."""
        some, wide = np.flatnonzero(added.any(axis=1)), np.flatnonzero(added.any(axis=0))
        return Delta(rows[some], lanes[wide], added[np.ix_(some, wide)])

    def plus(self, other: "Delta") -> "Delta":
        """Return the sum of two deltas."""
        if not other.rows.size or not self.rows.size:
            return self if self.rows.size else other
        rows, lanes = np.union1d(self.rows, other.rows), np.union1d(self.lanes, other.lanes)
        added = np.zeros((len(rows), len(lanes)))
        for part in (self, other):
            at = np.ix_(np.searchsorted(rows, part.rows), np.searchsorted(lanes, part.lanes))
            added[at] += part.added
        return Delta.of(rows, lanes, added)

    def through(self, matrix: Array) -> Rows | None:
        """Return the change of `matrix @ x`, by rows; None if there is none."""
        if not entries(matrix).reads[self.lanes].any():
            return None
        added = self.added @ matrix[:, self.lanes].T
        some = np.flatnonzero(added.any(axis=1))
        return (self.rows[some], added[some]) if some.size else None


NOTHING = Delta(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 0)))


class Effects:
    """Effects of changes of one model on one sequence.

    Every public method returns the positions whose prediction changes.
    """

    def __init__(self, forward: Forward) -> None:
        self.forward = forward
        self.model = forward.model
        self.lanes = np.arange(self.model.width)
        self.positions = np.arange(len(forward.tokens))
        self.tensors = self.model.tensors()
        self.reads = np.array([entries(table).reads for table in self.model.outputs])
        self.read = [entries(table).used for table in self.model.outputs]  # lanes, by output

    # Changes

    def weight(self, name: str, index: tuple[int, ...], change: float) -> Any:
        """Add a number to one weight of a tensor (named as in `Model.tensors`)."""
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
        """Silence neurons."""
        state, neurons = self.forward.passes[layer], slice(first, first + count)
        product = np.maximum(state.gate[:, neurons], 0.0) * state.value[:, neurons]
        out = self.model.layers[layer].out[:, neurons]
        lanes = entries(out).transposed.used
        removal = -product @ out[lanes].T
        return self.follow(2 * layer + 2, Delta.of(self.positions, lanes, removal))

    def without_head(self, layer: int, head: int) -> Any:
        """Silence a head."""
        attended = self.forward.passes[layer].heads[head]
        output = self.model.layers[layer].heads[head].output
        lanes = entries(output).transposed.used
        removal = -attended.value[attended.at] @ output[lanes].T
        return self.follow(2 * layer + 1, Delta.of(self.positions, lanes, removal))

    def token(self, position: int, part: int, value: int) -> Any:
        """Replace the value of one part of one token."""
        table, old = self.model.embeddings[part], self.forward.tokens[position, part]
        change = (table[value] - table[old])[None]
        return self.follow(0, Delta.of(self.positions[[position]], self.lanes, change))

    # The first effect of a weight

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
        state = self.forward.passes[layer]
        lane, neuron = index if kind == "out" else index[::-1]
        gate, value = state.gate[:, neuron], state.value[:, neuron]
        open_ = np.maximum(gate, 0.0)
        if kind == "out":
            return Delta.of(self.positions, np.array([lane]), change * (open_ * value)[:, None])
        moved = change * state.middle[:, lane]
        opened = np.maximum(gate + moved, 0.0) - open_
        more = open_ * moved if kind == "value" else opened * value
        some = np.flatnonzero(more)
        out = self.model.layers[layer].out[:, neuron]
        lanes = np.flatnonzero(out)
        return Delta(some, lanes, np.outer(more[some], out[lanes])) if some.size else NOTHING

    def _head(
        self, layer: int, number: int, kind: str, index: tuple[int, ...], change: float
    ) -> Delta:
        state = self.forward.passes[layer]
        attended, head = state.heads[number], self.model.layers[layer].heads[number]
        row, lane = index if kind != "output" else index[::-1]
        if kind == "output":
            effect = change * attended.value[attended.at, row]
            return Delta.of(self.positions, np.array([lane]), effect[:, None])
        moved = change * state.before[:, lane]
        some = np.flatnonzero(moved)
        if not some.size:
            return NOTHING
        rows = np.zeros((len(some), len(getattr(head, kind))))
        rows[:, row] = moved[some]
        return self._looked(head, attended, **{kind: (some, rows)})

    def _output(self, part: str, index: tuple[int, ...], change: float) -> Any:
        number = [p.name for p in self.model.parts].index(part)
        lanes = self.read[number]
        logits = self.forward.final[:, lanes] @ self.model.outputs[number][:, lanes].T
        logits[:, index[0]] += change * self.forward.final[:, index[1]]
        return np.flatnonzero(logits.argmax(axis=1) != self.forward.predicted[:, number])

    # Propagation

    def follow(self, stage: int, delta: Delta) -> Any:
        """Return the changed predictions if `delta` is added to the stream at a stage.

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
        lookups = self.forward.passes[layer].heads
        for head, attended in zip(self.model.layers[layer].heads, lookups, strict=True):
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
        """Return the change of a head's output after changes of its queries, keys or values."""
        at = attended.at
        if query is not None or key is not None:
            positions = self.positions if query is None or key is not None else query[0]
            at = attended.at.copy()
            at[positions] = winners(
                _moved(attended.query, query)[positions], _moved(attended.key, key), positions
            )[0]
        values = _moved(attended.value, value)
        touched = at != attended.at
        if value is not None:
            moved = np.zeros(len(values), dtype=bool)
            moved[value[0]] = True
            touched |= moved[at]
        rows = np.flatnonzero(touched)
        lanes = entries(head.output).transposed.used
        change = values[at[rows]] - attended.value[attended.at[rows]]
        return Delta.of(rows, lanes, change @ head.output[lanes].T)

    def _neurons(self, layer: int, delta: Delta) -> Delta:
        weights, state = self.model.layers[layer], self.forward.passes[layer]
        gated, gates = entries(weights.gate).columns(delta.lanes)
        valued, values = entries(weights.value).columns(delta.lanes)
        affected = np.union1d(gated, valued)
        if not affected.size:
            return NOTHING
        at = np.ix_(delta.rows, affected)
        gate, value = state.gate[at], state.value[at]
        new_gate, new_value = gate.copy(), value.copy()
        new_gate[:, np.searchsorted(affected, gated)] += delta.added @ gates.T
        new_value[:, np.searchsorted(affected, valued)] += delta.added @ values.T
        more = np.maximum(new_gate, 0.0) * new_value - np.maximum(gate, 0.0) * value
        rows, some = np.flatnonzero(more.any(axis=1)), np.flatnonzero(more.any(axis=0))
        if not some.size:
            return NOTHING
        out = weights.out[:, affected[some]]
        lanes = np.flatnonzero(out.any(axis=1))
        return Delta.of(delta.rows[rows], lanes, more[np.ix_(rows, some)] @ out[lanes].T)

    def _changed(self, delta: Delta) -> Any:
        changed = np.zeros(len(delta.rows), dtype=bool)
        outputs = np.flatnonzero(self.reads[:, delta.lanes].any(axis=1))
        if not outputs.size:
            return delta.rows[changed]
        moved = self.forward.final[delta.rows]
        moved[:, delta.lanes] += delta.added
        for number in outputs.tolist():
            lanes, table = self.read[number], self.model.outputs[number]
            logits = moved[:, lanes] @ table[:, lanes].T
            changed |= logits.argmax(axis=1) != self.forward.predicted[delta.rows, number]
        return delta.rows[changed]


def _moved(matrix: Array, rows: Rows | None) -> Array:
    if rows is None:
        return matrix
    moved = matrix.copy()
    moved[rows[0]] += rows[1]
    return moved
