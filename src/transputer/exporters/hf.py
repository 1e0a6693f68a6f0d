"""Export a model as a folder that the transformers library loads.

The code in the folder is the source of the torch engine, byte for byte; `config.json` has the shape
of its network, `model.safetensors` its state, `program.json` a program if the model carries one.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from transputer.errors import UsageError
from transputer.machines.trace.packed import NAMES, Start
from transputer.machines.trace.vocabulary import LAYOUT, TRAPS, Space, Status
from transputer.model import Model, digest
from transputer.version import __version__

#: Files of the folder that are sources of this package: their names, and the packages.
SOURCES = {
    "network.py": "transputer.engines.torch",
    "probe.py": "transputer.engines.torch",
    "modeling_transputer.py": "transputer.engines.torch",
    "number_tokenizer.py": "transputer.exporters",
    "tokenization_transputer.py": "transputer.exporters",
}
PROGRAM = "program.json"


def write_folder(model: Model, start: Start | None, folder: Path) -> list[Path]:
    """Write the folder of a model, and of the program that it starts; return the files' paths.

    Raises `UsageError` if the folder cannot be written.
    """
    return write_files(folder_contents(model, start), folder)


def write_files(contents: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Write files into a folder; return their paths. Raises `UsageError` if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in contents.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from None
    return [folder / name for name in contents]


def folder_contents(model: Model, start: Start | None) -> dict[str, bytes]:
    """Return the files of the folder, by name."""
    from transputer.engines.torch.decoder import network_weights

    shape, tensors = network_weights(model)
    weights = digest(model)
    contents = {
        "config.json": json_file(_config(model, shape, start, weights)),
        "generation_config.json": json_file({"do_sample": False}),
        "tokenizer_config.json": json_file(_tokenizer()),
        "model.safetensors": save(
            {f"network.{name}": tensor for name, tensor in tensors.items()}, {"format": "pt"}
        ),
        "README.md": _card(model, start, weights).encode(),
    }
    for name, package in SOURCES.items():
        contents[name] = files(package).joinpath(name).read_bytes()
    if start is not None:
        contents[PROGRAM] = prompt_file(start)
    return contents


def prompt_file(start: Start) -> bytes:
    """Return a program as the tokenizer reads it: its tokens, types and default arguments."""
    return json.dumps(asdict(start)).encode() + b"\n"


def json_file(value: Mapping[str, Any]) -> bytes:
    """Return a value as the contents of a JSON file."""
    return json.dumps(value, indent=1).encode() + b"\n"


def _config(
    model: Model, shape: Mapping[str, Any], start: Start | None, weights: str
) -> dict[str, Any]:
    status = NAMES.index("status")
    return {
        "architectures": ["TransputerForCausalLM"],
        "model_type": "transputer",
        "dtype": "float64",
        "auto_map": {
            "AutoConfig": "modeling_transputer.TransputerConfig",
            "AutoModelForCausalLM": "modeling_transputer.TransputerForCausalLM",
            "AutoTokenizer": ["tokenization_transputer.TransputerTokenizer", None],
        },
        "transputer": {"version": __version__, "digest": weights},
        "status_part": (start.views[status].part or 0) if start is not None else status,
        "groups": group_tables(model),
        "network": shape,
    }


def group_tables(model: Model) -> dict[str, Any]:
    """Return names of heads, groups of neurons and lanes, as `Probe` reads them."""
    heads = []
    for row in model.hints.get("heads", ()):
        widths = [len(head.value) for head in model.layers[row["layer"]].heads]
        heads.append({k: row[k] for k in ("layer", "head", "name")} | {"widths": widths})
    neurons = [
        {key: row[key] for key in ("layer", "first", "count", "group")}
        for row in model.hints.get("neurons", ())
    ]
    return {"heads": heads, "neurons": neurons, "lanes": list(model.names)}


def _tokenizer() -> dict[str, Any]:
    statuses = {s.name: int(s) for s in Status if s is not Status.TRAPS}
    statuses |= {f"TRAP_{trap.name}": Status.TRAPS + i for i, trap in enumerate(TRAPS)}
    return {
        "tokenizer_class": "TransputerTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_transputer.TransputerTokenizer", None]},
        "fields": [list(item) for item in LAYOUT],
        "spaces": {space.name: int(space) for space in Space},
        "statuses": statuses,
    }


def _card(model: Model, start: Start | None, weights: str) -> str:
    if start is not None:
        program = f"The folder carries the program `{start.invoke}` of `{start.name}`."
        call = f"tokenizer(args=[{', '.join(map(str, start.defaults or ()))}])"
        call = "tokenizer()" if not start.defaults else call
    else:
        program = "Programs come from `transputer export FILE --to prompt -o program.json`."
        call = 'tokenizer("program.json")'
    sizes = accumulate(len(layer.gate) for layer in model.layers)
    return f"""---
license: apache-2.0
library_name: transformers
tags: [transputer, exact-computation, interpretability]
---

# Transputer

A decoder-only transformer with analytic weights that executes WebAssembly exactly: one token per
executed instruction. {len(model.layers)} layers, {model.width} lanes,
{sum(len(layer.heads) for layer in model.layers)} heads, {max(sizes)} neurons; weights are integers
in float64. {program}

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "."
model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
prompt = {call}
tokens = model.generate(**prompt)[0]
print(tokenizer.decode(tokens), tokenizer.status(tokens))
```

* A token has {len(model.parts)} parts: `input_ids` is (batch, time, parts), logits are
  (batch, time, parts, values), and greedy decoding takes the largest logit of each part.
* Attention is `scaled_dot_product_attention`; every pattern is exactly one-hot.
* The weights stay float64 whatever `dtype` is asked for: fewer bits would not be exact.
* `model.probe` names heads, neuron groups and lanes, and reads, ablates and patches them.
* Limits: greedy decoding only. The program is given, not learned; nothing here is trained.

Version {__version__}, weights `{weights[:16]}`. The code in this folder is the source of the
package's own engine.
"""
