"""What the caller of lifted code wants to know, and how it learns that there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.engines.protocol import Counted, Feed


class LiftedCodeStopped(Exception):
    """Lifted code does not cover the next step."""


def number_in(tokens: NDArray[np.uint16], parts: Sequence[int]) -> NDArray[np.uint64]:
    """The number that parts of each token say, lowest digit first."""
    total = np.zeros(len(tokens), dtype=np.uint64)
    for digit, part in enumerate(parts):
        total |= tokens[:, part].astype(np.uint64) << np.uint64(8 * digit)
    return total


@dataclass(frozen=True)
class Want:
    """What the caller wants to know: parts that stop, tokens to see, and which steps count.

    `watch` pairs a part with values; `kept` are parts of the words that are looked up later, but
    not in tokens with the parts and values of `unread`. `shown` are the numbers that are told of a
    token to be seen: the parts of each, lowest first.
    """

    stops: tuple[int, ...] = ()
    watch: tuple[tuple[int, tuple[int, ...]], ...] = ()
    counted: Counted | None = None
    kept: tuple[int, ...] = ()
    unread: tuple[tuple[int, tuple[int, ...]], ...] = ()
    feed: Feed | None = None
    shown: tuple[tuple[int, ...], ...] = ()

    def weigh(self, parts: Mapping[int, int]) -> int:
        """1 for a step that counts, else 0."""
        return 0 if self.counted is None else self.counted.of(parts)
