"""Sorting by a learned loop: `python -m tools.learning.sorting --out sorting.json`."""

import argparse
import json
from pathlib import Path

from transputer.ir.soft import text
from transputer.learning.sorting import learn_to_sort, sizes_sorted


def main() -> None:
    """Learn from ten seeds and say how far each program sorts."""
    parser = argparse.ArgumentParser(description="Sorting by a learned loop.")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for seed in range(options.seeds):
        found = learn_to_sort(seed)
        right = sizes_sorted(found.code) if found.code else []
        rows.append({"seed": seed, "piece": found.piece, "loops": found.loops, "right": right,
                     "program": text(found.code).split("\n") if found.code else []})  # fmt: skip
        options.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
