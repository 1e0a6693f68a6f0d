"""Looped circuits: rows of a state, layer by layer, with the same forms and neurons.

A `Loop` holds named rows. Each layer first reads with heads, then with neurons; what a row holds
is a new atom whenever it is written, so that a form over what is gone is refused, and all gadgets
of this room work on rows as they do on lanes.

    loop = Loop(columns=64)
    x = loop.row("x", (0, 9), (0, 9))
    with loop.layer("count") as layer:
        layer.add(x, layer.graph.neuron(9 - loop.now(x)))
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np

from transputer.circuit.bounds import Interval
from transputer.circuit.form import Form, Held, Neuron, neurons_in
from transputer.circuit.graph import Graph
from transputer.model import EXACT, Array, Looped, LoopedLayer, SelfHead, verify_looped
from transputer.values import dataclass

#: The row that is 1 in every column: constants are weights on it.
ONE = "one"
#: Neurons that copy or empty rows: their gate is the constant.
COPY = "copy"


@dataclass(frozen=True, slots=True)
class StateRow:
    """One row of the state, by number."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class Match:
    """A head: columns whose keys agree meet; each row gets the form as the met columns have it."""

    name: str
    key: tuple[Form, ...]
    reads: tuple[tuple[StateRow, Form], ...]


@dataclass(slots=True)
class LoopLayer:
    """A layer under construction: forms to be added to rows."""

    name: str
    graph: Graph
    heads: tuple[Match, ...]
    added: dict[StateRow, Form] = field(default_factory=lambda: defaultdict(Form))
    promised: dict[StateRow, tuple[int, int]] = field(default_factory=dict)
    neurons: int = 0

    def add(self, row: StateRow, form: Form) -> None:
        """Add a form to a row."""
        self.added[row] = self.added[row] + form

    def promise(self, rows: Iterable[StateRow], lo: int, hi: int) -> None:
        """What rows are between after this layer, where intervals alone cannot tell.

        Only constants of gates rely on it; `verify_looped` does not.
        """
        self.promised |= {row: (lo, hi) for row in rows}


class Loop:
    """A looped circuit under construction."""

    def __init__(self, columns: int, limit: int = EXACT) -> None:
        self.columns = columns
        self.graph = Graph(limit=limit)
        self.rows: list[StateRow] = []
        self.first: list[Interval] = []
        self.ranges: list[Interval] = []
        self._now: list[Form] = []
        self._layers: list[LoopedLayer] = []
        self._hints: dict[str, list[Any]] = {"layers": [], "heads": [], "neurons": []}
        self._time = 0
        self.one = self.row(ONE, (1, 1), (1, 1))

    def row(
        self, name: str, first: tuple[int, int] = (0, 0), others: tuple[int, int] = (0, 0)
    ) -> StateRow:
        """A new row: what it is between, between steps, in column 0 and in all others."""
        row = StateRow(len(self.rows), name)
        self.rows.append(row)
        self.first.append(Interval(*first))
        self.ranges.append(Interval(*others))
        reach = Interval(min(first[0], others[0]), max(first[1], others[1]))
        self._now.append(self.graph.held(name, row.index, 0, reach))
        return row

    def now(self, row: StateRow) -> Form:
        """What a row holds at this point."""
        return self._now[row.index]

    def word(self, rows: Sequence[StateRow]) -> list[Form]:
        """What rows hold at this point."""
        return [self.now(row) for row in rows]

    @contextmanager
    def layer(self, name: str, heads: Sequence[Match] = ()) -> Iterator[LoopLayer]:
        """One layer: the heads read what is there now, the body what is there after them."""
        met = tuple(self._head(h, head) for h, head in enumerate(heads))
        self._meet(heads)
        layer = LoopLayer(name, self.graph, tuple(heads))
        yield layer
        self._layers.append(LoopedLayer(met, *self._neurons(layer)))
        self._hints["layers"].append(name)
        self._write(layer)

    def build(self, stop: Form, **about: Any) -> Looped:
        """The model, verified; it has halted where `stop`, on the first column, is 1 or more."""
        hints = {**self._hints, **about}
        model = Looped(
            columns=self.columns,
            first=tuple((r.lo, r.hi) for r in self.first),
            ranges=tuple((r.lo, r.hi) for r in self.ranges),
            stop=self._matrix([stop])[0],
            layers=tuple(self._layers),
            names=tuple(row.name for row in self.rows),
            hints=hints,
            limit=self.graph.limit,
        )
        verify_looped(model)
        return model

    # Time

    def _meet(self, heads: Sequence[Match]) -> None:
        gained: dict[int, Interval] = {}
        for head in heads:
            for row, form in head.reads:
                gained[row.index] = gained.get(row.index, Interval(0, 0)) + form.range
        self._time += 1
        for index, more in gained.items():
            self._renew(index, self._now[index].range + more)

    def _write(self, layer: LoopLayer) -> None:
        self._time += 1
        for row, form in layer.added.items():
            reach = (self._now[row.index] + form).range
            self._renew(row.index, Interval(*layer.promised.get(row, (reach.lo, reach.hi))))

    def _renew(self, index: int, reach: Interval) -> None:
        name = self.rows[index].name
        self._now[index] = self.graph.held(name, index, self._time, reach)

    # Weights

    def _matrix(self, forms: Sequence[Form]) -> Array:
        matrix = np.zeros((len(forms), len(self.rows)))
        for i, form in enumerate(forms):
            matrix[i, self.one.index] = form.const
            for atom, weight in form.terms:
                if not isinstance(atom, Held) or self._now[atom.row] != Form.atom(atom):
                    raise ValueError(f"{atom.name} is not what a row holds at this point")
                matrix[i, atom.row] += weight
        return matrix

    def _head(self, number: int, head: Match) -> SelfHead:
        self._hints["heads"].append({"layer": len(self._layers), "head": number, "name": head.name})
        values = list(dict.fromkeys(form for _, form in head.reads))
        output = np.zeros((len(self.rows), len(values)))
        for row, form in head.reads:
            output[row.index, values.index(form)] = 1.0
        return SelfHead(self._matrix(head.key), self._matrix(values), output)

    def _neurons(self, layer: LoopLayer) -> tuple[Array, Array, Array]:
        units: dict[tuple[Form, Form], dict[int, int]] = defaultdict(dict)
        groups: dict[tuple[Form, Form], str] = {}
        one = self.now(self.one)
        for row, form in layer.added.items():
            neurons = [(n.gate, n.value, weight, n.group) for n, weight in neurons_in(form)]
            linear = Form(tuple(t for t in form.terms if not isinstance(t[0], Neuron)), form.const)
            if linear != Form():
                neurons.append((one, linear, 1, COPY))
            for gate, value, weight, group in neurons:
                units[gate, value][row.index] = weight
                groups.setdefault((gate, value), group)
        order = {group: i for i, group in enumerate(dict.fromkeys(groups.values()))}
        ordered = sorted(units, key=lambda unit: order[groups[unit]])
        out = np.zeros((len(self.rows), len(units)))
        for i, unit in enumerate(ordered):
            for row_index, weight in units[unit].items():
                out[row_index, i] = weight
        self._describe([groups[unit] for unit in ordered])
        gates, values = [g for g, _ in ordered], [v for _, v in ordered]
        return self._matrix(gates), self._matrix(values), out

    def _describe(self, groups: list[str]) -> None:
        for group in dict.fromkeys(groups):
            about = {"layer": len(self._layers), "first": groups.index(group)}
            self._hints["neurons"].append({**about, "count": groups.count(group), "group": group})
