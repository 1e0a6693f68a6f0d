"""Programs from untrusted text: compiled without access to the user's files."""

import re
from collections.abc import Callable
from typing import Any

from transputer.errors import SourceError, TransputerError, UsageError
from transputer.ir.module import ExternKind
from transputer.runtime.trace.program import TraceProgram, compile_text
from transputer.values import dataclass

#: The languages by file suffix, with their names.
LANGUAGES = {"c": "C", "wat": "WebAssembly", "asm": "Assembly"}
#: A message of clang: `program.c:3:5: error: …`.
_MESSAGE = re.compile(
    r"^program\.\w+:(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)$", re.MULTILINE
)
_MOST = 50
#: What tells languages apart, the most particular first.
LOOKS = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in (
        ("WebAssembly", r"\A(\s|;;.*$)*\(\s*(module|func)\b"),
        ("C++", r"#include\s*<(iostream|vector|string|map|algorithm|memory)>|\bstd::|"
                r"\btemplate\s*<|\busing\s+namespace\b|\bclass\s+\w+\s*[:{]"),
        ("Rust", r"\bfn\s+\w+\s*\(|\bprintln!"),
        ("Go", r"^package\s+\w+"),
        ("Java", r"\bpublic\s+(static|class)\b"),
        ("JavaScript", r"\bconsole\.log\b|^\s*(function\s+\w+\s*\(|const\s+\w+\s*=)"),
        ("Python", r"^\s*(def\s+\w+\(.*\):|import\s+\w+\s*$|print\(.*\)\s*$)"),
        ("C", r"^\s*#include\b|\b(int|void|char|unsigned|long)\s+\w+\s*\("),
        ("Assembly", r"\A(\s|[;#].*$)*(\w+:\s*)?(PUSH|LOAD|CALL|JMP|IN|OUT)\b"),
    )
}  # fmt: skip
_COMPILE_FIRST = "compile it to WebAssembly and paste its text, or run the .wasm: transputer run"
_ELSEWHERE = {"C++": "the studio compiles C; on the command line: transputer run program.cpp"}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in a source; `line` and `column` count from 1, 0 is unknown."""

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
    """Compile an untrusted text; C can include only the compiler's own headers, within `seconds`.

    `opt` is the optimisation level, as clang takes it. Raises what `compile_text` raises; messages
    call the text `program.c` or the like.
    """
    if language not in LANGUAGES:
        raise UsageError(f"no language {language!r}; available: {', '.join(LANGUAGES)}")
    options: dict[str, Any] = {}
    if language == "c":
        options = {"confined": True, "seconds": seconds, "notice": notice}
        options |= {} if opt is None else {"opt": opt}
    try:
        return compile_text(text, f"program.{language}", **options)
    except TransputerError as error:
        advice = other_language(text, language)
        if advice:
            raise UsageError(advice) from error
        raise


def other_language(text: str, language: str) -> str:
    """Return a sentence if a text looks like another language than `language`; "" if it does not.

    Only a text that does not compile is asked for: a program that compiles is what it says.
    """
    name = next((name for name, pattern in LOOKS.items() if pattern.search(text)), "")
    if not name or name == LANGUAGES[language]:
        return ""
    if name in LANGUAGES.values():
        return f"this looks like {name}; choose {name} as the language"
    return f"this looks like {name}; {_ELSEWHERE.get(name, _COMPILE_FIRST)}"


def functions(program: TraceProgram) -> list[dict[str, Any]]:
    """Return the functions that can be invoked, with their types; none for assembly."""
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
    """Return the single problems that an error reports."""
    parts = getattr(error, "problems", None)
    if parts:
        return [_problem(part) for part in parts[:_MOST]]
    messages = [
        Problem(message, int(line), int(column), severity)
        for line, column, severity, message in _MESSAGE.findall(str(error))[:_MOST]
    ]
    return messages or [_problem(error)]


def _problem(error: TransputerError) -> Problem:
    if isinstance(error, SourceError):
        return Problem(error.message, error.place.line, error.place.column)
    return Problem(str(error))
