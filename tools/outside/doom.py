"""Play the first level of Doom through the weights, and compare every frame with wasmtime's.

`python -m tools.outside.doom` takes the engine's portable source from PyPI (`cydoomgeneric`) as it
is, a platform file of our own, and the level from Debian's `freedoom`, cut to what it needs. Keys
come from `KEYS`. Frames go to build/outside/doom, a picture and a film to docs/img, and the result
to docs/outside/doom.json. Debian: apt install freedoom
"""

import argparse
import struct
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tools.outside import wad
from tools.outside.suite import ROOT, save, through_the_weights
from tools.sources import SourcePackage, fetch
from transputer.check.bench.frames import PICTURE, Game, write_game
from transputer.check.bench.workloads import MAX_STEPS
from transputer.frontends.c import compile_c
from transputer.oracle.command import run_command

PACKAGE = SourcePackage(
    "cydoomgeneric", "0.1.0", "b6d59939d06354f8afb61dcb760bf856423b308c7ae0c0f9781fbd174b2b0d72"
)
WAD = Path("/usr/share/games/doom/freedoom1.wad")
PLATFORM = ROOT / "tools" / "outside" / "doom_platform.c"
FOLDER = ROOT / "build" / "outside" / "doom"
IMAGES = ROOT / "docs" / "img"
DEFINES = ("NORMALUNIX", "LINUX", "_DEFAULT_SOURCE")
ARGUMENTS = ("-iwad", "wad/freedoom1.wad", "-warp", "1", "1")
#: The key that is held in each frame: the screen melts, then walk, turn, walk and fire.
KEYS = "." * 34 + "w" * 60 + "a" * 10 + "w" * 40 + "d" * 22 + "w" * 10 + "f" * 20
#: The film shows one of so many frames, of which the game has 35 in a second.
EVERY = 4
HEADER = b"P6\n320 200\n255\n"
WIDTH, HEIGHT = 320, 200
TITLE = "Doom, E1M1 of Freedoom"


def compiled() -> bytes:
    """Return the module; `i_input.c` is part of the platform file."""
    folder = fetch(PACKAGE, FOLDER) / "doomgeneric"
    files = sorted(file for file in folder.glob("*.c") if file.name != "i_input.c")
    return compile_c(
        PLATFORM, *files, opt="-O2", includes=[folder], defines=DEFINES, flags=["-w"], seconds=900
    )


def frames(output: bytes) -> list[bytes]:
    """Return the pixels of each frame of the output."""
    size = len(HEADER) + 3 * WIDTH * HEIGHT
    if len(output) % size or any(
        output[i : i + len(HEADER)] != HEADER for i in range(0, len(output), size)
    ):
        raise ValueError("the output is not a sequence of frames")
    return [output[i + len(HEADER) : i + size] for i in range(0, len(output), size)]


def png(pictures: Sequence[bytes], delay_ms: int = 0) -> bytes:
    """Return a PNG file of a picture, or an animated one of several; at most 256 colours in all."""
    triples = [[picture[i : i + 3] for i in range(0, len(picture), 3)] for picture in pictures]
    colours = sorted({pixel for picture in triples for pixel in picture})
    if len(colours) > 256:
        raise ValueError(f"{len(colours)} colours")
    index = {colour: i for i, colour in enumerate(colours)}
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0))]
    chunks.append((b"PLTE", b"".join(colours)))
    if len(pictures) > 1:
        chunks.append((b"acTL", struct.pack(">II", len(pictures), 0)))
    number = 0
    for place, picture in enumerate(triples):
        rows = (picture[i : i + WIDTH] for i in range(0, len(picture), WIDTH))
        raw = b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in rows)
        data = zlib.compress(raw, 9)
        if len(pictures) > 1:
            control = (number, WIDTH, HEIGHT, 0, 0, delay_ms, 1000, 0, 0)
            chunks.append((b"fcTL", struct.pack(">IIIIIHHBB", *control)))
            number += 1
        if place == 0:
            chunks.append((b"IDAT", data))
        else:
            chunks.append((b"fdAT", struct.pack(">I", number) + data))
            number += 1
    chunks.append((b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> None:
    """Play `KEYS`; exit with 1 if a frame differs from wasmtime's."""
    parser = argparse.ArgumentParser(description="Play Doom's first level through the weights.")
    parser.add_argument("--wad", type=Path, default=WAD, help="freedoom1.wad")
    parser.add_argument("--keys", default=KEYS, help="the key held in each frame")
    parser.add_argument("--module", type=Path, help="the engine, if it is compiled already")
    options = parser.parse_args()
    if not options.wad.exists():
        sys.exit("doom: no freedoom1.wad: apt-get install freedoom")
    (FOLDER / "wad").mkdir(parents=True, exist_ok=True)
    level = wad.write(wad.cut(wad.read(options.wad.read_bytes()), "E1M1"))
    (FOLDER / "wad" / "freedoom1.wad").write_bytes(level)
    binary = options.module.read_bytes() if options.module else compiled()
    keys = options.keys.encode()
    folders = {"wad": (FOLDER / "wad", False)}
    expected = run_command(binary, ("program.wasm", *ARGUMENTS), keys, fuel=None, folders=folders)
    game = Game(TITLE, binary, ARGUMENTS, keys, PICTURE, {"wad": FOLDER / "wad"})
    write_game(game, FOLDER)
    pictures = frames(expected.stderr)
    print(f"{len(pictures)} frames under wasmtime", flush=True)
    name = f"E1M1 of Freedoom, {len(pictures)} frames of {WIDTH}×{HEIGHT}"
    row = through_the_weights(name, binary, expected, keys, MAX_STEPS, ARGUMENTS, folders)
    row = replace(row, detail=f"{len(level):,} bytes of WAD")
    print(row, flush=True)
    rate = round(len(pictures) / row.cpu_seconds, 2)
    more = {
        "frames": len(pictures),
        "frames per CPU second": rate,
        "film": EVERY,
        "keys": options.keys,
    }
    save("doom", "Doom", "python -m tools.outside.doom", [row], more)
    if row.verdict == "right":  # then these are the frames of the weights, too
        (IMAGES / "doom.png").write_bytes(png(pictures[-1:]))
        (IMAGES / "doom-film.png").write_bytes(png(pictures[::EVERY], EVERY * 1000 // 35))
        for number, picture in enumerate(pictures, 1):
            (FOLDER / f"{number:04}.png").write_bytes(png([picture]))
    sys.exit(row.verdict != "right")


if __name__ == "__main__":
    main()
