"""The user's cache of the universal model and of facts derived from it, which take seconds.

An entry is bound to the code that builds it; facts are also bound to the bytes of their model. A
model that does not verify is built again, and a model with other weights has other facts.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from transputer import cache
from transputer.errors import TransputerError
from transputer.model.file import from_cache, to_bytes
from transputer.model.shipped import shipped
from transputer.model.tensors import Model, digest

Facts = dict[str, NDArray[Any]]
#: Largest number of entries; the least recently used are dropped.
MOST = 24
_ROOM = "derived"
#: Models from the cache, with the SHA-256 of their bytes.
_known: dict[int, tuple[Model, str]] = {}


def cached_model(name: str, build: Callable[[], Model], where: Path | None = None) -> Model:
    """Return the model that `build` builds, from the cache or the folder `where` if it is there.

    Wherever it comes from, it is verified.
    """

    def load(contents: bytes) -> Model:
        return _register(from_cache(contents), contents)

    entry = cache.entry(_ROOM, f"model-{name}", cache.code(build.__module__), most=MOST)
    model = entry.get(load)
    if model is None:
        ready = where and shipped(where, name, build.__module__)
        model = from_cache(ready.contents) if ready else build()
        contents = ready.contents if ready else to_bytes(model)
        entry.write(contents)
        model = _register(model, contents)
        if ready:
            facts(model, "digest", digest.__module__, lambda: _stored(ready.digest))
    return model


def _register(model: Model, contents: bytes) -> Model:
    """Return the model after verifying its bounds; its facts are cached from now on."""
    _known[id(model)] = model, hashlib.sha256(contents).hexdigest()
    try:
        facts(model, "bounds", "transputer.model.verify", lambda: _largest(model))
    except TransputerError:
        del _known[id(model)]
        raise
    return model


def facts(
    model: Model, name: str, module: str, derive: Callable[[], Mapping[str, NDArray[Any]]]
) -> Facts:
    """Return what `derive` derives from a model by the code of a module.

    It is cached if the model is one of `cached_model`.
    """
    if id(model) not in _known:
        return dict(derive())
    sha256 = _known[id(model)][1]
    entry = cache.entry(_ROOM, name, sha256, cache.code(module), most=MOST)
    arrays = entry.get(from_safetensors)
    if arrays is None:
        arrays = dict(derive())
        entry.write(to_safetensors(arrays))
    return arrays


def cached_digest(model: Model) -> str:
    """Return `digest(model)`; a model of `cached_model` is hashed once, not in every process."""
    stored = facts(model, "digest", digest.__module__, lambda: _stored(digest(model)))
    return stored["sha256"].tobytes().hex()


def _stored(sha256: str) -> Facts:
    return {"sha256": np.frombuffer(bytes.fromhex(sha256), dtype=np.uint8)}


def _largest(model: Model) -> Facts:
    from transputer.model.verify import verify  # not needed by most processes

    largest = verify(model).largest
    return {kind: np.array([number], dtype=np.int64) for kind, (number, _) in largest.items()}
