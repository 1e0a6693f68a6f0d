"""The text format: modules come back as binary with names, mistakes with their place."""

import pytest
import wasmtime

from transputer.errors import MalformedError
from transputer.frontends import wat

GCD = """(module
  (func $gcd (export "gcd") (param $a i32) (param $b i32) (result i32)
    (if (result i32) (i32.eqz (local.get $b))
      (then (local.get $a))
      (else (call $gcd (local.get $b) (i32.rem_u (local.get $a) (local.get $b)))))))
"""


def failure(text, file=""):
    with pytest.raises(MalformedError) as caught:
        wat.to_wasm(text, file)
    return caught.value


def test_module_runs():
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, wat.to_wasm(GCD))
    exports = wasmtime.Instance(store, module, []).exports(store)
    assert exports["gcd"](store, 48, 36) == 12


def test_names_are_kept():
    binary = wat.to_wasm(GCD)
    assert type(binary) is bytes
    section = binary[binary.index(b"\x04name") :]
    assert b"\x03gcd" in section and b"\x01a" in section and b"\x01b" in section


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "(module\n  (func $f\n\t\ti32.bogus))",
            "m.wat:3:3: unknown operator or unexpected token\n  \t\ti32.bogus))\n  \t\t^^^^^^^^^",
        ),
        (
            "(module (func (call $nope)))",
            "m.wat:1:21: unknown func: failed to find name `$nope`\n"
            "  (module (func (call $nope)))\n"
            "                      ^^^^^",
        ),
        ("(module", "m.wat:1:8: expected `)`\n  (module\n         ^"),
        ("(module\n", "m.wat:2:1: expected `)`"),
        ("", "m.wat:1:1: expected at least one module field"),
        ("(module)\r\n(x)\r\n", "m.wat:2:1: extra tokens remaining after parse\n  (x)\n  ^"),
        ("(; é𝄞 ;) x", "m.wat:1:10: expected `(`\n  (; é𝄞 ;) x\n           ^"),
    ],
    ids=["operator", "name", "end", "end of line", "empty", "carriage return", "not ascii"],
)
def test_mistake_shows_its_place(text, message):
    assert str(failure(text, "m.wat")) == message


def test_mistake_in_nameless_text():
    assert str(failure("(")).startswith("1:2: ")


def test_place_is_structured():
    place = failure(GCD.replace("rem_u", "rem"), "gcd.wat").place
    assert (place.file, place.line, place.column, place.width) == ("gcd.wat", 5, 40, 7)
    assert place.text == GCD.splitlines()[4].replace("rem_u", "rem")


def test_control_characters_do_not_reach_the_terminal():
    assert failure("(module \x1b[31m)").place.text == "(module \N{REPLACEMENT CHARACTER}[31m)"


def test_very_long_line_is_not_shown():
    error = failure("(module " + " " * 10_000 + "bogus)")
    assert str(error) == "1:10009: expected `(`"


def test_lone_surrogate():
    assert str(failure("(module) ;; \ud800", "m.wat")) == "m.wat:0xc: not Unicode text"


def test_deep_nesting_is_an_error_and_not_a_crash():
    failure("(module (func " + "(block " * 100_000)
    failure("(" * 100_000)
