"""Runs an exported looped folder with torch and transformers alone; prints its runs as JSON.

`python looped_run.py FOLDER STEPS VARIABLES...`: the variables of each run as JSON, in one batch.
The hash is that of every state of the first run, as 32-bit integers.
"""

import hashlib
import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer


class Hash:
    def __init__(self) -> None:
        self.sha256, self.states = hashlib.sha256(), 0

    def put(self, states: torch.Tensor) -> None:
        self.sha256.update(states[0].to(torch.int32).numpy().tobytes())
        self.states += 1

    def end(self) -> None:
        pass


def main(folder: str, steps: str, *variables: str) -> None:
    torch.set_num_threads(1)
    model = AutoModel.from_pretrained(folder, trust_remote_code=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    streamer = Hash()
    batch = tokenizer([json.loads(one) for one in variables])
    run = model.run(**batch, max_steps=int(steps), streamer=streamer)
    assert "transputer" not in sys.modules
    print(
        json.dumps(
            {
                "sha256": streamer.sha256.hexdigest(),
                "states": streamer.states,
                "steps": run.steps.tolist(),
                "halted": run.halted.tolist(),
                "output": [text.decode() for text in run.output],
                "results": [tokenizer.results(state) for state in run.state],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
