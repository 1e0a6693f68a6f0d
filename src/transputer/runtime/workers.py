"""Work spread over processes; a process that crashes is replaced, and its item run again."""

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
#: Number of crashes after which an item fails.
TRIES = 3
#: Seconds that a process has to end after it is terminated.
PATIENCE = 5.0
_SPAWN = multiprocessing.get_context("spawn")  # threads of libraries do not survive a fork


@dataclass(frozen=True, slots=True)
class ItemResult(Generic[R]):
    """The result of the item at `index`, or its problem."""

    index: int
    value: R | None
    problem: str = ""


@dataclass(slots=True)
class _Task(Generic[T]):
    index: int
    item: T
    tries: int = 0


@dataclass(slots=True)
class _Worker(Generic[T]):
    process: BaseProcess
    connection: Connection
    task: _Task[T] | None = None


def spread(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[ItemResult[R]]:
    """Do `work` on every item in `jobs` processes; yield results as they become ready.

    Items are taken only when a process is free. An exception of `work` is the problem of its item;
    a process that crashes is replaced, and its item runs again, at most `TRIES` times in all.
    Closing the iterator ends the processes. Work, items and results must be picklable.
    """
    source = iter(enumerate(items))
    again: deque[_Task[T]] = deque()
    workers: list[_Worker[T]] = []
    try:
        while True:
            while _room(workers, jobs) and (task := _next(again, source)) is not None:
                _hand(work, workers, task)
            busy = [w for w in workers if w.task is not None]
            if not busy:
                return
            for worker in _ready(busy):
                result = _collect(worker, workers, again)
                if result is not None:
                    yield result
    finally:
        _end(workers)


def _next(again: deque[_Task[T]], source: Iterator[tuple[int, T]]) -> _Task[T] | None:
    if again:
        return again.popleft()
    pair = next(source, None)
    return None if pair is None else _Task(*pair)


def _room(workers: list[_Worker[T]], jobs: int) -> bool:
    return len(workers) < jobs or any(w.task is None for w in workers)


def _hand(work: Callable[[T], Any], workers: list[_Worker[T]], task: _Task[T]) -> None:
    """Give a task to a free process, or to a new one."""
    worker = next((w for w in workers if w.task is None), None)
    if worker is None:
        worker = _start(work)
        workers.append(worker)
    task.tries += 1
    worker.task = task
    with suppress(OSError):  # the process crashed; `_collect` notices it
        worker.connection.send(task.item)


def _ready(busy: list[_Worker[T]]) -> list[_Worker[T]]:
    """Wait for and return workers that have answered or ended."""
    handles = wait([handle for w in busy for handle in (w.connection, w.process.sentinel)])
    return [w for w in busy if w.connection in handles or w.process.sentinel in handles]


def _collect(
    worker: _Worker[T], workers: list[_Worker[T]], again: deque[_Task[T]]
) -> ItemResult[Any] | None:
    """Return the answer of a worker; None if it crashed and its task will run again."""
    task = worker.task
    if task is None:
        return None
    try:
        value, problem = worker.connection.recv()
    except (EOFError, OSError):
        workers.remove(worker)
        _end([worker])
        if task.tries < TRIES:
            again.append(task)
            return None
        code = worker.process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return ItemResult(task.index, None, f"its process crashed {task.tries} times ({how})")
    worker.task = None
    return ItemResult(task.index, value, problem)


def _start(work: Callable[[T], Any]) -> _Worker[T]:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, work), daemon=True)
    with _no_interrupts():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes started here; the parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(workers: Sequence[_Worker[Any]]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(PATIENCE)
        worker.connection.close()
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _serve(connection: Connection, work: Callable[[T], Any]) -> None:
    """Answer items until the parent is gone; runs in the worker process."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # runs exit handlers of its children
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            item = connection.recv()
            try:
                answer = (work(item), "")
            except Exception as error:  # any exception is the item's problem
                answer = (None, f"{type(error).__name__}: {error}")
            connection.send(answer)
