"""Models that come with the package, so that nobody has to wait for them to be built.

A file is named by the model, by the sources that build it and by the SHA-256 of its contents. If a
source changes, no file has its name, and the model is built; an edited file is refused. Facts that
take longer to derive than to read come with the model: its digest, its bounds, the native plan.
"""

import hashlib
import json
import logging
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from transputer import cache

_log = logging.getLogger("transputer")
_SUFFIX = ".model"
#: Hexadecimal digits of each digest in a name.
_LONG = 32


class ShippedFact(NamedTuple):
    """What a module derived from a model, in bytes, and the digest of the sources that did."""

    module: str
    texts: str
    contents: bytes


class Shipped(NamedTuple):
    """The bytes of a model, and facts about it by name: those whose sources are the same."""

    contents: bytes
    facts: Mapping[str, ShippedFact]


def shipped(folder: Path, name: str, module: str) -> Shipped | None:
    """Return the model that `module` builds; None unless its sources are the same."""
    for path in sorted(folder.glob(f"{name}-{cache.texts(module)[:_LONG]}-*{_SUFFIX}")):
        packed = path.read_bytes()
        if path.name == _name(name, module, packed):
            header, _, rest = packed.partition(b"\n")
            return _unpacked(json.loads(header), lzma.decompress(rest))
        _log.warning("%s: other contents than its name says; the model is built again", path.name)
    return None


def _unpacked(header: dict[str, tuple[str, str, int]], contents: bytes) -> Shipped:
    facts, at = {}, 0
    for name, (module, texts, size) in header.items():
        if texts == cache.texts(module):
            facts[name] = ShippedFact(module, texts, contents[at : at + size])
        at += size
    return Shipped(contents[at:], facts)


def write_shipped(folder: Path, name: str, module: str, model: Shipped) -> Path:
    """Write the file of a model in place of earlier ones."""
    header = {key: (f.module, f.texts, len(f.contents)) for key, f in model.facts.items()}
    contents = b"".join([*(f.contents for f in model.facts.values()), model.contents])
    packed = json.dumps(header).encode() + b"\n" + lzma.compress(contents)
    folder.mkdir(exist_ok=True)
    for path in folder.glob(f"{name}-*{_SUFFIX}"):
        path.unlink()
    path = folder / _name(name, module, packed)
    path.write_bytes(packed)
    return path


def _name(name: str, module: str, packed: bytes) -> str:
    contents = hashlib.sha256(packed).hexdigest()
    return f"{name}-{cache.texts(module)[:_LONG]}-{contents[:_LONG]}{_SUFFIX}"
