"""Broken weights: one in each group of neurons, head and table, several in one broken model.

An engine that keeps some of the shipped weights is found only if one of those is broken, so every
part of the model gets its turn in every audit. A model with many broken weights is as good as
many models: it counts where restoring one of them alone would change the next token.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from transputer.check.audit.effects import Effects
from transputer.check.audit.forward import Forward
from transputer.check.audit.play import TokenRecording
from transputer.check.audit.survey import Change, predicting
from transputer.errors import CapacityError
from transputer.model import Model, Token, verify

#: Kinds of strata.
KINDS = ("neurons", "heads", "tables")
#: How often a weight is zeroed, negated and inserted.
HOW = (0.4, 0.4, 0.2)
#: Places where scores tie.
TIES = 3
#: Weights that are tried in each stratum until one is felt.
TRIES = 3
#: Which weight of a stratum, the first or one that is zeroed; how many are broken in one model; and
#: how many are left out together where they are refused.
TURNS = ((0, 24, 3), (1, 24, 1), (1, 4, 1), (1, 1, 1))


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the model that is broken in every audit: `rows` by `lanes` of some tensors."""

    name: str
    kind: str
    tensors: tuple[str, ...]
    neurons: tuple[int, int] | None = None  # the first one, and how many

    def places(self, tensors: dict[str, Any], name: str) -> Any:
        """Return the part of a tensor that belongs to it, as a view."""
        if self.neurons is None:
            return tensors[name]
        first, count = self.neurons
        if name.endswith(".out"):
            return tensors[name][:, first : first + count]
        return tensors[name][first : first + count]

    def index(self, name: str, at: Sequence[int]) -> tuple[int, ...]:
        """Return the index in the tensor of a place in its part."""
        index = [int(i) for i in at]
        if self.neurons is not None:
            index[1 if name.endswith(".out") else 0] += self.neurons[0]
        return tuple(index)


@dataclass(frozen=True, slots=True)
class Breakage:
    """A weight that becomes another: 0, its negative, or a number where there was none."""

    stratum: Stratum
    tensor: str
    index: tuple[int, ...]
    before: float
    after: float
    turn: int = 0

    @property
    def name(self) -> str:
        """The weight and its change."""
        at = ", ".join(map(str, self.index))
        return f"{self.tensor}[{at}]: {self.before:g} becomes {self.after:g} ({self.stratum.name})"

    @property
    def change(self) -> Change:
        """Its form for a survey; one felt change of each stratum and turn is enough."""
        return Change(self.name, self.effect, f"{self.stratum.name}, {self.turn}")

    def effect(self, effects: Effects, back: bool = False) -> Any:
        """Return the positions whose prediction changes, also if it is taken `back`."""
        added = self.after - self.before
        return effects.weight(self.tensor, self.index, -added if back else added)


def strata(model: Model) -> list[Stratum]:
    """Every group of neurons and every head that the hints name, and every table."""
    found = []
    for about in model.hints.get("neurons", []):
        names = tuple(f"layer{about['layer']}.{matrix}" for matrix in ("gate", "value", "out"))
        title = f"layer {about['layer']}, {about['group']}"
        found.append(Stratum(title, "neurons", names, (about["first"], about["count"])))
    for number, layer in enumerate(model.layers):
        for i in range(len(layer.heads)):
            for matrix in ("query", "key", "value", "output"):
                name = f"layer{number}.head{i}.{matrix}"
                found.append(Stratum(name, "heads", (name,)))
    for name in model.tensors():
        if not name.startswith("layer"):
            found.append(Stratum(name, "tables", (name,)))
    return found


def breakages(model: Model, rng: np.random.Generator) -> Iterator[Breakage]:
    """Yield some random breakages of each stratum; at its second turn, weights are zeroed."""
    tensors = dict(model.tensors())
    for stratum in strata(model):
        parts = {name: stratum.places(tensors, name) for name in stratum.tensors}
        filled = [(name, np.argwhere(part)) for name, part in parts.items() if part.any()]
        for turn in (0, 1):
            for _ in range(TRIES if filled else 0):
                breakage = _breakage(stratum, parts, filled, turn, rng)
                if breakage is not None:
                    yield breakage


def _breakage(
    stratum: Stratum,
    parts: dict[str, Any],
    filled: Sequence[tuple[str, Any]],
    turn: int,
    rng: np.random.Generator,
) -> Breakage | None:
    """Return a random breakage of a stratum's `parts`, whose weights are at `filled` places."""
    counts = np.array([len(places) for _, places in filled], dtype=float)
    name, places = filled[int(rng.choice(len(filled), p=counts / counts.sum()))]
    at = places[int(rng.integers(len(places)))]
    before = after = float(parts[name][tuple(at)])
    how = 0 if turn else int(rng.choice(3, p=HOW))
    if how == 2:  # a weight that is there already, once more in a row that has none in its lane
        part = parts[name] if parts[name].ndim == 2 else parts[name][:, None]
        lane = int(at[1]) if len(at) == 2 else 0
        empty = np.flatnonzero(part[:, lane] == 0)
        if not len(empty):
            return None
        at, before = (int(rng.choice(empty)), *at[1:]), 0.0
    else:
        after = -before if how else 0.0
    return Breakage(stratum, name, stratum.index(name, at), before, after, turn)


@dataclass(frozen=True, slots=True)
class Witness:
    """A prefix of a recording, the token that broken weights predict, and what it tells of.

    An engine that restored one of `telling` would decode another token here.
    """

    prompt: tuple[Token, ...]
    expected: Token
    telling: frozenset[Breakage]


@dataclass(frozen=True, slots=True)
class BrokenModel:
    """A model with broken weights, and places that tell whether an engine uses all of them."""

    model: Model
    places: tuple[Witness, ...]


#: A broken weight, and the recording and the position where it is felt first.
FeltBreakage = tuple[Breakage, int, int]


def broken_models(
    model: Model,
    recordings: Sequence[TokenRecording],
    felt: Sequence[FeltBreakage],
    rng: np.random.Generator,
) -> Iterator[BrokenModel]:
    """Break some weights together, so that each of them tells; `felt` says where it might.

    Strata whose weight hides behind others, or is refused with them because the bounds do not
    hold, have their second turn, in smaller company each time. Neurons of a model are near each
    other, so that its bounds are derived from there on; heads that are would hide each other.
    """
    done: set[str] = set()  # strata that are told, or refused alone
    for turn, size, least in TURNS:
        left = [f for f in felt if f[0].turn == turn and f[0].stratum.name not in done]
        order = sorted(rng.permutation(len(left)), key=lambda i: depth(left[i][0]))
        for first in range(0, len(left), size):
            batch = [left[i] for i in order[first : first + size]]
            parts = allowed(model, batch, least)
            for broken, part in parts:
                places = _places(broken, recordings, part)
                done |= {b.stratum.name for place in places for b in place.telling}
                if places:
                    yield BrokenModel(broken, places)
            if least == 1:
                run = {b for _, part in parts for b, *_ in part}
                done |= {b.stratum.name for b, *_ in batch if b not in run}


def depth(breakage: Breakage) -> int:
    """Return the layer of a broken neuron; 0 for other weights."""
    layer = breakage.tensor.partition(".")[0].removeprefix("layer")
    return int(layer) if breakage.stratum.kind == "neurons" else 0


def allowed(
    model: Model, batch: Sequence[FeltBreakage], least: int
) -> list[tuple[Model, Sequence[FeltBreakage]]]:
    """Break the weights of a batch in as few models as keep their bounds.

    Of refused weights the halves are tried, down to `least` weights, which are left out.
    """
    parts = [*_allowed(model, batch, least)]
    whole = [f for _, part in parts for f in part]
    if len(parts) > 1 and (broken := _bounded(model, whole)):
        return [(broken, whole)]
    return parts


def _allowed(
    model: Model, batch: Sequence[FeltBreakage], least: int
) -> Iterator[tuple[Model, Sequence[FeltBreakage]]]:
    if broken := _bounded(model, batch):
        yield broken, batch
    elif len(batch) > least:
        half = len(batch) // 2
        yield from _allowed(model, batch[:half], least)
        yield from _allowed(model, batch[half:], least)


def broken_model(
    model: Model, recordings: Sequence[TokenRecording], batch: Sequence[FeltBreakage]
) -> BrokenModel:
    """Break some weights together; without places if the bounds of the model do not hold."""
    broken = _bounded(model, batch)
    return BrokenModel(broken or model, _places(broken, recordings, batch) if broken else ())


def _bounded(model: Model, batch: Sequence[FeltBreakage]) -> Model | None:
    """Return the model with broken weights, or nothing if its bounds do not hold."""
    tensors = dict(model.tensors())
    for name in {breakage.tensor for breakage, *_ in batch}:
        tensors[name] = tensors[name].copy()
    for breakage, *_ in batch:
        tensors[breakage.tensor][breakage.index] = breakage.after
    broken = model.with_tensors(tensors)
    try:
        verify(broken)
    except CapacityError:
        return None
    return broken


def _places(
    broken: Model, recordings: Sequence[TokenRecording], batch: Sequence[FeltBreakage]
) -> tuple[Witness, ...]:
    """Return places where restoring one of the broken weights alone changes the next token."""
    places: list[Witness] = []
    for number in {number: None for _, number, _ in batch}:
        told = {breakage for place in places for breakage in place.telling}
        here = {b: position for b, n, position in batch if n == number}
        if told.issuperset(here):
            continue
        recording = recordings[number]
        forward = Forward(broken, recording.tokens[: max(here.values()) + 1])
        effects, before_decoded = Effects(forward), predicting(recording)
        back = {b: b.effect(effects, back=True) for b, *_ in batch}
        for breakage in here:
            at = back[breakage][before_decoded[back[breakage]]]
            if at.size and breakage not in told:
                last = int(at[-1])
                telling = frozenset(b for b, changed in back.items() if last in changed)
                expected = tuple(int(v) for v in forward.predicted[last])
                places.append(Witness(tuple(recording.tokens[: last + 1]), expected, telling))
                told |= telling
    return tuple(places)


def tied(model: Model, recordings: Sequence[TokenRecording]) -> BrokenModel:
    """Return the model without recency, at places where several equal scores are the largest.

    No score ties in the shipped model, so only this shows which of them an engine takes.
    """
    name = "position"
    weights = model.tensors()[name]
    broken = model.with_tensors({**model.tensors(), name: np.zeros_like(weights)})
    stratum = Stratum(name, "tables", (name,))
    telling = frozenset(
        Breakage(stratum, name, (int(i),), float(weights[i]), 0.0) for i in np.flatnonzero(weights)
    )
    places = []
    for recording in sorted(recordings, key=lambda r: len(r.tokens)):
        forward = Forward(broken, recording.tokens)
        ties = np.zeros(len(recording.tokens), dtype=bool)
        for state in forward.passes:
            for head in state.heads:
                ties |= head.margin == 0
        if (at := np.flatnonzero(ties & predicting(recording))).size:
            last = int(at[-1])
            expected = tuple(int(v) for v in forward.predicted[last])
            places.append(Witness(tuple(recording.tokens[: last + 1]), expected, telling))
        if len(places) == TIES:
            break
    return BrokenModel(broken, tuple(places))


def odds(neurons: int, broken: int, cheat: int) -> float:
    """The probability that none of `broken` neurons is among `cheat` ones chosen at random."""
    if broken + cheat > neurons:
        return 0.0
    return prod((neurons - broken - i) / (neurons - i) for i in range(cheat))
