"""Bounds of looped models, derived from the tensors alone, for any number of steps.

Two ranges are propagated through the layers, from the declared ones: that of column 0, and that of
all other columns. Heads may read any column. Every sum must stay below the limit, and after the
step every row must be within its range again; then the bounds hold for all steps. If a row leaves
its range, the analysis repeats with the wider one; a row that still grows after a few rounds is
refused.
"""

from functools import lru_cache

import numpy as np

from transputer.errors import CapacityError
from transputer.model.looped import Looped, LoopedLayer
from transputer.model.stream import Stream, between
from transputer.model.tensors import Array
from transputer.model.verify import Bounds, Ledger, activated, check_weights

#: Rounds after which a growing range is refused.
ROUNDS = 12
#: Lowest and highest value per row; pairs are for column 0 and for the others.
_Ends = tuple[Array, Array]
_Pair = tuple[Stream, Stream]


@lru_cache(maxsize=8)
def verify_looped(model: Looped) -> Bounds:
    """Return the bounds of a looped model; `ranges[i]` are those of all columns before layer i.

    Raises `MalformedError` for a weight that is not an integer and `CapacityError`, with the
    number, if a sum may reach the limit or a row grows from step to step.
    """
    for name, array in model.tensors().items():
        check_weights(name, array, model.limit)
    declared = [
        np.array(intervals, dtype=np.float64).T for intervals in (model.first, model.ranges)
    ]
    ends: list[_Ends] = [(low, high) for low, high in declared]
    for _ in range(ROUNDS):
        ledger = Ledger(model)
        points = _points(model, ends, ledger)
        after = [stream.lanes() for stream in points[-1]]
        wider = [
            (np.minimum(low, new[0]), np.maximum(high, new[1]))
            for (low, high), new in zip(ends, after, strict=True)
        ]
        if all(np.array_equal(a, b) for a, b in zip(ends, wider, strict=True)):
            ledger.record("stop", points[0][0].magnitudes(model.stop[None]), "stop")
            return Bounds(model.limit, ledger.largest, tuple(_joined(p) for p in points))
        ends = wider
    raise CapacityError(_growing(model, ends, declared))


def largest_fused(model: Looped) -> tuple[int, str]:
    """Return the largest sum, and its location, if each head's matrices are fused beforehand.

    Fused sums are `x' (key' key) x` and `(output value) x`; all other sums count too.
    """
    bounds = verify_looped(model)
    largest = max(bounds.largest.values())
    for number, layer in enumerate(model.layers):
        most = np.abs(np.stack(bounds.ranges[number])).max(axis=0)
        for h, head in enumerate(layer.heads):
            where = f"layer {number}, head {h}, fused"
            query = np.abs(head.key.T @ head.key) @ most
            copied = np.abs(head.output @ head.value) @ most
            reach = max(float(most @ query), float(query.max()), float(copied.max()))
            largest = max(largest, (int(reach), where))
    return largest


def _growing(model: Looped, ends: list[_Ends], declared: list[Array]) -> str:
    """Return the message for a row that grows with every step."""
    reach, limit = (np.max(np.abs(np.array(e)), axis=(0, 1)) for e in (ends, declared))
    row = int(np.argmax(reach - limit))
    name = f" ({model.names[row]})" if model.names else ""
    return (
        f"row {row}{name} grows with every step: it may reach {reach[row]:.0f} after {ROUNDS}, "
        f"and is declared for {limit[row]:.0f}"
    )


def _joined(streams: _Pair) -> _Ends:
    """Return the range over all columns."""
    (low, high), (other_low, other_high) = (stream.lanes() for stream in streams)
    return np.minimum(low, other_low), np.maximum(high, other_high)


def _points(model: Looped, ends: list[_Ends], ledger: Ledger) -> list[_Pair]:
    """Return the values of the columns before each layer, and at the end."""
    first, others = (_stream(low, high) for low, high in ends)
    points: list[_Pair] = [(first, others)]
    for number, layer in enumerate(model.layers):
        attended = _attended(points[-1], layer, f"layer {number}", model.columns, ledger)
        first, others = (activated(s, layer, f"layer {number}", ledger) for s in attended)
        points.append((first, others))
    return points


def _stream(low: Array, high: Array) -> Stream:
    fixed = low == high
    open_low, open_high = np.where(fixed, 0.0, low), np.where(fixed, 0.0, high)
    return Stream(np.where(fixed, low, 0.0), (), open_low, open_high)


def _attended(
    streams: _Pair, layer: LoopedLayer, where: str, columns: int, ledger: Ledger
) -> _Pair:
    """Return the streams after the heads; each adds a mean between the least and greatest value.

    The sum over all columns that may tie must be exact too, before the division.
    """
    size = len(streams[0].lo)
    low, high, most = np.zeros(size), np.zeros(size), np.zeros(size)
    for h, head in enumerate(layer.heads):
        at = f"{where}, head {h}"
        reaches, values = [], []
        for stream in streams:
            ledger.record("key", stream.magnitudes(head.key), at)
            ledger.record("value", stream.magnitudes(head.value), at)
            reaches.append(np.abs(np.stack(stream.forms(head.key))).max(axis=0, initial=0.0))
            values.append(stream.forms(head.value))
        ledger.record("score", max(float(a @ b) for a in reaches for b in reaches), at)
        least = np.minimum(values[0][0], values[1][0])
        greatest = np.maximum(values[0][1], values[1][1])
        sums = columns * np.maximum(-least, greatest)
        ledger.record("tie", sums, at)
        most += np.abs(head.output) @ (sums / columns)
        more = between(head.output, least, greatest)
        low, high = low + more[0], high + more[1]
    results = []
    for stream in streams:
        now = np.abs(np.stack(stream.lanes())).max(axis=0)
        ledger.record("stream", now + most, f"{where} after attention")
        results.append(stream.plus(low, high))
    return results[0], results[1]
