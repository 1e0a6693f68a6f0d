"""How fast lifted code is where everything is numbered anew: a script, for figures, not a test.

    PYTHONPATH=src:. python tests/engines/lifted_renumbered.py

It runs a loop of additions on the universal model, and on the same weights without names and with
lanes, heads, neurons and opcodes permuted, and prints million steps per second of CPU time.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.engines.listening import prompt
from transputer.engines.lifted.decoder import Lifted, Want
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.model import Model, Token, permute, renumber
from transputer.runtime.trace.program import compile_file

NAMES = [name for name, count in LAYOUT for _ in range(count)]
STATUS, OP = NAMES.index("status"), NAMES.index("op")
SOURCE = Path(__file__).parents[2] / "examples" / "bench" / "sum.c"
STEPS = 200_000_000


def speed(model: Model, tokens: Sequence[Token]) -> float:
    """Million steps per second of CPU time, the best of three."""
    engine = Lifted(model, Want((STATUS,)))
    for token in tokens:
        engine.append(token)
    engine.sprint(1000)
    best = 0.0
    for _ in range(3):
        done, started = 0, time.process_time()
        while done < STEPS:
            done += engine.sprint(STEPS - done).steps
        best = max(best, done / (time.process_time() - started) / 1e6)
    if engine.why:
        raise SystemExit(f"not lifted: {engine.why}")
    return best


def main() -> None:
    """Print both speeds and their ratio."""
    rng = np.random.default_rng(5)
    order = [0, *(int(n) + 1 for n in rng.permutation(255))]
    other = permute(renumber(trace_model(), "op", order), rng)
    tokens = prompt(compile_file(SOURCE), "run", [10**8])
    recoded = [(*t[:OP], order[t[OP]], *t[OP + 1 :]) for t in tokens]
    one, two = speed(trace_model(), tokens), speed(other, recoded)
    print(f"as built {one:,.0f} M steps/s, renumbered {two:,.0f}, ratio {two / one:.2f}")


if __name__ == "__main__":
    main()
