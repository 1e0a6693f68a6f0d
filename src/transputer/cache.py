"""The user's cache: files with what can be derived again, each bound to what it was derived from.

An entry is named by its inputs: the weights, the text or whatever else `entry` is given, and the
source code that derives it (`code`). Its file starts with a seal, an HMAC-SHA256 of the contents
under a hash of those inputs. A file that was damaged, edited, exchanged with another one or
derived by other code has a wrong seal, and is derived again.

The seal is no secret: whoever can write the user's files and reads this module can forge one,
but could as well change the package. It guards against damage and edits, not against the user.
"""

import fcntl
import hashlib
import hmac
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np

from transputer.values import dataclass

T = TypeVar("T")

_log = logging.getLogger("transputer")
_ROOT = Path(__file__).parent
#: Kinds of files that sources read and translate.
_TEXTS = {".c", ".h", ".wat"}
#: Nanoseconds after which a file that changes has another time.
_SETTLED = 10**9
#: A file of a folder that processes lock while they use it.
_LOCK = "lock"
_SEAL = hashlib.sha256().digest_size
#: Any mention of a module of ours, and the names that are imported from it.
_MENTION = re.compile(r"transputer((?:\.\w+)*)(?:\s+import\s+(\([^)]*\)|[^\n]*))?")


def folder() -> Path:
    """The folder of this package in the user's cache. A relative `XDG_CACHE_HOME` is none."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    return Path(root if os.path.isabs(root) else os.path.expanduser("~/.cache"), "transputer")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache. Its folder keeps the `most` files used last; 0 keeps all."""

    path: Path
    key: bytes
    most: int

    def read(self) -> bytes | None:
        """Return the contents; None if there is no such file or its seal is wrong."""
        try:
            data = self.path.read_bytes()
            os.utime(self.path)
        except OSError:
            return None
        contents = data[_SEAL:]
        if hmac.compare_digest(data[:_SEAL], self._seal(contents)):
            return contents
        _log.warning("%s is damaged; deriving it again", self.path)
        self._forget()
        return None

    def write(self, contents: bytes) -> None:
        """Replace the file in one move. If the disk is full or read-only, nothing is written."""
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            number, name = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(self._seal(contents) + contents)
                os.replace(name, self.path)
            except BaseException:
                os.unlink(name)
                raise
            if self.most:
                _prune(self.path.parent, self.most)

    def get(self, load: Callable[[bytes], T]) -> T | None:
        """Return what `load` makes of the contents; None if there are none or it cannot."""
        contents = self.read()
        if contents is None:
            return None
        try:
            return load(contents)
        except Exception as error:  # a file never ends a run: its contents are derived again
            _log.warning("%s does not load (%r); deriving it again", self.path, error)
            self._forget()
            return None

    def _forget(self) -> None:
        """Delete the file, so that it is complained of once."""
        with suppress(OSError):
            self.path.unlink()

    def _seal(self, contents: bytes) -> bytes:
        return hmac.digest(self.key, contents, "sha256")


def entry(room: str, name: str, *inputs: object, most: int = 0) -> Entry:
    """The entry `name` of the subfolder `room`, for values whose repr decides its contents."""
    key = hashlib.sha256(repr((room, name, inputs)).encode()).digest()
    return Entry(folder() / room / f"{name}-{key.hex()[:32]}", key, most)


def open_room(room: str, most: int) -> None:
    """Note that a subfolder is used; of those beside it, the `most` used last remain."""
    where = folder() / room
    with suppress(OSError):
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(where)
        _prune(where.parent, most)


@contextmanager
def used(where: Path | None) -> Iterator[None]:
    """Keep a folder from being cleared meanwhile, where the file system has locks."""
    with ExitStack() as stack:
        if where is not None:
            with suppress(OSError):
                lock = stack.enter_context(open(where / _LOCK, "a"))
                fcntl.flock(lock, fcntl.LOCK_SH)
        yield


@contextmanager
def alone(where: Path) -> Iterator[bool]:
    """Keep a folder from being used meanwhile; False where it is `used`, as far as locks tell."""
    unused = True
    with open(where / _LOCK, "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            unused = False
        except OSError:
            pass  # the file system has no locks
        yield unused


def clear(where: Path) -> bool:
    """Delete a file or a folder; return False, with nothing deleted, while it is `used`."""
    if where.is_symlink() or not where.is_dir():
        where.unlink(missing_ok=True)
    elif not (where / _LOCK).exists():
        shutil.rmtree(where, ignore_errors=True)
    else:
        with alone(where) as unused:
            if unused:
                shutil.rmtree(where, ignore_errors=True)
            return unused
    return True


def _prune(where: Path, most: int) -> None:
    """Delete all but the `most` files and folders of a folder that were used last."""
    with suppress(OSError):
        items = sorted(where.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in items[:-most]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


@cache
def code(module: str) -> str:
    """SHA-256 of `texts` of a module, and of the versions of Python and NumPy."""
    versions = f"{sys.version} {sys.byteorder} {np.__version__} {texts(module)}"
    return hashlib.sha256(versions.encode()).hexdigest()


def texts(module: str) -> str:
    """SHA-256 of the sources of a module and of all modules of ours that it depends on.

    The C and WebAssembly texts beside the sources count too. Whatever looks like an import counts
    as one, even in a comment. The cache keeps the digest with the stamps of all files and folders
    that were read; if these are the same, they are not read again.
    """
    known = entry("sources", module.rpartition(".")[2], module, str(_ROOT))
    digest, stamps = known.get(json.loads) or ("", {})
    if digest and all(_stamp(path) == stamp for path, stamp in stamps.items()):
        return str(digest)
    begun, paths = time.time_ns(), sources(module)
    folders = sorted({path.parent for path in paths})
    stamps = {str(path): _stamp(path) for path in folders}
    files = (*paths, *chain.from_iterable(map(_texts, folders)))
    seen = hashlib.sha256()
    for path in files:
        stamp, text = _text(path)
        stamps[str(path)] = stamp
        seen.update(f"{path.name} {len(text)} ".encode())
        seen.update(text)
    if all(max(stamp[-2:]) < begun - _SETTLED for stamp in stamps.values()):
        known.write(json.dumps((seen.hexdigest(), stamps)).encode())
    return seen.hexdigest()


def _stamp(path: str | Path) -> list[int]:
    """What changes when a file is written or replaced, or a file comes into a folder or goes."""
    try:
        state = os.stat(path)
    except OSError:
        return []
    return [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]


def sources(module: str) -> list[Path]:
    """The file of a module, and the files of this package that it imports, directly or not.

    The module is one of ours, or it is loaded. The package's own `__init__` does not count: it
    gathers everything.
    """
    todo, seen = [_file(module)], set[Path]()
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += _imported(path)
    return sorted(seen)


def _file(module: str) -> Path:
    if module in sys.modules:
        start = sys.modules[module].__file__
        assert start is not None, f"{module} has no source file"
        return Path(start)
    return _files(*module.split(".")[1:])[0]


@cache
def _texts(where: Path) -> list[Path]:
    """The files of a folder in C and WebAssembly."""
    return sorted(path for path in where.iterdir() if path.suffix in _TEXTS)


@cache
def _text(path: Path) -> tuple[list[int], bytes]:
    """The stamp and the contents of a file."""
    return _stamp(path), path.read_bytes()


@cache
def _imported(path: Path) -> list[Path]:
    """The files of this package that a file imports."""
    found = []
    for dotted, names in set(_MENTION.findall(_text(path)[1].decode())):
        parts = dotted.split(".")[1:]
        for i in range(len(parts)):
            found += _files(*parts[: i + 1])
        for name in re.findall(r"\w+", names):
            found += _files(*parts, name)
    return found


@cache
def _files(*parts: str) -> list[Path]:
    """The file of a module, if there is such a module."""
    path = os.path.join(_ROOT, *parts)
    return [Path(file) for file in (f"{path}.py", f"{path}/__init__.py") if os.path.isfile(file)]
