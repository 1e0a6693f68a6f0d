"""Run a WASI program that only prints: `python -m tools.outside.peers wasmtime|wasm3 FILE ARGS`.

pywasm3 brings no WASI of its own, so here are the few functions that such a program calls. One that
is not here makes wasm3 refuse the program.
"""

import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from transputer.oracle.command import run_command

#: Errors of WASI.
SUCCESS, BAD_FILE, IS_A_PIPE = 0, 8, 70
#: The type of a terminal, and the size of wasm3's stack in bytes.
TERMINAL, STACK = 2, 1 << 20


#: What the interpreter wants to know of each function: its result and parameters.
SIGNATURES = {
    "args_sizes_get": "i(ii)",
    "args_get": "i(ii)",
    "clock_time_get": "i(iIi)",
    "fd_fdstat_get": "i(ii)",
    "fd_seek": "i(iIii)",
    "fd_close": "i(i)",
    "fd_write": "i(iiii)",
    "proc_exit": "v(i)",
}


class Exit(Exception):
    """The program's exit code, on its way out of the interpreter."""


class PrintingWasi:
    """The functions of WASI for a program with arguments, a clock and two output streams."""

    def __init__(self, runtime: Any, args: Sequence[str]) -> None:
        self.runtime = runtime
        self.args = [arg.encode() + b"\0" for arg in args]
        self.code = 0

    def link(self, module: Any) -> None:
        """Link those functions that the module imports."""
        for name, signature in SIGNATURES.items():
            try:
                module.link_function("wasi_snapshot_preview1", name, signature, getattr(self, name))
            except RuntimeError as error:
                if "function lookup failed" not in str(error):  # it does not import this one
                    raise

    def _store(self, at: int, layout: str, *values: int | bytes) -> int:
        struct.pack_into(f"<{layout}", self.runtime.get_memory(0), at, *values)
        return SUCCESS

    def args_sizes_get(self, count: int, size: int) -> int:
        """Store the number of arguments and their size."""
        self._store(count, "I", len(self.args))
        return self._store(size, "I", sum(map(len, self.args)))

    def args_get(self, places: int, texts: int) -> int:
        """Store the arguments and where each begins."""
        for i, arg in enumerate(self.args):
            self._store(places + 4 * i, "I", texts)
            self._store(texts, f"{len(arg)}s", arg)
            texts += len(arg)
        return SUCCESS

    def clock_time_get(self, clock: int, precision: int, result: int) -> int:
        """Store the time in nanoseconds; every clock is the wall clock."""
        return self._store(result, "Q", time.time_ns())

    def fd_fdstat_get(self, file: int, result: int) -> int:
        """Say that the standard streams are a terminal's."""
        return self._store(result, "B7xQQ", TERMINAL, 0, 0) if file < 3 else BAD_FILE

    def fd_seek(self, file: int, offset: int, whence: int, result: int) -> int:
        """Refuse: no stream can be positioned."""
        return IS_A_PIPE if file < 3 else BAD_FILE

    def fd_close(self, file: int) -> int:
        """Leave the standard streams open."""
        return SUCCESS if file < 3 else BAD_FILE

    def fd_write(self, file: int, vectors: int, count: int, result: int) -> int:
        """Write to standard output or error."""
        if file not in (1, 2):
            return BAD_FILE
        memory = memoryview(self.runtime.get_memory(0))
        stream = (sys.stdout if file == 1 else sys.stderr).buffer
        written = 0
        for i in range(count):
            at, size = struct.unpack_from("<II", memory, vectors + 8 * i)
            written += stream.write(memory[at : at + size])
        return self._store(result, "I", written)

    def proc_exit(self, code: int) -> None:
        """End the program."""
        self.code = code
        raise Exit


def by_wasm3(binary: bytes, args: Sequence[str]) -> int:
    """Run `_start` under wasm3; the streams are ours. Return the exit code."""
    import wasm3

    environment = wasm3.Environment()
    runtime = environment.new_runtime(STACK)
    module = environment.parse_module(binary)
    runtime.load(module)
    wasi = PrintingWasi(runtime, args)
    wasi.link(module)
    with suppress(Exit):
        runtime.find_function("_start")()
    return wasi.code


def by_wasmtime(binary: bytes, args: Sequence[str]) -> int:
    """Run `_start` under wasmtime; print its output and return the exit code."""
    result = run_command(binary, args, fuel=None)
    sys.stdout.buffer.write(result.stdout)
    sys.stderr.buffer.write(result.stderr)
    return result.exit_code


PEERS: dict[str, Callable[[bytes, Sequence[str]], int]] = {
    "wasmtime": by_wasmtime,
    "wasm3": by_wasm3,
}


if __name__ == "__main__":
    sys.exit(PEERS[sys.argv[1]](Path(sys.argv[2]).read_bytes(), sys.argv[2:]))
