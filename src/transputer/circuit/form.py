"""Affine integer expressions over the atoms of a graph, each with the range it can take.

An atom is a number that every position has: a lane of the embedding, the position, a neuron, a
signal, something attended to, or a form with a range that its author answers for. A `Form` is
`const + sum of weight * atom`. Atoms are made by a `Graph` only, and are equal to themselves.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from transputer.circuit.bounds import Interval, Table, combined, piecewise

#: Whose part it is: the token's own, or that of the token a head attended to (its number).
OWN = -1
POSITION = "@position"
Key = tuple[int, str]
Rows = Mapping[Key, Table]


@dataclass(frozen=True, eq=False)
class Atom:
    """A number every position has. `index` is the order of creation: operands come first.

    `rows`, where known, splits it exactly: `offset` + one entry per (token, part).
    """

    index: int
    name: str
    range: Interval
    rows: Rows | None = field(default=None, repr=False)
    offset: int = 0


@dataclass(frozen=True, eq=False)
class TokenLane(Atom):
    """A lane of the embedding: the sum of one table entry per part it depends on."""

    tables: Mapping[str, Table] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Position(Atom):
    """The index of the position, from 0."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Neuron(Atom):
    """`relu(gate) * value`."""

    gate: "Form"
    value: "Form"
    group: str

    @cached_property
    def shape(self) -> tuple[tuple[tuple[Atom, int], ...], "Form"]:
        """What it has in common with neurons that differ in a constant (and sign) of the gate."""
        return tuple((a, w * self.sign) for a, w in self.gate.terms), self.value

    @cached_property
    def sign(self) -> int:
        """+1 or -1: the gate is `sign * z + gate.const`, the first weight of z positive."""
        return 1 if self.gate.terms[0][1] > 0 else -1


@dataclass(frozen=True, eq=False, kw_only=True)
class Signal(Atom):
    """A named lane that holds the value of a form."""

    form: "Form"
    group: str


@dataclass(frozen=True, eq=False, kw_only=True)
class AttendedForm(Atom):
    """The value of a form at the position that head number `head` attends to."""

    head: int
    form: "Form"


@dataclass(frozen=True, eq=False, kw_only=True)
class Held(Atom):
    """What a row of a looped state holds from one time, half a layer, until it is written."""

    row: int
    time: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Assumed(Atom):
    """A form whose range is declared, for a reason; exact evaluation checks it."""

    form: "Form"
    why: str


@dataclass(frozen=True)
class Form:
    """`const + sum of weight * atom`, in canonical order; equal forms are equal values."""

    terms: tuple[tuple[Atom, int], ...] = ()
    const: int = 0

    @staticmethod
    def of(number: "Form | int") -> "Form":
        """The form itself, or the constant form of an integer."""
        return number if isinstance(number, Form) else Form((), int(number))

    @staticmethod
    def atom(atom: Atom) -> "Form":
        """The form that is just this atom."""
        return Form(((atom, 1),))

    def __add__(self, other: "Form | int") -> "Form":
        if isinstance(other, int):
            return Form(self.terms, self.const + other)
        weights = dict(self.terms)
        for atom, weight in other.terms:
            weights[atom] = weights.get(atom, 0) + weight
        terms = [(a, w) for a, w in weights.items() if w]
        return Form(tuple(sorted(terms, key=_order)), self.const + other.const)

    def __neg__(self) -> "Form":
        return self * -1

    def __sub__(self, other: "Form | int") -> "Form":
        return self + -other

    def __mul__(self, weight: int) -> "Form":
        if not isinstance(weight, int):
            raise TypeError("a form is multiplied by an integer; two forms need a neuron")
        if not weight:
            return Form()
        return Form(tuple((a, w * weight) for a, w in self.terms), self.const * weight)

    def __rsub__(self, other: int) -> "Form":
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    @property
    def lo(self) -> int:
        """The least value it can take."""
        return self.range.lo

    @property
    def hi(self) -> int:
        """The greatest value it can take."""
        return self.range.hi

    @cached_property
    def range(self) -> Interval:
        """What it can be: exact per part of a token and per staircase, intervals otherwise."""
        split = _split(self)
        total = Interval(self.const + split.offset, self.const + split.offset)
        rows = {key: [combined(tables)] * 2 for key, tables in split.rows.items()}
        for neurons in split.functions.values():
            key, low, high = _function(neurons)
            if key is None:
                total += Interval(low, high)
            else:
                ends = rows.get(key, [0, 0])
                rows[key] = [ends[0] + low, ends[1] + high]
        for low, high in rows.values():
            total += Interval(int(np.min(low)), int(np.max(high)))
        for atom, weight in split.others:
            total += atom.range.scaled(weight)
        return total

    @cached_property
    def decided(self) -> tuple[Key, Any] | None:
        """The part (of which token) that alone decides it, and its value for each of the part's.

        None where there is none: a constant, several parts, the position, or computed things.
        """
        split = _split(self)
        if len(split.rows) != 1 or split.functions or split.others:
            return None
        ((key, tables),) = split.rows.items()
        if key[1] == POSITION:  # its two rows are ends, not all values
            return None
        return key, combined(tables).astype(object) + self.const + split.offset

    @cached_property
    def magnitude(self) -> int:
        """The most that the magnitudes of its terms can add up to, once it is read from lanes."""
        split = _split(self)
        most = abs(self.const) + split.loose
        for tables in split.rows.values():
            most += int(combined([(abs(w), np.abs(t)) for w, t in tables]).max())
        if split.functions:
            most += self.of_neurons().range.magnitude
        return most + sum(abs(w) * a.range.magnitude for a, w in split.others)

    def of_neurons(self) -> "Form":
        """Its neurons alone, which one lane can collect."""
        return Form(tuple((a, w) for a, w in self.terms if isinstance(a, Neuron)))

    def expanded(self) -> "Form":
        """The same without assumed ranges."""
        if not any(isinstance(a, Assumed) for a, _ in self.terms):
            return self
        total = Form((), self.const)
        for atom, weight in self.terms:
            inner = atom.form.expanded() if isinstance(atom, Assumed) else Form.atom(atom)
            total = total + inner * weight
        return total

    def __str__(self) -> str:
        texts = [_term(a.name, w) for a, w in self.terms]
        texts += [f"{self.const:+d}"] if self.const or not texts else []
        return " ".join(texts).removeprefix("+").replace(" -", " - ").replace(" +", " + ")


def _order(term: tuple[Atom, int]) -> int:
    return term[0].index


def _term(name: str, weight: int) -> str:
    return f"{weight:+d}*{name}" if abs(weight) != 1 else f"{'+' if weight > 0 else '-'}{name}"


@dataclass
class _Split:
    """The terms of a form by what is known about them."""

    rows: dict[Key, list[tuple[int, Table]]]
    functions: dict[Any, list[tuple[int, Neuron]]]
    others: list[tuple[Atom, int]]
    offset: int = 0
    loose: int = 0


def _split(form: Form) -> _Split:
    split = _Split(defaultdict(list), defaultdict(list), [])
    for atom, weight in form.terms:
        if atom.rows is not None:
            split.offset += weight * atom.offset
            split.loose += abs(weight * atom.offset)
            for key, table in atom.rows.items():
                split.rows[key].append((weight, table))
        elif isinstance(atom, Neuron):
            split.functions[atom.shape].append((weight, atom))
        else:
            split.others.append((atom, weight))
    return split


def _function(neurons: list[tuple[int, Neuron]]) -> tuple[Key | None, Any, Any]:
    """Least and greatest of neurons that differ only in the constants of their gates.

    Where one part decides the gates, or the value, one entry per value of that part.
    """
    first = neurons[0][1]
    gate, value = first.gate.decided, first.value.decided
    if gate is not None:
        z = first.sign * (gate[1] - first.gate.const)
        rows = sum(w * np.maximum(n.sign * z + n.gate.const, 0) for w, n in neurons)
        if value is not None and value[0] == gate[0]:
            return gate[0], rows * value[1], rows * value[1]
        ends = [rows * first.value.lo, rows * first.value.hi]
        return gate[0], np.minimum(*ends), np.maximum(*ends)
    steps = piecewise(((w, n.sign, n.gate.const) for w, n in neurons), Form(first.shape[0]).range)
    if value is not None:
        ends = [value[1] * steps.lo, value[1] * steps.hi]
        return value[0], np.minimum(*ends), np.maximum(*ends)
    product = steps * first.value.range
    return None, product.lo, product.hi


def rows_of(form: Form, token: int) -> tuple[Rows, int] | None:
    """The exact split of a form over one token's parts, as seen through head `token`.

    None where it depends on anything but embedding lanes and the position.
    """
    gathered: dict[Key, list[tuple[int, Table]]] = defaultdict(list)
    offset = form.const
    for atom, weight in form.terms:
        if atom.rows is None or any(origin != OWN for origin, _ in atom.rows):
            return None
        offset += weight * atom.offset
        for (_, part), table in atom.rows.items():
            gathered[token, part].append((weight, table))
    return {key: combined(tables) for key, tables in gathered.items()}, offset


def neurons_in(form: Form) -> Iterator[tuple[Neuron, int]]:
    """The neurons among its terms, with their weights."""
    for atom, weight in form.terms:
        if isinstance(atom, Neuron):
            yield atom, weight
