"""A step of a model as exact expressions, for given values of some parts.

`LiftedCircuit` holds what the tensors say for all rows; `evaluate` follows the lanes that matter,
layer by layer. What is fixed (a part of the token itself or of one that a head attends to)
closes most gates. The rest is a `RowForms`: the outputs and the queries as polynomials.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.atoms import (
    Algebra,
    Monomial,
    Poly,
    constant,
    is_constant,
    plus,
)
from transputer.engines.native.heads import PACKED, RUNNING, lookups
from transputer.engines.native.outputs import CLAMP, SEARCH, OutputPlan, output
from transputer.engines.native.readings import (
    Ints,
    LaneReading,
    Mask,
    integers,
    stages,
)
from transputer.errors import Unsupported
from transputer.model import Array, Model, verify
from transputer.model.stream import between

#: The source of what the token itself says; heads are numbered from 0.
OWN = -1
#: A part of the token of a source, and its value.
Fixed = Mapping[tuple[int, int], int]


@dataclass(frozen=True)
class RowForms:
    """The next token, part by part, and what the live heads ask for."""

    outputs: tuple[Poly, ...]
    queries: Mapping[int, tuple[Poly, ...]]

    def under(self, algebra: Algebra) -> "RowForms":
        """The same row under what an algebra has decided."""
        memo: dict[int, Poly] = {}
        return RowForms(
            tuple(_plain(algebra.substituted(p, memo), algebra) for p in self.outputs),
            {
                h: tuple(algebra.substituted(p, memo) for p in polys)
                for h, polys in self.queries.items()
            },
        )


@dataclass(frozen=True, eq=False)
class Sparse:
    """The rows of a matrix as (lane, weight) pairs."""

    rows: tuple[tuple[tuple[int, int], ...], ...]

    @staticmethod
    def of(matrix: NDArray[Any]) -> "Sparse":
        """The nonzeros of a matrix of whole numbers."""
        rows: list[list[tuple[int, int]]] = [[] for _ in matrix]
        for row, lane in np.argwhere(matrix).tolist():
            rows[row].append((lane, int(matrix[row, lane])))
        return Sparse(tuple(map(tuple, rows)))


@dataclass(frozen=True)
class LiftedOutput:
    """How a part of the next token follows from lanes.

    The nearest number to `rows[0] + offset`; with `lanes`, the largest v with x >= v d + v^2 c,
    where x, d and c are the rows of these numbers (None: 0), each with its factor.
    """

    rows: tuple[tuple[tuple[int, int], ...], ...]
    offset: int = 0
    lanes: tuple[int | None, ...] = ()

    def poly(self, forms: Sequence[Poly], algebra: Algebra) -> Poly:
        """The part, given what the rows are."""
        if not self.lanes:
            return plus(forms[0], constant(self.offset))
        x, d, c = ({} if i is None else forms[i] for i in self.lanes)
        return algebra.digit(x, d, c)


def _quotient(plan: OutputPlan) -> tuple[int | None, ...]:
    """Which row is x, which d, which c, if logits grow by 2 (x - v d - v^2 c) + 1.

    `Unsupported` for other logits, and for those of a part of other than 256 values.
    """
    v = np.arange(1, 256)
    shapes = {"x": np.full(255, 2), "d": -2 * v, "c": -2 * v * v}
    if plan.increments.shape[0] != 255 or (plan.increments[:, 0] != 1).any():
        raise Unsupported("a search is not for a quotient")
    places: dict[str, int] = {}
    for i, column in enumerate(plan.increments[:, 1:].T):
        name = next((n for n, shape in shapes.items() if (column == shape).all()), "")
        if not name or name in places:
            raise Unsupported("a search is not for a quotient")
        places[name] = i
    return tuple(places.get(name) for name in shapes)


#: Per layer the neurons that matter, and the lanes needed before its heads; the heads.
Live = tuple[list[Ints], list[Mask], list[int]]


class LiftedCircuit:
    """A model whose heads read tokens by their parts and whose outputs are nearest numbers.

    Raises `Unsupported` for another one, and as `verify` does.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bounds = verify(model)
        self.stages, self.heads = stages(model), lookups(model)
        layers = range(len(model.layers))
        self.by_layer = [[i for i, h in enumerate(self.heads) if h.layer == n] for n in layers]
        for head in self.heads:
            if head.dynamic or head.kind not in (PACKED, RUNNING):
                raise Unsupported("a head's keys or values are not decided by the token")
            if any(read.position for read in head.reads):
                raise Unsupported("a head reads positions")
        self.outputs = [self._output(table) for table in model.outputs]

    def _output(self, table: Array) -> "LiftedOutput":
        plan = output(integers(table), self.stages[-1].before)
        rows = Sparse.of(plan.rows).rows
        if plan.kind == CLAMP:
            return LiftedOutput(rows, plan.constant)
        if plan.kind != SEARCH:
            raise Unsupported("an output table is neither a parabola nor concave")
        return LiftedOutput(rows, 0, _quotient(plan))

    @cached_property
    def own(self) -> list[LaneReading]:
        """What the embedding gives each lane."""
        lanes = self.stages[0].before.readings(np.eye(self.model.width, dtype=np.int64))
        return [r for r in lanes if r is not None]

    @cached_property
    def gates(self) -> list[Sparse]:
        """The gates of each layer."""
        return [Sparse.of(layer.gate) for layer in self.model.layers]

    @cached_property
    def values(self) -> list[Sparse]:
        """The values of each layer."""
        return [Sparse.of(layer.value) for layer in self.model.layers]

    @cached_property
    def outs(self) -> list[Sparse]:
        """What each neuron of a layer adds, by neuron."""
        return [Sparse.of(layer.out.T) for layer in self.model.layers]

    @cached_property
    def queries(self) -> list[Sparse]:
        """The query of each head: digits, then extras."""
        return [Sparse.of(head.query) for head in self.heads]

    @cached_property
    def erased(self) -> list[Mask]:
        """The lanes that each layer erases."""
        pairs = zip(self.model.layers, self.stages, strict=False)
        return [np.asarray(layer.out[:, s.erasers].any(axis=1)) for layer, s in pairs]

    def ranked(self, part: int) -> list[int]:
        """The heads in an order that does not depend on how anything is numbered.

        It is that of what they ask for, where all attend to the same token: a random one, with
        every value of a part, whose numbers may be others in another model.
        """
        sizes = [p.size for p in self.model.parts]
        tokens = np.repeat(np.random.default_rng(0).integers(0, sizes, (1, len(sizes))),
                           sizes[part], axis=0)  # fmt: skip
        tokens[:, part] = np.arange(sizes[part])
        x = self.model.bias + sum(t[tokens[:, p]] for p, t in enumerate(self.model.embeddings))
        seen: dict[int, tuple[int, list[list[float]]]] = {}
        for number, layer in enumerate(self.model.layers):
            for h in self.by_layer[number]:
                asked = np.sort(x @ self.heads[h].query.T, axis=1)
                seen[h] = number, sorted(asked.tolist())
            for h in self.by_layer[number]:
                user = self.heads[h]
                for lane, read in zip(user.lanes.tolist(), user.reads, strict=True):
                    values = sum(table[tokens[:, p]] for p, table in read.tables.items())
                    x[:, lane] += read.constant + values
            x = x + (np.maximum(x @ layer.gate.T, 0.0) * (x @ layer.value.T)) @ layer.out.T
        return sorted(seen, key=lambda h: seen[h])

    # Numbers: which neurons can be open

    def open(self, fixed: Fixed) -> list[Mask]:
        """For each layer the neurons that can add anything, given what is fixed."""
        lo, hi = self._ends(self.own, fixed, OWN)
        masks = []
        for number, (layer, stage) in enumerate(zip(self.model.layers, self.stages, strict=False)):
            for h in self.by_layer[number]:
                low, high = self._ends(self.heads[h].reads, fixed, h)
                lo, hi = lo.copy(), hi.copy()
                lo[self.heads[h].lanes] += low
                hi[self.heads[h].lanes] += high
            lo, hi = np.maximum(lo, stage.between.lo), np.minimum(hi, stage.between.hi)
            gate = np.maximum(np.stack(between(layer.gate, lo, hi)), 0.0)
            value = np.stack(between(layer.value, lo, hi))
            active: Mask = (gate[1] > 0) & value.any(axis=0)
            active[stage.erasers] = False
            masks.append(active)
            lo, hi = np.where(self.erased[number], 0.0, lo), np.where(self.erased[number], 0.0, hi)
            ends = np.stack([g * v for g in gate[:, active] for v in value[:, active]])
            low, high = between(layer.out[:, active], ends.min(axis=0), ends.max(axis=0))
            lo = np.maximum(lo + low, self.bounds.ranges[number + 1][0])
            hi = np.minimum(hi + high, self.bounds.ranges[number + 1][1])
        return masks

    def _ends(
        self, readings: Sequence[LaneReading], fixed: Fixed, source: int
    ) -> tuple[Array, Array]:
        """Lowest and highest value of each reading."""
        lo, hi = np.zeros(len(readings)), np.zeros(len(readings))
        last = self.model.context - 1
        for i, read in enumerate(readings):
            lo[i] = read.constant + min(0, read.position * last)
            hi[i] = read.constant + max(0, read.position * last)
            for part, table in read.tables.items():
                value = fixed.get((source, part))
                low, high = (table.min(), table.max()) if value is None else (table[value],) * 2
                lo[i], hi[i] = lo[i] + low, hi[i] + high
        return lo, hi

    # Which lanes matter

    def _live(self, active: list[Mask]) -> "Live":
        """Per layer the neurons that matter, the lanes needed before its heads; the heads."""
        needed = np.zeros(self.model.width, dtype=bool)
        for result in self.outputs:
            needed[[lane for row in result.rows for lane, _ in row]] = True
        neurons: list[Ints] = []
        lanes: list[Mask] = []
        heads: list[int] = []
        for number in reversed(range(len(self.model.layers))):
            layer = self.model.layers[number]
            used = active[number] & layer.out[needed].any(axis=0)
            neurons.append(np.flatnonzero(used))
            needed = (
                (needed & ~self.erased[number])
                | layer.gate[used].any(axis=0)
                | layer.value[used].any(axis=0)
            )
            for h in self.by_layer[number]:
                if needed[self.heads[h].lanes].any():
                    heads.append(h)
            asked = needed.copy()
            for h in set(heads) & set(self.by_layer[number]):
                asked |= self.heads[h].query.any(axis=0)
            needed = asked
            lanes.append(needed)
        return neurons[::-1], lanes[::-1], heads

    # Expressions

    def evaluate(self, fixed: Fixed, algebra: Algebra, most: int | None = None) -> RowForms:
        """The step as polys, given what is fixed and what the algebra has decided.

        With `most`, a lane of more terms than that becomes an atom after its layer.
        """
        neurons, lanes, heads = self._live(self.open(fixed))
        now: dict[int, Poly] = {}
        for lane in np.flatnonzero(lanes[0]).tolist():
            now[lane] = self._reading(self.own[lane], OWN, fixed, algebra)
        queries: dict[int, tuple[Poly, ...]] = {}
        for number in range(len(self.model.layers)):
            for h in set(self.by_layer[number]) & set(heads):
                queries[h] = tuple(form(row, now) for row in self.queries[h].rows)
            for h in set(self.by_layer[number]) & set(heads):
                user = self.heads[h]
                for lane, read in zip(user.lanes.tolist(), user.reads, strict=True):
                    added = self._reading(read, h, fixed, algebra)
                    now[lane] = plus(now.get(lane, {}), added)
            sparse = self.gates[number], self.values[number], self.outs[number]
            added_by = activated(*sparse, neurons[number], now, algebra, most)
            erased = self.erased[number]
            now = {lane: {} if erased[lane] else poly for lane, poly in now.items()}
            for lane, poly in added_by.items():
                now[lane] = plus(now.get(lane, {}), poly)
            if most is not None:
                lows, highs = self.bounds.ranges[number + 1]
                for lane, poly in now.items():
                    if len(poly) > most:
                        now[lane] = algebra.named(poly, (floor(lows[lane]), ceil(highs[lane])))
        outputs = tuple(
            _plain(result.poly([form(row, now) for row in result.rows], algebra), algebra)
            for result in self.outputs
        )
        return RowForms(outputs, queries)

    def first_query(self, h: int, algebra: Algebra) -> tuple[Poly, ...]:
        """The query of a head of the first layer, in terms of the token itself."""
        if self.heads[h].layer:
            raise Unsupported("what is fetched is not decided by the token alone")
        lanes = {lane for row in self.queries[h].rows for lane, _ in row}
        now = {lane: self._reading(self.own[lane], OWN, {}, algebra) for lane in lanes}
        return tuple(form(row, now) for row in self.queries[h].rows)

    def _reading(self, read: LaneReading, source: int, fixed: Fixed, algebra: Algebra) -> Poly:
        if read.position:
            raise Unsupported("a lane that matters holds the position")
        total = constant(read.constant)
        for part, table in read.tables.items():
            value = fixed.get((source, part))
            if value is None:
                total = plus(total, algebra.table(source, part, tuple(table.tolist())))
            else:
                total = plus(total, constant(int(table[value])))
        return total


def activated(
    gates: Sparse,
    values: Sparse,
    outs: Sparse,
    chosen: Ints,
    now: Mapping[int, Poly],
    algebra: Algebra,
    most: int | None = None,
) -> dict[int, Poly]:
    """What chosen neurons of a layer add to each lane; `outs` has a row per neuron.

    With `most`, products of more terms than that are of factors by name.
    """
    added: dict[int, Poly] = {}
    groups: dict[tuple[object, object], dict[int, list[tuple[int, int, int]]]] = {}
    forms: dict[tuple[object, object], tuple[Poly, Poly]] = {}
    for n in chosen.tolist():
        gate, value = form(gates.rows[n], now), form(values.rows[n], now)
        if not value:
            continue
        algebra.spend(len(gate) + len(value))
        lo, hi = algebra.bounds(gate)
        if hi <= 0:
            continue
        if lo == hi:
            gate = constant(lo)
        if lo >= 0 or gate == value:
            squared = gate == value and not is_constant(gate)
            product = algebra.square(gate) if squared else algebra.carried(gate, value, most)
            algebra.spend(len(product) * len(outs.rows[n]))
            for lane, weight in outs.rows[n]:
                added[lane] = plus(added.get(lane, {}), product, weight)
            continue
        z = {m: c for m, c in gate.items() if m}
        first = min(z)
        sign = 1 if z[first] > 0 else -1
        if sign < 0:
            z = {m: -c for m, c in z.items()}
        key: tuple[object, object] = (frozenset(z.items()), frozenset(value.items()))
        forms[key] = (z, value)
        by_lane = groups.setdefault(key, {})
        for lane, weight in outs.rows[n]:
            by_lane.setdefault(lane, []).append((sign, gate.get((), 0), weight))
    ordered = sorted((sorted(z.items()), sorted(v.items()), g) for g, (z, v) in forms.items())
    for _, _, group in ordered:  # atoms get their numbers in an order of forms, not of neurons
        (z, value), by_lane = forms[group], groups[group]
        products: dict[tuple[tuple[int, int, int], ...], Poly] = {}
        for lane, corners in by_lane.items():
            same = tuple(corners)
            if same not in products:
                products[same] = algebra.carried(algebra.bend(z, same), value, most)
            algebra.spend(len(products[same]))
            added[lane] = plus(added.get(lane, {}), products[same])
    return added


def form(terms: tuple[tuple[int, int], ...], now: Mapping[int, Poly]) -> Poly:
    """A sum of weighted lanes; lanes that hold nothing are left out."""
    total: dict[Monomial, int] = {}
    for lane, weight in terms:
        poly = now.get(lane)
        if poly:
            for monomial, c in poly.items():
                total[monomial] = total.get(monomial, 0) + weight * c
    return {m: c for m, c in total.items() if c}


def _plain(poly: Poly, algebra: Algebra) -> Poly:
    """A number where the bounds say so."""
    lo, hi = algebra.bounds(poly)
    return constant(lo) if lo == hi else poly
