"""A program's environment: arguments, environment variables, clock, random seed and files.

All of it is fixed before the program starts, so that every run is reproducible.
"""

from enum import StrEnum

from transputer.ir.files import NO_FILES, FileTree
from transputer.ir.module import ExternKind, FuncType, Module
from transputer.isa.op import ValType
from transputer.values import dataclass

#: The module name under which WASI (preview 1) is imported.
WASI = "wasi_snapshot_preview1"
#: The import of AssemblyScript's programs that ends them with a message, and its type.
ABORT = ("env", "abort")
ABORT_TYPE = FuncType((ValType.I32,) * 4, ())
#: The import of the WASI routines for the steps of the session so far, and its type.
STEPS = ("transputer", "steps")
STEPS_TYPE = FuncType((), (ValType.I64,))


class Ticks(StrEnum):
    """What the clock counts."""

    STEPS = "steps"
    READINGS = "readings"

    @property
    def length(self) -> int:
        """The time that one of them takes, in nanoseconds."""
        return 1_000 if self is Ticks.STEPS else 1_000_000


@dataclass(frozen=True, slots=True)
class Environment:
    """Arguments (the program's name first), variables (`NAME=VALUE`), clock, seed and files.

    `clock` is the time at the start, in nanoseconds. Each of `ticks` advances it by
    `ticks.length`: each step of the session, or each reading.
    Random bytes are the high bytes of `s = 1664525 s + 1013904223 mod 2^32`, starting at `seed`.
    """

    arguments: tuple[bytes, ...] = ()
    variables: tuple[bytes, ...] = ()
    clock: int = 0
    seed: int = 0
    files: FileTree = NO_FILES
    ticks: Ticks = Ticks.READINGS


#: The empty environment.
NOTHING = Environment()


def uses_wasi(module: Module) -> bool:
    """Whether a module imports anything from WASI."""
    return any(item.module == WASI for item in module.imports)


def reads_clock(module: Module) -> bool:
    """Whether a module imports the function that reads the clock."""
    return any((item.module, item.name) == (WASI, "clock_time_get") for item in module.imports)


def imports_abort(module: Module) -> bool:
    """Whether a module with a memory of its own imports `ABORT`."""
    functions = module.imported(ExternKind.FUNC)
    return bool(module.memories) and any(
        (item.module, item.name) == ABORT and module.types[item.type_index] == ABORT_TYPE
        for item in functions
    )
