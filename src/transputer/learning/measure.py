"""Success rates: `python -m transputer.learning.measure NAME… --out results.json`.

Each experiment trains many restarts of one task in one setting, in a process of its own, and
counts those whose program is right on every input checked. All seeds are fixed. JAX takes a GPU
if there is one, and several processes may share it.
"""

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from transputer.errors import UsageError
from transputer.ir.soft import Code, parse, text
from transputer.learning.problem import at_width, lines
from transputer.learning.search import Schedule, anneal
from transputer.learning.tasks import TASKS, Task

_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many deviations


def interval(solved: int, tried: int) -> tuple[float, float]:
    """The 95 % interval of a success rate, after Wilson."""
    rate, spread = solved / tried, _Z * _Z / tried
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(rate * (1 - rate) / tried + spread / (4 * tried)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A task in a setting; `settings` are those of `gradient.Settings` that differ.

    `given` is a sketch: a line for each place, `?` where it is free. `start` is a program to
    imitate, with this strength. `repair` is how many random changes annealing may make to what
    gradient descent proposed. With `population` the restarts exchange what they learned.
    They are shared out among so many devices (`shards`).
    """

    name: str
    task: str
    settings: dict[str, Any] = field(default_factory=dict)
    restarts: int = 128
    seed: int = 0
    given: str = ""
    start: str = ""
    strength: float = 1.0
    steps: int = 0
    repair: int = 0
    population: bool = False
    shards: int = 1


def measure(experiment: Experiment) -> dict[str, Any]:
    """Runs one experiment: how many restarts solved the task, with the 95 % interval."""
    from transputer.learning.gradient import Settings, right

    task, settings = TASKS[experiment.task], Settings(**experiment.settings)
    trained = _trained(task, settings, experiment)
    began = time.monotonic()
    found = right(task, trained, settings)
    evaluations = experiment.restarts * settings.updates
    if experiment.repair:
        found, spent = _repaired(task, settings, trained, found, experiment)
        evaluations += spent
    solved = [code for code in found if code is not None]
    low, high = interval(len(solved), experiment.restarts)
    kept = [float(x) for x in trained.losses.mean(0)[:: max(1, settings.updates // 100)]]
    return {
        **asdict(experiment),
        "settings": asdict(settings),
        "solved": len(solved),
        "rate": len(solved) / experiment.restarts,
        "interval": [low, high],
        "evaluations": evaluations,
        "seconds": round(trained.seconds, 2),
        "compiling": round(trained.compiling, 2),
        "checking": round(time.monotonic() - began, 2),
        "mean_loss": kept,
        "programs": [text(code).split("\n") for code in solved[:3]],
    }


def _trained(task: Task, settings: Any, experiment: Experiment) -> Any:
    from transputer.learning.gradient import train
    from transputer.learning.population import evolve

    if experiment.population:
        return evolve(task, settings, experiment.restarts, experiment.seed)
    return train(
        task, settings, experiment.restarts, experiment.seed, experiment.steps or None,
        lines(experiment.given), parse(experiment.start), experiment.strength,
        experiment.shards,
    )  # fmt: skip


def _repaired(
    task: Task, settings: Any, trained: Any, found: Sequence[Code | None], experiment: Experiment
) -> tuple[list[Code | None], int]:
    """What annealing makes of the wrong programs, one short chain each; what that cost."""
    schedule = Schedule(changes=experiment.repair, first=0.3)
    small = replace(task, registers=settings.registers)
    codes, spent = list(found), 0
    for k, code in enumerate(found):
        if code is None:
            start = at_width(trained.code(k, settings.width), settings.width, 32)
            tried = anneal(small, experiment.seed + k, 60, schedule, settings.width,
                           settings.length, start, chains=1)  # fmt: skip
            codes[k], spent = tried.code, spent + tried.evaluations
    return codes, spent


def first_found(task: str, width: int, seed: int = 0) -> dict[str, Any]:
    """How long gradient descent alone takes until it has one right program, compiling included."""
    from transputer.learning.gradient import descend

    found = descend(TASKS[task], seed, seconds=600, width=width)
    return {
        "task": task,
        "width": width,
        "seed": seed,
        "solved": found.code is not None,
        "evaluations": found.evaluations,
        "seconds": round(found.seconds, 1),
        "detail": found.detail,
        "program": text(found.code or ()).split("\n"),
    }


def measure_all(
    experiments: Sequence[Experiment], processes: int, seen: Callable[[dict[str, Any]], None]
) -> list[dict[str, Any]]:
    """Runs experiments, so many at a time, each in a fresh process; results in their order."""
    results: dict[int, dict[str, Any]] = {}
    # Processes that share a GPU may not take all of its memory at once.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    with ProcessPoolExecutor(processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = {pool.submit(measure, each): i for i, each in enumerate(experiments)}
        for done in as_completed(waiting):
            if done.exception() is not None:
                pool.shutdown(wait=False, cancel_futures=True)
            results[waiting[done]] = done.result()
            seen(done.result())
    return [results[i] for i in sorted(results)]


def _grid(task: str, lengths: Sequence[int], **settings: Any) -> list[Experiment]:
    extra = ", ".join(f"{key} {value}" for key, value in settings.items())
    return [
        Experiment(f"{task}, length {length}" + (f", {extra}" if extra else ""), task,
                   {"length": length, **settings})
        for length in lengths
    ]  # fmt: skip


#: What must be shown: gradient descent alone, no warm start, at 8 bits.
SHOWN = [
    *_grid("add", (2,)), *_grid("max", (12,)),
    *_grid("abs", (16,), registers=8, scale=1.5, noise=1.0, updates=1000),
]  # fmt: skip
GROUPS: dict[str, list[Experiment]] = {
    "shown": SHOWN,
    "fresh": [replace(each, seed=1) for each in reversed(SHOWN)],  # a seed that chose nothing
    "slack": [
        *_grid("add", (1, 2, 4, 8)), *_grid("max", (2, 4, 8, 16)), *_grid("abs", (3, 4, 8, 16)),
    ],
    "annealing": [
        *_grid("max", (8,), cold=0.1), *_grid("abs", (8,), cold=0.1),
        *_grid("max", (8,), cold=0.3), *_grid("abs", (8,), cold=0.3),
        *_grid("max", (8,), warm=3.0, cold=0.3), *_grid("abs", (8,), warm=3.0, cold=0.3),
        *_grid("max", (8,), warm=3.0, cold=3.0), *_grid("abs", (8,), warm=3.0, cold=3.0),
    ],
    "variants": [
        *_grid("max", (8,), entropy=0.1), *_grid("abs", (8,), entropy=0.1),
        *_grid("max", (8,), scale=0.3), *_grid("abs", (8,), scale=0.3),
        *_grid("max", (8,), rate=0.03), *_grid("abs", (8,), rate=0.03),
        *_grid("max", (8,), rate=0.3), *_grid("abs", (8,), rate=0.3),
    ],
    "examples": [*_grid("abs", (8,), examples=8), *_grid("abs", (8,), examples=64)],
    "abs": [
        *_grid("abs", (16,)), *_grid("abs", (16,), scale=1.5),
        *_grid("abs", (16,), scale=1.5, registers=8),
        *_grid("abs", (16,), scale=1.5, registers=8, noise=1.0),
        *_grid("abs", (16,), scale=1.5, registers=16, noise=1.0),
    ],
    "registers": [*_grid("max", (8,), registers=8), *_grid("max", (8,), registers=16),
                  *_grid("max", (8,), without=())],
    "tasks": [
        experiment
        for name in ("sub", "min", "swap", "clamp", "average", "blsr", "sign", "sort2")
        for experiment in _grid(name, (8,))
    ],
    "wide": [*_grid("add", (2,), width=32), *_grid("max", (12,), width=32),
             *_grid("abs", (16,), registers=8, scale=1.5, noise=1.0, updates=1000, width=32)],
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


def chosen(groups: Sequence[str], restarts: int | None = None) -> list[Experiment]:
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
    measure_all(experiments, options.processes, seen)


if __name__ == "__main__":
    main()
