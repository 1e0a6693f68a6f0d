"""Outputs in closed form: the argmax of a parabola is a clamp, of concave logits a search."""

from dataclasses import dataclass, field

import numpy as np

from transputer.engines.native.readings import Ints, LaneStage

CLAMP, ARGMAX, SEARCH = range(3)
#: Lanes that a search can read.
MAX_LANES = 8


def _nothing() -> Ints:
    return np.zeros((0, 0), dtype=np.int64)


@dataclass(frozen=True)
class OutputPlan:
    """How the largest logit of a part is found; of equal ones the first.

    CLAMP: with y = constant + rows[0] . x, and k > 0, the logit of v exceeds that of 0 by
    k (2 v y - v^2) = k (y^2 - (v - y)^2). Over the integers that is largest at v = y alone,
    and at the nearest end where y is beyond. Logits that nothing changes are the case of a
    constant y, the first of the largest. ARGMAX: rows are the logits. SEARCH: rows pick lanes,
    and row v of `increments`, a constant and a weight per lane, is what logit v exceeds logit
    v - 1 by. It never grows with v, so that the number of positive ones is the first argmax.
    """

    kind: int
    constant: int
    rows: Ints
    increments: Ints = field(default_factory=_nothing)


def output(table: Ints, stage: LaneStage) -> OutputPlan:
    """How the largest of the logits `table` is found, given what is known about the lanes."""
    steady = stage.constant
    rows = np.where(steady, 0, table - table[0])
    base = (table - table[0]) @ stage.held
    if not rows.any():
        return OutputPlan(CLAMP, int(np.argmax(base)), rows[:1])
    v = np.arange(len(table))
    if len(table) < 2 or (rows != v[:, None] * rows[1]).any():
        return _search(base, rows, stage) or OutputPlan(ARGMAX, 0, table)
    # base[v] == -k v^2 + j v
    k = (2 * base[1] - base[2]) // 2 if len(table) > 2 else abs(base[1])
    j = base[1] + k
    if k <= 0 or (base != -k * v * v + j * v).any() or (rows[1] % (2 * k)).any() or j % (2 * k):
        return OutputPlan(ARGMAX, 0, table)
    return OutputPlan(CLAMP, int(j // (2 * k)), rows[1:2] // (2 * k))


def _search(base: Ints, rows: Ints, stage: LaneStage) -> OutputPlan | None:
    """Whether the logits are concave in v, whatever the lanes hold within their ranges."""
    lanes = np.flatnonzero(rows.any(axis=0))
    bends = np.diff(rows[:, lanes], n=2, axis=0)
    low, high = stage.lo[lanes], stage.hi[lanes]
    concave = (np.all(bends <= 0, axis=0) & (low >= 0)) | (np.all(bends >= 0, axis=0) & (high <= 0))
    straight = ~bends.any(axis=0)
    if len(lanes) > MAX_LANES or (np.diff(base, n=2) > 0).any() or not (concave | straight).all():
        return None
    picks = np.zeros((len(lanes), rows.shape[1]), dtype=np.int64)
    picks[np.arange(len(lanes)), lanes] = 1
    increments = np.column_stack([np.diff(base), np.diff(rows[:, lanes], axis=0)])
    return OutputPlan(SEARCH, 0, picks, increments)
