"""The native engine: sparse C code that reads the weights as data. Bit-equal to `reference`."""

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.compile import library
from transputer.engines.native.hashing import Sha256
from transputer.engines.native.host import Appended, Tokens
from transputer.engines.native.plan import plan
from transputer.errors import CapacityError, ContextError, Unsupported, UsageError
from transputer.model import Model, Token
from transputer.values import dataclass

__all__ = ["Native", "Sha256", "Statistics", "Stop"]

#: A part, by index, and the values of it that stop a run; None: any but 0.
Stop = tuple[int, int | Iterable[int] | None]

#: Approximate number of keys that one call of the library compares: well below a second.
EFFORT = 1 << 24
#: Tokens that one call of the library decodes at most.
SLICE = 1 << 17
#: Keys beyond which a table starts to track which of them are looked up.
LARGE = 1 << 16
_OUT_OF_MEMORY, _FULL, _TOO_LARGE, _LOST = -1, -2, -3, -4
_Watch = tuple[NDArray[np.int64], NDArray[np.uint8]]
_NO_STOP: _Watch = (np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters of a session.

    Per head: lookups, lookups that had to search for the nearest key, keys looked at in searches
    and scans. Per table: distinct keys and bytes. `plans` counts the specialised plans.
    """

    lookups: tuple[int, ...]
    searches: tuple[int, ...]
    scanned: tuple[int, ...]
    keys: tuple[int, ...]
    table_bytes: tuple[int, ...]
    plans: int


class Native:
    """A session: a sequence of tokens that only grows. It predicts what `Reference` predicts.

    With `keep`, `tokens` has every token. Without it, memory grows with the number of distinct
    keys that are looked up, not with the number of steps. A table of more than `large` keys drops
    those that no query looks up; if one of these is looked up later, the session is rebuilt with
    all keys, from its tokens or from what the host appended.

    Raises as `verify` does for a model whose bounds do not hold, and `EngineUnavailable` where
    there is no C compiler.
    """

    def __init__(self, model: Model, *, keep: bool = False, large: int = LARGE) -> None:
        self.model = model
        self.keep = keep
        self._session: int | None = None
        self._image = plan(model)
        self._library = library()
        self._parts = len(model.parts)
        self._sizes = [part.size for part in model.parts]
        self._host = Appended(self._parts)
        self._session = self._open(large)

    def _open(self, large: int) -> int:
        handle: int | None = self._library.transputer_open(
            self._image.words.ctypes.data, self._image.part_bytes, int(self.keep), large
        )
        if not handle:
            raise MemoryError("native: no memory for a session")
        return handle

    def __del__(self) -> None:
        if getattr(self, "_session", None):
            self._library.transputer_close(self._session)
            self._session = None

    def __len__(self) -> int:
        return int(self._library.transputer_length(self._session))

    @property
    def tokens(self) -> Tokens:
        """Every token so far, one row each; `UsageError` unless they are kept."""
        if not self.keep:
            raise UsageError("this session does not keep its tokens; open it with keep=True")
        count = len(self)
        rows: Tokens = np.zeros((count, self._parts), dtype=np.uint16)
        if count:
            rows[:] = self._kept(self._session, 0, count)
        return rows

    def _kept(self, session: int | None, first: int, end: int) -> Tokens:
        """Tokens that a session keeps, as rows."""
        width = self._parts * self._image.part_bytes
        tape = self._library.transputer_tape(session) + first * width
        kind = "u1" if self._image.part_bytes == 1 else "u2"
        data = np.frombuffer(ctypes.string_at(tape, (end - first) * width), dtype=kind)
        return data.reshape(-1, self._parts).astype(np.uint16)

    @property
    def last(self) -> Token:
        """The last token; raises `UsageError` in an empty session."""
        if not len(self):
            raise UsageError("an empty session has no last token")
        token = np.zeros(self._parts, dtype=np.uint16)
        self._library.transputer_token(self._session, len(self) - 1, token.ctypes.data)
        return tuple(token.tolist())

    def append(self, token: Token) -> None:
        """Adds a token.

        Raises `UsageError` for a token outside the vocabulary, `CapacityError` at the end of
        the declared context.
        """
        if len(token) != self._parts:
            raise UsageError(f"a token has {self._parts} parts, not {len(token)}")
        for part, value in zip(self.model.parts, token, strict=True):
            if not 0 <= value < part.size:
                raise UsageError(f"part {part.name} is below {part.size}, not {value}")
        self._append(self._row(token))

    def extend(self, tokens: NDArray[Any]) -> None:
        """Adds tokens, one per row; raises as `append` does, with those before it added."""
        given = np.ascontiguousarray(tokens, dtype=np.int64).reshape(-1, self._parts)
        wrong = np.flatnonzero(((given < 0) | (given >= self._sizes)).any(axis=1))
        fine = given[: wrong[0]] if wrong.size else given
        for first in range(0, len(fine), SLICE):
            self._append(fine[first : first + SLICE].astype(np.uint16))
        if wrong.size:
            self.append(tuple(given[wrong[0]].tolist()))

    def _append(self, rows: Tokens) -> None:
        position = len(self)
        done = self._tried(
            lambda: self._library.transputer_append(self._session, rows.ctypes.data, len(rows))
        )
        if not self.keep:
            self._host.note(position, rows[:done])
        if done < len(rows):
            self._checked(_FULL)

    def next(self) -> Token:
        """The token that the last position predicts; raises `UsageError` in an empty session."""
        self._not_empty()
        token = (ctypes.c_uint16 * self._parts)()
        self._tried(lambda: self._library.transputer_next(self._session, token))
        return tuple(token)

    def step(self) -> Token:
        """One step of greedy decoding: predicts the next token, appends it and returns it."""
        self._not_empty()
        token = (ctypes.c_uint16 * self._parts)()
        self._decode(1, _NO_STOP, token)
        return tuple(token)

    def run(self, limit: int, stops: Sequence[Stop] = (), *, collect: bool = True) -> Tokens:
        """Decodes up to `limit` tokens and returns them, one row each.

        Ends with the first token that a stop names. Without `collect` only the last one is
        returned. At the end of the declared context fewer come back, and `CapacityError` is
        raised where there are none to come. Ctrl-C ends it between tokens, with what was decoded
        in the session.
        """
        self._not_empty()
        watched = self._watched(stops)
        batches: list[Tokens] = []
        while limit > 0:
            count = min(limit, SLICE)
            into = np.empty((count if collect else 0, self._parts), dtype=np.uint16)
            try:
                done, stopped = self._decode(count, watched, into.ctypes.data if collect else None)
            except CapacityError:
                if batches:
                    break
                raise
            batches = [*batches, into[:done]] if collect else [self._row(self.last)]
            limit -= done
            if stopped:
                break
        return np.concatenate(batches) if batches else self._row(())

    def statistics(self) -> Statistics:
        """What the session has done and what it holds."""
        heads = np.zeros((self._image.heads + 1, 3), dtype=np.int64)
        tables = np.zeros((self._image.tables + 1, 2), dtype=np.int64)
        self._library.transputer_counts(self._session, heads.ctypes.data, tables.ctypes.data)
        lookups, searches, scanned = (tuple(column) for column in heads[:-1].T.tolist())
        keys, sizes = (tuple(column) for column in tables[:-1].T.tolist())
        plans = int(self._library.transputer_plans(self._session))
        return Statistics(lookups, searches, scanned, keys, sizes, plans)

    def _row(self, token: Token | NDArray[Any]) -> Tokens:
        return np.array(token, dtype=np.uint16).reshape(-1, self._parts)

    def _watched(self, stops: Sequence[Stop]) -> _Watch:
        """What the library looks for: (part, first mask) pairs, and a byte per value."""
        first, masks = np.cumsum([0, *self._sizes]), np.zeros(sum(self._sizes), dtype=np.uint8)
        for part, values in stops:
            if not 0 <= part < self._parts:
                raise UsageError(f"a token has {self._parts} parts; there is no part {part}")
            size = self._sizes[part]
            chosen = range(1, size) if values is None else values
            for value in [chosen] if isinstance(chosen, int) else chosen:
                if not 0 <= value < size:
                    name = self.model.parts[part].name
                    raise UsageError(f"part {name} is below {size}, not {value}")
                masks[first[part] + value] = 1
        parts = sorted({part for part, _ in stops})
        return np.array([[part, first[part]] for part in parts], dtype=np.int64), masks

    def _decode(self, limit: int, watched: _Watch, into: Any) -> tuple[int, bool]:
        pairs, masks = watched
        stopped = ctypes.c_int(0)
        done = self._tried(
            lambda: self._library.transputer_run(
                *(self._session, limit),
                *(pairs.ctypes.data, len(pairs), masks.ctypes.data),
                *(into, EFFORT, ctypes.byref(stopped)),
            )
        )
        return done, bool(stopped.value)

    def _tried(self, call: Callable[[], int]) -> int:
        """The call, once more in a session that keeps every key if it asked for one given up."""
        done = call()
        if done == _LOST:
            self._make_again()
            done = call()
        return self._checked(done)

    def _make_again(self) -> None:
        old, length = self._session, len(self)
        self._session = self._open(large=0)
        try:
            if self.keep:
                for first in range(0, length, SLICE):
                    rows = self._kept(old, first, min(length, first + SLICE))
                    self._checked(
                        self._library.transputer_append(self._session, rows.ctypes.data, len(rows))
                    )
            else:
                for position, rows in self._host.runs():
                    self._redecode(position)
                    self._checked(
                        self._library.transputer_append(self._session, rows.ctypes.data, len(rows))
                    )
                self._redecode(length)
        finally:
            self._library.transputer_close(old)

    def _redecode(self, length: int) -> None:
        """Decodes up to a length of the session, which it is known to reach."""
        while len(self) < length:
            self._decode(min(length - len(self), SLICE), _NO_STOP, None)

    # Putting aside

    @property
    def appended(self) -> Appended:
        """What the host appended, with its positions."""
        return self._host

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """All that later steps depend on: tokens that tables hold, and what the host appended.

        Raises `Unsupported` for a model whose heads attend to what is computed.
        """
        self._restorable()
        self._not_empty()
        count = self._library.transputer_held(self._session)
        positions = np.zeros(count, dtype=np.int64)
        tokens = np.zeros((count, self._parts), dtype=np.uint16)
        self._library.transputer_save(self._session, positions.ctypes.data, tokens.ctypes.data)
        positions = np.append(positions, len(self) - 1)
        positions, chosen = np.unique(positions, return_index=True)
        flags = self._no_flags()
        self._library.transputer_flags(self._session, flags.ctypes.data)
        return {
            "positions": positions,
            "tokens": np.concatenate([tokens, self._row(self.last)])[chosen],
            "host_positions": self._host.positions,
            "host_tokens": self._host.tokens,
            "flags": flags,
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a snapshot, in a session that is empty.

        Raises `UsageError` where the snapshot is of another model.
        """
        self._restorable()
        positions, tokens = arrays["positions"].astype(np.int64), arrays["tokens"].astype(np.uint16)
        flags = np.ascontiguousarray(arrays["flags"], dtype=np.uint8)
        if (
            len(self)
            or tokens.shape != (len(positions), self._parts)
            or not len(positions)
            or (np.diff(positions, prepend=-1) <= 0).any()
            or (tokens >= self._sizes).any()
            or flags.shape != self._no_flags().shape
        ):
            raise UsageError("not a snapshot of such a session")
        for position, row in zip(arrays["host_positions"], arrays["host_tokens"], strict=True):
            self._host.note(int(position), self._row(row))
        self._library.transputer_set_flags(self._session, flags.ctypes.data)
        self._checked(
            self._library.transputer_restore(
                *(self._session, int(positions[-1]) + 1),
                *(positions.ctypes.data, np.ascontiguousarray(tokens).ctypes.data, len(positions)),
            )
        )

    def _no_flags(self) -> NDArray[np.uint8]:
        return np.zeros(self._library.transputer_flags(self._session, None), dtype=np.uint8)

    @property
    def restorable(self) -> bool:
        """Whether `snapshot` says all that later steps depend on."""
        return not self.keep and not self._image.dynamic

    def _restorable(self) -> None:
        if self.keep:
            raise UsageError("a session that keeps its tokens is its tokens; append them again")
        if self._image.dynamic:
            raise Unsupported("native: heads of this model attend to what only its run computes")

    def _not_empty(self) -> None:
        if not len(self):
            raise UsageError("an empty session predicts nothing; append a token first")

    def _checked(self, done: int) -> int:
        if done == _FULL:
            raise ContextError(self.model.context)
        if done == _OUT_OF_MEMORY:
            raise MemoryError(f"native: no memory left after {len(self)} tokens")
        if done == _TOO_LARGE:
            raise Unsupported("native: a step of this model needs more than 65,536 numbers at once")
        return done
