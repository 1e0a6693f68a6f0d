"""Run whole programs on the independent oracle: wasmtime with its own WASI."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import wasmtime

from transputer.errors import Trap
from transputer.oracle.independent import FUEL, engine, translated
from transputer.values import dataclass

#: A folder for a program, and whether it may be written.
Folder = tuple[Path, bool]
_NO_FOLDERS: Mapping[str, Folder] = MappingProxyType({})
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Output and exit code of a program, and its trap if it had one."""

    stdout: bytes
    stderr: bytes = b""
    exit_code: int = 0
    trap: Trap | None = None


def run_command(
    binary: bytes,
    args: Sequence[str] = ("program",),
    stdin: bytes = b"",
    *,
    fuel: int | None = FUEL,
    env: Mapping[str, str] = _NO_VARIABLES,
    folders: Mapping[str, Folder] = _NO_FOLDERS,
) -> CommandResult:
    """Run `_start` of a WASI program; `args[0]` is the program's name.

    `folders` have the names that the program sees. Raises `StepLimitError` when the program runs
    out of fuel; without fuel it has wasmtime's full speed and no limit.
    """
    config = wasmtime.WasiConfig()
    config.argv = list(args)
    config.env = list(env.items())
    for name, (path, writable) in folders.items():
        config.preopen_dir(str(path), name, writable)
    with tempfile.TemporaryDirectory(prefix="transputer-") as place:
        streams = [Path(place, name) for name in ("stdin", "stdout", "stderr")]
        streams[0].write_bytes(stdin)
        config.stdin_file, config.stdout_file, config.stderr_file = map(str, streams)
        code, trap = _run(binary, config, fuel)
        return CommandResult(streams[1].read_bytes(), streams[2].read_bytes(), code, trap)


def _run(binary: bytes, config: wasmtime.WasiConfig, fuel: int | None) -> tuple[int, Trap | None]:
    """Return exit code and trap. The files are closed when this returns."""
    here = engine() if fuel is not None else wasmtime.Engine()
    store = wasmtime.Store(here)
    if fuel is not None:
        store.set_fuel(fuel)
    store.set_wasi(config)
    linker = wasmtime.Linker(here)
    linker.define_wasi()
    module = wasmtime.Module(here, binary)
    start = linker.instantiate(store, module).exports(store)["_start"]
    if not isinstance(start, wasmtime.Func):
        raise TypeError("_start is not a function")
    try:
        start(store)
    except wasmtime.ExitTrap as signal:
        return signal.code, None
    except wasmtime.Trap as trap:
        return 0, translated(trap, fuel or 0)
    return 0, None
