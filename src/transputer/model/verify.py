"""Bounds derived from the tensors alone: exact or refused.

Weights are integers. If the magnitudes of the terms of every sum add up to less than 2^53, float64
computes it without rounding, in any order and with or without fused multiply-adds. A power of two
that divides every term changes exponents only, so queries and scores are bounded after division by
the one that all query weights of a head have in common (`Head.scale`). `verify` proves this for
every token sequence that the vocabulary allows, by propagating the range of each lane through the
layers. It relies on the tensors alone and is sound for broken models too. These observations keep
the ranges tight:

* a token has exactly one value per part, so a form over embedding lanes is bounded by its best
  row per part, and the same holds for lanes that a head copied from another token;
* a neuron whose gate is constant is linear: coefficients cancel exactly, and a lane that such
  a neuron erases is 0 afterwards;
* neurons whose gates differ by a constant are one piecewise linear function of one number, and
  such a function has its extremes at its corners: a staircase of any size stays within its steps;
* gates (or values) that one part determines are known row by row: gates that open for different
  values of the part are never open together. (This excludes the position, which has only its ends
  as rows.)
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from transputer.errors import CapacityError, MalformedError
from transputer.model.looped import Looped, LoopedLayer
from transputer.model.softmax import power_of_two
from transputer.model.stream import CONSTANT, FREE, Stream, StreamBlock, between
from transputer.model.tensors import Array, Head, Layer, Model


@dataclass(frozen=True, slots=True)
class Bounds:
    """The result of `verify`: the largest magnitude of each kind, and the range of each lane.

    `largest` maps query, key, score, value, gate, product, stream and logit to the number and
    its location. `ranges[i]` has the lowest and highest value per lane before layer i; the last
    entry is for the outputs.
    """

    limit: int
    largest: dict[str, tuple[int, str]]
    ranges: tuple[tuple[Array, Array], ...]


class Ledger:
    """The largest magnitudes so far; refuses the first one that reaches the limit."""

    def __init__(self, model: Model | Looped) -> None:
        self.model = model
        self.largest: dict[str, tuple[int, str]] = {}

    def record(self, kind: str, magnitudes: Array | float, where: str) -> None:
        """Record the largest magnitude; raise `CapacityError` if it is not below the limit."""
        values = np.atleast_1d(magnitudes)
        if not values.size:
            return
        worst = int(np.argmax(values))
        if not values[worst] < self.model.limit:
            raise CapacityError(
                f"{where}, {kind} {worst}{self._owner(kind, where, worst)}: terms may add up to "
                f"{values[worst]:.0f}, and must stay below {self.model.limit}"
            )
        if int(values[worst]) >= self.largest.get(kind, (-1, ""))[0]:
            self.largest[kind] = (int(values[worst]), f"{where}, {kind} {worst}")

    def _owner(self, kind: str, where: str, index: int) -> str:
        """Return the name of the location from names and hints, for the message."""
        if kind == "stream" and self.model.names:
            return f" ({self.model.names[index]})"
        groups: list[dict[str, Any]] = self.model.hints.get("neurons", [])
        for group in groups if kind in ("gate", "value", "product") else []:
            first = group["first"]
            if where == f"layer {group['layer']}" and first <= index < first + group["count"]:
                return f" ({group['group']})"
        for head in self.model.hints.get("heads", []):
            if where == f"layer {head['layer']}, head {head['head']}":
                return f" ({head['name']})"
        return ""


@lru_cache(maxsize=8)
def verify(model: Model) -> Bounds:
    """Return the bounds of a model, derived from its tensors; the last few results are cached.

    Raises `MalformedError` for a weight that is not an integer and `CapacityError`, with the
    number, if a sum of magnitudes may reach `model.limit`.
    """
    for name, array in model.tensors().items():
        check_weights(name, array, model.limit, scaled=name.endswith(".query"))
    ledger = Ledger(model)
    points = list(_points(model, ledger))
    stream = points[-1][0]
    for part, table in zip(model.parts, model.outputs, strict=True):
        ledger.record("logit", stream.magnitudes(table), f"output {part.name}")
    return Bounds(model.limit, ledger.largest, tuple(before.lanes() for before, _ in points))


def streams(model: Model) -> list[tuple[Stream, Stream]]:
    """Return the values of the stream, per layer: before its heads, and before its neurons.

    The last entry, a pair of equals, is for the outputs. Raises as `verify` does.
    """
    return list(_points(model, Ledger(model)))


def _points(model: Model, ledger: Ledger) -> Iterator[tuple[Stream, Stream]]:
    stream = _embedded(model, ledger)
    for number, layer in enumerate(model.layers):
        between = _attended(stream, layer, f"layer {number}", ledger)
        yield stream, between
        stream = activated(between, layer, f"layer {number}", ledger)
    yield stream, stream


def check_weights(name: str, array: Array, limit: int, scaled: bool = False) -> None:
    """Raise unless every weight is an integer below the limit, times a power of two if scaled."""
    if not np.isfinite(array).all() or (array != np.rint(array)).any():
        raise MalformedError(f"{name} holds a weight that is not an integer")
    most = np.abs(array).max(initial=0.0) / (power_of_two(array) if scaled else 1.0)
    if most >= limit:
        raise CapacityError(f"{name}: a weight is {most:.0f}, and must stay below {limit}")


def _embedded(model: Model, ledger: Ledger) -> Stream:
    ends = np.array([[0.0], [model.context - 1.0]]) * model.position
    most = np.abs(model.bias) + sum(np.abs(t).max(axis=0) for t in (*model.embeddings, ends))
    ledger.record("stream", most, "embedding")
    blocks = [StreamBlock.of(True, True, table) for table in model.embeddings]
    zero = np.zeros(model.width)
    return Stream(model.bias.copy(), (*blocks, StreamBlock.of(True, False, ends)), zero, zero)


def _attended(stream: Stream, layer: Layer, where: str, ledger: Ledger) -> Stream:
    """Return the stream after the heads; each adds a value that any token may have here."""
    constant, lo, hi, blocks = stream.constant, stream.lo, stream.hi, list(stream.blocks)
    most = np.abs(np.stack(stream.lanes())).max(axis=0)
    for h, head in enumerate(layer.heads):
        _score(stream, head, f"{where}, head {h}", ledger)
        ledger.record("value", stream.magnitudes(head.value), f"{where}, head {h}")
        reach = np.abs(np.stack(stream.forms(head.value)))
        most = most + np.abs(head.output) @ reach.max(axis=0, initial=0.0)
        constant = constant + head.output @ (head.value @ stream.constant)
        written = np.flatnonzero(head.output.any(axis=1))
        copy = head.output[written] @ head.value
        for block in stream.blocks:
            if block.own:
                table = block.table @ copy[:, block.lanes].T
                blocks.append(StreamBlock.of(False, block.complete, table, written))
        low, high = between(head.output, *stream.forms(head.value, own=False))
        lo, hi = lo + low, hi + high
    ledger.record("stream", most, f"{where} after attention")
    return Stream(constant, tuple(b for b in blocks if b.lanes.size), lo, hi)


def _score(stream: Stream, head: Head, at: str, ledger: Ledger) -> None:
    query = head.query / head.scale
    ledger.record("query", stream.magnitudes(query), at)
    ledger.record("key", stream.magnitudes(head.key), at)
    reach = np.abs(np.stack(stream.forms(query))).max(axis=0, initial=0.0)
    ledger.record("score", stream.scores(reach, head.key), at)


def activated(stream: Stream, layer: Layer | LoopedLayer, where: str, ledger: Ledger) -> Stream:
    """Return the stream after the neurons; linear ones change it exactly, others add a range."""
    ledger.record("gate", stream.magnitudes(layer.gate), where)
    ledger.record("value", stream.magnitudes(layer.value), where)
    gates = np.maximum(np.stack(stream.forms(layer.gate)), 0.0)
    values = np.stack(stream.forms(layer.value))
    product = gates[1] * np.abs(values).max(axis=0)
    ledger.record("product", product, where)
    now = np.abs(np.stack(stream.lanes())).max(axis=0)
    ledger.record("stream", now + np.abs(layer.out) @ product, where)

    linear, curved = np.flatnonzero(gates[0] == gates[1]), np.flatnonzero(gates[0] != gates[1])
    changed = np.flatnonzero(layer.out[:, linear].any(axis=1))
    scaled = layer.out[np.ix_(changed, linear)] * gates[0][linear]
    added = _NeuronRange(stream, layer, gates, values)
    added.neurons(curved)
    return stream.mapped(changed, scaled @ layer.value[linear]).plus(*added.total())


class _NeuronRange:
    """The range of what the neurons of a layer add to the lanes.

    `tables` collects what a block determines exactly, `rows` what it determines up to an interval
    (lowest and highest, per lane and row), `lo` and `hi` everything else.
    """

    def __init__(
        self, stream: Stream, layer: Layer | LoopedLayer, gates: Array, values: Array
    ) -> None:
        self.stream, self.layer, self.gates, self.values = stream, layer, gates, values
        self.owners = stream.owners()
        self.lo, self.hi = np.zeros_like(stream.lo), np.zeros_like(stream.hi)
        self.tables: dict[int, Array] = {}
        self.rows: dict[int, Array] = {}

    def total(self) -> tuple[Array, Array, dict[int, Array]]:
        """Return the intervals per lane, and full-width tables per block."""
        lo = self.lo + sum(rows[0].min(axis=1) for rows in self.rows.values())
        hi = self.hi + sum(rows[1].max(axis=1) for rows in self.rows.values())
        return lo, hi, self.tables

    def neurons(self, curved: Any) -> None:
        """Add the range of these neurons."""
        by_gate = _decided(self.owners, self.layer.gate)
        by_value = _decided(self.owners, self.layer.value)
        for number in np.unique(by_gate[curved]):
            members = curved[by_gate[curved] == number]
            if number != FREE:
                exact = (by_value[members] == number) | (by_value[members] == CONSTANT)
                self._exact(int(number), members[exact])
                self._by_row(int(number), members[~exact])
        for group, ends, lanes in self._functions(curved[by_gate[curved] == FREE]):
            self._function(int(by_value[group[0]]), group[0], ends, lanes)

    def _at_rows(self, number: int, forms: Array) -> Array:
        """Return the values, at each row of a block, of forms that the block determines."""
        block = self.stream.blocks[number]
        sums: Array = block.table @ forms[:, block.lanes].T + forms @ self.stream.constant
        return sums

    def _exact(self, number: int, members: Any) -> None:
        """Add neurons whose gate and value one block determines: the product is known per row."""
        gate = np.maximum(self._at_rows(number, self.layer.gate[members]), 0.0)
        value = self._at_rows(number, self.layer.value[members])
        added = (gate * value) @ self.layer.out[:, members].T
        self.tables[number] = self.tables.get(number, 0.0) + added

    def _by_row(self, number: int, members: Any) -> None:
        """Add neurons whose gate a block determines, with values between their bounds."""
        gate = np.maximum(self._at_rows(number, self.layer.gate[members]), 0.0)
        out = self.layer.out[:, members]
        ends = np.stack([out * self.values[0, members], out * self.values[1, members]])
        low, high = ends.min(axis=0) @ gate.T, ends.max(axis=0) @ gate.T
        self.rows[number] = self.rows.get(number, 0.0) + np.stack([low, high])

    def _function(self, number: int, neuron: int, ends: Array, lanes: Any) -> None:
        """Add a function between `ends` (per lane) times a value, which a block may determine."""
        if number < 0:
            products = np.concatenate([ends * v for v in self.values[:, neuron]])
            self.lo[lanes] += products.min(axis=0)
            self.hi[lanes] += products.max(axis=0)
            return
        value = self._at_rows(number, self.layer.value[[neuron]])[:, 0]
        one, other = np.outer(ends[0], value), np.outer(ends[1], value)
        if number not in self.rows:
            self.rows[number] = np.zeros((2, len(self.lo), len(value)))
        self.rows[number][0][lanes] += np.minimum(one, other)
        self.rows[number][1][lanes] += np.maximum(one, other)

    def _functions(self, neurons: Any) -> list[tuple[Any, Array, Any]]:
        """Return groups of neurons that are one function of one number: members, ends, lanes.

        A gate is `sign * z + offset` with z a form over the lanes that vary. Neurons with equal z
        and value form a group; between the corners `-sign * offset` the group is linear in z.
        """
        varies = self.owners != CONSTANT
        forms = np.where(varies, self.layer.gate[neurons], 0.0)
        offsets = self.layer.gate[neurons] @ np.where(varies, 0.0, self.stream.constant)
        first = np.take_along_axis(forms, (forms != 0).argmax(axis=1)[:, None], axis=1)[:, 0]
        signs = np.where(first < 0, -1.0, 1.0)
        forms = forms * signs[:, None] + 0.0  # no negative zeros: the groups compare bytes
        values = self.layer.value[neurons] + 0.0
        groups: dict[bytes, list[int]] = defaultdict(list)
        for i in range(len(neurons)):
            groups[forms[i].tobytes() + values[i].tobytes()].append(i)
        outs = np.ascontiguousarray(self.layer.out.T)
        lows, highs = self.stream.forms(forms[[group[0] for group in groups.values()]])
        functions = []
        for members, low, high in zip(groups.values(), lows, highs, strict=True):
            corners = -signs[members] * offsets[members]
            z = np.array([low, high, *corners[(corners > low) & (corners < high)]])
            active = np.maximum(np.outer(z, signs[members]) + offsets[members], 0.0)
            out = outs[neurons[members]]
            lanes = np.flatnonzero(out.any(axis=0))
            sums = active @ out[:, lanes]
            functions.append(
                (neurons[members], np.stack([sums.min(axis=0), sums.max(axis=0)]), lanes)
            )
        return functions


def _decided(owners: Any, forms: Array) -> Any:
    """Return, for each form, the block that alone determines it, `CONSTANT` or `FREE`."""
    owner = np.where(forms != 0, owners, CONSTANT)
    top = owner.max(axis=1, initial=CONSTANT)
    others = (owner != CONSTANT) & (owner != top[:, None])
    return np.where(others.any(axis=1) | (owner == FREE).any(axis=1), FREE, top)
