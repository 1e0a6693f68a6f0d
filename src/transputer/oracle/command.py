"""The independent oracle on whole programs: wasmtime, with its own WASI."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import wasmtime

from transputer.errors import Trap
from transputer.oracle.independent import FUEL, engine, translated


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a program wrote, its exit code, and its trap if it had one."""

    stdout: bytes
    exit_code: int = 0
    trap: Trap | None = None


def run_command(
    binary: bytes, args: Sequence[str] = ("program",), stdin: bytes = b"", *, fuel: int = FUEL
) -> CommandResult:
    """Run the `_start` of a WASI program; `args` begin with its name.

    Raises `StepLimitError` when the fuel is used up.
    """
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        files = Path(folder, "stdin"), Path(folder, "stdout")
        files[0].write_bytes(stdin)
        code, trap = _run(binary, args, files, fuel)
        return CommandResult(files[1].read_bytes(), code, trap)


def _run(
    binary: bytes, args: Sequence[str], files: tuple[Path, Path], fuel: int
) -> tuple[int, Trap | None]:
    """Exit code and trap; the files are closed when this returns."""
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
    except wasmtime.ExitTrap as ended:
        return ended.code, None
    except wasmtime.Trap as trap:
        return 0, translated(trap, fuel)
    return 0, None
