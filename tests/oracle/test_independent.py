"""wasmtime as the independent oracle, and observations that compare."""

import dataclasses

import pytest

from transputer.errors import (
    InvalidError,
    LinkError,
    StepLimitError,
    Trap,
    TrapError,
    Unsupported,
    UsageError,
)
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.observation import CallRecord, Invocation, Observation, difference, observe
from transputer.host.store import HostFunction
from transputer.ir.module import FuncType
from transputer.ir.verify import verify
from transputer.isa.floats import F32, F64
from transputer.isa.op import ValType
from transputer.lower.flatten import flatten
from transputer.oracle.core import CoreSession
from transputer.oracle.independent import complaint, run_wasmtime
from transputer.oracle.ir import IrSession

I32, F32_ = ValType.I32, ValType.F32


def everywhere(text: str, *calls: Invocation) -> Observation:
    """The observation on wasmtime, which must be that of both interpreters."""
    binary = to_wasm(f"(module {text})")
    verified = verify(decode(binary))
    theirs = run_wasmtime(binary, calls)
    oracle = observe(IrSession(), verified, calls)
    core = observe(CoreSession(), flatten(verified), calls)
    assert difference(theirs, oracle.coarse()) == ""
    assert theirs == oracle.coarse()
    assert core == oracle
    return oracle


# Values

NANS = {
    ValType.F32: (F32.nan, F32.nan | F32.sign, 0x7F800001, 0xFFC12345),
    ValType.F64: (F64.nan, F64.nan | F64.sign, 0x7FF0000000000001, 0xFFF8000012345678),
}


@pytest.mark.parametrize("type_", NANS, ids=lambda t: t.value)
def test_every_nan_passes_as_it_is(type_: ValType) -> None:
    t = type_.value
    text = (
        f'(func (export "same") (param {t}) (result {t}) local.get 0)'
        f'(func (export "two") (param {t} i64) (result i64 {t}) local.get 1 local.get 0)'
        f'(global (export "g") (mut {t}) ({t}.const 1))'
        '(func (export "set") (param %s) (global.set 0 (local.get 0)))' % t
    )
    for bits in NANS[type_]:
        seen = everywhere(text, ("same", (bits,)), ("two", (bits, 3)), ("set", (bits,)))
        assert [call.results for call in seen.calls] == [(bits,), (3, bits), ()]
        assert seen.globals == (("g", bits),)


@pytest.mark.parametrize(
    "instruction", ["f32.add", "f32.sub", "f32.mul", "f32.div", "f32.min", "f32.max"]
)
def test_arithmetic_gives_the_canonical_nan(instruction: str) -> None:
    text = f'(func (export "f") (param f32 f32) (result f32) local.get 0 local.get 1 {instruction})'
    one = F32.encode(1.0)
    for bits in NANS[F32_]:
        seen = everywhere(text, ("f", (bits, one)), ("f", (one, bits)))
        assert {call.results for call in seen.calls} == {(F32.nan,)}


def test_integers_are_unsigned() -> None:
    text = '(func (export "f") (result i32 i64) i32.const -1 i64.const -1)'
    assert everywhere(text, ("f", ())).calls[0].results == (2**32 - 1, 2**64 - 1)


def test_references() -> None:
    text = (
        '(func (export "e") (param externref) (result externref) local.get 0)'
        '(func (export "f") (param i32) (result funcref)'
        " (if (result funcref) (local.get 0) (then (ref.func 0)) (else (ref.null func))))"
        '(table (export "t") 3 externref) (table (export "u") 2 funcref) (elem (table 1)'
        ' (i32.const 1) func 0) (global (export "g") (mut externref) (ref.null extern))'
        '(func (export "set") (param externref)'
        " (table.set 0 (i32.const 1) (local.get 0)) (global.set 0 (local.get 0)))"
    )
    calls = [("e", (0,)), ("e", (9,)), ("f", (0,)), ("f", (1,)), ("set", (4,))]
    seen = everywhere(text, *calls)
    assert [call.results for call in seen.calls] == [(0,), (9,), (0,), (1,), ()]
    assert seen.tables == (("t", (3, 0, 4, 0)), ("u", (2, 0, 1)))
    assert seen.globals == (("g", 4),)


# Traps

TRAPPING = {
    Trap.UNREACHABLE: "unreachable",
    Trap.DIVIDE_BY_ZERO: "i32.const 1 i32.const 0 i32.div_s drop",
    Trap.INTEGER_OVERFLOW: "f32.const 1e30 i32.trunc_f32_s drop",
    Trap.INVALID_CONVERSION: "f64.const nan i64.trunc_f64_u drop",
    Trap.MEMORY_OUT_OF_BOUNDS: "i32.const 65533 i32.load drop",
    Trap.TABLE_OUT_OF_BOUNDS: "i32.const 2 table.get 0 drop",
    Trap.UNDEFINED_ELEMENT: "i32.const 2 call_indirect",
    Trap.UNINITIALIZED_ELEMENT: "i32.const 1 call_indirect",
    Trap.INDIRECT_CALL_MISMATCH: "i32.const 0 call_indirect (result i32) drop",
    Trap.STACK_EXHAUSTED: "call $f",
}


@pytest.mark.parametrize("trap", TRAPPING, ids=lambda trap: trap.name)
def test_every_trap_is_recognised(trap: Trap) -> None:
    text = (
        "(memory 1) (table 2 funcref) (elem (i32.const 0) $f)"
        f'(func $f (export "f") {TRAPPING[trap]})'
    )
    assert [call.trap for call in everywhere(text, ("f", ())).calls] == [trap]


@pytest.mark.parametrize(
    "text, trap",
    [
        ("(func $s unreachable) (start $s)", Trap.UNREACHABLE),
        ('(memory 0) (data (i32.const 0) "x")', Trap.MEMORY_OUT_OF_BOUNDS),
        ("(table 0 funcref) (func) (elem (i32.const 0) 0)", Trap.TABLE_OUT_OF_BOUNDS),
        (
            '(import "spectest" "memory" (memory 1)) (data (i32.const 3) "kept")'
            '(data (i32.const 65536) "x")',
            Trap.MEMORY_OUT_OF_BOUNDS,
        ),
    ],
)
def test_a_trap_at_the_start(text: str, trap: Trap) -> None:
    seen = everywhere(text, ("never", ()))
    assert (seen.start, seen.calls) == (trap, ())
    assert list(seen.traps()) == [trap]


# What is left behind


def test_memories_and_tables_that_grew() -> None:
    text = (
        '(memory (export "m") 1 3) (table (export "t") 1 funcref)'
        '(func (export "f") (result i32 i32) (memory.grow (i32.const 1))'
        " (i32.store (i32.const 131068) (i32.const 7))"
        " (table.grow (ref.func 0) (i32.const 2)))"
    )
    seen = everywhere(text, ("f", ()))
    assert seen.calls[0].results == (1, 1)
    assert seen.memories[0][1].startswith("131072 bytes")
    assert seen.tables == (("t", (3, 0, 1, 1)),)


def test_the_whole_of_spectest_can_be_imported() -> None:
    kinds = ("i32", "i64", "f32", "f64")
    imports = "".join(
        f'(import "spectest" "global_{t}" (global {t})) (import "spectest" "print_{t}" '
        f"(func (param {t})))"
        for t in kinds
    )
    exports = "".join(f'(export "{t}" (global {i}))' for i, t in enumerate(kinds))
    rest = (
        '(import "spectest" "print" (func))'
        '(import "spectest" "print_i32_f32" (func (param i32 f32)))'
        '(import "spectest" "print_f64_f64" (func (param f64 f64)))'
        '(import "spectest" "table" (table 10 20 funcref))'
        '(import "spectest" "memory" (memory 1 2))'
    )
    seen = everywhere(imports + rest + exports)
    assert dict(seen.globals)["i32"] == 666
    assert dict(seen.globals)["f32"] == F32.encode(666.6)
    assert dict(seen.globals)["f64"] == F64.encode(666.6)


# Hosts, limits, refusals


def test_host_functions() -> None:
    def fail(x: int) -> tuple[int, int]:
        if x == 2**32 - 1:
            raise TrapError(Trap.HOST)
        return x + 1, 2**32 - 1

    hosts = {"host": {"f": HostFunction(FuncType((I32,), (I32, I32)), fail)}}
    text = to_wasm(
        '(module (import "host" "f" (func $f (param i32) (result i32 i32))) (export "f" (func $f)))'
    )
    seen = run_wasmtime(text, [("f", (4,)), ("f", (2**32 - 1,))], hosts=hosts)
    assert seen.calls[0].results == (5, 2**32 - 1)
    assert seen.calls[1].trap is Trap.HOST


def test_host_functions_with_floats_are_refused() -> None:
    hosts = {"host": {"f": HostFunction(FuncType((F32_,)), lambda x: None)}}
    with pytest.raises(Unsupported, match="host.f: a host function with floats"):
        run_wasmtime(to_wasm("(module)"), [], hosts=hosts)


def test_nothing_runs_for_ever() -> None:
    with pytest.raises(StepLimitError, match="step limit of 10,000"):
        run_wasmtime(to_wasm('(module (func (export "f") (loop br 0)))'), [("f", ())], fuel=10_000)
    with pytest.raises(StepLimitError):
        run_wasmtime(to_wasm("(module (func $s (loop br 0)) (start $s))"), [], fuel=10_000)


def test_refusals() -> None:
    with pytest.raises(InvalidError, match="wasmtime: "):
        run_wasmtime(b"\0asm\1\0\0\0\7", [])
    with pytest.raises(LinkError, match="unknown import"):
        run_wasmtime(to_wasm('(module (import "a" "b" (func)))'), [])
    with pytest.raises(UsageError, match="no exported func 'f'"):
        run_wasmtime(to_wasm("(module)"), [("f", ())])
    with pytest.raises(Unsupported, match="null reference"):
        run_wasmtime(to_wasm('(module (func (export "f") (param funcref)))'), [("f", (1,))])


@pytest.mark.parametrize(
    "newer",
    [
        "(memory 1 (pagesize 1))",
        "(memory 1 1 shared)",
    ],
)
def test_newer_proposals_are_off(newer: str) -> None:
    assert complaint(to_wasm(f"(module {newer})")) != ""
    assert complaint(to_wasm("(module)")) == ""


# Comparison

PLAIN = Observation(
    None,
    (CallRecord("f", (1, 2), (3,)), CallRecord("g", (), (), Trap.UNREACHABLE)),
    (("m", "65536 bytes, aa"),),
    (("t", (2, 0, 1)),),
    (("x", 5),),
    instructions=10,
)


def test_equal_observations_have_no_difference() -> None:
    counted = dataclasses.replace(PLAIN, instructions=11)
    assert counted == PLAIN
    assert difference(counted, PLAIN) == ""


@pytest.mark.parametrize(
    "change, text",
    [
        ({"start": Trap.UNREACHABLE}, "start: a has None, b has Trap.UNREACHABLE"),
        (
            {"calls": (CallRecord("f", (1, 2), (4,)), PLAIN.calls[1])},
            "call 0: a has f(0x1, 0x2): 0x3, b has f(0x1, 0x2): 0x4",
        ),
        (
            {"calls": (PLAIN.calls[0], CallRecord("g", ()))},
            "call 1: a has g(): unreachable, b has g(): nothing",
        ),
        ({"calls": PLAIN.calls[:1]}, "call 1: a has g(): unreachable, b has None"),
        ({"memories": ()}, "memories 'm': a has 65536 bytes, aa, b has None"),
        ({"tables": (("t", (2, 0, 0)),)}, "tables 't': a has (2, 0, 1), b has (2, 0, 0)"),
        ({"globals": (("x", 6),)}, "globals 'x': a has 5, b has 6"),
    ],
)
def test_the_first_difference_is_named(change: dict[str, object], text: str) -> None:
    other = dataclasses.replace(PLAIN, **change)  # type: ignore[arg-type]
    assert other != PLAIN
    assert difference(PLAIN, other) == text


def test_coarse_merges_what_wasmtime_cannot_tell_apart() -> None:
    calls = (
        CallRecord("f", (), (), Trap.UNDEFINED_ELEMENT),
        CallRecord("g", (), (), Trap.UNREACHABLE),
    )
    seen = Observation(Trap.UNDEFINED_ELEMENT, calls).coarse()
    assert [trap.name for trap in seen.traps()] == [
        "TABLE_OUT_OF_BOUNDS",
        "TABLE_OUT_OF_BOUNDS",
        "UNREACHABLE",
    ]
