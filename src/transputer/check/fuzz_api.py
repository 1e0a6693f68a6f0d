"""Random programs on everything that runs programs: the weights must do what all others do."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from transputer.check.audit.fuzz import STEPS, compared
from transputer.check.fuzz.c.native import compiler
from transputer.check.fuzz.campaign import (
    Failure,
    Tally,
    alike,
    found_wrong,
    peak_memory,
    try_module,
)
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import Case, case
from transputer.check.fuzz.regressions import parse_case, print_case
from transputer.check.fuzz.smaller import smaller_case
from transputer.check.fuzz.values import ALL
from transputer.check.fuzz_c import SIZE, c_source, compare_c, try_programs
from transputer.errors import UsageError
from transputer.frontends.source import PathLike, read_text
from transputer.machines.trace.circuit import model as trace_model
from transputer.runtime.trace.sessions import WEIGHTS, new_engine
from transputer.runtime.workers import spread

#: What is made: random WebAssembly modules, random C programs.
KINDS = ("modules", "c", "both")
#: Seeds from which `--count` without an end goes on.
_ENDLESS = 1 << 40


def fuzz_compared(engine: str, kind: str = "both") -> list[str]:
    """What programs of a kind are compared on; C also on this machine's compiler, if it has one."""
    cc = None if kind == "modules" else compiler()
    return ["wasmtime", "oracle", f"weights ({engine})", *([Path(cc).name] if cc else [])]


@dataclass(frozen=True, slots=True)
class Batch:
    """Seeds of one kind for one process."""

    kind: str
    first: int
    end: int
    engine: str


def fuzz(
    *,
    kind: str = "both",
    count: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    jobs: int = 1,
    engine: str = "native",
) -> Iterator[Tally]:
    """Make random programs and compare what everything makes of them, a tally for each batch.

    `count` is how many of each kind, from `seed` on; after `seconds` no more are begun. Both
    may be None: then it goes on for ever. With several jobs, other processes do the work; else
    this one. A difference is in `Tally.failures`, made smaller, as a file that replays it.
    """
    if kind not in KINDS:
        raise UsageError(f"no kind {kind!r}; there is: {', '.join(KINDS)}")
    if engine not in WEIGHTS:
        raise UsageError(f"{engine} runs no weights; there is: {', '.join(WEIGHTS)}")
    new_engine(engine, trace_model())  # a missing engine is said at once
    until = None if seconds is None else time.monotonic() + seconds
    work = _until(until, _batches(kind, count, seed, engine))
    if jobs <= 1:
        yield from map(run_batch, work)
        return
    given: list[Batch] = []

    def noted() -> Iterator[Batch]:
        for batch in work:
            given.append(batch)
            yield batch

    for done in spread(run_batch, noted(), jobs):
        yield done.value or _lost(given[done.index], done.problem)


def _lost(batch: Batch, problem: str) -> Tally:
    count = batch.end - batch.first
    again = f"--kind {batch.kind} --count {count} --seed {batch.first}"
    name = f"{batch.kind}-{batch.first}.txt"
    return Tally(failures=[Failure(problem, again, name, f"{problem}\n{again}\n".encode())])


def _until(end: float | None, work: Iterator[Batch]) -> Iterator[Batch]:
    for batch in work:
        if end is not None and time.monotonic() >= end:
            return
        yield batch


def _batches(kind: str, count: int | None, seed: int, engine: str) -> Iterator[Batch]:
    """The kinds in turn; batches end at multiples of their size, whatever the first seed is."""
    end = seed + (_ENDLESS if count is None else count)
    kinds = KINDS[:2] if kind == "both" else (kind,)
    rows = zip_longest(*(_ranges(k, seed, end, engine) for k in kinds))
    return (batch for batch in chain.from_iterable(rows) if batch is not None)


def _ranges(kind: str, seed: int, end: int, engine: str) -> Iterator[Batch]:
    while seed < end:
        after = min(end, (seed // SIZE + 1) * SIZE)
        yield Batch(kind, seed, after, engine)
        seed = after


def run_batch(batch: Batch) -> Tally:
    """Everything that one batch asks for."""
    seeds = range(batch.first, batch.end)
    tally = Tally()
    if batch.kind == "c":
        tally = try_programs(seeds, batch.engine)
    else:
        for seed in seeds:
            tally.add(_try_module(seed, batch.engine))
    tally.memory = peak_memory()
    return tally


def _try_module(seed: int, engine: str) -> Tally:
    make = partial(new_engine, engine, trace_model())
    tally = try_module(seed, look=lambda made: compared(made, make))
    if tally.failures:
        tally.failures = [_small(seed, tally.failures[0].problem, engine)]
    return tally


def _small(seed: int, problem: str, engine: str) -> Failure:
    """The failure of a seed with a smaller module."""
    make = partial(new_engine, engine, trace_model())

    def wrong(candidate: Case) -> str:
        return found_wrong(lambda: compared(candidate, make, STEPS // 100).problem)

    small = smaller_case(case(Seeded(seed), ALL), lambda c: alike(wrong(c), problem))
    content = print_case(small, f"seed {seed}: {problem}").encode()
    again = f"--kind modules --count 1 --seed {seed}"
    return Failure(problem, again, f"module-{seed}.wat", content)


def replay(path: PathLike, engine: str = "native") -> str:
    """What a regression file shows now: the first difference, or nothing."""
    suffix = Path(path).suffix
    if suffix == ".c":
        return compare_c(c_source(read_text(path)), engine)
    if suffix != ".wat":
        raise UsageError(f"{path}: a regression is a .wat or a .c file")
    made = parse_case(read_text(path), str(path))
    return compared(made, partial(new_engine, engine, trace_model())).problem
