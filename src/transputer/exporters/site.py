"""A static page that runs a program on the weights: engine, weights and prompt in one script.

The page is the studio's own; the native engine comes compiled to WebAssembly. `site.js` holds all
data (gzip, base64), so that the page also opens from the disk, where a browser fetches nothing.
"""

import base64
import gzip
import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from transputer import cache
from transputer.engines.native.plan import plan
from transputer.errors import EngineUnavailable, UsageError
from transputer.frontends.zig import LIBRARY_TIMEOUT, run, zig
from transputer.model import Array, Layer, Model

Json = dict[str, Any]
_PACKAGE = Path(__file__).parents[1]
_ENGINE = _PACKAGE / "engines" / "native" / "engine.c"
_PAGE = _PACKAGE / "studio" / "static"
#: The script with the data, which the page loads where there is no server.
DATA = "run.js"
#: The folder of the loom machine's page, if it is part of the site.
LOOM = "loom"
_EXPORTS = "open append run length".split()
_FLAGS = (
    *("-target", "wasm32-freestanding", "-mcpu=baseline+bulk_memory"),
    *("-std=c11", "-O3", "-fwrapv", "-ffreestanding"),
    *("-Wl,--no-entry", "-Wl,--import-symbols", "-s"),
    *(f"-Wl,--export=transputer_{name}" for name in _EXPORTS),
)


def write_site(folder: Path, model: Model, programs: list[Json], words: Mapping[str, Any]) -> Path:
    """Write the page of some programs into a folder; return its first file.

    `programs` say what the page shows of each (`runtime/trace/site.py`), `words` name the parts of
    tokens and fields. Raises `EngineUnavailable` if zig is missing, and `UsageError` if the folder
    cannot be written.
    """
    beside = {"loom": (folder / LOOM / "index.html").is_file()}
    script = data_script(model, programs, {**words, **beside})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(_PAGE.iterdir()):
            if file.name not in (DATA, "sources.sha256"):
                (folder / file.name).write_bytes(file.read_bytes())
        (folder / DATA).write_text(script)
    except OSError as problem:
        raise UsageError(f"{folder}: {problem.strerror}") from None
    return folder / "index.html"


def single_page(model: Model, programs: list[Json], words: Mapping[str, Any]) -> str:
    """Return the page as one document, for a frame in a notebook; raises as `write_site` does."""
    page = (_PAGE / "index.html").read_text(encoding="utf-8")
    style = (_PAGE / "app.css").read_text(encoding="utf-8")
    code = (_PAGE / "app.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    inline = {
        '<link rel="icon" href="icon.svg" />': "",
        '<link rel="stylesheet" href="app.css" />': f"<style>{style}</style>",
        '<script src="run.js"></script>': f"<script>{data_script(model, programs, words)}</script>",
        '<script src="app.js"></script>': f"<script>{code}</script>",
    }
    for tag, content in inline.items():
        page = page.replace(tag, content)
    return page


def data_script(model: Model, programs: list[Json], words: Mapping[str, Any]) -> str:
    """Return the script that carries engine, weights and programs."""
    image = plan(model)
    data = {
        "engine": _text(engine_wasm()),
        "image": _text(image.words.astype("<i8").tobytes()),
        "part_bytes": image.part_bytes,
        "model": model_json(model),
        "programs": programs,
        **words,
    }
    packed = _text(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))
    return f'globalThis.TRANSPUTER_SITE = "{packed}";\n'


def engine_wasm() -> bytes:
    """Return the native engine of decoders as WebAssembly; it imports `realloc` and `free`.

    Raises `EngineUnavailable` if zig is missing or fails.
    """
    content = hashlib.sha256()
    for file in sorted(_ENGINE.parent.glob("*.[ch]")):
        content.update(file.read_bytes())
    entry = cache.entry("site", "engine", content.digest(), _FLAGS, most=4)
    return entry.get(bytes) or _compiled(entry)


def _compiled(entry: cache.Entry) -> bytes:
    with tempfile.TemporaryDirectory(prefix="transputer-") as scratch:
        binary = Path(scratch, "engine.wasm")
        command = [zig(), "cc", *_FLAGS, str(_ENGINE), "-o", str(binary)]
        code, message = run(command, Path(scratch), LIBRARY_TIMEOUT)
        if code:
            raise EngineUnavailable(f"zig does not compile {_ENGINE.name}: {message.decode()}")
        engine = binary.read_bytes()
    entry.write(engine)
    return engine


def model_json(model: Model) -> Json:
    """Return the weights and the hints as JSON; a matrix is its shape and its nonzeros."""
    return {
        "parts": [{"name": part.name, "size": part.size} for part in model.parts],
        "width": model.width,
        "bias": _matrix(model.bias[None]),
        "position": _matrix(model.position[None]),
        "embeddings": [_matrix(table) for table in model.embeddings],
        "outputs": [_matrix(table) for table in model.outputs],
        "layers": [_layer(layer) for layer in model.layers],
        "hints": {name: list(model.hints.get(name, ())) for name in ("heads", "lanes", "neurons")},
    }


def _layer(layer: Layer) -> Json:
    return {
        "heads": [
            {
                "query": _matrix(head.query / head.scale),
                "key": _matrix(head.key),
                "value": _matrix(head.value),
                "output": _matrix(head.output),
            }
            for head in layer.heads
        ],
        "gate": _matrix(layer.gate),
        "value": _matrix(layer.value),
        "out": _matrix(layer.out),
    }


def _matrix(array: Array) -> list[Any]:
    """Return rows, columns, and row, column and value of every nonzero."""
    rows, columns = np.nonzero(array)
    values = array[rows, columns].astype(np.int64)
    return [*array.shape, rows.tolist(), columns.tolist(), values.tolist()]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
