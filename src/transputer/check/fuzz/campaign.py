"""Many modules and many mutations, counted."""

import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType

from transputer.check.fuzz.choose import Choose, Seeded
from transputer.check.fuzz.differential import Examined, examine
from transputer.check.fuzz.modules import REFILL, Case, case
from transputer.check.fuzz.mutations import edit, mutate
from transputer.check.fuzz.regressions import print_case
from transputer.check.fuzz.values import ALL, Types, spelled
from transputer.check.fuzz.verdicts import UNEXPLAINED, judge
from transputer.frontends.binary import encode

#: Seconds of this process that one module or one mutation may take.
PATIENCE = 20
#: Consecutive seeds whose mutations start from the same module.
FAMILY = 16
#: How a module is looked at.
Look = Callable[[Case], Examined]


@dataclass(frozen=True, slots=True)
class Failure:
    """A problem, the arguments that bring it back, and the file to keep."""

    problem: str
    reproduce: str
    name: str
    content: bytes


@dataclass(slots=True)
class Tally:
    """What a campaign did and found."""

    modules: int = 0
    programs: int = 0  # in C
    calls: int = 0
    returned: int = 0
    instructions: int = 0
    traps: Counter[str] = field(default_factory=Counter)
    mutations: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    differences: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0  # seconds that one module or mutation took
    memory: int = 0  # the most bytes that a process had
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Take in another tally."""
        self.modules += other.modules
        self.programs += other.programs
        self.calls += other.calls
        self.returned += other.returned
        self.instructions += other.instructions
        self.traps += other.traps
        self.mutations += other.mutations
        self.verdicts += other.verdicts
        self.differences += other.differences
        self.slowest = max(self.slowest, other.slowest)
        self.memory = max(self.memory, other.memory)
        self.failures += other.failures


#: What to try, the seeds to try it with, and the types of modules; handed to other processes.
Batch = tuple[str, range, Types]


def batches(
    modules: int, mutations: int, seed: int, size: int = 25, types: Types = ALL
) -> list[Batch]:
    """All the work: consecutive seeds from `seed` on, for modules and for mutations."""
    counts = {"module": modules, "mutation": mutations}
    return [
        (kind, range(first, min(first + size, seed + count)), types)
        for kind, count in counts.items()
        for first in range(seed, seed + count, size)
    ]


def run_batch(batch: Batch) -> Tally:
    """Everything that one batch asks for."""
    kind, seeds, types = batch
    tally = Tally()
    for seed in seeds:
        tally.add(try_module(seed, types) if kind == "module" else try_mutation(seed))
    tally.memory = peak_memory()
    return tally


def try_module(seed: int, types: Types = ALL, look: Look | None = None) -> Tally:
    """One random module on all implementations, as `examine` or as another way to look does."""
    made = case(Seeded(seed), types)
    tally = Tally(modules=1)
    with _timed(tally):
        problem = found_wrong(lambda: _module_problem((look or examine)(made), tally))
    if problem:
        content = print_case(made, f"seed {seed}: {problem}").encode()
        again = f"--modules 1 --mutations 0 --seed {seed} --types {spelled(types)}"
        tally.failures.append(Failure(problem, again, f"module-{seed}.wat", content))
    return tally


def _module_problem(examined: Examined, tally: Tally) -> str:
    seen = examined.observation
    calls = [call for call in seen.calls if call.export != REFILL]
    tally.calls = len(calls)
    tally.returned = sum(call.trap is None for call in calls)
    tally.instructions = seen.instructions
    tally.traps.update(trap.value for trap in seen.traps())
    return examined.problem


def try_mutation(seed: int) -> Tally:
    """One damaged module: refused or accepted, as wasmtime does."""
    data = damaged(seed)
    tally = Tally(mutations=1)
    with _timed(tally):
        problem = found_wrong(lambda: _mutation_problem(data, tally))
    if problem:
        again = f"--modules 0 --mutations 1 --seed {seed}"
        tally.failures.append(Failure(problem, again, f"mutation-{seed}.wasm", data))
    return tally


def _mutation_problem(data: bytes, tally: Tally) -> str:
    verdict = judge(data)
    tally.verdicts[verdict.kind] += 1
    if verdict.difference:
        tally.differences[verdict.difference] += 1
    return str(verdict) if verdict.difference == UNEXPLAINED else ""


@lru_cache(maxsize=8)
def _base(seed: int) -> Case:
    return case(Seeded(seed))


def damaged(seed: int) -> bytes:
    """A valid module with random damage, in its bytes or in one of its functions."""
    family = seed // FAMILY
    module = _base(family).module
    choose: Choose = Seeded(seed)
    if choose.chance(3):
        for _ in range(choose.integer(1, 2)):
            module = edit(choose, module)
        return encode(module)
    return mutate(choose, encode(module), encode(_base(family + 1).module))


def found_wrong(action: Callable[[], str], patience: int | None = None) -> str:
    """What an action finds wrong; an exception is always wrong here, and so is taking too long."""
    try:
        with _deadline(patience or PATIENCE):
            return action()
    except Exception as error:  # a fuzzer reports whatever escapes
        return f"{type(error).__name__}: {error}"


_SAYS = re.compile(r"(cc|wasmtime|the oracle|core code(?: in words)?|the weights) has ")


def alike(problem: str, other: str) -> bool:
    """Whether two problems are of one kind: between the same two, or the same exception."""
    if not problem or not other:
        return False
    sides = _SAYS.findall(problem), _SAYS.findall(other)
    first = problem.partition(":")[0], other.partition(":")[0]
    return sides[0] == sides[1] if any(sides) else first[0] == first[1]


@contextmanager
def _timed(tally: Tally) -> Iterator[None]:
    started = time.perf_counter()
    yield
    tally.slowest = time.perf_counter() - started


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    """Raise `TimeoutError` in what computes for longer; a busy machine makes no difference."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
