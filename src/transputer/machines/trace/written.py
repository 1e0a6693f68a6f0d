"""The latest write of every address that the host may hand out, 16 bytes each."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]
Values = NDArray[np.uint64]
#: Single writes that are gathered before they are sorted in.
GATHERED = 1 << 12


class Written:
    """Values by (space, address). Runs of sorted keys, each at least twice the next, newest last.

    A write goes to the newest run; runs of about one size are merged, so that every key is moved
    a logarithmic number of times.
    """

    def __init__(self) -> None:
        self._single: dict[int, int] = {}
        self._runs: list[tuple[Keys, Values]] = []

    def note(self, space: int, at: int, value: int) -> None:
        """One write."""
        self._single[space << 32 | at] = value
        if len(self._single) >= GATHERED:
            self._flush()

    def note_all(self, spaces: Keys, addresses: Keys, values: Values) -> None:
        """Many writes, in order; of those at one address the last counts."""
        if len(values):
            self._flush()
            self._add(spaces << 32 | addresses, values)

    def get(self, space: int, at: int) -> int | None:
        """The value last written at an address, or None."""
        key = space << 32 | at
        if key in self._single:
            return self._single[key]
        for keys, values in reversed(self._runs):
            i = int(np.searchsorted(keys, key))
            if i < len(keys) and keys[i] == key:
                return int(values[i])
        return None

    def items(self) -> Iterator[tuple[tuple[int, int], int]]:
        """Every address that was written, with its value."""
        keys, values = self.arrays()
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            yield (key >> 32, key & 0xFFFFFFFF), value

    def arrays(self) -> tuple[Keys, Values]:
        """All of it, sorted: `space << 32 | address`, and values."""
        self._flush()
        while len(self._runs) > 1:
            self._merge()
        return self._runs[0] if self._runs else (np.zeros(0, np.int64), np.zeros(0, np.uint64))

    def restore(self, keys: Keys, values: Values) -> None:
        """What `arrays` gave, instead of what there is."""
        self._single, self._runs = {}, [(keys, values)]

    def _flush(self) -> None:
        if self._single:
            keys = np.array(list(self._single), dtype=np.int64)
            values = np.array(list(self._single.values()), dtype=np.uint64)
            self._single = {}
            self._add(keys, values)

    def _add(self, keys: Keys, values: Values) -> None:
        self._runs.append(_latest(keys, values))
        while len(self._runs) > 1 and 2 * len(self._runs[-1][0]) > len(self._runs[-2][0]):
            self._merge()

    def _merge(self) -> None:
        """The two newest runs become one; of equal keys the newer counts."""
        (old, was), (new, now) = self._runs[-2:]
        places = np.searchsorted(old, new)
        known = places < len(old)
        known[known] = old[places[known]] == new[known]
        was = was.copy()
        was[places[known]] = now[known]
        fresh = ~known
        if fresh.any():
            old = np.insert(old, places[fresh], new[fresh])
            was = np.insert(was, places[fresh], now[fresh])
        self._runs[-2:] = [(old, was)]


def _latest(keys: Keys, values: Values) -> tuple[Keys, Values]:
    """Sorted, each key once: the first one from the end is the latest write."""
    unique, first = np.unique(keys[::-1], return_index=True)
    return unique, values[::-1][first].astype(np.uint64)
