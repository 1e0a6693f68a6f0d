"""The searches in C as a library: compiled once, kept by content, called with NumPy arrays."""

import ctypes
import hashlib
import os
import platform
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from transputer.engines.native.compile import compilers
from transputer.errors import EngineUnavailable
from transputer.isa.soft import SOFT

#: Seconds after which the compiler is stopped.
TIMEOUT = 120.0
_HERE = Path(__file__).parent
_SOURCES = (_HERE.parent / "machines" / "soft" / "machine.h", _HERE / "search.c")
_FLAGS = ("-std=c11", "-O3", "-fPIC", "-shared", "-fwrapv", "-ffreestanding", "-nostdlib",
          "-fno-stack-protector")  # fmt: skip

_Pointer, _Word, _Long, _Real = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_double


class Machine(ctypes.Structure):
    """The sizes of the machine, as in `machine.h`."""

    _fields_ = [(name, _Word) for name in ("width", "registers", "length", "memory", "limit")]


class Problem(ctypes.Structure):
    """A search problem, as in `search.c`."""

    _fields_ = [
        ("m", Machine),
        ("examples", _Word),
        ("results", _Word),
        *((name, _Pointer) for name in ("registers", "memory", "wanted", "cells", "matters")),
        ("ops_count", _Word),
        ("numbers_count", _Word),
        *((name, _Pointer) for name in ("ops", "numbers", "frozen", "jumps")),
        ("elsewhere", _Word),
    ]


class Frontier(ctypes.Structure):
    """The states of a breadth-first search, as in `search.c`."""

    _fields_ = [
        ("menu", _Pointer),
        ("count", _Word),
        ("stride", _Word),
        *((name, _Pointer) for name in ("states", "parent", "by", "table")),
        ("capacity", _Long),
        ("slots", _Long),
    ]


def source() -> str:
    """One C file: the numbers of the table, the machine, the searches."""
    names = ", ".join(f"OP_{op.name} = {op.code}" for op in SOFT)
    return f"enum {{ {names} }};\n" + "\n".join(path.read_text() for path in _SOURCES)


@cache
def library() -> ctypes.CDLL:
    """The searches, compiled if they were not yet; `EngineUnavailable` if that cannot be done."""
    problem = "no C compiler found; pip install ziglang"
    for compiler in compilers():
        key = repr((source(), _FLAGS, compiler, platform.machine()))
        name = f"search-{hashlib.sha256(key.encode()).hexdigest()[:32]}.so"
        root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        path = Path(root, "transputer", "learn", name)
        try:
            if not path.is_file():
                _compile(compiler, path)
            return _declared(ctypes.CDLL(str(path)))
        except (OSError, subprocess.SubprocessError) as error:
            problem = str(error)
    raise EngineUnavailable(f"learn: {problem}")


def _compile(compiler: tuple[str, ...], path: Path) -> None:
    """Compiles next to the place and moves it there whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as folder:
        text, made = Path(folder, "search.c"), Path(folder, "search.so")
        text.write_text(source())
        command = [*compiler, *_FLAGS, str(text), "-o", str(made)]
        place = {"ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder}
        subprocess.run(
            command, env={**os.environ, **place}, check=True, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
        os.replace(made, path)


def _declared(loaded: ctypes.CDLL) -> ctypes.CDLL:
    anneal = (_Pointer, _Pointer, _Pointer, _Word, _Real, _Real, _Pointer)
    expand = (_Pointer, _Pointer, _Long, _Long, _Long, _Pointer, _Long, _Pointer)
    for name, result, arguments in (
        ("cost", _Word, (_Pointer, _Pointer, _Word)),
        ("run", _Word, (_Pointer, _Pointer, _Pointer, _Pointer)),
        ("first_wrong", _Word, (_Pointer, _Pointer)),
        ("draw", None, (_Pointer, _Pointer, _Pointer)),
        ("anneal", ctypes.c_int, anneal),
        ("random", ctypes.c_int, (_Pointer, _Pointer, _Pointer, _Long, _Pointer)),
        ("expand", ctypes.c_int64, expand),
    ):
        function = getattr(loaded, f"soft_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded
