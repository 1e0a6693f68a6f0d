"""Runs on the server's side: a worker process, its last status, queries and answers."""

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
from transputer.studio.limits import StudioLimits

Json = dict[str, Any]
#: Phases of a run that has not ended.
ACTIVE = ("waiting", "compiling", "running", "learning")
#: Seconds that a worker has to end by itself.
GRACE = 3.0
#: The largest message of a worker, in bytes.
_LARGEST = 8 << 20
#: Progress records of a learner that are kept.
_WATCHED = 2000


class RunExpired(TransputerError):
    """The run of a query does not exist any more."""


def context() -> Any:
    """Return the multiprocessing context: fork from a warm process if the system can."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    fork = multiprocessing.get_context("forkserver")
    fork.set_forkserver_preload(["transputer.studio.warm"])
    return fork


def prepare(processes: Any) -> None:
    """Start the warm process, so that the first run does not wait for it."""
    if processes.get_start_method() == "forkserver":
        forkserver.ensure_running()


class Run:
    """One job in a process of its own. Its methods run in the event loop, except `_read`."""

    def __init__(self, job: Json, limits: StudioLimits, changed: Callable[[], None]) -> None:
        self.kind: str = job["kind"]
        self.limits = limits
        self.status: Json = {"phase": "waiting"}
        self.watched: list[Json] = []
        self.last_used = time.monotonic()
        self._job, self._changed = job, changed
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._next = 0
        self._over = asyncio.Event()
        self._process: Any = None
        self._connection: Any = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def active(self) -> bool:
        """Whether the run has not ended yet."""
        return self.status["phase"] in ACTIVE

    async def start(self, processes: Any) -> None:
        """Start the process in a multiprocessing context."""
        if not self.active:
            return  # cancelled before its turn
        ours, theirs = processes.Pipe()
        self._connection = ours
        process = processes.Process(
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
        if not self.active:
            self.kill("cancelled")  # while it was starting

    # From the worker

    def _read(self, connection: Any, process: Any) -> None:
        """Pass messages on to the event loop until the worker ends; runs in a thread."""
        with suppress(RuntimeError):  # the event loop is closed: the server has ended
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
        """Settle all queries after the process has ended."""
        if self.active:
            most = self.limits.memory >> 20
            self._fail(f"the run ended unexpectedly; a run has {most} MiB of memory")
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(RunExpired("the run has expired; run it again"))
        self._waiting.clear()
        self._over.set()
        if self._timer is not None:
            self._timer.cancel()
        with suppress(OSError):
            self._connection.close()

    def _fail(self, message: str) -> None:
        self._set({"phase": "failed", "problems": [{"message": message}]})

    # To the worker

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the worker's answer; raise `TransputerError` if it refuses."""
        if self._process is None or self._over.is_set():
            raise RunExpired("the run has expired; run it again")
        self.last_used = time.monotonic()
        self._next += 1
        number, future = self._next, self._loop.create_future()
        self._waiting[number] = future
        message = json.dumps({"id": number, "method": method, "params": params}).encode()
        try:
            await asyncio.to_thread(self._connection.send_bytes, message)
            answer = await asyncio.wait_for(future, self.limits.look_seconds + GRACE)
        except (OSError, ValueError):
            raise RunExpired("the run has expired; run it again") from None
        except TimeoutError:
            raise RunExpired("the run does not answer; run it again") from None
        finally:
            self._waiting.pop(number, None)
        if "problem" in answer:
            raise TransputerError(answer["problem"])
        return answer["result"]

    async def cancel(self) -> None:
        """End the run; a running program keeps its steps so far."""
        if self.status["phase"] == "running":
            with suppress(TransputerError):
                await self.ask("cancel")
            end = time.monotonic() + GRACE
            while self.active and time.monotonic() < end:
                await asyncio.sleep(0.02)
        if self.active:
            self.kill("cancelled")

    def kill(self, why: str) -> None:
        """Drop the run and end its process."""
        if self.active:
            self._fail(why)
        if self._process is None:
            self._over.set()
        elif not self._over.is_set():
            with suppress(OSError, ValueError, AttributeError):
                self._process.terminate()
            self._loop.call_later(GRACE, self._kill_process)

    def _kill_process(self) -> None:
        if not self._over.is_set():
            with suppress(OSError, ValueError, AttributeError):
                self._process.kill()

    async def over(self) -> None:
        """Wait until the run or its process has ended."""
        while self.active and not self._over.is_set():
            await asyncio.sleep(0.02)


class Sessions:
    """The sessions of all pages, each with its last run. A session has one run at a time."""

    def __init__(self, limits: StudioLimits) -> None:
        self.limits = limits
        self._processes = context()
        threading.Thread(target=prepare, args=(self._processes,), daemon=True).start()
        self._sessions: dict[str, Session] = {}
        self._turn = asyncio.Semaphore(limits.runs)

    def get(self, name: str) -> "Session":
        """Return the session `name`, or a new one; drop the oldest if there are too many."""
        session = self._sessions.pop(name, None) or Session()
        self._sessions[name] = session  # the most recent is the last
        while len(self._sessions) > self.limits.sessions:
            idle = [n for n, s in self._sessions.items() if s.run is None or not s.run.active]
            self.drop(idle[0] if idle else next(iter(self._sessions)))
        return session

    def drop(self, name: str) -> None:
        """End a session."""
        session = self._sessions.pop(name)
        if session.run is not None:
            session.run.kill("the session ended")
        session.change()

    async def start(self, session: "Session", job: Json) -> Run:
        """Start a job; it replaces the session's last one."""
        if session.run is not None:
            session.run.kill("replaced by another run")
        run = Run(job, self.limits, session.change)
        session.run, session.number = run, session.number + 1
        session.change()
        self._tidy()
        task = asyncio.create_task(self._in_turn(run))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)
        return run

    async def _in_turn(self, run: Run) -> None:
        """Wait for a free slot, then run to the end."""
        async with self._turn:
            await run.start(self._processes)
            await run.over()
        self._tidy()

    async def once(self, job: Json) -> Json:
        """Run a job without a session; return its last status."""
        run = Run(job, self.limits, lambda: None)
        try:
            await asyncio.wait_for(self._in_turn(run), self.limits.compile_seconds + 900)
        finally:
            run.kill("dropped")
        return run.status

    def _tidy(self) -> None:
        """Drop the least recently used of too many finished runs."""
        runs = [s.run for s in self._sessions.values() if s.run is not None and not s.run.active]
        count = max(0, len(runs) - self.limits.finished)
        for run in sorted(runs, key=lambda r: r.last_used)[:count]:
            run.kill("dropped")

    def close(self) -> None:
        """End all sessions."""
        for name in list(self._sessions):
            self.drop(name)


class Session:
    """The session of one page: its run, and an event for changes."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.number = 0
        self.version = 0
        self.streams = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    def change(self) -> None:
        """Announce a change."""
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float) -> None:
        """Wait until something changes, at most `seconds`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    def status(self) -> Json:
        """Return all that a page needs to start, or to continue after a lost connection."""
        run = self.run
        return {
            "run": self.number,
            "kind": run.kind if run else None,
            "watched": len(run.watched) if run else 0,
            **(run.status if run else {"phase": "none"}),
        }
