"""The tokens that the host appended, with their positions.

With the model, they are all that a session depends on.
"""

from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.uint16]


class Appended:
    """Tokens of the host, with their positions, in order."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._positions = array("q")
        self._tokens = array("H")

    def __len__(self) -> int:
        return len(self._positions)

    def note(self, position: int, rows: Tokens) -> None:
        """Tokens that were appended one after the other, the first at this position."""
        self._positions.extend(range(position, position + len(rows)))
        self._tokens.frombytes(rows.tobytes())

    @property
    def positions(self) -> NDArray[np.int64]:
        """The position of each."""
        return np.array(self._positions, dtype=np.int64)

    @property
    def tokens(self) -> Tokens:
        """One row each."""
        return np.array(self._tokens, dtype=np.uint16).reshape(-1, self._parts)

    def runs(self) -> Iterator[tuple[int, Tokens]]:
        """Tokens that follow each other directly, and the position of the first."""
        yield from runs(self.positions, self.tokens)


def runs(positions: NDArray[np.int64], tokens: Tokens) -> Iterator[tuple[int, Tokens]]:
    """Yield tokens that follow each other directly, and the position of the first."""
    breaks = np.flatnonzero(np.diff(positions) != 1) + 1
    starts = [0, *breaks.tolist()] if len(positions) else []
    for start, rows in zip(starts, np.split(tokens, breaks), strict=False):
        yield int(positions[start]), rows
