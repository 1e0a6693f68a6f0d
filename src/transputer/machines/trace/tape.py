"""The sequence as the host sees it: it appends, decodes, and notes what is written.

A tape can resume from a checkpoint. The host then does what it did before, and the tape returns
what was decoded then, comparing every token that the host appends.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from transputer.engines.protocol import (
    Counted,
    DecoderEngine,
    Extender,
    Feed,
    Restorable,
    Runner,
    Sprinter,
)
from transputer.errors import UsageError
from transputer.machines.trace.vocabulary import LAYOUT, Record, Space, Status, record
from transputer.machines.trace.written import Written
from transputer.model import Token

if TYPE_CHECKING:  # most runs have no checkpoints
    from transputer.machines.trace.checkpoint import Checkpoint, Stop


class Hash(Protocol):
    """A hash that grows."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""

    def hexdigest(self) -> str:
        """The hash of what was added."""


@runtime_checkable
class StatefulHash(Hash, Protocol):
    """A hash whose state can be saved."""

    @property
    def state(self) -> bytes:
        """The whole state."""


Rows = NDArray[np.uint8]
#: Tokens decoded in one call, where an engine can.
BATCH = 1 << 15
WIDTH = sum(count for _, count in LAYOUT)
_PLACES: dict[str, slice] = {}
for _name, _count in LAYOUT:
    _start = sum(n for _, n in LAYOUT[: len(_PLACES)])
    _PLACES[_name] = slice(_start, _start + _count)
SPACE, VALUE, STATUS = (_PLACES[name].start for name in ("space", "value", "status"))
#: Writes that the host acts on: output, and the growth of memories and tables.
SHOWN = Space.OUTPUT, Space.SIZE
#: Writes that only the machine itself reads.
_UNSEEN = [int(s) for s in (Space.NONE, Space.CODE, Space.FRAME, Space.WORK, Space.OUTPUT)]
_SEEN = np.array([space not in _UNSEEN for space in range(256)])


def _range(name: str) -> range:
    """The parts of a field."""
    return range(_PLACES[name].start, _PLACES[name].stop)


def field(rows: Rows, name: str) -> NDArray[np.int64]:
    """One field of each row as a number; one of eight bytes as its bits, see `values`."""
    place = _PLACES[name]
    padded = np.zeros((len(rows), 8), dtype=np.uint8)
    padded[:, : place.stop - place.start] = rows[:, place]
    numbers: NDArray[np.int64] = padded.view("<i8")[:, 0]
    return numbers


def values(rows: Rows) -> NDArray[np.uint64]:
    """The value of each row."""
    return field(rows, "value").view(np.uint64)


class ShownWrites(NamedTuple):
    """What tokens write: spaces, addresses and values."""

    space: NDArray[np.integer]
    at: NDArray[np.integer]
    value: NDArray[np.uint64]

    @staticmethod
    def of(rows: Rows) -> "ShownWrites":
        """What rows write."""
        return ShownWrites(rows[:, SPACE], field(rows, "at"), values(rows))

    def to(self, space: int) -> Iterator[tuple[int, int]]:
        """Addresses and values that are written in a space."""
        here = self.space == space
        return zip(self.at[here].tolist(), self.value[here].tolist(), strict=True)


class Tape:
    """The tokens of a session. With `keep`, `tokens` has them all, a byte for each part.

    A tape that does not keep its tokens has checkpoints if `hasher`, a hash with a state, is given.
    `resume` is the checkpoint to resume from.
    """

    def __init__(
        self,
        engine: DecoderEngine,
        *,
        keep: bool = False,
        hasher: Callable[..., StatefulHash] | None = None,
        resume: "Checkpoint | None" = None,
    ) -> None:
        self.engine = engine
        self.written = Written()
        self.last = Record()
        self.length = 0
        self._resume = resume
        self.sprinter = engine if isinstance(engine, Sprinter) else None
        self._kept = bytearray() if keep and self.sprinter is None else None
        self._hasher = hasher if self._kept is None else None
        self._hash: Hash = hashlib.sha256() if self._hasher is None else self._hasher()
        self.hashed = True  # the hash is that of all decoded tokens
        # kept for a checkpoint without a trace
        self._stops: list[Stop] | None = None if self._hasher is None else []
        self._printed = bytearray()
        self.taken = bytearray()  # input that the engine took itself, for a checkpoint

    @property
    def keep(self) -> bool:
        """Whether all tokens are kept."""
        return self._kept is not None

    @property
    def tokens(self) -> Rows:
        """All tokens, one row each; `UsageError` unless they are kept."""
        if self._kept is None:
            raise UsageError("this session does not keep its tokens")
        return np.frombuffer(bytes(self._kept), dtype=np.uint8).reshape(-1, WIDTH)

    def append(self, item: Record) -> None:
        """Append a token of the host."""
        token = item.token()
        if self.behind and not self._resume_expects(token):
            raise self._foreign()
        skipping = self.skipping
        if not skipping:
            self.engine.append(token)
        if _SEEN[item.space]:
            self.written.note(item.space, item.at, item.value)
        if self._kept is not None:
            self._kept += bytes(token)
        self.last = item
        self.length += 1
        if skipping:
            self._skipped()

    def extend(self, tokens: Rows) -> None:
        """Append tokens of the host, one per row, as `append` does one by one."""
        if self.behind or not isinstance(self.engine, Extender):
            for row in tokens.tolist():
                self.append(record(tuple(row)))
            return
        if not len(tokens):
            return
        self.engine.extend(tokens)
        self._note(tokens)
        if self._kept is not None:
            self._kept += tokens.tobytes()
        self.last = record(tuple(tokens[-1].tolist()))
        self.length += len(tokens)

    def _note(self, tokens: Rows) -> None:
        """Note what tokens write, as far as the host may read it."""
        seen = tokens[_SEEN[tokens[:, SPACE]]]
        spaces = seen[:, SPACE].astype(np.int64)
        self.written.note_all(spaces, field(seen, "at"), values(seen))

    def advance(self, limit: int) -> Rows:
        """Decode up to `limit` tokens, one row each, ending with the first that has a status."""
        rows = self._again(limit) if self.behind else self._decode(limit)
        data = rows.tobytes()
        self._hash.update(data)
        if self._kept is not None:
            self._kept += data
        self._note(rows)
        self.last = record(tuple(rows[-1].tolist()))
        self.length += len(rows)
        return rows

    def expect(self, marks: Callable[[], NDArray[np.uint8]]) -> None:
        """Tell an engine that sprints which steps count: those that begin at marked pcs."""
        if self.sprinter is not None:
            self.sprinter.expect(
                stops=[STATUS],
                watch=[(SPACE, SHOWN)],
                counted=Counted(tuple(_range("pc")), _PLACES["phase"].start, marks),
                kept=[VALUE],
                unread=[(SPACE, _UNSEEN)],
                address=[SPACE, *_range("at")],
                feed=Feed(STATUS, Status.INPUT, VALUE),
                shown=[(SPACE,), _range("at"), _range("value")],
            )

    def sprint(self, limit: int, ahead: bytes = b"") -> tuple[int, int, ShownWrites, int]:
        """Decode up to `limit` tokens: how many, their weight, and what the host must see written.

        The last number is how many bytes of the input `ahead` were read.
        """
        assert self.sprinter is not None
        if ahead:
            self.sprinter.supply(np.frombuffer(ahead, dtype=np.uint8).astype(np.uint64))
        done = self.sprinter.sprint(limit)
        if self._stops is not None:
            self.taken += ahead[: done.fed]
        if done.rows is None:
            self.hashed = False
        elif self.hashed:
            self._hash.update(done.rows.astype(np.uint8).tobytes())
        self.last = record(tuple(done.last))
        self.length += done.steps + done.fed
        return done.steps, done.tally, ShownWrites(*done.seen), done.fed

    def _decode(self, limit: int) -> Rows:
        if isinstance(self.engine, Runner):
            return self.engine.run(min(limit, BATCH), [(STATUS, None)]).astype(np.uint8)
        return np.array([self.engine.step()], dtype=np.uint8)

    def digest(self) -> str:
        """SHA-256 of all decoded tokens: equal for every engine."""
        if self.sprinter is not None and not self.hashed:
            again = hashlib.sha256()
            for rows in self.sprinter.replay():
                again.update(rows.astype(np.uint8).tobytes())
            return again.hexdigest()
        return self._hash.hexdigest()

    def read(self, space: int, at: int) -> int:
        """The value last written at an address."""
        if self.sprinter is not None and not self.skipping:
            value = self.sprinter.latest([space, *at.to_bytes(4, "little")], _range("value"))
            return int.from_bytes(bytes(value or ()), "little")
        return self.written.get(space, at) or 0

    # Resuming from a checkpoint

    @property
    def behind(self) -> bool:
        """Whether the checkpoint has more tokens than there are yet."""
        return self._resume is not None and self.length < self._resume.length

    @property
    def skipping(self) -> bool:
        """Whether the checkpoint lacks what was decoded: the engine is restored at its end."""
        return self.behind and self._resume is not None and not self._resume.traced

    def _foreign(self) -> UsageError:
        """The error for a run that is not that of the checkpoint."""
        return UsageError(
            "the checkpoint is of another program, other arguments or other input "
            f"(token {self.length:,} differs)"
        )

    def _resume_expects(self, token: Token) -> bool:
        return self._resume is not None and self._resume.host_token(self.length) == bytes(token)

    def _again(self, limit: int) -> Rows:
        """Return what was decoded then, and append it to the engine."""
        assert self._resume is not None
        rows = self._resume.tokens[self.length :][: min(limit, BATCH)]
        ends = np.flatnonzero(rows[:, STATUS])
        rows = rows[: ends[0] + 1] if len(ends) else rows
        if isinstance(self.engine, Extender):
            self.engine.extend(rows)
        else:
            for row in rows.tolist():
                self.engine.append(tuple(row))
        return rows

    def skip(self, read: Callable[[], int]) -> "tuple[Stop, bytes]":
        """Skip to where the host had to act next, or to the end of the checkpoint.

        Returns that stop and all output up to there. `read` gives the input that was taken.
        """
        assert self._resume is not None
        stop = self._resume.stop_after(self.length)
        for byte in self._resume.taken[len(self.taken) : stop.taken]:
            if read() != byte:
                raise self._foreign()
            self.taken.append(byte)
        self.last = record(tuple(stop.token))
        self.length = stop.position + 1
        self._skipped()
        return stop, self._resume.output[: stop.output]

    def _skipped(self) -> None:
        """Restore the engine at the end of the checkpoint."""
        resume = self._resume
        if resume is None or self.length < resume.length:
            return
        if not isinstance(self.engine, Restorable) or self._hasher is None:
            raise UsageError("a checkpoint without a trace resumes with --engine auto or native")
        if not resume.hash_state and self.sprinter is None:
            raise UsageError("the checkpoint was made by lifted code; resume with --engine auto")
        self.engine.restore(resume.snapshot)
        self.written.restore(resume.keys, resume.values)
        self._stops = list(resume.stops)
        self._printed = bytearray(resume.output)
        self.hashed = bool(resume.hash_state)
        if self.hashed:
            self._hash = self._hasher(resume.hash_state)

    # Checkpoints

    def note_stop(self, here: "Callable[[], Stop]") -> None:
        """The host has to act here."""
        if self._stops is not None:
            self._stops.append(here())

    def note_output(self, data: bytes) -> None:
        """The program has written this."""
        if self._stops is not None:
            self._printed += data

    def checkpoint(self, here: "Stop", model: str) -> "Checkpoint":
        """All that a later session needs to resume from here."""
        from transputer.machines.trace.checkpoint import Checkpoint

        if self._kept is not None:
            return Checkpoint.of_trace(model, self.tokens)
        hasher = self._hash
        if not isinstance(self.engine, Restorable) or not isinstance(hasher, StatefulHash):
            raise UsageError("a checkpoint without a trace needs --engine auto or native")
        stops = [*(self._stops or ()), here]
        state = hasher.state if self.hashed else b""
        return Checkpoint.of_state(
            *(model, self.engine.snapshot(), self.written.arrays(), stops),
            *(state, bytes(self._printed), bytes(self.taken)),
        )
