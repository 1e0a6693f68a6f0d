"""Share independent work between processes.

The processes are forks, so they see everything that was derived before, and only their results
are sent back. Work that starts threads must not have been done before.
"""

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from transputer.check.audit.verdict import Audited
from transputer.errors import TransputerError
from transputer.runtime.workers import spread

#: Libraries with threads of their own, which a fork loses: PyTorch hangs then.
THREADED = ("torch", "jax", "onnxruntime")
T = TypeVar("T")
Job = Callable[[], T]


def shared(subject: Audited, jobs: Sequence[Job[T]]) -> list[T]:
    """Return what each job returns, which can be pickled; one process per core works on them.

    The progress of `subject` is reported from all processes. Where there is one core or no fork,
    or a library of `THREADED` is loaded, the jobs run here, one after another. Raises
    `TransputerError` for a job that fails.
    """
    workers = min(len(jobs), os.cpu_count() or 1)
    if workers < 2 or not _forks():
        return [job() for job in jobs]
    with _relayed(subject):
        return _forked(jobs, workers)


def apart(job: Job[T]) -> T:
    """Return what a job returns, in a process of its own: libraries that it loads stay there."""
    return _forked([job], 1)[0] if _forks() else job()


def _forks() -> bool:
    """Whether this process can be forked."""
    forks = "fork" in multiprocessing.get_all_start_methods()
    return forks and not any(name in sys.modules for name in THREADED)


def _forked(jobs: Sequence[Job[T]], workers: int) -> list[T]:
    done: dict[int, T] = {}
    numbers = range(len(jobs))
    for item in spread(lambda number: jobs[number](), numbers, workers, start="fork"):
        if item.problem:
            raise TransputerError(item.problem)
        done[item.index] = item.value  # type: ignore[assignment]
    return [done[number] for number in numbers]


@contextmanager
def _relayed(subject: Audited) -> Iterator[None]:
    """Have processes that are forked now report their progress through this one."""
    said, say = os.pipe()
    here = subject.progress

    def relay() -> None:
        with os.fdopen(said, "rb") as lines:
            for line in lines:
                here(line.decode(errors="replace").rstrip("\n"))

    def write(doing: str) -> None:
        text = doing.replace("\n", " ").encode()[:500]
        os.write(say, text + b"\n")  # so short that it arrives in one piece

    listener = threading.Thread(target=relay, daemon=True)
    listener.start()
    subject.progress = write  # type: ignore[misc]
    try:
        yield
    finally:
        subject.progress = here  # type: ignore[misc]
        os.close(say)
        listener.join()
