"""The source of a batch on a CUDA device: nvcc compiles it, CuPy launches it, a thread per row."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer import cache
from transputer.engines.batch.library import (
    POINTERS,
    BatchShape,
    RowsOutcome,
    allocate,
)
from transputer.errors import CapacityError, EngineUnavailable

#: Threads of a block, and blocks per multiprocessor whose rows share the cache.
THREADS, BLOCKS = 128, 16
#: Part of the free memory that a batch may take.
SHARE = 0.8
_FLAGS = ("-std=c++17", "-O3", "-w", "-cubin", "-DMIN_BLOCKS=8")


def require_device() -> None:
    """Raise `EngineUnavailable` where there is no CUDA device, no CuPy or no nvcc."""
    if find_spec("cupy") is None:
        raise EngineUnavailable("cuda: CuPy is not installed; pip install cupy-cuda13x")
    if shutil.which("nvcc") is None:
        raise EngineUnavailable("cuda: nvcc was not found; install the CUDA toolkit")
    import cupy

    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as problem:
        raise EngineUnavailable(f"cuda: no device: {problem}") from None


def _compiled(text: str, target: str) -> bytes:
    """The machine code of a source, from the user's cache if it is there."""
    key = hashlib.sha256("\n".join((*_FLAGS, target, text)).encode()).hexdigest()[:32]
    path = cache.folder() / "cuda" / f"{key}.cubin"
    if path.exists():
        return path.read_bytes()
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        source, out = Path(folder, "batch.cu"), Path(folder, "batch.cubin")
        source.write_text(text)
        command = ["nvcc", *_FLAGS, f"-arch={target}", str(source), "-o", str(out)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            said = (run.stderr.strip().splitlines() or ["no message"])[0]
            raise EngineUnavailable(f"cuda: nvcc does not compile the batch: {said}")
        code = out.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_bytes(code)
    half.replace(path)
    return code


@lru_cache(maxsize=4)
def _module(text: str) -> Any:
    import cupy

    device = cupy.cuda.Device()
    module = cupy.cuda.function.Module()
    module.load(_compiled(text, f"sm_{device.compute_capability}"))
    return module


def run_on_device(
    text: str,
    shape: BatchShape,
    args: NDArray[np.uint64],
    limit: int,
    inputs: list[bytes] | None = None,
    *,
    checked: bool = False,
    traced: bool = False,
) -> RowsOutcome:
    """Run rows on the device, as `run_rows` does on a core.

    Raises `EngineUnavailable` without a device, and `CapacityError` where the memory of the batch
    does not fit, before anything is launched.
    """
    require_device()
    import cupy

    arrays, outcome = allocate(shape, args, inputs, checked)
    device, rows = cupy.cuda.Device(), args.shape[1]
    block_bytes = 8 * THREADS * shape.words
    free = int(SHARE * device.mem_info[0]) - sum(a.nbytes for a in arrays.values())
    blocks = -(-rows // THREADS)
    if block_bytes:
        blocks = min(blocks, device.attributes["MultiProcessorCount"] * BLOCKS, free // block_bytes)
    if free < 0 or blocks < 1:
        needed = sum(a.nbytes for a in arrays.values()) + block_bytes
        raise CapacityError(
            f"cuda: a batch of {rows} rows needs {needed} bytes, and {device.mem_info[0]} are free"
        )
    kernel = _module(text).get_function("traced_rows" if traced else "lifted_rows")
    there = {name: cupy.asarray(array) for name, array in arrays.items()}
    there["far"] = cupy.empty(max(1, blocks * THREADS * shape.words), dtype=np.uint64)
    words = [rows, limit, rows, *(there[n].data.ptr if n in there else 0 for n in POINTERS)]
    kernel((blocks,), (THREADS,), (cupy.asarray(np.array(words, dtype=np.uint64)),))
    device.synchronize()
    for name, array in arrays.items():
        if array.flags.writeable:
            array[...] = cupy.asnumpy(there[name])
    return outcome


__all__ = ["require_device", "run_on_device"]
