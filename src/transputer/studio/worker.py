"""One run in a process of its own: compiled, run, recorded, then looked at until it is dropped.

The main thread does the job, so that a signal ends it wherever it is; another thread reads what
the server asks, and a third one answers. Messages are JSON, in both directions.
"""

import json
import os
import queue
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any

from transputer.debugger.debugger import Debugger
from transputer.errors import StepLimitError, TransputerError, UsageError
from transputer.host.outcome import Interrupted
from transputer.runtime.learn import learn_watched
from transputer.runtime.prepared import Prepared
from transputer.runtime.trace.text import problems
from transputer.runtime.views import View
from transputer.studio.limits import MIB, Limits
from transputer.studio.machines import prepare, record, view_of

Json = dict[str, Any]
#: Seconds between two reports of progress.
EVERY = 0.1
#: Seconds that a compiler with a limit of its own has to say that it was reached.
MARGIN = 5.0
#: Bytes that looking at a run may take beyond the run itself, and what a compiler may map.
LOOKING, COMPILING = 512 * MIB, 8192 * MIB
_LARGEST_FILE = 64 * MIB


class Worker:
    """A job, its connection to the server, and what the run has come to."""

    def __init__(self, connection: Connection, job: Json, limits: Limits) -> None:
        self.job, self.limits = job, limits
        self._connection = connection
        self._sending = threading.Lock()
        self._asked: queue.Queue[Json] = queue.Queue()
        self._cancelled = threading.Event()
        self._left = threading.Event()  # somebody wants the search to end
        self._view: View | None = None
        self._told = 0.0
        self._began = time.monotonic()
        self._why = ""
        self._about: Json = {}  # how the program was made, for the page

    # Talking

    def tell(self, message: Json) -> None:
        """Send something to the server; nobody there means that all this is over."""
        try:
            with self._sending:
                self._connection.send_bytes(json.dumps(message).encode())
        except (OSError, ValueError):
            os.kill(os.getpid(), signal.SIGTERM)

    def status(self, phase: str, **more: Any) -> None:
        """Report how far things are."""
        self._told = time.monotonic()
        self.tell({"status": {"phase": phase, **more}})

    def listen(self) -> None:
        """Take what the server sends, until it is gone."""
        while True:
            try:
                message = json.loads(self._connection.recv_bytes())
            except (EOFError, OSError, ValueError):
                os.kill(os.getpid(), signal.SIGTERM)
                return
            if message["method"] == "cancel":
                self._cancelled.set()
            self._left.set()  # whatever comes next, nobody waits for the last search
            self._asked.put(message)

    def answer(self) -> None:
        """Answer what was asked, one after the other."""
        while True:
            message = self._asked.get()
            if self._asked.empty():
                self._left.clear()
            try:
                found: Json = {"found": self._do(message["method"], message["params"])}
            except Interrupted:
                found = {"problem": "the search was given up"}
            except TransputerError as error:
                found = {"problem": str(error)}
            except MemoryError:
                found = {"problem": "out of memory"}
            except Exception as error:  # a defect: the page says so, and other answers go on
                found = {"problem": f"internal error: {type(error).__name__}: {error}"}
            self.tell({"answer": message["id"], **found})

    def _do(self, method: str, params: Mapping[str, Any]) -> Any:
        if method == "cancel":
            return {}
        if self._view is None:
            raise UsageError("the run has not begun yet")
        if method == "search":
            end = time.monotonic() + self.limits.look_seconds
            return self._view.search(
                params["step"], params["how"], params["breaks"], lambda _: self._heard(end)
            )
        return getattr(self._view, method)(**params)

    def _heard(self, end: float) -> None:
        if self._left.is_set():
            raise Interrupted
        if time.monotonic() > end:
            raise UsageError("the search took too long; set a breakpoint nearer")

    # The job

    def run(self) -> None:
        """Compile and run; every end is told."""
        try:
            {"run": self._run, "compile": self._compile, "learn": self._learn}[self.job["kind"]]()
        except StepLimitError as error:
            self.status("failed", problems=[{"message": str(error)}])
        except TransputerError as error:
            found = [asdict(p) for p in problems(error)]
            self.status("failed", problems=found, said=str(error)[:20_000])
        except RecursionError:
            self.status("failed", problems=[{"message": "the source is nested too deeply"}])
        except MemoryError:
            most = self.limits.memory // MIB
            self.status("failed", problems=[{"message": f"out of memory: a run has {most} MiB"}])

    def _prepared(self) -> Prepared:
        self.status("compiling")
        with ending(self.limits.compile_seconds + MARGIN):  # clang has a limit of its own
            return prepare(
                self.job["machine"],
                self.job["source"],
                self.job["language"],
                seconds=self.limits.compile_seconds,
                notice=lambda text: self.status("compiling", message=text),
                keep_variables=self.job["keep"],
            )

    def _compile(self) -> None:
        self.status("done", functions=self._prepared().functions())

    def _run(self) -> None:
        prepared = self._prepared()
        self._about = prepared.about | {"edits": len(self.job["edits"])}
        confined = not self.job["temperature"]  # JAX maps far more than it uses
        if confined:
            confine_memory(self.limits.memory)
        self._began = time.monotonic()
        made = self._record(prepared)
        if confined:
            confine_memory(LOOKING)
        if made.result is not None:
            self._about |= prepared.finish(made.result)
        self._finished(made)

    def _record(self, prepared: Prepared) -> Debugger:
        job = self.job
        return record(
            prepared,
            job["invoke"] or None,
            job["args"],
            stdin=job["stdin"].encode("utf-8", "replace"),
            edits={int(address): value for address, value in job["edits"].items()},
            temperature=job["temperature"] or None,
            engine=job["engine"],
            max_steps=self.limits.steps,
            pulse=self._pulse,
            started=self._started,
        )

    def _started(self, made: Debugger) -> None:
        self._made = made
        self._running(0)

    def _running(self, steps: int, **more: Any) -> None:
        self.status("running", machine=self._made.machine, steps=steps, about=self._about, **more)

    def _pulse(self, steps: int) -> None:
        if self._view is None:
            self._view = view_of(self._made)
        self._check()
        now = time.monotonic()
        if now - self._told >= EVERY:
            seconds = now - self._began
            self._running(self._made.steps, output=self._made.put, seconds=seconds)

    def _check(self) -> None:
        """End the run where a limit is reached or somebody wants it to end."""
        if self._cancelled.is_set():
            self._why = "cancelled"
        elif time.monotonic() - self._began > self.limits.seconds:
            self._why = f"stopped after {self.limits.seconds:g} s, the limit of time"
        elif self._made.put > self.limits.output:
            self._why = f"stopped after {self.limits.output:,} bytes of output, the limit"
        if self._why:
            raise Interrupted

    def _finished(self, made: Debugger) -> None:
        self._view = view = self._view or view_of(made)
        why = self._why
        if made.result is None:
            why = f"stopped after {self.limits.steps:,} steps, the limit"
        seconds = time.monotonic() - self._began
        found = {"seconds": seconds, "stopped": why, "about": self._about, **view.summary()}
        self.status("done", **found)

    def _learn(self) -> None:
        self.status("learning")
        found = learn_watched(
            self.job["task"],
            self._watched,
            seed=self.job["seed"],
            seconds=self.limits.learn_seconds,
            progress=lambda text: self.status("learning", message=text),
        )
        self.status("done", learned=found.as_json())

    def _watched(self, seen: Json) -> None:
        self.tell({"watched": seen})


@contextmanager
def ending(seconds: float) -> Iterator[None]:
    """End what the main thread does after so many seconds."""

    def end(number: int, frame: object) -> None:
        raise UsageError(f"compiling took longer than {seconds:g} s, the limit")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def confine_memory(more: int) -> None:
    """Let this process map so much more than it has, where the system counts that."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + more, hard))


def confine(limits: Limits, compiles: bool) -> None:
    """What neither this process nor a compiler that it starts can have more of."""
    seconds = int(limits.seconds + limits.compile_seconds + limits.learn_seconds) + 900
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        _limit(kind, most)
    if compiles:
        _limit(resource.RLIMIT_AS, COMPILING)


def _limit(kind: int, most: int) -> None:
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(kind)
        top = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (top, hard if kind == resource.RLIMIT_AS else top))


def main(connection: Connection, job: Json, limits: Limits) -> None:
    """The process: do the job, then answer questions until the server has enough."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    signal.signal(signal.SIGTERM, _leave)
    confine(limits, compiles=job["kind"] != "learn")
    worker = Worker(connection, job, limits)
    code = 0
    try:
        for target in (worker.listen, worker.answer):
            _thread(target)
        worker.run()
        if job["kind"] == "run":
            threading.Event().wait()
    except SystemExit:
        code = 1
    sys.stderr.flush()
    os._exit(code)  # threads may wait for ever


def _thread(target: Callable[[], None]) -> None:
    threading.Thread(target=target, daemon=True).start()


def _leave(number: int, frame: object) -> None:
    raise SystemExit
