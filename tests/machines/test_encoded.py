"""Tokens of code in the user's cache: they are those that encoding gives."""

import random
from pathlib import Path
from typing import Any

import pytest

from transputer import cache
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.ir.environment import Environment
from transputer.machines.trace import encoded
from transputer.machines.trace.session import TraceSession
from transputer.runtime.trace.program import TraceProgram, from_binary
from transputer.runtime.trace.sessions import new_session

PROGRAM = """
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 3))
  (table 2 funcref)
  (elem (i32.const 0) $double $square)
  (type $unary (func (param i32) (result i32)))
  (func $double (type $unary) (i32.mul (local.get 0) (i32.const 2)))
  (func $square (type $unary) (i32.mul (local.get 0) (local.get 0)))
  (func (export "both") (param i32) (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 8) (local.get 0))
    (block $a (block $b (br_table $a $b (local.get 0))))
    (i32.add (call_indirect (type $unary) (i32.load (i32.const 8)) (i32.const 1))
      (call_indirect (type $unary) (local.get 0) (i32.const 0)))))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "transputer" / "core"


def program() -> TraceProgram:
    return from_binary("both.wat", to_wasm(PROGRAM))


def ran(before: int = 0) -> tuple[Any, ...]:
    """What a session has after it loaded the program, and its answer."""
    session: Any = new_session("native", Console(), max_steps=10_000, keep=True)
    session.environment = Environment((b"name",))
    assert isinstance(session, TraceSession)
    for _ in range(before):
        session.load_program(from_binary("other.wat", to_wasm('(module (func (export "f")))')))
    instance, _ = session.load_program(program())
    outcome = session.invoke(instance, "both", [5])
    trace = session.trace
    return trace.tape.tokens.tobytes(), trace.listing, trace.implied, trace.types, outcome.results


def test_the_second_run_takes_them_from_the_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ran()
    assert first[-1] == (35,)
    assert len(list(folder.glob("tokens-*"))) == 1
    calls = []
    derive = encoded._encoded
    monkeypatch.setattr(encoded, "_encoded", lambda *a: calls.append(a) or derive(*a))
    assert ran() == first
    assert [len(module.code) for module, _ in calls] == [12]  # the devices, which are not kept


def test_edited_tokens_are_derived_again(folder: Path) -> None:
    first, draw = ran(), random.Random(7)
    for _ in range(5):
        (path,) = folder.glob("tokens-*")
        data = bytearray(path.read_bytes())
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        assert ran() == first


def test_another_place_has_other_tokens(folder: Path) -> None:
    ran()
    assert ran(before=1)[-1] == (35,)
    assert len(list(folder.glob("tokens-*"))) == 3  # the small program has one, too


def test_other_sources_derive_them_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ran()
    code = cache.code
    monkeypatch.setattr(cache, "code", lambda module: code(module) + "changed")
    assert ran() == first
    assert len(list(folder.glob("tokens-*"))) == 2
