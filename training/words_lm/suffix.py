"""Does the end of a question route the answer? `python -m training.words_lm.suffix [--model M …]`.

Comparisons end with ` =` or with ` is`, and nonsense with ` =`. Of what a model writes next, is it
a number, a word of yes or no, or something else? A model is a GGUF file of Llama's architecture,
or a folder that `transformers` loads; without one, SmolLM2-135M-Instruct. Whether a model was
tuned to follow instructions is for the reader to say: what is not run is marked so.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from transputer.errors import UsageError
from transputer.frontends.words.smollm import checkpoint
from transputer.frontends.words.smollm.network import SmolNetwork

PAIRS = (
    *((15, 10), (3, 8), (7, 7), (100, 99), (12, 40), (5, 2), (64, 46), (9, 90), (31, 13), (1, 2)),
    *((20, 20), (77, 17), (6, 60), (250, 205), (18, 81), (44, 43), (8, 3), (2, 11), (500, 50)),
    (73, 37),
)
PROMPTS = {
    "`a > b =`": [f"{a} > {b} =" for a, b in PAIRS],
    "`a > b is`": [f"{a} > {b} is" for a, b in PAIRS],
    "`nonsense =`": [f"{a} {b} =" for a, b in zip(
        "foo blue lamp quick stone paper river cloud green seven".split(),
        "bar chair walks table sings floats jumps sleeps runs thinks".split(), strict=True)],
}  # fmt: skip
TRUTHS = frozenset(("yes", "no", "true", "false", "correct", "incorrect", "right", "wrong", "not"))
#: How many pieces a model writes.
LENGTH = 6


def kind(written: str) -> str:
    """What the first word of a continuation is."""
    word = next(iter(written.split()), "").strip(".,!?*\"'`()").lower()
    if word.lstrip("-$").replace(",", "").replace(".", "").isdigit():
        return "number"
    return "yes or no" if word in TRUTHS else "other"


def writer(model: str | None) -> tuple[str, Callable[[str], str]]:
    """A model's name, and what continues a text with it, the likeliest piece every time."""
    if model and Path(model).is_dir():
        return Path(model).name, _transformers(model)
    path = Path(model) if model else checkpoint.find()
    if not path.is_file():
        raise UsageError(f"{path} is neither a GGUF file nor a folder")
    found = checkpoint.read(path)
    network = SmolNetwork(found).eval()
    return path.stem, lambda text: _continued(network, found.tokenizer, text)


@torch.no_grad()
def _continued(network: SmolNetwork, tokenizer: Any, text: str) -> str:
    ids, past, told = torch.tensor([tokenizer.encode(text).ids]), None, []
    for _ in range(LENGTH):
        states, past = network.states(ids, past)
        ids = network.lens(states[-1][:, -1:]).argmax(-1)
        told.append(int(ids))
    written: str = tokenizer.decode(told)
    return written


def _transformers(folder: str) -> Callable[[str], str]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)

    def continued(text: str) -> str:
        read = tokenizer(text, return_tensors="pt")
        made = model.generate(**read, max_new_tokens=LENGTH, do_sample=False)
        written: str = tokenizer.decode(made[0, read["input_ids"].shape[1] :])
        return written

    return continued


def main() -> None:
    """Every prompt on every model, as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a GGUF file or a folder; may be repeated")
    parser.add_argument("--out", type=Path, help="save the counts and the texts there, as JSON")
    args = parser.parse_args()
    report: dict[str, Any] = {}
    for model in args.model or [None]:
        name, write = writer(model)
        rows = report[name] = {}
        for label, prompts in PROMPTS.items():
            texts = {prompt: write(prompt) for prompt in prompts}
            rows[label] = {"kinds": dict(Counter(map(kind, texts.values()))), "texts": texts}
    print("| model | prompt | prompts | number | yes or no | other |")
    print("| :-- | :-- | --: | --: | --: | --: |")
    for name, rows in report.items():
        for label, row in rows.items():
            counts = (row["kinds"].get(k, 0) for k in ("number", "yes or no", "other"))
            print(f"| {name} | {label} | {len(row['texts'])} | {' | '.join(map(str, counts))} |")
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
