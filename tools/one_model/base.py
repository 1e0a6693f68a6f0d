"""The base language model as a few small files: `python -m tools.one_model.base GGUF --out DIR`.

A GGUF file of SmolLM2-135M becomes pieces of one file: quantised blocks as they are, the tokenizer,
and texts. `load` reads the joined file with NumPy alone, so that a machine without the GGUF library
can train.
"""

import argparse
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from transputer.frontends.words.smollm.checkpoint import SmolCheckpoint, SmolShape

NAME = "base.safetensors"


def pack(path: Path, texts: dict[str, list[str]], out: Path, pieces: int) -> None:
    """Write a GGUF file, its tokenizer and texts as pieces of about equal size."""
    from gguf import GGUFReader

    from transputer.frontends.words.smollm.checkpoint import read

    checkpoint = read(path)
    tensors: dict[str, Any] = {}
    for tensor in GGUFReader(path).tensors:
        kind = tensor.tensor_type.name
        data = tensor.data if kind == "F32" else tensor.data.view(np.uint8)
        tensors[f"{kind}.{tensor.name}"] = np.ascontiguousarray(data)
    about = {
        "shape": [getattr(checkpoint.shape, name) for name in SmolShape.__slots__],
        "tokenizer": checkpoint.tokenizer.to_str(),
        "texts": texts,
    }
    packed = zlib.compress(json.dumps(about).encode(), 9)
    tensors["about"] = np.frombuffer(packed, dtype=np.uint8)
    whole = save(tensors)
    out.mkdir(parents=True, exist_ok=True)
    size = -(-len(whole) // pieces)
    for i in range(pieces):
        (out / f"piece{i}").write_bytes(whole[i * size : (i + 1) * size])
    print(f"{pieces} pieces of {size:,} bytes")


def load(folder: Path) -> tuple[SmolCheckpoint, dict[str, list[str]]]:
    """Return the language model and the texts from a folder with the joined file or its pieces."""
    from tokenizers import Tokenizer

    path = folder / NAME
    if not path.exists():
        parts = sorted(folder.glob("piece*"), key=lambda p: int(p.name[5:]))
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
    tensors = load_file(path)
    about = json.loads(zlib.decompress(tensors.pop("about").tobytes()))
    shape = SmolShape(*about["shape"])
    weights = {}
    for name, data in tensors.items():
        kind, name = name.split(".", 1)
        weights[name] = DEQUANTISE[kind](data)
    return SmolCheckpoint(shape, weights, Tokenizer.from_str(about["tokenizer"])), about["texts"]


def _q4_1(data: NDArray[Any]) -> NDArray[np.float32]:
    """Blocks of 32: scale and minimum as float16, then 16 bytes of two nibbles."""
    blocks = data.reshape(len(data), -1, 20)
    scale, least = (
        np.ascontiguousarray(blocks[..., at : at + 2]).view(np.float16).astype(np.float32)
        for at in (0, 2)
    )
    nibbles = np.concatenate([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], -1)
    return (nibbles * scale + least).reshape(len(data), -1).astype(np.float32)


def _q8_0(data: NDArray[Any]) -> NDArray[np.float32]:
    """Blocks of 32: scale as float16, then signed bytes."""
    blocks = data.reshape(len(data), -1, 34)
    scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    values = np.ascontiguousarray(blocks[..., 2:]).view(np.int8).astype(np.float32)
    return (values * scale).reshape(len(data), -1)


DEQUANTISE: dict[str, Any] = {"F32": lambda data: data, "Q4_1": _q4_1, "Q8_0": _q8_0}


def main() -> None:
    """Write the pieces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--gsm8k", type=Path, required=True, help="training problems, jsonl")
    parser.add_argument("--text", type=Path, required=True, help="public-domain text to measure on")
    parser.add_argument("--prose", type=Path, required=True, help="other prose, to stay close on")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pieces", type=int, default=6)
    args = parser.parse_args()
    problems = [json.loads(line) for line in args.gsm8k.read_text().splitlines()[:2000]]
    prose = [text for text in args.prose.read_text().split("\n\n") if len(text) > 100]
    texts = {
        "train": [problem["question"] for problem in problems] + prose,
        "measure": [args.text.read_text()[:60_000]],
    }
    pack(args.gguf, texts, args.out, args.pieces)


if __name__ == "__main__":
    main()
