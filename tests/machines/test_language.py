"""The tail of the language on the weights: starts, many results, large and growing memories."""

from pathlib import Path

import pytest
import wasmtime

from transputer import api
from transputer.errors import Trap
from transputer.runtime.trace.sessions import MachineSession, new_session


@pytest.fixture
def write(tmp_path: Path):
    def make(text: str) -> Path:
        (tmp_path / "module.wat").write_text(f"(module {text})")
        return tmp_path / "module.wat"

    return make


def test_a_start_function_runs_before_anything_else(write) -> None:
    path = write("""
      (import "transputer" "write" (func $write (param i32)))
      (global $ready (mut i32) (i32.const 0))
      (func $start (global.set $ready (i32.const 7)) (call $write (i32.const 33)))
      (start $start)
      (func (export "ready") (result i32) (global.get $ready))""")
    result = api.run(path, "ready", engine="native")
    assert (result.results, result.stdout) == ([7], b"!")


def test_a_start_function_may_trap(write) -> None:
    path = write('(func $start unreachable) (start $start) (func (export "f"))')
    assert api.run(path, "f", engine="native").trap is Trap.UNREACHABLE


def test_many_results(write) -> None:
    path = write("""
      (func $three (param i32) (result i32 i64 i32)
        local.get 0  i64.const -2  (i32.mul (local.get 0) (i32.const 10)))
      (func (export "f") (param i32) (result i32 i64 i32 f64)
        (call $three (local.get 0))
        (block (param i32 i64 i32) (result i32 i64 i32) (br 0))
        (f64.const 0.5))""")
    assert api.run(path, "f", [4], engine="native").results == [4, -2, 40, 0.5]


def test_constants_are_computed_when_a_module_is_instantiated(write) -> None:
    path = write("""
      (memory 1)
      (global $a i32 (i32.mul (i32.const -3) (i32.sub (i32.const 2) (i32.const 9))))
      (global $b i64 (i64.add (i64.const -1) (i64.const 1)))
      (data (offset (i32.add (global.get $a) (i32.const 1))) "x")
      (func (export "f") (result i32 i64 i32)
        (global.get $a) (global.get $b) (i32.load8_u (i32.const 22)))""")
    for engine in ("oracle", "native"):
        assert api.run(path, "f", engine=engine).results == [21, 0, ord("x")]


MEMORIES = """
  (memory $a 1 4) (memory $b 2 3) (memory $c 0)
  (data (memory $b) (i32.const 65530) "0123456789abcdef")
  (data $passive "passive")
  (func (export "f") (param $n i32) (result i64 i32 i32 i32 i32 i64)
    (memory.copy $a $b (i32.const 8) (i32.const 65531) (local.get $n))
    (memory.fill $b (i32.const 100) (i32.const 7) (i32.const 9))
    (memory.init $b $passive (i32.const 103) (i32.const 0) (i32.const 3))
    (i32.store16 $a offset=4 (i32.const 20) (i32.load16_u $b offset=1 (i32.const 101)))
    (i64.load $a (i32.const 8))
    (i32.load $a (i32.const 24))
    (memory.grow $b (i32.const 1)) (memory.grow $b (i32.const 1))
    (i32.add (memory.size $a) (i32.mul (memory.size $b) (i32.const 10)))
    (i64.load $b (i32.const 65533)))
  (func (export "out") (drop (i32.load8_u $c (i32.const 0))))"""


@pytest.mark.parametrize("engine", ["oracle", "core", "words", "native"])
def test_several_memories(write, engine: str) -> None:
    path = write(MEMORIES)
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, path.read_text()), [])
    expected = instance.exports(store)["f"](store, 7)
    assert api.run(path, "f", [7], engine=engine).results == expected
    assert api.run(path, "out", engine=engine).trap is Trap.MEMORY_OUT_OF_BOUNDS


LARGE = """
  (memory 65536)
  (data (i32.const 0xfffffff0) "abcd\\00\\00\\00\\00\\00\\00\\00\\00z")
  (func (export "f") (param i32) (result i32) (i32.load (local.get 0)))"""


def test_of_a_large_memory_only_nonzero_words_are_in_the_prompt(write) -> None:
    session = new_session("native", max_steps=1000)
    assert isinstance(session, MachineSession)
    instance, _ = session.load_program(api.compile(write(LARGE)))
    space = session.trace.spaces["memory", instance.memories[0]]
    written = session.trace.tape.written.items()
    words = {at: value for (where, at), value in written if where == space}
    assert words == {0xFFFFFFF0 // 8: 0x64636261, 0xFFFFFFF8 // 8: ord("z") << 32}
    found = [session.invoke(instance, "f", [at]).results for at in (0xFFFFFFF0, 0x80000000, 0)]
    assert found == [(0x64636261,), (0,), (0,)]
    assert session.invoke(instance, "f", [0xFFFFFFFD]).trap is Trap.MEMORY_OUT_OF_BOUNDS


def test_a_memory_grows_to_its_maximum_and_no_further(write) -> None:
    path = write("""
      (memory 1 3)
      (func (export "f") (result i32 i32 i32 i32 i32)
        (memory.grow (i32.const 3)) (memory.grow (i32.const 2)) (memory.grow (i32.const 1))
        (i32.store (i32.const 196604) (i32.const 5)) memory.size (i32.load (i32.const 196604)))
      (func (export "g") (result i32) (i32.load (i32.const 196605)))""")
    assert api.run(path, "f", engine="native").results == [-1, 1, -1, 3, 5]
    assert api.run(path, "g", engine="native").trap is Trap.MEMORY_OUT_OF_BOUNDS
