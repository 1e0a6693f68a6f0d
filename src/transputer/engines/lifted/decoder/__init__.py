"""The lifted engine: steps as integer operations that were proved equal to the neurons.

`circuit` and `rows` derive, from the tensors alone, what the words of the next token are as
functions of words; `program` and `emit` fill in what the tokens so far decide and print C; `live`
runs it. What lifted code does not cover continues on the native engine, from the same tokens.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.live import LiftedCodeStopped, Live
from transputer.engines.lifted.decoder.program import Want
from transputer.engines.native.decoder import Native, Stop
from transputer.errors import ContextError, Unsupported, UsageError
from transputer.model import Model, Token

__all__ = ["Lifted", "Sprint", "Want"]

Tokens = NDArray[np.uint16]

_log = logging.getLogger("transputer")
#: Tokens per call where all of them are returned.
BATCH = 1 << 14
#: Steps after which a sprint returns to its caller.
SLICE = 1 << 26


@dataclass(frozen=True)
class Sprint:
    """The result of some steps: their number and weight, the tokens to be seen, the last one."""

    steps: int
    tally: int
    seen: list[Token]
    last: Token
    stopped: bool


class Lifted:
    """A session: a sequence of tokens that only grows. It predicts what `Reference` predicts.

    `sprint` decodes without keeping tokens, and reports what the caller asked for; `latest`
    looks up what was written; `replay` decodes everything once more and yields all tokens.
    `run` and `step` return tokens as they are decoded.
    """

    def __init__(self, model: Model, want: Want | None = None) -> None:
        self.model = model
        self.want = want or Want()
        self.why = ""  #: why the native engine is in charge, where it is
        self._native: Native | None = None
        self._live: Live | None = None
        self._log: list[Token | int] = []  # tokens of the host; numbers of steps between them
        self._length = 0
        self._last: Token = ()
        self._address: tuple[int, ...] = ()
        self._notes: dict[tuple[int, ...], Token] = {}  # where the native engine is in charge

    def expect(
        self,
        *,
        stops: Sequence[int],
        watch: Sequence[tuple[int, Iterable[int]]],
        weigh: Callable[[Mapping[int, int]], int],
        kept: Sequence[int],
        unread: Sequence[tuple[int, Iterable[int]]] = (),
        address: Sequence[int],
    ) -> None:
        """Set what the caller wants to know, before anything is decoded; see `Want`.

        `address` are the parts by which `latest` looks tokens up.
        """
        self._address = tuple(address)
        chosen = tuple((part, frozenset(values)) for part, values in watch)
        without = tuple((part, frozenset(values)) for part, values in unread)
        self.want = Want(tuple(stops), chosen, weigh, tuple(kept), without)

    def __len__(self) -> int:
        return self._length

    @property
    def last(self) -> Token:
        """The last token; raises `UsageError` in an empty session."""
        if not self._length:
            raise UsageError("an empty session has no last token")
        return self._last

    def append(self, token: Token) -> None:
        """Append a token; raises as `Native.append` does."""
        token = tuple(token)
        if self._native is not None:
            self._native.append(token)
            self._note([token])
        else:
            self._check(token)
            if self._live is not None:
                self._live.append(token)
        self._log.append(token)
        self._length += 1
        self._last = token

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        return tuple(self.run(1)[0].tolist())

    def run(self, limit: int, stops: Sequence[Stop] = ()) -> Tokens:
        """Decode up to `limit` tokens and return them, as `Native.run` does.

        For stops other than those of `want`, the native engine decodes.
        """
        self._ready(limit)
        self._start()
        plain = tuple(p for p, values in stops if values is None)
        if self._native is None and len(plain) == len(stops) and {*plain} <= {*self.want.stops}:
            tokens = self._recorded(min(limit, self.model.context - self._length))
            if tokens is not None:
                return tokens
        native = self._go_native("asked for other tokens than lifted code stops at")
        rows = native.run(limit, stops)
        self._done(rows)
        return rows

    def sprint(self, limit: int) -> Sprint:
        """Decode up to `limit` tokens, or until one of the parts `want.stops` is not 0.

        It may return earlier, so that the caller can report progress.
        """
        self._ready(limit)
        self._start()
        limit = min(limit, self.model.context - self._length)
        if self._native is None:
            live, before = self._alive, self._length
            live.seen, tally, steps, stopped = [], live.tally, live.steps, False
            try:
                stopped = live.advance(min(limit, SLICE), exact=limit <= SLICE)
            except LiftedCodeStopped as error:
                self._count(live.steps - steps)
                self._go_native(str(error))
            else:
                self._count(live.steps - steps)
            self._last = live.token() if self._native is None else self._native.last
            if self._length > before:
                done = self._length - before
                return Sprint(done, live.tally - tally, live.seen, self._last, stopped)
        return self._natively(min(limit, BATCH))

    def latest(self, address: Sequence[int], parts: Sequence[int]) -> tuple[int, ...] | None:
        """Return these parts of the latest token with this address; None if there is none.

        The address gives a value for each part that was named with `expect`; `parts` are those
        of one word that is kept.
        """
        where = dict(zip(self._address, address, strict=True))
        self._start()
        if self._native is None:
            token = tuple(where.get(p, 0) for p in range(len(self.model.parts)))
            places = self._alive.frame.place
            try:
                word = self._alive.latest(token, places[parts[0]][0])
            except LiftedCodeStopped as error:
                self._go_native(str(error))
            else:
                shifts = (places[p][1] for p in parts)
                return None if word is None else tuple(word >> shift & 255 for shift in shifts)
        note = self._notes.get(tuple(address))
        return None if note is None else tuple(note[p] for p in parts)

    def replay(self) -> Iterator[Tokens]:
        """Decode all tokens once more, from the beginning."""
        again = Lifted(self.model, self.want)
        for item in self._log:
            if isinstance(item, int):
                while item:
                    rows = again.run(min(item, BATCH), [(p, None) for p in self.want.stops])
                    item -= len(rows)
                    yield rows
            else:
                again.append(item)

    # Inside

    def _start(self) -> None:
        """Start lifted code on the tokens so far, if the model can be lifted."""
        if self._native is not None or self._live is not None:
            return
        try:
            self._live = Live(lifting(self.model, frozenset(self.want.stops)), self.want)
            for item in self._log:
                if not isinstance(item, int):
                    self._live.append(item)
        except Unsupported as error:
            self._go_native(str(error))

    @property
    def _alive(self) -> Live:
        assert self._live is not None
        return self._live

    def _check(self, token: Token) -> None:
        if len(token) != len(self.model.parts):
            raise UsageError(f"a token has {len(self.model.parts)} parts, not {len(token)}")
        for part, value in zip(self.model.parts, token, strict=True):
            if not 0 <= value < part.size:
                raise UsageError(f"part {part.name} is below {part.size}, not {value}")
        self._ready(1, empty=True)

    def _ready(self, limit: int, empty: bool = False) -> None:
        if not self._length and not empty:
            raise UsageError("an empty session predicts nothing; append a token first")
        if limit > 0 and self._length >= self.model.context:
            raise ContextError(self.model.context)

    def _count(self, steps: int) -> None:
        self._length += steps
        if steps and self._log and isinstance(self._log[-1], int):
            self._log[-1] += steps
        elif steps:
            self._log.append(steps)

    def _done(self, rows: Tokens) -> None:
        self._note(rows.tolist())
        self._count(len(rows))
        if len(rows):
            self._last = tuple(rows[-1].tolist())

    def _recorded(self, limit: int) -> Tokens | None:
        """Decode tokens with lifted code that records them; None if it cannot."""
        live = self._alive
        live.seen = []  # all tokens are handed out
        limit = min(limit, BATCH)
        tape = np.zeros((limit, len(live.frame.groups)), dtype=np.uint64)
        before = live.steps
        try:
            live.advance(limit, tape)
        except LiftedCodeStopped as error:
            done = live.steps - before
            rows = self._unpacked(live, tape[:done])
            self._count(done)
            self._go_native(str(error))
            if not done:
                return None
        else:
            rows = self._unpacked(live, tape[: live.steps - before])
            self._count(len(rows))
        self._last = tuple(rows[-1].tolist())
        return rows

    def _unpacked(self, live: Live, tape: NDArray[np.uint64]) -> Tokens:
        rows = np.zeros((len(tape), len(self.model.parts)), dtype=np.uint16)
        for g, parts in enumerate(live.frame.groups):
            for d, p in enumerate(parts):
                digit = tape[:, g] >> (8 * d)
                rows[:, p] = digit & 255 if len(parts) > 1 else digit
        return rows

    # The native engine

    def _go_native(self, why: str) -> Native:
        """Switch to the native engine at the same token; what it decodes is noted for `latest`."""
        if self._native is None:
            self.why, self._live = why, None
            _log.warning("lifted: %s; continuing on the native engine, which is slower", why)
            native = Native(self.model)
            for item in self._log:
                if isinstance(item, int):
                    while item:
                        rows = native.run(min(item, BATCH))
                        self._note(rows.tolist())
                        item -= len(rows)
                else:
                    native.append(item)
                    self._note([item])
            self._native = native
        return self._native

    def _note(self, tokens: Sequence[Sequence[int]]) -> None:
        for token in tokens:
            self._notes[tuple(token[p] for p in self._address)] = tuple(token)

    def _natively(self, limit: int) -> Sprint:
        native = self._native
        assert native is not None
        before = native.last
        rows = native.run(limit, [(p, None) for p in self.want.stops])
        self._done(rows)
        tokens = [tuple(row) for row in rows.tolist()]
        seen = [t for t in tokens if any(t[p] in chosen for p, chosen in self.want.watch)]
        tally = sum(self.want.weigh(dict(enumerate(t))) for t in (before, *tokens[:-1]))
        stopped = any(self._last[p] for p in self.want.stops)
        return Sprint(len(rows), tally, seen, self._last, stopped)
