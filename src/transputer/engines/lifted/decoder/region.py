"""Code for the nodes of a program that run most."""

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.code import load
from transputer.engines.lifted.decoder.emit import BlockEmitter
from transputer.engines.lifted.decoder.program import HostTokens, LiftedProgram, Node
from transputer.engines.lifted.decoder.rows import Tree
from transputer.engines.lifted.decoder.shelf import Shelf


@dataclass(frozen=True, eq=False)
class Region:
    """Compiled blocks: `enter` has the number of the block at an address, or -1."""

    library: ctypes.CDLL
    enter: NDArray[np.int32]
    arrays: list[int]
    nodes: int


def make_region(
    shelf: Shelf,
    rows: Callable[[Mapping[tuple[int, int], int]], Tree],
    host: HostTokens,
    hot: NDArray[np.bool_],
) -> Region | None:
    """Code for the nodes at hot addresses; None if none of them can have any."""

    def is_hot(node: Node) -> bool:
        return node[0] < len(hot) and bool(hot[node[0]])

    others = (0,) * (len(shelf.frame.setting.static) - 1)
    seeds = [(address, *others) for address in np.flatnonzero(hot).tolist()]
    program = LiftedProgram(shelf, rows, host, is_hot, seeds)
    emitter = BlockEmitter(program, loops=True, direct=True)
    enter = np.full(len(hot), -1, dtype=np.int32)
    for node in emitter.leaders:
        if not any(node[1:]):
            enter[node[0]] = emitter.numbers[node]
    if not emitter.leaders:
        return None
    library = load(emitter.text, "program")
    library.lifted_run.restype = ctypes.c_int64
    library.lifted_run.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    return Region(library, enter, sorted(emitter.arrays), len(program.steps))
