"""The WebAssembly text format, through wasmtime's parser.

It also accepts what is newer than WebAssembly 2.0; our decoder and verifier refuse that.
"""

import re

import wasmtime

from transputer.errors import MalformedError, Place

# What wasmtime says: the message, then `     --> <anon>:3:7`, then the line and a caret; where
# the line is long, the message and ` at <anon>:3:7`. Columns count characters from 1.
_PROBLEM = re.compile(
    r"(?P<message>.*?)(\n *-->| at) <anon>:(?P<line>\d+):(?P<column>\d+)(\n.*)?", re.DOTALL
)
_TOKEN = re.compile(r'[^\s()";]+')
#: A longer line (generated text) is not shown.
_SHOWN = 400


def to_wasm(text: str, file: str = "") -> bytes:
    """The binary module, with a name section; a `MalformedError` says where the text is wrong.

    `file` is only what the error calls the text.
    """
    try:
        return bytes(wasmtime.wat2wasm(text))
    except wasmtime.WasmtimeError as problem:
        raise _located(str(problem), text, file) from None
    except UnicodeEncodeError as problem:
        raise MalformedError("not Unicode text", Place(file, offset=problem.start)) from None


def _located(said: str, text: str, file: str) -> MalformedError:
    """wasmtime's message as our error, with the place in the user's text."""
    match = _PROBLEM.fullmatch(said)
    if not match:
        return MalformedError(said, Place(file))
    line, column = int(match["line"]), int(match["column"])
    shown = _shown("".join(text.split("\n")[line - 1 : line]))
    token = _TOKEN.match(shown, column - 1)
    width = len(token.group()) if token else 1
    return MalformedError(match["message"], Place(file, line, column, None, shown, width))


def _shown(line: str) -> str:
    """A source line fit for a terminal; nothing where it is too long to help."""
    line = line.rstrip("\r")
    if len(line) > _SHOWN:
        return ""
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)
