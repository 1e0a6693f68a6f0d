"""setjmp in C and exceptions in C++: the weights print what wasmtime prints."""

from pathlib import Path

import pytest

from transputer import api
from transputer.frontends.c import compile_c
from transputer.oracle.command import run_command

PROGRAMS = Path(__file__).parent / "unwind"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, code", [("longjmp.c", 7), ("exceptions.cpp", 3), ("streams.cpp", 5)]
)
def test_a_program_unwinds(name: str, code: int) -> None:
    theirs = run_command(compile_c(PROGRAMS / name))
    assert (theirs.exit_code, theirs.trap) == (code, None)
    ours = api.run(PROGRAMS / name, engine="native")
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, code)


@pytest.mark.slow
def test_an_uncaught_exception_is_a_trap(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() { throw 1; }\n")
    result = api.run(tmp_path / "a.cpp", engine="native")
    assert result.exit_code == 134 and result.trap is not None
