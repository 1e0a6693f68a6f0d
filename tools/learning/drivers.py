"""Drivers learned through devices: `python -m tools.learning.drivers` writes their result file."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from tools.learning.sections import DOCS
from transputer.learning.drivers import OPERATIONS, SIDE, TASKS, learn_driver
from transputer.learning.measure import interval


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--restarts", type=int, default=16)
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "drivers.json")
    options = parser.parse_args()
    target = options.out
    saved = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for name in options.tasks:
        result = learn_driver(TASKS[name], options.restarts)
        saved[name] = {
            **{k: v for k, v in asdict(result).items() if k != "programs"},
            "doc": TASKS[name].doc,
            "rate": result.solved / result.restarts,
            "interval": interval(result.solved, result.restarts),
            "operations": OPERATIONS,
            "side": SIDE,
            "program": list(map(str, result.programs[0])) if result.programs else [],
        }
        target.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
        print(name, result.solved, result.restarts, round(result.seconds), flush=True)


if __name__ == "__main__":
    main()
