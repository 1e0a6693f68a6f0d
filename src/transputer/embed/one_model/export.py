"""Export a language model with the trace machine inside as a folder for the transformers library.

The code in the folder is the source of this package's own network; `model.safetensors` has both
networks, `library.json` the routines that a sequence begins with.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from transputer.embed.one_model.machine import extended, library
from transputer.embed.one_model.module import EXTRA, kind_tables, language_rows
from transputer.embed.one_model.vocabulary import KINDS
from transputer.engines.torch.decoder import network_weights
from transputer.exporters.hf import group_tables, json_file, write_files
from transputer.frontends.words.smollm.checkpoint import SmolShape
from transputer.machines.trace.vocabulary import LAYOUT, Space
from transputer.model import Array, Model, digest
from transputer.version import __version__

#: Files of the folder that are sources of this package: their names, and the packages.
SOURCES = {
    "network.py": "transputer.engines.torch",
    "probe.py": "transputer.engines.torch",
    "joint.py": "transputer.engines.torch",
    "modeling_joint.py": "transputer.engines.torch",
    "decoded.py": "transputer.exporters",
    "tokenization_joint.py": "transputer.exporters",
}
_MATRICES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}  # fmt: skip


@dataclass(frozen=True)
class LanguageModel:
    """A language model of Llama's kind to export.

    `weights` have the names and the order of a GGUF file; `embedding` includes the rows of kinds
    (`EXTRA` of them) behind its own. `tokenizer` is the text of `tokenizer.json`; `begin` and `end`
    are the ids around a message, `characters` those of the bytes 0 to 255.
    """

    name: str
    shape: SmolShape
    weights: Mapping[str, NDArray[Any]]
    embedding: NDArray[Any]
    tokenizer: str
    begin: int
    end: int
    characters: list[int]
    positions: int = 8192

    @property
    def own(self) -> int:
        """The number of ids of text."""
        return len(self.embedding) - EXTRA


def write_joint(language: LanguageModel, folder: Path) -> list[Path]:
    """Write the folder; return the files' paths. Raises `UsageError` if it cannot be written."""
    return write_files(joint_contents(language), folder)


def joint_contents(language: LanguageModel) -> dict[str, bytes]:
    """Return the files of the folder, by name."""
    routines = library()
    model = extended(routines=routines)
    shape, machine = network_weights(model)
    tensors = {f"joint.machine.{name}": array for name, array in machine.items()}
    tensors |= {f"joint.{name}": table for name, table in kind_tables().items()}
    tensors["joint.tower.rows"] = language_rows(language.own, language.characters)
    for name, array in llama_weights(language).items():
        tensors[f"joint.tower.model.{name}"] = array
    contents = {
        "config.json": json_file(_config(language, model, shape)),
        "generation_config.json": json_file({"do_sample": False}),
        "tokenizer_config.json": json_file(_tokenizer(language)),
        "tokenizer.json": language.tokenizer.encode(),
        "library.json": json.dumps(routines.tokens).encode() + b"\n",
        "model.safetensors": save(
            {name: np.ascontiguousarray(array) for name, array in tensors.items()},
            {"format": "pt"},
        ),
        "README.md": _card(language, model).encode(),
    }
    for name, package in SOURCES.items():
        contents[name] = files(package).joinpath(name).read_bytes()
    return contents


def _config(language: LanguageModel, model: Model, shape: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "architectures": ["TransputerJointForCausalLM"],
        "model_type": "transputer_joint",
        "dtype": "float32",
        "auto_map": {
            "AutoConfig": "modeling_joint.JointConfig",
            "AutoModelForCausalLM": "modeling_joint.TransputerJointForCausalLM",
            "AutoTokenizer": ["tokenization_joint.JointTokenizer", None],
        },
        "transputer": {"version": __version__, "digest": digest(model), "base": language.name},
        "own": language.own,
        "kinds": KINDS.count,
        "writes": KINDS.run,
        "end": language.end,
        "language": language_config(language),
        "groups": group_tables(model),
        "network": shape,
    }


def language_config(language: LanguageModel) -> dict[str, Any]:
    """Return the configuration of the language model in the words of transformers."""
    smol = language.shape
    return {
        "model_type": "llama",
        "vocab_size": len(language.embedding),
        "hidden_size": smol.width,
        "intermediate_size": smol.inner,
        "num_hidden_layers": smol.layers,
        "num_attention_heads": smol.heads,
        "num_key_value_heads": smol.shared_heads,
        "rms_norm_eps": smol.epsilon,
        "rope_parameters": {"rope_type": "default", "rope_theta": smol.rope},
        "max_position_embeddings": language.positions,
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": language.end,
    }


def _tokenizer(language: LanguageModel) -> dict[str, Any]:
    return {
        "tokenizer_class": "JointTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_joint.JointTokenizer", None]},
        "own": language.own,
        "parts": sum(count for _, count in LAYOUT),
        "kinds": KINDS.table(),
        "begin": language.begin,
        "end": language.end,
        "fields": [list(item) for item in LAYOUT],
        "spaces": {space.name: int(space) for space in Space},
    }


def llama_weights(language: LanguageModel) -> dict[str, Array]:
    """Return the weights under the names of transformers, in its order of lanes.

    GGUF rotates neighbouring lanes of a head, transformers the two halves of a head.
    """
    shape = language.shape
    size = shape.width // shape.heads
    tensors = {
        "embed_tokens.weight": language.embedding,
        "norm.weight": language.weights["output_norm.weight"],
    }
    for layer in range(shape.layers):
        for name, there in _MATRICES.items():
            array = language.weights[f"blk.{layer}.{name}.weight"]
            if name in ("attn_q", "attn_k"):
                pairs = array.reshape(-1, size // 2, 2, shape.width)
                array = pairs.swapaxes(1, 2).reshape(array.shape)
            tensors[f"layers.{layer}.{there}.weight"] = array
    return {name: np.asarray(array, np.float32) for name, array in tensors.items()}


def _card(language: LanguageModel, model: Model) -> str:
    return f"""---
license: apache-2.0
library_name: transformers
tags: [transputer, exact-computation]
---

# {language.name} with a Transputer inside

A language model writes a program, the weights of a machine execute it in the same sequence, and the
sentence continues with the result: one module, one decode loop. The program is guessed; its
execution is exact.

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = "."
model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)
tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
prompt = tokenizer("What is 123456789 times 987654321?")
tokens = model.generate(**prompt)[0, prompt["input_ids"].size(1) :]
print(tokenizer.decode(tokens))
print(tokenizer.read(tokens).programs)
```

* A token is an id and the {len(model.parts) - 1} parts of the machine: `input_ids` is
  (batch, time, {len(model.parts)}).
* The machine: {len(model.layers)} layers, {model.width} lanes, analytic weights, integers in
  float64 whatever `dtype` is asked for. `model.probe` names its heads and neuron groups.
* The language model: {language.name} with its adapter merged, `model.joint.tower.model`.
* Limits: greedy decoding only; straight-line programs of 64-bit integers; the program may be wrong,
  so it comes with the answer.

Version {__version__}, machine `{digest(model)[:16]}`. The code in this folder is the source of the
package's own network.
"""
