"""Text frames as pictures: each character becomes a block of pixels, in PNG files.

A program ends each frame with a form feed. The brightness of a character is its place in `RAMP`;
characters outside the ramp are bright.
"""

import struct
import zlib
from pathlib import Path

from transputer.errors import UsageError

FORM_FEED = 0x0C
#: Characters from dark to bright.
RAMP = " .,:;-=+*ox#%@"
_BRIGHT = 200
_BLOCK_WIDTH, _BLOCK_HEIGHT = 8, 16
#: Longer frames and lines are cut, so that a runaway program writes no giant pictures.
_MOST_LINES, _MOST_COLUMNS = 200, 400


class Frames:
    """Receives the bytes of a program's output and writes a picture of each frame."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.count = 0
        self._text = bytearray()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"{folder}: {problem.strerror}") from None

    def write(self, byte: int) -> None:
        """Take one byte of the output; a form feed writes the frame's picture."""
        if byte != FORM_FEED:
            self._text.append(byte)
            return
        self.count += 1
        lines = self._text.decode("utf-8", "replace").strip("\n").split("\n")
        self._text.clear()
        path = self.folder / f"{self.count:04}.png"
        try:
            path.write_bytes(png(pixels(lines)))
        except OSError as problem:
            raise UsageError(f"{path}: {problem.strerror}") from None


def brightness(character: str) -> int:
    """Return the brightness of a character, from 0 to 255."""
    place = RAMP.find(character)
    return _BRIGHT if place < 0 else place * 255 // (len(RAMP) - 1)


def pixels(lines: list[str]) -> list[bytes]:
    """Return the rows of grey pixels of a frame, at least one."""
    lines = [line[:_MOST_COLUMNS] for line in lines[:_MOST_LINES]]
    width = max(1, *map(len, lines))
    rows = []
    for line in lines:
        row = b"".join(bytes([brightness(c)]) * _BLOCK_WIDTH for c in line.ljust(width))
        rows += [row] * _BLOCK_HEIGHT
    return rows


def png(rows: list[bytes]) -> bytes:
    """Return a PNG file of rows of grey pixels."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    raw = b"".join(b"\0" + row for row in rows)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
