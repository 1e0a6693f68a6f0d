"""The benchmark itself: it verifies, it says what it skipped, its programs are right."""

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from transputer import api
from transputer.check.bench import BENCHES, Report, loom_speed
from transputer.check.bench.draw import draw
from transputer.check.bench.programs import COLUMNS, WrongAnswer, measure
from transputer.check.bench.report import machine
from transputer.check.bench.runners import BenchRunner, Sample, Wasmtime
from transputer.check.bench.workloads import QUICK, SIZES, WORKLOADS, Workload, find_sources
from transputer.engines.protocol import LoopedEngine
from transputer.errors import EngineUnavailable, UsageError
from transputer.model import Array, Looped
from transputer.runtime.loom.run import ENGINES
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import WEIGHTS

ROOT = Path(__file__).parents[3]


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def _collatz(n: int) -> int:
    steps = 0
    for x in range(1, n + 1):
        while x != 1:
            x, steps = (3 * x + 1 if x % 2 else x // 2), steps + 1
    return steps


def _fnv1a(n: int) -> int:
    value, seed = 0x811C9DC5, 1
    for _ in range(n):
        seed = (seed * 1664525 + 1013904223) % 2**32
        value = (value ^ seed >> 24) * 0x01000193 % 2**32
    return value


def _primes(n: int) -> int:
    return sum(all(i % d for d in range(2, i)) for i in range(2, n))


def _sha256(n: int) -> int:
    return int(struct.unpack(">I", hashlib.sha256(bytes(range(64)) * n).digest()[:4])[0])


#: What the programs compute, in Python.
PLAIN: dict[str, Callable[[int], int]] = {
    "countdown": lambda n: 0,
    "sum": lambda n: n * (n + 1) // 2,
    "fibonacci": _fibonacci,
    "fnv1a": _fnv1a,
    "primes": _primes,
    "collatz": _collatz,
    "recursion": _fibonacci,
    "sieve": _primes,
    "sha256": _sha256,
}


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)
def test_programs_compute_what_they_say(workload: Workload) -> None:
    """Against Python where that is short, against the oracle everywhere."""
    program = api.compile(find_sources(ROOT) / workload.source)
    n = 2 if workload.name in ("sha256", "matrix") else min(60, *workload.sizes.values())
    engines = ("oracle",) if workload.name == "sudoku" else ("oracle", "auto")
    answers = {engine: api.run(program, "run", [n], engine=engine).results for engine in engines}
    run = Wasmtime().load(Path(), program)
    assert set(map(tuple, answers.values())) == {(run(n).answer,)}
    if workload.name in PLAIN:
        assert run(n).answer % 2**32 == PLAIN[workload.name](n) % 2**32


def test_sizes_grow() -> None:
    for workload in WORKLOADS:
        sizes = [workload.sizes[size] for size in SIZES if size in workload.sizes]
        assert sizes == sorted(set(sizes))
    assert set(QUICK) < {workload.name for workload in WORKLOADS}


class Liar(Wasmtime):
    name = "liar"

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        run = super().load(source, program)
        return lambda n: Sample(run(n).answer + 1, 1.0, 1.0)


class Absent(BenchRunner):
    name = "absent"
    sizes = ("small",)

    def start(self) -> None:
        raise EngineUnavailable("absent: not here")

    def load(self, source: Path, program: TraceProgram) -> Callable[[int], Sample]:
        raise AssertionError("it never starts")


@pytest.mark.slow
def test_quick(cli: Callable[..., object], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = cli("bench", "--quick", "--json", "--output", str(tmp_path))
    found = json.loads(ran.out)
    assert ran.code == 0 and json.loads((tmp_path / "programs.json").read_text()) == found
    assert (tmp_path / "programs.svg").read_text().startswith("<?xml")
    assert {row["program"] for row in found["rows"]} == set(QUICK)
    engines = {row["engine"] for row in found["rows"]}
    assert {"native", "reference", "oracle", "wasmtime"} <= engines
    for engine in WEIGHTS:
        assert engine in engines or any(f"skipped: {engine}" in note for note in found["notes"])
    for row in found["rows"]:
        assert tuple(row) == COLUMNS and row["instructions/s"] > 0 and row["CPU s"] > 0
        if row["engine"] in WEIGHTS:
            # lifted code reads arrays: it is proved to need no lookups
            assert row["lookups/step"] == (None if row["engine"] == "lifted" else 10)
            assert row["steps"] >= row["instructions"]
    assert found["machine"].keys() >= {"cpu", "cores", "architecture", "commit"}


def test_a_wrong_answer_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    held = "transputer.check.bench.programs.runners"
    monkeypatch.setattr(held, lambda folder: [Wasmtime(), Liar()])
    with pytest.raises(WrongAnswer, match="liar gives"):
        measure(quick=True)
    monkeypatch.setattr(held, lambda folder: [Wasmtime(), Absent()])
    report = measure(quick=True)
    assert "skipped: absent: not here" in report.notes
    assert {row[1] for row in report.rows} == {"wasmtime"}


@pytest.mark.slow
def test_lookups_and_instructions() -> None:
    lookup = BENCHES["lookup"].measure(quick=True)
    cost = {(kind, keys): time for kind, keys, _, time in lookup.rows}
    assert {kind for kind, _ in cost} == {"table", "hull", "scan"}
    assert len(cost) == 9 and all(time > 0 for time in cost.values())
    rows = BENCHES["ops"].measure(quick=True).rows
    ops = {name: (steps, refused) for name, steps, _, refused in rows}
    assert ops["i32.add"] == ops["i32.store8"] == ops["call_indirect"] == (1.0, "")
    assert ops["memory.grow"] == (2.0, "") and ops["block"] == (0.0, "")
    assert all(steps is not None or refused for steps, refused in ops.values())


def test_reports(tmp_path: Path) -> None:
    report = Report("x", "Title", ("a", "b"), [(1234567, 0.00123456), ("name", None)])
    assert report.text() == [["1,234,567", "0.00123"], ["name", ""]]
    assert json.loads(report.save(tmp_path / "new").read_text())["rows"][0]["a"] == 1234567
    assert draw(report, tmp_path) is None
    assert report.machine == machine() or report.machine["load"]
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        report.save(tmp_path / "file")


def test_engines_of_looped_models_are_verified_before_they_are_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = ROOT / "examples" / "loom" / "gcd.c"
    native = ENGINES["native"]
    monkeypatch.setattr(loom_speed, "ENGINES", {"native": native})
    oracle, measured = loom_speed.loom_costs([source], seconds=0.01)
    assert (oracle.engine, measured.engine) == ("oracle", "native")
    assert measured.steps >= oracle.steps and measured.seconds > 0

    def other(model: Looped, state: Array) -> LoopedEngine:
        """An engine that began somewhere else: the first word of memory is another."""
        moved = state.copy()
        moved[model.names.index("memory.0"), 33] *= -1
        return native(model, moved)

    monkeypatch.setattr(loom_speed, "ENGINES", {"native": other})
    with pytest.raises(loom_speed.WrongSteps, match="steps differ"):
        list(loom_speed.loom_costs([source], seconds=0.01))
