"""Exceptions, tail calls and function references: core code and weights against the oracle."""

from pathlib import Path

import pytest

from transputer import api
from transputer.errors import InvalidError, Trap, Unsupported
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.outcome import CallOutcome
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.text import print_wat
from transputer.ir.verify import verify
from transputer.lower.pipeline import in_core, in_words
from transputer.runtime.trace.sessions import new_session

ENGINES = ("oracle", "core", "words", "native")
EXCEPTIONS = """
  (tag $e (param i32 i64)) (tag $f (param f64)) (type $t (func (param i32) (result i64)))
  (table funcref (elem $throws))
  (func $throws (param i32) (result i64)
    (if (i32.eq (local.get 0) (i32.const 1)) (then (throw $e (i32.const 7) (i64.const -1))))
    (if (i32.eq (local.get 0) (i32.const 2)) (then (throw $f (f64.const 1.5))))
    (i64.const 3))
  (func $through (param i32) (result i64)
    (i64.add (i64.const 100) (call_indirect (type $t) (local.get 0) (i32.const 0))))
  (func (export "caught") (param i32) (result i64) (local $l i64)
    (block $h (result i32 i64)
      (return (i64.add (i64.const 1000)
        (try_table (result i64) (catch $e $h) (call $through (local.get 0))))))
    (local.set $l) (i64.extend_i32_u) (local.get $l) (i64.add))
  (func (export "rethrown") (param i32) (result i32)
    (block $outer (result i32 i64)
      (block $inner (result exnref)
        (drop (try_table (result i64) (catch_all_ref $inner) (call $through (local.get 0))))
        (return (i32.const 0)))
      (try_table (param exnref) (catch $e $outer) (throw_ref))
      (unreachable))
    (drop))
  (func (export "null") (throw_ref (ref.null exn)))"""
TAILS = """
  (type $t (func (param i32 i32) (result i32)))
  (table funcref (elem $odd $other $even)) (elem declare func $even)
  (func $other (result i32) (i32.const 9))
  (func (export "count") (param i32 i32) (result i32) (local i64)
    (if (i32.eqz (local.get 0)) (then (return (local.get 1))))
    (return_call 1 (i32.sub (local.get 0) (i32.const 1)) (i32.add (local.get 1) (i32.const 2))))
  (func $even (export "even") (param i32 i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (return (local.get 1))))
    (return_call_indirect (type $t)
      (i32.sub (local.get 0) (i32.const 1)) (i32.const 1) (i32.const 0)))
  (func $odd (param i32 i32) (result i32) (local f64 i32)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 77))))
    (return_call_ref $t (i32.sub (local.get 0) (i32.const 1)) (i32.const 2) (ref.func $even)))
  (func (export "wrong") (param i32) (result i32)
    (return_call_indirect (type $t) (i32.const 1) (i32.const 2) (local.get 0)))
  (func (export "null") (param i32) (result i32)
    (call_ref $t (i32.const 0) (i32.const 5)
      (if (result (ref null $t)) (local.get 0)
        (then (ref.func $even)) (else (ref.null $t)))))
  (func (export "branch") (param i32) (result i32) (local $r (ref null $t))
    (block $null
      (block $set (result (ref $t))
        (br_on_non_null $set
          (if (result (ref null $t)) (local.get 0)
            (then (ref.func $even)) (else (ref.null $t))))
        (br $null))
      (br_on_null $null) (local.set $r)
      (return (call_ref $t (i32.const 0) (i32.const 6) (ref.as_non_null (local.get $r)))))
    (i32.const 4))"""


def calls(text: str, engine: str, *each: tuple[str, *tuple[int, ...]]) -> list[CallOutcome]:
    session = new_session(engine, max_steps=10**7)
    instance, _ = session.load_module(verify(decode(to_wasm(f"(module {text})"))))
    return [session.invoke(instance, name, list(args)) for name, *args in each]


@pytest.mark.parametrize("engine", ENGINES)
def test_exceptions(engine: str) -> None:
    made = calls(
        EXCEPTIONS,
        engine,
        *[("caught", i) for i in range(3)],
        *[("rethrown", i) for i in range(3)],
        ("null",),
        ("caught", 1),  # what was not caught is forgotten
    )
    assert [m.results for m in made] == [(1103,), (6,), (), (0,), (7,), (), (), (6,)]
    uncaught, null = Trap.UNCAUGHT_EXCEPTION, Trap.NULL_EXCEPTION
    assert [m.trap for m in made] == [None, None, uncaught, None, None, uncaught, null, None]


@pytest.mark.parametrize("engine", ENGINES)
def test_tail_calls_and_references(engine: str) -> None:
    made = calls(
        TAILS,
        engine,
        ("count", 1000, 5),
        ("even", 10, 0),
        ("even", 11, 0),
        *[("wrong", i) for i in (0, 1, 3)],
        *[("null", i) for i in (0, 1)],
        *[("branch", i) for i in (0, 1)],
    )
    traps = [Trap.INDIRECT_CALL_MISMATCH, Trap.UNDEFINED_ELEMENT, Trap.NULL_FUNCTION]
    assert [m.trap for m in made if m.trap] == traps
    results = [m.results for m in made if not m.trap]
    assert results == [(2005,), (2,), (77,), (2,), (5,), (4,), (6,)]


@pytest.mark.parametrize("text", [EXCEPTIONS, TAILS], ids=["exceptions", "tails"])
def test_instructions_count_as_on_the_oracle(text: str) -> None:
    each = ("caught", 1) if text is EXCEPTIONS else ("even", 21, 3)
    counts = {engine: calls(text, engine, each)[0].instructions for engine in ENGINES}
    assert len(set(counts.values())) == 1, counts


@pytest.mark.parametrize("engine", ["core", "native"])
def test_a_deep_tail_recursion_needs_no_stack(engine: str) -> None:
    (deep,) = calls(TAILS, engine, ("count", 100_000, 0))
    assert deep.results == (200_000,)


def test_code_without_throws_pays_nothing() -> None:
    plain = "(func $g) (func (call $g))"
    with_tag = in_core(verify(decode(to_wasm(f"(module (tag) {plain})"))))
    assert with_tag.code == in_core(verify(decode(to_wasm(f"(module {plain})")))).code


@pytest.mark.parametrize("text", [EXCEPTIONS, TAILS], ids=["exceptions", "tails"])
def test_the_code_is_valid_and_has_a_text_form(text: str) -> None:
    module = verify(decode(to_wasm(f"(module {text})")))
    core = in_words(module)
    verify_core(core)
    again = parse_core(print_core(core))
    assert (again.code, again.declarations.globals) == (core.code, core.declarations.globals)
    assert decode(to_wasm(print_wat(module.module))).functions == module.module.functions


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_crosses_modules(engine: str) -> None:
    session = new_session(engine, max_steps=10**6)
    thrower = '(tag $e (export "e") (param i32)) (func (export "f") (throw $e (i32.const 5)))'
    first, _ = session.load_module(verify(decode(to_wasm(f"(module {thrower})"))))
    session.register("m", first)
    # a module without tags passes it on
    between, _ = session.load_module(
        verify(decode(to_wasm('(module (import "m" "f" (func $f)) (func (export "g") (call $f)))')))
    )
    session.register("n", between)
    catches = (
        '(module (import "m" "e" (tag $e (param i32))) (import "n" "g" (func $g)) (tag $own '
        '(param i32)) (func (export "h") (result i32) (block $b (result i32) (try_table '
        "(catch $own 0) (catch $e $b) (call $g)) (i32.const 1))))"
    )
    last, _ = session.load_module(verify(decode(to_wasm(catches))))
    assert session.invoke(last, "h", []).results == (5,)
    assert session.invoke(between, "g", []).trap is Trap.UNCAUGHT_EXCEPTION


def test_a_table_of_a_module_that_expects_no_exceptions_is_refused() -> None:
    session = new_session("core", max_steps=10**6)
    first, _ = session.load_module(
        verify(decode(to_wasm('(module (table (export "t") 1 funcref))')))
    )
    session.register("m", first)
    text = '(module (import "m" "t" (table 1 funcref)) (tag $e) (func (throw $e)))'
    with pytest.raises(Unsupported, match="load the module that throws first"):
        session.load_module(verify(decode(to_wasm(text))))


@pytest.mark.parametrize(
    "text, message",
    [
        ("(tag (result i32))", "non-empty tag result type"),
        ("(func (throw 0))", "unknown tag"),
        ("(tag $e (param i32)) (func (throw $e))", "type mismatch"),
        ("(tag $e (param i32)) (func (try_table (catch $e 0)))", "type mismatch"),
        ("(func (param exnref) (local (ref exn)) (drop (local.get 1)))", "uninitialized local"),
        ("(func $f (result i32) (i32.const 0)) (func (return_call $f))", "type mismatch"),
        ("(type $t (func)) (func (param funcref) (call_ref $t (local.get 0)))", "type mismatch"),
        ("(table 1 (ref func))", "type mismatch"),
    ],
)
def test_what_is_invalid_is_refused(text: str, message: str) -> None:
    module = decode(to_wasm(f"(module {text})"))
    with pytest.raises(InvalidError, match=message):
        verify(module)


@pytest.mark.slow
def test_a_program_that_throws_is_not_exported(tmp_path: Path) -> None:
    """Whoever runs the tokens alone could not tell an uncaught exception from a return."""
    text = '(module (tag $t) (func (export "f") (result i32) (throw $t)))'
    file = tmp_path / "throws.wat"
    file.write_text(text)
    program = api.compile(file)
    assert program.run(invoke="f").trap is Trap.UNCAUGHT_EXCEPTION
    for to in ("c", "prompt", "site"):
        with pytest.raises(Unsupported, match="an uncaught one looks like a return"):
            program.export(to, tmp_path / to, invoke="f")
    rows = list(api.map(file, [[]] * 300, invoke="f"))
    assert {row["trap"] for row in rows} == {"uncaught exception"}
