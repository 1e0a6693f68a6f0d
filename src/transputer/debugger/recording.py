"""Recordings: any step of a run, however long, without keeping its tokens.

While a run goes on, what its heads can still find is put aside now and then: a mark. The tokens
after a mark are decoded again when somebody wants to see them. They come out the same, because a
step depends on the weights and the tokens alone.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.decoder import Native
from transputer.engines.protocol import DecoderEngine
from transputer.machines.trace.tape import SPACE, WIDTH, field
from transputer.machines.trace.vocabulary import Record, Space, record
from transputer.model import Model, Token

Rows = NDArray[np.uint8]
Positions = NDArray[np.int64]
#: Tokens between two marks at first; it doubles when there are more than MARKS, or when they
#: take more than so many bytes.
INTERVAL = 1 << 15
MARKS = 512
BYTES = 1 << 27
#: Windows that are kept.
WINDOWS = 4
#: A key of a write: the space, and the address in its low half.
_SHIFT = 32


@dataclass(frozen=True, slots=True)
class Mark:
    """A run that has come to `length` tokens, and the snapshot that it goes on from."""

    length: int
    snapshot: Mapping[str, NDArray[Any]]

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(array.nbytes for array in self.snapshot.values())


class Window:
    """Tokens of one stretch of a run, after those that heads could still find where it begins.

    `positions` rise; those from `start` on are all of the stretch.
    """

    def __init__(self, rows: Rows, positions: Positions, start: int) -> None:
        self.rows, self.positions, self.start = rows, positions, start
        self.end = int(positions[-1]) + 1

    def upto(self, position: int) -> tuple[Rows, Positions]:
        """All tokens up to a position, itself included."""
        count = int(np.searchsorted(self.positions, position, side="right"))
        return self.rows[:count], self.positions[:count]

    def token(self, position: int) -> Record | None:
        """The token at a position, if it is among these."""
        at = int(np.searchsorted(self.positions, position))
        if at == len(self.positions) or self.positions[at] != position:
            return None
        return record(tuple(self.rows[at].tolist()))

    @cached_property
    def stretch(self) -> Rows:
        """The tokens from `start` on."""
        return self.rows[int(np.searchsorted(self.positions, self.start)) :]

    @cached_property
    def _writes(self) -> tuple[Positions, Positions]:
        """Keys of all writes, sorted, writes of one key in order; and the rows they are in."""
        places = np.flatnonzero(self.rows[:, SPACE])
        rows = self.rows[places]
        spaces = rows[:, SPACE].astype(np.int64)
        at = np.where(spaces == Space.FRAME, field(rows, "depth"), field(rows, "at"))
        keys = spaces << _SHIFT | at
        order = np.argsort(keys, kind="stable")
        return keys[order], places[order]

    def latest(self, space: int, at: int, position: int) -> tuple[Record, int] | None:
        """The latest token up to a position that wrote an address (of FRAME: a depth)."""
        keys, places = self._writes
        key = space << _SHIFT | at
        first, last = np.searchsorted(keys, [key, key + 1])
        count = int(np.searchsorted(self.positions[places[first:last]], position, side="right"))
        if not count:
            return None
        row = places[first + count - 1]
        return record(tuple(self.rows[row].tolist())), int(self.positions[row])

    def values(self, space: int, addresses: range, position: int) -> NDArray[np.int64]:
        """What these addresses held after a position; 0 where nothing was written."""
        keys, places = self._writes
        known = self.positions[places] <= position
        keys, places = keys[known], places[known]
        wanted = (space << _SHIFT) + np.arange(addresses.start, addresses.stop, dtype=np.int64)
        last = np.searchsorted(keys, wanted, side="right") - 1
        hit = (last >= 0) & (keys[last] == wanted) if len(keys) else np.zeros(len(wanted), bool)
        found = np.zeros(len(wanted), dtype=np.int64)
        found[hit] = field(self.rows[places[last[hit]]], "value")
        return found

    def written(self, space: int, position: int) -> list[tuple[int, int]]:
        """Every address of a space that was written up to a position, with its value."""
        keys, places = self._writes
        first, last = np.searchsorted(keys, [space << _SHIFT, (space + 1) << _SHIFT])
        seen = places[first:last]
        seen = seen[self.positions[seen] <= position]
        rows = self.rows[seen]
        pairs = zip(field(rows, "at").tolist(), field(rows, "value").tolist(), strict=True)
        return sorted(dict(pairs).items())


class Recording(ABC):
    """A run that is made by a session, as far as it has come.

    Call `note` between steps. All else may be asked from another thread meanwhile.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lock = RLock()
        self._windows: OrderedDict[int, Window] = OrderedDict()
        self._host: tuple[Positions, Rows] = (np.zeros(0, np.int64), np.zeros((0, WIDTH), np.uint8))
        self._before = np.zeros(0, np.int64)  # decoded tokens before each of the host's
        self._put: dict[int, int] = {0: 0}  # bytes of output by length, where windows can begin
        self.length = 0

    @abstractmethod
    def note(self, put: int = 0) -> None:
        """The run has come further, with so many bytes of output."""

    @abstractmethod
    def window(self, position: int) -> Window:
        """The stretch that a position is in."""

    def put(self, window: Window) -> int:
        """How many bytes were put out before a window's stretch."""
        return self._put[window.start]

    # Steps: decoded tokens, counted from 1

    @property
    def steps(self) -> int:
        """How many steps there are so far."""
        with self._lock:
            return self.length - len(self._host[0])

    def position(self, step: int) -> int:
        """The position of the token that a step decoded."""
        with self._lock:
            return step - 1 + int(np.searchsorted(self._before, step - 1, side="right"))

    def step_at(self, position: int) -> int:
        """The last step whose token is at a position or before it; 0 before the first."""
        with self._lock:
            host = self._host[0]
        return position + 1 - int(np.searchsorted(host, position, side="right"))


class Kept:
    """An engine of which every token is kept, and known whether the host appended it.

    What there is already is the host's.
    """

    def __init__(self, engine: DecoderEngine, tokens: Sequence[Token]) -> None:
        self._engine = engine
        self._rows = bytearray().join(map(bytes, tokens))
        self.host = list(range(len(tokens)))

    def __len__(self) -> int:
        return len(self._rows) // WIDTH

    def append(self, token: Token) -> None:
        """Add a token of the host's."""
        self._engine.append(token)
        self.host.append(len(self))
        self._rows += bytes(token)

    def step(self) -> Token:
        """Decode one token."""
        token = self._engine.step()
        self._rows += bytes(token)
        return token

    def rows(self, count: int) -> Rows:
        """The first tokens, one row each."""
        held = np.frombuffer(bytes(self._rows[: count * WIDTH]), dtype=np.uint8)
        return held.reshape(-1, WIDTH)


class WholeRecording(Recording):
    """A run on an engine that is too slow to decode anything again: one stretch of all tokens."""

    def __init__(self, engine: Kept, model: Model) -> None:
        super().__init__(model)
        self._kept = engine

    def note(self, put: int = 0) -> None:
        """The run has come further."""
        length, host = len(self._kept), np.array(self._kept.host, dtype=np.int64)
        with self._lock:
            self.length = length
            self._before = host - np.arange(len(host))
            self._host = host, self._host[1]

    def window(self, position: int) -> Window:
        """All tokens so far."""
        with self._lock:
            found = self._windows.get(0)
            if found is None or found.end < self.length:
                places = np.arange(self.length, dtype=np.int64)
                found = self._windows[0] = Window(self._kept.rows(self.length), places, 0)
        return found


class MarkedRecording(Recording):
    """A run on the native engine: marks, and stretches that are decoded again."""

    def __init__(self, engine: Native, interval: int = INTERVAL) -> None:
        super().__init__(engine.model)
        self._engine = engine
        self._interval = interval
        self._marks: list[Mark] = []

    def note(self, put: int = 0) -> None:
        """The run has come further, with so many bytes of output; puts it aside where due."""
        length, appended = len(self._engine), self._engine.appended
        with self._lock:
            if len(appended) != len(self._host[0]):
                self._host = appended.positions, appended.tokens.astype(np.uint8)
                self._before = self._host[0] - np.arange(len(appended))
            self.length = length
            if length - (self._marks[-1].length if self._marks else 0) >= self._interval:
                self._put[length] = put
                self._mark()

    def _mark(self) -> None:
        held = self._engine.snapshot()
        del held["host_positions"], held["host_tokens"]
        self._marks.append(Mark(self.length, held))
        held_bytes = sum(mark.size for mark in self._marks)
        if len(self._marks) > MARKS or held_bytes > BYTES and len(self._marks) > 1:
            self._marks = self._marks[1::2]
            self._interval *= 2
            self._windows.clear()

    def window(self, position: int) -> Window:
        """The stretch that a position is in."""
        with self._lock:
            lengths = [mark.length for mark in self._marks]
            number = bisect_right(lengths, position)
            start = lengths[number - 1] if number else 0
            end = lengths[number] if number < len(lengths) else self.length
            mark = self._marks[number - 1] if number else None
            host = self._host
            found = self._windows.get(start)
            if found is not None and found.end > position:
                self._windows.move_to_end(start)
                return found
        made = decoded_again(self.model, mark, end, host)
        with self._lock:
            self._windows[start] = made
            while len(self._windows) > WINDOWS:
                self._windows.popitem(last=False)
        return made


def decoded_again(
    model: Model, mark: Mark | None, end: int, host: tuple[Positions, Rows]
) -> Window:
    """The tokens from a mark (or the beginning) to a length, by decoding them again."""
    engine = Native(model)
    positions, tokens = host
    rows: list[Rows] = []
    start = 0
    if mark is not None:
        start, known = mark.length, positions < mark.length
        engine.restore(
            {**mark.snapshot, "host_positions": positions[known], "host_tokens": tokens[known]}
        )
        rows.append(mark.snapshot["tokens"].astype(np.uint8))
    at = int(np.searchsorted(positions, start))
    while len(engine) < end:
        length = len(engine)
        if at < len(positions) and positions[at] == length:
            count = _consecutive(positions[at:], end - length)
            engine.extend(tokens[at : at + count])
            rows.append(tokens[at : at + count])
            at += count
        else:
            stop = min(end, int(positions[at])) if at < len(positions) else end
            rows.append(engine.run(stop - length, ()).astype(np.uint8))
    found = np.arange(start, end, dtype=np.int64)
    if mark is not None:
        found = np.concatenate([mark.snapshot["positions"], found])
    return Window(np.concatenate(rows), found, start)


def _consecutive(positions: Positions, most: int) -> int:
    """How many positions follow each other directly from the first on, `most` at most."""
    breaks = np.flatnonzero(np.diff(positions[:most]) != 1)
    return int(breaks[0]) + 1 if len(breaks) else min(most, len(positions))
