"""Frames of text as PNG files."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from transputer.cli.frames import RAMP, Frames, brightness, png
from transputer.errors import UsageError

Cli = Callable[..., "tuple[int, str, str]"]


def read_png(data: bytes) -> list[bytes]:
    """The rows of a grey PNG without filters, every checksum checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        held, end = data[at + 4 : at + 8 + size], at + 12 + size
        assert struct.unpack(">I", data[end - 4 : end]) == (zlib.crc32(held),)
        chunks[held[:4]] = held[4:]
        at += 12 + size
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[i : i + width + 1] for i in range(0, len(raw), width + 1)]
    assert rest == [8, 0, 0, 0, 0] and len(rows) == height and b"IEND" in chunks
    assert all(row[0] == 0 for row in rows)
    return [row[1:] for row in rows]


def test_a_picture_has_the_pixels_it_was_given() -> None:
    rows = [bytes([0, 128, 255]), bytes([7, 8, 9])]
    assert read_png(png(rows)) == rows


def test_characters_become_blocks(tmp_path: Path) -> None:
    frames = Frames(str(tmp_path / "new" / "folder"))
    for byte in b"@ \n.Z\n\f\nx\n\fnot finished":
        frames.write(byte)
    assert [p.name for p in sorted(frames.folder.iterdir())] == ["0001.png", "0002.png"]
    rows = read_png((frames.folder / "0001.png").read_bytes())
    assert (len(rows), len(rows[0])) == (32, 16)
    corners = [[rows[y][x] for x in (0, 8)] for y in (0, 16)]
    assert corners == [[255, 0], [brightness("."), 200]]
    (level,) = set(b"".join(read_png((frames.folder / "0002.png").read_bytes())))
    assert level == brightness("x")


def test_the_ramp_rises() -> None:
    levels = [brightness(c) for c in RAMP]
    assert levels == sorted(set(levels)) and (levels[0], levels[-1]) == (0, 255)


def test_an_empty_frame_is_one_block(tmp_path: Path) -> None:
    Frames(str(tmp_path)).write(0x0C)
    assert set(b"".join(read_png((tmp_path / "0001.png").read_bytes()))) == {0}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file"):
        Frames(str(tmp_path / "file" / "folder"))


@pytest.mark.parametrize(
    "name, count, size", [("snake", 3, (192, 192)), ("raycaster", 2, (512, 384))]
)
def test_the_examples_make_pictures(
    cli: Cli, tmp_path: Path, name: str, count: int, size: tuple[int, int]
) -> None:
    moves = {"snake": "2", "raycaster": "2"}[name]
    args = (f"examples/programs/{name}.c", moves, "--engine", "oracle")
    plain, shown = cli("run", *args), cli("run", *args, "--frames", str(tmp_path))
    assert plain == shown and plain[0] == 0
    pictures = [read_png(p.read_bytes()) for p in sorted(tmp_path.iterdir())]
    assert [(len(p[0]), len(p)) for p in pictures] == [size] * count
    assert all(len(set(b"".join(p))) > 2 for p in pictures)
    assert cli("run", *args, "--frames", str(tmp_path), "--json")[0] == 2
