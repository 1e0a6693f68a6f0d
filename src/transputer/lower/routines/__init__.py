"""The routines behind lowered instructions, in C, and their compiled form `numbers.wat`.

The compiled form is part of the package, so that nobody needs a C compiler to run a program.
"""

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from transputer.errors import EngineUnavailable
from transputer.frontends.binary import decode
from transputer.ir.module import ExternKind, Module
from transputer.ir.text import print_wat
from transputer.ir.verify import verify

FOLDER = Path(__file__).parent
SOURCES = ("integers.c", "f32.c", "f64.c")
TARGET = FOLDER / "numbers.wat"
#: Words only, and results of several of them.
FLAGS = (
    *("-target", "wasm32-freestanding", "-mcpu=mvp+multivalue+sign_ext"),
    *("-Xclang", "-target-abi", "-Xclang", "experimental-mv"),
    *("-O2", "-fno-unroll-loops", "-fno-vectorize", "-nostdlib", "-Wall", "-Werror"),
    *("-Wl,--no-entry", "-g", "-g0"),
)


def compiled() -> str:
    """The routines as text; `EngineUnavailable` without a C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "routines.wasm")
        sources = [str(FOLDER / name) for name in SOURCES]
        command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, *sources, "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise EngineUnavailable(f"the routines do not compile: {done.stderr}")
        return print_wat(_bare(decode(output.read_bytes())))


def _bare(module: Module) -> Module:
    """The functions alone: no memory, no table, none of the linker's globals."""
    exports = tuple(e for e in module.exports if e.kind is ExternKind.FUNC)
    made = replace(module, exports=exports, memories=(), tables=(), globals=())
    return verify(made).module
