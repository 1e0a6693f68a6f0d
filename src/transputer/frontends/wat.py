"""The WebAssembly text format, parsed by wasmtime.

The parser also accepts features newer than WebAssembly 2.0; our decoder and verifier reject them.
"""

import re

from transputer import cache
from transputer.errors import MalformedError, Place

# A message of wasmtime is followed by `     --> <anon>:3:7`, the line and a caret; for a long
# line, only by ` at <anon>:3:7`. Columns count characters from 1.
_PROBLEM = re.compile(
    r"(?P<message>.*?)(\n *-->| at) <anon>:(?P<line>\d+):(?P<column>\d+)(\n.*)?", re.DOTALL
)
_TOKEN = re.compile(r'[^\s()";]+')
#: Longer lines (generated text) are not shown.
_SHOWN = 400
#: Largest number of texts of this package in the cache.
_LIBRARIES = 64


def to_wasm(text: str, file: str = "") -> bytes:
    """Return the binary module, with a name section.

    Raises `MalformedError` with the line and column; `file` is the name in the error.
    """
    import wasmtime  # slow to import, and only texts need it

    try:
        return bytes(wasmtime.wat2wasm(text))
    except wasmtime.WasmtimeError as problem:
        raise _located(str(problem), text, file) from None
    except UnicodeEncodeError as problem:
        raise MalformedError("not Unicode text", Place(file, offset=problem.start)) from None


def library_wasm(text: str, name: str) -> bytes:
    """Return the binary module of a text of this package, from the user's cache if it is there."""
    entry = cache.entry("routines", name, text, most=_LIBRARIES)
    binary = entry.read()
    if binary is None:
        binary = to_wasm(text, name)
        entry.write(binary)
    return binary


def _located(message: str, text: str, file: str) -> MalformedError:
    """Convert a message of wasmtime to our error, with the place in the user's text."""
    match = _PROBLEM.fullmatch(message)
    if not match:
        return MalformedError(message, Place(file))
    place = place_in(text, file, int(match["line"]), int(match["column"]))
    return MalformedError(match["message"], place)


def place_in(text: str, file: str, line: int, column: int) -> Place:
    """Return the place of the word at a line and column of a text."""
    shown = _shown("".join(text.split("\n")[line - 1 : line]))
    token = _TOKEN.match(shown, column - 1)
    return Place(file, line, column, None, shown, len(token.group()) if token else 1)


def _shown(line: str) -> str:
    """Return a source line that is safe to print; empty if it is too long."""
    line = line.rstrip("\r")
    if len(line) > _SHOWN:
        return ""
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)
