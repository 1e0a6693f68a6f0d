"""Scripts of the official tests are read as they are; newer features are refused by name."""

import random
import struct
from pathlib import Path

import pytest

from transputer.check.spec import spec
from transputer.check.wast import float_bits, read_wast
from transputer.errors import MalformedError, Unsupported, UnsupportedFeature, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.isa.floats import F32, F64

SCRIPT = r"""
;; a comment with ( and "
(module $a (func (export "add") (param i32 i32) (result i32)
  (i32.add (local.get 0) (local.get 1)))
  (global (export "g") i64 (i64.const -5)) (; nested (; comment ;) ;))
(register "other" $a)
(assert_return (invoke "add" (i32.const 0x7fffffff) (i32.const 1)) (i32.const -0x8000_0000))
(assert_return (get $a "g") (i64.const -5))
(module (import "other" "add" (func $add (param i32 i32) (result i32)))
  (func (export "twice") (param i32) (result i32) (call $add (local.get 0) (local.get 0)))
  (func (export "trap") unreachable)
  (func (export "nan") (result f32) (f32.div (f32.const 0) (f32.const 0)))
  (func (export "ref") (result externref) (ref.null extern))
  (func $deep (export "deep") (call $deep)))
(invoke "twice" (i32.const 4))
(assert_return (invoke "twice" (i32.const 4)) (i32.const 8))
(assert_return (invoke $a "add" (i32.const 1) (i32.const 2)) (either (i32.const 9) (i32.const 3)))
(assert_return (invoke "nan") (f32.const nan:canonical))
(assert_return (invoke "ref") (ref.null extern))
(assert_trap (invoke "trap") "unreachable")
(assert_exhaustion (invoke "deep") "call stack exhausted")
(assert_invalid (module (func (result i32))) "type mismatch")
(assert_malformed (module quote "(func" " br)") "unexpected token")
(assert_malformed (module binary "\00asm" "\02\00\00\00") "unknown binary version")
(assert_unlinkable (module (import "other" "none" (func))) "unknown import")
(assert_trap (module (memory 0) (data (i32.const 1) "x")) "out of bounds memory access")
(assert_return (invoke "twice" (i32.const 1)) (i32.const 3)) ;; wrong
(module (type (struct)) (func (export "v") (result i32) (i32.const 0)))
(assert_return (invoke "v") (i32.const 0))
(module definition $d (func (export "one") (result i32) (i32.const 1)))
(module instance $i $d)
(assert_return (invoke $i "one") (i32.const 1))
"""


def test_a_script_runs(tmp_path: Path) -> None:
    path = tmp_path / "sample.wast"
    path.write_text(SCRIPT)
    score = spec(path, engine="oracle")["sample"]
    assert (score.passed, score.failed, score.refused) == (14, 1, 2)
    wrong, module, action = score.problems
    assert wrong.startswith("27: assert_return: got [2]")
    assert "garbage collection" in module and "-mno-gc" in module
    assert "its module was refused" in action


def test_fields_alone_are_a_module(tmp_path: Path) -> None:
    (tmp_path / "fields.wast").write_text("(func) (memory 0)\n")
    assert spec(tmp_path, engine="oracle")["fields"].problems == []


@pytest.mark.parametrize("text", ["(module", "(module))", '(assert_return "x")', "(; x", "module"])
def test_what_is_no_script(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.wast").write_text(text)
    with pytest.raises(UsageError, match="not a test script"):
        spec(tmp_path, engine="oracle")


def test_lines_are_those_of_the_text() -> None:
    commands = read_wast(SCRIPT).commands
    lines = SCRIPT.splitlines()
    assert all(command["type"].split("_")[0] in lines[command["line"] - 1] or
               command["type"] in ("action", "assert_uninstantiable")
               for command in commands)  # fmt: skip


@pytest.mark.parametrize("format_, code", [(F32, "f"), (F64, "d")])
def test_floats_are_rounded_once(format_, code: str) -> None:
    dice = random.Random(7)
    for _ in range(300):
        bits = dice.getrandbits(format_.bits) & ~format_.sign
        if bits >= format_.infinity:
            continue
        value = format_.decode(bits)
        assert float_bits(format_, repr(value)) == str(bits)
        assert float_bits(format_, value.hex()) == str(bits)
    exact = struct.unpack("<I" if code == "f" else "<Q", struct.pack(f"<{code}", 0.1))[0]
    assert float_bits(format_, "0.1") == str(exact)
    assert float_bits(format_, "-0.0") == str(format_.sign)
    assert float_bits(format_, "1e999") == str(format_.infinity)


def test_a_float_between_two_is_not_rounded_twice() -> None:
    """Just above the middle of 1 and the next f32: through a double it would become a tie."""
    assert float_bits(F32, "0x1.00000100000000000000001p+0") == str(0x3F800001)
    assert float_bits(F32, "0x1.000001p+0") == str(0x3F800000)
    assert float_bits(F32, "0x1p-149") == "1" and float_bits(F32, "0x1p-150") == "0"
    assert float_bits(F32, "-nan:0x200000") == str(0xFFA00000)


FEATURES = {
    "threads": "(memory 1 1 shared)",
    "threads (": "(memory 1) (func (drop (i32.atomic.load (i32.const 0))))",
    "the older form of exception handling": "(func try catch_all end)",
    "a recursive type": "(type $t (func (param (ref null $t))))",
    "garbage collection": "(type (struct))",
}


@pytest.mark.parametrize("name", FEATURES)
def test_newer_features_are_refused_by_name(name: str) -> None:
    binary = to_wasm(f"(module {FEATURES[name]})")
    with pytest.raises(UnsupportedFeature, match="not supported; compile with -") as caught:
        decode(binary)
    assert name in str(caught.value)
    assert isinstance(caught.value, Unsupported)
    with pytest.raises(MalformedError) as older:
        decode(binary, release=2)
    assert not isinstance(older.value, Unsupported)
