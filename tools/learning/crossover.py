"""Gradient against search by size: `python -m tools.learning.crossover --out FILE`.

The task `max` with more registers, more operations and longer programs; evaluations for one
success by gradient descent and by annealing. Every point is a process of its own, so that on a
machine with many cores or a GPU `--processes` shortens the whole.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from transputer.learning.aided import mean_interval
from transputer.learning.measure import Experiment, measure_all
from transputer.learning.search import AnnealingSchedule, anneal
from transputer.learning.tasks import STRAIGHT, TASKS

_TASK = "max"
_MORE = ("JMP", "JEQ", "JNE", "JLT", "JGE", "DJNZ", "LD", "ST", "LDP", "STP")
#: Sets of operations by their number; none has MIN, MAX or a probability to stop.
OPS = {
    len(ops): ops
    for ops in (
        ("MOV", "SUB", "CMP", "CMOV"),
        tuple(name for name in STRAIGHT if name != "HALT"),
        (*(name for name in STRAIGHT if name != "HALT"), *_MORE),
    )
}


def points(
    registers: Sequence[int], ops: Sequence[int], lengths: Sequence[int], restarts: int
) -> list[Experiment]:
    """The experiments of gradient descent, one for each combination."""
    return [
        Experiment(f"{r} registers, {o} operations, length {n}", _TASK,
                   {"registers": r, "only": OPS[o], "length": n}, restarts)
        for r, o, n in product(registers, ops, lengths)
    ]  # fmt: skip


def searched(registers: int, ops: int, length: int, seeds: int = 10) -> dict[str, Any]:
    """Annealing on the same machine, from ten seeds: solved, and evaluations with 95 % interval."""
    task = replace(TASKS[_TASK], registers=registers, ops=OPS[ops])
    found = [
        anneal(task, seed, 20, AnnealingSchedule(changes=20_000), length=length)
        for seed in range(seeds)
    ]
    mean, low, high = mean_interval([float(each.evaluations) for each in found])
    right = sum(1 for each in found if each.code is not None)
    return {"seeds": seeds, "solved": right, "mean": round(mean), "interval": [low, high]}


def compare(
    experiments: Sequence[Experiment], processes: int, seen: Any = lambda _: None
) -> list[dict[str, Any]]:
    """Both methods at each point."""
    rows = []
    for result in measure_all(experiments, processes, seen):
        chosen = result["settings"]
        point = (chosen["registers"], len(chosen["only"]), chosen["length"])
        rows.append({
            "registers": point[0], "ops": point[1], "length": point[2],
            "gradient": {name: result[name] for name in ("solved", "restarts", "interval", "rate",
                                                         "evaluations")},
            "search": searched(*point),
        })  # fmt: skip
    return rows


def main() -> None:
    """Compare on a grid and write the results."""
    parser = argparse.ArgumentParser(description="Gradient against search.")
    parser.add_argument("--registers", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--ops", type=int, nargs="+", choices=sorted(OPS), default=sorted(OPS))
    parser.add_argument("--lengths", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--restarts", type=int, default=128)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    grid = points(options.registers, options.ops, options.lengths, options.restarts)

    def seen(result: dict[str, Any]) -> None:
        print(f"{result['name']}: {result['rate']:.0%}", file=sys.stderr, flush=True)

    rows = compare(grid, options.processes, seen)
    options.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
