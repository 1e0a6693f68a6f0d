"""Sparse linear memory: a page is allocated when a nonzero byte is written to it."""

import hashlib
import struct
from collections.abc import Iterator

from transputer.errors import CapacityError, Trap, TrapError
from transputer.ir.module import MAX_PAGES, PAGE

_SHIFT = PAGE.bit_length() - 1
_OFFSET = PAGE - 1
#: Largest number of allocated pages per memory (512 MiB); all others are zero.
RESIDENT = 8192


class LinearMemory:
    """A byte-addressed, little-endian, sparse memory of 64 KiB pages, initially zero.

    Addresses and counts are unsigned. An access beyond the end raises `TrapError` with
    `MEMORY_OUT_OF_BOUNDS` and has no effect. Two memories are equal if their sizes and contents
    are equal.
    """

    __slots__ = ("_pages", "maximum", "size")

    def __init__(self, pages: int = 0, maximum: int = MAX_PAGES) -> None:
        self.size = pages * PAGE  #: in bytes
        self.maximum = maximum  #: in pages
        self._pages: dict[int, bytearray] = {}

    def load(self, address: int, width: int) -> int:
        """Return the unsigned number in the `width` bytes at `address`."""
        offset = address & _OFFSET
        if address + width > self.size or offset + width > PAGE:
            return int.from_bytes(self.read(address, width), "little")
        page = self._pages.get(address >> _SHIFT)
        return int.from_bytes(page[offset : offset + width], "little") if page else 0

    def store(self, address: int, width: int, value: int) -> None:
        """Store an unsigned number, which must fit in `width` bytes."""
        offset = address & _OFFSET
        page = self._pages.get(address >> _SHIFT)
        if page is None or address + width > self.size or offset + width > PAGE:
            self.write(address, value.to_bytes(width, "little"))
        else:
            page[offset : offset + width] = value.to_bytes(width, "little")

    def read(self, address: int, n: int) -> bytes:
        """Return `n` bytes."""
        self._check(address, n)
        return b"".join(self._piece(*part) for part in _parts(address, n))

    def write(self, address: int, data: bytes) -> None:
        """Write bytes."""
        self._check(address, len(data))
        position = 0
        for number, start, stop in _parts(address, len(data)):
            self._put(number, start, data[position : position + stop - start])
            position += stop - start

    def fill(self, address: int, byte: int, n: int) -> None:
        """Set `n` bytes to the low eight bits of `byte`."""
        self._check(address, n)
        pattern = bytes([byte & 0xFF])
        for number, start, stop in _parts(address, n):
            if byte & 0xFF:
                self._page(number)[start:stop] = pattern * (stop - start)
            else:
                self._clear(number, start, stop)

    def copy(
        self, destination: int, source: int, n: int, origin: "LinearMemory | None" = None
    ) -> None:
        """Copy `n` bytes, from the memory `origin` if given; the ranges may overlap."""
        memory = self if origin is None else origin
        memory._check(source, n)
        self._check(destination, n)
        runs = _runs(destination, source, n)
        # Copy upwards if the data move down and downwards if they move up, so that no byte is
        # overwritten before it is read; within a run, the bytes are copied out first.
        for at, start, count in runs if destination < source else reversed(list(runs)):
            (piece,) = _parts(start, count)
            number, first = at >> _SHIFT, at & _OFFSET
            if piece[0] in memory._pages:
                self._put(number, first, memory._piece(*piece))
            else:
                self._clear(number, first, first + count)

    def grow(self, pages: int) -> int:
        """Add zero pages; return the old size in pages, or -1 beyond the maximum."""
        old = self.size // PAGE
        if old + pages > self.maximum:
            return -1
        self.size += pages * PAGE
        return old

    def nonzero_words(self) -> Iterator[tuple[int, int]]:
        """Yield the nonzero aligned 64-bit words as (address, value), in order."""
        for number, page in self._contents():
            for i, (word,) in enumerate(struct.iter_unpack("<Q", page)):
                if word:
                    yield number * PAGE + 8 * i, word

    def digest(self) -> str:
        """Return the SHA-256 of size and contents, whether zero pages are allocated or not."""
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
        """Yield the nonzero pages, in order."""
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
                    f"the program uses more than {RESIDENT * PAGE:,} bytes of memory, "
                    "which is the limit of the oracle"
                )
            page = self._pages[number] = bytearray(PAGE)
        return page

    def _piece(self, number: int, start: int, stop: int) -> bytes:
        page = self._pages.get(number)
        return bytes(stop - start) if page is None else bytes(page[start:stop])

    def _put(self, number: int, start: int, data: bytes) -> None:
        """Write bytes to one page; zeros alone do not allocate it."""
        if number in self._pages or data.count(0) != len(data):
            self._page(number)[start : start + len(data)] = data

    def _clear(self, number: int, start: int, stop: int) -> None:
        if stop - start == PAGE:
            self._pages.pop(number, None)
        elif number in self._pages:
            self._pages[number][start:stop] = bytes(stop - start)


def _parts(address: int, n: int) -> Iterator[tuple[int, int, int]]:
    """Split a range at page boundaries: yield (page number, start, stop) within the page."""
    while n:
        start = address & _OFFSET
        count = min(n, PAGE - start)
        yield address >> _SHIFT, start, start + count
        address, n = address + count, n - count


def _runs(destination: int, source: int, n: int) -> Iterator[tuple[int, int, int]]:
    """Split a copy at the page boundaries of both ranges: yield (destination, source, count)."""
    while n:
        count = min(n, PAGE - (destination & _OFFSET), PAGE - (source & _OFFSET))
        yield destination, source, count
        destination, source, n = destination + count, source + count, n - count
