"""Does the end of a question route the answer? `python -m training.words_lm.suffix --base MODEL`.

Comparisons end with ` =` or with ` is`, and nonsense with ` =`. Of what a model writes next, is it
a number, a word of yes or no, or something else? A model is a GGUF file, run by llama.cpp
(`pip install xllamacpp`), or a folder that `transformers` loads; the instructed one is by default
SmolLM2-135M-Instruct. Writes `results/suffix.json`, with the SHA-256 of every file, and the table
of `docs/words.md`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from training.words.card import ROOT, fill, table
from transputer.errors import UsageError
from transputer.frontends.words.smollm import checkpoint

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
KINDS = ("number", "yes or no", "other")
RESULTS = Path(__file__).parent / "results" / "suffix.json"
#: The page that has the table, between these marks.
PAGE, MARKS = ROOT / "docs" / "words.md", ("<!-- suffix -->", "<!-- /suffix -->")


def kind(written: str) -> str:
    """What the first word of a continuation is."""
    word = next(iter(written.split()), "").strip(".,!?*\"'`()").lower()
    if word.lstrip("-$").replace(",", "").replace(".", "").isdigit():
        return "number"
    return "yes or no" if word in TRUTHS else "other"


def measured(model: Path, tuning: str) -> dict[str, Any]:
    """What a model writes after every prompt, and how many of which kind."""
    write = _transformers(model) if model.is_dir() else _llama_cpp(model)
    rows = {}
    for label, prompts in PROMPTS.items():
        texts = {prompt: write(prompt) for prompt in prompts}
        rows[label] = {"kinds": Counter(map(kind, texts.values())), "texts": texts}
    return {"tuning": tuning, "sha256": _digest(model), "prompts": rows}


def _digest(model: Path) -> str:
    files = sorted(model.glob("*.safetensors")) if model.is_dir() else [model]
    digest = sha256()
    for file in files:
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def page(report: Mapping[str, Any]) -> str:
    """The table of `docs/words.md`."""
    rows = [
        [
            name,
            of["tuning"],
            label,
            str(len(row["texts"])),
            *(str(row["kinds"].get(k, 0)) for k in KINDS),
        ]
        for name, of in report.items()
        for label, row in of["prompts"].items()
    ]
    return table(["model", "tuning", "prompt", "prompts", *KINDS], rows)


def _llama_cpp(path: Path) -> Callable[[str], str]:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_ctx, settings.n_gpu_layers, settings.warmup = 256, 0, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)

    def continued(text: str) -> str:
        asked = {"prompt": text, "max_tokens": LENGTH, "temperature": 0.0, "top_k": 1}
        written: str = server.handle_completions(asked)["choices"][0]["text"]
        return written

    return continued


def _transformers(folder: Path) -> Callable[[str], str]:
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
    for tuning in ("base", "instructed"):
        parser.add_argument(
            f"--{tuning}", action="append", type=Path, help="a GGUF file or a folder"
        )
    args = parser.parse_args()
    models = [(model, "base") for model in args.base or ()]
    models += [(model, "instructed") for model in args.instructed or [checkpoint.find()]]
    if missing := next((model for model, _ in models if not model.exists()), None):
        raise UsageError(f"{missing} is neither a GGUF file nor a folder")
    report = {model.stem: measured(model, tuning) for model, tuning in models}
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    fill(PAGE, MARKS, page(report))
    print(page(report))


if __name__ == "__main__":
    main()
