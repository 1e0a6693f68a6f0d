"""Runners of the benchmark programs: our engines, and peers without a transformer."""

import importlib.util
import resource
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wasmtime

from transputer.check.bench.workloads import SMALL, TEN_4, TEN_6, TEN_7, TEN_8
from transputer.engines.lifted.decoder import settle
from transputer.errors import EngineUnavailable
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import ORACLES, WEIGHTS, new_session

#: Direct runs are repeated for this many seconds, so that the clock is precise enough.
LONG_ENOUGH = 0.05
#: Fast runs are timed this often, for this many seconds at most; the best time counts.
TIMES, ENOUGH = 5, 10.0
#: Most repetitions of a lifted run: a session has room for 2^32 tokens.
REPEATS = 4
#: Steps, or CPU seconds, of a lifted program between which it waits for its code, and how often;
#: only if a run has `LONG` steps or more.
STEADY, PATIENCE, WAITS, LONG = 1 << 26, 2.0, 4, 1_000_000
_PAGE = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Sample:
    """A timing: the answer, and the CPU and wall time of `repeats` runs together."""

    answer: int
    cpu: float
    wall: float
    repeats: int = 1
    steps: int | None = None
    instructions: int | None = None
    lookups: int | None = None
    bytes_per_step: float | None = None


class BenchRunner(ABC):
    """Runs `run(n)` of a compiled program. `sizes` are those that it is fast enough for."""

    name: str
    sizes: tuple[str, ...]
    build = 0.0  #: seconds to make it ready, once

    def start(self) -> None:
        """Prepare for all programs; raise `EngineUnavailable` if it cannot run here."""
        return None

    @abstractmethod
    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Load a program; return a function that runs it."""


class EngineRunner(BenchRunner):
    """An engine of ours."""

    def __init__(self, name: str) -> None:
        self.name = name
        slow = name in ("reference", "torch")
        exact = (SMALL, TEN_4, TEN_6) if name in ORACLES else (TEN_4, TEN_6, TEN_7)
        self.sizes = (SMALL,) if slow else exact

    def start(self) -> None:
        """Build the model and the engine."""
        started = time.process_time()
        new_session(self.name, max_steps=1)
        self.build = time.process_time() - started

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Return a function that loads and runs the program; loading is timed."""
        return lambda n: self._run(program, n)

    def _run(self, program: TraceProgram, n: int) -> Sample:
        before = most = _resident()

        def pulse(steps: int) -> None:
            nonlocal most
            most = max(most, _resident())

        cpu, wall = time.process_time(), time.perf_counter()
        result = run_program(program, "run", [n], engine=self.name, pulse=pulse)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        weights = self.name in WEIGHTS
        return Sample(
            *(_answer(result.results), cpu, wall, 1, result.steps, result.instructions),
            result.lookups if weights else None,
            (most - before) / result.steps if weights and most else None,
        )


class LiftedRunner(EngineRunner):
    """The lifted engine: it generates code for a program once, in a session with many runs.

    Generating code counts towards `build` and the first answer, not towards the times of runs:
    they are timed once hot nodes have code. Runs of fewer than `LONG` steps have none.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.sizes = (*self.sizes, TEN_8)

    def start(self) -> None:
        """Build the model, which all programs share."""
        super().start()
        self.shared = self.build

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Generate code for the program."""
        started = time.process_time()
        session = new_session(self.name, max_steps=10**9)
        instance, _ = session.load_program(program)
        session.invoke(instance, "run", [0])
        self.build = self.shared + time.process_time() - started
        return lambda n: self._again(session, instance, n)

    def _again(self, session: Any, instance: Any, n: int) -> Sample:
        once = session.invoke(instance, "run", [n]).steps
        for _ in range(WAITS if once >= LONG else 0):
            began, steps = time.process_time(), 0
            while steps < STEADY and time.process_time() - began < PATIENCE:
                steps += session.invoke(instance, "run", [n]).steps
            settle()
        return _best(lambda: self._timed(session, instance, n))

    def _timed(self, session: Any, instance: Any, n: int) -> Sample:
        repeats, cpu, wall = 0, time.process_time(), time.perf_counter()
        while not repeats or (time.process_time() - cpu < LONG_ENOUGH and repeats < REPEATS):
            outcome = session.invoke(instance, "run", [n])
            repeats += 1
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        answer = _signed(_answer(list(outcome.results)))
        return Sample(answer, cpu, wall, repeats, outcome.steps, outcome.instructions)


class Wasm3(BenchRunner):
    """wasm3 through pywasm3: a real interpreter of WebAssembly."""

    name = "pywasm3"
    sizes: tuple[str, ...] = (TEN_7, TEN_8)

    def start(self) -> None:
        """Check that the extra is installed."""
        if importlib.util.find_spec("wasm3") is None:
            raise EngineUnavailable("pywasm3: not installed; pip install 'transputer[bench]'")

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Translate the module for the interpreter."""
        import wasm3

        environment = wasm3.Environment()
        runtime = environment.new_runtime(1 << 20)
        runtime.load(environment.parse_module(program.wasm()))
        function = runtime.find_function("run")
        alive = (environment, runtime)  # the function does not keep them alive
        return lambda n: _best(lambda: _repeated(lambda: int(function(n)), alive))


class Wasmtime(BenchRunner):
    """wasmtime: a real compiler of WebAssembly."""

    name = "wasmtime"
    sizes: tuple[str, ...] = (TEN_7, TEN_8)

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Compile the module."""
        store = wasmtime.Store()
        module = wasmtime.Module(store.engine, program.wasm())
        function = wasmtime.Instance(store, module, []).exports(store)["run"]
        if not isinstance(function, wasmtime.Func):
            raise TypeError("run is not a function")
        return lambda n: _best(lambda: _repeated(lambda: int(function(store, n)), store))


_HARNESS = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int run(int n);
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int main(int count, char **args) {
    int n = atoi(args[count - 2]), answer = 0, repeats = 0;
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC), spent;
    do {
        answer = run(n);
        repeats++;
        spent = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    } while (spent < atof(args[count - 1]));
    printf("%d %d %.9f %.9f\\n", answer, repeats, spent, now(CLOCK_MONOTONIC) - wall);
}
"""


class NativeC(BenchRunner):
    """The same C, compiled for this machine with -O2."""

    name = "native C"
    sizes: tuple[str, ...] = (TEN_7, TEN_8)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiler: list[str] = []

    def start(self) -> None:
        """Find gcc, or zig's C compiler."""
        zig = importlib.util.find_spec("ziglang")
        if gcc := shutil.which("gcc") or shutil.which("cc"):
            self.compiler = [gcc]
        elif zig is not None and zig.origin is not None:
            self.compiler = [str(Path(zig.origin).with_name("zig")), "cc"]
        else:
            raise EngineUnavailable("native C: no C compiler found")

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        """Compile the program with a timing harness."""
        harness, binary = self.folder / "harness.c", self.folder / f"{source.stem}.exe"
        harness.write_text(_HARNESS, encoding="utf-8")
        command = [
            *self.compiler,
            "-O2",
            "-ffp-contract=off",  # rounds as WebAssembly does, whatever the processor can
            "-std=gnu11",
            str(source),
            str(harness),
            "-o",
            str(binary),
            "-lm",
        ]
        subprocess.run(command, check=True, capture_output=True)
        return lambda n: _best(lambda: _run_c(binary, n))


def _run_c(binary: Path, n: int) -> Sample:
    command = [str(binary), str(n), str(LONG_ENOUGH)]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    answer, repeats, cpu, wall = process.stdout.split()
    return Sample(int(answer), float(cpu), float(wall), int(repeats))


def _best(timed: Callable[[], Sample]) -> Sample:
    """The best of several times; other work on the machine only makes them worse."""
    began = time.perf_counter()
    best = timed()
    for _ in range(TIMES - 1):
        if time.perf_counter() - began > ENOUGH:
            break
        best = min(best, timed(), key=lambda sample: sample.cpu / sample.repeats)
    return best


def _repeated(call: Callable[[], int], alive: Any) -> Sample:
    """Time repeated calls; `alive` keeps their objects alive."""
    repeats, cpu, wall = 0, time.process_time(), time.perf_counter()
    while not repeats or time.process_time() - cpu < LONG_ENOUGH:
        answer = call()
        repeats += 1
    return Sample(_signed(answer), time.process_time() - cpu, time.perf_counter() - wall, repeats)


def _answer(results: list[Any]) -> int:
    (value,) = results
    return int(value)


def _signed(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def _resident() -> int:
    """Return the resident memory in bytes; 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def runners(folder: Path) -> list[BenchRunner]:
    """Return all runners, engines on weights first."""
    kinds = {"lifted": LiftedRunner}
    ours: list[BenchRunner] = [kinds.get(name, EngineRunner)(name) for name in (*WEIGHTS, "oracle")]
    return [*ours, Wasm3(), Wasmtime(), NativeC(folder)]
