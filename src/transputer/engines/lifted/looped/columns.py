"""What columns hold between steps, and that all but column 0 stay as they are by themselves.

Rows that no weight writes are constants of a state. What is left in the other columns are data
rows, bits of -1 and 1: whatever they are, each of these columns attends to itself alone, and every
layer leaves it as it is. So a step is what column 0 does, and what columns that it reaches get.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.model import Array, Looped, LoopedLayer, SelfHead

#: Data rows that fit a word of the emitted code.
MAX_DATA = 32
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Keys:
    """A head's keys in all columns but the first.

    `fixed[:, j]` is the constant part of column j's; `moves` what data rows add to a key, the same
    in all columns; `own[j]` the score of a column with itself, whatever its data are.
    """

    head: SelfHead
    fixed: Array
    moves: Array
    own: Array


class IdleColumns:
    """A state of a model as constants and data; `Unsupported` where columns are not idle.

    `data` are the rows that hold data, least significant first as far as that is known.
    """

    def __init__(self, model: Looped, state: Array) -> None:
        self.model, self.state = model, state
        written = np.zeros(model.width, dtype=bool)
        for layer in model.layers:
            for matrix in (layer.out, *(head.output for head in layer.heads)):
                written |= matrix.any(axis=1)
        apart = np.array([low < high for low, high in model.ranges])
        self.data: tuple[int, ...] = tuple(np.flatnonzero(written & apart).tolist())
        if not 0 < len(self.data) <= MAX_DATA:
            raise Unsupported(f"lifted: {len(self.data)} rows of data; {MAX_DATA} are the most")
        if not np.isin(state[list(self.data), 1:], (-1, 1)).all():
            raise Unsupported("lifted: a row of data holds something else than -1 and 1")
        self.fixed = state.copy()
        self.fixed[list(self.data)] = 0
        self.keys = [[self._keys(head) for head in layer.heads] for layer in model.layers]
        for number, layer in enumerate(model.layers):
            self._check_idle(number, layer)

    def packed(self, state: Array) -> Ints:
        """The data of each column as a number; nothing of column 0."""
        bits = state[list(self.data)] > 0
        words: Ints = (1 << np.arange(len(self.data))) @ bits.astype(np.int64)
        words[0] = 0
        return words

    def unpacked(self, words: Ints, first: Array) -> Array:
        """The state with these words in the columns and this first column."""
        state = self.fixed.copy()
        bits = words >> np.arange(len(self.data))[:, None] & 1
        state[list(self.data)] = 2 * bits - 1
        state[:, 0] = first
        return state

    def _keys(self, head: SelfHead) -> Keys:
        """Raises unless columns attend to themselves alone, whatever their data are.

        Where each row of a key is a constant or one bit w b, scores are c_ij + sum of w^2 b_i b_j,
        at most c_ij + sum of w^2, which a column reaches with itself: constants decide.
        """
        moves = head.key[:, list(self.data)]
        fixed = head.key @ self.fixed
        fixed[:, 0] = 0
        mixed = moves.any(axis=1) & fixed.any(axis=1)
        if mixed.any() or (np.count_nonzero(moves, axis=1) > 1).any():
            raise Unsupported("lifted: keys of columns are not constants and single bits")
        scores = fixed.T @ fixed
        own = scores.diagonal().copy()
        np.fill_diagonal(scores, -np.inf)
        if (own[1:] <= scores[1:, 1:].max(axis=0)).any():
            raise Unsupported("lifted: a column that is left alone may attend to another one")
        return Keys(head, fixed, moves, own + float((moves**2).sum()))

    def _check_idle(self, number: int, layer: LoopedLayer) -> None:
        """Raises unless a layer leaves every column as it is, for all data.

        Columns whose gates are the same are looked at together. Gates that depend on one bit b
        are `middle + slope b` on it; products with values are linear in b again, as b b = 1.
        """
        data = list(self.data)
        own = sum((head.output @ head.value for head in layer.heads), np.zeros((1, 1)))
        met = np.eye(self.model.width) + own
        base, by_bit = met @ self.fixed, met[:, data]
        gates, slopes = layer.gate @ base, layer.gate @ by_bit
        values, bends = layer.value @ base, layer.value @ by_bit
        reach = np.abs(slopes).sum(axis=1)
        single = np.count_nonzero(slopes, axis=1) == 1
        usable = (gates + reach[:, None] > 0)[:, 1:]
        if usable[~single & (reach > 0)].any():
            raise Unsupported(f"lifted: a gate of layer {number} depends on several bits")
        shown = np.where(usable, gates[:, 1:], -np.inf)
        differ = shown[(shown != shown[:, :1]).any(axis=1)]
        _, which = np.unique(differ, axis=1, return_inverse=True)
        for kind in range(which.max() + 1):
            columns = 1 + np.flatnonzero(which.ravel() == kind)
            gate = gates[:, columns[0]]
            up, down = np.maximum(gate + reach, 0), np.maximum(gate - reach, 0)
            middle, slope = (up + down) / 2, (up - down) / 2
            bit = np.sign(slopes) * slope[:, None]  # gate as a function of bits
            if (np.count_nonzero(bends[slope > 0], axis=1) > 1).any() or (
                (bends[slope > 0] != 0) & (slopes[slope > 0] == 0)
            ).any():
                raise Unsupported(f"lifted: a product of bits in layer {number}")
            constant = middle[:, None] * values[:, columns] + (bit * bends).sum(axis=1)[:, None]
            left = base[:, columns] + layer.out @ constant - self.fixed[:, columns]
            moved = by_bit + layer.out @ (middle[:, None] * bends)
            moved[data, range(len(data))] -= 1
            swings = (
                layer.out[:, by != 0] @ (by[by != 0, None] * values[np.ix_(by != 0, columns)])
                for by in bit.T
            )
            pairs = zip(moved.T, swings, strict=True)
            if left.any() or any((m[:, None] + s).any() for m, s in pairs):
                raise Unsupported(f"lifted: layer {number} changes columns that are left alone")


def digits(model: Looped) -> list[tuple[int, ...]]:
    """Rows that are digits of one number in base 2, least significant first.

    A carry takes two from a digit and adds one to the next: two rows are neighbours where neurons
    write -2 to 1 to them, most often of all pairs.
    """
    votes: dict[tuple[int, int], int] = {}
    for layer in model.layers:
        for out in layer.out.T:
            rows = np.flatnonzero(out).tolist()
            for p in rows:
                for q in rows:
                    if out[p] == -2 * out[q]:
                        votes[p, q] = votes.get((p, q), 0) + 1
    follows: dict[int, int] = {}
    for (p, q), _ in sorted(votes.items(), key=lambda vote: -vote[1]):
        if p not in follows and q not in follows.values():
            follows[p] = q
    groups = []
    for p in follows:
        if p not in follows.values():
            chain = [p]
            while chain[-1] in follows:
                chain.append(follows[chain[-1]])
            groups.append(tuple(chain))
    return groups
