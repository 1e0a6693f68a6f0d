"""What a program finds around it: arguments, variables, a clock and a source of randomness.

All of it is given before the program starts, so that a run can be repeated exactly.
"""

from dataclasses import dataclass

#: The module name under which WASI (preview 1) is imported.
WASI = "wasi_snapshot_preview1"
#: How far the clock moves each time it is read, in nanoseconds.
TICK = 1_000_000


@dataclass(frozen=True, slots=True)
class Environment:
    """Arguments (the program's name first) and variables as bytes; the rest as numbers.

    `clock` is the time in nanoseconds at the first reading; each reading moves it on by `TICK`.
    Random bytes are the high bytes of `s = 1664525 s + 1013904223 mod 2^32`, from `seed` on.
    """

    arguments: tuple[bytes, ...] = ()
    variables: tuple[bytes, ...] = ()
    clock: int = 0
    seed: int = 0


#: Around a program of which nobody said what it finds.
NOTHING = Environment()
