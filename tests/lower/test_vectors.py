"""Vectors as pairs of words: core code and weights against the oracle and the table."""

import random
import tarfile
from pathlib import Path

import pytest

from tests.isa.vector_functions import PURE, immediates, lane_bits, module, operand
from transputer.check.spec import spec
from transputer.errors import LinkError, Trap, Unsupported, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.c import compile_c
from transputer.frontends.wat import to_wasm
from transputer.host.memory import LinearMemory
from transputer.host.observation import digest
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.module import PAGE, FuncType, Module
from transputer.ir.values import decode_value, encode_value, parse_value, print_value
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.isa.op import ValType
from transputer.isa.vectors import VECTORS
from transputer.lower.origin import as_written
from transputer.lower.pipeline import in_words
from transputer.lower.vectors import lower_vectors
from transputer.oracle.independent import run_wasmtime
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import new_session, refuse_vectors

ENGINES = ("oracle", "core", "words", "native")
V128 = ValType.V128
A, B = 0x000102030405060708090A0B0C0D0E0F, 0xF0E0D0C0B0A090807060504030201000
MASK = (1 << 64) - 1


def compiled(text: str) -> Verified:
    return verify(decode(to_wasm(text if text.startswith("(module") else f"(module {text})")))


def lowered(verified: Verified) -> Module:
    return lower_vectors(as_written(verified.module)).module


# Each instruction


@pytest.mark.parametrize("engine, rounds", [("words", 6), ("native", 1)])
def test_every_instruction_computes_what_its_row_says(engine: str, rounds: int) -> None:
    session = new_session(engine, max_steps=100_000)
    instance, _ = session.load_module(compiled(module()))
    (memory,) = instance.memories
    dice = random.Random(5)
    for op in PURE:
        n, (_, args) = lane_bits(op), immediates(op)
        for _ in range(rounds):
            operands = [operand(t, n, dice) for t in op.params]
            raw = b"".join(v.to_bytes(16, "little") for v in operands)
            session.target.write_memory(memory, 0, raw)
            outcome = session.invoke(instance, op.name)
            assert outcome.trap is None
            size = op.results[0].bits // 8
            result = int.from_bytes(session.target.read_memory(memory, 64, size), "little")
            expected = op.pure(*args, *operands)
            assert hex(result) == hex(expected), (op.name, [hex(v) for v in operands])


def test_only_the_routines_that_a_program_calls_are_linked() -> None:
    plain = '(func (export "f") (result i32) (i8x16.extract_lane_s 3 {}))'
    inline = lowered(compiled(plain.format("(v128.const i64x2 1 2)")))
    assert len(inline.functions) == 1
    add = "(i8x16.add (v128.const i64x2 1 2) (v128.const i64x2 3 4))"
    linked = lowered(compiled(plain.format(add)))
    assert [linked.function_name(i) for i in range(len(linked.func_types))] == ["f", "i8x16.add"]
    without = compiled("(func)")
    assert lowered(without) is without.module


def test_every_instruction_has_words() -> None:
    """All rows in one function: none is left, and the result is valid."""
    lines = []
    for op in VECTORS:
        lines += [f"{t.value}.const {'i64x2 0 0' if t is V128 else 0}" for t in op.params]
        lines += [f"{op.name} {immediates(op)[0]}", "drop " * len(op.results)]
    words = lowered(compiled(f"(memory 1) (func {' '.join(lines)})"))
    assert not any(i.name in VECTORS for f in words.functions for i in f.body)
    verify(words)


def expression(dice: random.Random, type_: ValType, depth: int) -> str:
    """A random tree of vector instructions over the locals 0 and 1, which it may also set."""
    options = [op for op in PURE if op.results == (type_,)]
    if type_ is V128 and (depth <= 0 or dice.random() < 0.1):
        value = f"(local.get {dice.randrange(2)})"
        return (
            value if dice.random() < 0.7 else f"(local.tee {dice.randrange(2)} (v128.not {value}))"
        )
    if not options or depth <= 0:
        return f"({type_.value}.const {dice.randrange(100)})"
    op = dice.choice(options)
    operands = " ".join(expression(dice, t, depth - 1) for t in op.params)
    return f"({op.name} {immediates(op)[0]} {operands})"


@pytest.mark.parametrize("engine, seed", [("oracle", 1), ("words", 1), ("words", 2), ("native", 3)])
def test_random_expressions_agree_with_wasmtime(engine: str, seed: int) -> None:
    dice = random.Random(seed)
    loads = " ".join(f"(local.set {i} (v128.load offset={16 * i} (i32.const 0)))" for i in (0, 1))
    functions = " ".join(
        f"""(func (export "{i}") (local v128 v128) {loads}
          (v128.store offset={64 + 16 * i} (i32.const 0) {expression(dice, V128, 4)}))"""
        for i in range(30)
    )
    data = dice.randbytes(32)
    escaped = "".join(f"\\{byte:02x}" for byte in data)
    text = f'(module (memory (export "m") 1) (data (i32.const 0) "{escaped}") {functions})'
    calls = [(str(i), ()) for i in range(30)]
    theirs = run_wasmtime(to_wasm(text), calls)
    session = new_session(engine, max_steps=1_000_000)
    instance, _ = session.load_module(compiled(text))
    for name, args in calls:
        assert session.invoke(instance, name, args).trap is None
    contents = session.target.read_memory(instance.memories[0], 0, PAGE)
    copy = LinearMemory(1)
    copy.write(0, contents)
    assert dict(theirs.memories)["m"] == digest(copy)


# Values


STRUCTURE = f"""
  (type $t (func (param v128 i32) (result i32 v128)))
  (tag $e (param v128 i32))
  (table funcref (elem $swap))
  (global $g (mut v128) (v128.const i64x2 {A & MASK} {A >> 64}))
  (global $copy (export "copy") v128 (v128.const i64x2 {B & MASK} {B >> 64}))
  (func $swap (type $t) (local i32 v128 i64)
    (local.set 3 (local.tee 3 (local.get 0)))
    (if (result i32 v128) (local.get 1)
      (then (i32.const 1) (local.get 3))
      (else (i32.const 2) (local.get 3) (global.get $g) (drop))))
  (func (export "indirect") (param i32 v128) (result v128 i32)
    (local v128)
    (call_indirect (type $t) (local.get 1) (local.get 0) (i32.const 0))
    (local.set 2) (local.set 0) (local.get 2) (local.get 0))
  (func (export "select") (param v128 v128 i32) (result v128)
    (select (result v128)
      (select (local.get 0) (local.get 1) (local.get 2)) (local.get 1) (i32.const 1)))
  (func (export "loop") (param i32) (result v128) (local v128)
    (v128.const i64x2 0 0)
    (loop $again (param v128) (result v128)
      (i64x2.add (v128.const i64x2 1 3))
      (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "branch") (param v128 i32) (result v128)
    (block $out (result v128)
      (drop (br_if $out (local.get 0) (local.get 1)))
      (br $out (v128.not (local.get 0)))
      (select) (drop) (block (result v128) (v128.const i64x2 0 0))
      (i32x4.add)))
  (func (export "caught") (param v128) (result v128 i32)
    (block $h (result v128 i32)
      (try_table (catch $e $h) (throw $e (local.get 0) (i32.const 7)))
      (unreachable)))
  (func (export "tail") (param v128 i32) (result i32 v128)
    (return_call $swap (v128.not (local.get 0)) (local.get 1)))
  (func (export "global") (param v128) (result v128)
    (global.get $g) (global.set $g (local.get 0)))
  (func (export "zero") (result v128) (local v128) (local.get 0))"""
CALLS = (
    ("indirect", (0, A), (A, 2)),
    ("indirect", (5, A), (A, 1)),
    ("select", (A, B, 1), (A,)),
    ("select", (A, B, 0), (B,)),
    ("loop", (5,), (15 << 64 | 5,)),
    ("branch", (A, 1), (A,)),
    ("branch", (A, 0), (A ^ (1 << 128) - 1,)),
    ("caught", (B,), (B, 7)),
    ("tail", (A, 1), (1, A ^ (1 << 128) - 1)),
    ("global", (B,), (A,)),
    ("global", (1,), (B,)),
    ("zero", (), (0,)),
)


@pytest.mark.parametrize("engine", ENGINES)
def test_vectors_go_where_other_values_go(engine: str) -> None:
    session = new_session(engine, max_steps=100_000)
    instance, _ = session.load_module(compiled(STRUCTURE))
    for name, args, results in CALLS:
        outcome = session.invoke(instance, name, args)
        assert (outcome.trap, outcome.results) == (None, results), name
    type_, value = session.global_value(instance, "copy")
    assert (type_.type, type_.mutable, value) == (V128, False, B)


def test_instructions_count_as_those_written() -> None:
    counts = []
    for engine in ("oracle", "words", "native"):
        session = new_session(engine, max_steps=100_000)
        instance, _ = session.load_module(compiled(STRUCTURE))
        counts.append([session.invoke(instance, n, a).instructions for n, a, _ in CALLS])
    oracle, words, native = counts
    assert oracle == words == native


def test_core_code_of_vectors_survives_its_text() -> None:
    code = in_words(
        compiled("""(global (export "g") v128 (v128.const i64x2 1 2))
          (func (param v128) (result i32 v128) unreachable)""")
    )
    assert parse_core(print_core(code)) == code
    assert "(i64 i64)->(i32 i64 i64) of (v128)->(i32 v128)" in print_core(code)


def test_a_local_behind_vectors_has_a_later_slot() -> None:
    program = TraceProgram("", module=compiled("(func (param v128 i32) (local v128 i64))"))
    assert [program.first_word(0, local) for local in range(4)] == [0, 2, 3, 5]


# Memory


@pytest.mark.parametrize("engine", ENGINES)
def test_a_store_out_of_bounds_changes_nothing(engine: str) -> None:
    text = """(memory 1)
      (func (export "store") (param i32) (v128.store (local.get 0) (v128.const i64x2 -1 -1)))
      (func (export "far") (param i32)
        (v128.store offset=4294967290 (local.get 0) (v128.const i64x2 -1 -1)))
      (func (export "load") (param i32) (drop (v128.load offset=4294967290 (local.get 0))))
      (func (export "last") (result i64) (i64.load (i32.const 65528)))"""
    session = new_session(engine, max_steps=10_000)
    instance, _ = session.load_module(compiled(text))
    for name, address in (("store", 65521), ("store", 65528), ("far", 0), ("load", 0)):
        assert session.invoke(instance, name, [address]).trap is Trap.MEMORY_OUT_OF_BOUNDS
        assert session.invoke(instance, "last").results == (0,)
    assert session.invoke(instance, "store", [65520]).trap is None
    assert session.invoke(instance, "last").results == (MASK,)


# Types


@pytest.mark.parametrize("engine", ENGINES)
def test_words_are_not_vectors(engine: str) -> None:
    """The lowered type of a function on vectors is not that of one on words."""
    session = new_session(engine, max_steps=10_000)
    instance, _ = session.load_module(
        compiled("""(type $words (func (param i64 i64)))
          (table funcref (elem $f)) (func $f (export "f") (param v128))
          (global (export "g") v128 (v128.const i64x2 1 2))
          (func (export "call")
            (call_indirect (type $words) (i64.const 1) (i64.const 2) (i32.const 0)))""")
    )
    assert session.invoke(instance, "call").trap is Trap.INDIRECT_CALL_MISMATCH
    session.register("a", instance)
    for wrong in ("(func (param i64 i64))", "(global i64)", "(global (mut v128))"):
        name = "f" if "func" in wrong else "g"
        with pytest.raises(LinkError, match="incompatible import type"):
            session.load_module(compiled(f'(import "a" "{name}" {wrong})'))
    right = compiled("""(import "a" "g" (global $g v128)) (import "a" "f" (func (param v128)))
      (global v128 (global.get $g)) (func (export "h") (result v128) (global.get 1))""")
    other, _ = session.load_module(right)
    assert session.invoke(other, "h").results == (2 << 64 | 1,)


def test_vectors_are_written_by_lanes(cli, tmp_path: Path) -> None:
    for text, bits in (
        ("i32x4:1,2,-1,0x10", 0x00000010_FFFFFFFF_00000002_00000001),
        ("f64x2:1,-0", 0x80000000_00000000_3FF00000_00000000),
        ("i8x16:" + ",".join(map(str, range(16))), 0x0F0E0D0C0B0A09080706050403020100),
    ):
        assert encode_value(parse_value(text, V128), V128) == bits
        assert parse_value(print_value(bits, V128), V128) == decode_value(bits, V128) == bits
    for bad in ("7", "i32x4:1,2,3", "i32x4:1,2,3,4294967296", "i9x4:1,2,3,4", "f32x4:1,2,3,x"):
        with pytest.raises(UsageError):
            parse_value(bad, V128)
    path = tmp_path / "add.wat"
    path.write_text("""(module (func (export "add") (param v128 i32) (result v128)
      (i32x4.add (local.get 0) (i32x4.splat (local.get 1)))))""")
    code, out, _ = cli("run", str(path), "--invoke", "add", "i32x4:1,2,3,-4", "5")
    assert (code, out) == (0, "i32x4:6,7,8,1\n")
    code, _, err = cli("run", str(path), "--invoke", "add", "1", "5")
    assert code == 2 and "write its lanes, as in i32x4:1,2,3,4" in err


def test_where_values_are_tokens_vectors_are_refused() -> None:
    (type_,) = lowered(compiled("(func (param v128))")).types
    with pytest.raises(Unsupported, match=r"f: has type \(v128\)->\(\)"):
        refuse_vectors("f", type_)
    refuse_vectors("f", FuncType())


# C

SOURCE = """
#include <wasm_simd128.h>
static int x[500]; static unsigned char y[500]; static double z[500];
int loops(int n) { // clang vectorises these
  for (int i = 0; i < n; i++) { x[i] = i * i - 77 * i; y[i] = i * 7; z[i] = i / 3.0; }
  int sum = 0, most = 0; unsigned bytes = 0; double total = 0;
  for (int i = 0; i < n; i++) { sum += x[i] * 3; most = x[i] > most ? x[i] : most; }
  for (int i = 0; i < n; i++) bytes += y[i];
  for (int i = 0; i < n; i++) z[i] = z[i] * 2.5 + 1;
  for (int i = 0; i < n; i++) total += z[i];
  return sum + most + bytes + (int)total;
}
int intrinsics(int seed) {
  v128_t a = wasm_i8x16_splat(seed), b = wasm_u8x16_const(200, 100, 50, 25, 12, 6, 3, 1, 255, 254,
    253, 252, 128, 127, 64, 32);
  v128_t c = wasm_u8x16_add_sat(wasm_i16x8_mul(a, b), b);
  c = wasm_i8x16_shuffle(c, b, 31, 0, 30, 1, 29, 2, 28, 3, 27, 4, 26, 5, 25, 6, 24, 7);
  c = wasm_i8x16_swizzle(c, wasm_v128_and(wasm_v128_xor(a, b), wasm_i8x16_splat(31)));
  v128_t f = wasm_f32x4_sqrt(wasm_f32x4_abs(wasm_f32x4_convert_i32x4(c)));
  v128_t d = wasm_i32x4_dot_i16x8(wasm_i32x4_trunc_sat_f32x4(f), c);
  return wasm_i32x4_extract_lane(d, 1) ^ wasm_i8x16_bitmask(c) ^ wasm_i16x8_extract_lane(c, 5);
}
"""


def test_c_with_vectors_agrees_with_wasmtime(tmp_path: Path) -> None:
    path = tmp_path / "vectors.c"
    path.write_text(SOURCE)
    binary = compile_c(path, library=False, flags=("-msimd128", "-O3"))
    verified = verify(decode(binary))
    names = [i.name for f in verified.module.functions for i in f.body]
    assert {"i32x4.mul", "i32x4.max_s", "f64x2.add", "i8x16.swizzle"} <= set(names)
    calls = [("loops", (500,)), ("intrinsics", (3,)), ("intrinsics", (250,))]
    theirs = [call.results for call in run_wasmtime(binary, calls).calls]
    for engine in ("oracle", "native"):
        session = new_session(engine, max_steps=1_000_000)
        instance, _ = session.load_module(verified)
        assert [session.invoke(instance, *call).results for call in calls] == theirs


# The official suite

#: Files of the suite of 2026, which is looked for beside that of 2022.
SAMPLE = ("simd_bitwise", "simd_i16x8_sat_arith", "relaxed_madd_nmadd", "simd_linking")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_of_the_official_assertions_holds(
    engine: str, suite: Path, tmp_path: Path
) -> None:
    archive = suite.parent / "wasm-3" / "suite.tar.gz"
    if not archive.exists():
        pytest.skip("the suite of June 2026 is not beside that of 2022")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, [tar.getmember(f"{n}.wast") for n in SAMPLE], filter="data")
    scores = spec(tmp_path, engine=engine)
    assert {name: score.problems for name, score in scores.items()} == {n: [] for n in SAMPLE}
    assert sum(score.passed for score in scores.values()) > 300
