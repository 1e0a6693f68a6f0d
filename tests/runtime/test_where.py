"""Traps with a place: the open calls with file, line and column, the same on every engine."""

from pathlib import Path

import pytest

import transputer as tp
from transputer.errors import Trap, TrapError
from transputer.host.place import CallPlace
from transputer.host.result import Result

TEXT = """(module
  (func $inner (param i32) (result i32)
    (i32.div_s (i32.const 1)
      (local.get 0)))
  (func $outer (export "f") (param i32) (result i32)
    (call $inner
      (local.get 0)))
  (type $t (func))
  (table 2 funcref)
  (memory 1)
  (func (export "load") (result i32) (i32.load (i32.const -1)))
  (func (export "table")
    (call_indirect (type $t) (i32.const 7)))
  (func $again (export "deep") (call $again)))
"""
C = """int cell[4];
static int divide(int a, int b) {
    return a / b;
}
int f(int n) {
    if (n > 0)
        return f(n - 1);
    return divide(n + 1, cell[1]);
}
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> tp.Program:
    path = tmp_path_factory.mktemp("wat") / "t.wat"
    path.write_text(TEXT)
    return tp.compile(path)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("c") / "t.c"
    path.write_text(C)
    return path


def places(result: Result) -> list[tuple[str, int, int]]:
    return [(call.function, call.line, call.column) for call in result.where]


@pytest.mark.parametrize("engine", ["native", "reference", "oracle", "core", "words"])
def test_open_calls_of_a_text_module(text: tp.Program, engine: str) -> None:
    result = text.run("f", [0], engine=engine)
    assert result.trap is Trap.DIVIDE_BY_ZERO
    assert places(result) == [("inner", 3, 6), ("outer", 6, 6)]
    assert result.where[0].text == "    (i32.div_s (i32.const 1)"
    assert places(text.run("load", engine=engine)) == [("load", 11, 39)]
    assert places(text.run("table", engine=engine)) == [("table", 13, 6)]
    assert text.run("f", [1], engine=engine).where == ()


@pytest.mark.parametrize("engine", ["native", "oracle"])
def test_a_stack_overflow_shows_the_innermost_calls(text: tp.Program, engine: str) -> None:
    result = text.run("deep", engine=engine)
    assert result.trap is Trap.STACK_EXHAUSTED
    assert set(places(result)) == {("again", 14, 33)} and 3 < len(result.where) < 100


@pytest.mark.parametrize("opt", ["-O0", "-Os"])
def test_functions_are_named_as_in_the_source(source: Path, opt: str) -> None:
    result = tp.compile(source, opt=opt).run("f", [2])
    calls = places(result)
    assert calls[:2] == [("divide", 3, 14), ("f", 8, 12)]  # inlined with -Os
    assert all(call == ("f", 7, 16) for call in calls[2:])


def test_without_a_trace_the_place_is_known(text: tp.Program) -> None:
    assert places(text.run("f", [0], keep=False))[0] == ("inner", 3, 6)


def test_assembly(tmp_path: Path) -> None:
    path = tmp_path / "t.asm"
    path.write_text("PUSH 1\n  PUSH 0\n  DIV_S\nHALT\n")
    for engine in ("native", "oracle"):
        assert [(c.line, c.column) for c in tp.run(path, engine=engine).where] == [(3, 3)]


def test_python_exceptions_have_the_place(text: tp.Program) -> None:
    result = text.run("f", [0])
    with pytest.raises(TrapError) as trap:
        result.raise_for_trap()
    message = str(trap.value)
    assert trap.value.trap is Trap.DIVIDE_BY_ZERO and "t.wat:3:6 in inner" in message
    lines = message.splitlines()
    assert lines[2].index("i32.div_s") == lines[3].index("^")
    fine = text.run("f", [1])
    assert fine.raise_for_trap() is fine


def test_json(text: tp.Program) -> None:
    (first, *_) = text.run("f", [0]).as_json()["where"]
    assert (first["function"], first["line"], first["column"]) == ("inner", 3, 6)
    assert "where" not in text.run("f", [1]).as_json()


def test_a_call_without_a_line() -> None:
    assert str(CallPlace("f")) == "in f" and CallPlace("f").caret() == ""
