"""Programs under wasmtime and its own WASI: what every implementation of ours must equal."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import wasmtime


@dataclass(frozen=True)
class Ran:
    stdout: bytes
    stderr: bytes
    code: int


def run(
    binary: bytes,
    folder: Path,
    args: list[str],
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    dirs: Mapping[str, tuple[Path, bool]] | None = None,
) -> Ran:
    """Run `_start`; the streams are files in `folder`.

    `dirs` are folders by their name for the program, each with whether it is writable.
    """
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    config = wasmtime.WasiConfig()
    config.argv = args
    config.env = list((env or {}).items())
    (folder / "stdin").write_bytes(stdin)
    config.stdin_file = str(folder / "stdin")
    config.stdout_file = str(folder / "stdout")
    config.stderr_file = str(folder / "stderr")
    for name, (path, writable) in (dirs or {}).items():
        config.preopen_dir(str(path), name, writable)
    store.set_wasi(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    start = linker.instantiate(store, wasmtime.Module(engine, binary)).exports(store)["_start"]
    code = 0
    try:
        start(store)
    except wasmtime.ExitTrap as trap:
        code = trap.code
    del store, linker, start  # closes the files
    return Ran((folder / "stdout").read_bytes(), (folder / "stderr").read_bytes(), code)
