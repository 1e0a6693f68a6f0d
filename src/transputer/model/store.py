"""What takes seconds to derive, kept in the user's cache: the universal model, and facts on it.

Everything kept is a function of the sources of this package (`fingerprint`) and, for facts, of
the bytes of the model that they are about. An entry carries the SHA-256 of its contents; one
that is damaged, missing or of other sources is made again. Nothing is ever refused because of a
checksum, and a model whose bytes changed has no facts: its bounds are derived again.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from transputer.errors import TransputerError
from transputer.model.file import from_bytes, to_bytes
from transputer.model.tensors import Model
from transputer.model.verify import verify

Facts = dict[str, NDArray[Any]]
#: Entries that are kept; the oldest go first.
MOST = 24
_ROOT = Path(__file__).parents[1]
_DIGEST = hashlib.sha256().digest_size
#: Models that came through the store: their objects, and the SHA-256 of their bytes.
_kept: dict[int, tuple[Model, str]] = {}


def kept_model(name: str, make: Callable[[], Model]) -> Model:
    """The model that `make` builds and verifies, from the cache if it is there and verifies."""
    entry = _Entry(f"model-{name}-{fingerprint()}")
    contents = entry.read()
    if contents is not None:
        with suppress(TransputerError):
            held = from_bytes(contents)
            if isinstance(held, Model):
                return _noted(held, contents)
    model = make()
    contents = to_bytes(model)
    entry.write(contents)
    return _noted(model, contents)


def _noted(model: Model, contents: bytes) -> Model:
    """A model whose facts are kept from now on; the first of them is that its bounds hold."""
    _kept[id(model)] = model, hashlib.sha256(contents).hexdigest()
    try:
        derived(model, "bounds", lambda: _largest(model))
    except TransputerError:
        del _kept[id(model)]
        raise
    return model


def derived(model: Model, name: str, make: Callable[[], Mapping[str, NDArray[Any]]]) -> Facts:
    """What `make` derives from a model: kept for models of `kept_model`, made for all others."""
    if id(model) not in _kept:
        return dict(make())
    entry = _Entry(f"{name}-{_kept[id(model)][1][:32]}-{fingerprint()}")
    contents = entry.read()
    if contents is not None:
        with suppress(SafetensorError):
            return from_safetensors(contents)
    made = dict(make())
    entry.write(to_safetensors(made))
    return made


@cache
def fingerprint() -> str:
    """Of everything that decides what is derived: our sources, Python and NumPy."""
    seen = hashlib.sha256(f"{sys.version} {np.__version__} {sys.byteorder}".encode())
    for path in sorted(_ROOT.rglob("*.py")):
        seen.update(f"{path.relative_to(_ROOT)} {path.stat().st_size} ".encode())
        seen.update(path.read_bytes())
    return seen.hexdigest()[:32]


def cache_folder() -> Path:
    """Where this package keeps what can be made again."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(root, "transputer")


def _largest(model: Model) -> Facts:
    found = verify(model).largest
    return {kind: np.array([number], dtype=np.int64) for kind, (number, _) in found.items()}


class _Entry:
    """A file of the cache: a SHA-256, then what it is of. Without a cache, nothing is kept."""

    def __init__(self, name: str) -> None:
        self.folder = cache_folder() / "derived"
        self.path = self.folder / name

    def read(self) -> bytes | None:
        try:
            held = self.path.read_bytes()
        except OSError:
            return None
        contents = held[_DIGEST:]
        return contents if hashlib.sha256(contents).digest() == held[:_DIGEST] else None

    def write(self, contents: bytes) -> None:
        """Written next to its place and moved there whole; a full disk is no error."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            number, made = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(hashlib.sha256(contents).digest() + contents)
                os.replace(made, self.path)
            except BaseException:
                os.unlink(made)
                raise
            self._prune()

    def _prune(self) -> None:
        files = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in files[:-MOST]:
            path.unlink()
