"""The user's cache of the universal model and of facts derived from it, which take seconds.

An entry is bound to the code that builds it; facts are also bound to the bytes of their model. A
model that does not verify is built again, and a model with other weights has other facts. Those of
a model that comes with the package come with it (`transputer.model.shipped`).
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
from transputer.model.shipped import ShippedFact, shipped
from transputer.model.tensors import Model, digest

Facts = dict[str, NDArray[Any]]
#: Largest number of entries; the least recently used are dropped.
MOST = 24
_ROOM = "derived"
#: Models from the cache, with the SHA-256 of their bytes and what came with them.
_known: dict[int, tuple[Model, str, Mapping[str, ShippedFact]]] = {}


def cached_model(name: str, build: Callable[[], Model], where: Path | None = None) -> Model:
    """Return the model that `build` builds, from the cache or the folder `where` if it is there.

    Wherever it comes from, it is verified.
    """

    def load(contents: bytes) -> Model:
        return _register(from_cache(contents), contents, {})

    entry = cache.entry(_ROOM, f"model-{name}", cache.code(build.__module__), most=MOST)
    model = entry.get(load)
    if model is None:
        ready = shipped(where, name, build.__module__) if where else None
        model = from_cache(ready.contents) if ready else build()
        contents = ready.contents if ready else to_bytes(model)
        entry.write(contents)
        model = _register(model, contents, ready.facts if ready else {})
    return model


def _register(model: Model, contents: bytes, came: Mapping[str, ShippedFact]) -> Model:
    """Return the model after verifying its bounds; its facts are cached from now on."""
    sha256 = hashlib.sha256(contents).hexdigest()
    _known[id(model)] = model, sha256, came
    for name, fact in came.items():  # later processes load the model from the cache
        _entry(name, sha256, fact.module).write(fact.contents)
    try:
        facts(model, "bounds", "transputer.model.verify", lambda: largest(model))
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
    _, sha256, came = _known[id(model)]
    entry = _entry(name, sha256, module)
    arrays = entry.get(from_safetensors)
    if arrays is None:
        fact = came.get(name)
        contents = fact.contents if fact else to_safetensors(dict(derive()))
        entry.write(contents)
        arrays = from_safetensors(contents)
    return arrays


def _entry(name: str, sha256: str, module: str) -> cache.Entry:
    return cache.entry(_ROOM, name, sha256, cache.code(module), most=MOST)


def cached_digest(model: Model) -> str:
    """Return `digest(model)`; a model of `cached_model` is hashed once, not in every process."""
    stored = facts(model, "digest", digest.__module__, lambda: hashed(model))
    return stored["sha256"].tobytes().hex()


def hashed(model: Model) -> Facts:
    """The digest of a model, as a fact."""
    return {"sha256": np.frombuffer(bytes.fromhex(digest(model)), dtype=np.uint8)}


def largest(model: Model) -> Facts:
    """The largest magnitude of each kind; raises as `verify` does."""
    from transputer.model.verify import verify  # not needed by most processes

    numbers = verify(model).largest
    return {kind: np.array([number], dtype=np.int64) for kind, (number, _) in numbers.items()}
