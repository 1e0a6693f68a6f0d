"""The scale of a softmax, folded into query weights.

Textbook attention weighs positions by `softmax(q.k / sqrt(d))`, d the number of rows of a query.
Where scores q.k are integers times `query_scale(d)`, every loser is at least `SHARPNESS` behind
the winner after the division, and `exp(-SHARPNESS)` is 0 in float64: exactly one weight is 1.
Scale, root and fourth root are powers of two, so that neither folding nor dividing rounds.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

#: The lead of a winner: exp(-745.2) is already 0 in float64.
SHARPNESS = 1024
#: Widths are powers of this: implementations may scale q and k by the fourth root of d each.
_BASE = 16


def head_width(rows: int) -> int:
    """The least width that holds `rows` and whose fourth root is a power of two."""
    width = 1
    while width < rows:
        width *= _BASE
    return width


def query_scale(width: int) -> int:
    """What queries of this width are multiplied by; raises unless the root is an integer."""
    root = isqrt(width)
    if root * root != width:
        raise ValueError(f"the root of a width of {width} is not an integer")
    return SHARPNESS * root


def power_of_two(weights: NDArray[np.float64]) -> float:
    """The largest power of two that divides all of these integers; 1 if all are 0."""
    mantissas, exponents = np.frexp(weights[weights != 0])
    if not mantissas.size:
        return 1.0
    digits = np.abs(np.ldexp(mantissas, 53)).astype(np.int64)
    trailing = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    return float(np.ldexp(1.0, int((exponents - 53 + trailing).min())))
