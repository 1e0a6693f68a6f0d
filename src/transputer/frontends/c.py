"""Freestanding C, through the clang that the `ziglang` package brings.

A program has no C library: it has `transputer.h` (read a byte, write a byte, exit) and the
compiler's own headers. Every function that is not `static` is exported.
"""

import importlib.util
import logging
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from transputer.errors import EngineUnavailable, SourceError, UsageError
from transputer.frontends.source import PathLike, require_file

#: Seconds after which the compiler is stopped.
TIMEOUT = 120.0

_HERE = Path(__file__).parent
_FLAGS = (
    *("-target", "wasm32-freestanding"),
    "-mcpu=mvp",  # no instruction that WebAssembly 1.0 lacks
    *("-mllvm", "-combiner-store-merging=false"),  # no 64-bit store for two of 32 bits
    "-nostdlib",  # no C library; `freestanding.c` has the four functions clang calls unasked
    *("-fvisibility=default", "-Wl,--export-dynamic"),  # export what is not static
    "-Wl,--no-entry",  # a program may have no main
    *("-g", "-g0"),  # zig hears -g and keeps the name section; clang hears -g0: no DWARF
    "-fno-sanitize=undefined",  # zig adds it at -O0; its run-time part does not exist here
    "-fspell-checking",  # "did you mean", which zig turns off
    *("-I", str(_HERE / "include")),
)

# The linker names our temporary objects: `wasm-ld: error: /tmp/x/o/<hash>/gcd.o: undefined …`
_OBJECT = re.compile(r"^wasm-ld: (\w+): .*/o/[0-9a-f]{32}/[^/\n]*\.o: ", re.MULTILINE)
_LIBRARY = re.compile(
    r"undefined symbol: |'(assert|ctype|math|stdio|stdlib|string|time)\.h' file not found"
)
_NOTE = "note: this is freestanding C, without a C library; transputer.h has input and output\n"

_log = logging.getLogger(__name__)


class CompileError(SourceError):
    """The C compiler refused the program; the message is what it said, as it said it."""

    def in_file(self, file: str) -> "CompileError":
        """The same error: the compiler has named the files."""
        return self


def compile_c(
    path: PathLike,
    *,
    opt: str = "-Os",
    includes: Sequence[PathLike] = (),
    defines: Sequence[str] = (),
    flags: Sequence[str] = (),
) -> bytes:
    """The WebAssembly module of a C file, with a name section and without debug information.

    `flags` come last and so override ours. Warnings are logged. A program that does not
    compile is a `CompileError`, a file that cannot be read a `UsageError`, a missing
    compiler `EngineUnavailable`.
    """
    require_file(path)
    options = [opt, *(f"-I{os.fspath(i)}" for i in includes), *(f"-D{d}" for d in defines), *flags]
    inputs = ["-x", "c", _operand(path), str(_HERE / "freestanding.c")]
    try:
        scratch = tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True)
    except OSError as problem:
        raise UsageError(f"no temporary directory to compile in: {problem.strerror}") from None
    with scratch as folder:
        output = Path(folder, "program.wasm")
        command = [_zig(), "cc", *_FLAGS, *options, *inputs, "-o", str(output)]
        code, said = _run(command, _environment(Path(folder)), os.fspath(path))
        said = _diagnostics(said, os.fspath(path))
        if code or not output.is_file():
            raise CompileError(said or f"{os.fspath(path)}: the compiler wrote no module")
        if said:
            _log.warning("%s", said)
        return output.read_bytes()


def _operand(path: PathLike) -> str:
    """A path that the compiler takes neither for an option nor for a response file."""
    name = os.fspath(path)
    return os.path.join(".", name) if name.startswith(("-", "@")) else name


def _zig() -> str:
    """The zig program, run directly so that stopping it stops it."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise EngineUnavailable("no C compiler found; pip install ziglang")
    return str(Path(spec.origin).with_name("zig"))


def _environment(scratch: Path) -> Mapping[str, str]:
    """Ours, with zig's caches placed.

    Objects of the user's program go to `scratch`: from a cache, zig repeats no warnings.
    """
    kept = {k: v for k, v in os.environ.items() if k not in ("CLICOLOR_FORCE", "YES_COLOR")}
    caches = {"ZIG_LOCAL_CACHE_DIR": str(scratch), "ZIG_GLOBAL_CACHE_DIR": str(_cache(scratch))}
    return kept | caches | {"NO_COLOR": "1"}


def _cache(scratch: Path) -> Path:
    """Where zig keeps what it builds for itself; `scratch` where the user has no such place."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(root, "transputer", "zig")
    if not folder.is_absolute():
        return scratch
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return scratch
    return folder if os.access(folder, os.W_OK) else scratch


def _run(command: Sequence[str], environment: Mapping[str, str], name: str) -> tuple[int, str]:
    """Exit code and what was said. However this ends, no process is left behind."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    except OSError as problem:
        advice = "reinstall it with: pip install --force-reinstall ziglang"
        raise EngineUnavailable(f"zig does not start ({problem.strerror}); {advice}") from None
    with process:
        try:
            said, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            raise CompileError(f"{name}: the compiler took more than {TIMEOUT:g} s") from None
        finally:
            _end(process)
    return process.returncode, said.decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the compiler and what it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _diagnostics(said: str, name: str) -> str:
    """What clang and the linker said, with our temporary names replaced by the user's."""
    said = _OBJECT.sub(lambda m: f"{name}: {m[1]}: ", said)
    said = re.sub(r"^zig: ", "clang: ", said, flags=re.MULTILINE)
    return (said + _NOTE if _LIBRARY.search(said) else said).rstrip("\n")
