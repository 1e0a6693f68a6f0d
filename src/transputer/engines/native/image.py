"""The words of an image, appended piece by piece; the forms are those of `image.h`."""

from collections.abc import Iterable, Sequence

import numpy as np

from transputer.engines.native.readings import Ints, LaneReading, integers
from transputer.model import Entries, entries


class ImageWriter:
    """Words, appended one array after the other behind a header that comes last."""

    def __init__(self, header: int) -> None:
        self._pieces: list[Ints] = [np.zeros(header, dtype=np.int64)]
        self._length = header
        self._tables: dict[bytes, int] = {}

    def put(self, words: Iterable[int] | Ints) -> int:
        """Where the words are."""
        piece = words if isinstance(words, np.ndarray) else np.array(list(words), dtype=np.int64)
        at = self._length
        self._pieces.append(piece.astype(np.int64))
        self._length += piece.size
        return at

    def table(self, words: Ints) -> int:
        """Where a table is; equal ones are stored once."""
        key = words.tobytes()
        if key not in self._tables:
            self._tables[key] = self.put(words)
        return self._tables[key]

    def sparse(self, matrix: Ints | Entries | None) -> int:
        """A matrix, row by row: rows, nonzeros, starts, lanes, weights. None has no rows."""
        if matrix is None:
            return self.put([0, 0, 0])
        rows = entries(matrix)
        sizes = [rows.shape[0], len(rows.lanes)]
        return self.put(np.concatenate([sizes, rows.starts, rows.lanes, integers(rows.weights)]))

    def readings(self, rows: Sequence[LaneReading]) -> int:
        """Functions of a token: rows, terms, constants, positions, starts, parts, tables."""
        terms = [(p, self.table(r.tables[p])) for r in rows for p in sorted(r.tables)]
        return self.put(
            [
                *(len(rows), len(terms)),
                *(r.constant for r in rows),
                *(r.position for r in rows),
                *np.cumsum([0, *(len(r.tables) for r in rows)]).tolist(),
                *(part for part, _ in terms),
                *(table for _, table in terms),
            ]
        )

    def words(self, header: Sequence[int]) -> Ints:
        """All of them, with the header in front."""
        image = np.concatenate(self._pieces)
        image[: len(header)] = header
        image.setflags(write=False)
        return image
