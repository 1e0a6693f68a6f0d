"""The command lines of docs/languages.md, where their compilers are installed."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import transputer as tp
from transputer.oracle.command import run_command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
#: By section: the source's name and the compiler (none: our own).
LANGUAGES = {
    "C++": ("squares.cpp", ""),
    "Rust": ("squares.rs", "rustc"),
    "Zig": ("squares.zig", ""),
    "AssemblyScript": ("squares.ts", "asc"),
    "Go": ("squares.go", "tinygo"),
}
#: The names of Rust's target, new and old.
TARGETS = ("wasm32-wasip1", "wasm32-wasi")
INPUT = "first line\nthe cat and the dog\nand the \u00c4rger\n".encode()


def section(title: str) -> tuple[str, list[str]]:
    """Return the source and the commands that the page shows under a heading."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    source, commands = (block.partition("\n")[2] for block in text.split("```")[1::2])
    return source, commands.splitlines()


def rust() -> tuple[str, str]:
    """Return a rustc that has the standard library of the target, and what it calls the target.

    rustup's comes before Debian's in the search path, but may lack the target.
    """
    compilers = [Path(folder, "rustc") for folder in os.get_exec_path()]
    for compiler in filter(Path.is_file, compilers):
        for target in TARGETS:
            command = [compiler, "--print", "target-libdir", "--target", target]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not done.returncode and Path(done.stdout.strip()).is_dir():
                return str(compiler), target
    pytest.skip(f"Rust: no rustc has {' or '.join(TARGETS)}")


def test_every_section_is_tested() -> None:
    titles = [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")]
    assert titles == list(LANGUAGES)


@pytest.mark.slow
@pytest.mark.parametrize("title", LANGUAGES)
def test_the_commands_print_the_sum(title: str, tmp_path: Path) -> None:
    name, compiler = LANGUAGES[title]
    if compiler and not shutil.which(compiler):
        pytest.skip(f"{title}: {compiler} is not installed")
    source, commands = section(title)
    (tmp_path / name).write_text(source, encoding="utf-8")
    programs = {
        "transputer": [sys.executable, "-m", "transputer"],
        "python": [sys.executable],
    }
    if compiler == "rustc":
        path, target = rust()
        programs[compiler] = [path]
        commands = [command.replace(TARGETS[0], target) for command in commands]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
    for command in commands:
        first, *rest = shlex.split(command)
        done = subprocess.run(
            [*programs.get(first, [first]), *rest],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).splitlines()[-1:] == ["385"]


@pytest.mark.slow
def test_rust_std_is_as_under_wasmtime(tmp_path: Path) -> None:
    compiler, target = rust()
    module = tmp_path / "std.wasm"
    command = [compiler, "--target", target, "-O", Path(__file__).with_name("std.rs")]
    subprocess.run([*command, "-o", module], check=True)
    theirs = run_command(module.read_bytes(), ("std", "one", "two three"), INPUT)
    ours = tp.run(module, args=["one", "two three"], stdin=INPUT)
    assert (theirs.exit_code, theirs.stdout.splitlines()[0]) == (
        5,
        '{"and": 2, "cat": 1, "dog": 1, "the": 3, "Ärger": 1} 8'.encode(),
    )
    assert (ours.stdout, ours.exit_code, ours.trap) == (theirs.stdout, 5, None)
    assert ours.stderr == b"first line\n"
    ours = tp.run(module, args=["panic"])
    theirs = run_command(module.read_bytes(), ("std", "panic"))
    assert ours.trap is theirs.trap is tp.Trap.UNREACHABLE
    assert b"on demand" in ours.stderr
