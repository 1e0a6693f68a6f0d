"""Models that come with the package, so that nobody has to wait for them to be built.

A file is named by the model, by the sources that build it and by the SHA-256 of its contents. If a
source changes, no file has its name, and the model is built; an edited file is refused. It begins
with the digest of the model, which takes longer than reading it.
"""

import hashlib
import logging
import lzma
from pathlib import Path
from typing import NamedTuple

from transputer import cache

_log = logging.getLogger("transputer")
_SUFFIX = ".model"
#: Hexadecimal digits of each digest in a name.
_LONG = 32


class Shipped(NamedTuple):
    """The bytes of a model, and its digest."""

    contents: bytes
    digest: str


def shipped(folder: Path, name: str, module: str) -> Shipped | None:
    """Return the model that `module` builds; None unless its sources are the same."""
    for path in sorted(folder.glob(f"{name}-{cache.texts(module)[:_LONG]}-*{_SUFFIX}")):
        packed = path.read_bytes()
        if path.name == _name(name, module, packed):
            digest, _, rest = packed.partition(b"\n")
            return Shipped(lzma.decompress(rest), digest.decode())
        _log.warning("%s: other contents than its name says; the model is built again", path.name)
    return None


def write_shipped(folder: Path, name: str, module: str, model: Shipped) -> Path:
    """Write the file of a model in place of earlier ones."""
    packed = model.digest.encode() + b"\n" + lzma.compress(model.contents)
    folder.mkdir(exist_ok=True)
    for path in folder.glob(f"{name}-*{_SUFFIX}"):
        path.unlink()
    path = folder / _name(name, module, packed)
    path.write_bytes(packed)
    return path


def _name(name: str, module: str, packed: bytes) -> str:
    contents = hashlib.sha256(packed).hexdigest()
    return f"{name}-{cache.texts(module)[:_LONG]}-{contents[:_LONG]}{_SUFFIX}"
