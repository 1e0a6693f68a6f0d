"""Fuzzing: random programs on every implementation; all must agree."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from transputer.check.fuzz.c.campaign import SIZE, c_source, compare_c
from transputer.check.fuzz.campaign import REPLAYED, Failure, Tally, peak_memory, reproduction
from transputer.check.fuzz.differential import examine
from transputer.check.fuzz.kinds import KINDS
from transputer.check.fuzz.regressions import parse_case
from transputer.check.fuzz.verdicts import UNEXPLAINED, judge
from transputer.check.fuzz.weights import examine_weights
from transputer.errors import UsageError
from transputer.frontends.source import PathLike, read_bytes, read_text
from transputer.machines.trace.universal import model as trace_model
from transputer.runtime.trace.sessions import TIERED, WEIGHTS, new_engine
from transputer.runtime.workers import spread

#: Values of `kind`: one kind, or all in turn.
FUZZ_KINDS = (*KINDS, "all")
#: Engines of a campaign.
FUZZ_ENGINES = ("auto", *WEIGHTS)
#: Number of seeds of a campaign without a count.
_ENDLESS = 1 << 40


def session_engine(engine: str) -> str:
    """Return a session's name for an engine; `auto` then changes tiers as early as it can."""
    if engine != "auto":
        return engine
    from transputer.engines.lifted.decoder import HASTY, set_pace  # slow to import

    set_pace(HASTY)
    return TIERED


def fuzz_compared(engine: str = "native", kind: str = "all") -> list[str]:
    """Return the implementations that must agree on cases of a kind."""
    names = [name for each in _kinds(kind) for name in KINDS[each].compared(engine)]
    return list(dict.fromkeys(names))


def _kinds(kind: str) -> tuple[str, ...]:
    if kind not in FUZZ_KINDS:
        raise UsageError(f"no kind {kind!r}; available: {', '.join(FUZZ_KINDS)}")
    return tuple(KINDS) if kind == "all" else (kind,)


@dataclass(frozen=True, slots=True)
class FuzzBatch:
    """Consecutive seeds of one kind, for one process."""

    kind: str
    first: int
    end: int
    engine: str


def fuzz(
    *,
    kind: str = "all",
    count: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    jobs: int = 1,
    engine: str = "native",
) -> Iterator[Tally]:
    """Compare all implementations on random programs; yield a tally for each batch.

    `count` is the number of cases of each kind, with seeds from `seed` on; no case starts after
    `seconds`. If both are None, the campaign does not end. `jobs` is the number of processes.
    `Tally.failures` has the differences, shrunk, with the content of files that replay them.
    """
    if engine not in FUZZ_ENGINES:
        raise UsageError(f"{engine} runs no weights; available: {', '.join(FUZZ_ENGINES)}")
    new_engine(session_engine(engine), trace_model())  # report a missing engine at once
    end = None if seconds is None else time.monotonic() + seconds
    work = _until(end, batches(kind, count, seed, engine))
    if jobs <= 1:
        yield from map(run_batch, work)
        return
    started: list[FuzzBatch] = []

    def note_batches() -> Iterator[FuzzBatch]:
        for batch in work:
            started.append(batch)
            yield batch

    for result in spread(run_batch, note_batches(), jobs):
        yield result.value or _crashed(started[result.index], result.problem)


def _crashed(batch: FuzzBatch, problem: str) -> Tally:
    """Return the tally of a batch whose process crashed."""
    again = reproduction(batch.kind, batch.first, batch.end - batch.first)
    name = f"{batch.kind}-{batch.first}.txt"
    return Tally(failures=[Failure(problem, again, name, f"{problem}\n{again}\n".encode())])


def _until(end: float | None, work: Iterator[FuzzBatch]) -> Iterator[FuzzBatch]:
    for batch in work:
        if end is not None and time.monotonic() >= end:
            return
        yield batch


def batches(kind: str, count: int | None, seed: int, engine: str) -> Iterator[FuzzBatch]:
    """Yield batches of the kinds in turn; they end at multiples of `SIZE` for any first seed."""
    end = seed + (_ENDLESS if count is None else count)
    rows = zip_longest(*(_ranges(each, seed, end, engine) for each in _kinds(kind)))
    return (batch for batch in chain.from_iterable(rows) if batch is not None)


def _ranges(kind: str, seed: int, end: int, engine: str) -> Iterator[FuzzBatch]:
    while seed < end:
        after = min(end, (seed // SIZE + 1) * SIZE)
        yield FuzzBatch(kind, seed, after, engine)
        seed = after


def run_batch(batch: FuzzBatch) -> Tally:
    """Run all seeds of a batch."""
    engine = session_engine(batch.engine)
    tally = KINDS[batch.kind].run(range(batch.first, batch.end), engine)
    tally.memory = peak_memory()
    return tally


def replay(path: PathLike, engine: str = "native") -> str:
    """Return the first difference that a regression file shows now, or ""."""
    engine = session_engine(engine)
    suffix = Path(path).suffix
    if suffix not in REPLAYED:
        raise UsageError(f"{path}: a regression is a {', '.join(REPLAYED)} file")
    if suffix == ".c":
        return compare_c(c_source(read_text(path)), engine)
    if suffix == ".wasm":
        verdict = judge(read_bytes(path))
        return str(verdict) if verdict.difference == UNEXPLAINED else ""
    regression = parse_case(read_text(path), str(path))
    weights = examine_weights(regression, partial(new_engine, engine, trace_model()))
    return weights.problem or examine(regression).problem
