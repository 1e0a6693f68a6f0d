"""What a new user meets: each mistake gets one line with a way out."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., "tuple[int, str, str]"]
FACTORIAL = """int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int main(void) { return fact(5); }
"""


@pytest.fixture
def factorial(tmp_path: Path) -> Path:
    path = tmp_path / "factorial.c"
    path.write_text(FACTORIAL)
    return path


def test_a_missing_file_has_a_way_out(cli: Cli, factorial: Path) -> None:
    wrong = factorial.with_name("factoral.c")
    assert cli("run", wrong)[2] == f"transputer: {wrong}: no such file; did you mean {factorial}?\n"
    _, _, err = cli("run", "elsewhere/examples/c/gcd.c")
    assert err.endswith("no such file; to copy the example: transputer examples c/gcd.c\n")
    _, _, err = cli("debug", "elsewhere/nothing.c")
    assert err.endswith("no such file; `transputer examples` lists programs to try\n")


def test_an_example_is_copied_by_its_name_alone(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli("examples", "lisp.c", tmp_path)
    assert code == 0 and Path(out.strip()).read_text()
    code, _, err = cli("examples", "gcd.c", tmp_path)
    assert code == 2
    assert "examples are called gcd.c: c/gcd.c, programs/gcd.c" in err


@pytest.mark.slow
def test_a_function_beside_main_has_a_way_out(cli: Cli, factorial: Path) -> None:
    code, _, err = cli("run", factorial, "--invoke", "fact", "5")
    assert code == 2 and len(err.splitlines()) == 1
    assert "no exported func 'fact': a program with main exports no other function" in err
    flag = err.split()[-1]
    assert cli("run", factorial, flag, "--invoke", "fact", "5")[:2] == (0, "120\n")


def test_the_debugger_suggests(cli: Cli, factorial: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("contine\nbreak fact\ncontinue\nprint nn\nx/4b 16\nx/2g 16\nx/?\nx\n")
    _, out, _ = cli("debug", factorial, "--script", script)
    assert "no command 'contine'; did you mean continue?" in out
    assert "no variable 'nn' here; did you mean n?" in out
    dumps = [line for line in out.splitlines() if line.startswith("00000010  ")]
    assert [len(line.split()) - 2 for line in dumps] == [4, 16]
    assert "no format '/?'" in out and "name an address or a variable" in out


@pytest.mark.parametrize("words", ["trace {} --steps", "debug {} --max-steps", "demo --moves"])
def test_a_number_of_steps_is_at_least_one(cli: Cli, factorial: Path, words: str) -> None:
    code, out, err = cli(*words.format(factorial).split(), "0")
    assert (code, out) == (2, "") and "0 is not in the range x>=1" in err


def test_a_source_is_no_model(cli: Cli, factorial: Path) -> None:
    code, _, err = cli("inspect", factorial)
    assert code == 2 and "not a model: not a safetensors file, or a damaged one" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_no_bug() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "transputer", "help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 74
    message = b"transputer: the output cannot be written: No space left on device\n"
    assert done.stderr == message
