"""The searches in C as a library: compiled once, kept by content, called with NumPy arrays."""

import ctypes
from functools import cache
from pathlib import Path

from transputer.engines.native.compile import compiled
from transputer.machines.soft.native import FLAGS, MachineSizes, source, word_bits

_SEARCH = Path(__file__).parent / "search.c"

_Pointer, _Word, _Long, _Real = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_double


class SearchProblem(ctypes.Structure):
    """A search problem, as in `search.c`."""

    _fields_ = [
        ("m", MachineSizes),
        ("examples", _Word),
        ("results", _Word),
        *((name, _Pointer) for name in ("registers", "memory", "wanted", "cells", "matters")),
        ("ops_count", _Word),
        ("numbers_count", _Word),
        *((name, _Pointer) for name in ("ops", "numbers", "frozen", "jumps")),
        ("elsewhere", _Word),
    ]


class Frontier(ctypes.Structure):
    """The states of a breadth-first search, as in `search.c`."""

    _fields_ = [
        ("menu", _Pointer),
        ("count", _Word),
        ("stride", _Word),
        ("observed", _Word),
        *((name, _Pointer) for name in ("states", "parent", "by", "table")),
        ("capacity", _Long),
        ("slots", _Long),
    ]


class SkeletonRows(ctypes.Structure):
    """A skeleton with its blocks, as in `search.c`."""

    _fields_ = [
        ("items", _Word),
        ("holes", _Word),
        *((name, _Pointer) for name in ("fixed", "hole", "offset", "start", "size", "pool")),
    ]


def library(width: int = 32) -> ctypes.CDLL:
    """The searches for words of a width, compiled if they were not yet.

    Raises `EngineUnavailable` if that cannot be done.
    """
    return _library(word_bits(width))


@cache
def _library(bits: int) -> ctypes.CDLL:
    text = source(_SEARCH, bits=bits)
    return _declared(compiled("learn", "search", text, FLAGS, text.encode()))


def _declared(loaded: ctypes.CDLL) -> ctypes.CDLL:
    anneal = (_Pointer, _Pointer, _Pointer, _Word, _Real, _Real, _Pointer)
    fill = (*(_Pointer,) * 2, *(_Long,) * 2, *(_Word,) * 2, _Pointer, _Word, *(_Pointer,) * 2)
    expand = (_Pointer, _Pointer, _Long, _Long, _Long, _Pointer, _Long, _Pointer)
    for name, result, arguments in (
        ("cost", _Word, (_Pointer, _Pointer, _Word)),
        ("run", _Word, (_Pointer, _Pointer, _Pointer, _Pointer)),
        ("first_wrong", _Word, (_Pointer, _Pointer, _Word)),
        ("ends", ctypes.c_int, (_Pointer, _Pointer, _Word)),
        ("draw", None, (_Pointer, _Pointer, _Pointer)),
        ("anneal", ctypes.c_int, anneal),
        ("random", ctypes.c_int, (_Pointer, _Pointer, _Pointer, _Long, _Pointer)),
        ("expand", ctypes.c_int64, expand),
        ("assemble", _Word, (_Pointer, _Pointer, _Long, _Pointer)),
        ("fill", _Word, fill),
    ):
        function = getattr(loaded, f"soft_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded
