"""AssemblyScript's `env.abort` for programs as written: a message on standard error, and a trap."""

from collections.abc import Callable

from transputer.errors import Trap, TrapError
from transputer.host.console import Console
from transputer.host.memory import LinearMemory
from transputer.host.store import HostFunction
from transputer.ir.environment import ABORT, ABORT_TYPE


def abort_function(console: Console, memory: Callable[[], LinearMemory]) -> HostFunction:
    """Return the function; the strings that it gets are in `memory`."""

    def string(at: int) -> str:
        if not at:
            return ""
        size = int.from_bytes(memory().read(at - 4, 4), "little") & ~1
        return memory().read(at, size).decode("utf-16-le", "surrogatepass")

    def abort(message: int, file: int, line: int, column: int) -> None:
        text = f"abort: {string(message)} in {string(file)}:{line}:{column}\n"
        for byte in text.encode("utf-8", "surrogatepass"):
            console.error(byte)
        raise TrapError(Trap.UNREACHABLE)

    return HostFunction(ABORT_TYPE, abort, ABORT[1])
