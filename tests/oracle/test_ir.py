"""The two interpreters as sessions: hosts, linking, limits, observers, exhaustion."""

from collections.abc import Callable
from typing import Any

import pytest

from transputer.errors import LinkError, StepLimitError, Trap, TrapError, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.host.outcome import CallOutcome
from transputer.host.store import HostFunction, Instance
from transputer.ir.module import FuncType
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.isa.core import MAX_FRAMES, MAX_SLOTS
from transputer.isa.op import ValType
from transputer.lower.flatten import flatten
from transputer.oracle import core_instructions, instructions
from transputer.oracle.core import CoreSession
from transputer.oracle.ir import IrSession

I32, I64 = ValType.I32, ValType.I64
AnySession = IrSession | CoreSession

LOOP = '(module (func (export "f") (loop (br 0))))'
COUNT = """(module (func (export "f") (param i32) (result i32)
  (loop (local.set 0 (i32.sub (local.get 0) (i32.const 1))) (br_if 0 (local.get 0)))
  (local.get 0)))"""


def module(text: str) -> Verified:
    return verify(decode(to_wasm(text)))


def load(session: AnySession, text: str) -> tuple[Instance, CallOutcome]:
    verified = module(text)
    if isinstance(session, CoreSession):
        return session.load(flatten(verified))
    return session.load(verified)


def ready(session: AnySession, text: str) -> Instance:
    instance, outcome = load(session, text)
    assert outcome.trap is None
    return instance


@pytest.fixture(params=[IrSession, CoreSession], ids=["oracle", "core"])
def make(request: pytest.FixtureRequest) -> Callable[..., AnySession]:
    """Each kind of session in turn."""
    kind: Callable[..., AnySession] = request.param
    return kind


Make = Callable[..., AnySession]


def test_every_row_can_be_executed() -> None:
    assert instructions.missing() == []
    assert core_instructions.missing() == []


# Host functions


def test_host_functions_take_and_give_ints(make: Make) -> None:
    seen: list[tuple[int, ...]] = []

    def swap(a: int, b: int) -> tuple[int, int]:
        seen.append((a, b))
        return b, a

    session = make()
    type_ = FuncType((I32, I64), (I64, I32))
    session.add_host("host", {"swap": HostFunction(type_, swap)})
    instance = ready(
        session,
        '(module (import "host" "swap" (func $s (param i32 i64) (result i64 i32)))'
        '(func (export "f") (result i64 i32) i32.const -1 i64.const 5 call $s)'
        '(export "s" (func $s)))',
    )
    assert session.invoke(instance, "f").results == (5, 0xFFFFFFFF)
    assert session.invoke(instance, "s", (1, 2)).results == (2, 1)
    assert seen == [(0xFFFFFFFF, 5), (1, 2)]


def test_a_host_function_can_trap(make: Make) -> None:
    def fail() -> None:
        raise TrapError(Trap.HOST, "no such thing")

    session = make()
    session.add_host("host", {"fail": HostFunction(FuncType(), fail)})
    instance = ready(session, '(module (import "host" "fail" (func $f)) (export "f" (func $f)))')
    outcome = session.invoke(instance, "f")
    assert (outcome.trap, outcome.detail) == (Trap.HOST, "no such thing")


def test_a_host_function_is_reached_through_a_table(make: Make) -> None:
    session = make()
    session.add_host("host", {"nine": HostFunction(FuncType((), (I32,)), lambda: 9)})
    instance = ready(
        session,
        '(module (import "host" "nine" (func $n (result i32))) (table 1 funcref)'
        "(elem (i32.const 0) $n)"
        '(func (export "f") (result i32) (call_indirect (result i32) (i32.const 0))))',
    )
    assert session.invoke(instance, "f").results == (9,)


def test_devices(make: Make) -> None:
    source, sink = iter(b"hi"), bytearray()
    session = make(console=Console(lambda: next(source, -1), sink.append))
    instance = ready(
        session,
        """(module
          (import "transputer" "read" (func $read (result i32)))
          (import "transputer" "write" (func $write (param i32)))
          (import "transputer" "exit" (func $exit (param i32)))
          (func (export "f") (local i32)
            (loop
              (local.set 0 (call $read))
              (if (i32.eq (local.get 0) (i32.const -1)) (then (call $exit (i32.const 3))))
              (call $write (i32.add (local.get 0) (i32.const 1)))
              (br 0))))""",
    )
    outcome = session.invoke(instance, "f")
    assert (outcome.exit_code, outcome.trap, bytes(sink)) == (3, None, b"ij")


# Linking


def test_modules_share_what_they_export(make: Make) -> None:
    session = make()
    first = ready(
        session,
        """(module (memory (export "m") 1) (global (export "g") (mut i32) (i32.const 5))
          (table (export "t") 2 funcref)
          (func (export "add") (param i32) (result i32) (i32.add (local.get 0) (global.get 0))))""",
    )
    session.register("first", first)
    second = ready(
        session,
        """(module (import "first" "m" (memory 1)) (import "first" "g" (global $g (mut i32)))
          (import "first" "t" (table 2 funcref))
          (import "first" "add" (func $add (param i32) (result i32)))
          (func $own (result i32) (i32.load (i32.const 8)))
          (elem (i32.const 1) $own)
          (func (export "f") (result i32)
            (global.set $g (i32.const 100)) (i32.store (i32.const 8) (i32.const 42))
            (call $add (call_indirect (result i32) (i32.const 1)))))""",
    )
    assert session.invoke(second, "f").results == (142,)
    assert session.global_value(first, "g")[1] == 100
    assert session.invoke(first, "add", [1]).results == (101,)


@pytest.mark.parametrize(
    "text, message",
    [
        ('(import "no" "thing" (func))', "unknown import 'no' 'thing'"),
        ('(import "spectest" "print" (func (param i32)))', "incompatible import type"),
        ('(import "spectest" "memory" (memory 3))', "incompatible import type"),
        ('(import "spectest" "table" (table 1 externref))', "incompatible import type"),
        ('(import "spectest" "global_i32" (global (mut i32)))', "incompatible import type"),
    ],
)
def test_bad_imports_change_nothing(make: Make, text: str, message: str) -> None:
    session = make()
    before = len(session.store.functions)
    with pytest.raises(LinkError, match=message):
        load(session, f"(module {text} (func))")
    assert len(session.store.functions) == before


def test_what_happened_before_a_trap_at_the_start_stays(make: Make) -> None:
    session = make()
    _, outcome = load(
        session,
        '(module (import "spectest" "memory" (memory 1)) (data (i32.const 0) "kept")'
        '(data (i32.const 65536) "x"))',
    )
    assert outcome.trap is Trap.MEMORY_OUT_OF_BOUNDS
    reader = (
        '(module (import "spectest" "memory" (memory 1))'
        '(func (export "f") (result i32) (i32.load (i32.const 0))))'
    )
    kept = int.from_bytes(b"kept", "little")
    assert session.invoke(ready(session, reader), "f").results == (kept,)


def test_start_runs_and_may_trap(make: Make) -> None:
    _, outcome = load(make(), "(module (func $s unreachable) (start $s))")
    assert outcome.trap is Trap.UNREACHABLE


def test_unknown_exports_and_wrong_kinds(make: Make) -> None:
    session = make()
    instance = ready(session, '(module (func (export "f")) (memory (export "m") 1))')
    for name in ("g", "m"):
        with pytest.raises(UsageError, match=f"no exported func '{name}'; available: f"):
            session.invoke(instance, name)
    with pytest.raises(UsageError, match="no exported global"):
        session.global_value(instance, "f")


def test_wrong_argument_counts_are_refused(make: Make) -> None:
    session = make()
    instance = ready(session, COUNT)
    for args in ([], [1, 2]):
        with pytest.raises(TypeError, match="expected 1 arguments, got"):
            session.invoke(instance, "f", args)


# Limits


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 1000])
def test_the_step_limit_is_exact(make: Make, limit: int) -> None:
    seen: list[int] = []
    session = make(max_steps=limit, observer=lambda machine: seen.append(machine.pc))
    instance = ready(session, LOOP)
    with pytest.raises(StepLimitError, match=f"step limit of {limit:,} reached") as caught:
        session.invoke(instance, "f")
    assert caught.value.exit_code == 3
    assert len(seen) == limit


def test_a_run_needs_exactly_its_steps(make: Make) -> None:
    session = make()
    steps = session.invoke(ready(session, COUNT), "f", [5]).steps
    enough, short = make(max_steps=steps), make(max_steps=steps - 1)
    assert enough.invoke(ready(enough, COUNT), "f", [5]).results == (0,)
    with pytest.raises(StepLimitError):
        short.invoke(ready(short, COUNT), "f", [5])


def test_instructions_are_those_of_the_program(make: Make) -> None:
    """Five rounds of seven, and one; block, loop, end, else and nop do not count."""
    session = make()
    instance = ready(session, COUNT.replace("(loop", "nop (loop nop"))
    assert session.invoke(instance, "f", [5]).instructions == 5 * 6 + 1


def test_the_observer_sees_each_step_before_it_happens() -> None:
    seen: list[tuple[str, list[int]]] = []
    session = IrSession(observer=lambda m: seen.append((m.instr.name, list(m.stack))))
    instance = ready(
        session, '(module (func (export "f") (result i32) i32.const 2 i32.const 3 i32.mul))'
    )
    session.invoke(instance, "f")
    assert seen == [
        ("i32.const", []),
        ("i32.const", [2]),
        ("i32.mul", [2, 3]),
        ("end", [6]),
    ]


def test_the_observer_sees_core_code() -> None:
    seen: list[tuple[int, int]] = []
    session = CoreSession(observer=lambda m: seen.append((m.pc, m.sp)))
    instance = ready(session, '(module (func (export "f") (result i32) i32.const 2))')
    base = session.invoke(instance, "f").steps
    assert base == 2
    (first, _), (second, _) = seen
    assert (second - first, [sp for _, sp in seen]) == (1, [0, 1])


# Exhaustion

RECURSION = {
    "frames": "(func $f (export \"f\") (call $f))",
    "slots": "(func $f (export \"f\") (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 "
    "i64 i64 i64 i64 i64 i64 i64) (local.set 0 (i64.const 1)) (call $f))",
    "operands": "(func $f (export \"f\") (result i32) " + "i32.const 1 " * 30 + "call $f "
    + "i32.add " * 30 + ")",
    "mutual": "(func $f (export \"f\") (param i32) (call $g)) "
    "(func $g (call $f (i32.const 0)))",
    "indirect": "(table 1 funcref) (elem (i32.const 0) $f) "
    "(func $f (export \"f\") (call_indirect (i32.const 0)))",
}  # fmt: skip


def depth(make: Make, text: str) -> tuple[Any, ...]:
    session = make()
    instance = ready(session, f"(module {text})")
    args = [0] * len(session.function(instance, "f").type.params)
    outcome = session.invoke(instance, "f", args)
    return outcome.trap, outcome.instructions


@pytest.mark.parametrize("kind", RECURSION)
def test_exhaustion_is_a_trap_at_the_same_depth(kind: str) -> None:
    oracle, core = (depth(make, RECURSION[kind]) for make in (IrSession, CoreSession))
    assert oracle == core
    assert oracle[0] is Trap.STACK_EXHAUSTED


def test_exhaustion_comes_at_the_stated_limits() -> None:
    assert depth(IrSession, RECURSION["frames"]) == (Trap.STACK_EXHAUSTED, MAX_FRAMES)
    trap, instructions_ = depth(IrSession, RECURSION["slots"])
    assert instructions_ // 3 == (MAX_SLOTS - 1) // 20
    assert trap is Trap.STACK_EXHAUSTED


def test_a_session_goes_on_after_a_trap(make: Make) -> None:
    session = make()
    instance = ready(
        session,
        '(module (global $g (mut i32) (i32.const 0)) (func $r (export "r") (call $r))'
        '(func (export "t") (global.set $g (i32.const 1)) unreachable)'
        '(func (export "g") (result i32) (global.get $g)))',
    )
    assert session.invoke(instance, "r").trap is Trap.STACK_EXHAUSTED
    assert session.invoke(instance, "t").trap is Trap.UNREACHABLE
    assert session.invoke(instance, "g").results == (1,)
