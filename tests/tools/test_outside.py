"""Suites of outside programs: verdicts, cuts of databases, the page, a dozen random programs."""

import struct
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.outside import coremark, csmith, doom, metamath, page, peers, wad
from tools.outside.suite import SuiteRow, through_the_weights
from transputer.frontends.wat import to_wasm
from transputer.oracle.command import CommandResult, run_command

DATABASE = (metamath.SOURCE.parent / "metamath.mm").read_text()
EXIT = """(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (call $exit (i32.const 7))))"""
ENDLESS = """(module
  (memory (export "memory") 1)
  (func (export "_start") (loop (br 0))))"""


def test_a_run_is_right_wrong_or_refused() -> None:
    binary = to_wasm(EXIT)
    expected = run_command(binary)
    assert expected == CommandResult(b"", b"", 7)
    right = through_the_weights("exit", binary, expected)
    assert (right.verdict, right.why) == ("right", "") and right.steps > 0
    wrong = through_the_weights("exit", binary, CommandResult(b"", b"", 8))
    assert wrong.verdict == "wrong" and "exit_code=7" in wrong.why and "exit_code=8" in wrong.why
    refused = through_the_weights("endless", to_wasm(ENDLESS), expected, max_steps=100)
    assert refused.verdict == "refused" and "100" in refused.why


def test_a_proof_is_cut_out_with_what_it_rests_on() -> None:
    block = metamath.parse(metamath.proof_of(DATABASE, "1p1"))
    labels = [label for label, _ in metamath._assertions(block)]
    assert labels == "n0 nS npl add0 addS trans eqS addstep 1p1".split()
    assert metamath.needed(block, "1p1") == set(labels)
    assert "mp.1" not in metamath.proof_of(DATABASE, "1p1")  # its scope is gone


def test_a_database_is_cut_before_a_heading() -> None:
    text = "$c a $.\n$(\n####\n  PART TWO\n####\n$)\n$c b $.\n"
    assert metamath.before_heading(text, "PART TWO") == "$c a $.\n"
    with pytest.raises(ValueError, match="PART THREE"):
        metamath.before_heading(text, "PART THREE")


def test_one_step_is_changed() -> None:
    wrong = metamath.change_a_step(DATABASE, "2p2", "BZEFB", "BZFFB")
    assert [a for a, b in zip(DATABASE, wrong, strict=True) if a != b] == ["E"]
    with pytest.raises(ValueError, match="2p2"):
        metamath.change_a_step(DATABASE, "2p2", "no such steps", "")


def test_the_page_is_fresh() -> None:
    fresh = page.PAGE.read_text(encoding="utf-8") == page.render(page.results())
    assert fresh, "docs/outside.md is stale: run `make docs`"


def test_the_page_tells_what_is_not_right() -> None:
    rows = [SuiteRow("one", "right", "", 100, 150, 2.0), SuiteRow("two", "refused", "no SIMD")]
    machine = {"cpu": "a processor", "cores": 2}
    suite = {"suite": "new", "command": "run", "commit": "abc", "machine": machine}
    text = page.render([suite | {"rows": [asdict(row) for row in rows]}])
    assert "| new | 2 | 1 | 0 | 1 | 100 | 150 | 1.50 | 2 |" in text
    assert "| new | two | refused | no SIMD |" in text
    assert "Nothing was wrong" not in text


COREMARK = """\
CoreMark Size    : 666
Total ticks      : {0}
Iterations/Sec   : {0}
[0]crcfinal      : 0xd340
Correct operation validated. See README.md for run and reporting rules.
CoreMark 1.0 : {0} / Clang
"""
STATS = "635,282,181 instructions in 635,589,867 steps, 35.351 s, 17,970,641 instructions/s"


def test_lines_of_coremark_that_tell_no_time_are_compared() -> None:
    expected = coremark.lasting(COREMARK.format(245))
    assert [line[:7] for line in expected] == ["CoreMar", "[0]crcf", "Correct"]
    run = coremark.CommandRun(COREMARK.format(9), STATS, 20.0)
    row = coremark.judge("first", run, expected)
    assert row == SuiteRow("first", "right", "", 635_282_181, 635_589_867, 20.0)
    wrong = coremark.CommandRun(COREMARK.format(9).replace("0xd340", "0xd341"), STATS, 20.0)
    row = coremark.judge("first", wrong, expected)
    assert row.verdict == "wrong" and "0xd341" in row.why and "0xd340" in row.why
    errors = coremark.CommandRun("Errors detected\n", STATS, 20.0)
    row = coremark.judge("first", errors, ["Errors detected"])
    assert row.verdict == "wrong" and "does not say" in row.why
    with pytest.raises(ValueError, match="no instructions"):
        coremark.counts("")


def test_the_page_has_what_coremark_printed_and_took() -> None:
    rows = [asdict(SuiteRow("again", "right", "", 100, 150, 1.25))]
    machine = {"cpu": "a processor", "cores": 2}
    about = {"suite": "CoreMark", "command": "run", "commit": "abc", "machine": machine}
    values = {"iterations": 1000, "source": "a package", "prints": ["[0]crcfinal      : 0xd340"]}
    text = page.render([{**about, **values, "peers": {"wasmtime": 0.5}, "rows": rows}])
    assert "| again | right | 100 | 150 | 1.50 | 1.25 |" in text
    assert "| wasmtime |  |  |  |  | 0.50 |" in text
    assert "\n[0]crcfinal      : 0xd340\n" in text


PRINTS = """(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $args (i32.const 32) (i32.const 64)))
    (i32.store (i32.const 0) (i32.const 64))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $exit (i32.load (i32.const 8)))))"""


@pytest.mark.parametrize("name", peers.PEERS)
def test_a_peer_runs_a_program_that_prints(
    name: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    pytest.importorskip(name)
    assert peers.PEERS[name](to_wasm(PRINTS), ("program", "x")) == len(b"program\0x\0")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"program\0x\0"


def small_wad() -> list[wad.Lump]:
    """A level whose wall needs one of two textures, with one monster and one floor."""
    level = {name: b"" for name in wad.MAP_LUMPS}
    level["THINGS"] = struct.pack("<5h", 0, 0, 0, 3004, 7)
    level["SIDEDEFS"] = struct.pack("<hh8s8s8sh", 0, 0, b"BRICK", b"-", b"-", 0)
    level["SECTORS"] = struct.pack("<hh8s8shhh", 0, 128, b"FLOOR1", b"FLOOR1", 160, 0, 0)
    texture = "<8sihhihhhhhh"
    brick = struct.pack(texture, b"BRICK", 0, 8, 8, 0, 1, 0, 0, 1, 0, 0)
    wood = struct.pack(texture, b"WOOD", 0, 8, 8, 0, 1, 0, 0, 0, 0, 0)
    textures = struct.pack("<iii", 2, 12, 12 + len(brick)) + brick + wood
    names = struct.pack("<i8s8s", 2, b"WALL1", b"WALL2")
    lumps = {"PLAYPAL": b"colours", "D_E1M1": b"music", "TEXTURE1": textures, "PNAMES": names}
    rest = {"P_START": b"", "WALL1": b"wood", "WALL2": b"bricks", "P_END": b"", "S_START": b"",
            "POSSA1": b"man", "CYBRA1": b"devil", "S_END": b"", "F_START": b"",
            "FLOOR1": b"tiles", "FLOOR9": b"lava", "F_END": b""}  # fmt: skip
    return [
        wad.Lump(*item) for part in (lumps, {"E1M1": b""}, level, rest) for item in part.items()
    ]


def test_a_wad_is_cut_to_a_level() -> None:
    lumps = small_wad()
    assert wad.read(wad.write(lumps)) == lumps
    cut = wad.cut(lumps, "E1M1")
    assert [lump.name for lump in cut] == [lump.name for lump in lumps]
    stubs = {new.name: new.data for old, new in zip(lumps, cut, strict=True) if old != new}
    picture = wad.EMPTY_PICTURE
    pictures = {"D_E1M1": picture, "WALL1": picture, "CYBRA1": picture}
    assert stubs == pictures | {"FLOOR9": wad.EMPTY_FLAT}


def test_frames_are_split_and_become_pictures() -> None:
    red, blue = b"\xff\0\0" * doom.WIDTH * doom.HEIGHT, b"\0\0\xff" * doom.WIDTH * doom.HEIGHT
    output = doom.HEADER + red + doom.HEADER + blue
    assert doom.frames(output) == [red, blue]
    with pytest.raises(ValueError, match="frames"):
        doom.frames(output + b"x")
    film = doom.png([red, blue], 100)
    assert (film.count(b"fcTL"), film.count(b"fdAT"), film.count(b"IDAT")) == (2, 1, 1)
    assert b"PLTE\0\0\xff\xff\0\0" in film


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 13))
def test_a_dozen_programs_of_csmith(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if install := csmith.missing():
        pytest.skip(f"no csmith: {install}")
    monkeypatch.setattr(csmith, "WRONG", tmp_path)
    (row,) = csmith.run_seed(seed, [csmith.LEVELS[seed % 4]])
    assert (row.verdict, row.why) == ("right", "")
    assert row.instructions > 1000
