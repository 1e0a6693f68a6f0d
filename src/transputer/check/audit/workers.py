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
    forks = "fork" in multiprocessing.get_all_start_methods()
    if workers < 2 or not forks or any(name in sys.modules for name in THREADED):
        return [job() for job in jobs]
    done: dict[int, T] = {}
    with _relayed(subject):
        numbers = range(len(jobs))
        for item in spread(lambda number: jobs[number](), numbers, workers, start="fork"):
            if item.problem:
                raise TransputerError(item.problem)
            done[item.index] = item.value  # type: ignore[assignment]
    return [done[number] for number in range(len(jobs))]


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
