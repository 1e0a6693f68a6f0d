"""`bench frames`: how many frames of a game the weights draw in a CPU second."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from transputer.check.bench.commands import children_seconds, warm_cache
from transputer.check.bench.programs import Progress, WrongAnswer
from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.workloads import MAX_STEPS, find_sources
from transputer.errors import TransputerError
from transputer.frontends.c import compile_c
from transputer.runtime.trace.program import compile_file

#: Where `tools.outside.doom` puts what it plays, seen from the checkout.
DOOM = Path("build", "outside", "doom")
#: A frame ends with a form feed, or begins with the header of a picture.
FORM_FEED, PICTURE = b"\f", b"P6\n"
COLUMNS = (
    *("game", "frames", "steps per frame", "frames/s, first run", "frames/s, again"),
    "frames/s, wasmtime",
)


@dataclass(frozen=True, slots=True)
class Game:
    """A program that draws: its module, what it is given, and what begins or ends a frame."""

    name: str
    binary: bytes
    args: tuple[str, ...] = ()
    keys: bytes = b""
    mark: bytes = FORM_FEED
    folders: Mapping[str, Path] = field(default_factory=dict)


def write_game(game: Game, folder: Path) -> None:
    """Write a game where `bench frames` finds it; its folders are there already."""
    (folder / "game.wasm").write_bytes(game.binary)
    about = {
        "name": game.name,
        "args": game.args,
        "keys": game.keys.decode(),
        "folders": {guest: str(host.relative_to(folder)) for guest, host in game.folders.items()},
    }
    (folder / "game.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _read_game(folder: Path) -> Game:
    about = json.loads((folder / "game.json").read_text(encoding="utf-8"))
    folders = {guest: folder / host for guest, host in about["folders"].items()}
    binary, keys = (folder / "game.wasm").read_bytes(), about["keys"].encode()
    return Game(about["name"], binary, tuple(about["args"]), keys, PICTURE, folders)


def measure(*, quick: bool = False, progress: Progress = lambda text: None) -> Report:
    """Play each game twice on the weights; every byte must be what it draws under wasmtime."""
    here, root = machine(), find_sources(Path.cwd()).parents[1]
    notes = [
        "Each run is a process of its own, start-up included; the first finds no code of this game "
        "in the cache. wasmtime's CPU seconds include compiling. Output is equal to the byte."
    ]
    if not (root / DOOM / "game.json").exists():
        notes.append("Doom is not here; `python -m tools.outside.doom` fetches and compiles it.")
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as name:
        warm_cache(Path(name), progress)
        rows = []
        for game in _games(root, quick):
            progress(game.name)
            rows.append(_row(game, Path(name)))
    return Report("frames", "Frames per CPU second", COLUMNS, rows, notes, here)


def _games(root: Path, quick: bool) -> Iterator[Game]:
    programs, frames = root / "examples" / "programs", "10" if quick else "80"
    yield Game("raycaster", compile_c(programs / "raycaster.c"), (frames,))
    yield Game("snake", compile_c(programs / "snake.c"), (frames,))
    if not quick and (root / DOOM / "game.json").exists():
        yield _read_game(root / DOOM)


def _row(game: Game, scratch: Path) -> tuple[Cell, ...]:
    drawn, _, seconds = _played("wasmtime", game, scratch)
    count = drawn.count(game.mark)
    rates, steps = [], 0
    for _ in ("first", "again"):
        output, steps, spent = _played("weights", game, scratch)
        if output != drawn:
            raise WrongAnswer(f"{game.name}: the frames are not wasmtime's")
        rates.append(count / spent)
    return game.name, count, steps // count, *rates, count / seconds


def _played(player: str, game: Game, scratch: Path) -> tuple[bytes, int, float]:
    """Play in a process of its own; return what was drawn, the steps and the CPU seconds."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folders = {guest: str(host.resolve()) for guest, host in game.folders.items()}
        about = {"args": game.args, "keys": game.keys.decode(), "folders": folders}
        Path(name, "game.wasm").write_bytes(game.binary)
        Path(name, "about.json").write_text(json.dumps(about), encoding="utf-8")
        before = children_seconds()
        done = subprocess.run(
            [sys.executable, "-m", __name__, player, name],
            capture_output=True,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(scratch / "warm")},
        )
        if done.returncode:
            raise TransputerError(f"{game.name}, {player}: {done.stderr.strip()}")
        spent = children_seconds() - before
        return Path(name, "drawn").read_bytes(), int(done.stdout), spent


def _play(player: str, folder: Path) -> int:
    """Play what `_played` wrote to a folder; return the number of steps."""
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    binary, keys = (folder / "game.wasm").read_bytes(), about["keys"].encode()
    if player == "wasmtime":
        from transputer.oracle.command import run_command

        places = {guest: (Path(host), False) for guest, host in about["folders"].items()}
        args = ["game.wasm", *about["args"]]
        done = run_command(binary, args, keys, fuel=None, folders=places)
        (folder / "drawn").write_bytes(done.stdout + done.stderr)
        return 0
    dirs = [f"{host}::{guest}" for guest, host in about["folders"].items()]
    result = compile_file(folder / "game.wasm").run(
        args=about["args"], stdin=keys, dirs=dirs, max_steps=MAX_STEPS, keep=False
    )
    (folder / "drawn").write_bytes(result.stdout + result.stderr)
    return result.steps


if __name__ == "__main__":
    print(_play(sys.argv[1], Path(sys.argv[2])))
