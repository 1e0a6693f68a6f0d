"""`bench`: every program on every engine, in one table."""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.runners import BenchRunner, Sample, runners
from transputer.check.bench.workloads import (
    QUICK,
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
Progress = Callable[[str], None]


class WrongAnswer(TransputerError):
    """The engines give different answers, so nothing is timed."""

    exit_code = 1


@dataclass(slots=True)
class _CompiledWorkload:
    """A compiled workload, with the known answers and instruction counts by n."""

    workload: Workload
    source: Path
    program: TraceProgram
    compile: float
    answers: dict[int, int] = field(default_factory=dict)
    instructions: dict[int, int] = field(default_factory=dict)

    def check(self, runner: BenchRunner, n: int, sample: Sample) -> None:
        """Check that an answer equals the first one, which is wasmtime's."""
        expected = self.answers.setdefault(n, sample.answer)
        if sample.answer != expected:
            raise WrongAnswer(
                f"{self.workload.name}({n}): {runner.name} gives {sample.answer}, not {expected}"
            )
        if sample.instructions is not None:
            self.instructions.setdefault(n, sample.instructions)


@dataclass(frozen=True, slots=True)
class _Measurement:
    runner: str
    program: str
    rate: float
    samples: dict[str, Sample]


def measure(*, quick: bool = False, progress: Progress = lambda text: None) -> Report:
    """Return the table; `quick` runs a few programs at 10^4 steps, in less than a minute."""
    here = machine()
    workloads = [w for w in WORKLOADS if not quick or w.name in QUICK]
    folder = find_sources(Path.cwd())
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as scratch:
        ready, notes = _started(runners(Path(scratch)))
        rows: list[tuple[Cell, ...]] = []
        measurements: list[_Measurement] = []
        for workload in workloads:
            loaded = _load(workload, folder)
            _answers(loaded, ready, quick)
            for runner in ready:
                progress(f"{workload.name} on {runner.name}")
                measured = _measure(runner, loaded, quick)
                if measured is None:
                    least = min(workload.sizes.values())
                    notes.append(f"{workload.name} on {runner.name}: no size is small enough, "
                                 f"the least is n = {least}")  # fmt: skip
                    continue
                measurements.append(measured)
                rows.append(_row(runner, loaded, measured))
    notes += _ratios(measurements)
    return Report("programs", "The same programs on every engine", COLUMNS, rows, notes, here)


def _started(all_: Sequence[BenchRunner]) -> tuple[list[BenchRunner], list[str]]:
    ready, notes = [], []
    for runner in all_:
        try:
            runner.start()
            ready.append(runner)
        except EngineUnavailable as error:
            notes.append(f"skipped: {error}")
    return ready, notes


def _load(workload: Workload, folder: Path) -> _CompiledWorkload:
    source = folder / workload.source
    started = time.perf_counter()
    program = compile_file(source)
    return _CompiledWorkload(workload, source, program, time.perf_counter() - started)


def _sizes(runner: BenchRunner, workload: Workload, quick: bool) -> list[str]:
    """Return the sizes at which a runner is timed: its own, as far as the program has them."""
    sizes = [size for size in runner.sizes if size in workload.sizes]
    if quick:
        fast = [TEN_4] if SMALL not in runner.sizes or TEN_4 in runner.sizes else [SMALL]
        sizes = [size for size in fast if size in workload.sizes]
    return sizes


def _answers(loaded: _CompiledWorkload, ready: Sequence[BenchRunner], quick: bool) -> None:
    """Compute the answer for every n to be timed, with wasmtime on the original module."""
    judge = next(runner for runner in ready if runner.name == "wasmtime")
    run = judge.load(loaded.source, loaded.program)
    for size in {size for runner in ready for size in _sizes(runner, loaded.workload, quick)}:
        n = loaded.workload.sizes[size]
        loaded.check(judge, n, run(n))


def _measure(runner: BenchRunner, loaded: _CompiledWorkload, quick: bool) -> _Measurement | None:
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
    return _Measurement(runner.name, loaded.workload.name, executed / max(last.cpu, 1e-9), samples)


def _row(
    runner: BenchRunner, loaded: _CompiledWorkload, measured: _Measurement
) -> tuple[Cell, ...]:
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


def _ratios(measurements: Sequence[_Measurement]) -> list[str]:
    """Return notes on the medians and ratios of the rows."""
    notes = []
    rates = {name: {m.program: m.rate for m in measurements if m.runner == name and m.rate}
             for name in dict.fromkeys(m.runner for m in measurements)}  # fmt: skip
    for name, rated in rates.items():
        if rated:
            least = min(rated, key=lambda program: rated[program])
            notes.append(f"{name}: median {median(rated.values()):,.0f} instructions per second of "
                         f"CPU time, least {rated[least]:,.0f} ({least})")  # fmt: skip
    for measured in measurements:
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
