"""Code for the nodes of a program that run most.

The cache keeps what `make_region` finds out, and the library. A region that it has is loaded
without its text.
"""

import ctypes
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.lifted.decoder.circuit import Fixed
from transputer.engines.lifted.decoder.code import MORE, NOT, cached, load
from transputer.engines.lifted.decoder.emit import BlockEmitter
from transputer.engines.lifted.decoder.fused import Fused
from transputer.engines.lifted.decoder.program import HostTokens, LiftedProgram, Node
from transputer.engines.lifted.decoder.rows import Tree
from transputer.engines.lifted.decoder.shelf import Shelf

#: Regions that the cache knows.
REGIONS = 256


@dataclass(frozen=True, eq=False)
class Region:
    """Compiled blocks: `enter` has the number of the block at an address, or -1.

    What goes to `dropped` slots is kept only as far as some instruction may read it.
    """

    library: ctypes.CDLL
    enter: NDArray[np.int32]
    arrays: list[int]
    dropped: list[int]
    nodes: int


def make_region(
    shelf: Shelf,
    rows: Callable[[Mapping[tuple[int, int], int]], Tree],
    host: HostTokens,
    hot: NDArray[np.bool_],
    key: tuple[object, ...],
    fused: Callable[[Fixed], Fused | None] = lambda fixed: None,
) -> Region | None:
    """Code for the nodes at hot addresses; None if none of them can have any.

    `key` stands for the rows, fused ones too, and for how the caller uses them.
    """
    entry = _entry(shelf, host, hot, key)
    region = entry.get(_loaded)
    if region is not None:
        return region

    def is_hot(node: Node) -> bool:
        return node[0] < len(hot) and bool(hot[node[0]])

    others = (0,) * (len(shelf.frame.setting.static) - 1)
    seeds = [(address, *others) for address in np.flatnonzero(hot).tolist()]
    program = LiftedProgram(shelf, rows, host, is_hot, seeds, fused)
    emitter = BlockEmitter(program, loops=True, direct=True)
    enter = np.full(len(hot), -1, dtype=np.int32)
    for node in emitter.leaders:
        if not any(node[1:]):
            enter[node[0]] = emitter.numbers[node]
    if not emitter.leaders:
        return None
    digest, arrays = hashlib.sha256(emitter.text.encode()).hexdigest(), sorted(emitter.arrays)
    library = load(emitter.text, "program", (digest,), level=MORE)
    facts = [digest, enter.tolist(), arrays, sorted(emitter.dropped), len(program.steps)]
    entry.write(json.dumps(facts).encode())
    return _region(library, enter, *facts[2:])


def _entry(
    shelf: Shelf, host: HostTokens, hot: NDArray[np.bool_], key: tuple[object, ...]
) -> cache.Entry:
    """Where the cache has what is known of a region.

    It is named by all that the text relies on. Words that the host's tokens hold only tell where
    code may be entered.
    """
    counted = shelf.want.counted
    marks = b"" if counted is None else counted.marks().tobytes()
    seen = hashlib.sha256(repr((host.code, len(marks), len(hot))).encode())
    seen.update(marks + hot.tobytes())
    read = sorted(host.constants.items()), list(host.special), sorted(host.leads.items())
    emits = cache.code("transputer.engines.lifted.decoder.region")
    return cache.entry("lifted", "region", *key, emits, seen.hexdigest(), read, most=REGIONS)


def _loaded(facts: bytes) -> Region | None:
    """The region that these facts are of, if its library is in the cache."""
    digest, enter, *more = json.loads(facts)
    library = cached("program", (digest,), level=MORE) or cached("program", (digest,), level=NOT)
    return None if library is None else _region(library, np.array(enter, np.int32), *more)


def _region(library: ctypes.CDLL, enter: NDArray[np.int32], *facts: Any) -> Region:
    library.lifted_run.restype = ctypes.c_int64
    library.lifted_run.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    return Region(library, enter, *facts)
