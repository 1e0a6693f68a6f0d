"""Outputs in closed form: where a table's logits are a parabola, its argmax is a clamp."""

import numpy as np

from transputer.engines.native.readings import Ints, LaneStage

CLAMP, ARGMAX = range(2)


def output(table: Ints, stage: LaneStage) -> tuple[int, int, Ints]:
    """How the largest logit of a part is found: kind, constant, rows of weights.

    CLAMP: with y = constant + rows[0] . x, and k > 0, the logit of v exceeds that of 0 by
    k (2 v y - v^2) = k (y^2 - (v - y)^2). Over the integers that is largest at v = y alone,
    and at the nearest end where y is beyond. Logits that nothing changes are the case of a
    constant y, the first of the largest. ARGMAX: rows are the logits.
    """
    steady = stage.constant
    rows = np.where(steady, 0, table - table[0])
    base = (table - table[0]) @ stage.held
    if not rows.any():
        return CLAMP, int(np.argmax(base)), rows[:1]
    v = np.arange(len(table))
    if len(table) < 2 or (rows != v[:, None] * rows[1]).any():
        return ARGMAX, 0, table
    # base[v] == -k v^2 + j v
    k = (2 * base[1] - base[2]) // 2 if len(table) > 2 else abs(base[1])
    j = base[1] + k
    if k <= 0 or (base != -k * v * v + j * v).any() or (rows[1] % (2 * k)).any() or j % (2 * k):
        return ARGMAX, 0, table
    return CLAMP, int(j // (2 * k)), rows[1:2] // (2 * k)
