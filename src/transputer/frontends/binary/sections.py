"""Raw sections of a binary module, for custom sections such as debug information."""

from collections.abc import Iterator, Set

from transputer.errors import MalformedError
from transputer.frontends.binary.reader import Reader
from transputer.values import dataclass

_HEADER = 8
CODE = 10


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its number, the name of a custom section, and its offsets.

    `start` is the offset of its number, `content` that of its contents, after the name of a
    custom section.
    """

    number: int
    name: str
    start: int
    content: int
    end: int


def sections(binary: bytes) -> Iterator[Section]:
    """Yield every section; raise `MalformedError` if the last one is truncated."""
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
    """Return the module without custom sections other than those in `names`."""
    selection = [s for s in sections(binary) if s.number or s.name in names]
    return binary[:_HEADER] + b"".join(binary[s.start : s.end] for s in selection)


def custom(binary: bytes) -> dict[str, bytes]:
    """Return the custom sections by name; none if the module is damaged."""
    try:
        return {s.name: binary[s.content : s.end] for s in sections(binary) if s.number == 0}
    except MalformedError:
        return {}
