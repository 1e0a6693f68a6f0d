"""The sections of a binary module, as they stand: for what is not part of the program itself."""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from transputer.errors import MalformedError
from transputer.frontends.binary.reader import Reader

_HEADER = 8
CODE = 10


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its number, its name if it is a custom one, and where it stands.

    `start` is that of its number, `content` that of what it holds (behind a custom one's name).
    """

    number: int
    name: str
    start: int
    content: int
    end: int


def sections(binary: bytes) -> Iterator[Section]:
    """Every section in turn; `MalformedError` where the bytes end in the middle of one."""
    r = Reader(binary, _HEADER)
    while not r.done:
        start, number, size = r.position, r.byte(), r.u32()
        end = r.position + size
        if end > len(binary):
            raise r.fail("unexpected end")
        inner = Reader(binary, r.position, end)
        name = inner.name() if number == 0 else ""
        yield Section(number, name, start, inner.position, end)
        r.position = end


def keep_custom(binary: bytes, names: Set[str]) -> bytes:
    """The module with only those of its custom sections."""
    kept = [s for s in sections(binary) if s.number or s.name in names]
    return binary[:_HEADER] + b"".join(binary[s.start : s.end] for s in kept)


def custom(binary: bytes) -> dict[str, bytes]:
    """The custom sections by name; damaged ones are as if they were not there."""
    try:
        return {s.name: binary[s.content : s.end] for s in sections(binary) if s.number == 0}
    except MalformedError:
        return {}
