"""Runs an exported folder with torch and transformers alone; prints what it decoded, as JSON.

`python hf_run.py FOLDER STEPS PROGRAM.json...`: the programs as one batch.
"""

import hashlib
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main(folder: str, steps: str, *programs: str) -> None:
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    prompt = tokenizer(list(programs))
    tokens = model.generate(**prompt, max_new_tokens=int(steps))
    decoded = tokens[:, prompt["input_ids"].size(1) :].tolist()
    assert "transputer" not in sys.modules
    rows = []
    for program, row in zip(programs, decoded, strict=True):
        ends = (i for i, token in enumerate(row) if tokenizer.field(token, "status"))
        row = row[: next(ends, len(row)) + 1]
        done = tokenizer.status(row) == "DONE"
        rows.append(
            {
                "sha256": hashlib.sha256(bytes(v for token in row for v in token)).hexdigest(),
                "steps": len(row),
                "status": tokenizer.status(row),
                "text": tokenizer.decode(row),
                "results": tokenizer.results(row, program) if done else None,
            }
        )
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
