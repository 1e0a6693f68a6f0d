"""A graph resolved to lanes: what must be computed, what it reads and which lanes it writes.

Only what the outputs depend on is here. Assumed ranges are gone; each form is a `NetRow` over
lanes. Neurons in a form that is read become one lane that collects them, shared by all forms that
read the same combination.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import field
from math import gcd

from transputer.circuit.bounds import Interval, Table
from transputer.circuit.form import (
    Atom,
    AttendedForm,
    Form,
    Key,
    Neuron,
    Position,
    Signal,
    TokenLane,
    neurons_in,
)
from transputer.circuit.graph import Graph, GraphHead
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class NetRow:
    """`const + sum of weight * lane`, a form over numbered lanes."""

    terms: tuple[tuple[int, int], ...] = ()
    const: int = 0


@dataclass(frozen=True, slots=True)
class NeuronUnit:
    """One neuron: what it reads, and the lanes it adds to with their weights."""

    gate: NetRow
    value: NetRow
    writes: tuple[tuple[int, int], ...]
    group: str

    @property
    def shape(self) -> tuple[tuple[tuple[int, int], ...], NetRow]:
        """Equal for units that are functions of one number together; those share a layer."""
        sign = -1 if self.gate.terms and self.gate.terms[0][1] < 0 else 1
        return tuple((lane, sign * w) for lane, w in self.gate.terms), self.value


@dataclass(frozen=True, slots=True)
class HeadUnit:
    """One head: its rows, and which lane receives which value."""

    name: str
    group: str
    query: tuple[NetRow, ...]
    key: tuple[NetRow, ...]
    values: tuple[tuple[NetRow, int], ...]
    text: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Netlist:
    """A graph as lanes and the things that write them.

    `names[lane]` is what the lane holds; `tables[lane]` fill it at the embedding, `position` is
    the lane of the position, if any is needed. `outputs[part]` are the logits. `decided[lane]` is
    the one part of one token that decides the lane, if there is one, and the lane for its values.
    """

    names: tuple[str, ...]
    tables: Mapping[int, Mapping[str, Table]]
    position: int | None
    units: tuple[NeuronUnit, ...]
    heads: tuple[HeadUnit, ...]
    outputs: Mapping[str, tuple[NetRow, ...]]
    ranges: tuple[Interval, ...]
    decided: Mapping[int, tuple[Key, Table]]


def resolve(graph: Graph) -> Netlist:
    """The netlist of what a graph predicts; the same graph gives the same netlist."""
    return _Resolver(graph).run()


class _Resolver:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: list[str] = []
        self.ranges: list[Interval] = []
        self.decided: dict[int, tuple[Key, Table]] = {}
        self.tables: dict[int, Mapping[str, Table]] = {}
        self.position: int | None = None
        self.lanes: dict[Atom, int] = {}
        self.collected: dict[Form, tuple[int, int]] = {}  # neurons to lane and factor
        self.units: dict[tuple[Form, Form], dict[int, int]] = {}
        self.groups: dict[tuple[Form, Form], str] = {}
        self.reads: dict[GraphHead, list[tuple[Form, int]]] = {}
        self.queue: deque[Form] = deque()

    def run(self) -> Netlist:
        logits = {p.name: self.graph.logits(p) for p in self.graph.parts.values()}
        rows = {name: tuple(self.row(f) for f in forms) for name, forms in logits.items()}
        while self.queue:  # rows of what was met, which may meet more
            self.row(self.queue.popleft())
        units = tuple(
            NeuronUnit(self.row(gate), self.row(value), _nonzero(writes), self.groups[gate, value])
            for (gate, value), writes in self.units.items()
            if any(writes.values())
        )
        heads = tuple(self.head(head, reads) for head, reads in self.reads.items())
        return Netlist(
            tuple(self.names), self.tables, self.position, units, heads, rows,
            tuple(self.ranges), self.decided,
        )  # fmt: skip

    def row(self, form: Form) -> NetRow:
        form = form.expanded()
        weights: dict[int, int] = {}
        neurons = form.of_neurons()
        if neurons.terms:
            lane, factor = self.collect(neurons)
            weights[lane] = factor
        for atom, weight in form.terms:
            if not isinstance(atom, Neuron):
                lane = self.lane(atom)
                weights[lane] = weights.get(lane, 0) + weight
        return NetRow(_nonzero(weights), form.const)

    def collect(self, neurons: Form) -> tuple[int, int]:
        """The lane that holds these neurons up to a factor, and the factor."""
        unit, factor = _primitive(neurons)
        lane, scale = self.collected.get(unit, (-1, 1))
        if lane < 0 or factor % scale:
            lane = self.new_lane(unit.terms[0][0].name, unit.range)
            self.collected[unit] = (lane, 1)
            scale = 1
            self.write(unit, lane)
        return lane, factor // scale

    def lane(self, atom: Atom) -> int:
        if atom in self.lanes:
            return self.lanes[atom]
        lane = self.lanes[atom] = self.new_lane(atom.name, atom.range)
        if atom.rows is not None and len(atom.rows) == 1:
            ((key, table),) = atom.rows.items()
            self.decided[lane] = key, table + atom.offset
        match atom:
            case TokenLane():
                self.tables[lane] = atom.tables
            case Position():
                self.position = lane
            case Signal():
                self.define(atom, lane)
            case AttendedForm():
                self.attend(self.graph.heads[atom.head], atom.form, lane)
        return lane

    def define(self, signal: Signal, lane: int) -> None:
        form = signal.form.expanded()
        neurons = form.of_neurons()
        copied = form - neurons
        if copied != Form():
            self.add(Form.of(1), copied, signal.group, lane, 1)
        elif neurons.terms:
            unit, factor = _primitive(neurons)
            self.collected.setdefault(unit, (lane, factor))
        self.write(neurons, lane)

    def write(self, neurons: Form, lane: int) -> None:
        for neuron, weight in neurons_in(neurons):
            gate, value = neuron.gate.expanded(), neuron.value.expanded()
            self.add(gate, value, neuron.group, lane, weight)

    def add(self, gate: Form, value: Form, group: str, lane: int, weight: int) -> None:
        """The neuron adds to the lane; it is new, or one that adds to other lanes too."""
        if (gate, value) not in self.units:
            self.units[gate, value] = {}
            self.groups[gate, value] = group
            self.queue += [gate, value]
        writes = self.units[gate, value]
        writes[lane] = writes.get(lane, 0) + weight

    def attend(self, head: GraphHead, form: Form, lane: int) -> None:
        if head not in self.reads:
            self.reads[head] = []
            self.queue += [*head.query, *head.key]
        self.reads[head].append((form, lane))
        self.queue.append(form)

    def head(self, head: GraphHead, reads: list[tuple[Form, int]]) -> HeadUnit:
        text = {
            "query": [str(form) for form in head.query],
            "key": [str(form) for form in head.key],
            "values": [str(form) for form, _ in reads],
        }
        query, key = tuple(map(self.row, head.query)), tuple(map(self.row, head.key))
        values = tuple((self.row(form), lane) for form, lane in reads)
        return HeadUnit(head.name, head.group, query, key, values, text)

    def new_lane(self, name: str, reach: Interval) -> int:
        self.names.append(name)
        self.ranges.append(reach)
        return len(self.names) - 1


def _nonzero(weights: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((lane, weight) for lane, weight in weights.items() if weight))


def _primitive(neurons: Form) -> tuple[Form, int]:
    """The form divided by the largest factor of its weights, sign included."""
    factor = gcd(*(weight for _, weight in neurons.terms))
    factor = factor if neurons.terms[0][1] > 0 else -factor
    return Form(tuple((atom, weight // factor) for atom, weight in neurons.terms)), factor
