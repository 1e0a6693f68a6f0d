"""Success rates: `python -m tools.learning.measure NAME… --out results.json`.

The experiments behind the page on learning, in groups.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.learning.population import evolve
from transputer.errors import UsageError
from transputer.learning import measure as one
from transputer.learning.gradient import Settings
from transputer.learning.gradient_settings import standard
from transputer.learning.measure import SHOWN, first_found, grid, measure_all
from transputer.learning.tasks import TASKS


@dataclass(frozen=True, slots=True)
class Experiment(one.Experiment):
    """An experiment; with `population` the restarts exchange what they learned."""

    population: bool = False


def measure(experiment: one.Experiment) -> dict[str, Any]:
    """How many restarts of an experiment solved the task, with the 95 % interval."""
    if not isinstance(experiment, Experiment) or not experiment.population:
        return one.measure(experiment)
    settings = Settings(**experiment.settings)
    bred = evolve(TASKS[experiment.task], settings, experiment.restarts, experiment.seed)
    return one.measure(experiment, bred)


GROUPS: dict[str, Sequence[one.Experiment]] = {
    "shown": SHOWN,
    "fresh": [replace(each, seed=1) for each in reversed(SHOWN)],  # a seed that chose nothing
    "slack": [
        *grid("add", (1, 2, 4, 8)), *grid("max", (2, 4, 8, 16)), *grid("abs", (3, 4, 8, 16)),
    ],
    "annealing": [
        *grid("max", (8,), cold=0.1), *grid("abs", (8,), cold=0.1),
        *grid("max", (8,), cold=0.3), *grid("abs", (8,), cold=0.3),
        *grid("max", (8,), warm=3.0, cold=0.3), *grid("abs", (8,), warm=3.0, cold=0.3),
        *grid("max", (8,), warm=3.0, cold=3.0), *grid("abs", (8,), warm=3.0, cold=3.0),
    ],
    "variants": [
        *grid("max", (8,), entropy=0.1), *grid("abs", (8,), entropy=0.1),
        *grid("max", (8,), scale=0.3), *grid("abs", (8,), scale=0.3),
        *grid("max", (8,), rate=0.03), *grid("abs", (8,), rate=0.03),
        *grid("max", (8,), rate=0.3), *grid("abs", (8,), rate=0.3),
    ],
    "examples": [*grid("abs", (8,), examples=8), *grid("abs", (8,), examples=64)],
    "abs": [
        *grid("abs", (16,)), *grid("abs", (16,), scale=1.5),
        *grid("abs", (16,), scale=1.5, registers=8),
        *grid("abs", (16,), scale=1.5, registers=8, noise=1.0),
        *grid("abs", (16,), scale=1.5, registers=16, noise=1.0),
    ],
    "registers": [*grid("max", (8,), registers=8), *grid("max", (8,), registers=16),
                  *grid("max", (8,), without=())],
    "tasks": [
        experiment
        for name in ("sub", "min", "swap", "clamp", "average", "blsr", "sign", "sort2")
        for experiment in grid(name, (8,))
    ],
    "wide": [*grid("add", (2,), width=32), *grid("max", (12,), width=32),
             *grid("abs", (16,), registers=8, scale=1.5, noise=1.0, updates=1000, width=32)],
}  # fmt: skip


#: Two tasks that plain gradient descent learns often and seldom, so that help and harm show.
_PLAIN = {"max": {"length": 4}, "abs": {"length": 8}}
_PHASES = {"schedule": "phases", "warm": 3.0, "cold": 0.1, "entropy": 0.1}
_BRANCHLESS = "SRA R1, R0, -1\nXOR R0, R0, R1\nSUB R0, R0, R1"
_SUBROUTINES = "?\n?\n?\n?\nHALT\nCMP R0, R1\nCMOV R0, R1\nRET R3\nCMP R1, R0\nCMOV R0, R1\nRET R3"


def _both(label: str, restarts: int = 64, **more: Any) -> list[Experiment]:
    """A row for each of the two plain tasks, with something added."""
    settings = more.pop("settings", {})
    return [
        Experiment(f"{task}: {label}", task, {**plain, **settings}, restarts, **more)
        for task, plain in _PLAIN.items()
    ]


def _one(name: str, task: str, restarts: int = 64, **more: Any) -> Experiment:
    settings = more.pop("settings", {})
    return Experiment(name, task, {**_PLAIN.get(task, {}), **settings}, restarts, **more)


#: One row for each technique.
ABLATIONS = [
    *_both("plain"),
    *(_one(f"{task}: floats, {label}", task, 128,
           settings={"length": 8, "values": "floats", "warm": 3.0, "cold": cold})
      for task in ("add", "max", "abs")
      for label, cold in (("fixed high", 3.0), ("annealed", 0.1))),
    *_both("five phases, no local search", settings=_PHASES),
    *_both("five phases", settings=_PHASES, repair=2000),
    *_both("length curriculum", settings={"curriculum": "length"}),
    *_both("difficulty curriculum", settings={"curriculum": "difficulty"}),
    _one("abs: mask of 5 operations", "abs",
         settings={"only": ("SRA", "XOR", "SUB", "ADD", "MOV")}),
    _one("max: mask of 4 operations", "max", settings={"only": ("CMP", "CMOV", "MOV", "SUB")}),
    _one("abs: sketch gives its first line", "abs", given="SRA R1, R0, -1"),
    _one("max: sketch gives its first line", "max", given="CMP R0, R1"),
    _one("clamp without MIN and MAX, no library", "clamp", 32, steps=11, settings={
        "length": 11, "also": ("CALL", "RET"), "without": ("MIN", "MAX"), "registers": 4}),
    _one("clamp: library of max and min", "clamp", 32, steps=11, given=_SUBROUTINES, settings={
        "length": 11, "only": ("HALT", "MOV", "ADD", "CMP", "CMOV", "CALL", "RET"),
        "without": (), "registers": 4}),
    _one("abs: imitates a right program, weakly", "abs", start=_BRANCHLESS, strength=1.0),
    _one("max: imitates min", "max", start="CMP R1, R0\nCMOV R0, R1", strength=1.0),
    *_both("shaped: a result elsewhere earns half", settings={"shaped": 0.5}),
    *_both("auxiliary: the loss after every step too", settings={"auxiliary": 0.3}),
    *_both("hybrid: 100 updates, then 2,000 changes", settings={"updates": 100}, repair=2000),
    *_both("population, 6 rounds", population=True),
    *_both("straight-through", settings={"variant": "straight"}),
    *_both("Gumbel", settings={"variant": "gumbel"}),
]  # fmt: skip
GROUPS["ablations"] = ABLATIONS


def _recipe(label: str, task: str, restarts: int, steps: int = 0, given: str = "",
            **changes: Any) -> Experiment:  # fmt: skip
    """The settings of `learn --method gradient`, on a seed that chose nothing."""
    settings = {**standard(TASKS[task]), **changes}
    return Experiment(f"{task}, {label}", task, settings, restarts, 7, steps=steps, given=given)


#: One recipe for all tasks, and loops by gradient descent alone.
UNIFORM = [
    *(_recipe("the recipe for all tasks", task, 512) for task in ("add", "max", "abs")),
    *(_recipe("the recipe without shaping", task, 512, shaped=0.0)
      for task in ("add", "max", "abs")),
    _recipe("horizon 48", "sum_array", 128, 48),
    _recipe("horizon 32, DJNZ R1, 0 given", "sum_array", 128, 32, "?\n?\nDJNZ R1, 0\n?", length=4),
    _recipe("horizon 40, length 6, no shaping", "sum_array", 128, 40, length=6, shaped=0.0),
]  # fmt: skip
GROUPS["uniform"] = UNIFORM


def chosen(groups: Sequence[str], restarts: int | None = None) -> list[one.Experiment]:
    """The experiments of some groups, with another number of restarts if one is given."""
    unknown = [group for group in groups if group not in GROUPS]
    if unknown:
        raise UsageError(f"no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    found = [each for group in groups for each in GROUPS[group]]
    return [replace(each, restarts=restarts or each.restarts) for each in found]


def main() -> None:
    """Run groups of experiments and write their results as JSON."""
    parser = argparse.ArgumentParser(description="Success rates of learning by gradient.")
    parser.add_argument("groups", nargs="*", default=["shown"])
    parser.add_argument("--found", nargs="*", default=[], metavar="TASK",
                        help="time the first program found at 32 bits instead")  # fmt: skip
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--restarts", type=int)
    parser.add_argument("--shards", type=int, default=1, help="devices to share restarts among")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.found:
        times = [first_found(task, 32) for task in options.found]
        print(json.dumps(times), file=sys.stderr)
        if options.out:
            options.out.write_text(json.dumps(times, indent=1) + "\n")
        return
    found: list[dict[str, Any]] = []

    def seen(result: dict[str, Any]) -> None:
        found.append(result)
        low, high = result["interval"]
        share = f"{result['solved']}/{result['restarts']} ({low:.0%} to {high:.0%})"
        print(f"{result['name']}: {share}, {result['seconds']:.0f} s", file=sys.stderr, flush=True)
        if options.out:
            options.out.write_text(json.dumps(found, indent=1) + "\n")

    experiments = chosen(options.groups, options.restarts)
    experiments = [replace(each, shards=options.shards) for each in experiments]
    measure_all(experiments, options.processes, seen, measure)


if __name__ == "__main__":
    main()
