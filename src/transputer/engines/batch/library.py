"""The source of a batch as a library for this machine's cores, and the rows that it runs."""

import ctypes
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.code import load

POINTERS = (
    *("args", "input", "starts", "output", "printed", "reason", "slot", "steps", "tally"),
    *("results", "last", "digests", "hashes", "far"),
)


class BatchStruct(ctypes.Structure):
    """`Batch` of the source."""

    _fields_ = (
        *((n, ctypes.c_int64) for n in ("rows", "limit", "stride")),
        *((n, ctypes.c_void_p) for n in POINTERS),
    )


@dataclass(frozen=True, eq=False)
class RowsOutcome:
    """What came of rows: `reason` is -1 for those that are lost; `slot` is a missing row then."""

    reason: NDArray[np.int32]
    slot: NDArray[np.int32]
    steps: NDArray[np.int64]
    tally: NDArray[np.int64]
    results: NDArray[np.uint64]
    last: NDArray[np.uint64]
    output: NDArray[np.uint16]
    printed: NDArray[np.int32]
    digests: NDArray[np.uint64] | None
    hashes: NDArray[np.uint32] | None


@dataclass(frozen=True)
class BatchShape:
    """The sizes that the arrays of a batch have."""

    arguments: int
    results: int
    groups: int
    room: int
    words: int = 0  #: of memory that each row has besides its small windows


def allocate(
    shape: BatchShape, args: NDArray[np.uint64], inputs: list[bytes] | None, checked: bool
) -> tuple[dict[str, NDArray[Any]], RowsOutcome]:
    """Return the arrays of a batch by name, and the outcome that some of them will be.

    `args` has a row for each argument, and a column for each row. With `checked`, digests of the
    windows and hashes of all tokens are asked for.
    """
    rows = args.shape[1]
    arrays: dict[str, NDArray[Any]] = {
        "args": np.ascontiguousarray(args, dtype=np.uint64),
        "output": np.zeros((rows, max(1, shape.room)), dtype=np.uint16),
        "printed": np.zeros(rows, dtype=np.int32),
        "reason": np.zeros(rows, dtype=np.int32),
        "slot": np.zeros(rows, dtype=np.int32),
        "steps": np.zeros(rows, dtype=np.int64),
        "tally": np.zeros(rows, dtype=np.int64),
        "results": np.zeros((shape.results, rows), dtype=np.uint64),
        "last": np.zeros((rows, shape.groups), dtype=np.uint64),
    }
    if inputs is not None:
        arrays["input"] = np.frombuffer(b"".join(inputs) or b"\0", dtype=np.uint8)
        arrays["starts"] = np.cumsum([0, *map(len, inputs)], dtype=np.int64)
    if checked:
        arrays["digests"] = np.zeros(rows, dtype=np.uint64)
        arrays["hashes"] = np.zeros((rows, 8), dtype=np.uint32)
    names = "reason", "slot", "steps", "tally", "results", "last", "output", "printed"
    checks: dict[str, Any] = {n: arrays.get(n) for n in ("digests", "hashes")}
    outcome = RowsOutcome(**{n: arrays[n] for n in names}, **checks)
    return arrays, outcome


@lru_cache(maxsize=4)
def _library(text: str) -> tuple[ctypes.CDLL, NDArray[np.uint64]]:
    library = load(text, "batch")
    library.batch_words.restype = ctypes.c_int64
    library.batch_rows.argtypes = (ctypes.c_void_p, ctypes.c_int)
    return library, np.zeros(max(1, library.batch_words()), dtype=np.uint64)


def compile_rows(text: str) -> None:
    """Compile a source, so that other processes load it from the cache.

    Raises `EngineUnavailable` without a C compiler.
    """
    _library(text)


def run_rows(
    text: str,
    shape: BatchShape,
    args: NDArray[np.uint64],
    limit: int,
    inputs: list[bytes] | None = None,
    *,
    checked: bool = False,
    traced: bool = False,
) -> RowsOutcome:
    """Run rows on this core, by the source `text`; each takes at most `limit` steps.

    With `traced`, rows of the model decode every token, and with `checked` it is hashed.
    """
    library, far = _library(text)
    arrays, outcome = allocate(shape, args, inputs, checked)
    batch = BatchStruct(rows=args.shape[1], limit=limit, stride=args.shape[1])
    for name, array in (*arrays.items(), ("far", far)):
        setattr(batch, name, array.ctypes.data)
    library.batch_rows(ctypes.byref(batch), int(traced))
    return outcome


__all__ = ["POINTERS", "BatchShape", "RowsOutcome", "allocate", "compile_rows", "run_rows"]
