"""Exports run elsewhere: the same tokens, output and exit code as here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer import api
from transputer.engines.native.compile import compilers
from transputer.errors import CapacityError, Unsupported, UsageError
from transputer.runtime.trace.run import run_program

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
EVERYTHING = Path(__file__).parent / "programs.wat"
PAGE = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")


def python_block(mention: str) -> str:
    """The Python block of the page that mentions something."""
    blocks = [part.split("```")[0] for part in PAGE.split("```python\n")[1:]]
    return next(block for block in blocks if mention in block)


@pytest.mark.slow
def test_the_numpy_lines_of_the_page_run_a_program(tmp_path: Path) -> None:
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    api.export(program, "safetensors", tmp_path / "gcd.safetensors", invoke="gcd", args=(48, 36))
    wanted = run_program(program, "gcd", (48, 36), engine="reference")
    code = python_block("safe_open") + (
        "import hashlib, sys\n"
        "print(hashlib.sha256(bytes(v for token in decoded for v in token)).hexdigest())\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert made.stdout.split() == ["12", wanted.trace_sha256]


@pytest.mark.slow
def test_an_exported_model_runs_here_too(tmp_path: Path) -> None:
    path = tmp_path / "gcd.safetensors"
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    assert api.export(program, "safetensors", path, invoke="gcd", args=(48, 36)) == [path]
    packed = api.compile(path)
    wanted = run_program(program, "gcd", (48, 36))
    assert run_program(packed).trace_sha256 == wanted.trace_sha256  # arguments by default
    assert run_program(packed, None, (105, 45)).results == [15]


def build(source: Path, folder: Path) -> Path:
    """The exported file compiled, with all warnings as errors."""
    made = folder / "program"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic-errors"]
    place = {"ZIG_LOCAL_CACHE_DIR": str(folder), "ZIG_GLOBAL_CACHE_DIR": _zig_cache(folder)}
    for compiler in compilers():
        command = [*compiler, *flags, str(source), "-o", str(made)]
        done = subprocess.run(
            command, env=os.environ | place, capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stderr
        return made
    pytest.skip("no C compiler here")


def _zig_cache(folder: Path) -> str:
    """zig builds its C library once, for all tests of a run."""
    shared = folder.parent / "zig"
    shared.mkdir(exist_ok=True)
    return str(shared)


@pytest.mark.slow
@pytest.mark.parametrize("special", sampled([True, False], 2), ids=["special", "universal"])
@pytest.mark.parametrize(
    "path, invoke, args, stdin",
    sampled(
        [
            (EVERYTHING, "everything", (0, 1), b"A"),
            (EXAMPLES / "c" / "gcd.c", "gcd", (48, 36), b""),
            (EXAMPLES / "asm" / "gcd.asm", None, (), b""),
            (EVERYTHING, "everything", (-1, 1), b"AB"),
            (EVERYTHING, "leave", (7,), b""),
            (EVERYTHING, "pair", (-9,), b""),
        ],
        3,
        rows=True,
    ),
    ids=["everything", "gcd", "assembly", "trap", "exit", "pair"],
)
def test_c_files_do_what_the_program_does(
    path: Path, invoke: str | None, args: tuple[int, ...], stdin: bytes, special: bool,
    tmp_path: Path,
) -> None:  # fmt: skip
    program = api.compile(path)
    wanted = run_program(program, invoke, args, stdin=stdin)
    api.export(program, "c", tmp_path / "p.c", invoke=invoke, args=args, specialize=special)
    made = build(tmp_path / "p.c", tmp_path)
    given = [str(made), "--trace", *map(str, args)]
    done = subprocess.run(given, input=stdin, capture_output=True, check=False)
    lines = "".join(f"{line}\n" for line in wanted.text)
    assert done.stdout == wanted.stdout + lines.encode()
    assert done.returncode == (134 if wanted.trap else wanted.exit_code or 0)
    said = done.stderr.decode().splitlines()
    assert said[-1] == wanted.trace_sha256
    assert not wanted.trap or said[0] == f"trap: {wanted.trap.value}"


@pytest.mark.slow
def test_a_c_file_takes_other_arguments(tmp_path: Path) -> None:
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    api.export(program, "c", tmp_path / "p.c", invoke="gcd", args=(48, 36))
    made = build(tmp_path / "p.c", tmp_path)

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([made, *args], capture_output=True, text=True, check=False)

    assert run().stdout == "12\n"
    assert run("105", "45").stdout == "15\n"
    assert run("105").returncode == 2


@pytest.mark.parametrize("dtype, bound", [("float32", "16,777,216"), ("bfloat16", "256")])
def test_types_that_would_round_are_refused(dtype: str, bound: str, tmp_path: Path) -> None:
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    with pytest.raises(CapacityError, match=f"below {bound} exactly; the score at .* may reach"):
        api.export(program, "safetensors", tmp_path / "m", invoke="gcd", dtype=dtype)
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    program = api.compile(EXAMPLES / "c" / "gcd.c")
    with pytest.raises(UsageError, match="not to 'tar'"):
        api.export(program, "tar", tmp_path / "m", invoke="gcd")
    with pytest.raises(UsageError, match="unknown number type"):
        api.export(program, "c", tmp_path / "m", invoke="gcd", dtype="int8")
    with pytest.raises(UsageError, match="takes 2 arguments"):
        api.export(program, "c", tmp_path / "m", invoke="gcd", args=(1,))
    with pytest.raises(UsageError, match="needs their values"):
        api.export(program, "onnx", tmp_path / "m", invoke="gcd")
    with pytest.raises(UsageError, match="No such file"):
        api.export(program, "c", tmp_path / "none" / "m", invoke="gcd")
    path = tmp_path / "f.wat"
    path.write_text('(module (func (export "f") (result funcref) ref.null func))')
    with pytest.raises(Unsupported, match="takes and prints integers"):
        api.export(api.compile(path), "c", tmp_path / "m", invoke="f")


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "m.safetensors"
    command = [sys.executable, "-m", "transputer"]
    flags = ["--invoke", "gcd", "--to", "safetensors", "-o", str(out), "--specialize"]
    made = subprocess.run(
        [*command, "export", "examples/c/gcd.c", "48", "36", *flags],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert made.stdout == f"{out}: {out.stat().st_size:,} bytes\n"
    ran = subprocess.run(
        [*command, "run", str(out), "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout)["results"] == [12]
