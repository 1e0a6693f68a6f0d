"""C text as a function, compiled as the native engine is: optimised unless it is very long."""

import ctypes
import sys

from transputer.engines.native.compile import compiled

_FLAGS = (
    *("-std=gnu11", "-fPIC", "-shared", "-fwrapv", "-w", "-g0", "-fno-sanitize=all"),
    *("-ffreestanding", "-fno-stack-protector"),
    *(() if sys.platform == "darwin" else ("-nostdlib",)),
)
#: Characters beyond which optimising takes longer than it saves.
LARGE = 4_000_000


def load(text: str) -> ctypes.CDLL:
    """Load the library that a text compiles to; `EngineUnavailable` without a compiler."""
    level = "-O1" if len(text) < LARGE else "-O0"
    library = compiled("lifted", "program", text, (*_FLAGS, level), text.encode())
    library.lifted_run.restype = ctypes.c_int64
    library.lifted_run.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    return library
