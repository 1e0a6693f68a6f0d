"""Runs as the server sees them: a worker process, its last status, questions and answers."""

import asyncio
import json
import multiprocessing
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver
from typing import Any

from transputer.errors import TransputerError
from transputer.studio import worker
from transputer.studio.limits import Limits

Json = dict[str, Any]
#: Phases in which a run still goes on.
GOING = ("waiting", "compiling", "running", "learning")
#: Seconds that a worker has to end by itself, and beyond its limits in all.
GRACE = 3.0
#: The largest message that a worker may send.
_LARGEST = 8 << 20
#: What is kept of what a learner shows.
_WATCHED = 2000


class Gone(TransputerError):
    """The run that was asked about is not there any more."""


def context() -> Any:
    """How processes are started: forked from a warm one where the system can."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["transputer.studio.warm"])
    return made


def prepare(how: Any) -> None:
    """Start the warm process, so that the first run does not wait for it."""
    if how.get_start_method() == "forkserver":
        forkserver.ensure_running()


class Run:
    """One job in a process of its own. All of this belongs to the event loop."""

    def __init__(self, job: Json, limits: Limits, changed: Callable[[], None]) -> None:
        self.kind: str = job["kind"]
        self.limits = limits
        self.status: Json = {"phase": "waiting"}
        self.watched: list[Json] = []
        self.seen = time.monotonic()
        self._job, self._changed = job, changed
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._next = 0
        self._over = asyncio.Event()
        self._process: Any = None
        self._connection: Any = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def going(self) -> bool:
        """Whether it has not come to its end yet."""
        return self.status["phase"] in GOING

    async def start(self, how: Any) -> None:
        """Start the process."""
        if not self.going:
            return  # cancelled before its turn
        ours, theirs = how.Pipe()
        self._connection = ours
        process = how.Process(
            target=worker.main, args=(theirs, self._job, self.limits), daemon=True
        )
        self._set({"phase": "learning" if self.kind == "learn" else "compiling"})
        await asyncio.to_thread(process.start)
        self._process = process
        theirs.close()
        limits = self.limits
        most = limits.compile_seconds + limits.seconds + limits.learn_seconds + 900
        self._timer = self._loop.call_later(most, self.kill, "stopped: out of time")
        threading.Thread(target=self._read, args=(ours, process), daemon=True).start()
        if not self.going:
            self.kill("cancelled")  # while it was starting

    # What comes from the worker

    def _read(self, connection: Any, process: Any) -> None:
        """In a thread: pass messages on to the loop until there are no more."""
        with suppress(RuntimeError):  # the loop is closed: the server ends
            with suppress(EOFError, OSError):
                while True:
                    message = json.loads(connection.recv_bytes(_LARGEST))
                    self._loop.call_soon_threadsafe(self._take, message)
            process.join(GRACE)
            self._loop.call_soon_threadsafe(self._ended)

    def _take(self, message: Json) -> None:
        if "status" in message:
            self._set(message["status"])
        elif "watched" in message:
            self.watched = [*self.watched[-_WATCHED + 1 :], message["watched"]]
            self._changed()
        else:
            future = self._waiting.pop(message.pop("answer"), None)
            if future is not None and not future.done():
                future.set_result(message)

    def _set(self, status: Json) -> None:
        self.status = status
        self._changed()

    def _ended(self) -> None:
        """The process is gone."""
        if self.going:
            most = self.limits.memory >> 20
            self._fail(f"the run ended unexpectedly; a run has {most} MiB of memory")
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Gone("the run is gone; run it again"))
        self._waiting.clear()
        self._over.set()
        if self._timer is not None:
            self._timer.cancel()
        with suppress(OSError):
            self._connection.close()

    def _fail(self, message: str) -> None:
        self._set({"phase": "failed", "problems": [{"message": message}]})

    # What goes to the worker

    async def ask(self, method: str, **params: Any) -> Any:
        """What the worker answers; `TransputerError` for what it refuses."""
        if self._process is None or self._over.is_set():
            raise Gone("the run is gone; run it again")
        self.seen = time.monotonic()
        self._next += 1
        number, future = self._next, self._loop.create_future()
        self._waiting[number] = future
        message = json.dumps({"id": number, "method": method, "params": params}).encode()
        try:
            await asyncio.to_thread(self._connection.send_bytes, message)
            found = await asyncio.wait_for(future, self.limits.look_seconds + GRACE)
        except (OSError, ValueError):
            raise Gone("the run is gone; run it again") from None
        except TimeoutError:
            raise Gone("the run does not answer; run it again") from None
        finally:
            self._waiting.pop(number, None)
        if "problem" in found:
            raise TransputerError(found["problem"])
        return found["found"]

    async def cancel(self) -> None:
        """End it, with what there is where that is possible."""
        if self.status["phase"] == "running":
            with suppress(TransputerError):
                await self.ask("cancel")
            end = time.monotonic() + GRACE
            while self.going and time.monotonic() < end:
                await asyncio.sleep(0.02)
        if self.going:
            self.kill("cancelled")

    def kill(self, why: str) -> None:
        """Drop it, its process included."""
        if self.going:
            self._fail(why)
        if self._process is None:
            self._over.set()
        elif not self._over.is_set():
            with suppress(OSError, ValueError, AttributeError):
                self._process.terminate()
            self._loop.call_later(GRACE, self._surely)

    def _surely(self) -> None:
        if not self._over.is_set():
            with suppress(OSError, ValueError, AttributeError):
                self._process.kill()

    async def over(self) -> None:
        """Wait until it has come to its end, or its process to its own."""
        while self.going and not self._over.is_set():
            await asyncio.sleep(0.02)


class Sessions:
    """Who is there, and what each has run last. A session has one run at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._how = context()
        threading.Thread(target=prepare, args=(self._how,), daemon=True).start()
        self._held: dict[str, Session] = {}
        self._turn = asyncio.Semaphore(limits.runs)

    def get(self, name: str) -> "Session":
        """The session of a name, made where there is none; of too many the oldest is dropped."""
        found = self._held.pop(name, None) or Session()
        self._held[name] = found  # the latest comes last
        found.seen = time.monotonic()
        while len(self._held) > self.limits.sessions:
            idle = [n for n, s in self._held.items() if s.run is None or not s.run.going]
            self.drop(idle[0] if idle else next(iter(self._held)))
        return found

    def drop(self, name: str) -> None:
        """End a session."""
        session = self._held.pop(name)
        if session.run is not None:
            session.run.kill("the session ended")
        session.change()

    async def start(self, session: "Session", job: Json) -> Run:
        """Begin a job in place of the session's last one."""
        if session.run is not None:
            session.run.kill("replaced by another run")
        run = Run(job, self.limits, session.change)
        session.run, session.number = run, session.number + 1
        session.change()
        self._tidy()
        task = asyncio.create_task(self._turned(run))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)
        return run

    async def _turned(self, run: Run) -> None:
        """Run it when it is its turn; its turn ends with it."""
        async with self._turn:
            await run.start(self._how)
            await run.over()
        self._tidy()

    async def once(self, job: Json) -> Json:
        """A job that is nobody's: its last status."""
        run = Run(job, self.limits, lambda: None)
        try:
            await asyncio.wait_for(self._turned(run), self.limits.compile_seconds + 900)
        finally:
            run.kill("dropped")
        return run.status

    def _tidy(self) -> None:
        """Drop finished runs that were longest not looked at."""
        runs = [s.run for s in self._held.values() if s.run is not None and not s.run.going]
        for run in sorted(runs, key=lambda r: r.seen)[: max(0, len(runs) - self.limits.kept)]:
            run.kill("dropped")

    def close(self) -> None:
        """End everything."""
        for name in list(self._held):
            self.drop(name)


class Session:
    """One page: its run, and who wants to know when something changes."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.number = 0
        self.version = 0
        self.streams = 0
        self.seen = time.monotonic()
        self.tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    def change(self) -> None:
        """Something is different now."""
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float) -> None:
        """Wait until something changes, or for so long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    def status(self) -> Json:
        """All that a page needs to know, to begin or to go on after it lost its connection."""
        run = self.run
        return {
            "run": self.number,
            "kind": run.kind if run else None,
            "watched": len(run.watched) if run else 0,
            **(run.status if run else {"phase": "none"}),
        }
