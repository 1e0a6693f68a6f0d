"""C from strangers: nothing but the compiler's own headers can be read while it is compiled.

Three things in C read files: `#include` and its kin, `#embed`, and assembly with `.incbin`. The
first may name only what an include path has, by a plain name; the others are refused. A directive
is looked for everywhere, comments and strings included, so that no reading of the text but the
compiler's own can hide one.
"""

import re

from transputer.errors import Place, SourceError

#: Flags for the compiler: no assembly, inline or beside the code.
CONFINED = ("-fno-gnu-inline-asm",)

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*(?:\r\n|\n|\r)")
_GAP = r"(?:[ \t\v\f\0]|/\*.*?\*/)*"
_DIRECTIVE = re.compile(
    rf"(?:#|%:|\?\?=){_GAP}(include|include_next|__include_macros|import|embed)\b([^\n\r]*)",
    re.DOTALL,
)
_PLAIN = re.compile(rf'{_GAP}(?:<([\w.+/-]+)>|"([\w.+/-]+)")')


def check_confined(text: str, file: str = "") -> None:
    """Return if a source reads only headers by plain names; a `SourceError` tells what else."""
    for found in _DIRECTIVE.finditer(_SPLICE.sub("", text)):
        name, rest = found[1], found[2]
        plain = _PLAIN.match(rest)
        path = (plain[1] or plain[2]) if plain else ""
        if name != "embed" and path and not path.startswith("/") and ".." not in path.split("/"):
            continue
        line = text.count("\n", 0, _offset(text, found.start())) + 1
        what = f"#{name}{rest}".strip()[:60]
        raise SourceError(
            f"{what}: only headers of the C library and transputer.h can be included here, "
            f"by their plain names",
            Place(file, line, 1),
        )


def _offset(text: str, spliced: int) -> int:
    """Where a place in the spliced text is in the text as written."""
    at = 0
    for found in _SPLICE.finditer(text):
        if found.start() - at > spliced:
            break
        at += len(found[0])
    return spliced + at
