"""Ask the language model with the computer inside: `python -m tools.one_model.ask QUESTION...`.

Each question is one decode loop of one module. The answer is printed with its programs.
"""

import argparse
import time
from pathlib import Path

import torch
from safetensors.torch import load_file

from tools.one_model.base import load
from tools.one_model.train import END, EXTRA, Reader
from transputer.embed.one_model.module import OneModel, Tower, decode, read_answer
from transputer.frontends.words.smollm.network import Rank, SmolNetwork


def build(base: Path, adapter: Path) -> tuple[OneModel, Reader]:
    """Return the module with an adapter merged into the language model, and its reader."""
    checkpoint, _ = load(base)
    network = SmolNetwork(checkpoint, Rank(), EXTRA)
    network.load_state_dict({n: t.float() for n, t in load_file(adapter).items()}, strict=False)
    network.merge()
    reader = Reader(checkpoint.tokenizer, len(network.embedding))
    # a byte that is no character of the tokenizer reads as row 0, the end of a text
    rows = [(reader.text(chr(byte)) if byte < 128 else []) or [0] for byte in range(256)]
    return OneModel(Tower(network, [row[0] for row in rows])), reader


def main() -> None:
    """Print an answer per question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of tools.one_model.base")
    parser.add_argument("--adapter", type=Path, required=True)
    parser.add_argument("questions", nargs="+")
    args = parser.parse_args()
    torch.set_num_threads(1)
    model, reader = build(args.base, args.adapter)
    for text in args.questions:
        started = time.monotonic()
        tokens = decode(model, model.prompt(reader.prompt(text)), END)
        answer = read_answer(tokens, model.tower.own, reader.tokenizer)
        seconds = time.monotonic() - started
        print(f"{text}\n  {answer.text.strip()}\n  {answer.programs}", flush=True)
        print(f"  {len(tokens)} tokens, {answer.steps} of the machine; {answer.traps} traps; "
              f"{seconds:.1f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
