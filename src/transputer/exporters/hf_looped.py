"""Export a looped model and a program as a folder that the transformers library loads.

The code in the folder is the source of the torch engine, byte for byte; `config.json` has the shape
of its network, `model.safetensors` its weights, `program.safetensors` the first state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from transputer.exporters.hf import json_file, write_files
from transputer.model import Array, Looped, looped_digest
from transputer.version import __version__

#: Files of the folder that are sources of this package: their names, and the packages.
SOURCES = {
    "network.py": "transputer.engines.torch",
    "looped_network.py": "transputer.engines.torch",
    "modeling_looped.py": "transputer.engines.torch",
    "number_tokenizer.py": "transputer.exporters",
    "tokenization_looped.py": "transputer.exporters",
}


@dataclass(frozen=True)
class LoopedStart:
    """A program to export: its first state, the description of states, and the output's place."""

    state: Array
    layout: Mapping[str, Any]
    written: int
    output: int


def write_looped_folder(model: Looped, start: LoopedStart, folder: Path) -> list[Path]:
    """Write the folder; return the files' paths. Raises `UsageError` if it cannot be written."""
    from transputer.engines.torch.looped import looped_weights

    shape, tensors = looped_weights(model)
    contents = {
        "config.json": json_file(_config(model, start, shape)),
        "tokenizer_config.json": json_file(_tokenizer(start)),
        "model.safetensors": save(
            {f"network.{n}": np.ascontiguousarray(t) for n, t in tensors.items()},
            {"format": "pt"},
        ),
        "program.safetensors": save({"state": start.state.astype(np.int32)}),
        "README.md": _card(model, start).encode(),
    }
    for name, package in SOURCES.items():
        contents[name] = files(package).joinpath(name).read_bytes()
    return write_files(contents, folder)


def _config(model: Looped, start: LoopedStart, shape: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "architectures": ["TransputerLoopedModel"],
        "model_type": "transputer_looped",
        "dtype": model.exact,
        "auto_map": {
            "AutoConfig": "modeling_looped.LoopedConfig",
            "AutoModel": "modeling_looped.TransputerLoopedModel",
            "AutoTokenizer": ["tokenization_looped.LoopedTokenizer", None],
        },
        "transputer": {"version": __version__, "digest": looped_digest(model)},
        "columns": model.columns,
        "word": start.layout["rows"]["memory"],
        "written": start.written,
        "output": start.output,
        "names": list(model.names),
        "network": shape,
    }


def _tokenizer(start: LoopedStart) -> dict[str, Any]:
    return {
        "tokenizer_class": "LoopedTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_looped.LoopedTokenizer", None]},
        "layout": dict(start.layout),
    }


def _card(model: Looped, start: LoopedStart) -> str:
    heads = sum(len(layer.heads) for layer in model.layers)
    neurons = sum(len(layer.gate) for layer in model.layers)
    return f"""---
license: apache-2.0
library_name: transformers
tags: [transputer, exact-computation, looped-transformer]
---

# Looped Transputer

A looped transformer with analytic weights that executes a program exactly: one application of its
{len(model.layers)} layers to a matrix of {model.width} rows and {model.columns} columns per
instruction. {heads} heads, {neurons} neurons; weights are integers in {model.exact}.
The folder carries the program `{start.layout["program"]}`.

```python
from transformers import AutoModel, AutoTokenizer

folder = "."
model = AutoModel.from_pretrained(folder, trust_remote_code=True)
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
run = model.run(**tokenizer())
print(run.steps, run.output, tokenizer.results(run.state[0]))
```

* Attention is a true softmax without a mask, and equal scores share equally.
* The weights keep {model.exact} whatever `dtype` is asked for: fewer bits would not be exact.
* `tokenizer({{name: value}})` sets variables of the program; a list of such is a batch.

Version {__version__}, weights `{looped_digest(model)[:16]}`. The code in this folder is the
source of the package's own engine.
"""
