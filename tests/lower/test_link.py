"""Routines linked into a program: only what it uses, with everything renumbered."""

import pytest

from transputer.errors import LinkError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.host.outcome import CallOutcome
from transputer.ir.core_verify import verify_core
from transputer.ir.module import Module
from transputer.ir.verify import verify
from transputer.lower.flatten import flatten
from transputer.lower.link import link, link_imports
from transputer.lower.origin import Lowered, as_written
from transputer.oracle.core import CoreSession


def module(text: str) -> Module:
    return verify(decode(to_wasm(f"(module {text})"))).module


LIBRARY = module("""
    (import "transputer" "write" (func $write (param i32)))
    (memory 1)
    (global $count (mut i32) (i32.const 40))
    (global $other (mut i32) (i32.const 7))
    (func $twice (export "twice") (param i32) (result i32)
      (i32.mul (local.get 0) (i32.const 2)))
    (func $four (export "four") (param i32) (result i32)
      (call $twice (call $twice (local.get 0))))
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      (global.get $count))
    (func (export "both") (param i32 i32) (result i32 i32)
      (block (param) (result i32 i32) (local.get 1) (local.get 0)))
    (func (export "say") (param i32) (call $write (local.get 0)))
    (func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
    (func $stop (export "stop") unreachable)
    (func (export "fails") (call $stop))
    """)


def run(program: Lowered, export: str, *args: int, written: list[int] | None = None) -> CallOutcome:
    core = flatten(verify(program.module), program.origins)
    verify_core(core)
    sink = [] if written is None else written
    session = CoreSession(console=Console(write=sink.append))
    return session.invoke(session.load(core)[0], export, args)


def test_only_what_is_used_is_linked() -> None:
    linked = link(as_written(module("(func nop)")), LIBRARY, ["four"])
    whole = linked.program.module
    assert [whole.function_name(i) for i in range(3)] == ["0", "four", "twice"]
    assert linked.functions == {"four": 1} and not whole.globals


def test_a_routine_called_through_an_import() -> None:
    program = module("""
        (import "lib" "four" (func $four (param i32) (result i32)))
        (import "transputer" "write" (func $write (param i32)))
        (func $own (export "own") (param i32) (result i32)
          (call $write (i32.const 65)) (call $four (local.get 0)))
        (func (export "again") (param i32) (result i32) (call $own (local.get 0)))
        (func $start) (start $start)
        (table 2 funcref) (elem (i32.const 0) $four $own)
        (global funcref (ref.func $own))
        (export "four" (func $four))""")
    made = link_imports(as_written(program), LIBRARY, {("lib", "four"): "four"})
    assert [i.name for i in made.module.imports] == ["write"]
    written: list[int] = []
    outcome = run(made, "again", 5, written=written)
    assert outcome.results == (20,) and written == [65]
    # call, get, call, const, call, get: the routine and implied returns do not count
    assert outcome.instructions == 6
    assert run(made, "four", 3).results == (12,)


def test_globals_come_with_the_routine() -> None:
    program = module("""
        (import "lib" "next" (func $next (result i32)))
        (global $own (mut i32) (i32.const 1))
        (func (export "f") (result i32) (drop (call $next)) (i32.add (call $next) (global.get 0)))
        """)
    made = link_imports(as_written(program), LIBRARY, {("lib", "next"): "next"})
    assert len(made.module.globals) == 2
    assert run(made, "f").results == (43,)


def test_an_import_of_a_routine_moves_the_programs_functions() -> None:
    program = module("""
        (import "lib" "say" (func $say (param i32)))
        (func $f (export "f") (call $say (i32.const 66)) (call $g)) (func $g)""")
    made = link_imports(as_written(program), LIBRARY, {("lib", "say"): "say"})
    written: list[int] = []
    assert run(made, "f", written=written).trap is None and written == [66]


def test_block_types_by_index_are_renumbered() -> None:
    program = module("""
        (type (func (param f32))) (type (func))
        (import "lib" "both" (func $both (param i32 i32) (result i32 i32)))
        (func (export "f") (result i32) (i32.sub (call $both (i32.const 1) (i32.const 9))))""")
    made = link_imports(as_written(program), LIBRARY, {("lib", "both"): "both"})
    assert run(made, "f").results == (8,)


def test_what_cannot_be_linked_is_refused() -> None:
    empty = as_written(module("(func nop)"))
    with pytest.raises(LinkError, match="no routine 'x'"):
        link(empty, LIBRARY, ["x"])
    with pytest.raises(LinkError, match="peek needs a memory"):
        link(empty, LIBRARY, ["peek"])
    with pytest.raises(LinkError, match="cannot have tables"):
        link(empty, module("(table 1 funcref)"), [])
    wrong = as_written(module('(import "lib" "twice" (func (param i64)))'))
    with pytest.raises(LinkError, match=r"\(i32\)->\(i32\), not \(i64\)->\(\)"):
        link_imports(wrong, LIBRARY, {("lib", "twice"): "twice"})
