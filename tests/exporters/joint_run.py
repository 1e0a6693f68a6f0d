"""Asks an exported language model with torch and transformers alone; prints answers as JSON.

`python joint_run.py FOLDER TOKENS QUESTION...`: the questions as one batch. The hash is that of the
machine's tokens: their parts, without the ids.
"""

import hashlib
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main(folder: str, limit: str, *questions: str) -> None:
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    prompt = tokenizer(list(questions))
    tokens = model.generate(**prompt, max_new_tokens=int(limit))
    assert "transputer" not in sys.modules
    rows = []
    for row in tokens[:, prompt["input_ids"].size(1) :].tolist():
        machine = [e.token[1:] for e in tokenizer.events(row) if e.name in ("step", "out")]
        answer = tokenizer.read(row)
        rows.append(
            {
                "text": answer.text,
                "programs": answer.programs,
                "outputs": answer.outputs,
                "traps": answer.traps,
                "steps": answer.steps,
                "tokens": len(row),
                "sha256": hashlib.sha256(bytes(v for t in machine for v in t)).hexdigest(),
            }
        )
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
