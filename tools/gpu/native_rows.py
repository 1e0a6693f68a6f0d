"""The native engine on many rows in one session, so that its plans are made once."""

import ctypes
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native import compile as native_compile
from transputer.engines.native.plan import plan
from transputer.model import Model

Tokens = NDArray[np.uint16]
HERE = Path(__file__).parent
BATCH = 1 << 14


class PlanStruct(ctypes.Structure):
    """`Plan` of the engine."""

    _fields_ = (
        ("code", ctypes.POINTER(ctypes.c_int64)),
        ("slots", ctypes.c_int64),
        ("token", ctypes.POINTER(ctypes.c_uint16)),
    )


class NativeRows:
    """A session that is emptied before each row."""

    def __init__(self, model: Model, status: int) -> None:
        folder = Path(native_compile.__file__).parent
        sources = [folder / name for name in native_compile._SOURCES] + [HERE / "plans.c"]
        content = b"".join(path.read_bytes() for path in sources)
        flags = (*native_compile._FLAGS, f"-I{folder}")
        library = native_compile.compiled("native", "plans", HERE / "plans.c", flags, content)
        self.library = native_compile._declared(library, "transputer", native_compile._FUNCTIONS)
        library.plans_size.restype = library.plans_classes.restype = ctypes.c_int64
        library.plans_get.restype = ctypes.POINTER(PlanStruct)
        library.plans_get.argtypes = (ctypes.c_void_p, ctypes.c_int64)
        library.plans_reset.argtypes = library.plans_size.argtypes = (ctypes.c_void_p,)
        library.plans_classes.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        self.image = plan(model)
        self.parts = len(model.parts)
        self.session = self.library.transputer_open(
            self.image.words.ctypes.data, self.image.part_bytes, 0, 0
        )
        self.masks = np.ones(model.parts[status].size, dtype=np.uint8)
        self.masks[0] = 0
        self.watch = np.array([status, 0], dtype=np.int64)

    def run(self, host: Tokens, limit: int) -> Tokens:
        """Decode after these tokens until one stops; return what was decoded."""
        self.library.plans_reset(self.session)
        rows = np.ascontiguousarray(host, dtype=np.uint16)
        assert self.library.transputer_append(self.session, rows.ctypes.data, len(rows)) == len(
            rows
        )
        return np.concatenate([*self._decoded(limit)])

    def _decoded(self, limit: int) -> Iterator[Tokens]:
        stopped = ctypes.c_int(0)
        while limit > 0 and not stopped.value:
            into = np.zeros((min(limit, BATCH), self.parts), dtype=np.uint16)
            done = self.library.transputer_run(
                *(self.session, len(into), self.watch.ctypes.data, 1, self.masks.ctypes.data),
                *(into.ctypes.data, 1 << 40, ctypes.byref(stopped)),
            )
            assert done > 0
            limit -= done
            yield into[:done]
