"""A clock that counts the steps of the session, or its readings."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transputer import api
from transputer.engines.lifted.decoder import HASTY, Pace, set_pace
from transputer.errors import StepLimitError, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.result import Result
from transputer.ir.environment import Environment, Ticks
from transputer.ir.verify import verify
from transputer.lower.origin import as_written
from transputer.lower.wasi import lower_wasi
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.vocabulary import Status
from transputer.runtime.map import InputRow, map_inputs, runner
from transputer.runtime.trace.pack import pack
from transputer.runtime.trace.program import TraceProgram, from_binary
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import AnySession, MachineSession, new_session

#: Puts out the low byte of the thousands in each of some readings, with a loop between them, and
#: returns the last reading.
READER = """(module
  (import "wasi_snapshot_preview1" "clock_time_get"
    (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "\\50\\00\\00\\00\\01\\00\\00\\00")
  (func (export "readings") (param $n i32) (result i64) (local $i i32)
    loop $next
      (drop (call $clock (i32.const 1) (i64.const 1) (i32.const 0)))
      (i32.store8 (i32.const 80)
        (i32.wrap_i64 (i64.div_u (i64.load (i32.const 0)) (i64.const 1000))))
      (drop (call $write (i32.const 1) (i32.const 64) (i32.const 1) (i32.const 96)))
      (local.set $i (i32.const 3))
      loop $wait
        (br_if $wait (local.tee $i (i32.sub (local.get $i) (i32.const 1))))
      end
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
    end
    (i64.load (i32.const 0))))
"""
C = """
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static long long ns(struct timespec t) { return t.tv_sec * 1000000000LL + t.tv_nsec; }
static long long now(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return ns(t); }
"""
LOOPS = (
    C
    + """
int main(void) {
    volatile int x = 0;
    long long a = now();
    for (int i = 0; i < 500; i++) x += i;
    long long b = now();
    for (int i = 0; i < 1000; i++) x += i;
    printf("%lld %lld\\n", b - a, now() - b);
    return 0;
}
"""
)
WAITS = (
    C
    + """
int main(void) {
    clock_t before = clock();
    while (clock() - before < CLOCKS_PER_SEC / PART);
    printf("%d ", clock() - before >= CLOCKS_PER_SEC / PART);
    time_t then = time(0);
    long long start = now();
    sleep(1);
    printf("%d %d\\n", time(0) - then >= 1, now() - start >= 1000000000);
    return 0;
}
"""
)
FILES = (
    C
    + """
int main(void) {
    struct stat about;
    long long before = now();
    FILE *f = fopen("new", "w");
    fputs("x", f);
    fclose(f);
    stat("new", &about);
    printf("%d %d\\n", before < ns(about.st_mtim), ns(about.st_mtim) < now());
    return 0;
}
"""
)


@pytest.fixture
def reader() -> TraceProgram:
    return from_binary("reader.wasm", to_wasm(READER))


@pytest.fixture
def hasty() -> Iterator[None]:
    set_pace(HASTY)
    yield
    set_pace(Pace())


def c_program(folder: Path, text: str, **options: Any) -> TraceProgram:
    (folder / "program.c").write_text(text)
    program = api.compile(folder / "program.c", **options)
    assert isinstance(program, TraceProgram)
    return program


def recorded(program: TraceProgram, count: int) -> tuple[Result, list[int]]:
    """The result of some readings, and how many steps came before each, by the trace."""
    sessions: list[AnySession] = []
    result = run_program(program, "readings", [count], engine="native", begin=sessions.append)
    (session,) = sessions
    assert isinstance(session, MachineSession)
    status = session.trace.tape.tokens[:, STATUS]
    stops = np.flatnonzero(status == Status.HOST)
    first = len(status) - result.steps - len(stops)  # each has an answer of the host
    return result, [int(stop) + 1 - first - i for i, stop in enumerate(stops)]


def test_readings_are_the_steps_before_them(reader: TraceProgram) -> None:
    result, steps = recorded(reader, 9)
    assert len(steps) == 9
    assert list(result.stdout) == [n % 256 for n in steps]
    assert result.results == [1000 * steps[-1]]


@pytest.mark.parametrize(
    "engine", ["lifted", "auto", pytest.param("reference", marks=pytest.mark.slow)]
)
def test_all_engines_read_the_same(reader: TraceProgram, hasty: None, engine: str) -> None:
    count = 1 if engine == "reference" else 40
    one, two = (reader.run("readings", [count], engine=e, digest=True) for e in ("native", engine))
    assert (one.results, one.stdout) == (two.results, two.stdout)
    assert one.trace_sha256 == two.trace_sha256 is not None
    assert two.engine == ("lifted" if engine == "auto" else engine)


@pytest.mark.parametrize("engine", ["oracle", "core", "words"])
def test_oracles_count_their_own_steps(reader: TraceProgram, engine: str) -> None:
    first, second = (reader.run("readings", [n], engine=engine).results[0] for n in (10, 20))
    assert first > 10_000 and abs(second - 2 * first) < first // 10
    readings = [reader.run("readings", [5], engine=e, ticks="readings") for e in ("native", engine)]
    assert readings[0].results == readings[1].results == [4_000_000]
    assert readings[0].stdout == readings[1].stdout


def test_time_goes_on_in_a_later_call_and_in_another_module(reader: TraceProgram) -> None:
    session = new_session("native", max_steps=10**6)
    session.environment = Environment(ticks=Ticks.STEPS)
    one, two = (session.load_program(reader)[0] for _ in range(2))
    calls = [session.invoke(instance, "readings", [1]) for instance in (one, two, one)]
    times = [call.results[0] // 1000 for call in calls]
    before = [0, calls[0].steps, calls[0].steps + calls[1].steps]
    same = [time - steps for time, steps in zip(times, before, strict=True)]
    assert len(set(same)) == 1 and same[0] > 0


def test_a_loop_twice_as_long_takes_twice_the_time(tmp_path: Path) -> None:
    program = c_program(tmp_path, LOOPS)
    short, long = map(int, program.run().stdout.split())
    assert short > 5_000_000 and abs(long - 2 * short) < short // 20


@pytest.mark.parametrize("part", [100, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ticks", ["steps", "readings"])
def test_programs_that_wait_end(tmp_path: Path, ticks: str, part: int) -> None:
    program = c_program(tmp_path, WAITS, defines=[f"PART={part}"])
    result = program.run(ticks=ticks, max_steps=2_000_000)
    assert result.stdout == b"1 1 1\n"


@pytest.mark.parametrize("engine", ["native", "oracle", "words"])
def test_files_have_the_time_of_the_clock(tmp_path: Path, engine: str) -> None:
    program = c_program(tmp_path, FILES)
    (tmp_path / "d").mkdir()
    for ticks in Ticks:
        result = program.run(engine=engine, dirs=[f"{tmp_path / 'd'}::.:rw"], ticks=ticks)
        assert result.stdout == b"1 1\n"
        (tmp_path / "d" / "new").unlink()


@pytest.mark.parametrize("keep", [True, False], ids=["trace", "no-trace"])
def test_resumed_at_any_step(reader: TraceProgram, tmp_path: Path, keep: bool) -> None:
    file, call = tmp_path / "run.ckpt", {"invoke": "readings", "args": [3], "digest": True}
    whole, (_, readings) = reader.run(**call), recorded(reader, 3)
    options = {**call, "keep": keep, "engine": "native"}
    assert whole.steps > 150
    for at in (readings[0], readings[1] - 1, readings[1] + 1):
        with pytest.raises(StepLimitError):
            reader.run(max_steps=at, checkpoint=file, **options)
        if at % 2:  # resumed twice
            with suppress(StepLimitError):
                reader.run(max_steps=at + 20, checkpoint=file, resume=file, **options)
        more = reader.run(resume=file, **options)
        assert (more.stdout, more.results) == (whole.stdout, whole.results), at
        assert (more.steps, more.trace_sha256) == (whole.steps, whole.trace_sha256), at


def test_a_checkpoint_has_its_clock(reader: TraceProgram, tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    with pytest.raises(StepLimitError):
        reader.run("readings", [3], max_steps=90, checkpoint=file)
    with pytest.raises(UsageError, match="another program"):
        reader.run("readings", [3], resume=file, ticks="readings")


def test_the_debugger_sees_the_same_time(reader: TraceProgram) -> None:
    whole = reader.run("readings", [4])
    debugger = reader.debug("readings", [4])
    assert debugger.result.stdout == whole.stdout
    last = debugger.state(whole.steps).now
    for step in (5, whole.steps // 2, whole.steps):
        debugger.state(step)
    assert debugger.state(whole.steps).now == last


def test_rows_of_a_map_read_what_a_run_reads(reader: TraceProgram, tmp_path: Path) -> None:
    path = tmp_path / "reader.wasm"
    path.write_bytes(reader.binary)
    rows = [InputRow(i, json.dumps({"args": [i % 5 + 1]})) for i in range(40)]
    results = list(map_inputs(runner(path, "readings"), rows))
    wanted = {n: reader.run("readings", [n]).results for n in range(1, 6)}
    assert [r["results"] for r in results] == [wanted[i % 5 + 1] for i in range(40)]


def test_comparisons_and_models_count_readings(reader: TraceProgram) -> None:
    assert reader.diff(("native", "oracle"), invoke="readings", args=[3]).difference is None
    packed = TraceProgram("reader", packed=pack(reader, "readings"))
    assert packed.run("readings", [3], engine="native").results == [2_000_000]


@pytest.mark.parametrize("ticks", Ticks)
def test_only_a_clock_that_counts_steps_asks_for_them(ticks: Ticks) -> None:
    linked = lower_wasi(
        as_written(verify(decode(to_wasm(READER))).module), Environment(ticks=ticks)
    )
    names = [i.name for i in linked.module.imports]
    assert names == (["put", "steps"] if ticks is Ticks.STEPS else ["put"])


def test_the_clock_counts_something_known(reader: TraceProgram) -> None:
    with pytest.raises(UsageError, match="counts steps or readings, not 'days'"):
        reader.run("readings", [1], ticks="days")
