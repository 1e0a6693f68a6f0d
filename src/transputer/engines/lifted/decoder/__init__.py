"""The lifted engine: steps as integer operations that were proved equal to the neurons.

`circuit` and `rows` derive, from the tensors alone, what the words of the next token are as
functions of words. `bytecode` makes code of each row that is interpreted at once; `rowcode` prints
it as a C function, which is compiled once it is used often; `program` and `emit` print the hot part
of a program with everything filled in that is known. `rowrun` runs all three over the same arrays.
What lifted code does not cover continues on the native engine, from the same tokens.
"""

import atexit
import hashlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, ref

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.lifted.decoder.want import LiftedCodeStopped, Want, number_in
from transputer.engines.native.compile import stop_compilers
from transputer.engines.native.decoder import Native, Stop
from transputer.engines.native.host import runs
from transputer.engines.protocol import Counted, Feed
from transputer.errors import ContextError, EngineUnavailable, Unsupported, UsageError
from transputer.model import Model, Token

if TYPE_CHECKING:  # a run that stays on the native engine does without these
    from transputer.engines.lifted.decoder.library import RowCode
    from transputer.engines.lifted.decoder.program import HostTokens
    from transputer.engines.lifted.decoder.region import Region
    from transputer.engines.lifted.decoder.rowrun import RowRun

__all__ = ["HASTY", "Lifted", "Pace", "Sprint", "Tiered", "Want", "set_pace", "settle"]

Tokens = NDArray[np.uint16]
Numbers = tuple[NDArray[np.uint64], ...]

_log = logging.getLogger("transputer")
#: A node is hot if it took one in SHARE steps.
SHARE = 10_000
#: Tokens per call where all of them are returned.
BATCH = 1 << 14
#: Seconds that a sprint takes, about, so that the caller can report progress.
SPRINT = 0.2
#: Estimated CPU seconds to compile hot code: per address, per row of an instruction with several
#: steps, and once. And those of a step by a compiled row.
NODE, ROW_CODE, REGION, STEP = 0.0012, 0.03, 0.2, 4e-8
#: Factor on `Pace.share` for a run that began natively. The measured cost of a run varies by half;
#: the next run should not have to compile what this one just missed.
EAGER = 0.5
#: Programs that the cache knows to be long.
PROGRAMS = 1024
#: Seconds that tasks have when the process ends: until the user is told that they go on, to finish
#: for the next run, and to stop.
SILENT, FINISH, STOP = 1.0, 6.0, 5.0


@dataclass(frozen=True)
class Pace:
    """When a run changes to the next tier, and how many steps it takes at a time."""

    #: Steps that the native engine takes at a time.
    batch: int = BATCH
    #: Steps after which a sprint returns: at first, and where that takes less than SPRINT seconds.
    slice: int = 1 << 17
    long_slice: int = 1 << 26
    #: Steps by rows before hot nodes get code, and by a row after which it is compiled.
    warm: int = 1 << 19
    uses: int = 1 << 15
    #: Hot nodes get code once their steps by rows have taken this part of the time to make it.
    share: float = 0.3
    #: How often they get code.
    rounds: int = 16
    #: CPU seconds on the native engine after which it is handed over to rows; without any that can
    #: be interpreted, after this many times the seconds that it takes to make them.
    patience: float = 0.1
    thrift: float = 1.0
    #: Whether to wait for code that is being made, so that a run is the same every time.
    waits: bool = False
    #: Whether the cache notes programs that are long.
    notes: bool = True


#: Every run changes to rows as soon as it can, and soon to code for hot nodes.
HASTY = Pace(64, 512, 2048, 1024, 64, 0.0, 3, 0.0, 0.0, waits=True, notes=False)
_pace = Pace()


def set_pace(pace: Pace) -> None:
    """Let all runs of this process go at a pace; for checks."""
    global _pace
    _pace = pace


@dataclass(frozen=True)
class Sprint:
    """The result of some steps: their number and weight, the tokens to be seen, the last one.

    Of the tokens to be seen, `seen` has the numbers that `Want.shown` names, an array for each.
    `rows` are all tokens, where the engine has them anyway; `fed` is how many numbers of
    `supply` were appended.
    """

    steps: int
    tally: int
    seen: Numbers
    last: Token
    stopped: bool
    rows: Tokens | None = None
    fed: int = 0


@dataclass(frozen=True, eq=False)
class _Fed:
    """Steps between which numbers were appended."""

    steps: int
    numbers: NDArray[np.uint64]


class _Task:
    """A call in the background; `result` is None until it is done, and if it failed."""

    open: "WeakSet[_Task]" = WeakSet()  #: all that exist

    def __init__(self, call: Callable[[], Any]) -> None:
        self.open.add(self)
        self.finish = False  # whether the process waits for it: the run has come to its end
        self.done, self.result, self.problem = False, None, ""
        self._call = call
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        if _pace.waits:
            self.join()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it is done."""
        self._thread.join(seconds)

    def _work(self) -> None:
        try:
            self.result = self._call()
        except (Unsupported, EngineUnavailable, LiftedCodeStopped, OSError) as error:
            self.problem = str(error)
        finally:
            self.done = True


def settle() -> None:
    """Wait for the code that is being made, so that the next run has it; for measurements."""
    for task in [*_Task.open]:
        task.join()


_leaving = threading.Event()  # the process ends


@atexit.register
def _end_tasks() -> None:
    """Let tasks end before the interpreter does: a thread that it stops may abort the process.

    Tasks of runs that came to their end are finished first, so that the next run has the code;
    Ctrl-C skips that.
    """
    _leaving.set()
    if "transputer.engines.lifted.decoder.library" in sys.modules:
        from transputer.engines.lifted.decoder.library import save_blocks

        save_blocks()
    with suppress(KeyboardInterrupt):
        if not _finished(SILENT):
            if sys.stderr.isatty():
                _log.warning("finishing compiled code for the next run; Ctrl-C skips this")
            _finished(FINISH - SILENT)
    stop_compilers()
    for task in [*_Task.open]:
        task.join(STOP)


def _finished(seconds: float) -> bool:
    """Wait up to `seconds` for tasks of runs that have ended; return whether all are done."""
    until, tasks = time.monotonic() + seconds, [task for task in _Task.open if task.finish]
    for task in tasks:
        task.join(max(0.0, until - time.monotonic()))
    return all(task.done for task in tasks)


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
        self.lifting = 0.0  #: seconds in which decoding waited for lifted code
        self._native: Native | None = None
        self._rows: RowRun | None = None
        self._log: list[Tokens | int | _Fed] = []  # tokens of the host, and steps between them
        self._supply = np.zeros(0, dtype=np.uint64)
        self._length = 0
        self._last: Token = ()
        self._address: tuple[int, ...] = ()
        self._notes: Tokens | None = None  # what the native engine holds
        self._begun = self._spent = 0.0  # CPU seconds: when decoding began, and since then
        self._task: _Task | None = None
        self._looked, self._size = False, _pace.slice
        self._rounds = _pace.rounds  # how often hot nodes may get code
        self._origins: dict[int, tuple[Tokens, int]] = {}  # by place: a token, and its steps
        self._by_rows = 0.0  # CPU seconds of steps by rows, until hot nodes get code
        self._native_steps = 0  # before there were rows
        self._looks_after = 0  # steps after which it is looked again at what runs most
        self._tried: set[int] = set()  # rows that were to be compiled
        self._hot: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

    def expect(
        self,
        *,
        stops: Sequence[int],
        watch: Sequence[tuple[int, Iterable[int]]],
        counted: Counted | None,
        kept: Sequence[int],
        unread: Sequence[tuple[int, Iterable[int]]] = (),
        address: Sequence[int],
        feed: Feed | None = None,
        shown: Sequence[Sequence[int]] = (),
    ) -> None:
        """Set what the caller wants to know, before anything is decoded; see `Want`.

        `address` are the parts by which `latest` looks tokens up.
        """
        self._address = tuple(address)
        chosen = tuple((part, tuple(sorted(values))) for part, values in watch)
        without = tuple((part, tuple(sorted(values))) for part, values in unread)
        told = tuple(map(tuple, shown))
        self.want = Want(tuple(stops), chosen, counted, tuple(kept), without, feed, told)

    def supply(self, numbers: NDArray[np.uint64]) -> None:
        """Numbers to be appended in the next sprint, where `Want.feed` says so."""
        room = self.model.context - self._length - _pace.slice
        self._supply = numbers[: max(0, room)] if self._rows is not None else numbers[:0]

    def __len__(self) -> int:
        return self._length

    @property
    def name(self) -> str:
        """The engine in charge."""
        return "lifted" if self._native is None else "native"

    @property
    def last(self) -> Token:
        """The last token; raises `UsageError` in an empty session."""
        if not self._length:
            raise UsageError("an empty session has no last token")
        return self._last

    # Tokens of the host

    def append(self, token: Token) -> None:
        """Append a token; raises as `Native.append` does."""
        if len(token) != len(self.model.parts):
            raise UsageError(f"a token has {len(self.model.parts)} parts, not {len(token)}")
        for part, value in zip(self.model.parts, token, strict=True):
            if not 0 <= value < part.size:
                raise UsageError(f"part {part.name} is below {part.size}, not {value}")
        self._append(np.array([token], dtype=np.uint16))

    def extend(self, tokens: NDArray[Any]) -> None:
        """Append tokens, one per row; raises as `append` does, with those before it appended."""
        rows = np.ascontiguousarray(tokens, dtype=np.int64)
        sizes = [part.size for part in self.model.parts]
        wrong = np.flatnonzero(((rows < 0) | (rows >= sizes)).any(axis=1))
        if wrong.size:
            self.extend(rows[: wrong[0]])
            self.append(tuple(rows[wrong[0]].tolist()))
        elif len(rows):
            self._append(rows.astype(np.uint16))

    def _append(self, rows: Tokens) -> None:
        self._ready(len(rows), empty=True)
        if self._native is not None:
            self._native.extend(rows)
            self._notes = None
        elif self._rows is not None:
            try:
                self._rows.append(rows, np.arange(self._length, self._length + len(rows)))
            except LiftedCodeStopped as error:
                self._go_native(str(error)).extend(rows)
        self._log.append(rows)
        self._length += len(rows)
        self._last = tuple(rows[-1].tolist())

    # Decoding

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        return tuple(self.run(1)[0].tolist())

    def run(self, limit: int, stops: Sequence[Stop] = ()) -> Tokens:
        """Decode up to `limit` tokens and return them, as `Native.run` does.

        For stops other than those of `want`, the native engine decodes.
        """
        self._ready(1)
        self._start()
        plain = tuple(p for p, values in stops if values is None)
        usual = len(plain) == len(stops) and {*plain} <= {*self.want.stops}
        if self._rows is not None and usual:
            rows = self._recorded(min(limit, BATCH, self.model.context - self._length))
            if len(rows):
                return rows
        if self._native is None:
            self._go_native("asked for other tokens than lifted code stops at")
        assert self._native is not None
        return self._decoded(self._native, limit, stops)

    def sprint(self, limit: int) -> Sprint:
        """Decode up to `limit` tokens, or until one of the parts `want.stops` is not 0.

        It may return earlier, so that the caller can report progress.
        """
        self._ready(1)
        self._start()
        limit = min(limit, self.model.context - self._length)
        done = None
        if self._rows is not None:
            self._warm_up(self._rows)
            done = self._lifted(self._rows, limit)
        if done is None or not done.steps:
            assert self._native is not None
            done = self._natively(self._native, min(limit, _pace.batch))
            if not self.why:
                self._switch(self._native)
        if self._task is not None:
            self._task.finish = done.stopped
        return done

    def _lifted(self, rows: "RowRun", limit: int) -> Sprint:
        rows.seen, tally, steps = [], rows.tally, rows.steps
        began, cpu = time.monotonic(), time.thread_time()
        try:
            # until hot nodes have code, it is looked often whether they should
            size = self._size if rows.has_region else _pace.slice
            size = size if self._task is None else _pace.batch  # code is made meanwhile
            stopped = rows.advance(min(limit, size), None, self._supply)
        except LiftedCodeStopped as error:
            self._go_native(str(error))
            return Sprint(0, 0, self._shown(), self._last, False)
        done, seconds = rows.steps - steps, time.monotonic() - began
        if not rows.has_region:
            self._by_rows += time.thread_time() - cpu - rows.making
        self.lifting += rows.waited
        rows.waited = rows.making = 0.0
        if done == self._size and seconds < SPRINT and self._size < _pace.long_slice:
            self._size *= 2
        elif seconds > 4 * SPRINT and self._size > _pace.slice:
            self._size //= 2
        self._count(done, self._supply[: rows.fed])
        self._supply = self._supply[:0]
        self._last = rows.token()
        seen = self._shown(*rows.seen)
        return Sprint(done, rows.tally - tally, seen, self._last, stopped, None, rows.fed)

    def _shown(self, *pieces: Numbers) -> Numbers:
        """Numbers of tokens to be seen, piece after piece."""
        empty = np.zeros(0, dtype=np.uint64)
        count = len(self.want.shown)
        return tuple(np.concatenate([empty, *(piece[i] for piece in pieces)]) for i in range(count))

    def latest(self, address: Sequence[int], parts: Sequence[int]) -> tuple[int, ...] | None:
        """Return these parts of the latest token with this address; None if there is none.

        The address gives a value for each part that was named with `expect`; `parts` are those
        of one word that is kept.
        """
        self._start()
        if self._rows is not None:
            where = dict(zip(self._address, address, strict=True))
            token = tuple(where.get(p, 0) for p in range(len(self.model.parts)))
            places = self._rows.frame.place
            word = self._rows.latest(token, places[parts[0]][0])
            shifts = (places[p][1] for p in parts)
            return None if word is None else tuple(word >> shift & 255 for shift in shifts)
        if self._notes is None:
            native = self._native
            assert native is not None
            self._notes = native.snapshot()["tokens"] if native.restorable else native.tokens
        same = (self._notes[:, list(self._address)] == np.array(address)).all(axis=1)
        found = self._notes[same]
        return tuple(found[-1, list(parts)].tolist()) if len(found) else None

    def replay(self) -> Iterator[Tokens]:
        """Decode all tokens once more, from the beginning."""
        again: Lifted | Native = Native(self.model)
        if self._rows is not None:
            again = Lifted(self.model, self.want)
            # tokens are recorded by rows, which are compiled if there are many
            again._rounds, again._looks_after = 0, _pace.long_slice // 4
        for item in self._log:
            if isinstance(item, int):
                item = _Fed(item, np.zeros(0, dtype=np.uint64))
            if isinstance(item, _Fed):
                yield from self._repeated(again, item)
            else:
                again.extend(item)

    def _repeated(self, engine: "Lifted | Native", item: _Fed) -> Iterator[Tokens]:
        """Decode steps once more, appending what was appended between them."""
        stops, done, numbers = [(p, None) for p in self.want.stops], 0, item.numbers
        while done < item.steps:
            limit = min(item.steps - done, BATCH)
            if isinstance(engine, Lifted):
                rows, fed = engine._fed_run(limit, stops, numbers)
            else:
                rows, fed = engine.run(limit, stops), 0
            done += len(rows)
            numbers = numbers[fed:]
            yield rows
            feed, last = self.want.feed, np.array([engine.last], dtype=np.uint16)
            if feed is not None and last[0, feed.part] == feed.value and len(numbers):
                last[0, feed.part] = 0
                digits = int(numbers[0]).to_bytes(8, "little")
                last[0, feed.into : feed.into + 8] = [*digits]
                engine.extend(last)
                numbers = numbers[1:]

    def _fed_run(
        self, limit: int, stops: Sequence[Stop], numbers: NDArray[np.uint64]
    ) -> tuple[Tokens, int]:
        """Decode tokens as `run` does, appending numbers where `Want.feed` says so; how many."""
        self._start()
        if self._rows is not None:
            rows = self._recorded(limit, numbers)
            if len(rows):
                self._warm_up(self._rows)
                return rows, self._rows.fed
        return self.run(limit, stops), 0

    # Putting aside

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return all that later steps depend on.

        Arrays of lifted code are of use to the same version of it only. The rows of `log` are
        numbers of tokens of the host, or of steps and what was supplied between them.
        """
        self._start()
        if self._rows is None:
            assert self._native is not None
            return self._native.snapshot()
        log, fed = np.zeros((len(self._log), 3), dtype=np.int64), []
        for row, item in zip(log, self._log, strict=True):
            if isinstance(item, _Fed):
                row[1:] = item.steps, len(item.numbers)
                fed.append(item.numbers)
            else:
                row[int(isinstance(item, int))] = item if isinstance(item, int) else len(item)
        ends, tokens = log.sum(axis=1).cumsum(), self.host_tokens
        between = ends - log[:, 0].cumsum()  # tokens before a piece that are not the host's
        return {
            "positions": np.array([self._length - 1]),
            "tokens": np.array([self._last], dtype=np.uint16),
            "host_positions": np.arange(len(tokens)) + np.repeat(between, log[:, 0]),
            "host_tokens": tokens,
            "log": log,
            "fed": np.concatenate([np.zeros(0, dtype=np.uint64), *fed]),
            **self._rows.snapshot(),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a snapshot of such a session, or of the native engine, in an empty session."""
        if self._length:
            raise UsageError("a session that has tokens cannot be restored")
        positions, tokens = arrays["host_positions"], arrays["host_tokens"].astype(np.uint16)
        self._last = tuple(arrays["tokens"][-1].tolist())
        if "log" not in arrays:
            for position, rows in runs(positions, tokens):
                self._count(position - self._length)
                self._log.append(rows)
                self._length += len(rows)
            self._count(int(arrays["positions"][-1]) + 1 - self._length)
            self._native = self._native or Native(self.model, large=0)
            self._native.restore(arrays)
            return
        from transputer.engines.lifted.decoder.library import RowCode
        from transputer.engines.lifted.decoder.lifting import lifting
        from transputer.engines.lifted.decoder.rowrun import RowRun

        host = taken = 0
        for count, steps, numbers in arrays["log"].tolist():
            if count:
                self._log.append(tokens[host : host + count])
            self._length += count
            self._count(steps, arrays["fed"][taken : taken + numbers])
            host, taken = host + count, taken + numbers
        self._native = None
        self._rows = RowRun(RowCode(lifting(self.model, frozenset(self.want.stops)), self.want))
        self._rows.restore(arrays, tokens, positions)

    # Inside

    def _start(self) -> None:
        """Start an engine on the tokens so far."""
        if self._native is not None or self._rows is not None:
            return
        from transputer.engines.lifted.decoder.library import RowCode
        from transputer.engines.lifted.decoder.lifting import lifting
        from transputer.engines.lifted.decoder.rowrun import RowRun

        began = time.perf_counter()
        try:
            code = RowCode(lifting(self.model, frozenset(self.want.stops)), self.want)
            self._rows = RowRun(code)
            self._rows.append(self.host_tokens, np.arange(self._length))
        except (Unsupported, EngineUnavailable, LiftedCodeStopped) as error:
            self._rows = None
            self._go_native(str(error))
        self.lifting += time.perf_counter() - began

    @property
    def host_tokens(self) -> Tokens:
        """The tokens of the host."""
        return np.concatenate([item for item in self._log if isinstance(item, np.ndarray)])

    def _ready(self, limit: int, empty: bool = False) -> None:
        if not self._length and not empty:
            raise UsageError("an empty session predicts nothing; append a token first")
        if self._length + limit > self.model.context:
            raise ContextError(self.model.context)

    def _count(self, steps: int, fed: NDArray[np.uint64] | None = None) -> None:
        self._length += steps
        if fed is not None and len(fed):
            self._length += len(fed)
            self._log.append(_Fed(steps, fed))
        elif steps and self._log and isinstance(self._log[-1], int):
            self._log[-1] += steps
        elif steps:
            self._log.append(steps)

    def _recorded(self, limit: int, numbers: NDArray[np.uint64] | None = None) -> Tokens:
        """Decode tokens with lifted code that records them; none if it cannot.

        Numbers are appended where `Want.feed` says so.
        """
        rows = self._rows
        assert rows is not None
        rows.seen = []  # all tokens are handed out
        tape = np.empty((limit, len(rows.frame.groups)), dtype=np.uint64)
        before = rows.steps
        try:
            rows.advance(limit, tape, numbers)
        except LiftedCodeStopped as error:
            self._go_native(str(error))
            return np.zeros((0, len(self.model.parts)), dtype=np.uint16)
        tokens = rows.tokens(tape[: rows.steps - before])
        self._count(len(tokens), None if numbers is None else numbers[: rows.fed])
        self._last = rows.token()
        return tokens

    # Code

    def _warm_up(self, rows: "RowRun") -> None:
        """Make code for what runs most, in the background, and use it.

        Steps without it cost CPU time, as making it does, so a run waits for it.
        """
        task = self._task
        if task is not None:
            task.join(SPRINT)
            if not task.done:
                return
            self._task = None
            if task.result is not None:
                rows.install(task.result)
                rows.visits[:], self._by_rows = 0, 0.0
        if rows.steps >= self._looks_after:
            self._looks_after = rows.steps + _pace.slice
            if not (self._rounds and self._heat(rows)):
                self._compile(rows)

    def _compile(self, rows: "RowRun") -> None:
        """Have rows compiled that are used often."""
        waiting = np.where(rows.code.table == 0, rows.used, 0)
        waiting[[*self._tried]] = 0  # those that did not compile never will
        waiting[[*rows.code.large]] //= 4  # it takes longer to compile them
        new = {*np.flatnonzero(waiting > _pace.uses).tolist()}
        if new:  # and short rows that will soon be used as often
            new |= {*np.flatnonzero(waiting > _pace.uses // 8).tolist()} - rows.code.large
            self._tried |= new
            order = sorted(new, key=lambda n: (-int(waiting[n]), n))
            self._task = _Task(partial(rows.code.optimise, order))

    def _heat(self, rows: "RowRun") -> bool:
        """Have code made for hot nodes, those of an earlier run if it is known; whether it is."""
        visits = int(rows.visits.sum(dtype=np.int64))
        hot = rows.visits > visits // SHARE
        known = None if self._looked else rows.code.hot_nodes(self.host_tokens).get(_mask)
        self._looked = True
        if known is not None:
            hot = np.zeros(max(len(hot), len(known)), dtype=np.bool_)
            hot[: len(known)] = known
        more = bool(hot[len(self._hot) :].any() or (hot[: len(self._hot)] & ~self._hot).any())
        hot[: len(self._hot)] |= self._hot
        if not more or (known is None and not self._pays(rows, visits, hot)):
            return False
        self._hot, self._rounds = hot, self._rounds - 1
        self._task = _Task(partial(self._made_region, rows, rows.host(self.host_tokens), hot))
        return True

    def _pays(self, rows: "RowRun", visits: int, hot: NDArray[np.bool_]) -> bool:
        """Return whether the steps so far have cost enough CPU time to compile hot nodes.

        Steps of the native engine count at the cost of rows, so that the first run decides as the
        next one, which starts with rows, would.
        """
        spent, share = self._by_rows * (1 + self._native_steps / max(1, rows.steps)), _pace.share
        if rows.has_region:  # all of it is made again, for the rest of the steps
            spent, share = STEP * visits, 2 * share
        elif self._native_steps:
            share *= EAGER
        if visits < _pace.warm or spent < share * (REGION + NODE * int(hot.sum())):
            return False
        long = rows.code.long_rows(self.host_tokens, hot)
        return spent >= share * (REGION + NODE * int(hot.sum()) + ROW_CODE * long)

    def _made_region(
        self, rows: "RowRun", host: "HostTokens", hot: NDArray[np.bool_]
    ) -> "Region | None":
        from transputer.engines.lifted.decoder.region import make_region

        lifted = rows.code.lifting
        key = rows.code.key("region", lifted.fused.digest)
        region = make_region(rows.shelf, rows.code.row, host, hot, key, lifted.several)
        rows.code.hot_nodes(self.host_tokens).write(hot.tobytes())
        return region

    # The native engine

    def _switch(self, native: Native) -> None:
        """Change to rows once they are ready; have them made ready if this run is long."""
        task = self._task
        if task is None:
            if self._spent > _pace.patience:
                self._task = _Task(partial(prepared_rows, ref(self)))
            return
        if not task.done:
            return
        self._task = None
        if task.result is None:
            self.why = task.problem or "rows are not shipped for this model"
            return
        from transputer.engines.lifted.decoder.rowrun import RowRun

        began, held = time.perf_counter(), native.snapshot()
        try:
            rows = RowRun(task.result)
            rows.append(held["tokens"], held["positions"])
        except LiftedCodeStopped as error:
            self.why = str(error)
        else:
            self._rows, self._native = rows, None
            self._native_steps = self._length - len(self.host_tokens)
            if self._origins:
                origins, counts = map(np.array, zip(*self._origins.values(), strict=True))
                rows.credit(self.host_tokens, origins, counts)
            # the next run begins with rows, and needs those of its first steps
            for number in np.flatnonzero(rows.used).tolist():
                task.result.add(number)
        self.lifting += time.perf_counter() - began

    def _program(self) -> cache.Entry:
        """Where the cache notes that the program has its rows there, and runs long."""
        # What the host appends at once is instructions and data; a call is single tokens.
        pieces = [item for item in self._log if isinstance(item, np.ndarray) and len(item) > 1]
        program = hashlib.sha256(b"".join(piece.tobytes() for piece in pieces)).hexdigest()
        return cache.entry("lifted", "long", program, most=PROGRAMS)

    def _remember(self) -> None:
        """Let the next run of a program that is long begin with lifted code."""
        if _pace.notes and self._spent > Pace.patience:
            self._program().write(b"")

    def _go_native(self, why: str) -> Native:
        """Switch to the native engine at the same token."""
        if self._native is None:
            self.why, self._rows, self._task = why, None, None
            _log.warning("lifted: %s; continuing on the native engine, which is slower", why)
            native = Native(self.model, large=0)
            if not native.restorable:
                native = Native(self.model, keep=True)
            for item in self._log:
                if isinstance(item, int):
                    item = _Fed(item, np.zeros(0, dtype=np.uint64))
                if isinstance(item, _Fed):
                    for _ in self._repeated(native, item):
                        pass
                else:
                    native.extend(item)
            self._native = native
        return self._native

    def _decoded(self, native: Native, limit: int, stops: Sequence[Stop]) -> Tokens:
        if not self._begun:
            self._begun = time.thread_time()
        rows = native.run(limit, stops)
        self._spent = time.thread_time() - self._begun
        self._notes = None
        self._count(len(rows))
        if len(rows):
            self._last = tuple(rows[-1].tolist())
        return rows

    def _note(self, origins: Tokens) -> None:
        """Count the steps from each place, and keep a token of it, while rows may take over."""
        counted = self.want.counted
        if counted is None or self.why:
            return
        keys, first, counts = np.unique(
            counted.keys(origins), return_index=True, return_counts=True
        )
        for key, at, count in zip(keys.tolist(), first, counts.tolist(), strict=True):
            token, before = self._origins.get(key) or (origins[at].copy(), 0)
            self._origins[key] = token, before + count

    def _natively(self, native: Native, limit: int) -> Sprint:
        before = np.array([self._last], dtype=np.uint16)
        rows = self._decoded(native, limit, [(p, None) for p in self.want.stops])
        seen = np.zeros(len(rows), dtype=bool)
        for part, values in self.want.watch:
            seen |= np.isin(rows[:, part], values)
        counted, tally = self.want.counted, 0
        if counted is not None:
            origins = np.concatenate([before, rows[:-1]])
            tally = counted.total(origins)
            self._note(origins)
        stopped = any(self._last[p] for p in self.want.stops)
        shown = tuple(number_in(rows[seen], parts) for parts in self.want.shown)
        return Sprint(len(rows), tally, shown, self._last, stopped, rows)


def _mask(contents: bytes) -> NDArray[np.bool_]:
    return np.frombuffer(contents, dtype=np.bool_).copy()


def prepared_rows(session: "ref[Lifted]") -> "RowCode | None":
    """The code of rows, once a session is worth it.

    None for a model without shipped rows, and if the session ends before.
    """
    from transputer.engines.lifted.decoder.library import RowCode
    from transputer.engines.lifted.decoder.lifting import lifting

    held = session()
    known = None if held is None else lifting(held.model, frozenset(held.want.stops))
    if held is None or known is None or known.proved is None:
        return None
    code = RowCode(known, held.want)
    while held is not None and held._spent < _pace.thrift * code.effort:
        held = None  # so that it may end meanwhile
        if _leaving.wait(0.02):
            return None
        held = session()
    if held is not None:
        held._remember()
    return code


class Tiered(Lifted):
    """A session that starts on the native engine, and changes to lifted code where it pays.

    Raises `EngineUnavailable` as the native engine does, and for a model whose sessions cannot be
    handed over.
    """

    def __init__(self, model: Model, want: Want | None = None) -> None:
        super().__init__(model, want)
        self._native = Native(model, large=0)
        if not self._native.restorable:
            raise EngineUnavailable("a session of this model cannot be handed over")
        self._started = False

    def _start(self) -> None:
        """Start an engine on the tokens so far: lifted code, if an earlier run was long."""
        if not self._started:
            self._started = True
            if self._program().get(bytes) is not None:
                from transputer.engines.lifted.decoder.lifting import lifting

                if lifting(self.model, frozenset(self.want.stops)).proved is not None:
                    self._native = None
        super()._start()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a snapshot, with the engine that made it."""
        self._started = True
        super().restore(arrays)
