"""Write the data of the loom page: `python -m transputer.exporters.loom_page`.

* per configuration, the weights as the native engine reads them (`NAME.image`, 64-bit words), one
  step as ONNX (`NAME.onnx`), and the state of a program without instructions (`NAME.state`, 16-bit
  numbers, column by column), into which the page writes programs;
* `machine.json`: the configurations and the names of the rows of their states;
* the native engine, `looped32.wasm` and `looped64.wasm`: the C that runs everywhere else;
* `compiler.zip`: small C and what it imports, all of it Python;
* `programs.json`: the examples, compiled, so that they run before the compiler has loaded.
"""

import argparse
import importlib.util
import json
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from transputer.engines.native.looped import image
from transputer.errors import EngineUnavailable
from transputer.exporters.onnx_looped import step_graph_looped
from transputer.frontends.smallc.loom.plain import plain
from transputer.frontends.zig import LIBRARY_TIMEOUT, run, zig
from transputer.ir.loom import PUBLISHED, LoomConfig, LoomProgram, configuration
from transputer.isa.loom import LOOM
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial
from transputer.model import verify_looped

#: Configurations that the page offers, the smallest first for each width.
CONFIGS = (*PUBLISHED, "1024x16,m=256", "1024x32,m=256")
#: Bits of an `int` in the examples: with 8 they fit the published configurations.
EXAMPLE_BITS = 8
#: Files and folders of the package that the compiler needs.
COMPILER = ("errors.py", "values.py", "isa", "ir/__init__.py", "ir/loom.py", "frontends/smallc")

_HERE = Path(__file__).parents[1]
_ENGINE = _HERE / "engines" / "native" / "looped.c"
_EXPORTS = "open halted run read state put busy".split()


def write_page_data(folder: Path, examples: Path) -> None:
    """Write all files that the page loads; `examples` is the folder of its C sources.

    Raises `EngineUnavailable` if zig is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    configs: dict[str, dict[str, Any]] = {}
    for name in CONFIGS:
        print(f"  {name} ...", file=sys.stderr)
        configs[name] = write_model(folder, configuration(name), str(len(configs)))
    operations = {op.name: op.doc for op in LOOM}
    _write_json(folder / "machine.json", {"configs": configs, "operations": operations})
    for bits in (32, 64):
        (folder / f"looped{bits}.wasm").write_bytes(looped_wasm(bits))
    write_compiler(folder / "compiler.zip")
    sources = {path.name: path.read_text() for path in sorted(examples.glob("*.c"))}
    programs = {
        name: {"text": text, "bits": EXAMPLE_BITS, **plain(text, EXAMPLE_BITS, CONFIGS)}
        for name, text in sources.items()
    }
    _write_json(folder / "programs.json", programs)


def write_model(folder: Path, config: LoomConfig, file: str) -> dict[str, Any]:
    """Write the files of a configuration; return its description for the page."""
    looped = model(config)
    most = max(number for number, _ in verify_looped(looped).largest.values())
    image(looped).astype("<i8").tofile(folder / f"{file}.image")
    empty = initial(LoomProgram((), bits=config.bits), config)
    np.ascontiguousarray(empty.T).astype("<i2").tofile(folder / f"{file}.state")
    (folder / f"{file}.onnx").write_bytes(step_graph_looped(looped))
    tensors = looped.tensors().values()
    return {
        "file": file,
        "bits": config.bits,
        "columns": config.columns,
        "scratch": config.scratch,
        "memory": config.memory,
        "number": 32 if most < 1 << 31 else 64,
        "exact": looped.exact,
        "rows": looped.names,
        "weights": sum(tensor.size for tensor in tensors),
        "nonzeros": sum(int(np.count_nonzero(tensor)) for tensor in tensors),
        "heads": [len(layer.heads) for layer in looped.layers],
    }


def looped_wasm(bits: int) -> bytes:
    """Compile the native engine of looped models to WebAssembly, with numbers of `bits` bits.

    It imports `calloc` and `free`. Raises `EngineUnavailable` if zig is missing or fails.
    """
    with tempfile.TemporaryDirectory(prefix="transputer-") as scratch:
        binary = Path(scratch, "looped.wasm")
        command = [
            *(zig(), "cc", "-target", "wasm32-freestanding", "-mcpu=baseline+bulk_memory"),
            *("-std=c11", "-O3", "-fwrapv", "-ffreestanding"),
            *(f"-DNUMBER=int{bits}_t", "-Wl,--no-entry", "-Wl,--import-symbols", "-s"),
            *(f"-Wl,--export=looped_{name}" for name in _EXPORTS),
            *(str(_ENGINE), "-o", str(binary)),
        ]
        code, message = run(command, Path(scratch), LIBRARY_TIMEOUT)
        if code:
            raise EngineUnavailable(f"zig does not compile {_ENGINE.name}: {message.decode()}")
        return binary.read_bytes()


def write_compiler(path: Path) -> None:
    """Write the small C compiler and pycparser as a zip of Python files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _compiler_files():
            archive.write(file, f"transputer/{file.relative_to(_HERE).as_posix()}")
        parser = importlib.util.find_spec("pycparser")
        assert parser is not None and parser.origin is not None
        root = Path(parser.origin).parent
        for file in sorted(root.glob("*.py")):
            archive.write(file, f"pycparser/{file.name}")


def _compiler_files() -> Iterator[Path]:
    for name in COMPILER:
        place = _HERE / name
        yield from sorted(place.rglob("*.py")) if place.is_dir() else [place]


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the data of the loom machine's page.")
    parser.add_argument("folder", type=Path, help="folder to write to")
    parser.add_argument("examples", type=Path, help="folder with the page's C sources")
    write_page_data(**vars(parser.parse_args()))
