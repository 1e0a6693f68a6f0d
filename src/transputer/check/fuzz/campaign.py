"""The tally and the failures of a fuzzing campaign; guarding and timing of one case."""

import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

#: CPU seconds that one module or one mutation may take.
TIME_LIMIT = 20
#: Kinds of file that `replay` reads.
REPLAYED = (".wat", ".c", ".wasm")


@dataclass(frozen=True, slots=True)
class Failure:
    """A problem, the arguments that reproduce it, and the file to save."""

    problem: str
    reproduce: str
    name: str
    content: bytes

    def again(self, file: str) -> str:
        """Return the arguments of `transputer fuzz` that replay `file`."""
        return f"--replay {file}" if file.endswith(REPLAYED) else self.reproduce


@dataclass(slots=True)
class Tally:
    """The counts and failures of a campaign."""

    cases: Counter[str] = field(default_factory=Counter)  # by kind
    calls: int = 0
    returned: int = 0
    instructions: int = 0
    traps: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)  # of mutations and small C
    differences: Counter[str] = field(default_factory=Counter)  # documented ones, of mutations
    slowest: float = 0.0  # seconds that one module or mutation took
    memory: int = 0  # peak bytes of a process
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add another tally to this one."""
        self.cases += other.cases
        self.calls += other.calls
        self.returned += other.returned
        self.instructions += other.instructions
        self.traps += other.traps
        self.outcomes += other.outcomes
        self.differences += other.differences
        self.slowest = max(self.slowest, other.slowest)
        self.memory = max(self.memory, other.memory)
        self.failures += other.failures


def reproduction(kind: str, seed: int, count: int = 1) -> str:
    """Return the arguments of `transputer fuzz` that run these seeds again."""
    return f"--kind {kind} --count {count} --seed {seed}"


def problem_of(action: Callable[[], str], budget: int | None = None) -> str:
    """Return the problem of an action; an exception or a time-out is a problem too."""
    try:
        with _deadline(budget or TIME_LIMIT):
            return action()
    except Exception as error:  # a fuzzer reports whatever escapes
        return f"{type(error).__name__}: {error}"


_SAYS = re.compile(r"(cc|wasmtime|the oracle|core code(?: in words)?|the weights) has ")


def alike(problem: str, other: str) -> bool:
    """Return whether two problems are of one kind: the same two sides, or the same exception."""
    if not problem or not other:
        return False
    sides = _SAYS.findall(problem), _SAYS.findall(other)
    first = problem.partition(":")[0], other.partition(":")[0]
    return sides[0] == sides[1] if any(sides) else first[0] == first[1]


@contextmanager
def timed(tally: Tally) -> Iterator[None]:
    """Record the duration of the block as the tally's slowest case."""
    started = time.perf_counter()
    yield
    tally.slowest = time.perf_counter() - started


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    """Raise `TimeoutError` after `seconds` of CPU time, which a busy machine does not shorten."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not finished after {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak_memory() -> int:
    """The peak memory of this process, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
