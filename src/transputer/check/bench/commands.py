"""`bench commands`: what a user waits for, from the command to its answer, by length of run."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

from transputer.check.bench.programs import Progress, WrongAnswer
from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.runners import Wasm3, Wasmtime
from transputer.check.bench.workloads import (
    LONGEST,
    MAX_STEPS,
    QUICK,
    TEN_4,
    TEN_6,
    TEN_8,
    WORKLOADS,
    Workload,
    find_sources,
)
from transputer.errors import EngineUnavailable, TransputerError
from transputer.runtime.trace.program import compile_file

#: Sizes that are run, and those at which `native`, a step at a time, is run too.
LENGTHS = (TEN_4, TEN_6, TEN_8, LONGEST)
NATIVE = (TEN_4, TEN_6)
#: Second runs, each from the cache that the first one left; the fastest counts.
TURNS = 5
#: What `auto` may take: times the best fixed choice, first and again, and seconds over `native`.
FIRST, AGAIN, OVER = 2.0, 1.3, 2.0
COLUMNS = (
    *("program", "length", "n", "auto first", "auto again", "native first", "native again"),
    *("lifted first", "lifted again", "pywasm3", "wasmtime", "native C"),
)


@dataclass(frozen=True, slots=True)
class _Timed:
    """CPU seconds of a command and the answer it printed."""

    cpu: float
    answer: int


def measure(*, quick: bool = False, progress: Progress = lambda text: None) -> Report:
    """Time whole commands; each program starts with a cache that knows other programs only."""
    here, folder = machine(), find_sources(Path.cwd())
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as scratch:
        warm = warm_cache(Path(scratch), progress)
        for workload in WORKLOADS:
            for length in LENGTHS[: 2 if quick else None]:
                if length in workload.sizes and (workload.name in QUICK or not quick):
                    progress(f"{workload.name} at {length}")
                    rows.append(_row(workload, length, folder, warm))
    title = "CPU seconds of whole commands, by length of run"
    return Report("commands", title, COLUMNS, rows, [*_notes(rows), _EXPLAINED], here)


_EXPLAINED = (
    "auto, native and lifted are `transputer run --engine`; the first run of a program compiles it "
    "and its fast code, the next finds both in the cache (the fastest of five, in turn with the "
    "others). pywasm3 and wasmtime load the compiled module and run it in a process that is there "
    "already; native C is gcc -O2 and the program."
)


def warm_cache(scratch: Path, progress: Progress) -> Path:
    """Return a cache with the models, the engines and one program that is none of ours."""
    warm, other = scratch / "warm", scratch / "other.c"
    other.write_text("int run(int n) { return n; }\n")
    for engine in ("auto", "native", "lifted"):
        progress(f"preparing {engine}")
        _command(other, 1, engine, warm)
    return warm


def _row(workload: Workload, length: str, folder: Path, warm: Path) -> tuple[Cell, ...]:
    source, n = folder / workload.source, workload.sizes[length]
    engines = ("auto", "native", "lifted") if length in NATIVE else ("auto", "lifted")
    times: dict[str, float] = {}
    peers = list(_peers(source, n))
    answer = peers[0][1].answer

    def answered(engine: str, home: Path) -> float:
        ran = _command(source, n, engine, home)
        if ran.answer != answer:
            raise WrongAnswer(f"{workload.name}({n}): {engine} gives {ran.answer}")
        return ran.cpu

    with tempfile.TemporaryDirectory(dir=warm.parent) as own:
        for engine in engines:
            home = shutil.copytree(warm, Path(own, engine))
            times[f"{engine} first"] = answered(engine, home)
        for turn in range(TURNS):  # in turn, because a machine's speed changes
            for engine in engines:
                home = shutil.copytree(Path(own, engine), Path(own, f"{engine} {turn}"))
                again = times.get(f"{engine} again", inf)
                times[f"{engine} again"] = min(again, answered(engine, home))
                shutil.rmtree(home)
    times |= {name: ran.cpu for name, ran in peers}
    return (workload.name, length, n, *(times.get(column) for column in COLUMNS[3:]))


def _command(source: Path, n: int, engine: str, home: Path) -> _Timed:
    arguments = ["run", str(source), "--invoke", "run", str(n), "--engine", engine]
    cpu, output = timed([*arguments, "--max-steps", str(MAX_STEPS), "--no-trace"], home)
    return _Timed(cpu, int(output))


def timed(arguments: list[str], home: Path, stdin: bytes = b"") -> tuple[float, bytes]:
    """Run a command whose cache is in `home`; return its CPU seconds and its output."""
    command = [sys.executable, "-m", "transputer", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a package that is installed has bytecode
    before = children_seconds()
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True)
    if done.returncode:
        raise TransputerError(f"{' '.join(command)}: {done.stderr.decode().strip()}")
    return children_seconds() - before, done.stdout


def children_seconds() -> float:
    """CPU seconds of subprocesses that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _peers(source: Path, n: int) -> Iterator[tuple[str, _Timed]]:
    """Yield the peers that are installed, wasmtime first."""
    program = compile_file(source)
    for peer in (Wasmtime(), Wasm3()):
        try:
            peer.start()
        except EngineUnavailable:
            continue
        started = time.process_time()
        sample = peer.load(source, program)(n)
        loading = time.process_time() - started - sample.cpu
        yield peer.name, _Timed(loading + sample.cpu / sample.repeats, sample.answer)
    if gcc := shutil.which("gcc") or shutil.which("cc"):
        yield "native C", _native(gcc, source, n)


def _native(gcc: str, source: Path, n: int) -> _Timed:
    with tempfile.TemporaryDirectory() as scratch:
        main, binary = Path(scratch, "main.c"), Path(scratch, "program")
        main.write_text(
            "#include <stdio.h>\n#include <stdlib.h>\nint run(int n);\n"
            'int main(int c, char **v) { printf("%d\\n", run(atoi(v[c - 1]))); }\n'
        )
        before = children_seconds()
        subprocess.run([gcc, "-O2", str(source), str(main), "-o", str(binary), "-lm"], check=True)
        done = subprocess.run([str(binary), str(n)], check=True, capture_output=True, text=True)
        return _Timed(children_seconds() - before, int(done.stdout))


def _notes(rows: list[tuple[Cell, ...]]) -> list[str]:
    """Say for how many rows `auto` takes no more than it may."""
    cells = [dict(zip(COLUMNS, row, strict=True)) for row in rows]

    def met(rule: Callable[[dict[str, Cell]], bool]) -> str:
        bad = [f"{c['program']} {c['length']}" for c in cells if not rule(c)]
        return f"{len(cells) - len(bad)} of {len(cells)}" + (
            f"; not {', '.join(bad)}" if bad else ""
        )

    def best(c: dict[str, Cell], turn: str) -> float:
        return min(t for e in ("native", "lifted") if (t := _number(c[f"{e} {turn}"])) is not None)

    def number(c: dict[str, Cell], column: str) -> float:
        return _number(c[column]) or 0.0

    return [
        f"auto takes at most {FIRST:g} times the better of native and lifted, first: "
        + met(lambda c: number(c, "auto first") <= FIRST * best(c, "first")),
        f"auto takes at most {AGAIN:g} times the better of native and lifted, again: "
        + met(lambda c: number(c, "auto again") <= AGAIN * best(c, "again")),
        f"auto takes at most {OVER:g} s more than native, first: "
        + met(lambda c: not number(c, "native first")
              or number(c, "auto first") <= number(c, "native first") + OVER),
    ]  # fmt: skip


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, float) else None
