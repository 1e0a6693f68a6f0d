"""Long runs: interrupted, put aside, gone on with, and memory that does not grow."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.sampling import sampled
from transputer import api
from transputer.cli.progress import Ticker
from transputer.engines.lifted.decoder import HASTY, Pace, set_pace
from transputer.engines.native import compile as compile_module
from transputer.engines.native.compile import compilers
from transputer.errors import MalformedError, StepLimitError, UsageError
from transputer.host.outcome import Interrupted
from transputer.host.result import Result
from transputer.machines.trace.checkpoint import load
from transputer.machines.trace.tape import WIDTH

ROOT = Path(__file__).parents[2]
SOURCE = """
#include <transputer.h>
static unsigned x = 12345, seen[64];
int main(void) {
    int c;
    while ((c = tp_read()) >= 0) {
        for (int i = 0; i < 250; i++) {
            x = x * 1664525u + 1013904223u ^ (unsigned)c;
            if (i % 7 == 0) x /= 3;
            seen[x % 64] += x;
        }
        tp_write('a' + x % 26);
    }
    for (int i = 0; i < 64; i++) tp_write('a' + seen[i] % 26);
    tp_write('\\n');
    return 3;
}
"""
INPUT = b"transputer"

pytestmark = pytest.mark.skipif(not compilers(), reason="no C compiler for the native engine")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "mixer.c"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def whole(program: Path) -> Result:
    return api.run(program, stdin=INPUT, digest=True)


def stop_at(limit: int) -> Callable[[int], None]:
    def pulse(steps: int) -> None:
        if steps >= limit:
            raise Interrupted

    return pulse


def same(one: Result, other: Result) -> bool:
    names = "results stdout exit_code trap steps instructions trace_sha256 lookups".split()
    return all(getattr(one, name) == getattr(other, name) for name in names)


def test_the_oracle_agrees(program: Path, whole: Result) -> None:
    oracle = api.run(program, stdin=INPUT, engine="oracle")
    assert (oracle.stdout, oracle.exit_code) == (whole.stdout, whole.exit_code) != (b"", 0)
    assert whole.steps > 60_000


@pytest.fixture
def hasty() -> Iterator[None]:
    """Change to lifted code at once."""
    set_pace(HASTY)
    yield
    set_pace(Pace())


@pytest.mark.parametrize("keep", [True, False], ids=["trace", "no-trace"])
@pytest.mark.parametrize("at", [1, 40_000])
def test_interrupted_and_resumed(
    program: Path, whole: Result, tmp_path: Path, keep: bool, at: int
) -> None:
    file, compiled = tmp_path / "run.ckpt", api.compile(program)
    options = {"stdin": INPUT, "keep": keep, "digest": True, "engine": "native"}
    interrupted(compiled, whole, file, at, options)
    assert load(file, WIDTH).traced == keep


@pytest.mark.parametrize("at", [1, 3000, 40_000])
@pytest.mark.parametrize("engine", ["auto", "lifted"])
@pytest.mark.usefixtures("hasty")
def test_interrupted_in_lifted_code(
    program: Path, whole: Result, tmp_path: Path, engine: str, at: int
) -> None:
    file, compiled = tmp_path / "run.ckpt", api.compile(program)
    interrupted(compiled, whole, file, at, {"stdin": INPUT, "digest": True, "engine": engine})
    held = load(file, WIDTH)
    assert "cells" in held.snapshot and not held.hash_state
    with pytest.raises(UsageError, match="made by lifted code; resume with --engine auto"):
        api.run(compiled, stdin=INPUT, engine="native", keep=False, resume=file)
    rows = held.snapshot["rows"] ^ 1
    replace(held, snapshot={**held.snapshot, "rows": rows}).save(file)
    with pytest.raises(UsageError, match="another version of lifted code"):
        api.run(compiled, stdin=INPUT, engine=engine, resume=file)
    held.save(file)
    # the host gave the first byte, and the engine took others
    assert held.taken and INPUT[1:].startswith(held.taken)
    with pytest.raises(UsageError, match="another program, other arguments or other input"):
        api.run(compiled, stdin=INPUT[:1] + b"?" + INPUT[2:], engine=engine, resume=file)


@pytest.mark.parametrize("engine", ["auto", "lifted"])
@pytest.mark.usefixtures("hasty")
def test_lifted_code_goes_on_from_the_native_engine(
    program: Path, whole: Result, tmp_path: Path, engine: str
) -> None:
    file, native = tmp_path / "run.ckpt", {"engine": "native", "keep": False}
    api.run(program, stdin=INPUT, pulse=stop_at(40_000), checkpoint=file, **native)
    assert same(api.run(program, stdin=INPUT, engine=engine, resume=file, digest=True), whole)


def interrupted(
    compiled: api.Program, whole: Result, file: Path, at: int, options: dict[str, Any]
) -> None:
    """Interrupt a run and go on with it, twice; it ends as if nothing had happened."""
    part = api.run(compiled, pulse=stop_at(at), checkpoint=file, **options)
    assert part.interrupted and part.as_json()["interrupted"]
    assert at <= part.steps < whole.steps and part.instructions
    assert whole.stdout.startswith(part.stdout)
    later = {**options, "resume": file}
    more = api.run(compiled, pulse=stop_at(part.steps + 30_000), checkpoint=file, **later)
    assert more.interrupted and more.steps > part.steps
    assert same(api.run(compiled, **later), whole)


@pytest.mark.parametrize("keep", [True, False], ids=["trace", "no-trace"])
def test_the_step_limit_puts_aside(
    program: Path, whole: Result, tmp_path: Path, keep: bool
) -> None:
    file, options = tmp_path / "run.ckpt", {"stdin": INPUT, "keep": keep, "digest": True}
    with pytest.raises(StepLimitError, match="--max-steps and continue with --resume .*run.ckpt$"):
        api.run(program, max_steps=54_321, checkpoint=file, **options)
    assert same(api.run(program, resume=file, **options), whole)


@pytest.mark.parametrize("keep", [True, False], ids=["trace", "no-trace"])
def test_the_limit_may_be_at_a_read(tmp_path: Path, keep: bool) -> None:
    (tmp_path / "echo.c").write_text(
        "#include <transputer.h>\nint main(void) { tp_write(tp_read()); return 0; }\n"
    )
    echo, options = api.compile(tmp_path / "echo.c"), {"stdin": b"x", "keep": keep, "digest": True}
    once = api.run(echo, **options)
    with pytest.raises(StepLimitError):
        api.run(echo, max_steps=2, checkpoint=tmp_path / "run.ckpt", **options)
    assert same(api.run(echo, resume=tmp_path / "run.ckpt", **options), once)


@pytest.mark.slow
def test_a_checkpoint_goes_on_with_another_engine(tmp_path: Path) -> None:
    file, gcd = tmp_path / "gcd.ckpt", ROOT / "examples/c/gcd.c"
    call = {"invoke": "gcd", "args": [48, 36], "digest": True}
    with pytest.raises(StepLimitError):
        api.run(gcd, max_steps=20, checkpoint=file, engine="reference", **call)
    assert same(api.run(gcd, resume=file, engine="native", **call), api.run(gcd, **call))
    with pytest.raises(StepLimitError):
        api.run(gcd, max_steps=20, checkpoint=file, engine="native", **call)
    assert same(api.run(gcd, resume=file, engine="reference", **call), api.run(gcd, **call))


@pytest.mark.parametrize("engine", ["auto", "native", "lifted"])
def test_nothing_is_lost_at_the_step_limit(
    cli: Callable[..., Any], program: Path, whole: Result, engine: str
) -> None:
    limited = "run", program, "--engine", engine, "--max-steps", str(whole.steps - 1)
    found = json.loads(cli(*limited, "--json", stdin=INPUT).out)
    assert (found["exit_code"], found["steps"]) == (3, whole.steps - 1)
    assert found["error"]["kind"] == "StepLimitError"
    told = cli(*limited, "--stats", stdin=INPUT)
    assert found["stdout"] == told.out == whole.stdout.decode() != ""
    assert f"in {whole.steps - 1:,} steps" in told.err and "step limit of" in told.err


def test_a_checkpoint_needs_a_folder(
    cli: Callable[..., Any], program: Path, tmp_path: Path
) -> None:
    ran = cli("run", program, "--checkpoint", tmp_path / "nowhere" / "run.ckpt")
    assert ran.code == 2 and "no such folder" in ran.err


@pytest.mark.parametrize("engine", ["auto", "native"])
@pytest.mark.usefixtures("hasty")
def test_a_limit_below_the_checkpoint(program: Path, tmp_path: Path, engine: str) -> None:
    file, options = tmp_path / "run.ckpt", {"stdin": INPUT, "engine": engine, "keep": False}
    api.run(program, pulse=stop_at(40_000), checkpoint=file, **options)
    with pytest.raises(UsageError, match=r"steps are done; give more with --max-steps"):
        api.run(program, resume=file, max_steps=10, **options)


@pytest.mark.parametrize(
    ("given", "name"), [("--clock=now", "--clock"), ("--seed=random", "--seed")]
)
def test_a_checkpoint_needs_numbers_that_can_be_given_again(
    cli: Callable[..., Any], program: Path, tmp_path: Path, given: str, name: str
) -> None:
    ran = cli("run", given, "--checkpoint", tmp_path / "run.ckpt", program)
    assert ran.code == 2 and f"give {name} the same number always" in ran.err


def test_foreign_checkpoints(program: Path, tmp_path: Path) -> None:
    file, options = tmp_path / "run.ckpt", {"keep": False, "stdin": INPUT}
    api.run(program, pulse=stop_at(40_000), checkpoint=file, **options)
    for wrong in (
        lambda: api.run(ROOT / "examples/c/sudoku.c", resume=file),
        lambda: api.run(program, resume=file, stdin=b"other"),
    ):
        with pytest.raises(UsageError, match=r"another program, other arguments or other input"):
            wrong()
    with pytest.raises(UsageError, match="has no tokens"):
        api.run(program, resume=file, engine="oracle")
    with pytest.raises(UsageError, match="keeps the keys and values of every position"):
        api.run(program, keep=False, engine="reference")


@pytest.mark.parametrize("keep", [True, False], ids=["trace", "no-trace"])
def test_damaged_checkpoints(program: Path, tmp_path: Path, keep: bool) -> None:
    file, bad = tmp_path / "run.ckpt", tmp_path / "bad.ckpt"
    api.run(program, stdin=INPUT, pulse=stop_at(40_000), checkpoint=file, keep=keep)
    held = file.read_bytes()
    middle = len(held) // 2
    for damaged in (
        b"",
        b"nothing of the kind",
        held[:-1],
        held[:middle],
        held[:middle] + bytes((held[middle] ^ 1,)) + held[middle + 1 :],
        held.replace(b'\\"format\\": 3', b'\\"format\\": 2', 1),
    ):
        assert damaged != held
        bad.write_bytes(damaged)
        with pytest.raises(MalformedError, match=r"bad\.ckpt: not a checkpoint, or damaged"):
            api.run(program, stdin=INPUT, resume=bad)


def test_a_wrong_resume_is_one_line(cli: Callable[..., object], tmp_path: Path) -> None:
    bad = tmp_path / "bad.ckpt"
    bad.write_text("no")
    for file in (bad, tmp_path / "none.ckpt"):
        ran = cli("run", "examples/c/sudoku.c", "--resume", str(file))
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    ran = cli("run", "examples/c/sudoku.c", "--checkpoint", str(tmp_path / "no" / "x"),
              "--max-steps", "9")  # fmt: skip
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def started(*args: str) -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "transputer", "run", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.parametrize(
    "how", sampled([(), ("--json",), ("--engine", "native"), ("--engine", "oracle")], 4)
)
def test_ctrl_c(tmp_path: Path, how: tuple[str, ...]) -> None:
    """SIGINT in the middle of a run: the output so far, what was done, exit code 130."""
    source, file = tmp_path / "talk.c", tmp_path / "run.ckpt"
    source.write_text("""#include <transputer.h>
int main(void) { tp_write('h'); tp_write('i'); tp_write('\\n'); for (volatile int i = 0;; i++); }
""")
    checkpoint = () if "oracle" in how else ("--checkpoint", str(file))
    with started(str(source), *how, *checkpoint) as process:
        assert process.stdout is not None and process.stderr is not None
        if "--json" in how:
            with pytest.raises(subprocess.TimeoutExpired):  # time enough to begin
                process.wait(timeout=6)
        else:
            assert process.stdout.readline() == b"hi\n"
        process.send_signal(signal.SIGINT)
        out, err = process.stdout.read(), process.stderr.read().decode()
    assert process.returncode == 130
    assert err.startswith("transputer: interrupted after ") and err.count("\n") == 1
    if "--json" in how:
        result = json.loads(out)
        assert result["stdout"] == "hi\n" and result["interrupted"]
        assert result["steps"] > 0 and result["instructions"] > 0
    assert ("oracle" in how) or load(file, WIDTH).traced == ("native" in how)


def test_ctrl_c_while_waiting_for_input(program: Path, tmp_path: Path, whole: Result) -> None:
    file = tmp_path / "run.ckpt"
    with started(str(program), "--no-trace", "--checkpoint", str(file)) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(INPUT[:2])
        process.stdin.flush()
        assert process.stdout.read(2) == whole.stdout[:2]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert same(api.run(program, stdin=INPUT, resume=file, digest=True), whole)


def test_progress_is_shown_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transputer.cli.progress.PATIENCE", 0.0)
    for terminal in (True, False):
        screen = io.StringIO()
        with Ticker() as ticker:
            ticker.console = Console(file=screen, force_terminal=terminal, width=80)
            ticker.pulse(1_234_567)
            ticker.pulse(2_345_678)
        assert ("steps/s" in screen.getvalue()) == terminal
        assert terminal or not screen.getvalue()


def test_auto_takes_the_next_engine_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compile_module, "compilers", lambda own=False: [])
    compile_module.library.cache_clear()
    try:
        result = api.run(ROOT / "examples/c/gcd.c", "gcd", [2, 0])
    finally:
        compile_module.library.cache_clear()
    assert result.results == [2] and result.engine in ("torch", "reference")
    assert "native: no C compiler found; pip install ziglang; using the next" in caplog.text
