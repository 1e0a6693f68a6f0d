"""Programs from text that somebody else wrote: compiled apart from the user's files."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from transputer.errors import SourceError, TransputerError, UsageError
from transputer.ir.module import ExternKind
from transputer.runtime.trace.program import TraceProgram, compile_text

#: Kinds of source by the end of their name, and what people call them.
LANGUAGES = {"c": "C", "wat": "WebAssembly", "asm": "Assembly"}
#: What clang says: `program.c:3:5: error: …`.
_SAID = re.compile(
    r"^program\.\w+:(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)$", re.MULTILINE
)
_MOST = 50


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a source, where that is known (lines and columns count from 1)."""

    message: str
    line: int = 0
    column: int = 0
    severity: str = "error"


def compile_confined(
    text: str,
    language: str,
    *,
    seconds: float = 30.0,
    notice: Callable[[str], None] = lambda _: None,
    opt: str | None = None,
) -> TraceProgram:
    """Compile a stranger's text; C can include the compiler's own headers only, and has `seconds`.

    `opt` is the optimisation level, as clang takes it. Raises what `compile_text` raises; messages
    call the text `program.c` or the like.
    """
    if language not in LANGUAGES:
        raise UsageError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    options: dict[str, Any] = {}
    if language == "c":
        options = {"confined": True, "seconds": seconds, "notice": notice}
        options |= {} if opt is None else {"opt": opt}
    return compile_text(text, f"program.{language}", **options)


def functions(program: TraceProgram) -> list[dict[str, Any]]:
    """The functions that can be invoked, with their types; none of an assembly program."""
    if program.assembly is not None:
        return []
    module = program.declarations
    types = module.func_types
    return [
        {
            "name": e.name,
            "params": [t.value for t in types[e.index].params],
            "results": [t.value for t in types[e.index].results],
        }
        for e in module.exports
        if e.kind is ExternKind.FUNC
    ]


def problems(error: TransputerError) -> list[Problem]:
    """All that an error says is wrong, one by one."""
    listed = getattr(error, "problems", None)
    if listed:
        return [_problem(one) for one in listed[:_MOST]]
    said = [
        Problem(message, int(line), int(column), severity)
        for line, column, severity, message in _SAID.findall(str(error))[:_MOST]
    ]
    if said:
        return said
    return [_problem(error)]


def _problem(error: TransputerError) -> Problem:
    if isinstance(error, SourceError):
        return Problem(error.message, error.place.line, error.place.column)
    return Problem(str(error))
