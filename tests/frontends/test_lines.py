"""Lines of the source by instruction, from the DWARF that clang writes."""

from pathlib import Path

import pytest

from transputer import api
from transputer.frontends.binary import decode
from transputer.frontends.binary.sections import custom, keep_custom
from transputer.frontends.c import compile_c
from transputer.frontends.lines import Lines, SourceLine, read_lines
from transputer.oracle.command import run_command

# One operation that nothing else uses on each of these lines.
TEXT = """\
int divide(int x, int y) {
    return x / y;
}
#include "more.h"

int mix(int x, int y) {
    int z = x ^ y;
    return z *
           (x | y);
}
"""
HEADER = """\
static inline int low(int x) { return x & 15; }
int rest(int x) {
    return x % low(x);
}
"""
EXPECTED = {
    "i32.div_s": "program.c:2",
    "i32.rem_s": "more.h:3",
    "i32.and": "more.h:1",
    "i32.xor": "program.c:7",
    "i32.mul": "program.c:8",
    "i32.or": "program.c:9",
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("program.c").write_text(TEXT)
    Path("more.h").write_text(HEADER)
    return "program.c"


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_every_version_of_dwarf(source: str, version: int) -> None:
    binary = compile_c(source, flags=[f"-gdwarf-{version}"])
    lines = read_lines(binary)
    found = {
        instr.name: str(lines.at(instr.span.start)).removeprefix("./")
        for function in decode(binary).functions
        for instr in function.body
        if instr.name in EXPECTED
    }
    assert found == EXPECTED


def test_without_debug_information_there_are_no_lines(source: str) -> None:
    binary = keep_custom(compile_c(source), frozenset())
    assert custom(binary) == {}
    assert read_lines(binary) == Lines() and read_lines(binary).at(100) is None


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_damaged_tables_are_ignored(source: str, cut: int) -> None:
    binary = compile_c(source)
    table = custom(binary)[".debug_line"]
    broken = binary.replace(table, table[:cut] + b"\xff" * (len(table) - cut))
    read_lines(broken)  # whatever it says, it says it without an error
    assert decode(broken) == decode(binary)


def test_outside_all_functions_there_is_no_line(source: str) -> None:
    lines = read_lines(compile_c(source))
    assert lines.at(0) is None and lines.at(10**6) is None
    assert SourceLine("a.c", 3) != SourceLine("a.c", 4) and str(SourceLine("a.c", 3)) == "a.c:3"


def test_traces_show_the_line(source: str) -> None:
    steps = api.trace(api.compile(source), "divide", [7, 2])
    assert {s.line for s in steps if s.instruction == "i32.div_s"} == {"program.c:2"}
    assert steps[0].as_json()["line"] == "program.c:2"


def test_a_program_without_its_debug_sections_runs_the_same(tmp_path: Path) -> None:
    (tmp_path / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hi"); }\n')
    binary = compile_c(tmp_path / "hello.c")
    assert run_command(binary) == run_command(keep_custom(binary, frozenset()))
