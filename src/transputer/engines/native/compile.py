"""C as a library: compiled once per machine, kept in the user's cache, loaded with ctypes.

It is linked with nothing (the process that loads it has the memory functions), so that no C
library has to be built or located first.
"""

import atexit
import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transputer import cache
from transputer.errors import EngineUnavailable

if TYPE_CHECKING:  # most processes find what they need in the cache
    import subprocess

#: Seconds after which the compiler is stopped.
TIMEOUT = 120.0
#: Libraries in the cache, of each engine; those not used for longest go first.
MOST = 256

_HERE = Path(__file__).parent
_Sources = tuple[str, ...]
_LOOPED_SOURCES: _Sources = ("looped.c",)
_SOURCES: _Sources = (
    *("image.h", "table.h", "nearest.h", "analyze.h", "specialize.h", "sha256.h"),
    "engine.c",
)
#: Ziglang's flag for code that uses all that this processor has.
_NATIVE = "-mcpu=native"
#: Lines of /proc/cpuinfo that tell apart processors that understand different code.
_TELLING = ("model name", "flags", "Features", "CPU implementer", "CPU part")
_FLAGS = (
    *("-std=c11", "-O3", "-g0", "-fPIC", "-shared"),
    "-fwrapv",  # sums may leave 64 bits on the way
    "-fno-tree-slp-vectorize",  # a quarter of the compiler's time; as fast without
    *("-ffreestanding", "-fno-stack-protector"),
    *(() if sys.platform == "darwin" else ("-nostdlib",)),  # there a library must have libSystem
)
#: Set when the process ends: nothing is compiled any more.
ending = threading.Event()
#: Compilers at work, which end with this process.
_RUNNING: "set[subprocess.Popen[bytes]]" = set()
#: One thread compiles the engine of decoders; others wait, and load what it has compiled.
_LOADING = threading.Lock()
_MISSING = "no C compiler found; pip install ziglang"
_Compiler = tuple[str, ...]


def begin() -> None:
    """Load the engine of decoders, or compile it, beside what the caller does next."""

    def work() -> None:
        with suppress(EngineUnavailable):  # whoever needs the engine is told
            library()

    threading.Thread(target=work, daemon=True).start()


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """The engine of decoders; raises `EngineUnavailable` if it cannot be compiled."""
    with _LOADING:
        return _declared(_loaded("engine", _SOURCES, _FLAGS), "transputer", _FUNCTIONS)


@lru_cache(maxsize=2)
def looped_library(bits: int) -> ctypes.CDLL:
    """The engine of looped models, for numbers of 32 or 64 bits; raises as `library` does."""
    loaded = _loaded("looped", _LOOPED_SOURCES, (*_FLAGS, f"-DNUMBER=int{bits}_t"))
    return _declared(loaded, "looped", _LOOPED_FUNCTIONS)


def _loaded(name: str, sources: _Sources, flags: tuple[str, ...]) -> ctypes.CDLL:
    """The library of C files, of which the last is compiled and includes the others."""
    seen = hashlib.sha256()
    for source in sources:
        seen.update((_HERE / source).read_bytes())
    return compiled("native", name, _HERE / sources[-1], flags, seen.digest())


def compiled(
    engine: str,
    name: str,
    source: Path | str | Callable[[], str],
    flags: tuple[str, ...],
    content: bytes,
    own: bool = False,
) -> ctypes.CDLL:
    """Load the library that a C file, or a text, compiles to; it is compiled once.

    `content` stands for everything that the compiler reads; a text that is a function is made only
    where it has to be compiled. Code of its `own` uses all that this processor has, where we know
    which one it is. Raises `EngineUnavailable` if no compiler does it.
    """
    problems = []
    for compiler in compilers(own):
        entry = _entry(engine, name, flags, content, compiler)
        library = entry.get(_load)
        if library is not None:
            return library
        if callable(source):
            source = source()
        try:
            binary = _compile((*compiler, *flags), source)
            library = _load(binary)
        except _CompilerError as problem:
            problems.append(str(problem))
        else:
            entry.write(binary)
            return library
    raise EngineUnavailable(f"{engine}: {problems[0] if problems else _MISSING}")


def from_cache(
    engine: str, name: str, flags: tuple[str, ...], content: bytes, own: bool = False
) -> ctypes.CDLL | None:
    """Load the library that `compiled` compiled before, if the cache has it."""
    for compiler in compilers(own):
        library = _entry(engine, name, flags, content, compiler).get(_load)
        if library is not None:
            return library
    return None


def _entry(
    engine: str, name: str, flags: tuple[str, ...], content: bytes, compiler: _Compiler
) -> cache.Entry:
    here = platform.machine(), processor() if _NATIVE in compiler else "", sys.platform
    return cache.entry(engine, name, content, flags, compiler, *here, most=MOST)


@lru_cache(maxsize=1)
def processor() -> str:
    """What the system says that this processor is and has; nothing where it does not say."""
    with suppress(OSError):
        first = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
        lines = [line.partition(":") for line in first.splitlines()]
        return "; ".join(text for name, _, text in lines if name.strip() in _TELLING)
    return ""


def compilers(own: bool = False) -> list[_Compiler]:
    """The C compilers that are here, best first: ziglang's, then the system's.

    Ziglang's uses what every processor of this kind has, or what this one has for code of its
    `own`.
    """
    kind = _NATIVE if own and processor() else "-mcpu=baseline"
    commands: list[_Compiler] = []
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        commands.append((str(Path(spec.origin).with_name("zig")), "cc", kind))
    system = (shutil.which(name) for name in ("cc", "gcc", "clang"))
    return commands + [(path,) for path in system if path]


class _CompilerError(Exception):
    """A compiler that does not start or does not accept the source, or a library that no
    folder lets us load."""


def _load(binary: bytes) -> ctypes.CDLL:
    """Load a library from a copy of its own, so that what was checked is what runs.

    A folder may be read-only or forbid programs; the user's cache is tried first.
    """
    problems = []
    for place in (cache.folder(), Path(tempfile.gettempdir())):
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(
                dir=place, prefix="load-", ignore_cleanup_errors=True
            ) as folder:
                path = Path(folder, "library.so")
                path.write_bytes(binary)
                return ctypes.CDLL(str(path))
        except OSError as problem:
            problems.append(f"{place}: {problem.strerror or problem}")
    raise _CompilerError(problems[0])


@atexit.register
def stop_compilers() -> None:
    """Kill the compilers at work, because the process ends."""
    ending.set()
    for process in [*_RUNNING]:
        process.kill()


def _compile(command: tuple[str, ...], source: Path | str) -> bytes:
    """Compile a C file or a text; raises `_CompilerError`."""
    import subprocess  # slow to import, and rarely needed

    if ending.is_set():
        raise _CompilerError("the process ends")
    with tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "library.so")
        if isinstance(source, str):
            text, source = source, Path(folder, "program.c")
            source.write_text(text)
        caches = {"ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder}
        try:
            process = subprocess.Popen(
                [*command, str(source), "-o", str(path)],
                env={**os.environ, **caches},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as problem:
            raise _CompilerError(f"{command[0]} does not start: {problem}") from None
        _RUNNING.add(process)
        try:
            _, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise _CompilerError(f"{command[0]} took more than {TIMEOUT:g} s") from None
        finally:
            _RUNNING.discard(process)
        if process.returncode or not path.is_file():
            said = errors.decode(errors="replace").strip().splitlines() or ["no message"]
            raise _CompilerError(f"{command[0]} does not compile the engine: {said[0]}")
        return path.read_bytes()


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
    ("replace", _NUMBER, (_POINTER, _POINTER)),
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
