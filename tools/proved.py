"""Derive every row of the universal model, check it against the weights, and write the file.

    python -m tools.proved

The file is what the package ships: `transputer.engines.lifted.decoder.proved` says how it is
checked when it is read. Short trees of rows that are still the same are kept (`tools/short`). It
takes some ten minutes of one core; `--more` keeps the rows that the
file of this model has, derives those that it lacks, and compares all of them.
"""

import argparse
import random
import sys

from transputer.engines.lifted.decoder.certificate import disagreement
from transputer.engines.lifted.decoder.lifting import Lifting, lifting
from transputer.engines.lifted.decoder.proved import FOLDER, Fixed, proved_rows, write_rows
from transputer.engines.lifted.decoder.rows import Tree
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import digest

#: Random tokens for which the formulas of a row are compared with the dense weights.
SAMPLES = 8


def derived(lifted: Lifting) -> list[tuple[Fixed, Tree]]:
    """Every row, compared with the weights."""
    rng, rows = random.Random(1), []
    for number, (chosen, tree) in enumerate(lifted.reachable()):
        if tree is None:
            raise SystemExit(f"a row takes too many terms: {chosen}")
        for _ in range(SAMPLES):
            if problem := disagreement(lifted, chosen, tree, rng):
                raise SystemExit(problem)
        rows.append((dict(chosen), tree))
        if sys.stderr.isatty():
            print(f"\r{number + 1} rows", end="", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Derive every row of the universal model.")
    parser.add_argument("--more", action="store_true", help="derive only rows that are missing")
    options = parser.parse_args()
    model, stops = trace_model(), frozenset([STATUS])
    lifted = lifting(model, stops, fresh=not options.more, short=False)
    rows, before = derived(lifted), proved_rows(digest(model), stops)
    known = {} if before is None else before.short
    old = {} if before is None else {tuple(sorted(before.chosen[n].items())): n for n in known}
    short = {}
    for number, (fixed, tree) in enumerate(rows):
        same = old.get(tuple(sorted(fixed.items())))  # of use as long as the derived tree is
        if before is not None and same is not None and before.derived(same) == tree:
            short[number] = known[same]
    path = write_rows(FOLDER, digest(model), stops, lifted.frame, rows, short)
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
