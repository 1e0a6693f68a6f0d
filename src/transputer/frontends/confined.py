"""Untrusted C: compiling it can read only the compiler's own headers.

Three constructs of C read files: `#include` and its variants, `#embed`, and inline assembly with
`.incbin`. The first may only name a header by a relative path without `..`; the others are
refused. The check looks for directives everywhere, even in comments and strings, so that a
difference between its parsing and the compiler's cannot hide one.
"""

import re

from transputer.errors import Place, SourceError

#: Compiler flags: no inline assembly.
CONFINED = ("-fno-gnu-inline-asm",)

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*(?:\r\n|\n|\r)")
_GAP = r"(?:[ \t\v\f\0]|/\*.*?\*/)*"
_DIRECTIVE = re.compile(
    rf"(?:#|%:|\?\?=){_GAP}(include|include_next|__include_macros|import|embed)\b([^\n\r]*)",
    re.DOTALL,
)
_PLAIN = re.compile(rf'{_GAP}(?:<([\w.+/-]+)>|"([\w.+/-]+)")')


def check_confined(text: str, file: str = "") -> None:
    """Raise `SourceError` if a source reads anything but headers by plain names."""
    for match in _DIRECTIVE.finditer(_SPLICE.sub("", text)):
        name, rest = match[1], match[2]
        plain = _PLAIN.match(rest)
        path = (plain[1] or plain[2]) if plain else ""
        if name != "embed" and path and not path.startswith("/") and ".." not in path.split("/"):
            continue
        line = text.count("\n", 0, _offset(text, match.start())) + 1
        what = f"#{name}{rest}".strip()[:60]
        raise SourceError(
            f"{what}: only headers of the C library and transputer.h can be included here, "
            f"by their plain names",
            Place(file, line, 1),
        )


def _offset(text: str, spliced: int) -> int:
    """Return the offset in the source of an offset in the text without line splices."""
    at = 0
    for match in _SPLICE.finditer(text):
        if match.start() - at > spliced:
            break
        at += len(match[0])
    return spliced + at
