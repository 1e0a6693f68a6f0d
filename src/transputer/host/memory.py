"""Linear memory: bytes in pages that exist only once something other than zero was written."""

import hashlib
import struct
from collections.abc import Iterator

from transputer.errors import CapacityError, Trap, TrapError
from transputer.ir.module import MAX_PAGES, PAGE

_SHIFT = PAGE.bit_length() - 1
_OFFSET = PAGE - 1
#: Pages that one memory may really fill (512 MiB); the rest of 4 GiB can be there, but zero.
RESIDENT = 8192


class LinearMemory:
    """A byte-addressed, little-endian, sparse memory of whole 64 KiB pages, zero at first.

    Addresses and counts are unsigned. An access that passes the end raises `TrapError` with
    `MEMORY_OUT_OF_BOUNDS` before it has any effect. Two memories are equal when their sizes
    and contents are.
    """

    __slots__ = ("_pages", "maximum", "size")

    def __init__(self, pages: int = 0, maximum: int = MAX_PAGES) -> None:
        self.size = pages * PAGE  #: in bytes
        self.maximum = maximum  #: in pages
        self._pages: dict[int, bytearray] = {}

    def load(self, address: int, width: int) -> int:
        """The unsigned number in `width` bytes."""
        offset = address & _OFFSET
        if address + width > self.size or offset + width > PAGE:
            return int.from_bytes(self.read(address, width), "little")
        page = self._pages.get(address >> _SHIFT)
        return int.from_bytes(page[offset : offset + width], "little") if page else 0

    def store(self, address: int, width: int, value: int) -> None:
        """Put an unsigned number into `width` bytes, which must hold it."""
        offset = address & _OFFSET
        page = self._pages.get(address >> _SHIFT)
        if page is None or address + width > self.size or offset + width > PAGE:
            self.write(address, value.to_bytes(width, "little"))
        else:
            page[offset : offset + width] = value.to_bytes(width, "little")

    def read(self, address: int, n: int) -> bytes:
        """`n` bytes."""
        self._check(address, n)
        return b"".join(self._piece(*part) for part in _parts(address, n))

    def write(self, address: int, data: bytes) -> None:
        """Put bytes."""
        self._check(address, len(data))
        done = 0
        for number, start, stop in _parts(address, len(data)):
            self._put(number, start, data[done : done + stop - start])
            done += stop - start

    def fill(self, address: int, byte: int, n: int) -> None:
        """Set `n` bytes to the low eight bits of `byte`."""
        self._check(address, n)
        pattern = bytes([byte & 0xFF])
        for number, start, stop in _parts(address, n):
            if byte & 0xFF:
                self._page(number)[start:stop] = pattern * (stop - start)
            else:
                self._clear(number, start, stop)

    def copy(self, destination: int, source: int, n: int) -> None:
        """Move `n` bytes as if through a buffer; the ranges may overlap."""
        self._check(source, n)
        self._check(destination, n)
        runs = _runs(destination, source, n)
        # Going up never overwrites what is still to be read if the data move down, and
        # going down if they move up; within a run the bytes are copied out first.
        for at, start, count in runs if destination < source else reversed(list(runs)):
            (piece,) = _parts(start, count)
            number, first = at >> _SHIFT, at & _OFFSET
            if piece[0] in self._pages:
                self._put(number, first, self._piece(*piece))
            else:
                self._clear(number, first, first + count)

    def grow(self, pages: int) -> int:
        """Add zero pages; the old size in pages, or -1 if that would pass the maximum."""
        old = self.size // PAGE
        if old + pages > self.maximum:
            return -1
        self.size += pages * PAGE
        return old

    def nonzero_words(self) -> Iterator[tuple[int, int]]:
        """The aligned 32-bit words that are not zero, as (address, value), by address."""
        for number, page in self._contents():
            for i, (word,) in enumerate(struct.iter_unpack("<I", page)):
                if word:
                    yield number * PAGE + 4 * i, word

    def digest(self) -> str:
        """SHA-256 of size and contents, whichever zero pages happen to exist."""
        h = hashlib.sha256(struct.pack("<Q", self.size))
        for number, page in self._contents():
            h.update(struct.pack("<Q", number))
            h.update(page)
        return h.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearMemory):
            return NotImplemented
        return self.size == other.size and list(self._contents()) == list(other._contents())

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"LinearMemory({self.size // PAGE} pages, {len(self._pages)} in use)"

    def _contents(self) -> Iterator[tuple[int, bytearray]]:
        """The pages that are not all zero, in order."""
        for number in sorted(self._pages):
            if self._pages[number].count(0) != PAGE:
                yield number, self._pages[number]

    def _check(self, address: int, n: int) -> None:
        if address + n > self.size:
            detail = f"{n} bytes at {address:#x}, memory ends at {self.size:#x}"
            raise TrapError(Trap.MEMORY_OUT_OF_BOUNDS, detail)

    def _page(self, number: int) -> bytearray:
        page = self._pages.get(number)
        if page is None:
            if len(self._pages) >= RESIDENT:
                raise CapacityError(
                    f"the program fills more than {RESIDENT * PAGE:,} bytes of memory; "
                    "the oracle holds no more"
                )
            page = self._pages[number] = bytearray(PAGE)
        return page

    def _piece(self, number: int, start: int, stop: int) -> bytes:
        page = self._pages.get(number)
        return bytes(stop - start) if page is None else bytes(page[start:stop])

    def _put(self, number: int, start: int, data: bytes) -> None:
        """Put bytes into one page, which zeroes alone do not bring into being."""
        if number in self._pages or data.count(0) != len(data):
            self._page(number)[start : start + len(data)] = data

    def _clear(self, number: int, start: int, stop: int) -> None:
        if stop - start == PAGE:
            self._pages.pop(number, None)
        elif number in self._pages:
            self._pages[number][start:stop] = bytes(stop - start)


def _parts(address: int, n: int) -> Iterator[tuple[int, int, int]]:
    """A range cut at page ends: (page number, start, stop) within the page."""
    while n:
        start = address & _OFFSET
        count = min(n, PAGE - start)
        yield address >> _SHIFT, start, start + count
        address, n = address + count, n - count


def _runs(destination: int, source: int, n: int) -> Iterator[tuple[int, int, int]]:
    """Two ranges cut at the page ends of both: (destination, source, count)."""
    while n:
        count = min(n, PAGE - (destination & _OFFSET), PAGE - (source & _OFFSET))
        yield destination, source, count
        destination, source, n = destination + count, source + count, n - count
