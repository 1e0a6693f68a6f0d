"""Every task, learned and proved: `python -m tools.learning.solve --out solved.json`."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from transputer.learning.learner import learn
from transputer.learning.shown import TEN
from transputer.learning.tasks import TASKS


def solve(names: Sequence[str], method: str, seconds: float) -> Iterator[dict[str, Any]]:
    """What `learn` says of each task, from one seed or, for those of `TEN`, from ten."""
    for name in names:
        for seed in range(10 if name in TEN else 1):
            learned = learn(name, method, seed, seconds)
            yield {"seed": seed, **learned.as_json()}
            verdict = "solved" if learned.solved else "NOT solved"
            print(f"{name} {seed}: {verdict}, {learned.evaluations:,} evaluations, "
                  f"{learned.seconds:.1f} s", file=sys.stderr, flush=True)  # fmt: skip


def main() -> None:
    """Learn tasks (all, if none is named) and write what came of it."""
    parser = argparse.ArgumentParser(description="Learn every task and prove the programs.")
    parser.add_argument("tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    results = []
    for result in solve(options.tasks, options.method, options.seconds):
        results.append(result)
        options.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
