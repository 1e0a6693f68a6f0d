"""Run the zig program of the `ziglang` package, with our caches and a time limit."""

import hashlib
import importlib.util
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from transputer import cache as user_cache
from transputer.errors import EngineUnavailable

if TYPE_CHECKING:  # a program that was compiled before needs no compiler
    import subprocess

#: Time limit of the compiler, in seconds.
TIMEOUT = 120.0
#: Time limit if the C library has to be built first, in seconds.
LIBRARY_TIMEOUT = 900.0
#: The file that describes a C library, in its folder.
LIBC = "libc.txt"
#: A link in that folder to the compiler's own library, if it is not the one that comes with it.
LIBRARY = "zig"
#: The names of the files that say which libraries zig has built begin so.
MARK = "libraries-"


class CompilerTimeout(Exception):
    """The compiler exceeded its time limit."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the compiler took more than {seconds:g} s")


def zig() -> str:
    """Return the path of the zig program itself, so that killing its process stops it."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise EngineUnavailable("no C compiler found; pip install ziglang")
    return str(Path(spec.origin).with_name("zig"))


def library() -> Path:
    """Return the folder of the sources and headers that come with zig."""
    return Path(zig()).parent / "lib"


def version() -> str:
    """Return the version of the `ziglang` package."""
    package = Path(zig()).parent
    for folder in package.parent.glob(f"{package.name}-*.dist-info"):
        return folder.name.removesuffix(".dist-info").removeprefix(f"{package.name}-")
    from importlib.metadata import version as installed  # slow to import

    return installed("ziglang")


def identity() -> tuple[str, ...]:
    """Return what changes when the compiler is installed again; nothing without a compiler."""
    program = zig()
    try:
        return version(), program, str(Path(program).stat().st_mtime_ns)
    except OSError:
        return ()


def cache(name: str) -> Path | None:
    """Return our folder `name` in the user's cache; None if there is no writable cache."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(root, "transputer", name)
    if not folder.is_absolute():
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def note_libraries(mark: Path) -> None:
    """Write the digests of the libraries that zig has built to a file beside them.

    Not while another compiler is at work, which may have written half of one.
    """
    with suppress(OSError), user_cache.alone(mark.parent) as unused:
        if unused:
            digests = {str(path): _sha256(path) for path in mark.parent.glob("o/*/*.a")}
            part = mark.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(digests))
            part.replace(mark)


def intact(mark: Path) -> bool:
    """Return whether the libraries that `note_libraries` noted are what they were."""
    try:
        digests = json.loads(mark.read_text())
        return all(_sha256(Path(path)) == digest for path, digest in digests.items())
    except (OSError, ValueError):
        return False


def damaged() -> bool:
    """Return whether a library that zig has built is not what it was."""
    folder = cache("zig")
    marks = [] if folder is None else [m for m in folder.glob(f"{MARK}*") if not m.suffix]
    return not all(map(intact, marks))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def clear() -> bool:
    """Delete zig's own cache; return False, with nothing deleted, while a compiler uses it."""
    folder = cache("zig")
    return folder is None or user_cache.clear(folder)


def environment(scratch: Path, libc: Path | None = None) -> Mapping[str, str]:
    """Return our environment variables with zig's cache directories and C library set.

    Objects of the user's program go to `scratch`, because zig does not repeat warnings of cached
    objects. What zig builds for itself, mainly the C library, goes to the user's cache.
    """
    inherited = {k: v for k, v in os.environ.items() if k not in ("CLICOLOR_FORCE", "YES_COLOR")}
    shared = cache("zig") or scratch
    caches = {"ZIG_LOCAL_CACHE_DIR": str(scratch), "ZIG_GLOBAL_CACHE_DIR": str(shared)}
    own = {} if libc is None else {"ZIG_LIBC": str(libc / LIBC)}
    if libc is not None and (libc / LIBRARY).exists():
        own["ZIG_LIB_DIR"] = os.path.realpath(libc / LIBRARY)
    return inherited | caches | own | {"NO_COLOR": "1"}


def run(
    command: Sequence[str],
    scratch: Path,
    timeout: float,
    *,
    errors: bool = True,
    libc: Path | None = None,
) -> tuple[int, bytes]:
    """Return exit code and output, with stderr if `errors`. Never leaves a process behind.

    `libc` is a folder with a C library to link instead of zig's own, and its description (`zig
    libc`); zig then runs there.
    """
    import subprocess  # slow to import, and rarely needed

    # zig waits forever for a folder that is gone
    with user_cache.used(cache("zig")):
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
                env=environment(scratch, libc),
                cwd=libc,
                start_new_session=True,
            )
        except OSError as problem:
            advice = "reinstall it with: pip install --force-reinstall ziglang"
            raise EngineUnavailable(f"zig failed to start ({problem.strerror}); {advice}") from None
        with process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                raise CompilerTimeout(timeout) from None
            finally:
                _kill(process)
    return process.returncode, output


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill the compiler and its children if they are still running."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
