"""Programs in the user's cache: what comes back is what went in, and nothing else gets in."""

import os
import pickle
import random
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from transputer import cache
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.environment import Environment
from transputer.ir.verified import Verified
from transputer.ir.verify import verify
from transputer.lower import kept
from transputer.lower.pipeline import in_words

#: Uses every kind of value that a module can have: vectors, tags, tables, segments and names.
EVERYTHING = """
(module $all
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func (param i32 i32) (result i32)))
  (import "host" "limit" (global $limit i32))
  (tag $wrong (param i32))
  (memory (export "memory") 1 2)
  (table $table 4 funcref)
  (global $count (mut i64) (i64.const -1))
  (elem (i32.const 1) $vector $catches)
  (data (i32.const 8) "text\\00\\ff")
  (data $passive "more")
  (func $vector (export "vector") (param $a v128) (result v128)
    (i32x4.add (local.get $a) (v128.const i32x4 1 2 3 4)))
  (func $catches (param i32) (result i32)
    (block $out (result i32)
      (try_table (catch $wrong $out) (throw $wrong (local.get 0)))
      (i32.const 7)))
  (func (export "many") (param i32) (result f64 i64)
    (memory.init $passive (i32.const 0) (i32.const 0) (i32.const 4))
    (if (local.get 0) (then (call $exit (i32.const 3))))
    (block $a (block $b (br_table $a $b (local.get 0))))
    (f64.const nan:0x8000000000001) (global.get $count)))
"""
ENVIRONMENT = Environment((b"name", b"\xff"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "transputer" / "core"


def everything(value: Any) -> Any:
    """All of a value, with what comparisons of our classes ignore."""
    if is_dataclass(value):
        return type(value), [everything(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, tuple | list | kept.Later):
        return [everything(item) for item in value]
    return dict(value) if hasattr(value, "keys") else value


def test_programs_come_back_whole() -> None:
    binary = to_wasm(EVERYTHING)
    derived = kept.verified(binary)
    core = kept.words(derived, ENVIRONMENT)
    assert everything(kept.loads(kept.dumps(derived))) == everything(derived)
    assert everything(kept.loads(kept.dumps(core))) == everything(core)
    assert everything(core) == everything(in_words(verify(decode(binary)), ENVIRONMENT))


def test_a_second_time_nothing_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    binary = to_wasm(EVERYTHING)
    first = kept.verified(binary)
    core = kept.words(first, ENVIRONMENT)
    monkeypatch.delattr("transputer.frontends.binary.decode")
    monkeypatch.delattr("transputer.lower.pipeline.in_words")
    assert everything(kept.verified(binary)) == everything(first)
    assert everything(kept.words(first, ENVIRONMENT)) == everything(core)


def test_other_inputs_have_other_code(folder: Path) -> None:
    program = kept.verified(to_wasm(EVERYTHING))
    other = Environment((b"name",))
    assert kept.words(program, ENVIRONMENT) != kept.words(program, other)
    assert len(list(folder.glob("coremodule-*"))) == 2


@pytest.mark.parametrize("more", [{"variables": (b"TOKEN=secret",)}, {"clock": 5}, {"seed": 7}])
def test_no_environment_but_arguments_is_kept(more: dict[str, Any], folder: Path) -> None:
    program = kept.verified(to_wasm(EVERYTHING))
    environment = Environment((b"name",), **more)
    core = kept.words(program, environment)
    assert core == in_words(program, environment)
    assert not list(folder.glob("coremodule-*"))


def test_a_module_that_was_changed_is_not_kept(folder: Path) -> None:
    changed = verify(decode(to_wasm(EVERYTHING)))
    kept.words(changed, ENVIRONMENT)
    assert not folder.exists()


def test_edited_files_are_derived_again(folder: Path) -> None:
    binary, draw = to_wasm(EVERYTHING), random.Random(5)
    program = kept.verified(binary)
    core = kept.words(program, ENVIRONMENT)
    for _ in range(100):
        for path in folder.iterdir():
            data = bytearray(path.read_bytes())
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            path.write_bytes(data[: draw.choice([len(data), draw.randrange(len(data))])])
        again = kept.verified(binary)
        assert again == program
        assert kept.words(again, ENVIRONMENT) == core


class _Foreign:
    def __reduce__(self) -> Any:
        return os.system, ("exit 1",)


def named(module: str, name: str) -> bytes:
    """A pickle of a name and nothing else."""
    texts = b"".join(b"\x8c" + bytes([len(text)]) + text.encode() for text in (module, name))
    return b"\x80\x04" + texts + b"\x93."


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(_Foreign()),
        named("transputer.lower.kept", "pickle"),
        named("transputer.lower.kept", "pickle.loads"),
        named("transputer.ir.module", "dataclass"),
    ],
)
def test_nothing_else_is_loaded(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "system", lambda command: pytest.fail("a file of the cache was run"))
    with pytest.raises((pickle.UnpicklingError, AttributeError)):
        kept.loads(data)


@pytest.mark.parametrize("value", [_Foreign(), 5])
def test_what_is_no_program_is_derived_again(
    value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary, data = to_wasm(EVERYTHING), pickle.dumps(value)
    program = kept.verified(binary)
    monkeypatch.setattr(cache.Entry, "read", lambda entry: data)
    again = kept.verified(binary)
    assert isinstance(again, Verified)
    assert again == program
