"""Which parts of a token a step is specialised to: those that close the most neurons.

Any choice gives the same tokens; a good one leaves little to compute. A candidate is a part of
the token itself, or of the token that a head of the first layer attends to (its query needs the
token alone, so it can be looked up before anything else). A value of it closes a neuron if the
gate cannot be positive, or the value must be 0, whatever the other lanes hold.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from transputer.engines.native.heads import Lookup, lookups
from transputer.engines.native.readings import Ints, LaneStage, LayerStages, Mask, stages
from transputer.model import Array, Layer, Model, entries
from transputer.values import dataclass

#: Controls together have at most this many combinations of values.
MAX_PLANS = 2**16
#: A further control must close this share of the neurons that are left.
WORTH = 0.05


@dataclass(frozen=True, slots=True)
class Control:
    """A part of the token itself, or of the one that a head attends to."""

    head: int | None
    part: int


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A control, the lanes it decides after the heads of the first layer, and their values."""

    control: Control
    lanes: Ints
    table: Array


@lru_cache(maxsize=2)
def controls(model: Model) -> tuple[Control, ...]:
    """The controls worth having, best first; those that are attended to share one head."""
    if not model.layers:
        return ()
    steps = stages(model)
    candidates = (*_own(model, steps), *_attended(model, steps, lookups(model)))
    by_control = {c.control: c for c in candidates}
    closes = {control: _closed(model, steps, c) for control, c in by_control.items()}
    left = np.ones(sum(len(layer.gate) for layer in model.layers))
    chosen: list[Control] = []
    while True:
        gains = {c: float(left @ closes[c]) for c in by_control if _may_join(model, chosen, c)}
        best = max(gains, key=lambda c: gains[c], default=None)
        if best is None or gains[best] <= WORTH * left.sum():
            return tuple(chosen)
        chosen.append(best)
        left = left * (1 - closes[best])


def _may_join(model: Model, chosen: Sequence[Control], control: Control) -> bool:
    heads = {c.head for c in (*chosen, control)} - {None}
    plans = np.prod([model.parts[c.part].size for c in (*chosen, control)], dtype=float)
    return control not in chosen and len(heads) <= 1 and bool(plans <= MAX_PLANS)


def _own(model: Model, steps: Sequence[LayerStages]) -> Iterator[_Candidate]:
    """Parts of the token itself: lanes that one part alone decides."""
    touched = np.zeros((len(model.embeddings), model.width), dtype=bool)
    for part, table in enumerate(model.embeddings):
        used = entries(table).used
        touched[part, used] = (table[:, used] != table[0, used]).any(axis=0)
    fresh = steps[0].between.fresh & (model.position == 0)
    alone: Mask = fresh & (touched.sum(axis=0) == 1)
    first = model.bias + sum(table[0] for table in model.embeddings)
    for part, table in enumerate(model.embeddings):
        lanes = np.flatnonzero(alone & touched[part])
        moved = table[:, lanes] - table[0, lanes] + first[lanes]
        yield _Candidate(Control(None, part), lanes, moved)


def _attended(
    model: Model, steps: Sequence[LayerStages], lookups: Sequence[Lookup]
) -> Iterator[_Candidate]:
    """Parts of what heads of the first layer attend to, where nothing else writes the lane."""
    writers = sum(head.output.any(axis=1).astype(int) for head in model.layers[0].heads)
    alone: Mask = steps[0].before.constant & (np.asarray(writers) == 1)
    values = steps[0].before.held
    for number, user in enumerate(lookups):
        if user.layer or user.dynamic:
            continue
        for part in range(len(model.parts)):
            reads = {
                lane: read.tables[part] + read.constant + values[lane]
                for lane, read in zip(user.lanes.tolist(), user.reads, strict=True)
                if set(read.tables) == {part} and not read.position and alone[lane]
            }
            if reads:
                table = np.stack([*reads.values()], axis=1).astype(np.float64)
                yield _Candidate(Control(number, part), np.array([*reads]), table)


def _closed(model: Model, steps: Sequence[LayerStages], candidate: _Candidate) -> Array:
    """For each neuron of the model the share of distinct values that close it."""
    values, lanes = np.unique(candidate.table, axis=0), candidate.lanes
    masks = []
    unwritten: Mask = np.ones(len(lanes), dtype=bool)  # lanes that nothing has written since
    for number, layer in enumerate(model.layers):
        for head in layer.heads if number else ():
            unwritten = unwritten & ~head.output[lanes].any(axis=1)
        shares = _shares(layer, steps[number].between, lanes[unwritten], values[:, unwritten])
        shares[steps[number].erasers] = 0.0
        masks.append(shares)
        unwritten = unwritten & ~layer.out[lanes].any(axis=1)
    return np.concatenate(masks)


def _shares(layer: Layer, stage: LaneStage, lanes: Ints, values: Array) -> Array:
    """For each neuron of a layer the share of rows of `values`, in `lanes`, that close it."""
    shares = np.zeros(len(layer.gate))
    gate, value = entries(layer.gate), entries(layer.value)
    reached = np.union1d(gate.columns(lanes)[0], value.columns(lanes)[0])
    if reached.size:
        others = np.ones(len(stage.lo), dtype=bool)
        others[lanes] = False
        gate, value = gate.part(reached), value.part(reached)
        _, highest = stage.span(gate.only(others[gate.lanes]))
        lo, hi = stage.span(value.only(others[value.lanes]))
        sums = values @ layer.value[np.ix_(reached, lanes)].T
        shut = values @ layer.gate[np.ix_(reached, lanes)].T + highest <= 0
        shares[reached] = (shut | ((sums + lo == 0) & (sums + hi == 0))).mean(axis=0)
    return shares
