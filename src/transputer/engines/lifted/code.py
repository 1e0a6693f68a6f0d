"""C text as a function: compiled, cached by content, loaded with ctypes."""

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from transputer.engines.native.compile import TIMEOUT, compilers
from transputer.errors import EngineUnavailable

_FLAGS = (
    *("-std=gnu11", "-fPIC", "-shared", "-fwrapv", "-w"),
    *("-ffreestanding", "-fno-stack-protector", "-nostdlib"),
)
#: Beyond so much text optimising takes longer than it saves.
LARGE = 4_000_000


def load(text: str, record: bool = False) -> ctypes.CDLL:
    """The library that a text compiles to; `EngineUnavailable` where nothing compiles it."""
    level = "-O1" if record or len(text) < LARGE else "-O0"
    flags = (*_FLAGS, level)
    problem = "no C compiler found; pip install ziglang"
    for compiler in compilers():
        name = hashlib.sha256(repr((text, flags, compiler)).encode()).hexdigest()[:32]
        for folder in _folders():
            path = folder / f"program-{name}.so"
            try:
                if not path.is_file():
                    _compile((*compiler, *flags), text, path)
                return ctypes.CDLL(str(path))
            except (OSError, subprocess.SubprocessError) as error:
                problem = str(error)
    raise EngineUnavailable(f"lifted: {problem}")


def _folders() -> Iterator[Path]:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    yield Path(root, "transputer", "lifted")
    yield Path(_scratch().name)


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="transputer-lifted-", ignore_cleanup_errors=True)


def _compile(command: tuple[str, ...], text: str, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="build-") as folder:
        source, made = Path(folder, "program.c"), Path(folder, "program.so")
        source.write_text(text)
        place = {"ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder}
        subprocess.run(
            [*command, str(source), "-o", str(made)],
            env={**os.environ, **place},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
        )
        os.replace(made, path)
