"""Work spread over processes; the items of a pool that breaks are run again."""

import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import wait as ended
from typing import Any, Generic, TypeVar

from transputer.values import dataclass

T = TypeVar("T")
R = TypeVar("R")
#: Number of crashes of a process that runs nothing else after which an item fails.
TRIES = 3
#: Seconds that a process has to end by itself.
PATIENCE = 2
_work: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class ItemResult(Generic[R]):
    """The result of the item at `index`, or its problem."""

    index: int
    value: R | None
    problem: str = ""


class _Pool:
    """Processes that do `work`; they are started as they are needed."""

    def __init__(self, work: Callable[[Any], Any], jobs: int, start: str) -> None:
        self.executor = ProcessPoolExecutor(jobs, get_context(start), _start, (work,))

    def end(self) -> list[int]:
        """End all processes at once; return the exit codes of those that had crashed."""
        processes = [*(self.executor._processes or {}).values()]
        for process in processes:
            for _ in range(100 if ended([process.sentinel], 0.05) else 0):
                if process.exitcode is not None:
                    break
                time.sleep(0.01)  # the executor's thread reaps it too, and may be the first
        codes = [p.exitcode for p in processes if p.exitcode]
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(PATIENCE)
            process.kill()  # the executor takes an exit in the middle of work for its result
            process.join()
        return codes


def never() -> bool:
    """Hold nothing back."""
    return False


def spread(
    work: Callable[[T], R],
    items: Iterable[T],
    jobs: int,
    hold: Callable[[], bool] = never,
    start: str = "spawn",
) -> Iterator[ItemResult[R]]:
    """Do `work` on every item in `jobs` processes; yield results as they become ready.

    Items are taken as processes become free, two ahead for each, and while `hold` says so only
    where nothing else is in flight. An exception of `work` is the
    problem of its item. If a process crashes, the items in flight are run again, one by one; one
    that then crashes its process `TRIES` times fails. Closing the iterator ends the processes.
    Work, items and results must be picklable. With `start` "fork", work need not be, and sees all
    that there is; but threads, of libraries too, do not survive a fork.
    """
    source = iter(enumerate(items))
    flying: dict[Future[R], tuple[int, T]] = {}
    pool = _Pool(work, jobs, start)
    try:
        while True:
            broken = False
            while not broken and len(flying) < 2 * jobs and not (flying and hold()):
                pair = next(source, None)
                if pair is None:
                    break
                try:
                    future = pool.executor.submit(_do, pair[1])
                except BrokenProcessPool as error:
                    future, broken = Future(), True
                    future.set_exception(error)
                flying[future] = pair
            if not flying:
                return
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            again: list[tuple[int, T]] = []
            for future in done:
                pair = flying.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    again.append(pair)
                else:
                    yield _result(pair[0], future)
            if again:
                pool.end()
                again += flying.values()
                flying.clear()
                pool = _Pool(work, jobs, start)
                for index, item in sorted(again, key=lambda pair: pair[0]):
                    yield _alone(work, index, item, start)
    finally:
        pool.end()


def _alone(work: Callable[[T], R], index: int, item: T, start: str) -> ItemResult[R]:
    """Run an item in a process of its own, again if that crashes."""
    codes: list[int] = []
    for _ in range(TRIES):
        pool = _Pool(work, 1, start)
        try:
            future = pool.executor.submit(_do, item)
            wait([future])
            if not isinstance(future.exception(), BrokenProcessPool):
                return _result(index, future)
        finally:
            codes = pool.end()
    code = codes[0] if codes else 0
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return ItemResult(index, None, f"its process crashed {TRIES} times ({how})")


def _result(index: int, future: Future[R]) -> ItemResult[R]:
    error = future.exception()
    if error is None:
        return ItemResult(index, future.result())
    return ItemResult(index, None, f"{type(error).__name__}: {error}")


def _start(work: Callable[[Any], Any]) -> None:
    """Prepare a process: Ctrl-C is the parent's, and its end runs exit handlers."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.unraisablehook = _ignored
    _work = work


def _ignored(problem: "sys.UnraisableHookArgs") -> None:
    """End the process although a finaliser was running, which would go on after `sys.exit`."""
    if not isinstance(problem.exc_value, SystemExit):
        sys.__unraisablehook__(problem)
        return
    atexit._run_exitfuncs()
    os._exit(1)


def _do(item: Any) -> Any:
    assert _work is not None
    return _work(item)
