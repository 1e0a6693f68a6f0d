"""The native engine: sparse C on what the tensors say. Fast, and equal to `reference`."""

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.compile import library
from transputer.engines.native.plan import plan
from transputer.errors import CapacityError, Unsupported, UsageError
from transputer.model import Model, Token

__all__ = ["Native", "Statistics", "Stop"]

Tokens = NDArray[np.uint16]
#: A part, by index, and the values of it that stop a run; None: any but 0.
Stop = tuple[int, int | Iterable[int] | None]

#: Keys that one call of the library looks at, about: well below a second.
EFFORT = 1 << 24
#: Tokens that one call of the library decodes at most.
SLICE = 1 << 17
_OUT_OF_MEMORY, _FULL, _TOO_LARGE = -1, -2, -3
_Watch = tuple[NDArray[np.int64], NDArray[np.uint8]]
_NO_STOP: _Watch = (np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a session has done and what it holds.

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

    With `keep` every token is kept and `tokens` has them all; without, memory does not grow with
    the number of steps, only with that of distinct keys. Raises as `verify` does for a model
    whose bounds do not hold, and `EngineUnavailable` where there is no C compiler.
    """

    def __init__(self, model: Model, *, keep: bool = False) -> None:
        self.model = model
        self.keep = keep
        self._session: int | None = None
        self._image = plan(model)
        self._library = library()
        self._parts = len(model.parts)
        self._sizes = [part.size for part in model.parts]
        self._session = self._library.transputer_open(
            self._image.words.ctypes.data, self._image.part_bytes, int(keep)
        )
        if not self._session:
            raise MemoryError("native: no memory for a session")

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
        found: Tokens = np.zeros((count, self._parts), dtype=np.uint16)
        if count:
            size = count * self._parts * self._image.part_bytes
            tape = ctypes.string_at(self._library.transputer_tape(self._session), size)
            kind = "u1" if self._image.part_bytes == 1 else "u2"
            found[:] = np.frombuffer(tape, dtype=kind).reshape(found.shape)
        return found

    @property
    def last(self) -> Token:
        """The last token; raises `UsageError` in an empty session."""
        if not len(self):
            raise UsageError("an empty session has no last token")
        found = np.zeros(self._parts, dtype=np.uint16)
        self._library.transputer_token(self._session, len(self) - 1, found.ctypes.data)
        return tuple(found.tolist())

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
        given = (ctypes.c_uint16 * self._parts)(*token)
        self._checked(self._library.transputer_append(self._session, given, 1))

    def extend(self, tokens: NDArray[Any]) -> None:
        """Adds tokens, one per row; raises as `append` does, with those before it added."""
        given = np.ascontiguousarray(tokens, dtype=np.int64).reshape(-1, self._parts)
        wrong = np.flatnonzero(((given < 0) | (given >= self._sizes)).any(axis=1))
        fine = given[: wrong[0]] if wrong.size else given
        for first in range(0, len(fine), SLICE):
            some = fine[first : first + SLICE].astype(np.uint16)
            done = self._checked(
                self._library.transputer_append(self._session, some.ctypes.data, len(some))
            )
            if done < len(some):
                self._checked(_FULL)
        if wrong.size:
            self.append(tuple(given[wrong[0]].tolist()))

    def next(self) -> Token:
        """The token that the last position predicts; raises `UsageError` in an empty session."""
        self._not_empty()
        found = (ctypes.c_uint16 * self._parts)()
        self._checked(self._library.transputer_next(self._session, found))
        return tuple(found)

    def step(self) -> Token:
        """One step of greedy decoding: predicts the next token, appends it and returns it."""
        self._not_empty()
        found = (ctypes.c_uint16 * self._parts)()
        self._decode(1, _NO_STOP, found)
        return tuple(found)

    def run(self, limit: int, stops: Sequence[Stop] = (), *, collect: bool = True) -> Tokens:
        """Decodes up to `limit` tokens and returns them, one row each.

        Ends with the first token that a stop names. Without `collect` only the last one is
        returned. At the end of the declared context fewer come back, and `CapacityError` is
        raised where there are none to come. Ctrl-C ends it between tokens, with what was decoded
        in the session.
        """
        self._not_empty()
        watched = self._watched(stops)
        found: list[Tokens] = []
        while limit > 0:
            count = min(limit, SLICE)
            into = np.empty((count if collect else 0, self._parts), dtype=np.uint16)
            try:
                done, stopped = self._decode(count, watched, into.ctypes.data if collect else None)
            except CapacityError:
                if found:
                    break
                raise
            found = [*found, into[:done]] if collect else [self._row(self.last)]
            limit -= done
            if stopped:
                break
        return np.concatenate(found) if found else self._row(())

    def statistics(self) -> Statistics:
        """What the session has done and what it holds."""
        heads = np.zeros((self._image.heads + 1, 3), dtype=np.int64)
        tables = np.zeros((self._image.tables + 1, 2), dtype=np.int64)
        self._library.transputer_counts(self._session, heads.ctypes.data, tables.ctypes.data)
        lookups, searches, scanned = (tuple(column) for column in heads[:-1].T.tolist())
        keys, held = (tuple(column) for column in tables[:-1].T.tolist())
        plans = int(self._library.transputer_plans(self._session))
        return Statistics(lookups, searches, scanned, keys, held, plans)

    def _row(self, token: Token) -> Tokens:
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
        done = self._library.transputer_run(
            *(self._session, limit),
            *(pairs.ctypes.data, len(pairs), masks.ctypes.data),
            *(into, EFFORT, ctypes.byref(stopped)),
        )
        return self._checked(done), bool(stopped.value)

    def _not_empty(self) -> None:
        if not len(self):
            raise UsageError("an empty session predicts nothing; append a token first")

    def _checked(self, done: int) -> int:
        if done == _FULL:
            limit = self.model.context
            raise CapacityError(f"the model is declared for {limit} positions, all used")
        if done == _OUT_OF_MEMORY:
            raise MemoryError(f"native: no memory left after {len(self)} tokens")
        if done == _TOO_LARGE:
            raise Unsupported("native: a step of this model needs more than 65,536 numbers at once")
        return done
