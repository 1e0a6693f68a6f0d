"""Projects of many C files: a folder, a `compile_commands.json`, or a response file (`@FILE`)."""

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from transputer.errors import UsageError
from transputer.frontends.source import read_text
from transputer.values import dataclass

#: Languages by the suffix of a source, as clang names them.
LANGUAGES = {".c": "c", ".cc": "c++", ".cpp": "c++"}
#: Files that are only linked: objects and static libraries.
LINKED = (".o", ".a")
COMMANDS = "compile_commands.json"
#: Flags of a compilation that matter here; those with a path after them first.
_PATHS = ("-I", "-isystem", "-iquote", "-include")
_KEPT = ("-D", "-U", "-std=", "-f")
_DROPPED = ("-fPIC", "-fpic", "-fPIE", "-fpie", "-flto", "-fsanitize", "-fdiagnostics")


@dataclass(frozen=True, slots=True)
class Project:
    """The sources of a program, and flags of the compiler for all of them."""

    files: tuple[str, ...]
    flags: tuple[str, ...] = ()


def is_source(name: str) -> bool:
    """Whether a file is compiled or linked with a C program."""
    return Path(name).suffix.lower() in (*LANGUAGES, *LINKED)


def read_project(path: str) -> Project | None:
    """Return the project at a path; None if it is an ordinary file.

    Raises `UsageError` if there is nothing to compile or the description is unreadable.
    """
    if path.startswith("@"):
        return _split(shlex.split(read_text(path[1:])), path)
    if os.path.basename(path) == COMMANDS:
        return _commands(path)
    if not os.path.isdir(path):
        return None
    described = os.path.join(path, COMMANDS)
    if os.path.isfile(described):
        return _commands(described)
    files = (str(p) for p in sorted(Path(path).rglob("*")) if p.suffix.lower() in LANGUAGES)
    return _project(files, (f"-I{path}",), path)


def _project(files: Iterable[str], flags: Sequence[str], path: str) -> Project:
    names = tuple(dict.fromkeys(files))
    if not names:
        raise UsageError(f"{path}: no C or C++ files")
    return Project(names, tuple(dict.fromkeys(flags)))


def _split(words: Sequence[str], path: str) -> Project:
    """Return the files and the flags of a response file."""
    files = [w for w in words if not w.startswith("-") and is_source(w)]
    return _project(files, [w for w in words if w not in files], path)


def _commands(path: str) -> Project:
    """Return the sources of a compilation database, and the flags of all of them together."""
    try:
        entries = json.loads(read_text(path))
        files, flags = [], []
        for entry in entries:
            folder = os.path.join(os.path.dirname(path), entry["directory"])
            words = entry.get("arguments") or shlex.split(entry["command"])
            files.append(os.path.normpath(os.path.join(folder, entry["file"])))
            flags += _flags(words[1:], folder)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: not a compilation database ({error})") from None
    names: dict[str, str] = {}
    for flag in flags:
        name = flag.partition("=")[0]
        if flag.startswith(("-D", "-std=")) and names.setdefault(name, flag) != flag:
            raise UsageError(f"{path}: {names[name]} and {flag}: files with different flags")
    return _project(files, flags, path)


def _flags(words: Sequence[str], folder: str) -> list[str]:
    """Return the flags that matter, with paths that do not depend on the folder."""
    flags = []
    rest = iter(words)
    for word in rest:
        option = next((p for p in _PATHS if word.startswith(p)), "")
        if option:
            place = word.removeprefix(option) or next(rest, "")
            flags.append(f"{option}{os.path.normpath(os.path.join(folder, place))}")
        elif word in ("-D", "-U"):
            flags.append(word + next(rest, ""))
        elif word.startswith(_KEPT) and not word.startswith(_DROPPED):
            flags.append(word)
    return flags
