"""Recordings of the trace machine: any step of a run, however long, without keeping its tokens.

A checkpoint is a snapshot of the tokens that heads can still attend to. The tokens after a
checkpoint are decoded again on demand. They are the same, because a step depends on the weights
and the tokens alone.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
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
from transputer.values import dataclass

Rows = NDArray[np.uint8]
Positions = NDArray[np.int64]
#: Initial number of tokens between checkpoints; it doubles when there are more than CHECKPOINTS, or
#: when they take more than BYTES bytes.
INTERVAL = 1 << 15
CHECKPOINTS = 512
BYTES = 1 << 27
#: Number of windows in the cache.
WINDOWS = 4
#: The key of a write has the space above this bit, and the address below it.
_SHIFT = 32


@dataclass(frozen=True, slots=True)
class TraceCheckpoint:
    """A snapshot of the engine after `length` tokens."""

    length: int
    snapshot: Mapping[str, NDArray[Any]]

    @property
    def size(self) -> int:
        """The size of the snapshot in bytes."""
        return sum(array.nbytes for array in self.snapshot.values())


class TraceWindow:
    """The tokens of one segment of a run, and before them those that heads can still attend to.

    `positions` increase; the segment is everything from `start` on.
    """

    def __init__(self, rows: Rows, positions: Positions, start: int) -> None:
        self.rows, self.positions, self.start = rows, positions, start
        self.end = int(positions[-1]) + 1

    def upto(self, position: int) -> tuple[Rows, Positions]:
        """Return the tokens up to and including a position, and their positions."""
        count = int(np.searchsorted(self.positions, position, side="right"))
        return self.rows[:count], self.positions[:count]

    def token(self, position: int) -> Record | None:
        """Return the token at a position; None if the window does not have it."""
        at = int(np.searchsorted(self.positions, position))
        if at == len(self.positions) or self.positions[at] != position:
            return None
        return record(tuple(self.rows[at].tolist()))

    @cached_property
    def segment(self) -> Rows:
        """The tokens from `start` on."""
        return self.rows[int(np.searchsorted(self.positions, self.start)) :]

    @cached_property
    def _writes(self) -> tuple[Positions, Positions]:
        """The keys of all writes, sorted (writes of one key in time order), and their rows."""
        places = np.flatnonzero(self.rows[:, SPACE])
        rows = self.rows[places]
        spaces = rows[:, SPACE].astype(np.int64)
        at = np.where(spaces == Space.FRAME, field(rows, "depth"), field(rows, "at"))
        keys = spaces << _SHIFT | at
        order = np.argsort(keys, kind="stable")
        return keys[order], places[order]

    def latest(self, space: int, at: int, position: int) -> tuple[Record, int] | None:
        """Return the latest token up to `position` that wrote an address (of FRAME: a depth)."""
        keys, places = self._writes
        key = space << _SHIFT | at
        first, last = np.searchsorted(keys, [key, key + 1])
        count = int(np.searchsorted(self.positions[places[first:last]], position, side="right"))
        if not count:
            return None
        row = places[first + count - 1]
        return record(tuple(self.rows[row].tolist())), int(self.positions[row])

    def values(self, space: int, addresses: range, position: int) -> NDArray[np.int64]:
        """Return the values at `addresses` after a position; 0 where nothing was written."""
        keys, places = self._writes
        past = self.positions[places] <= position
        keys, places = keys[past], places[past]
        needles = (space << _SHIFT) + np.arange(addresses.start, addresses.stop, dtype=np.int64)
        last = np.searchsorted(keys, needles, side="right") - 1
        hit = (last >= 0) & (keys[last] == needles) if len(keys) else np.zeros(len(needles), bool)
        values = np.zeros(len(needles), dtype=np.int64)
        values[hit] = field(self.rows[places[last[hit]]], "value")
        return values

    def written(self, space: int, position: int) -> list[tuple[int, int]]:
        """Return each address of a space that was written up to a position, with its value."""
        keys, places = self._writes
        first, last = np.searchsorted(keys, [space << _SHIFT, (space + 1) << _SHIFT])
        writes = places[first:last]
        rows = self.rows[writes[self.positions[writes] <= position]]
        pairs = zip(field(rows, "at").tolist(), field(rows, "value").tolist(), strict=True)
        return sorted(dict(pairs).items())


class Recording(ABC):
    """The run of a session so far.

    Call `note` between steps. All other methods may be called from another thread meanwhile.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lock = RLock()
        self._windows: OrderedDict[int, TraceWindow] = OrderedDict()
        self._host: tuple[Positions, Rows] = (np.zeros(0, np.int64), np.zeros((0, WIDTH), np.uint8))
        self._before = np.zeros(0, np.int64)  # decoded tokens before each of the host's
        # bytes of output at the lengths where windows can begin
        self._output_lengths: dict[int, int] = {0: 0}
        self.length = 0

    @abstractmethod
    def note(self, output_length: int = 0) -> None:
        """Record the session's progress; it has written `output_length` bytes."""

    @abstractmethod
    def window(self, position: int) -> TraceWindow:
        """Return the segment that holds a position."""

    def output_before(self, window: TraceWindow) -> int:
        """Return the number of bytes written before a window's segment."""
        return self._output_lengths[window.start]

    # Steps: decoded tokens, counted from 1

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        with self._lock:
            return self.length - len(self._host[0])

    def position(self, step: int) -> int:
        """Return the position of the token that a step decoded."""
        with self._lock:
            return step - 1 + int(np.searchsorted(self._before, step - 1, side="right"))

    def step_at(self, position: int) -> int:
        """Return the last step whose token is at or before a position; 0 before the first."""
        with self._lock:
            host = self._host[0]
        return position + 1 - int(np.searchsorted(host, position, side="right"))


class TokenLog:
    """An engine that logs every token and which of them the host appended.

    The initial `tokens` are the host's.
    """

    def __init__(self, engine: DecoderEngine, tokens: Sequence[Token]) -> None:
        self._engine = engine
        self._rows = bytearray().join(map(bytes, tokens))
        self.host = list(range(len(tokens)))

    def __len__(self) -> int:
        return len(self._rows) // WIDTH

    def append(self, token: Token) -> None:
        """Append a token of the host."""
        self._engine.append(token)
        self.host.append(len(self))
        self._rows += bytes(token)

    def step(self) -> Token:
        """Decode one token."""
        token = self._engine.step()
        self._rows += bytes(token)
        return token

    def rows(self, count: int) -> Rows:
        """Return the first `count` tokens, one row each."""
        parts = np.frombuffer(bytes(self._rows[: count * WIDTH]), dtype=np.uint8)
        return parts.reshape(-1, WIDTH)


class WholeRecording(Recording):
    """A run on an engine that is too slow to decode tokens again: one segment of all tokens."""

    def __init__(self, log: TokenLog, model: Model) -> None:
        super().__init__(model)
        self._log = log

    def note(self, output_length: int = 0) -> None:
        """Record the session's progress."""
        length, host = len(self._log), np.array(self._log.host, dtype=np.int64)
        with self._lock:
            self.length = length
            self._before = host - np.arange(len(host))
            self._host = host, self._host[1]

    def window(self, position: int) -> TraceWindow:
        """Return the segment of all tokens so far."""
        with self._lock:
            window = self._windows.get(0)
            if window is None or window.end < self.length:
                places = np.arange(self.length, dtype=np.int64)
                window = self._windows[0] = TraceWindow(self._log.rows(self.length), places, 0)
        return window


class NativeRecording(Recording):
    """A run on the native engine: checkpoints, and segments that are decoded again."""

    def __init__(self, engine: Native, interval: int = INTERVAL) -> None:
        super().__init__(engine.model)
        self._engine = engine
        self._interval = interval
        self._checkpoints: list[TraceCheckpoint] = []

    def note(self, output_length: int = 0) -> None:
        """Record the session's progress; take a checkpoint if one is due."""
        length, appended = len(self._engine), self._engine.appended
        with self._lock:
            if len(appended) != len(self._host[0]):
                self._host = appended.positions, appended.tokens.astype(np.uint8)
                self._before = self._host[0] - np.arange(len(appended))
            self.length = length
            if (
                length - (self._checkpoints[-1].length if self._checkpoints else 0)
                >= self._interval
            ):
                self._output_lengths[length] = output_length
                self._take_checkpoint()

    def _take_checkpoint(self) -> None:
        snapshot = self._engine.snapshot()
        del snapshot["host_positions"], snapshot["host_tokens"]
        self._checkpoints.append(TraceCheckpoint(self.length, snapshot))
        count, size = len(self._checkpoints), sum(c.size for c in self._checkpoints)
        if count > CHECKPOINTS or size > BYTES and count > 1:
            self._checkpoints = self._checkpoints[1::2]
            self._interval *= 2
            self._windows.clear()

    def window(self, position: int) -> TraceWindow:
        """Return the segment that holds a position."""
        with self._lock:
            lengths = [checkpoint.length for checkpoint in self._checkpoints]
            number = bisect_right(lengths, position)
            start = lengths[number - 1] if number else 0
            end = lengths[number] if number < len(lengths) else self.length
            checkpoint = self._checkpoints[number - 1] if number else None
            host = self._host
            cached = self._windows.get(start)
            if cached is not None and cached.end > position:
                self._windows.move_to_end(start)
                return cached
        window = decode_again(self.model, checkpoint, end, host)
        with self._lock:
            self._windows[start] = window
            while len(self._windows) > WINDOWS:
                self._windows.popitem(last=False)
        return window


def decode_again(
    model: Model, checkpoint: TraceCheckpoint | None, end: int, host: tuple[Positions, Rows]
) -> TraceWindow:
    """Decode the tokens from a checkpoint (or the beginning) up to position `end` again."""
    engine = Native(model)
    positions, tokens = host
    rows: list[Rows] = []
    start = 0
    if checkpoint is not None:
        start, past = checkpoint.length, positions < checkpoint.length
        engine.restore(
            {**checkpoint.snapshot, "host_positions": positions[past], "host_tokens": tokens[past]}
        )
        rows.append(checkpoint.snapshot["tokens"].astype(np.uint8))
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
    places = np.arange(start, end, dtype=np.int64)
    if checkpoint is not None:
        places = np.concatenate([checkpoint.snapshot["positions"], places])
    return TraceWindow(np.concatenate(rows), places, start)


def _consecutive(positions: Positions, most: int) -> int:
    """Return the number of consecutive positions from the first on, at most `most`."""
    breaks = np.flatnonzero(np.diff(positions[:most]) != 1)
    return int(breaks[0]) + 1 if len(breaks) else min(most, len(positions))
