"""Models that come with the package, so that nobody has to wait for them to be built.

A file is named by the model, by the sources that build it and by the SHA-256 of its contents. If a
source changes, no file has its name, and the model is built; an edited file is refused.
"""

import hashlib
import logging
import lzma
from pathlib import Path

from transputer import cache

_log = logging.getLogger("transputer")
_SUFFIX = ".model"
#: Hexadecimal digits of each digest in a name.
_LONG = 32


def shipped_bytes(folder: Path, name: str, module: str) -> bytes | None:
    """Return the bytes of the model that `module` builds; None unless its sources are the same."""
    for path in sorted(folder.glob(f"{name}-{cache.texts(module)[:_LONG]}-*{_SUFFIX}")):
        packed = path.read_bytes()
        if path.name == _name(name, module, packed):
            return lzma.decompress(packed)
        _log.warning("%s: other contents than its name says; the model is built again", path.name)
    return None


def write_shipped(folder: Path, name: str, module: str, contents: bytes) -> Path:
    """Write the file of a model in place of earlier ones."""
    packed = lzma.compress(contents)
    folder.mkdir(exist_ok=True)
    for path in folder.glob(f"{name}-*{_SUFFIX}"):
        path.unlink()
    path = folder / _name(name, module, packed)
    path.write_bytes(packed)
    return path


def _name(name: str, module: str, packed: bytes) -> str:
    contents = hashlib.sha256(packed).hexdigest()
    return f"{name}-{cache.texts(module)[:_LONG]}-{contents[:_LONG]}{_SUFFIX}"
