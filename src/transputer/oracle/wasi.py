"""WASI for programs as written: host functions over the program's memory.

This implementation is independent of the routines in `lower/wasi.wat`, so that tests can compare
the two. Only the standard streams exist.
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
    """Error codes of WASI."""

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
    """State of one program's streams, clock and random numbers.

    `memory` returns the program's memory; it is called by each function that needs it.
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
        """Return every function by its import name."""
        return {name: self._host(name, sig) for name, sig in SIGNATURES.items()}

    def _host(self, name: str, sig: str) -> HostFunction:
        params, _, results = sig.partition(":")
        type_ = FuncType(tuple(_TYPES[c] for c in params), tuple(_TYPES[c] for c in results))
        return HostFunction(type_, getattr(self, name), name)

    # Streams

    def fd_write(self, fd: int, vectors: int, count: int, out: int) -> int:
        """Write the bytes of a list of buffers."""
        if fd not in self.open - {0}:
            return Errno.BADF
        memory = self.memory()
        sink = self.console.error if fd == 2 else self.console.write
        total = 0
        for start, size in self._vectors(vectors, count):
            for byte in memory.read(start, size):
                sink(byte)
            total += size
        memory.store(out, 4, total)
        return Errno.SUCCESS

    def fd_read(self, fd: int, vectors: int, count: int, out: int) -> int:
        """Read into a list of buffers, up to the end of a line."""
        if fd not in self.open & {0}:
            return Errno.BADF
        memory = self.memory()
        buffers = self._vectors(vectors, count)
        total = 0
        for address in (start + i for start, size in buffers for i in range(size)):
            byte = self.console.read()
            if byte < 0:
                break
            memory.store(address, 1, byte)
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
        """Refuse to seek: streams have no position."""
        return Errno.SPIPE if fd in self.open else Errno.BADF

    def fd_fdstat_get(self, fd: int, out: int) -> int:
        """Store the file type and the rights of a stream."""
        if fd not in self.open:
            return Errno.BADF
        rights = _RIGHT_WRITE if fd else _RIGHT_READ
        data = _CHARACTER_DEVICE.to_bytes(8, "little") + rights.to_bytes(8, "little") + bytes(8)
        self.memory().write(out, data)
        return Errno.SUCCESS

    def fd_prestat_get(self, fd: int, out: int) -> int:
        """Report that there are no preopened directories."""
        return Errno.BADF

    def fd_prestat_dir_name(self, fd: int, path: int, size: int) -> int:
        """Report that there are no preopened directories."""
        return Errno.BADF

    # Arguments and environment variables

    def args_sizes_get(self, count: int, size: int) -> int:
        """Store the number of arguments and their total size in bytes."""
        return self._sizes(self.environment.arguments, count, size)

    def args_get(self, pointers: int, at: int) -> int:
        """Store the arguments."""
        return self._strings(self.environment.arguments, pointers, at)

    def environ_sizes_get(self, count: int, size: int) -> int:
        """Store the number of environment variables and their total size in bytes."""
        return self._sizes(self.environment.variables, count, size)

    def environ_get(self, pointers: int, at: int) -> int:
        """Store the environment variables, as NAME=VALUE."""
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

    # Exit, clock and random numbers

    def proc_exit(self, code: int) -> None:
        """End the program."""
        raise ExitSignal(code)

    def clock_res_get(self, clock: int, out: int) -> int:
        """Store the clock's resolution: its advance per reading."""
        if clock >= _CLOCKS:
            return Errno.INVAL
        self.memory().store(out, 8, TICK)
        return Errno.SUCCESS

    def clock_time_get(self, clock: int, precision: int, out: int) -> int:
        """Store the time; all clocks are the same."""
        if clock >= _CLOCKS:
            return Errno.INVAL
        time = self.environment.clock + self.readings * TICK
        self.readings += 1
        self.memory().store(out, 8, time & (1 << 64) - 1)
        return Errno.SUCCESS

    def random_get(self, at: int, count: int) -> int:
        """Store random bytes, which depend only on the seed."""
        for address in range(at, at + count):
            self.random = (self.random * 1664525 + 1013904223) & 0xFFFFFFFF
            self.memory().store(address, 1, self.random >> 24)
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
    """Raise a `LinkError` that names every WASI import that is not available."""
    wanted = [item.name for item in module.imports if item.module == WASI]
    if missing := sorted(name for name in wanted if name not in SIGNATURES):
        names = ", ".join(missing)
        raise LinkError(f"WASI {names}: not available; programs have standard streams but no files")
    if wanted and not module.memories:
        raise LinkError("a program that imports WASI must define a memory")
