"""64-bit memories and tables: core code and weights against the oracle and wasmtime."""

import pytest

from transputer.errors import CapacityError, LinkError, Trap
from transputer.frontends.binary import decode, encode
from transputer.frontends.wat import to_wasm
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.module import WIDE_PAGES
from transputer.ir.text import print_wat
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.lower.pipeline import in_core, in_words
from transputer.oracle.independent import run_wasmtime
from transputer.runtime.trace.sessions import new_session

ENGINES = ("oracle", "core", "words", "native")
FAR = 1 << 32
TEXT = """(module
  (memory $m (export "m") i64 1 2) (memory $narrow 1)
  (table $t i64 3 5 funcref) (elem (table $t) (i64.const 1) func $one)
  (data (i64.const 8) "abcdefgh") (data $passive "xyz")
  (func $one (result i32) (i32.const 1))
  (func (export "load") (param i64) (result i64) (i64.load offset=8 (local.get 0)))
  (func (export "far") (param i64) (result i32) (i32.load8_u offset=0x100000000 (local.get 0)))
  (func (export "store") (param i64 i64) (i64.store (local.get 0) (local.get 1)))
  (func (export "lane") (param i64) (result i64)
    (v128.store (local.get 0) (v128.load8_lane 3 (local.get 0) (v128.const i64x2 -1 -1)))
    (i64.load (local.get 0)))
  (func (export "size") (result i64) (memory.size $m))
  (func (export "grow") (param i64) (result i64) (memory.grow $m (local.get 0)))
  (func (export "fill") (param i64 i64) (memory.fill (local.get 0) (i32.const 7) (local.get 1)))
  (func (export "copy") (param i64 i64 i64)
    (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "mixed") (param i64 i32 i32)
    (memory.copy $m $narrow (local.get 0) (local.get 1) (local.get 2)))
  (func (export "init") (param i64)
    (memory.init $passive (local.get 0) (i32.const 1) (i32.const 2)))
  (func (export "call") (param i64) (result i32)
    (call_indirect $t (result i32) (local.get 0)))
  (func (export "elements") (param i64) (result i64)
    (table.set $t (local.get 0) (ref.func $one))
    (table.grow $t (table.get $t (local.get 0)) (i64.const 1)))
  (func (export "many") (param i64) (result i64)
    (table.grow $t (ref.null func) (local.get 0))))"""
CALLS = [
    *[("load", (a,)) for a in (0, 65520, 65521, FAR, (1 << 64) - 8)],
    *[("far", (a,)) for a in (0, FAR - 1)],
    *[("store", (a, 0x1122334455667788)) for a in (16, 65528, 65529, FAR + 16)],
    *[("lane", (a,)) for a in (16, 65521, FAR + 16)],
    *[("grow", (n,)) for n in (FAR, 5, 1)],
    ("size", ()),
    *[("fill", pair) for pair in ((100, 3), (FAR, 0), (0, FAR), (131072, 0), (131073, 0))],
    *[("copy", three) for three in ((200, 8, 8), (FAR, 0, 0), (0, FAR, 0), (0, 0, FAR))],
    *[("mixed", three) for three in ((300, 0, 8), (FAR + 300, 0, 1))],
    *[("init", (a,)) for a in (400, FAR + 400)],
    *[("call", (i,)) for i in (1, 0, 3, FAR + 1)],
    *[("elements", (i,)) for i in (0, FAR)],
    *[("many", (n,)) for n in (FAR, 9, 0)],
]


def compiled(text: str) -> Verified:
    return verify(decode(to_wasm(text)))


@pytest.mark.parametrize("engine", ENGINES)
def test_wide_addresses_agree_with_wasmtime(engine: str) -> None:
    theirs = run_wasmtime(to_wasm(TEXT), CALLS)
    session = new_session(engine, max_steps=1_000_000)
    instance, _ = session.load_module(compiled(TEXT))
    for (name, args), call in zip(CALLS, theirs.calls, strict=True):
        outcome = session.invoke(instance, name, args)
        # wasmtime does not tell a call beyond a table from another access beyond it
        trap = {Trap.UNDEFINED_ELEMENT: Trap.TABLE_OUT_OF_BOUNDS}.get(outcome.trap, outcome.trap)
        assert (trap, outcome.results) == (call.trap, call.results or ()), (name, args)


def test_instructions_count_as_those_written() -> None:
    counts = []
    for engine in ("oracle", "words"):
        session = new_session(engine, max_steps=1_000_000)
        instance, _ = session.load_module(compiled(TEXT))
        counts.append([session.invoke(instance, *call).instructions for call in CALLS])
    assert counts[0] == counts[1]


def test_forms_survive() -> None:
    module = decode(to_wasm(TEXT))
    assert decode(encode(module)) == module == decode(to_wasm(print_wat(module)))
    code = in_words(verify(decode(to_wasm("(module (memory i64 1 2) (table i64 3 funcref))"))))
    assert parse_core(print_core(code)) == code
    plain = "(module (memory 1) (func (drop (i32.load (i32.const 0)))))"
    assert in_core(compiled(plain)).declarations.memories[0].limits.lowered is False


@pytest.mark.parametrize("engine", ENGINES)
def test_addresses_are_part_of_the_type(engine: str) -> None:
    session = new_session(engine, max_steps=10_000)
    both = """(module (memory (export "n") 1) (memory (export "w") i64 1)
      (table (export "t") i64 1 funcref))"""
    session.register("a", session.load_module(compiled(both))[0])
    session.load_module(compiled('(module (import "a" "w" (memory i64 1)))'))
    for name, wrong in (("n", "memory i64 1"), ("w", "memory 1"), ("t", "table 1 funcref")):
        with pytest.raises(LinkError, match="incompatible import type"):
            session.load_module(compiled(f'(module (import "a" "{name}" ({wrong})))'))


@pytest.mark.parametrize("engine", ENGINES)
def test_beyond_the_limits(engine: str) -> None:
    session = new_session(engine, max_steps=10_000)
    with pytest.raises(
        CapacityError, match=f"a memory of 65,536 pages; the limit is {WIDE_PAGES:,}"
    ):
        session.load_module(compiled("(module (memory i64 65536))"))
    grows = (
        '(module (memory i64 0) (func (export "f") (result i64) (memory.grow (i64.const 65536))))'
    )
    instance, _ = session.load_module(compiled(grows))
    assert session.invoke(instance, "f").results == ((1 << 64) - 1,)
    far = '(module (memory i64 1) (data (i64.const 0x100000000) ""))'
    _, outcome = session.load_module(compiled(far))
    assert outcome.trap is Trap.MEMORY_OUT_OF_BOUNDS
