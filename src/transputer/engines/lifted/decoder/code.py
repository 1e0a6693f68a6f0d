"""C text as a library, compiled as the native engine is: optimised unless it is very long."""

import ctypes
import sys
from collections.abc import Callable

from transputer.engines.native.compile import compiled, from_cache

_FLAGS = (
    *("-std=gnu11", "-fPIC", "-shared", "-fwrapv", "-w", "-g0", "-fno-sanitize=all"),
    *("-ffreestanding", "-fno-stack-protector"),
    "-ffp-contract=off",  # a product and a sum are rounded each
    "-fno-tree-slp-vectorize",  # it takes a quarter of the time, and finds next to nothing
    *(() if sys.platform == "darwin" else ("-nostdlib",)),
)
#: Characters beyond which optimising takes longer than it saves.
LARGE = 4_000_000
#: How far a compiler goes: for a very long text, for rows, for what is hot, which also uses all
#: instructions of this processor.
NOT, SOME, MORE = "-O0", "-O1", "-O2"


def load(
    text: str | Callable[[], str],
    name: str,
    key: tuple[object, ...] | None = None,
    *,
    level: str = SOME,
) -> ctypes.CDLL:
    """Load the library that a text compiles to; `EngineUnavailable` without a compiler.

    With a `key` that decides the text, it is not needed where the library is in the cache.
    """
    large = not callable(text) and len(text) >= LARGE
    level = NOT if large else level
    content = repr(key).encode() if key is not None else str(text).encode()
    return compiled("lifted", name, text, (*_FLAGS, level), content, own=level == MORE)


def cached(name: str, key: tuple[object, ...], *, level: str = SOME) -> ctypes.CDLL | None:
    """The library that was loaded with this key before, if the cache has it."""
    return from_cache("lifted", name, (*_FLAGS, level), repr(key).encode(), own=level == MORE)
