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
from dataclasses import replace
from functools import lru_cache
from operator import is_not
from typing import Any

import numpy as np

from transputer.errors import CapacityError, MalformedError
from transputer.model.entries import Entries, entries
from transputer.model.looped import Looped, LoopedLayer
from transputer.model.softmax import power_of_two
from transputer.model.stream import CONSTANT, FREE, Stream, StreamBlock, between
from transputer.model.tensors import Array, Head, Layer, Model
from transputer.values import dataclass


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
    points = _points(model, ledger)
    stream = points[-1][0]
    for part, table in zip(model.parts, model.outputs, strict=True):
        ledger.record("logit", stream.magnitudes(table), f"output {part.name}")
    return Bounds(model.limit, ledger.largest, tuple(before.lanes() for before, _ in points))


def streams(model: Model) -> list[tuple[Stream, Stream]]:
    """Return the values of the stream, per layer: before its heads, and before its neurons.

    The last entry, a pair of equals, is for the outputs. Raises as `verify` does.
    """
    return _points(model, Ledger(model))


@dataclass(frozen=True, slots=True, eq=False)
class _Derivation:
    """The stages of a model: what each reads, the stream after it, and the ledger after it.

    Stage 0 is the embedding, 2i + 1 and 2i + 2 are the heads and the neurons of layer i.
    """

    settings: tuple[int, int]
    arrays: list[tuple[Array, ...]]
    streams: list[Stream]
    largest: list[dict[str, tuple[int, str]]]

    def shared(self, model: Model) -> int:
        """Return how many first stages of another model read the same arrays, by identity."""
        if self.settings != (model.limit, model.context):
            return 0
        for stage, (mine, theirs) in enumerate(zip(self.arrays, _arrays(model), strict=False)):
            if len(mine) != len(theirs) or any(map(is_not, mine, theirs)):
                return stage
        return min(len(self.arrays), 1 + 2 * len(model.layers))


#: The derivation with which other models begin, as far as they read the same arrays.
_kept: list[_Derivation] = []


def keep_stages(model: Model) -> None:
    """Derive a model's bounds and keep its stages, instead of those of another model.

    Models that differ from it in a few tensors then begin at the first stage that reads one of
    those. Raises as `verify` does.
    """
    if not (_kept and _kept[0].shared(model) == len(_kept[0].arrays)):
        _kept[:] = [_derived(model, Ledger(model))]


def _points(model: Model, ledger: Ledger) -> list[tuple[Stream, Stream]]:
    points = _derived(model, ledger).streams
    return [*zip(points[::2], points[1::2], strict=False), (points[-1], points[-1])]


def _derived(model: Model, ledger: Ledger) -> _Derivation:
    """Derive a model stage by stage, as far as the kept one differs.

    A stage depends on its arrays, on the stream before it, and on limit and context.
    """
    arrays, count = _arrays(model), _kept[0].shared(model) if _kept else 0
    streams, largest = list[Stream](), list[dict[str, tuple[int, str]]]()
    if count:
        streams, largest = _kept[0].streams[:count], _kept[0].largest[:count]
        ledger.largest = dict(largest[-1])
    for stage in range(count, len(arrays)):
        streams.append(_stage(model, stage, streams, ledger))
        largest.append(dict(ledger.largest))
    return _Derivation((model.limit, model.context), arrays, streams, largest)


def _arrays(model: Model) -> list[tuple[Array, ...]]:
    """Return what each stage reads."""
    arrays: list[tuple[Array, ...]] = [(model.bias, model.position, *model.embeddings)]
    for layer in model.layers:
        arrays.append(tuple(a for h in layer.heads for a in (h.query, h.key, h.value, h.output)))
        arrays.append((layer.gate, layer.value, layer.out))
    return arrays


def _stage(model: Model, stage: int, streams: list[Stream], ledger: Ledger) -> Stream:
    if not stage:
        return _embedded(model, ledger)
    number, neurons = divmod(stage - 1, 2)
    derive = activated if neurons else _attended
    return derive(streams[-1], model.layers[number], f"layer {number}", ledger)


def check_weights(name: str, array: Array, limit: int, scaled: bool = False) -> None:
    """Raise unless every weight is an integer below the limit, times a power of two if scaled."""
    weights = entries(array).weights
    if not np.isfinite(weights).all() or (weights != np.rint(weights)).any():
        raise MalformedError(f"{name} holds a weight that is not an integer")
    most = np.abs(weights).max(initial=0.0) / (power_of_two(weights) if scaled else 1.0)
    if most >= limit:
        raise CapacityError(f"{name}: a weight is {most:.0f}, and must stay below {limit}")


def _embedded(model: Model, ledger: Ledger) -> Stream:
    ends = np.array([[0.0], [model.context - 1.0]]) * model.position
    blocks = [StreamBlock.of(True, True, table) for table in model.embeddings]
    blocks.append(StreamBlock.of(True, False, ends))
    most = np.abs(model.bias)
    for block in blocks:
        most[block.lanes] += np.abs(block.ends).max(axis=0)
    ledger.record("stream", most, "embedding")
    zero = np.zeros(model.width)
    return Stream(model.bias.copy(), tuple(blocks), zero, zero)


def _attended(stream: Stream, layer: Layer, where: str, ledger: Ledger) -> Stream:
    """Return the stream after the heads; each adds a value that any token may have here."""
    constant, lo, hi, blocks = stream.constant, stream.lo, stream.hi, list(stream.blocks)
    most = np.abs(np.stack(stream.lanes())).max(axis=0)
    for h, head in enumerate(layer.heads):
        _score(stream, head, f"{where}, head {h}", ledger)
        ledger.record("value", stream.magnitudes(head.value), f"{where}, head {h}")
        value, output = entries(head.value), entries(head.output)
        reach = np.abs(np.stack(stream.forms(value)))
        most = most + output.magnitudes.times(reach.max(axis=0, initial=0.0))
        constant = constant + output.times(value.times(stream.constant))
        written = output.transposed.used
        copy = output.part(written).matrix(value)
        for block in stream.blocks:
            if block.own:
                table = block.table @ copy[:, block.lanes].T
                blocks.append(StreamBlock.of(False, block.complete, table, written))
        low, high = between(output, *stream.forms(value, own=False))
        lo, hi = lo + low, hi + high
    ledger.record("stream", most, f"{where} after attention")
    return Stream(constant, tuple(b for b in blocks if b.lanes.size), lo, hi)


def _score(stream: Stream, head: Head, at: str, ledger: Ledger) -> None:
    query = entries(head.query / head.scale)
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
    now, out = np.abs(np.stack(stream.lanes())).max(axis=0), entries(layer.out)
    ledger.record("stream", now + out.magnitudes.times(product), where)

    steady = gates[0] == gates[1]
    scaled = out.only((steady & (gates[0] != 0))[out.lanes])
    changed = scaled.transposed.used
    scaled = replace(scaled, weights=scaled.weights * gates[0][scaled.lanes]).part(changed)
    added = _NeuronRange(stream, layer, gates, values)
    added.neurons(np.flatnonzero(~steady))
    return stream.mapped(changed, scaled.matrix(entries(layer.value))).plus(*added.total())


class _NeuronRange:
    """The range of what the neurons of a layer add to the lanes.

    `tables` collects what a block determines exactly, `rows` what it determines up to an interval
    (lowest and highest, per lane and row), `lo` and `hi` everything else.
    """

    def __init__(
        self, stream: Stream, layer: Layer | LoopedLayer, gates: Array, values: Array
    ) -> None:
        self.stream, self.gates, self.values = stream, gates, values
        self.gate, self.value = entries(layer.gate), entries(layer.value)
        self.outs = entries(layer.out).transposed  # a row per neuron
        self.owners = stream.owners()
        self.lo, self.hi = np.zeros_like(stream.lo), np.zeros_like(stream.hi)
        self.tables: dict[int, Array] = {}
        self.rows: dict[int, Array] = {}
        self.written: dict[int, Any] = {}  # the lanes of `rows` that may not be 0

    def total(self) -> tuple[Array, Array, dict[int, Array]]:
        """Return the intervals per lane, and full-width tables per block."""
        lo, hi = self.lo.copy(), self.hi.copy()
        for number, rows in self.rows.items():
            lanes = np.flatnonzero(self.written[number])
            lo[lanes] += rows[0, lanes].min(axis=1)
            hi[lanes] += rows[1, lanes].max(axis=1)
        return lo, hi, self.tables

    def neurons(self, curved: Any) -> None:
        """Add the range of these neurons."""
        by_gate = _decided(self.owners, self.gate)
        by_value = _decided(self.owners, self.value)
        for number in np.unique(by_gate[curved]):
            members = curved[by_gate[curved] == number]
            if number != FREE:
                exact = (by_value[members] == number) | (by_value[members] == CONSTANT)
                self._exact(int(number), members[exact])
                self._by_row(int(number), members[~exact])
        self._functions(curved[by_gate[curved] == FREE], by_value)

    def _at_rows(self, number: int, forms: Entries) -> Array:
        """Return the values, at each row of a block, of forms that the block determines."""
        block = self.stream.blocks[number]
        sums: Array = np.tile(forms.times(self.stream.constant), (len(block.table), 1))
        some, reached = forms.columns(block.lanes)
        sums[:, some] += block.table @ reached.T
        return sums

    def _outs(self, members: Any) -> tuple[Any, Array]:
        """Return the lanes that neurons write, and their weights there, a row per neuron."""
        part = self.outs.part(members)
        weights = np.zeros((len(members), len(part.used)))
        weights[part.rows, np.searchsorted(part.used, part.lanes)] = part.weights
        return part.used, weights

    def _exact(self, number: int, members: Any) -> None:
        """Add neurons whose gate and value one block determines: the product is known per row."""
        gate = np.maximum(self._at_rows(number, self.gate.part(members)), 0.0)
        value = self._at_rows(number, self.value.part(members))
        lanes, out = self._outs(members)
        table = self.tables.setdefault(number, np.zeros((len(gate), len(self.lo))))
        table[:, lanes] += (gate * value) @ out

    def _by_row(self, number: int, members: Any) -> None:
        """Add neurons whose gate a block determines, with values between their bounds."""
        gate = np.maximum(self._at_rows(number, self.gate.part(members)), 0.0)
        lanes, out = self._outs(members)
        ends = out * self.values[:, members, None]
        self._add_rows(number, lanes, gate @ ends.min(axis=0), gate @ ends.max(axis=0))

    def _add_rows(self, number: int, lanes: Any, low: Array, high: Array) -> None:
        """Add what is between `low` and `high`, at each row of a block, to some lanes."""
        if number not in self.rows:
            self.rows[number] = np.zeros((2, len(self.lo), len(low)))
            self.written[number] = np.zeros(len(self.lo), dtype=bool)
        self.written[number][lanes] = True
        self.rows[number][0][lanes] += low.T
        self.rows[number][1][lanes] += high.T

    def _functions(self, neurons: Any, by_value: Any) -> None:
        """Add neurons with other gates: those of a group are one function of one number.

        A gate is `sign * z + offset` with z a form over the lanes that vary. Neurons with equal z
        and value form a group; between the corners `-sign * offset` the group is linear in z.
        """
        gate, varies = self.gate.part(neurons), self.owners != CONSTANT
        offsets = gate.times(np.where(varies, 0.0, self.stream.constant))
        forms = gate.only(varies[gate.lanes])
        first = np.append(forms.weights, 1.0)[forms.starts[:-1]]
        signs = np.where(first < 0, -1.0, 1.0)
        forms = replace(forms, weights=forms.weights * signs[forms.rows])
        groups: dict[tuple[bytes, bytes], list[int]] = defaultdict(list)
        for i, key in enumerate(zip(_keys(forms), _keys(self.value.part(neurons)), strict=True)):
            groups[key].append(i)
        leaders = np.array([group[0] for group in groups.values()], dtype=np.int64)
        ends = np.stack(self.stream.forms(forms.part(leaders)))
        pieces = [*self._pieces([*groups.values()], ends, neurons, signs, offsets)]
        owners, lanes, least, most = (
            np.concatenate(column) for column in zip(*pieces, strict=True)
        )
        for number in np.unique(by_value[owners]):
            some = by_value[owners] == number
            self._times(int(number), owners[some], lanes[some], least[some], most[some])

    def _pieces(
        self, groups: list[list[int]], ends: Array, neurons: Any, signs: Array, offsets: Array
    ) -> Iterator[tuple[Any, Any, Array, Array]]:
        """Yield the first neuron of groups, the lanes they write, the least and the most there.

        `ends` are the lowest and highest z of each group. Groups of one neuron come together.
        """
        alone = np.array([len(group) == 1 for group in groups], dtype=bool)
        single = np.array([group[0] for group in groups], dtype=np.int64)[alone]
        outs = self.outs.part(neurons[single])
        active = np.maximum(ends[:, alone] * signs[single] + offsets[single], 0.0)
        sums = active[:, outs.rows] * outs.weights
        yield neurons[single][outs.rows], outs.lanes, sums.min(axis=0), sums.max(axis=0)
        for members, (low, high) in zip(groups, ends.T, strict=True):
            if len(members) > 1:
                corners = -signs[members] * offsets[members]
                z = np.array([low, high, *corners[(corners > low) & (corners < high)]])
                active = np.maximum(np.outer(z, signs[members]) + offsets[members], 0.0)
                lanes, out = self._outs(neurons[members])
                sums, first = active @ out, np.full(len(lanes), neurons[members[0]])
                yield first, lanes, sums.min(axis=0), sums.max(axis=0)

    def _times(self, number: int, neurons: Any, lanes: Any, least: Array, most: Array) -> None:
        """Add functions between `least` and `most`, times the values of neurons, to lanes.

        A block may determine the values.
        """
        if number < 0:
            products = [end * value for end in (least, most) for value in self.values[:, neurons]]
            self.lo += np.bincount(lanes, np.min(products, axis=0), len(self.lo))
            self.hi += np.bincount(lanes, np.max(products, axis=0), len(self.hi))
            return
        members, row = np.unique(neurons, return_inverse=True)
        written, column = np.unique(lanes, return_inverse=True)
        low, high = np.zeros((2, len(members), len(written)))
        low[row, column], high[row, column] = least, most
        value = self._at_rows(number, self.value.part(members))
        plus, minus = np.maximum(value, 0.0), np.minimum(value, 0.0)
        self._add_rows(number, written, plus @ low + minus @ high, plus @ high + minus @ low)


def _keys(forms: Entries) -> list[bytes]:
    """Return bytes for each row that are equal for equal rows."""
    pairs, starts = np.column_stack([forms.lanes, forms.weights]), forms.starts.tolist()
    return [pairs[a:b].tobytes() for a, b in zip(starts, starts[1:], strict=False)]


def _decided(owners: Any, forms: Entries) -> Any:
    """Return, for each form, the block that alone determines it, `CONSTANT` or `FREE`."""
    owner = owners[forms.lanes]
    top = np.full(forms.shape[0], CONSTANT)
    np.maximum.at(top, forms.rows, owner)
    others = (owner != CONSTANT) & (owner != top[forms.rows])  # FREE is one of them
    top[forms.rows[others]] = FREE
    return top
