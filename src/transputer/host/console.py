"""A program's standard streams and devices: read a byte, write a byte, exit."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from transputer.host.outcome import ExitSignal
from transputer.host.store import HostFunction
from transputer.ir.core import CoreFunction, CoreModule, core
from transputer.ir.module import Export, ExternKind, FuncType, Module
from transputer.isa.op import ValType
from transputer.values import dataclass

#: Bytes that input tells ahead.
CHUNK = 1 << 16


class Input:
    """Standard input: `()` reads a byte, -1 at its end; `ahead` tells what comes next."""

    def __init__(
        self,
        read: Callable[[], int],
        ahead: Callable[[], bytes],
        skip: Callable[[int], object],
    ) -> None:
        self._read, self.ahead, self.skip = read, ahead, skip

    def __call__(self) -> int:
        """Read a byte."""
        return self._read()

    @staticmethod
    def of(data: bytes) -> "Input":
        """Input that is given whole."""
        stream = BytesIO(data)

        def read() -> int:
            byte = stream.read(1)
            return byte[0] if byte else -1

        return Input(read, lambda: data[stream.tell() : stream.tell() + CHUNK], stream.read)


class Output:
    """An output stream: `(byte)` writes a byte, `write` several at once."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write

    def __call__(self, byte: int) -> None:
        """Write a byte."""
        self.write(bytes((byte,)))


@dataclass(slots=True)
class Console:
    """The standard streams of a program: input, output and error, byte by byte.

    `read` may be an `Input`, which can tell which bytes come next; `write` and `error` may be an
    `Output`, which takes several bytes at once.
    """

    read: Callable[[], int] = lambda: -1
    write: Callable[[int], None] = lambda byte: None
    error: Callable[[int], None] = lambda byte: None

    def ahead(self) -> bytes:
        """Bytes that come next, as far as that is known."""
        return self.read.ahead() if isinstance(self.read, Input) else b""

    def skip(self, count: int) -> None:
        """Bytes that were told ahead have been read."""
        if isinstance(self.read, Input):
            self.read.skip(count)

    def put(self, value: int) -> None:
        """Write the low byte to standard error if bit 8 is set, else to standard output."""
        (self.error if value & 0x100 else self.write)(value & 0xFF)

    def put_all(self, values: NDArray[np.uint16]) -> None:
        """Write values in their order, as `put` does one by one."""
        changes = np.flatnonzero(np.diff(values & 0x100)) + 1
        for piece in np.split(values, changes):
            if not len(piece):
                continue
            sink = self.error if piece[0] & 0x100 else self.write
            data = piece.astype(np.uint8).tobytes()
            if isinstance(sink, Output):
                sink.write(data)
            else:
                for byte in data:
                    sink(byte)


def devices(console: Console) -> dict[str, HostFunction]:
    """Return the functions of the module `transputer`: read a byte, write a byte, exit.

    `put` is `write` with a choice of stream: bit 8 selects standard error.
    """
    i32 = ValType.I32

    def exit_(code: int) -> None:
        raise ExitSignal(code)

    return {
        "read": HostFunction(FuncType((), (i32,)), lambda: console.read() & 0xFFFFFFFF, "read"),
        "write": HostFunction(FuncType((i32,)), lambda byte: console.write(byte & 0xFF), "write"),
        "exit": HostFunction(FuncType((i32,)), exit_, "exit"),
        "put": HostFunction(FuncType((i32,)), console.put, "put"),
    }


def devices_module() -> CoreModule:
    """Return the module `transputer` in core code: a function per device instruction."""
    i32 = ValType.I32
    read, write = FuncType((), (i32,)), FuncType((i32,))
    code = (
        core("input", implied=True),
        core("return", 1, implied=True),
        core("local.get", 0, implied=True),
        core("i32.const", 0xFF, implied=True),
        core("i32.and", implied=True),
        core("output", implied=True),
        core("return", 0, implied=True),
        core("local.get", 0, implied=True),
        core("exit", implied=True),
        core("local.get", 0, implied=True),
        core("output", implied=True),
        core("return", 0, implied=True),
    )
    functions = (
        CoreFunction(read, 0, 0, 1, "read"),
        CoreFunction(write, 2, 1, 3, "write"),
        CoreFunction(write, 7, 1, 2, "exit"),
        CoreFunction(write, 9, 1, 2, "put"),
    )
    exports = tuple(Export(f.name, ExternKind.FUNC, i) for i, f in enumerate(functions))
    return CoreModule(code, functions, Module(exports=exports))
