"""`bench`: every program on everything that runs it, in one table."""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.runners import Runner, Sample, runners
from transputer.check.bench.workloads import (
    QUICK,
    SIZES,
    SMALL,
    TEN_4,
    TEN_6,
    TEN_7,
    WORKLOADS,
    Workload,
    find_sources,
)
from transputer.errors import EngineUnavailable, TransputerError
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.sessions import WEIGHTS

COLUMNS = (
    *("program", "engine", "size", "n", "steps", "instructions", "CPU s", "wall s"),
    *("instructions/s", "µs/step 10^4", "µs/step 10^6", "µs/step 10^7"),
    *("lookups/step", "bytes/step", "build s", "compile s", "first result s"),
)
Hear = Callable[[str], None]


class WrongAnswer(TransputerError):
    """An engine gave another answer than the others: nothing is timed."""

    exit_code = 1


@dataclass(slots=True)
class _Loaded:
    """A workload, compiled; answers and instructions by n, as they become known."""

    workload: Workload
    source: Path
    program: TraceProgram
    compile: float
    answers: dict[int, int] = field(default_factory=dict)
    instructions: dict[int, int] = field(default_factory=dict)

    def check(self, runner: Runner, n: int, sample: Sample) -> None:
        """The first answer is wasmtime's, which knows nothing of us; the others must agree."""
        known = self.answers.setdefault(n, sample.answer)
        if sample.answer != known:
            raise WrongAnswer(
                f"{self.workload.name}({n}): {runner.name} says {sample.answer}, not {known}"
            )
        if sample.instructions is not None:
            self.instructions.setdefault(n, sample.instructions)


@dataclass(frozen=True, slots=True)
class _Measured:
    runner: str
    program: str
    rate: float
    samples: dict[str, Sample]


def measure(*, quick: bool = False, hear: Hear = lambda text: None) -> Report:
    """The table. Quick: a few programs at 10^4 steps, in less than a minute."""
    here = machine()
    chosen = [w for w in WORKLOADS if not quick or w.name in QUICK]
    folder = find_sources(Path.cwd())
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as scratch:
        ready, notes = _started(runners(Path(scratch)))
        rows: list[tuple[Cell, ...]] = []
        found: list[_Measured] = []
        for workload in chosen:
            loaded = _load(workload, folder)
            _answers(loaded, ready, quick)
            for runner in ready:
                hear(f"{workload.name} on {runner.name}")
                measured = _measure(runner, loaded, quick)
                if measured is None:
                    least = min(workload.sizes.values())
                    notes.append(f"{workload.name} on {runner.name}: no size is small enough, "
                                 f"the least is n = {least}")  # fmt: skip
                    continue
                found.append(measured)
                rows.append(_row(runner, loaded, measured))
    notes += _ratios(found)
    return Report("programs", "The same programs on every engine", COLUMNS, rows, notes, here)


def _started(all_: Sequence[Runner]) -> tuple[list[Runner], list[str]]:
    ready, notes = [], []
    for runner in all_:
        try:
            runner.start()
            ready.append(runner)
        except EngineUnavailable as error:
            notes.append(f"skipped: {error}")
    return ready, notes


def _load(workload: Workload, folder: Path) -> _Loaded:
    source = folder / workload.source
    started = time.perf_counter()
    program = compile_file(source)
    return _Loaded(workload, source, program, time.perf_counter() - started)


def _sizes(runner: Runner, workload: Workload, quick: bool) -> list[str]:
    """What a runner is timed at: the sizes it is made for, as far as the program has them."""
    wanted = [size for size in runner.sizes if size in workload.sizes]
    if quick:
        fast = [TEN_4] if SMALL not in runner.sizes or TEN_4 in runner.sizes else [SMALL]
        wanted = [size for size in fast if size in workload.sizes]
    return wanted


def _answers(loaded: _Loaded, ready: Sequence[Runner], quick: bool) -> None:
    """Every n that will be timed is computed first by one that compiles the original."""
    judge = next(runner for runner in ready if runner.name == "wasmtime")
    run = judge.load(loaded.source, loaded.program)
    wanted = {size for runner in ready for size in _sizes(runner, loaded.workload, quick)}
    for size in wanted:
        n = loaded.workload.sizes[size]
        loaded.check(judge, n, run(n))


def _measure(runner: Runner, loaded: _Loaded, quick: bool) -> _Measured | None:
    sizes = _sizes(runner, loaded.workload, quick)
    if not sizes:
        return None
    run, samples = runner.load(loaded.source, loaded.program), dict[str, Sample]()
    first = loaded.workload.sizes[sizes[0]]
    loaded.check(runner, first, run(first))  # the answer, before anything is timed
    for size in sizes:
        n = loaded.workload.sizes[size]
        samples[size] = run(n)
        loaded.check(runner, n, samples[size])
    n, last = loaded.workload.sizes[sizes[-1]], samples[sizes[-1]]
    executed = loaded.instructions.get(n, 0) * last.repeats
    return _Measured(runner.name, loaded.workload.name, executed / max(last.cpu, 1e-9), samples)


def _row(runner: Runner, loaded: _Loaded, measured: _Measured) -> tuple[Cell, ...]:
    size = next(reversed(measured.samples))
    last, n = measured.samples[size], loaded.workload.sizes[size]
    first = next(iter(measured.samples.values()))
    ours = last.steps is not None
    return (
        *(loaded.workload.name, runner.name, size, n),
        last.steps,
        loaded.instructions.get(n),
        last.cpu / last.repeats,
        last.wall / last.repeats,
        measured.rate or None,
        *(_per_step(measured.samples.get(at)) for at in (TEN_4, TEN_6, TEN_7)),
        last.lookups / last.steps if last.lookups and last.steps else None,
        last.bytes_per_step,
        runner.build if ours else None,
        loaded.compile if ours else None,
        runner.build + loaded.compile + first.wall if ours else None,
    )


def _per_step(sample: Sample | None) -> float | None:
    return 1e6 * sample.cpu / sample.steps if sample and sample.steps else None


def _ratios(found: Sequence[_Measured]) -> list[str]:
    """What follows from the rows, in words."""
    notes = []
    rates = {name: {m.program: m.rate for m in found if m.runner == name and m.rate}
             for name in dict.fromkeys(m.runner for m in found)}  # fmt: skip
    for name, held in rates.items():
        if held:
            least = min(held, key=lambda program: held[program])
            notes.append(f"{name}: median {median(held.values()):,.0f} instructions per second of "
                         f"CPU time, least {held[least]:,.0f} ({least})")  # fmt: skip
    for measured in found:
        small, large = (measured.samples.get(size) for size in (TEN_4, TEN_7))
        ratio = (_per_step(large) or 0) / (_per_step(small) or 1)
        if small and large and ratio:
            notes.append(f"{measured.program} on {measured.runner}: a step at 10^7 costs "
                         f"{ratio:.2f} times one at 10^4")  # fmt: skip
    for name in (n for n in WEIGHTS if n in rates):
        for direct in ("pywasm3", "wasmtime", "native C"):
            both = [rates[direct][p] / rates[name][p]
                    for p in rates[name] if p in rates.get(direct, {})]  # fmt: skip
            if both:
                notes.append(f"{direct} is {min(both):,.3g} to {max(both):,.3g} times as fast as "
                             f"{name}, median {median(both):,.3g}")  # fmt: skip
    return notes


assert set(SIZES) == {SMALL, TEN_4, TEN_6, TEN_7}
