"""Run whole programs on the independent oracle: wasmtime with its own WASI."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import wasmtime

from transputer.errors import Trap
from transputer.oracle.independent import FUEL, engine, translated


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Output and exit code of a program, and its trap if it had one."""

    stdout: bytes
    exit_code: int = 0
    trap: Trap | None = None


def run_command(
    binary: bytes, args: Sequence[str] = ("program",), stdin: bytes = b"", *, fuel: int = FUEL
) -> CommandResult:
    """Run `_start` of a WASI program; `args[0]` is the program's name.

    Raises `StepLimitError` when the program runs out of fuel.
    """
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        files = Path(folder, "stdin"), Path(folder, "stdout")
        files[0].write_bytes(stdin)
        code, trap = _run(binary, args, files, fuel)
        return CommandResult(files[1].read_bytes(), code, trap)


def _run(
    binary: bytes, args: Sequence[str], files: tuple[Path, Path], fuel: int
) -> tuple[int, Trap | None]:
    """Return exit code and trap. The files are closed when this returns."""
    store = wasmtime.Store(engine())
    store.set_fuel(fuel)
    config = wasmtime.WasiConfig()
    config.argv = list(args)
    config.stdin_file, config.stdout_file = map(str, files)
    store.set_wasi(config)
    linker = wasmtime.Linker(engine())
    linker.define_wasi()
    module = wasmtime.Module(engine(), binary)
    start = linker.instantiate(store, module).exports(store)["_start"]
    if not isinstance(start, wasmtime.Func):
        raise TypeError("_start is not a function")
    try:
        start(store)
    except wasmtime.ExitTrap as signal:
        return signal.code, None
    except wasmtime.Trap as trap:
        return 0, translated(trap, fuel)
    return 0, None
