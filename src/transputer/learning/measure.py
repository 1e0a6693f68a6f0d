"""Success rates of gradient descent, with their intervals.

Each experiment trains many restarts of one task in one setting, in a process of its own, and
counts those whose program is right on every input checked. All seeds are fixed. JAX takes a GPU
if there is one, and several processes may share it.
"""

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, field, replace
from multiprocessing import get_context
from typing import Any

from transputer.ir.soft import Code, parse, text
from transputer.learning.problem import at_width, lines
from transputer.learning.search import AnnealingSchedule, anneal
from transputer.learning.tasks import TASKS, Task
from transputer.values import dataclass

_Z = (
    1.959963984540054  # standard deviations around the mean that hold 95 % of a normal distribution
)


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
    gradient descent proposed. The restarts are shared out among `shards` devices.
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
    shards: int = 1


def measure(experiment: Experiment, trained: Any = None) -> dict[str, Any]:
    """How many restarts of an experiment solved the task, with the 95 % interval.

    `trained` are its restarts, if they were trained already.
    """
    from transputer.learning.gradient import Settings, right

    task, settings = TASKS[experiment.task], Settings(**experiment.settings)
    if trained is None:
        trained = _trained(task, settings, experiment)
    began = time.monotonic()
    programs = right(task, trained, settings)
    evaluations = experiment.restarts * settings.updates
    if experiment.repair:
        programs, spent = _repaired(task, settings, trained, programs, experiment)
        evaluations += spent
    solved = [code for code in programs if code is not None]
    low, high = interval(len(solved), experiment.restarts)
    curve = [float(x) for x in trained.losses.mean(0)[:: max(1, settings.updates // 100)]]
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
        "mean_loss": curve,
        "programs": [text(code).split("\n") for code in solved[:3]],
    }


def _trained(task: Task, settings: Any, experiment: Experiment) -> Any:
    from transputer.learning.gradient import train

    return train(
        task, settings, experiment.restarts, experiment.seed, experiment.steps or None,
        lines(experiment.given), parse(experiment.start), experiment.strength,
        experiment.shards,
    )  # fmt: skip


def _repaired(
    task: Task, settings: Any, trained: Any, programs: Sequence[Code | None], experiment: Experiment
) -> tuple[list[Code | None], int]:
    """What annealing makes of the wrong programs, one short chain each; what that cost."""
    schedule = AnnealingSchedule(changes=experiment.repair, first=0.3)
    small = replace(task, registers=settings.registers)
    codes, spent = list(programs), 0
    for k, code in enumerate(programs):
        if code is None:
            start = at_width(trained.code(k, settings.width), settings.width, 32)
            tried = anneal(small, experiment.seed + k, 60, schedule, settings.width,
                           settings.length, start, chains=1)  # fmt: skip
            codes[k], spent = tried.code, spent + tried.evaluations
    return codes, spent


def first_found(task: str, width: int, seed: int = 0) -> dict[str, Any]:
    """How long gradient descent alone takes until it has one right program, compiling included."""
    from transputer.learning.gradient import descend

    result = descend(TASKS[task], seed, seconds=600, width=width)
    return {
        "task": task,
        "width": width,
        "seed": seed,
        "solved": result.code is not None,
        "evaluations": result.evaluations,
        "seconds": round(result.seconds, 1),
        "detail": result.detail,
        "program": text(result.code or ()).split("\n"),
    }


def measure_all(
    experiments: Sequence[Experiment],
    processes: int,
    seen: Callable[[dict[str, Any]], None],
    run: Callable[[Any], dict[str, Any]] = measure,
) -> list[dict[str, Any]]:
    """Results of experiments in their order, `processes` at a time, each in a fresh process."""
    results: dict[int, dict[str, Any]] = {}
    # Processes that share a GPU may not take all of its memory at once.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    with ProcessPoolExecutor(processes, get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = {pool.submit(run, each): i for i, each in enumerate(experiments)}
        for done in as_completed(waiting):
            if done.exception() is not None:
                pool.shutdown(wait=False, cancel_futures=True)
            results[waiting[done]] = done.result()
            seen(done.result())
    return [results[i] for i in sorted(results)]


def grid(task: str, lengths: Sequence[int], **settings: Any) -> list[Experiment]:
    """A task at several lengths, in one setting."""
    extra = ", ".join(f"{key} {value}" for key, value in settings.items())
    return [
        Experiment(f"{task}, length {length}" + (f", {extra}" if extra else ""), task,
                   {"length": length, **settings})
        for length in lengths
    ]  # fmt: skip


#: What must be shown: gradient descent alone, no warm start, at 8 bits.
SHOWN = [
    *grid("add", (2,)), *grid("max", (12,)),
    *grid("abs", (16,), registers=8, scale=1.5, noise=1.0, updates=1000),
]  # fmt: skip
