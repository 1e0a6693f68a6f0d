"""Processor time of `transputer learn add` run again: `python -m tools.learning.warm`.

Each run is a process of its own. The first fills the caches on disk (compiled searches and JAX
steps) in an empty folder; the others find them there.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.learning.sections import DOCS

#: Runs after the first.
RUNS = 3
COMMANDS = ("learn add",)


def spent(command: str, folder: str) -> float:
    """Processor seconds of one run, with its caches in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "transputer", *command.split()],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": folder},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 2)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "warm.json")
    options = parser.parse_args()
    results = []
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            first, *others = (spent(command, folder) for _ in range(1 + RUNS))
        results.append({"command": f"transputer {command}", "first": first, "others": others})
        print(json.dumps(results[-1]), flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
