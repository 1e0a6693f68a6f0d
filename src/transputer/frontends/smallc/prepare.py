"""Prepare a source for the parser: comments, `#include` and `#define`.

There is no preprocessor. Headers of the C library are accepted because the built-in functions
need none; `#define NAME EXPRESSION` becomes an enumeration constant. Lines stay where they are.
"""

import re

from transputer.errors import Place, SourceError

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_INCLUDE = re.compile(r"#\s*include\s*<(stdio|stdlib|stdint|stdbool)\.h>\s*")
_DEFINE = re.compile(r"#\s*define\s+([A-Za-z_]\w*)(\s+\S.*)")
_PRAGMA = re.compile(r"#\s*pragma\b.*")


def place(file: str, text: str, line: int, column: int, width: int = 1) -> Place:
    """Return a place in a source, with its line for the caret."""
    lines = text.splitlines()
    source_line = lines[line - 1] if 0 < line <= len(lines) else ""
    return Place(file, line, column, text=source_line, width=width)


def prepared(text: str, file: str) -> str:
    """Return the source for the parser; raises `SourceError` for an unsupported directive."""
    lines = _COMMENT.sub(_blank, text).split("\n")
    for i, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            lines[i] = _directive(line, text, file, i + 1)
    return "\n".join(lines)


def _blank(match: re.Match[str]) -> str:
    """Comments become blanks, line by line; strings and characters stay."""
    piece = match.group()
    return re.sub(r"[^\n]", " ", piece) if piece.startswith("/") else piece


def _directive(line: str, text: str, file: str, number: int) -> str:
    stripped = line.strip()
    if _INCLUDE.fullmatch(stripped) or _PRAGMA.fullmatch(stripped):
        return ""
    if match := _DEFINE.fullmatch(stripped):
        return f"enum {{ {match[1]} = {match[2].strip()} }};"
    column = len(line) - len(line.lstrip()) + 1
    where = place(file, text, number, column, len(stripped))
    raise SourceError(
        "only #include of stdio, stdlib, stdint, stdbool and #define NAME CONSTANT work here; "
        "use const, enum or a function",
        where,
    )
