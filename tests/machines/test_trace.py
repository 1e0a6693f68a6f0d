"""What the weights of the trace machine do is what the tables say.

On the reference engine, or on the native one where that would take thousands of steps; that both
decode the same is tested with the engines.
"""

import random
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from tests.sampling import sampled
from transputer import api
from transputer.errors import (
    CapacityError,
    EngineUnavailable,
    StepLimitError,
    Trap,
    TrapError,
    Unsupported,
    UsageError,
)
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.host.outcome import CallOutcome
from transputer.host.store import HostFunction, Instance
from transputer.ir.module import FuncType
from transputer.ir.verify import verify
from transputer.isa.core import CORE
from transputer.isa.op import Op, Table, ValType
from transputer.lower.asm import MAIN, lower_asm
from transputer.lower.bulk import RULES as BULK
from transputer.lower.flatten import flatten
from transputer.machines.trace.circuit import circuit
from transputer.machines.trace.machine import trace
from transputer.machines.trace.opcodes import ALIASES
from transputer.machines.trace.prompt import supported
from transputer.machines.trace.tape import Tape
from transputer.machines.trace.universal import model
from transputer.model import card
from transputer.model import verify as bounds
from transputer.oracle.asm import run as run_asm
from transputer.oracle.ir import IrSession
from transputer.runtime.trace.sessions import MachineSession, new_session

EDGES = (0, 1, 2, 3, 4, 31, 32, 33, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000)
EDGES += (0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x01020304, 0xDEADBEEF)
I32 = ValType.I32


def machine(engine: str = "reference", **how: object) -> MachineSession:
    session = new_session(engine, max_steps=20_000, **how)  # type: ignore[arg-type]
    assert isinstance(session, MachineSession)
    return session


def load(session: MachineSession | IrSession, wat: str) -> Instance:
    verified = verify(decode(to_wasm(wat)))
    made = (
        session.load(verified) if isinstance(session, IrSession) else session.load_module(verified)
    )
    return made[0]


def agree(
    wat: str, calls: Sequence[tuple[str, Sequence[int]]], engine: str = "reference"
) -> list[CallOutcome]:
    """Every call ends on the weights as in the oracle, which runs the module as written."""
    on_weights, oracle = machine(engine), IrSession()
    instance, expected_in = load(on_weights, wat), load(oracle, wat)
    ends = []
    for name, args in calls:
        end, expected = (
            on_weights.invoke(instance, name, args),
            oracle.invoke(expected_in, name, args),
        )
        assert (name, args, end.trap, end.results) == (name, args, expected.trap, expected.results)
        assert end.instructions == expected.instructions
        ends.append(end)
    return ends


def test_rows_without_a_circuit_are_bulk_instructions() -> None:
    lacking = [name for name in trace.missing() if name not in ALIASES]
    assert set(lacking) == {name for name in BULK.rules if name not in trace.rules}
    assert all(supported(op.name) for op in CORE if op.name in trace.rules)


def test_a_row_without_a_rule_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a row used to compute 0."""
    twice = Op("i32.twice", 0x1FF, "i:i", "Twice the value.", lambda a: 2 * a & 0xFFFFFFFF)
    monkeypatch.setattr(trace, "table", Table("core code", (*CORE, twice)))
    with pytest.raises(Unsupported, match=r"the trace machine has no rule for i32\.twice of core"):
        circuit()


def test_the_model_is_small() -> None:
    made = model()
    neurons = sum(len(layer.gate) for layer in made.layers)
    nonzero = sum(int((a != 0).sum()) for n, a in made.tensors().items() if n.startswith("layer"))
    assert len(made.layers) <= 12
    assert made.width <= 1_000
    assert neurons < 8_000
    assert nonzero <= 50_000


NUMERIC = [
    op for op in CORE if op.fn and not op.width and set(op.params) == {I32} == set(op.results)
    and not op.name.startswith(("i32.abs", "i32.neg"))
]  # fmt: skip


def expected(fn: Callable[..., int], operands: Sequence[int]) -> int | Trap:
    try:
        return fn(*operands)
    except TrapError as error:
        return error.trap


@pytest.mark.parametrize("op", sampled(NUMERIC, 4), ids=lambda op: op.name)
def test_numeric_instructions(op: object) -> None:
    assert hasattr(op, "name")
    params = "i32 " * op.pops
    gets = " ".join(f"local.get {i}" for i in range(op.pops))
    session = machine()
    wat = f'(module (func (export "f") (param {params}) (result i32) {gets} {op.name}))'
    instance = load(session, wat)
    chosen = random.Random(op.name)
    slow = op.name.startswith(("i32.div", "i32.rem"))
    cases = [case[: op.pops] for case in op.cases]
    count = 4 if slow else 14
    cases += [[chosen.choice(EDGES) for _ in range(op.pops)] for _ in range(count)]
    cases += [[chosen.getrandbits(32) for _ in range(op.pops)] for _ in range(count // 2)]
    for case in cases:
        end = session.invoke(instance, "f", list(case))
        assert (end.trap or end.results[0]) == expected(op.pure, case), (op.name, case)
        # operands, the instruction itself, the return
        assert end.trap or slow or end.steps == op.pops + 2


ACCESSES = [op for op in CORE if op.width and op.name.startswith("i32.")]


@pytest.mark.slow
@pytest.mark.parametrize("op", ACCESSES, ids=lambda op: op.name)
def test_accesses_of_every_alignment(op: object) -> None:
    assert hasattr(op, "name")
    body = "local.get 0" if op.pushes else "local.get 0 local.get 1"
    wat = f"""(module (memory 1) (data (i32.const 0) "\\f1\\82\\73\\e4\\95\\06\\d7\\28\\39")
      (func (export "f") (param i32 i32) (result i32)
        {body} {op.name} offset=3 {"" if op.pushes else "i32.const 0"})
      (func (export "word") (param i32) (result i32) local.get 0 i32.load))"""
    calls: list[tuple[str, list[int]]] = []
    for at in (0, 1, 2, 3, 4, 5, 65528, 65529, 65530, 65531, 65532, 65533, 0xFFFFFFFF):
        calls.append(("f", [at, 0xA1B2C3D4]))
        calls += [("word", [at & 0xFFFC]), ("word", [min(at + 4, 65532) & 0xFFFC])]
    agree(wat, calls, "native")


CONTROL = """(module
  (type $two (func (param i32) (result i32 i32)))
  (table 6 funcref)
  (elem (i32.const 0) $one $two $three)
  (global $g (mut i32) (i32.const 5))
  (func $one (param i32) (result i32) local.get 0 i32.const 1 i32.add)
  (func $two (param i32) (result i32) local.get 0 i32.const 2 i32.mul)
  (func $three (param i32 i32) (result i32) local.get 0 local.get 1 i32.sub)
  (func (export "indirect") (param i32 i32) (result i32)
    local.get 0 local.get 1 call_indirect (param i32) (result i32))
  (func (export "switch") (param i32) (result i32)
    (block $a (block $b (block $c (br_table $a $b $c $b (local.get 0))) (return (i32.const 30)))
      (return (i32.const 20))) i32.const 10)
  (func (export "switch value") (param i32) (result i32)
    (block $a (result i32) (block $b (result i32)
      i32.const 77 i32.const 88 local.get 0 br_table $a $b $a) i32.const 1 i32.add))
  (func (export "switch return") (param i32) (result i32)
    (block $a (result i32) i32.const 5 i32.const 6 local.get 0 br_table 1 0 1)
    drop i32.const 9)
  (func (export "unwind") (param i32) (result i32)
    (block (result i32) i32.const 1 i32.const 2 i32.const 3 local.get 0 br_if 0 drop drop))
  (func (export "keep three") (param i32) (result i32 i32 i32)
    (block (result i32 i32 i32)
      i32.const 9 i32.const 8 i32.const 7 i32.const 6 i32.const 5 local.get 0 br_if 0
      drop drop))
  (func (export "branch three") (result i32 i32 i32)
    (block (result i32 i32 i32) i32.const 9 i32.const 8 i32.const 7 i32.const 6 br 0))
  (func $pair (export "pair") (param i32) (result i32 i32)
    i32.const 44 local.get 0 i32.const 3 return)
  (func (export "use pair") (param i32) (result i32) local.get 0 call $pair i32.sub)
  (func (export "global") (param i32) (result i32)
    global.get $g local.get 0 global.set $g global.get $g i32.sub)
  (func (export "select") (param i32) (result i32)
    i32.const 11 i32.const 22 local.get 0 select)
  (func (export "stale") (result i32) (local i32 i32) local.get 1)
  (func (export "loop") (param i32) (result i32) (local i32)
    (loop $l (local.set 1 (i32.add (local.get 1) (local.get 0)))
      (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) local.get 1)
  (func (export "trap") unreachable)
  (func $down (export "down") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0)))))"""


@pytest.mark.slow
def test_control() -> None:
    calls: list[tuple[str, list[int]]] = []
    for i in (0, 1, 2, 3, 4, 5, 6, 0xFFFFFFFF):
        calls += [("indirect", [21, i]), ("switch", [i]), ("switch value", [i])]
        calls += [("switch return", [i]), ("unwind", [i]), ("keep three", [i]), ("select", [i])]
        calls += [("global", [i]), ("pair", [i]), ("use pair", [i]), ("stale", [])]
    calls += [("branch three", []), ("loop", [6]), ("trap", []), ("down", [20]), ("stale", [])]
    agree(CONTROL, calls, "native")


@pytest.mark.slow
def test_one_step_per_instruction() -> None:
    ends = agree(CONTROL, [("loop", [20]), ("switch", [1]), ("unwind", [1]), ("select", [0])])
    for end in ends:
        assert end.steps <= end.instructions + 2  # the return, and a local that must be zero


@pytest.mark.slow
def test_the_stack_is_exhausted_where_the_limit_says() -> None:
    session = machine("native", frames=50)
    instance = load(session, CONTROL)
    assert session.invoke(instance, "down", [48]).results == (48,)
    assert session.invoke(instance, "down", [49]).results == (49,)
    assert session.invoke(instance, "down", [50]).trap is Trap.STACK_EXHAUSTED
    assert session.invoke(instance, "down", [3]).results == (3,)  # the session goes on


TABLES = """(module
  (table $t 3 8 funcref) (table $u 2 externref) (memory 1 4)
  (elem declare func $f) (elem $e func $f $g) (data $d "hello, world")
  (func $f (result i32) i32.const 70) (func $g (result i32) i32.const 80)
  (func (export "set") (param i32) local.get 0 ref.func $f table.set $t)
  (func (export "null") (param i32) (result i32) local.get 0 table.get $t ref.is_null)
  (func (export "extern") (param i32 externref) (result externref)
    local.get 0 local.get 1 table.set $u local.get 0 table.get $u)
  (func (export "size") (result i32) table.size $t)
  (func (export "grow") (param i32) (result i32) ref.func $g local.get 0 table.grow $t)
  (func (export "call") (param i32) (result i32) local.get 0 call_indirect $t (result i32))
  (func (export "fill") (param i32 i32) local.get 0 ref.func $g local.get 1 table.fill $t)
  (func (export "init") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 table.init $t $e)
  (func (export "drop") elem.drop $e data.drop $d)
  (func (export "copy") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 table.copy $t $t)
  (func (export "memory.grow") (param i32) (result i32) local.get 0 memory.grow)
  (func (export "memory.size") (result i32) memory.size)
  (func (export "memory.fill") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 memory.fill)
  (func (export "memory.copy") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 memory.copy)
  (func (export "memory.init") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 memory.init $d)
  (func (export "word") (param i32) (result i32) local.get 0 i32.load))"""


@pytest.mark.slow
def test_tables_and_bulk_instructions() -> None:
    words: list[tuple[str, list[int]]] = [("word", [i]) for i in range(0, 48, 4)]
    calls: list[tuple[str, list[int]]] = [("set", [1]), ("set", [3])]
    calls += [("null", [i]) for i in range(4)] + [("call", [i]) for i in range(4)]
    calls += [("extern", [0, 0]), ("extern", [1, 42]), ("extern", [2, 42]), ("size", [])]
    calls += [("grow", [2]), ("size", []), ("grow", [9]), ("call", [4]), ("fill", [2, 2])]
    calls += [("fill", [4, 2]), ("call", [2]), ("init", [0, 0, 2]), ("init", [0, 1, 2])]
    calls += [("copy", [1, 0, 3]), ("copy", [0, 1, 3]), ("copy", [3, 0, 3])]
    calls += [("call", [i]) for i in range(6)]
    calls += [("memory.size", []), ("memory.grow", [2]), ("memory.grow", [2]), ("memory.size", [])]
    calls += [("memory.init", [3, 2, 9]), ("memory.init", [3, 4, 9]), *words]
    calls += [("memory.copy", [17, 3, 21]), *words, ("memory.copy", [5, 7, 13]), *words]
    calls += [("memory.copy", [9, 6, 14]), *words, ("memory.fill", [2, 0x1AB, 39]), *words]
    calls += [("memory.fill", [196604, 1, 5]), ("memory.fill", [196608, 1, 0])]
    calls += [("memory.fill", [196609, 1, 0]), ("memory.copy", [0xFFFFFFFF, 0, 2])]
    calls += [("drop", []), ("init", [0, 0, 1]), ("init", [0, 0, 0]), ("memory.init", [0, 1, 0])]
    agree(TABLES, calls, "native")


def test_addresses_spread_over_32_bits_have_no_stale_read_and_no_wrong_neighbour() -> None:
    """A thousand overwrites end to end; a hundred thousand at head level are in test_lookup."""
    chosen = random.Random(7)
    pool = [chosen.getrandbits(32) & ~3 for _ in range(200)]
    pool += [p ^ 4 << chosen.randrange(29) for p in pool[:100]]  # neighbours in one digit
    held: dict[int, int] = {}
    text = ["PUSH 0"]
    for _ in range(1000):
        at, value = chosen.choice(pool), chosen.getrandbits(32)
        held[at] = value
        text.append(f"PUSH {at} PUSH {value} I32.STORE")
    for at in [*held, *(p for p in pool if p not in held), 20, 0x80000000]:
        text.append(f"PUSH {at} I32.LOAD PUSH {held.get(at, 0)} NE ADD")
    try:
        session = new_session("native", max_steps=20_000)
    except EngineUnavailable as error:
        pytest.skip(str(error))
    assert isinstance(session, MachineSession)
    instance, _ = session.load(lower_asm(assemble("\n".join(text))))
    assert session.invoke(instance, MAIN, []).results == (0,)


def test_linked_modules_share_what_they_import() -> None:
    first = """(module (memory (export "m") 1) (table (export "t") 4 funcref)
      (global (export "g") (mut i32) (i32.const 3)) (elem (i32.const 1) $f)
      (func $f (export "f") (param i32) (result i32)
        (i32.store (i32.const 8) (local.get 0)) (i32.add (local.get 0) (global.get 0))))"""
    second = """(module (import "a" "m" (memory 1)) (import "a" "t" (table 4 funcref))
      (import "a" "g" (global (mut i32))) (import "a" "f" (func $f (param i32) (result i32)))
      (data (i32.const 9) "\\ff")
      (func (export "go") (param i32) (result i32)
        (global.set 0 (i32.const 100)) (drop (call $f (local.get 0)))
        (i32.add (i32.load (i32.const 8))
          (call_indirect (param i32) (result i32) (local.get 0) (i32.const 1)))))"""
    results = []
    for session in (machine(), IrSession()):
        one = load(session, first)
        session.register("a", one)
        two = load(session, second)
        ends = [session.invoke(two, "go", [5]), session.invoke(one, "f", [1])]
        results.append([e.results for e in ends] + [session.global_value(one, "g")[1]])
    assert results[0] == results[1]
    assert results[0][2] == 100


def test_tables_begin_with_their_value() -> None:
    wat = """(module (type $t (func (result i32))) (table 3 (ref $t) (ref.func $one))
      (elem (i32.const 1) (ref $t) (ref.func $two))
      (func $one (type $t) (i32.const 1)) (func $two (type $t) (i32.const 2))
      (func (export "at") (param i32) (result i32) (call_indirect (type $t) (local.get 0))))"""
    for session in (machine(), IrSession()):
        instance = load(session, wat)
        results = [session.invoke(instance, "at", [i]).results for i in range(3)]
        assert results == [(1,), (2,), (1,)]


def test_segments_read_only_the_words_that_they_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read looks through all tokens; segments of a megabyte would take minutes."""
    reads: list[int] = []

    def read(tape: Tape, space: int, at: int) -> int:
        reads.append(at)
        return original(tape, space, at)

    original = Tape.read
    monkeypatch.setattr(Tape, "read", read)
    wat = """(module (memory 1) (data (i32.const 3) "abcdefghijk") (data (i32.const 13) "XYZ")
      (data (i32.const 16) "0123456789") (data (i32.const 0) "-") (data (i32.const 100) "end")
      (func (export "at") (param i32) (result i64) (i64.load (local.get 0))))"""
    session = machine()
    instance = load(session, wat)
    assert reads == [1, 0]
    words = [session.invoke(instance, "at", [at]).results[0] for at in (0, 8, 16, 24, 96)]
    content = b"".join(word.to_bytes(8, "little") for word in words)
    assert content == b"-\0\0abcdefghijXYZ0123456789" + bytes(10) + b"end\0"


def test_host_functions_input_output_and_exit() -> None:
    written: list[int] = []
    remaining = iter(b"ab")
    console = Console(lambda: next(remaining, -1), written.append)
    session = new_session("reference", console, max_steps=1000)
    assert isinstance(session, MachineSession)
    double = HostFunction(FuncType((I32, I32), (I32, I32)), lambda a, b: (b * 2, a * 2))
    session.add_host("env", {"swap": double})
    instance = load(
        session,
        """(module (import "env" "swap" (func $swap (param i32 i32) (result i32 i32)))
          (import "transputer" "read" (func $read (result i32)))
          (import "transputer" "write" (func $write (param i32)))
          (import "transputer" "exit" (func $exit (param i32)))
          (table 1 funcref) (elem (i32.const 0) $swap)
          (func (export "swap") (result i32) i32.const 3 i32.const 5 call $swap i32.sub)
          (func (export "indirect") (result i32)
            i32.const 3 i32.const 5 i32.const 0
            call_indirect (param i32 i32) (result i32 i32) i32.sub)
          (func (export "echo") (local i32)
            (loop (if (i32.ge_s (local.tee 0 (call $read)) (i32.const 0))
              (then (call $write (local.get 0)) (br 1)))) (call $exit (i32.const 9))))""",
    )
    assert session.invoke(instance, "swap").results == (4,)
    assert session.invoke(instance, "indirect").results == (4,)
    assert session.invoke(instance, "echo").exit_code == 9
    assert bytes(written) == b"ab"


@pytest.mark.parametrize(
    "source",
    [
        "SWAP", "ROT", "OVER", "DUP", "SELECT", "POP", "ABS", "NEG", "ADD", "TRAP", "RETURN",
        "CALL f HALT f: PUSH 4 LOCAL.SET 1 CALL g LOCAL.GET 1 RETURN g: LOCAL.GET 1 RETURN",
        "f: DUP JNZ f", "I32.LOAD", "PUSH -1 I32.LOAD",
    ],
)  # fmt: skip
@pytest.mark.parametrize("args", sampled([[7, 8, 0], [], [1], [1, 2], [7, 8, 9]], 5))
def test_assembly(source: str, args: list[int]) -> None:
    program = assemble(source)
    session = machine(frames=20)
    instance, _ = session.load(lower_asm(program, len(args)))
    session.max_steps = 200
    try:
        wanted = run_asm(program, args, max_steps=200)
    except StepLimitError:
        with pytest.raises(StepLimitError):
            session.invoke(instance, MAIN, args)
        return
    end = session.invoke(instance, MAIN, args)
    assert end.trap is wanted.trap
    assert end.trap or end.results == wanted.stack
    assert end.instructions == wanted.instructions


def test_assembly_calls_are_exhausted_where_the_limit_says() -> None:
    session = machine(frames=20)
    instance, _ = session.load(lower_asm(assemble("f: PUSH 1 CALL f")))
    end = session.invoke(instance, MAIN, [])
    assert (end.trap, end.instructions) == (Trap.STACK_EXHAUSTED, 40)


def test_what_it_lacks_is_refused_by_name() -> None:
    """Lowering removes these; code that has not been lowered is not run as something else."""
    session = machine()
    text = "(module (memory 1) (func i32.const 0 i32.const 1 i32.const 2 memory.fill))"
    with pytest.raises(Unsupported, match=r"memory\.fill"):
        session.load(flatten(verify(decode(to_wasm(text)))))


def test_the_plain_parabola_inside_and_outside_its_range() -> None:
    session = machine(addressing="parabolic")
    wat = """(module (memory 8 16)
      (func (export "f") (param i32) (result i32)
        (i32.store (local.get 0) (i32.const 42)) (i32.load (local.get 0)))
      (func (export "grow") (result i32) (memory.grow (i32.const 1))))"""
    instance = load(session, wat)
    assert session.invoke(instance, "f", [8 * 65536 - 4]).results == (42,)
    assert session.invoke(instance, "f", [8 * 65536 - 3]).trap is Trap.MEMORY_OUT_OF_BOUNDS
    with pytest.raises(CapacityError, match="73,728 words"):
        session.invoke(instance, "grow")
    with pytest.raises(CapacityError, match="73,728 words"):
        load(machine(addressing="parabolic"), "(module (memory 9))")


# The length of the context


@pytest.mark.slow
def test_a_model_is_built_for_any_context_that_the_bounds_allow() -> None:
    usual = card(api.build("trace"))
    assert usual["context"] == 2**32
    assert 2**32 < usual["longest_context"] < 2**33
    longest = api.build("trace", context=usual["longest_context"])
    assert longest.context == usual["longest_context"]
    assert bounds(longest).largest["score"][0] < 2**53
    short = api.build("trace", addressing="parabolic", context=1000)
    assert short.context == 1000 < card(short)["longest_context"]
    said = f"8,589,934,592 positions is too long; bounds allow {usual['longest_context']:,} "
    with pytest.raises(CapacityError, match=said):
        api.build("trace", context=2**33)
    with pytest.raises(UsageError, match="at least 1 position, not 0"):
        api.build("trace", context=0)


@pytest.mark.slow
def test_the_circuit_is_the_same_whatever_is_imported_first() -> None:
    script = (
        "import transputer.machines.trace.{}\n"
        "from transputer.circuit.netlist import resolve\n"
        "from transputer.machines.trace.circuit import circuit\n"
        "import hashlib\n"
        "print(hashlib.sha256(repr(resolve(circuit()).units).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script.format(module)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for module in ("roundings", "division", "circuit")
    }
    assert len(digests) == 1
