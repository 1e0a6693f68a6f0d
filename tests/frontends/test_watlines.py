"""Lines of text modules: every instruction on a line of its own must be found there."""

import pytest

from transputer import api
from transputer.errors import InvalidError, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.frontends.watlines import spots_of
from transputer.runtime.trace.text import compile_confined


def lines(text: str) -> list[list[int]]:
    return [[line for line, _ in one] for one in spots_of(text, decode(to_wasm(text)))]


def test_plain_instructions() -> None:
    text = """(module ;; one
  (import "a" "b" (func))
  (; two
     (; three ;) ;)
  (func (export "f") (param $x i32)
        (result i32)
    local.get $x
    i32.const 7 ;; i32.sub
    i32.add
  )
  (func $g
    nop)
  (func (import "c" "d"))
)"""
    with pytest.raises(UsageError.__bases__[0]):
        to_wasm(text)  # imports come first
    text = text.replace('  (func (import "c" "d"))\n', "")
    assert lines(text) == [[7, 8, 9, 10], [12, 12]]


def test_folded_instructions() -> None:
    text = """(func (export "f") (param i32) (result i32)
  (block (result i32)
    (if (result i32)
      (i32.lt_s
        (local.get 0)
        (i32.const 10))
      (then
        (i32.const 1))
      (else
        (i32.const 2)))
  )
)"""
    assert lines(text) == [[2, 5, 6, 4, 3, 8, 9, 10, 10, 11, 12]]


def test_immediates_are_no_instructions() -> None:
    text = """(module (memory 1) (table 2 funcref) (type $t (func (param i32) (result i32)))
  (func (param i32) (result i32)
    (i32.store offset=4
      (i32.const 0)
      (i32.load8_u align=1
        (local.get 0)))
    (call_indirect (type $t)
      (i32.const 1)
      (i32.const 0))
    drop
    (select (result i32)
      (i32.const 1) (i32.const 2)
      (local.get 0))
    br_table 0 0
      (local.get 0)))"""
    with pytest.raises(UsageError.__bases__[0]):
        compile_confined(text, "wat")  # br_table has its operand behind it
    text = text.replace("br_table 0 0\n      (local.get 0)", "(br_table 0 0\n      (local.get 0))")
    assert lines(text) == [[4, 6, 5, 3, 8, 9, 7, 10, 12, 12, 13, 11, 15, 14, 15]]


def test_what_is_not_understood_has_no_lines() -> None:
    binary = decode(to_wasm("(func i32.const 1 drop)"))
    assert spots_of("(func i32.const 1)", binary) == ((),)
    assert spots_of("", binary) == ((),)
    assert spots_of("(func) (func)", binary) == ((),)


def test_steps_have_lines() -> None:
    text = '(module\n(func (export "f") (result i32)\ni32.const 1\ni32.const 2\ni32.add))'
    program = compile_confined(text, "wat")
    assert [step.line for step in api.trace(program, "f")][:3] == [
        "program.wat:3", "program.wat:4", "program.wat:5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(module\n  (func (result i32)\n    (i32.add (f64.const 1)\n (i32.const 2))))", "3:6"),
        ("(func\n;; (\n  i32.const 1 (; \n ;) i64.eqz drop)", "4:5"),
        ("(func)\n(func (result f32)\n  i32.const 7)", "3:14"),  # at the end of the function
        ("(func)\n  (func (result i32) (i32.add\n i64.const 1 i32.const 2))", "2:3"),
    ],
)
def test_type_errors_have_a_line_and_a_column(text, place, tmp_path):
    path = tmp_path / "wrong.wat"
    path.write_text(text)
    with pytest.raises(InvalidError) as wrong:
        api.compile(path)
    assert str(wrong.value).startswith(f"{path}:{place}: type mismatch")
    assert "^" in str(wrong.value)
