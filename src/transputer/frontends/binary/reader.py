"""A cursor over bytes in the WebAssembly binary format."""

from collections.abc import Callable
from typing import TypeVar

from transputer.errors import MalformedError, Place, UnsupportedFeature
from transputer.frontends.binary.features import Feature
from transputer.ir.module import FuncType

T = TypeVar("T")


class Reader:
    """Reads from `data[position:end]`; every failure is a `MalformedError` with its offset.

    `release` is the version of the standard whose binary format is read.
    """

    def __init__(
        self, data: bytes, position: int = 0, end: int | None = None, release: int = 3
    ) -> None:
        self.release = release
        self.types: list[FuncType | None] = []  # function types that references may name
        self.known: dict[FuncType, FuncType] = {}  # each of them, by itself
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end

    def fail(self, message: str, at: int | None = None) -> MalformedError:
        """Return an error at offset `at`, by default at the cursor."""
        return MalformedError(message, Place(offset=self.position if at is None else at))

    def refuse(self, feature: Feature | None, message: str, at: int) -> MalformedError:
        """Return the error for bytes that only a newer feature explains, or else `message`.

        Release 2 knows no feature.
        """
        if feature is None or self.release < 3:
            return self.fail(message, at)
        return UnsupportedFeature(str(feature), Place(offset=at))

    @property
    def done(self) -> bool:
        """Whether the cursor is at the end."""
        return self.position >= self.end

    def byte(self) -> int:
        """Read one byte."""
        if self.position >= self.end:
            raise self.fail("unexpected end")
        self.position += 1
        return self.data[self.position - 1]

    def take(self, count: int) -> bytes:
        """Read `count` bytes."""
        if count > self.end - self.position:
            raise self.fail("unexpected end: length out of bounds")
        self.position += count
        return self.data[self.position - count : self.position]

    def _leb128(self, bits: int) -> tuple[int, int, bool]:
        """Read a LEB128 number; return its payload, the number of bits, and its sign bit."""
        start, value, shift = self.position, 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value, shift, bool(byte & 0x40)
            if shift >= bits:
                raise self.fail("integer representation too long", start)

    def unsigned(self, bits: int) -> int:
        """Read an unsigned LEB128 number of at most `bits` bits."""
        start = self.position
        if start < self.end and self.data[start] < 0x80:  # most have one byte
            self.position += 1
            return self.data[start]
        value, _, _ = self._leb128(bits)
        if value >> bits:
            raise self.fail("integer too large", start)
        return value

    def signed(self, bits: int) -> int:
        """Read a signed LEB128 number of at most `bits` bits."""
        start = self.position
        value, shift, negative = self._leb128(bits)
        value -= negative << shift
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise self.fail("integer too large", start)
        return value

    def u32(self) -> int:
        """Read an unsigned 32-bit number: an index, a count or a size."""
        return self.unsigned(32)

    def size(self) -> int:
        """Read an offset or the size of a memory or table, which has 64 bits since release 3."""
        return self.unsigned(64 if self.release > 2 else 32)

    def name(self) -> str:
        """Read a length-prefixed UTF-8 string."""
        count = self.u32()
        start = self.position
        raw = self.take(count)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.fail("malformed UTF-8 encoding", start + error.start) from None

    def vector(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Read a count and that many items. No item is empty, so the input size bounds the work."""
        return tuple(item() for _ in range(self.u32()))

    def flag(self, limit: int, message: str) -> int:
        """Read a byte that must be below `limit`."""
        start = self.position
        value = self.byte()
        if value >= limit:
            raise self.fail(message, start)
        return value

    def section(self, size: int) -> "Reader":
        """Return a reader of the next `size` bytes, and skip them."""
        if size > self.end - self.position:
            raise self.fail("unexpected end: length out of bounds")
        inner = Reader(self.data, self.position, self.position + size, self.release)
        inner.types, inner.known = self.types, self.known
        self.position += size
        return inner
