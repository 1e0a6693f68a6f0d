"""`bench frames`: games are played in processes of their own and compared with wasmtime."""

from pathlib import Path

import pytest

from transputer import cache
from transputer.check.bench import frames
from transputer.check.bench.frames import Game
from transputer.check.bench.programs import WrongAnswer
from transputer.frontends.wat import to_wasm

#: Reads a key and draws it on standard error, until there are none.
ECHO = """(module
  (import "wasi_snapshot_preview1" "fd_read"
    (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\20\\00\\00\\00\\01\\00\\00\\00")
  (data (i32.const 8) "\\20\\00\\00\\00\\02\\00\\00\\00")
  (data (i32.const 33) "\\0c")
  (func (export "_start")
    (loop
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
      (if (i32.load (i32.const 16))
        (then
          (drop (call $write (i32.const 2) (i32.const 8) (i32.const 1) (i32.const 16)))
          (br 1))))))"""
GAME = Game("echo", to_wasm(ECHO), keys=b"abc")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A scratch folder with the user's cache."""
    (tmp_path / "warm").mkdir()
    (tmp_path / "warm" / "transputer").symlink_to(cache.folder())
    return tmp_path


def test_a_game_is_played_on_the_weights_and_under_wasmtime(scratch: Path) -> None:
    name, count, steps, *rates = frames._row(GAME, scratch)
    assert (name, count) == ("echo", 3) and isinstance(steps, int) and steps > 10
    assert len(rates) == 3 and all(isinstance(rate, float) and rate > 0 for rate in rates)


def test_other_frames_are_refused(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {"wasmtime": b"a\f", "weights": b"b\f"}
    monkeypatch.setattr(frames, "_played", lambda player, *rest: (drawn[player], 7, 1.0))
    with pytest.raises(WrongAnswer, match="echo"):
        frames._row(GAME, scratch)


def test_a_game_is_found_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "wad").mkdir()
    folders = {"data": tmp_path / "wad"}
    game = Game("maze", GAME.binary, ("-fast",), b"wasd", frames.PICTURE, folders)
    frames.write_game(game, tmp_path)
    assert frames._read_game(tmp_path) == game
