"""Programs as students write them: at default settings they print and return what gcc's do."""

import subprocess
from pathlib import Path

import pytest

from transputer import api
from transputer.check.fuzz.smallc.judge import compiler

FOLDER = Path(__file__).parent / "students"
SOURCES = sorted(FOLDER.glob("*.c"))
#: Programs that also run on other engines and on the soft machine.
_OTHERS = ("struct_by_value", "function_pointers", "union_tagged", "state_machine", "input_numbers")


def given(source: Path) -> bytes:
    """The input of a program."""
    file = source.with_suffix(".in")
    return file.read_bytes() if file.exists() else b""


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, int]]:
    """Output and exit code of every program, from a C compiler."""
    folder, seen = tmp_path_factory.mktemp("gcc"), {}
    for source in SOURCES:
        binary = folder / source.stem
        subprocess.run([*compiler(), "-w", "-O0", str(source), "-o", str(binary)], check=True)
        ran = subprocess.run([binary], input=given(source), capture_output=True)
        seen[source.stem] = (ran.stdout, ran.returncode)
    return seen


def test_there_are_forty() -> None:
    assert len(SOURCES) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_weights_do_what_gcc_does(source: Path, in_c: dict[str, tuple[bytes, int]]) -> None:
    result = api.run(source, machine="loom", engine="native", stdin=given(source))
    assert result.trap is None
    assert (result.stdout, result.exit_code) == in_c[source.stem]
    assert result.stdout


@pytest.mark.parametrize("name", _OTHERS)
@pytest.mark.parametrize("machine, engine", [("loom", "oracle"), ("soft", "native")])
def test_interpreter_and_soft_machine(
    name: str, machine: str, engine: str, in_c: dict[str, tuple[bytes, int]]
) -> None:
    source = FOLDER / f"{name}.c"
    result = api.run(source, machine=machine, engine=engine, stdin=given(source))
    assert (result.stdout, result.exit_code) == in_c[name]


@pytest.mark.slow
def test_lifted_runs_one(in_c: dict[str, tuple[bytes, int]]) -> None:
    result = api.run(FOLDER / "state_machine.c", machine="loom", engine="lifted")
    assert (result.stdout, result.exit_code) == in_c["state_machine"]
