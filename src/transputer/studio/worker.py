"""One run in a process of its own: compile, run and record, then answer queries until dropped.

The main thread does the job, so that a signal can end it at any point. A second thread reads the
server's messages, and a third one answers them. Messages are JSON in both directions.
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
from transputer.studio.limits import MIB, StudioLimits
from transputer.studio.machines import break_weight, prepare, record, view_of

Json = dict[str, Any]
#: Seconds between two reports of progress.
EVERY = 0.1
#: Seconds that a compiler with a time limit of its own gets to report it.
MARGIN = 5.0
#: Bytes that queries may use beyond the run itself, and bytes that a compiler may map.
LOOKING, COMPILING = 512 * MIB, 8192 * MIB
_LARGEST_FILE = 64 * MIB


class Worker:
    """A job, its connection to the server, and the run."""

    def __init__(self, connection: Connection, job: Json, limits: StudioLimits) -> None:
        self.job, self.limits = job, limits
        self._connection = connection
        self._sending = threading.Lock()
        self._queries: queue.Queue[Json] = queue.Queue()
        self._cancelled = threading.Event()
        self._abandoned = threading.Event()  # nobody waits for the current search
        self._view: View | None = None
        self._last_report = 0.0
        self._began = time.monotonic()
        self._why = ""
        self._about: Json = {}  # facts about the compilation, for the page

    # Messages

    def tell(self, message: Json) -> None:
        """Send a message to the server; end this process if the server is gone."""
        try:
            with self._sending:
                self._connection.send_bytes(json.dumps(message).encode())
        except (OSError, ValueError):
            os.kill(os.getpid(), signal.SIGTERM)

    def status(self, phase: str, **more: Any) -> None:
        """Report the status of the job."""
        self._last_report = time.monotonic()
        self.tell({"status": {"phase": phase, **more}})

    def listen(self) -> None:
        """Queue the server's messages until the server is gone."""
        while True:
            try:
                message = json.loads(self._connection.recv_bytes())
            except (EOFError, OSError, ValueError):
                os.kill(os.getpid(), signal.SIGTERM)
                return
            if message["method"] == "cancel":
                self._cancelled.set()
            self._abandoned.set()  # a new message means that nobody waits for the last search
            self._queries.put(message)

    def answer(self) -> None:
        """Answer the queued messages in order."""
        while True:
            message = self._queries.get()
            if self._queries.empty():
                self._abandoned.clear()
            try:
                answer: Json = {"result": self._do(message["method"], message["params"])}
            except Interrupted:
                answer = {"problem": "the search was abandoned"}
            except TransputerError as error:
                answer = {"problem": str(error)}
            except MemoryError:
                answer = {"problem": "out of memory"}
            except Exception as error:  # a defect: the page shows it, and the worker continues
                answer = {"problem": f"internal error: {type(error).__name__}: {error}"}
            self.tell({"answer": message["id"], **answer})

    def _do(self, method: str, params: Mapping[str, Any]) -> Any:
        if method == "cancel":
            return {}
        if self._view is None:
            raise UsageError("the run has not started yet")
        if method == "search":
            end = time.monotonic() + self.limits.look_seconds
            return self._view.search(
                params["step"], params["how"], params["breaks"], lambda _: self._check_search(end)
            )
        return getattr(self._view, method)(**params)

    def _check_search(self, end: float) -> None:
        """End a search that was abandoned or takes too long."""
        if self._abandoned.is_set():
            raise Interrupted
        if time.monotonic() > end:
            raise UsageError("the search took too long; set a closer breakpoint")

    # The job

    def run(self) -> None:
        """Do the job; report its end, or its error."""
        try:
            {"run": self._run, "compile": self._compile, "learn": self._learn}[self.job["kind"]]()
        except StepLimitError as error:
            self.status("failed", problems=[{"message": str(error)}])
        except TransputerError as error:
            details = [asdict(p) for p in problems(error)]
            self.status("failed", problems=details, said=str(error)[:20_000])
        except RecursionError:
            self.status("failed", problems=[{"message": "the source is nested too deeply"}])
        except MemoryError:
            most = self.limits.memory // MIB
            self.status("failed", problems=[{"message": f"out of memory: a run has {most} MiB"}])

    def _prepare(self) -> Prepared:
        self.status("compiling")
        with time_limit(self.limits.compile_seconds + MARGIN):  # clang has a limit of its own
            return prepare(
                self.job["machine"],
                self.job["source"],
                self.job["language"],
                seconds=self.limits.compile_seconds,
                notice=lambda text: self.status("compiling", message=text),
                keep_variables=self.job["keep"],
            )

    def _compile(self) -> None:
        self.status("done", functions=self._prepare().functions())

    def _run(self) -> None:
        prepared = self._prepare()
        self._about = prepared.about | {"edits": len(self.job["edits"])}
        confined = not self.job["temperature"]  # JAX maps far more than it uses
        if confined:
            confine_memory(self.limits.memory)
        self._began = time.monotonic()
        debugger = self._record(prepared)
        if self.job["broken"] and debugger.result is not None and not self._why:
            self._report(debugger.steps, message="breaking the weights")
            self._view = break_weight(
                debugger, **self.job["broken"], pulse=self._pulse, started=self._started
            )
            debugger = self._debugger
        if confined:
            confine_memory(LOOKING)
        if debugger.result is not None:
            self._about |= prepared.finish(debugger.result)
        self._finish(debugger)

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

    def _started(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._report(0)

    def _report(self, steps: int, **more: Any) -> None:
        machine = self._debugger.machine
        self.status("running", machine=machine, steps=steps, about=self._about, **more)

    def _pulse(self, steps: int) -> None:
        if self._view is None:
            self._view = view_of(self._debugger)
        self._check()
        now, debugger = time.monotonic(), self._debugger
        if now - self._last_report >= EVERY:
            seconds = now - self._began
            self._report(debugger.steps, output=debugger.output_length, seconds=seconds)

    def _check(self) -> None:
        """End the run if it was cancelled or has reached a limit."""
        if self._cancelled.is_set():
            self._why = "cancelled"
        elif time.monotonic() - self._began > self.limits.seconds:
            self._why = f"stopped at the time limit, {self.limits.seconds:g} s"
        elif self._debugger.output_length > self.limits.output:
            self._why = f"stopped at the output limit, {self.limits.output:,} bytes"
        if self._why:
            raise Interrupted

    def _finish(self, debugger: Debugger) -> None:
        self._view = view = self._view or view_of(debugger)
        why = self._why
        if debugger.result is None:
            why = debugger.stopped or f"stopped at the step limit, {self.limits.steps:,}"
        seconds = time.monotonic() - self._began
        facts = {"seconds": seconds, "stopped": why, "about": self._about, **view.summary()}
        self.status("done", **facts)

    def _learn(self) -> None:
        self.status("learning")
        result = learn_watched(
            self.job["task"],
            self._tell_progress,
            seed=self.job["seed"],
            seconds=self.limits.learn_seconds,
            progress=lambda text: self.status("learning", message=text),
        )
        self.status("done", learned=result.as_json())

    def _tell_progress(self, record: Json) -> None:
        self.tell({"watched": record})


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `UsageError` in the main thread after `seconds`."""

    def end(number: int, frame: object) -> None:
        raise UsageError(f"compilation exceeded the time limit of {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def confine_memory(more: int) -> None:
    """Let this process map `more` bytes beyond its present size, if the system can limit that."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + more, hard))


def confine(limits: StudioLimits, compiles: bool) -> None:
    """Limit the resources of this process, and of a compiler that it starts."""
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


def main(connection: Connection, job: Json, limits: StudioLimits) -> None:
    """Run the worker process: do the job, then answer queries until the server ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    signal.signal(signal.SIGTERM, _exit)
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
    os._exit(code)  # threads may still wait


def _thread(target: Callable[[], None]) -> None:
    threading.Thread(target=target, daemon=True).start()


def _exit(number: int, frame: object) -> None:
    raise SystemExit
