"""The command lines of docs/languages.md, where their compilers are installed."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
#: By section: the source's name, the compiler (none: our own) and a target that it needs.
LANGUAGES = {
    "C++": ("squares.cpp", "", ""),
    "Rust": ("squares.rs", "rustc", "wasm32-wasip1"),
    "Zig": ("squares.zig", "", ""),
    "AssemblyScript": ("squares.ts", "asc", ""),
    "Go": ("squares.go", "tinygo", ""),
}


def section(title: str) -> tuple[str, list[str]]:
    """Return the source and the commands that the page shows under a heading."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    source, commands = (block.partition("\n")[2] for block in text.split("```")[1::2])
    return source, commands.splitlines()


def has_target(target: str) -> bool:
    """Whether rustc has the standard library of a target."""
    command = ["rustc", "--print", "target-libdir", "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return not done.returncode and Path(done.stdout.strip()).is_dir()


def test_every_section_is_tested() -> None:
    titles = [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")]
    assert titles == list(LANGUAGES)


@pytest.mark.slow
@pytest.mark.parametrize("title", LANGUAGES)
def test_the_commands_print_the_sum(title: str, tmp_path: Path) -> None:
    name, compiler, target = LANGUAGES[title]
    if compiler and not shutil.which(compiler):
        pytest.skip(f"{title}: {compiler} is not installed")
    if target and not has_target(target):
        pytest.skip(f"{title}: {compiler} has no {target}")
    source, commands = section(title)
    (tmp_path / name).write_text(source, encoding="utf-8")
    programs = {
        "transputer": [sys.executable, "-m", "transputer"],
        "python": [sys.executable],
    }
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
    for command in commands:
        first, *rest = shlex.split(command)
        done = subprocess.run(
            [*programs.get(first, [first]), *rest],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).splitlines()[-1:] == ["385"]
