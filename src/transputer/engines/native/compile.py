"""C as a library: compiled once per machine, cached by content, loaded with ctypes.

It is linked with nothing (the process that loads it has the memory functions), so that no C
library has to be built or found first.
"""

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from transputer.errors import EngineUnavailable
from transputer.model import cache_folder

#: Seconds after which the compiler is stopped.
TIMEOUT = 120.0

_HERE = Path(__file__).parent
_Sources = tuple[str, ...]
_LOOPED_SOURCES: _Sources = ("looped.c",)
_SOURCES: _Sources = (
    *("image.h", "table.h", "nearest.h", "analyze.h", "specialize.h", "sha256.h"),
    "engine.c",
)
_FLAGS = (
    *("-std=c11", "-O3", "-fPIC", "-shared"),
    "-fwrapv",  # sums may leave 64 bits on the way
    *("-ffreestanding", "-fno-stack-protector"),
    *(() if sys.platform == "darwin" else ("-nostdlib",)),  # there a library must have libSystem
)
_MISSING = "no C compiler found; pip install ziglang"
_Compiler = tuple[str, ...]


@cache
def library() -> ctypes.CDLL:
    """The engine, compiled if it was not yet; `EngineUnavailable` if that cannot be done."""
    return _declared(_loaded("engine", _SOURCES, _FLAGS), "transputer", _FUNCTIONS)


@cache
def looped_library(bits: int) -> ctypes.CDLL:
    """The engine of looped models for numbers of 32 or 64 bits, in the same way."""
    made = _loaded("looped", _LOOPED_SOURCES, (*_FLAGS, f"-DNUMBER=int{bits}_t"))
    return _declared(made, "looped", _LOOPED_FUNCTIONS)


def _loaded(name: str, sources: _Sources, flags: tuple[str, ...]) -> ctypes.CDLL:
    """The library of C files, of which the last is compiled and includes the others."""
    seen = hashlib.sha256()
    for source in sources:
        seen.update((_HERE / source).read_bytes())
    return compiled("native", name, _HERE / sources[-1], flags, seen.digest())


def compiled(
    engine: str, name: str, source: Path | str, flags: tuple[str, ...], content: bytes
) -> ctypes.CDLL:
    """A C file, or a text, as a library: compiled once, and kept by a hash of what decides it.

    `EngineUnavailable` if that cannot be done.
    """
    problems = []
    for compiler in compilers():
        decides = (content, flags, compiler, platform.machine(), sys.platform)
        made = f"{name}-{hashlib.sha256(repr(decides).encode()).hexdigest()[:32]}.so"
        for folder in _folders(engine):
            path = folder / made
            try:
                if not path.is_file():
                    _compile((*compiler, *flags), source, path)
                return ctypes.CDLL(str(path))
            except _CompilerError as problem:
                problems.append(str(problem))
                break
            except OSError as problem:
                problems.append(f"{path}: {problem.strerror or problem}")
    raise EngineUnavailable(f"{engine}: {problems[0] if problems else _MISSING}")


def compilers() -> list[_Compiler]:
    """The C compilers that are here, best first: ziglang's, then the system's."""
    found: list[_Compiler] = []
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        found.append((str(Path(spec.origin).with_name("zig")), "cc", "-mcpu=baseline"))
    system = (shutil.which(name) for name in ("cc", "gcc", "clang"))
    return found + [(path,) for path in system if path]


class _CompilerError(Exception):
    """A compiler that does not start, or does not accept the engine."""


def _folders(engine: str) -> Iterator[Path]:
    """Where libraries may be kept: the user's cache, or else a place for this process."""
    yield cache_folder() / engine
    yield Path(_scratch().name)


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True)


def _compile(command: tuple[str, ...], source: Path | str, path: Path) -> None:
    """Compiles next to the place and moves it there whole, so that others never see a part."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as folder:
        made = Path(folder, "made.so")
        if isinstance(source, str):
            text, source = source, Path(folder, "program.c")
            source.write_text(text)
        place = {"ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder}
        try:
            done = subprocess.run(
                [*command, str(source), "-o", str(made)],
                env={**os.environ, **place},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise _CompilerError(f"{command[0]} does not start: {problem}") from None
        if done.returncode or not made.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
            raise _CompilerError(f"{command[0]} does not compile the engine: {said[0]}")
        os.replace(made, path)


_POINTER, _WORD, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
_Functions = tuple[tuple[str, Any, tuple[Any, ...]], ...]
_FUNCTIONS: _Functions = (
    ("open", _POINTER, (_POINTER, _WORD, _WORD, _WORD)),
    ("close", None, (_POINTER,)),
    ("append", _WORD, (_POINTER, _POINTER, _WORD)),
    ("next", _NUMBER, (_POINTER, _POINTER)),
    ("run", _WORD, (_POINTER, _WORD, _POINTER, _WORD, _POINTER, _POINTER, _WORD, _POINTER)),
    ("length", _WORD, (_POINTER,)),
    ("token", None, (_POINTER, _WORD, _POINTER)),
    ("tape", _POINTER, (_POINTER,)),
    ("counts", None, (_POINTER, _POINTER, _POINTER)),
    ("plans", _WORD, (_POINTER,)),
    ("held", _WORD, (_POINTER,)),
    ("save", None, (_POINTER, _POINTER, _POINTER)),
    ("restore", _NUMBER, (_POINTER, _WORD, _POINTER, _POINTER, _WORD)),
    ("flags", _WORD, (_POINTER, _POINTER)),
    ("set_flags", None, (_POINTER, _POINTER)),
    ("sha256", None, (_POINTER, _POINTER, _WORD)),
)
_LOOPED_FUNCTIONS: _Functions = (
    ("open", _POINTER, (_POINTER, _POINTER)),
    ("close", None, (_POINTER,)),
    ("halted", _NUMBER, (_POINTER,)),
    ("run", _WORD, (_POINTER, _WORD, _POINTER)),
    ("read", _WORD, (_POINTER, _POINTER, _WORD)),
    ("tell", _WORD, (_POINTER, _WORD, _POINTER, _WORD, _POINTER, _POINTER, _WORD, _POINTER)),
    ("state", None, (_POINTER, _POINTER)),
    ("put", _NUMBER, (_POINTER, _WORD, _POINTER)),
    (
        "each",
        _WORD,
        (
            *(_POINTER, _WORD, _WORD, _POINTER, _POINTER),
            *(_WORD, _POINTER, _WORD, _POINTER, _POINTER),
        ),
    ),
    ("busy", _WORD, (_POINTER,)),
)


def _declared(loaded: ctypes.CDLL, prefix: str, functions: _Functions) -> ctypes.CDLL:
    """The library with the types of its functions declared."""
    for name, result, arguments in functions:
        function = getattr(loaded, f"{prefix}_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded
