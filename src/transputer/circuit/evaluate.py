"""Exact evaluation of a graph on integers, without weights.

`values` evaluates forms that need no head, on Python ints or NumPy arrays, many cases at once.
`CircuitSession` runs a whole graph over a sequence of tokens, as an engine runs the Model that is
built from it. Both check every assumed range.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from transputer.circuit.form import (
    Assumed,
    Atom,
    AttendedForm,
    Form,
    Neuron,
    Position,
    Signal,
    TokenLane,
)
from transputer.circuit.graph import Graph, GraphHead
from transputer.errors import UsageError
from transputer.model import Token


class BrokenAssumption(AssertionError):
    """A form left the range that its author assumed."""


class _Values:
    """The values of atoms at one position, each computed once."""

    def __init__(
        self, token: Mapping[str, Any], position: int, session: "CircuitSession | None"
    ) -> None:
        self._token = token
        self._position = position
        self._session = session
        self._known: dict[Atom, Any] = {}

    def form(self, form: Form) -> Any:
        """The value of a form; an integer, or an array where the token holds arrays."""
        return sum((weight * self._atom(atom) for atom, weight in form.terms), form.const)

    def _atom(self, atom: Atom) -> Any:
        if atom not in self._known:
            self._known[atom] = self._compute(atom)
        return self._known[atom]

    def _compute(self, atom: Atom) -> Any:
        match atom:
            case TokenLane():
                return sum(_entry(table, self._token[p]) for p, table in atom.tables.items())
            case Neuron():
                gate = self.form(atom.gate)
                return gate * (gate > 0) * self.form(atom.value)
            case Signal():
                return self.form(atom.form)
            case Assumed():
                return _checked(atom, self.form(atom.form))
            case AttendedForm() if self._session is not None:
                return self._session.attended(atom)
            case Position():
                return self._position
        raise UsageError(f"{atom.name} needs a sequence of tokens; use a CircuitSession")


def _entry(table: Any, value: Any) -> Any:
    return table[value] if isinstance(value, np.ndarray) else int(table[value])


def _checked(atom: Assumed, value: Any) -> Any:
    low, high = atom.range.lo, atom.range.hi
    if not np.all((value >= low) & (value <= high)):
        seen = (int(np.min(value)), int(np.max(value)))
        raise BrokenAssumption(f"{atom.why}: {atom.name} is in {seen}, not in [{low}, {high}]")
    return value


def values(forms: Iterable[Form], token: Mapping[str, Any], position: int = 0) -> list[Any]:
    """The values of forms at a token (part values by name), which may hold arrays.

    Raises `BrokenAssumption` where an assumed range is left, `UsageError` where a form needs
    other tokens.
    """
    known = _Values(token, position, None)
    return [known.form(form) for form in forms]


class _Memory:
    """What one head kept of every position: keys as rows, values by the form read."""

    def __init__(self, head: GraphHead) -> None:
        self.head = head
        self.reads: dict[Form, list[int]] = {}
        self._keys = np.zeros((64, len(head.key)), dtype=np.int64)
        self._count = 0

    def append(self, values: _Values) -> None:
        if self._count == len(self._keys):
            self._keys = np.concatenate([self._keys, np.zeros_like(self._keys)])
        self._keys[self._count] = [values.form(key) for key in self.head.key]
        self._count += 1

    def attend(self, values: _Values) -> int:
        query = np.array([values.form(q) for q in self.head.query], dtype=np.int64)
        scores = self._keys[: self._count] @ query  # below the limit, so below 2^63
        return self._count - 1 - int(np.argmax(scores[::-1]))


class CircuitSession:
    """The graph run over tokens: `append`, then `next` predicts, as an engine would."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tokens: list[Token] = []
        self._logits = {part: graph.logits(part) for part in graph.parts.values()}
        self._memories = {head: _Memory(head) for head in graph.heads}
        self._position: dict[GraphHead, int] = {}
        self._now = _Values({}, 0, self)
        outputs = [form for forms in self._logits.values() for form in forms]
        for atom in _live([*outputs, *graph.nearest.values()], graph.heads):
            self._memories[graph.heads[atom.head]].reads[atom.form] = []
        self._heads = [head for head in graph.heads if self._memories[head].reads]

    def append(self, token: Token) -> None:
        """Adds a token, and evaluates what its position can be asked for."""
        named = dict(zip(self.graph.parts, token, strict=False))
        fits = (0 <= value < self.graph.parts[name].size for name, value in named.items())
        if not len(token) == len(self.graph.parts) or not all(fits):
            raise UsageError(f"{token} is not a token of this graph")
        self._now = _Values(named, len(self.tokens), self)
        self._position = {}
        self.tokens.append(tuple(token))
        for head in self._heads:
            self._find(head)
        for head in self._heads:
            for form, values in self._memories[head].reads.items():
                if len(values) < len(self.tokens):
                    values.append(self._now.form(form))

    def next(self) -> Token:
        """The predicted token; raises `BrokenAssumption` where an output leaves its part."""
        return tuple(self._predict(name) for name in self.graph.parts)

    def step(self) -> Token:
        """One step of greedy decoding: predicts the next token, appends it and returns it."""
        token = self.next()
        self.append(token)
        return token

    def value(self, form: Form) -> int:
        """The value of a form at the last position."""
        return int(self._now.form(form))

    def position(self, head: GraphHead) -> int:
        """The position that a head attends to from the last one."""
        return self._find(head)

    def attended(self, atom: AttendedForm) -> int:
        """What a head reads at the last position."""
        head = self.graph.heads[atom.head]
        values = self._memories[head].reads.get(atom.form)
        if values is None:
            raise UsageError(f"{atom.name} does not contribute to what the graph predicts")
        at = self._find(head)
        if at == len(values):  # its own value, not yet kept
            values.append(self._now.form(atom.form))
        return values[at]

    def _find(self, head: GraphHead) -> int:
        if head not in self._position:
            self._memories[head].append(self._now)
            self._position[head] = self._memories[head].attend(self._now)
        return self._position[head]

    def _predict(self, name: str) -> int:
        part = self.graph.parts[name]
        if name in self.graph.nearest:
            value = self.value(self.graph.nearest[name])
            if not 0 <= value < part.size:
                raise BrokenAssumption(f"part {name} is predicted as {value} of {part.size}")
            return value
        logits = [self.value(form) for form in self._logits[part]]
        return logits.index(max(logits))


def _live(forms: Iterable[Form], heads: Sequence[GraphHead]) -> list[AttendedForm]:
    """Everything attended that these forms depend on, through neurons, signals and heads."""
    seen: set[Atom] = set()
    atoms: list[AttendedForm] = []
    queue = list(forms)
    while queue:
        for atom, _ in queue.pop().terms:
            if atom in seen:
                continue
            seen.add(atom)
            match atom:
                case Neuron():
                    queue += [atom.gate, atom.value]
                case Signal() | Assumed():
                    queue.append(atom.form)
                case AttendedForm():
                    atoms.append(atom)
                    queue += [atom.form, *heads[atom.head].query, *heads[atom.head].key]
    return sorted(atoms, key=lambda atom: atom.index)
