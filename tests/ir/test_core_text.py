"""The text form of core code: there and back, and every way to get it wrong."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.sampling import random_cases
from tests.strategies import cases
from transputer.check.fuzz.modules import ModuleCase
from transputer.errors import InvalidError, MalformedError
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.core import CoreInstr, CoreModule
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.module import Export, ExternKind, Module
from transputer.ir.verify import verify
from transputer.isa.core import CORE
from transputer.lower.asm import lower_asm
from transputer.lower.flatten import flatten

EVERYTHING = """(module $m
  (import "m" "a \\"quoted\\" name;" (func (param i32)))
  (import "m" "t" (table 1 2 externref))
  (import "m" "g" (global i64))
  (memory 1 3)
  (table 4 funcref)
  (global (mut f64) (f64.const nan:0x123))
  (global funcref (ref.func 1))
  (func $g (export "\\u{e9}\\n") (param i32) (result i32 i32)
    local.get 0 block (param i32) (result i32 i32) i32.const 1 br 0 end)
  (func $s)
  (start $s)
  (elem (table 1) (i32.const 1) func 0 1)
  (elem externref (ref.null extern))
  (elem declare func 1)
  (data (i32.const 7) "\\00\\ff;")
  (data "passive"))"""


def core() -> CoreModule:
    return flatten(verify(decode(to_wasm(EVERYTHING))))


def test_everything_survives() -> None:
    before = core()
    text = print_core(before)
    after = parse_core(text)
    assert after == before
    assert [f.name for f in after.functions] == ["g", "s"]
    assert print_core(after) == text


def test_every_row_survives() -> None:
    code = tuple(
        CoreInstr(op, tuple(range(len(op.imm))), None, i % 2 == 1) for i, op in enumerate(CORE)
    )
    assert parse_core(print_core(CoreModule(code, ()))) == CoreModule(code, ())


def test_assembly_survives() -> None:
    lowered = lower_asm(assemble("PUSH 3\nCALL f\nHALT\nf: PUSH 4\nADD\nRETURN"))
    assert parse_core(print_core(lowered)) == lowered


@random_cases(30, suppress_health_check=list(HealthCheck))
@given(cases())
def test_random_modules_survive(made: ModuleCase) -> None:
    before = flatten(verify(made.module))
    assert parse_core(print_core(before)) == before


def test_comments_and_layout_do_not_count() -> None:
    text = print_core(core(), comment=lambda instr: f"was {instr.name}")
    assert "; was local.get" in text
    assert parse_core(text) == core()
    assert parse_core("\r\n".join(f"  {line}  ; x" for line in text.split("\n"))) == core()
    assert parse_core("") == CoreModule((), ())


@pytest.mark.parametrize(
    "text, line, column, message",
    [
        ("0 i32.addd", 1, 3, "unknown core instruction i32.addd"),
        ("\n0 i32.const", 2, 12, "expected a number, found the end of the line"),
        ("0 i32.const x", 1, 13, "expected a number, found x"),
        ("0 i32.const -1", 1, 13, "expected a number, found -1"),
        ("0 i32.const 1 2", 1, 15, "unexpected 2"),
        ("1 drop", 1, 1, "expected address 0"),
        ("0 drop\n2 drop", 2, 1, "expected address 1"),
        ("drop", 1, 1, "expected a number, found drop"),
        ("type (i32", 1, 10, "expected one of"),
        ("type (i32) i32", 1, 12, "expected ->"),
        ("type (v128)->()", 1, 7, "expected one of i32, i64"),
        ("memory", 1, 7, "expected a number"),
        ("table i32", 1, 10, "expected a number"),
        ('export thing 0 "a"', 1, 8, "expected one of func, table, memory, global"),
        ("export func 0 a", 1, 15, "expected a string"),
        ('export func 0 "a', 1, 14, "unterminated string"),
        ('export func 0 "\\q"', 1, 15, "malformed string"),
        ("global i32 (i32.oops 1)", 1, 22, "unknown instruction i32.oops"),
        ("global i32 i32.const", 1, 12, r"expected \("),
        ('data passive "xy"', 1, 18, "hexadecimal"),
        ('func ()->() entry 0 frame 1 locals 0 "f"', 1, 21, "expected locals"),
        ("start 99999999999999999999999", 1, 7, "expected a number"),
    ],
)
def test_bad_text_says_where(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(MalformedError, match=message) as caught:
        parse_core(text, "bad.core")
    place = caught.value.place
    assert (place.file, place.line, place.column) == ("bad.core", line, column)
    first, source, caret = str(caught.value).split("\n")
    assert first.startswith(f"bad.core:{line}:{column}: ")
    assert source == "  " + text.split("\n")[line - 1]
    assert caret == " " * (column + 1) + "^"


WORDS = st.sampled_from(
    [*(op.name for op in CORE), *"type func import export memory table global elem data".split()]
    + ["(", ")", "->", "*", "0", "1", "7", '"a"', "i32", "funcref", "mut", "active", ";", '"', "\\"]
)


@random_cases(300)
@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("\n".join)))
def test_arbitrary_text_parses_or_is_refused(text: str) -> None:
    try:
        module = parse_core(text)
    except MalformedError as error:
        assert error.place.line >= 1
        assert error.place.column >= 1
        return
    assert parse_core(print_core(module)) == module


@random_cases(150)
@given(st.data())
def test_damaged_text_parses_or_is_refused(data: st.DataObject) -> None:
    text = print_core(core())
    at = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.one_of(st.text(max_size=3), WORDS))
    cut = data.draw(st.integers(0, 3))
    try:
        verify_core(parse_core(text[:at] + damage + text[at + cut :]))
    except (MalformedError, InvalidError):
        return


# The verifier of core code


def edited(place: int, text: str) -> CoreModule:
    """A small function with the instruction at one place replaced."""
    lines = """func (i32)->(i32) entry 0 locals 1 frame 4 "f"
0  local.get 0
1  i32.const 5
2  i32.add
3  return 1""".split("\n")
    lines[place + 1] = f"{place}  {text}"
    return parse_core("\n".join(lines))


def test_a_good_function_is_accepted() -> None:
    verify_core(edited(1, "i32.const 6"))


@pytest.mark.parametrize(
    "place, text, message",
    [
        (1, "drop", "pops 2 operands, the stack has 0"),
        (1, "local.get 1", "no such local"),
        (3, "drop", "runs off the end"),
        (3, "return 2", "does not match the type"),
        (2, "jump 0", "reaches 0 with height 2, not 0"),
        (2, "jump 4", "pc 4 is not below 4"),
        (1, "br 3 1 3", "cannot keep 3 of 1"),
        (1, "br 3 9 1", "cannot keep 1 of 1"),
        (1, "br_table 9", "entries run off the end"),
        (1, "br_table 0", "entry 2 is not a jump"),
        (1, "call 3", "func 3 is not below 1"),
        (1, "global.get 0", "global 0 is not below 0"),
        (1, "i32.load 0 0", "memory 0 is not below 0"),
        (1, "i32.const 4294967296", "i32 4294967296 is not below"),
    ],
)
def test_bad_core_code_is_refused(place: int, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        verify_core(edited(place, text))


@pytest.mark.parametrize("change", ["entry 9", "locals 0", "frame 0", "frame 2"])
def test_a_frame_must_fit(change: str) -> None:
    name, value = change.split()
    numbers = {"entry": "0", "locals": "1", "frame": "4", name: value}
    layout = " ".join(f"{k} {v}" for k, v in numbers.items())
    text = f'func (i32)->(i32) {layout} "f"\n0 local.get 0\n1 i32.const 5\n2 i32.add\n3 return 1'
    with pytest.raises(InvalidError):
        verify_core(parse_core(text))


def test_exports_keep_odd_names() -> None:
    names = ["", " ", '"', "\\", "\n", "é", "\U0001f600", "a;b", "\u2028"]
    exports = tuple(Export(name, ExternKind.FUNC, 0) for name in names)
    module = CoreModule((), (), Module(exports=exports))
    assert parse_core(print_core(module)) == module
