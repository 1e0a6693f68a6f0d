"""WASI for programs as written: host functions over the program's memory.

An implementation of its own, so that what is lowered to routines has something to differ from.
Only the standard streams exist.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from transputer.errors import LinkError
from transputer.host.console import Console
from transputer.host.memory import LinearMemory
from transputer.host.outcome import ExitSignal
from transputer.host.store import HostFunction
from transputer.ir.environment import TICK, WASI, Environment
from transputer.ir.module import FuncType, Module
from transputer.isa.op import ValType


class Errno(IntEnum):
    """What a WASI function returns."""

    SUCCESS = 0
    BADF = 8
    INVAL = 28
    SPIPE = 70


_CHARACTER_DEVICE = 2
_RIGHT_READ, _RIGHT_WRITE = 1 << 1, 1 << 6
_NEWLINE = 10
_CLOCKS = 4
_TYPES = {"i": ValType.I32, "l": ValType.I64}


@dataclass(slots=True)
class Wasi:
    """The state of one program's streams, clock and random numbers.

    `memory` gives the program's memory when a function is called.
    """

    console: Console
    environment: Environment
    memory: Callable[[], LinearMemory]
    open: set[int] = field(default_factory=lambda: {0, 1, 2})
    readings: int = 0
    random: int = 0

    def __post_init__(self) -> None:
        self.random = self.environment.seed & 0xFFFFFFFF

    def functions(self) -> dict[str, HostFunction]:
        """Every function by the name under which it is imported."""
        return {name: self._host(name, sig) for name, sig in SIGNATURES.items()}

    def _host(self, name: str, sig: str) -> HostFunction:
        params, _, results = sig.partition(":")
        type_ = FuncType(tuple(_TYPES[c] for c in params), tuple(_TYPES[c] for c in results))
        return HostFunction(type_, getattr(self, name), name)

    # Streams

    def fd_write(self, fd: int, vectors: int, count: int, out: int) -> int:
        """Write the bytes of several pieces of memory."""
        if fd not in self.open - {0}:
            return Errno.BADF
        memory = self.memory()
        say = self.console.error if fd == 2 else self.console.write
        total = 0
        for start, size in self._vectors(vectors, count):
            for byte in memory.read(start, size):
                say(byte)
            total += size
        memory.store(out, 4, total)
        return Errno.SUCCESS

    def fd_read(self, fd: int, vectors: int, count: int, out: int) -> int:
        """Read into several pieces of memory, up to the end of a line."""
        if fd not in self.open & {0}:
            return Errno.BADF
        memory = self.memory()
        pieces = self._vectors(vectors, count)
        total = 0
        for place in (start + i for start, size in pieces for i in range(size)):
            byte = self.console.read()
            if byte < 0:
                break
            memory.store(place, 1, byte)
            total += 1
            if byte == _NEWLINE:
                break
        memory.store(out, 4, total)
        return Errno.SUCCESS

    def _vectors(self, start: int, count: int) -> Iterator[tuple[int, int]]:
        memory = self.memory()
        for at in range(start, start + 8 * count, 8):
            yield memory.load(at, 4), memory.load(at + 4, 4)

    def fd_close(self, fd: int) -> int:
        """Close a stream."""
        if fd not in self.open:
            return Errno.BADF
        self.open.remove(fd)
        return Errno.SUCCESS

    def fd_seek(self, fd: int, offset: int, whence: int, out: int) -> int:
        """Streams have no position."""
        return Errno.SPIPE if fd in self.open else Errno.BADF

    def fd_fdstat_get(self, fd: int, out: int) -> int:
        """What kind of file it is, and what may be done with it."""
        if fd not in self.open:
            return Errno.BADF
        rights = _RIGHT_WRITE if fd else _RIGHT_READ
        data = _CHARACTER_DEVICE.to_bytes(8, "little") + rights.to_bytes(8, "little") + bytes(8)
        self.memory().write(out, data)
        return Errno.SUCCESS

    def fd_prestat_get(self, fd: int, out: int) -> int:
        """There are no open folders."""
        return Errno.BADF

    def fd_prestat_dir_name(self, fd: int, path: int, size: int) -> int:
        """There are no open folders."""
        return Errno.BADF

    # Arguments and variables

    def args_sizes_get(self, count: int, size: int) -> int:
        """How many arguments, and how many bytes they take."""
        return self._sizes(self.environment.arguments, count, size)

    def args_get(self, pointers: int, at: int) -> int:
        """The arguments."""
        return self._strings(self.environment.arguments, pointers, at)

    def environ_sizes_get(self, count: int, size: int) -> int:
        """How many variables, and how many bytes they take."""
        return self._sizes(self.environment.variables, count, size)

    def environ_get(self, pointers: int, at: int) -> int:
        """The variables, as NAME=VALUE."""
        return self._strings(self.environment.variables, pointers, at)

    def _sizes(self, strings: Sequence[bytes], count: int, size: int) -> int:
        self.memory().store(count, 4, len(strings))
        self.memory().store(size, 4, sum(len(s) + 1 for s in strings))
        return Errno.SUCCESS

    def _strings(self, strings: Sequence[bytes], pointers: int, at: int) -> int:
        for i, string in enumerate(strings):
            self.memory().store(pointers + 4 * i, 4, at)
            self.memory().write(at, string + b"\0")
            at += len(string) + 1
        return Errno.SUCCESS

    # The rest

    def proc_exit(self, code: int) -> None:
        """End the program."""
        raise ExitSignal(code)

    def clock_res_get(self, clock: int, out: int) -> int:
        """How far the clock moves between two readings."""
        if clock >= _CLOCKS:
            return Errno.INVAL
        self.memory().store(out, 8, TICK)
        return Errno.SUCCESS

    def clock_time_get(self, clock: int, precision: int, out: int) -> int:
        """The time; all clocks are one."""
        if clock >= _CLOCKS:
            return Errno.INVAL
        time = self.environment.clock + self.readings * TICK
        self.readings += 1
        self.memory().store(out, 8, time & (1 << 64) - 1)
        return Errno.SUCCESS

    def random_get(self, at: int, count: int) -> int:
        """Random bytes, the same ones in every run with the same seed."""
        for place in range(at, at + count):
            self.random = (self.random * 1664525 + 1013904223) & 0xFFFFFFFF
            self.memory().store(place, 1, self.random >> 24)
        return Errno.SUCCESS


#: Parameters and results of each function: `i` is i32, `l` is i64.
SIGNATURES = {
    "fd_write": "iiii:i",
    "fd_read": "iiii:i",
    "fd_close": "i:i",
    "fd_seek": "ilii:i",
    "fd_fdstat_get": "ii:i",
    "fd_prestat_get": "ii:i",
    "fd_prestat_dir_name": "iii:i",
    "args_sizes_get": "ii:i",
    "args_get": "ii:i",
    "environ_sizes_get": "ii:i",
    "environ_get": "ii:i",
    "proc_exit": "i:",
    "clock_res_get": "ii:i",
    "clock_time_get": "ili:i",
    "random_get": "ii:i",
}


def check_wasi(module: Module) -> None:
    """Raise `LinkError` that names everything a module imports of WASI and that is not there."""
    wanted = [item.name for item in module.imports if item.module == WASI]
    if missing := sorted(name for name in wanted if name not in SIGNATURES):
        names = ", ".join(missing)
        raise LinkError(f"WASI {names}: not available; a program has standard streams, no files")
    if wanted and not module.memories:
        raise LinkError("a program that imports WASI needs a memory of its own")
