"""From a graph to a Model: resolve, schedule, allocate, and write the weights down."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from transputer.circuit.allocate import ONE, Allocation, allocate, columns_needed
from transputer.circuit.graph import Graph
from transputer.circuit.netlist import HeadUnit, Netlist, NetRow, NeuronUnit, resolve
from transputer.circuit.schedule import POLICIES, Schedule, schedule
from transputer.model import (
    Array,
    Head,
    Layer,
    Model,
    Part,
    head_width,
    query_scale,
    verify,
)

ERASE = "erase"
#: Lanes that a model may have before any is used twice.
WIDTH = 1000


def build(graph: Graph, width: int = WIDTH) -> Model:
    """The Model that does what the graph says, verified; the same graph gives the same bytes.

    It has the fewest layers. Lanes beyond `width` take the place of others that are not needed
    any more; of the scheduling policies the first is taken that needs the fewest lanes. Raises
    `CapacityError` where bounds derived from the weights do not hold, `ValueError` where a part
    has no output or a head reads what depends on what it reads.
    """
    netlist = resolve(graph)
    plans = [schedule(netlist, policy) for policy in POLICIES]
    plan = min(plans, key=lambda plan: max(width, columns_needed(netlist, plan)))
    model = _Writer(graph, netlist, plan, allocate(netlist, plan, width)).model()
    verify(model)
    return model


class _Writer:
    def __init__(
        self, graph: Graph, netlist: Netlist, plan: Schedule, allocation: Allocation
    ) -> None:
        self.graph, self.netlist, self.plan, self.allocation = graph, netlist, plan, allocation
        self.hints: dict[str, list[dict[str, Any]]] = {"heads": [], "neurons": [], "lanes": []}
        self.head_width = head_width(max((len(h.query) for h in netlist.heads), default=0))

    def model(self) -> Model:
        bias, position = np.zeros(self.allocation.width), np.zeros(self.allocation.width)
        bias[ONE] = 1.0
        if self.netlist.position is not None:
            position[self.allocation.columns[self.netlist.position]] = 1.0
        parts = tuple(Part(p.name, p.size) for p in self.graph.parts.values())
        layers = tuple(self.layer(number) for number in range(self.plan.layers))
        self.describe_lanes()
        return Model(
            parts=parts,
            context=self.graph.context,
            bias=bias,
            position=position,
            embeddings=tuple(self.embedding(part) for part in parts),
            layers=layers,
            outputs=tuple(self.matrix(self.netlist.outputs[p.name]) for p in parts),
            names=self.names(),
            hints=self.hints,
            limit=self.graph.limit,
        )

    def embedding(self, part: Part) -> Array:
        table = np.zeros((part.size, self.allocation.width))
        for lane, tables in self.netlist.tables.items():
            if part.name in tables:
                table[:, self.allocation.columns[lane]] = tables[part.name]
        return table

    def matrix(self, rows: Iterable[NetRow]) -> Array:
        """One row per form; constants are weights on the constant lane."""
        forms = list(rows)
        matrix = np.zeros((len(forms), self.allocation.width))
        for i, row in enumerate(forms):
            matrix[i, ONE] = row.const
            for lane, weight in row.terms:
                matrix[i, self.allocation.columns[lane]] = weight
        return matrix

    def layer(self, number: int) -> Layer:
        heads = _of_layer(self.netlist.heads, self.plan.heads, number)
        units = _grouped(_of_layer(self.netlist.units, self.plan.units, number))
        erased = [column for layer, column in self.allocation.erased if layer == number]
        count = len(units) + len(erased)
        gate, value = np.zeros((2, count, self.allocation.width))
        out = np.zeros((self.allocation.width, count))
        gate[: len(units)] = self.matrix(unit.gate for unit in units)
        value[: len(units)] = self.matrix(unit.value for unit in units)
        for i, unit in enumerate(units):
            for lane, weight in unit.writes:
                out[self.allocation.columns[lane], i] = weight
        for i, column in enumerate(erased, len(units)):
            gate[i, ONE], value[i, column], out[column, i] = 1.0, 1.0, -1.0  # x - x = 0
        self.describe_neurons(number, [unit.group for unit in units] + [ERASE] * len(erased))
        return Layer(tuple(self.head(number, i, h) for i, h in enumerate(heads)), gate, value, out)

    def head(self, layer: int, index: int, head: HeadUnit) -> Head:
        """The head, scaled for a softmax; rows of zeros give all heads of the model one width."""
        output = np.zeros((self.allocation.width, len(head.values)))
        for i, (_, lane) in enumerate(head.values):
            output[self.allocation.columns[lane], i] = 1.0
        about = {"layer": layer, "head": index, "name": head.name, "group": head.group}
        self.hints["heads"].append({**about, **head.text})
        values = self.matrix(row for row, _ in head.values)
        query, key = np.zeros((2, self.head_width, self.allocation.width))
        query[: len(head.query)] = self.matrix(head.query) * query_scale(self.head_width)
        key[: len(head.key)] = self.matrix(head.key)
        return Head(query, key, values, output)

    def describe_neurons(self, layer: int, groups: list[str]) -> None:
        first = 0
        while first < len(groups):
            count = sum(1 for group in groups[first:] if group == groups[first])
            about = {"layer": layer, "first": first, "count": count, "group": groups[first]}
            self.hints["neurons"].append(about)
            first += count

    def describe_lanes(self) -> None:
        """When each column holds what; times as in `schedule`, layers of last reads."""
        for tenant in self.allocation.tenants:
            about = {"lane": tenant.column, "name": self.netlist.names[tenant.lane]}
            self.hints["lanes"].append({**about, "from": tenant.start, "to": tenant.last})

    def names(self) -> tuple[str, ...]:
        names: dict[int, list[str]] = defaultdict(list, {ONE: ["one"]})
        for tenant in self.allocation.tenants:
            names[tenant.column].append(self.netlist.names[tenant.lane])
        return tuple(" | ".join(names[column]) for column in range(self.allocation.width))


def _of_layer(things: Any, layers: tuple[int, ...], number: int) -> list[Any]:
    return [thing for thing, layer in zip(things, layers, strict=True) if layer == number]


def _grouped(units: list[NeuronUnit]) -> list[NeuronUnit]:
    """Units with those of one group side by side, groups in the order they appear."""
    order: dict[str, int] = {}
    for unit in units:
        order.setdefault(unit.group, len(order))
    return sorted(units, key=lambda unit: order[unit.group])
