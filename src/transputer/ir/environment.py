"""A program's environment: arguments, environment variables, clock, random seed and files.

All of it is fixed before the program starts, so that every run is reproducible.
"""

from dataclasses import dataclass

from transputer.ir.files import NO_FILES, FileTree

#: The module name under which WASI (preview 1) is imported.
WASI = "wasi_snapshot_preview1"
#: Advance of the clock per reading, in nanoseconds.
TICK = 1_000_000


@dataclass(frozen=True, slots=True)
class Environment:
    """Arguments (the program's name first), variables (`NAME=VALUE`), clock, seed and files.

    `clock` is the time at the first reading, in nanoseconds; each reading advances it by `TICK`.
    Random bytes are the high bytes of `s = 1664525 s + 1013904223 mod 2^32`, starting at `seed`.
    """

    arguments: tuple[bytes, ...] = ()
    variables: tuple[bytes, ...] = ()
    clock: int = 0
    seed: int = 0
    files: FileTree = NO_FILES


#: The empty environment.
NOTHING = Environment()
