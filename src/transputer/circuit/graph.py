"""The language: a graph of token parts, neurons, signals and heads, and what it predicts.

A graph is a value that only grows. Lanes with equal tables, neurons with equal gate and value
and reads of one head are created once. Nothing here knows about layers; `build` schedules.

    g = Graph(context=1000)
    digit = g.part("digit", 10)
    x = digit.number()
    wraps = g.signal("wraps", g.neuron(x - 8))       # relu(x - 8) == [x == 9]
    g.output(digit, x + 1 - 10 * wraps)              # counts 0 1 .. 9 0 1 ..
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeVar

import numpy as np

from transputer.circuit.bounds import Interval, Table, of_rows, require
from transputer.circuit.form import (
    OWN,
    POSITION,
    Assumed,
    Atom,
    AttendedForm,
    Form,
    Held,
    Neuron,
    Position,
    Signal,
    TokenLane,
    rows_of,
)
from transputer.model import EXACT
from transputer.values import dataclass

Made = TypeVar("Made", bound=Atom)


@dataclass(frozen=True, eq=False)
class GraphPart:
    """One part of the token; its methods give lanes that the embedding fills."""

    graph: "Graph" = field(repr=False)
    name: str
    size: int

    def lane(self, name: str, table: Iterable[int]) -> Form:
        """The lane that holds `table[v]` where the part is v."""
        return self.graph.lane(name, {self: table})

    def number(self) -> Form:
        """The part's value."""
        return self.lane(self.name, range(self.size))

    def square(self) -> Form:
        """The square of the part's value."""
        return self.lane(f"{self.name}^2", [v * v for v in range(self.size)])

    def bit(self, i: int) -> Form:
        """Bit i of the value, 0 the least significant."""
        return self.lane(f"{self.name}.{i}", [v >> i & 1 for v in range(self.size)])

    def bits(self) -> tuple[Form, ...]:
        """All bits of the value, least significant first."""
        return tuple(self.bit(i) for i in range((self.size - 1).bit_length()))

    def one_hot(self, value: int) -> Form:
        """1 where the part has this value, else 0."""
        return self.indicator({value}, f"{self.name}={value}")

    def indicator(self, values: Iterable[int], name: str = "") -> Form:
        """1 where the part has one of these values, else 0."""
        members = frozenset(values)
        text = name or f"{self.name} in {_runs(sorted(members))}"
        return self.lane(text, [int(v in members) for v in range(self.size)])


def _runs(values: Sequence[int]) -> str:
    """Sorted numbers as text, runs shortened: `0,2..5`."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(f"{r[0]}..{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


@dataclass(frozen=True, slots=True)
class Field:
    """A named group of forms that holds one thing."""

    name: str
    forms: tuple[Form, ...]

    def __iter__(self) -> Iterator[Form]:
        return iter(self.forms)

    def __len__(self) -> int:
        return len(self.forms)

    def __getitem__(self, index: int) -> Form:
        return self.forms[index]


@dataclass(frozen=True, eq=False)
class GraphHead:
    """One attention head. What it reads is asked for form by form, and only that is built."""

    graph: "Graph" = field(repr=False)
    index: int
    name: str
    query: tuple[Form, ...]
    key: tuple[Form, ...]
    group: str

    def read(self, form: Form | int) -> Form:
        """The form's value at the attended position."""
        return self.graph.attended(self, Form.of(form))

    def read_field(self, wanted: Field) -> Field:
        """The field at the attended position."""
        return Field(f"{self.name}.{wanted.name}", tuple(self.read(f) for f in wanted))


class Graph:
    """A circuit under construction, declared for `context` positions and sums below `limit`."""

    def __init__(self, context: int = 2**20, limit: int = EXACT) -> None:
        self.context = context
        self.limit = limit
        self.parts: dict[str, GraphPart] = {}
        self.heads: list[GraphHead] = []
        self.scores: dict[str, dict[int, Form]] = {}
        self.nearest: dict[str, Form] = {}
        self.one = Form((), 1)
        self._atoms: list[Atom] = []
        self._interned: dict[Any, Any] = {}
        self._groups: list[str] = []

    # Inputs

    def part(self, name: str, size: int) -> GraphPart:
        """A new part of the vocabulary; parts keep the order of their creation."""
        if name in self.parts:
            raise ValueError(f"part {name} exists already")
        self.parts[name] = GraphPart(self, name, size)
        return self.parts[name]

    def lane(self, name: str, tables: Mapping[GraphPart, Iterable[int]]) -> Form:
        """The embedding lane that sums one table entry per part."""
        arrays = {p.name: np.array(list(t), dtype=np.int64) for p, t in tables.items()}
        for part in tables:
            if len(arrays[part.name]) != part.size:
                raise ValueError(f"{name}: part {part.name} needs a table of {part.size} entries")
        key = ("lane", *((p, t.tobytes()) for p, t in sorted(arrays.items())))
        rows: dict[tuple[int, str], Table] = {(OWN, p): t for p, t in arrays.items()}
        reach = sum((of_rows(t) for t in arrays.values()), Interval(0, 0))
        require(f"lane {name}", reach.magnitude, self.limit)
        fields = {"name": name, "range": reach, "rows": rows, "tables": arrays}
        return self._intern(key, TokenLane, **fields)

    @property
    def position(self) -> Form:
        """The index of the token in the sequence, from 0 to `context - 1`."""
        ends = np.array([0, self.context - 1], dtype=np.int64)
        rows = {(OWN, POSITION): ends}
        return self._intern(POSITION, Position, name="position", range=of_rows(ends), rows=rows)

    def held(self, name: str, row: int, time: int, reach: Interval) -> Form:
        """What a row of a looped state holds from a time on."""
        require(f"row {name}", reach.magnitude, self.limit)
        key = ("held", row, time)
        return self._intern(key, Held, name=name, range=reach, row=row, time=time)

    # Computation

    def neuron(self, gate: Form | int, value: Form | int = 1) -> Form:
        """`relu(gate) * value`; no neuron at all where the gate is constant or always closed.

        Raises `CapacityError` where gate, value or product may leave the limit.
        """
        gate, value = Form.of(gate), Form.of(value)
        if gate.hi <= 0 or value == Form():
            return Form()
        if not gate.terms:
            return value * gate.const
        if not value.terms and value.const != 1:
            return self.neuron(gate) * value.const
        key = (gate, value)
        if key not in self._interned:
            self._check_neuron(gate, value)
        fields = {"range": gate.range.relu() * value.range, "gate": gate, "value": value}
        group = self._group("neuron")
        return self._intern(key, Neuron, name=f"{group}#{len(self._atoms)}", group=group, **fields)

    def signal(self, name: str, form: Form | Iterable[Form], group: str = "") -> Form:
        """A lane of that name that holds the form, or the sum of the forms.

        Neurons add to it directly; what is not a neuron is copied by one. A constant, or what
        is a lane already, comes back as it is.
        """
        form = form if isinstance(form, Form) else sum(form, Form())
        form = Form.of(form)
        is_lane = len(form.terms) == 1 and form.terms[0][1] == 1 and not form.const
        if not form.terms or (is_lane and not isinstance(form.terms[0][0], Neuron | Assumed)):
            return form
        require(f"signal {name}", form.magnitude, self.limit)
        fields = {"range": form.range, "form": form, "group": group or self._group(name)}
        return self._intern(("signal", name, form), Signal, name=name, **fields)

    def field(self, name: str, forms: Iterable[Form], group: str = "") -> Field:
        """A field of signals, one lane each."""
        lanes = [self.signal(f"{name}.{i}", f, group) for i, f in enumerate(forms)]
        return Field(name, tuple(lanes))

    def assume(self, form: Form, lo: int, hi: int, why: str) -> Form:
        """The same form with a narrower range, for a reason that intervals cannot see.

        Exact evaluation raises where it is wrong. `verify` does not rely on it: only gate
        constants and numbers of steps do.
        """
        narrow = Interval(max(lo, form.lo), min(hi, form.hi))
        if narrow == form.range:
            return form
        if narrow.lo > narrow.hi:
            raise ValueError(f"{form} is in [{form.lo}, {form.hi}], never in [{lo}, {hi}]")
        key = ("assumed", form, narrow)
        return self._intern(key, Assumed, name=f"({form})", range=narrow, form=form, why=why)

    def attend(
        self, name: str, query: Sequence[Form | int], key: Sequence[Form | int]
    ) -> GraphHead:
        """A new head that attends to the position with the largest `sum of query * key`.

        Queries are forms at the position itself, keys at each position up to it; among equal
        scores the latest position. A constant in a key would add the same to the scores of all
        positions, so it is dropped. Raises `CapacityError` where a score may leave the limit.
        """
        if len(query) != len(key):
            raise ValueError(f"head {name}: {len(query)} queries and {len(key)} keys")
        pairs = [(Form.of(q), Form(Form.of(k).terms)) for q, k in zip(query, key, strict=True)]
        pairs = [(q, k) for q, k in pairs if q != Form() and k != Form()]
        for form in (form for pair in pairs for form in pair):
            require(f"head {name}:", form.magnitude, self.limit, form)
        score = sum(q.range.magnitude * k.range.magnitude for q, k in pairs)
        require(f"head {name}: score", score, self.limit)
        queries, keys = tuple(q for q, _ in pairs), tuple(k for _, k in pairs)
        self.heads.append(GraphHead(self, len(self.heads), name, queries, keys, self._group(name)))
        return self.heads[-1]

    def head(
        self,
        name: str,
        query: Sequence[Form | int],
        key: Sequence[Form | int],
        value: Iterable[Form],
    ) -> list[Form]:
        """What such a head reads: the values of these forms at the attended position."""
        head = self.attend(name, query, key)
        return [head.read(form) for form in value]

    def attended(self, head: GraphHead, form: Form) -> Form:
        """The value of a form at the position a head attends to."""
        if not form.terms:
            return form
        require(f"head {head.name} reading", form.magnitude, self.limit, form)
        split = rows_of(form, head.index)
        fields: dict[str, Any] = {"range": form.range, "head": head.index, "form": form}
        if split is not None:
            fields |= {"rows": split[0], "offset": split[1]}
        name = f"{head.name}.{form}"
        return self._intern(("attended", head.index, form), AttendedForm, name=name, **fields)

    # Outputs

    def output(self, part: GraphPart, form: Form | int) -> None:
        """Predicts the value of a part: the form, promised to be an integer below its size.

        Logit v is `2 v x - v^2 = x^2 - (x - v)^2`, largest where v = x.
        """
        self._new_output(part)
        self.nearest[part.name] = Form.of(form)

    def output_scores(self, part: GraphPart, scores: Mapping[int, Form | int]) -> None:
        """Predicts the value with the largest score; values without one never win."""
        self._new_output(part)
        if not scores or not set(scores) <= set(range(part.size)):
            raise ValueError(f"part {part.name}: scores are for values below {part.size}")
        self.scores[part.name] = {v: Form.of(form) for v, form in scores.items()}

    def output_quotient(
        self, part: GraphPart, x: Form, divisor: Form, square: Form | int = 0
    ) -> None:
        """Predicts the largest v with `x >= v * divisor + v^2 * square`: a digit, without a neuron.

        From v - 1 to v the logit `2 v x - v (v + 1) divisor - square v (v + 1) (2 v + 1) / 3 + v`
        grows by `2 (x - v divisor - v^2 square) + 1`, which is odd, so that no logits tie, and
        positive exactly while v is small enough. x, divisor and square are promised not to be
        negative, and one of the last two not to be 0.
        """
        scores = {
            v: 2 * v * x
            - v * (v + 1) * divisor
            - v * (v + 1) * (2 * v + 1) // 3 * Form.of(square)
            + v
            for v in range(part.size)
        }
        self.output_scores(part, scores)

    def _new_output(self, part: GraphPart) -> None:
        if part.name in self.nearest or part.name in self.scores:
            raise ValueError(f"part {part.name} is predicted already")

    def logits(self, part: GraphPart) -> list[Form]:
        """The logit of every value of a part; raises `ValueError` for one that lacks an output."""
        if part.name in self.nearest:
            x = self.nearest[part.name]
            return [2 * v * x - v * v for v in range(part.size)]
        if part.name not in self.scores:
            raise ValueError(f"part {part.name} has no output")
        scores = self.scores[part.name]
        never = Form.of(min(form.lo for form in scores.values()) - 1)
        return [scores.get(v, never) for v in range(part.size)]

    # Names

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """Everything created inside belongs to the group, for the model card; groups nest."""
        self._groups.append(name)
        try:
            yield
        finally:
            self._groups.pop()

    def _group(self, default: str) -> str:
        return ".".join(self._groups) or default

    def _intern(self, key: Any, kind: type[Made], **fields: Any) -> Form:
        if key not in self._interned:
            atom = kind(index=len(self._atoms), **fields)
            self._atoms.append(atom)
            self._interned[key] = Form.atom(atom)
        form: Form = self._interned[key]
        return form

    def _check_neuron(self, gate: Form, value: Form) -> None:
        group = self._group("neuron")
        require(f"{group}: gate", gate.magnitude, self.limit, gate)
        require(f"{group}: value", value.magnitude, self.limit, value)
        product = gate.range.relu().magnitude * value.range.magnitude
        require(f"{group}: product of relu of", product, self.limit, gate)
