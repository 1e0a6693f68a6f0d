"""The zig program of the `ziglang` package, and how it is run: its caches, its end."""

import importlib.metadata
import importlib.util
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from transputer.errors import EngineUnavailable

#: Seconds after which the compiler is stopped.
TIMEOUT = 120.0
#: The same where the C library has to be built first.
LIBRARY_TIMEOUT = 900.0


class TooSlow(Exception):
    """The compiler did not end in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the compiler took more than {seconds:g} s")


def zig() -> str:
    """The zig program, run directly so that stopping it stops it."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise EngineUnavailable("no C compiler found; pip install ziglang")
    return str(Path(spec.origin).with_name("zig"))


def version() -> str:
    """The version of the `ziglang` package."""
    return importlib.metadata.version("ziglang")


def cache(name: str) -> Path | None:
    """A folder of ours in the user's cache; None where there is no such place."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(root, "transputer", name)
    if not folder.is_absolute():
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def environment(scratch: Path) -> Mapping[str, str]:
    """Ours, with zig's caches placed.

    Objects of the user's program go to `scratch`: from a cache, zig repeats no warnings. What
    zig builds for itself, the C library above all, stays in the user's cache.
    """
    kept = {k: v for k, v in os.environ.items() if k not in ("CLICOLOR_FORCE", "YES_COLOR")}
    shared = cache("zig") or scratch
    caches = {"ZIG_LOCAL_CACHE_DIR": str(scratch), "ZIG_GLOBAL_CACHE_DIR": str(shared)}
    return kept | caches | {"NO_COLOR": "1"}


def run(
    command: Sequence[str], scratch: Path, timeout: float, *, errors: bool = True
) -> tuple[int, bytes]:
    """Exit code and output, stderr included where wanted. However this ends, no process is left."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            env=environment(scratch),
            start_new_session=True,
        )
    except OSError as problem:
        advice = "reinstall it with: pip install --force-reinstall ziglang"
        raise EngineUnavailable(f"zig does not start ({problem.strerror}); {advice}") from None
    with process:
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise TooSlow(timeout) from None
        finally:
            _end(process)
    return process.returncode, said


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the compiler and what it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
