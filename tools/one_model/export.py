"""Write the language model with the computer inside as a folder for the transformers library.

`python -m tools.one_model.export --out FOLDER` takes the installed SmolLM2-135M and the adapter in
this folder; then `transputer chat --model FOLDER`.
"""

import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file

from tools.one_model.base import load
from tools.one_model.train import END, EXTRA, START, Reader
from transputer.embed.one_model.export import LanguageModel, write_joint
from transputer.frontends.words.smollm.checkpoint import SmolCheckpoint, find, read
from transputer.frontends.words.smollm.network import MATRICES, Rank, SmolNetwork

NAME = "SmolLM2-135M-Instruct"
ADAPTER = Path(__file__).with_name("adapter.safetensors")


def language_model(checkpoint: SmolCheckpoint, network: SmolNetwork) -> LanguageModel:
    """Return a trained network, its adapters merged, as what is exported."""
    network.merge()
    weights = dict(checkpoint.weights)
    for number, layer in enumerate(network.layers):
        for name in MATRICES:
            weights[f"blk.{number}.{name}.weight"] = getattr(layer, name).weight.numpy()
    reader = Reader(checkpoint.tokenizer, len(network.embedding))
    # a byte that is no character of the tokenizer reads as row 0, the end of a text
    rows = [(reader.text(chr(byte)) if byte < 128 else []) or [0] for byte in range(256)]
    return LanguageModel(
        NAME,
        checkpoint.shape,
        weights,
        torch.cat([network.embedding, network.extra.data]).numpy(),
        checkpoint.tokenizer.to_str(),
        START,
        END,
        [row[0] for row in rows],
    )


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--base", type=Path, help="folder of tools.one_model.base, not the GGUF file"
    )
    parser.add_argument("--adapter", type=Path, default=ADAPTER)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    checkpoint = load(args.base)[0] if args.base else read(find())
    network = SmolNetwork(checkpoint, Rank(), EXTRA)
    network.load_state_dict(
        {n: t.float() for n, t in load_file(args.adapter).items()}, strict=False
    )
    for path in write_joint(language_model(checkpoint, network), args.out):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
