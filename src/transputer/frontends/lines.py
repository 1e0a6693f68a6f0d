"""Source line of each instruction, from DWARF line tables, versions 2 to 5.

A line table is a program for a small state machine with an address, a file and a line; each row
that it emits gives the source line of the code from that address on. Addresses are relative to
the content of the code section.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import lru_cache

from transputer.errors import MalformedError
from transputer.frontends.binary.reader import Reader
from transputer.frontends.binary.sections import CODE, custom, sections
from transputer.values import dataclass

# Standard opcodes, extended opcodes, and the forms of names in version 5.
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC, _PROLOGUE_END = 8, 9, 10
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_FORM_STRING, _FORM_LINE_STRP, _FORM_UDATA, _FORM_DATA16 = 0x08, 0x1F, 0x0F, 0x1E
_FORM_DATA = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x0E: 4}
_CONTENT_PATH, _CONTENT_DIRECTORY = 1, 2


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source file; two places in one line are equal."""

    file: str
    number: int
    column: int = field(default=0, compare=False)  # from 1; 0 if it is unknown
    body: bool = field(default=False, compare=False)  # begins a function's first statement

    def __str__(self) -> str:
        """As `file:line`."""
        return f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True)
class Lines:
    """Source lines by byte offset in the binary; empty without debug information."""

    starts: tuple[int, ...] = ()
    rows: tuple[SourceLine | None, ...] = ()
    #: Offsets of the first statement of each function, after its parameters are stored.
    bodies: tuple[int, ...] = ()

    def at(self, offset: int) -> SourceLine | None:
        """Return the source line of the instruction at an offset, if known."""
        place = bisect_right(self.starts, offset) - 1
        return self.rows[place] if place >= 0 else None


@lru_cache(maxsize=8)
def read_lines(binary: bytes) -> Lines:
    """Return the line tables of a module; damaged tables are ignored."""
    custom_sections = custom(binary)
    if ".debug_line" not in custom_sections:
        return Lines()
    base = next((s.content for s in sections(binary) if s.number == CODE), 0)
    try:
        strings = custom_sections.get(".debug_line_str", b"")
        pairs = list(_rows(custom_sections[".debug_line"], strings))
    except MalformedError:
        return Lines()
    # if two rows have the same address, the later one wins
    rows = {base + address: line for address, line in sorted(pairs, key=lambda r: r[0])}
    bodies = tuple(offset for offset, line in rows.items() if line is not None and line.body)
    return Lines(tuple(rows), tuple(rows.values()), bodies)


def _rows(data: bytes, strings: bytes) -> Iterator[tuple[int, SourceLine | None]]:
    r = Reader(data)
    while not r.done:
        size = _fixed(r, 4)
        if size >= 0xFFFFFFF0:
            raise r.fail("64-bit debug information is not supported")
        end = r.position + size
        if end > len(data):
            raise r.fail("unexpected end")
        yield from _Table(Reader(data, r.position, end), strings).rows()
        r.position = end


def _fixed(r: Reader, width: int) -> int:
    return int.from_bytes(r.take(width), "little")


def _text(r: Reader) -> str:
    """Read a null-terminated string."""
    text = bytearray()
    while byte := r.byte():
        text.append(byte)
    return text.decode("utf-8", "replace")


@dataclass(slots=True)
class _State:
    """Registers of the state machine."""

    address: int = 0
    file: int = 1
    line: int = 1
    column: int = 0
    body: bool = False


@dataclass(slots=True)
class _Table:
    """Line table of one compilation unit; the constructor reads the header."""

    r: Reader
    strings: bytes
    step: int = 1  # bytes per unit of address
    base: int = 0
    span: int = 1
    first: int = 1  # first special opcode
    operands: list[int] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    state: _State = field(default_factory=_State)
    waiting: list[int] = field(default_factory=list)  # addresses that have no line yet

    def __post_init__(self) -> None:
        r = self.r
        version = _fixed(r, 2)
        if not 2 <= version <= 5:
            raise r.fail(f"unsupported line table version {version}")
        if version == 5:
            r.take(2)  # address size and segment selector size
        program = _fixed(r, 4) + r.position
        self.step = r.byte()
        r.take(2 if version >= 4 else 1)  # maximum operations per instruction, default of is_stmt
        self.base = (r.byte() ^ 0x80) - 0x80
        self.span, self.first = r.byte() or 1, r.byte()
        self.operands = [r.byte() for _ in range(self.first - 1)]
        self.files = _names_5(r, self.strings) if version == 5 else _names_2(r)
        r.position = program

    def rows(self) -> Iterator[tuple[int, SourceLine | None]]:
        """Yield the address and line of each row; None marks the end of a sequence."""
        while not self.r.done:
            code = self.r.byte()
            if code >= self.first:
                self.state.address += (code - self.first) // self.span * self.step
                self.state.line += self.base + (code - self.first) % self.span
                yield from self._row()
            elif code == 0:
                yield from self._extended()
            elif code == _COPY:
                yield from self._row()
            else:
                self._standard(code)

    def _row(self) -> Iterator[tuple[int, SourceLine]]:
        """Yield a row. Line 0 means no line: such code, often operands, joins the next row."""
        self.waiting.append(self.state.address)
        if 0 <= self.state.file < len(self.files) and self.state.line > 0:
            state = self.state
            line = SourceLine(self.files[state.file], state.line, state.column, state.body)
            state.body = False
            yield from ((address, line) for address in self.waiting)
            self.waiting = []

    def _extended(self) -> Iterator[tuple[int, SourceLine | None]]:
        end = self.r.u32() + self.r.position
        code = self.r.byte()
        if code == _END_SEQUENCE:
            yield from ((address, None) for address in (*self.waiting, self.state.address))
            self.state, self.waiting = _State(), []
        elif code == _SET_ADDRESS:
            self.state.address = _fixed(self.r, end - self.r.position)
        self.r.position = end

    def _standard(self, code: int) -> None:
        if code == _FIXED_ADVANCE_PC:
            self.state.address += _fixed(self.r, 2)
        elif code == _PROLOGUE_END:
            self.state.body = True
        elif code == _CONST_ADD_PC:
            self.state.address += (255 - self.first) // self.span * self.step
        elif code == _ADVANCE_LINE:
            self.state.line += self.r.signed(32)
        else:
            values = [self.r.unsigned(64) for _ in range(self.operands[code - 1])]
            if code == _ADVANCE_PC:
                self.state.address += values[0] * self.step
            elif code == _SET_FILE:
                self.state.file = values[0]
            elif code == _SET_COLUMN:
                self.state.column = values[0]


def _names_2(r: Reader) -> list[str]:
    """Read the files, numbered from 1; folders too, 0 is the compilation directory."""
    folders = [""]
    while folder := _text(r):
        folders.append(folder)
    files = [""]
    while name := _text(r):
        at = r.u32()
        r.unsigned(64), r.unsigned(64)  # modification time and length
        files.append(_path(folders[at] if at < len(folders) else "", name))
    return files


def _names_5(r: Reader, strings: bytes) -> list[str]:
    """Read the files, numbered from 0."""
    folders = [""] + [path for path, _ in _entries(r, strings)][
        1:
    ]  # 0 is the compilation directory
    files = _entries(r, strings)
    return [_path(folders[at] if at < len(folders) else "", path) for path, at in files]


def _entries(r: Reader, strings: bytes) -> list[tuple[str, int]]:
    """Read (path, folder number) of each entry of a list that describes its own format."""
    format_ = [(r.u32(), r.u32()) for _ in range(r.byte())]
    entries = []
    for _ in range(r.u32()):
        path, folder = "", 0
        for content, form in format_:
            value = _form(r, form, strings)
            if content == _CONTENT_PATH and isinstance(value, str):
                path = value
            elif content == _CONTENT_DIRECTORY and isinstance(value, int):
                folder = value
        entries.append((path, folder))
    return entries


def _form(r: Reader, form: int, strings: bytes) -> str | int:
    readers: dict[int, Callable[[], str | int]] = {
        _FORM_STRING: lambda: _text(r),
        _FORM_LINE_STRP: lambda: _text(Reader(strings, _fixed(r, 4))),
        _FORM_UDATA: lambda: r.unsigned(64),
        _FORM_DATA16: lambda: _fixed(r, 16),
    }
    if form in readers:
        return readers[form]()
    if form in _FORM_DATA:
        return _fixed(r, _FORM_DATA[form])
    raise r.fail(f"unsupported form 0x{form:x} in a line table")


def _path(folder: str, name: str) -> str:
    return name if not folder or name.startswith("/") else f"{folder}/{name}"
