"""What must be shown about learning, measured: a line for each claim. All seeds are fixed."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from transputer.ir.soft import Code
from transputer.learning.aided import AIDS, aided
from transputer.learning.learner import Learned, learn
from transputer.learning.measure import SHOWN, first_found, measure_all
from transputer.learning.problem import Bound, examples, machine
from transputer.learning.sorting import MOST, learn_to_sort, sizes_sorted
from transputer.learning.tasks import EPISODES, TASKS, Given
from transputer.machines.soft.backend import jax
from transputer.machines.soft.check import CONFIGS, agreement
from transputer.machines.soft.config import Config
from transputer.values import dataclass

Hear = Callable[[str], None]
#: Success rates that gradient descent alone must reach.
RATES = {"add": 0.95, "max": 0.95, "abs": 0.45}
#: Restarts for a rate.
MANY = 128
#: Time limit for the first program at 32 bits, in seconds, and the CPU cores it is for.
SECONDS, CORES = 120, 2
#: Tasks that must be solved from ten seeds of ten.
TEN = ("add", "max", "min", "abs", "swap", "sum_array")
#: What a quick look does without: minutes of search.
_LONG = ("sum_array", "max_array", "multiply", "binary_search", "fibonacci", "average")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, what it needs, what was measured, and whether that is enough: None if too little
    was measured to tell, or elsewhere than where it has to be."""

    claim: str
    needed: str
    measured: str
    met: bool | None


def show(quick: bool = False, hear: Hear = lambda _: None) -> Iterator[Claim]:
    """Every claim in turn; `quick` looks at a few restarts and the short searches alone."""
    yield from _agreement(6_000 if quick else 1_000_000, CONFIGS[1:2] if quick else CONFIGS, hear)
    yield from _rates(("add", "max") if quick else tuple(RATES), 16 if quick else MANY, hear)
    yield from _first(() if quick else tuple(RATES), hear)
    yield from _solved(quick, hear)
    yield from _aided(2 if quick else 10, hear)
    yield from _sorting(2 if quick else 10, hear)


def _agreement(pairs: int, configs: Sequence[Config], hear: Hear) -> Iterator[Claim]:
    hear("soft against hard")
    result = agreement(pairs, configs=configs)
    yield Claim("soft = hard at temperature 0, bit for bit", "0 pairs differ",
                f"{result.different} of {result.pairs:,}", result.different == 0)  # fmt: skip


def _rates(tasks: Sequence[str], restarts: int, hear: Hear) -> Iterator[Claim]:
    """Rates and costs; a few restarts cannot tell if what is needed lies in their interval."""
    experiments = [replace(each, restarts=restarts) for each in SHOWN if each.task in tasks]
    hear("gradient descent alone")
    for result in measure_all(experiments, 1, lambda r: hear(r["name"])):
        task, rate, (low, high) = result["task"], result["rate"], result["interval"]
        share = f"{result['solved']} of {restarts}: {rate:.0%} ({low:.0%} to {high:.0%})"
        open_ = restarts < MANY and rate < RATES[task] <= high
        enough = None if open_ else rate >= RATES[task]
        claim = f"{task}: gradient descent alone, 8 bits"
        yield Claim(claim, f"{RATES[task]:.0%} of restarts", share, enough)
        if task in EPISODES:
            cost = result["evaluations"] / max(1, result["solved"])
            fewer = bool(result["solved"]) and cost < EPISODES[task]
            claim = f"{task}: evaluations for one success"
            yield Claim(claim, f"fewer than {EPISODES[task]:,}", f"{cost:,.0f}", fewer)


def _first(tasks: Sequence[str], hear: Hear) -> Iterator[Claim]:
    for task in tasks:
        hear(f"{task} at 32 bits")
        first = first_found(task, 32)
        claim = f"{task}: first program at 32 bits, gradient alone"
        soon = first["solved"] and first["seconds"] < SECONDS
        here = jax.default_backend() == "cpu" and (os.cpu_count() or 1) <= CORES
        where = "" if here else f" on {jax.devices()[0].device_kind}, {os.cpu_count()} cores"
        needed = f"{SECONDS} s, {CORES} cores"
        yield Claim(claim, needed, f"{first['seconds']} s{where}", soon if here else None)


def _solved(quick: bool, hear: Hear) -> Iterator[Claim]:
    names = [name for name in TASKS if not (quick and name in _LONG)]
    by_task: dict[str, list[Learned]] = {}
    for name in names:
        seeds = (2 if quick else 10) if name in TEN else 1
        for seed in range(seeds):
            hear(f"{name}, seed {seed}")
            by_task.setdefault(name, []).append(learn(name, "auto", seed, 600))
    for name in (name for name in TEN if name in by_task):
        right = sum(each.solved for each in by_task[name])
        yield Claim(f"{name}: seeds solved", "all", f"{right} of {len(by_task[name])}",
                    right == len(by_task[name]))  # fmt: skip
    first = [runs[0] for runs in by_task.values()]
    slowest = max(each.seconds for each in first)
    missing = [each.task for each in first if not each.solved]
    yield Claim(f"{len(names)} tasks solved by some method", "all, 600 s each",
                f"{len(names) - len(missing)}, slowest {slowest:.0f} s", not missing)  # fmt: skip
    yield from _facts(by_task)


def _facts(by_task: dict[str, list[Learned]]) -> Iterator[Claim]:
    proof = by_task["sort4"][0].proof
    proved = proof is not None and proof.proved
    yield Claim("sort4: right on all inputs", "proved", "proved (cvc5)" if proved else "not proved",
                proved)  # fmt: skip
    if "sum_array" in by_task:
        right = sum_is_right(by_task["sum_array"][0].code, 1000)
        yield Claim("sum_array: generalises", "n = 1,000", "right" if right else "wrong", right)


def _sorting(seeds: int, hear: Hear) -> Iterator[Claim]:
    hear("sorting by a learned loop")
    programs = [learn_to_sort(seed).code for seed in range(seeds)]
    wanted = list(range(2, MOST + 1))
    right = sum(1 for code in programs if code and sizes_sorted(code) == wanted)
    claim = f"sort: loops around a given exchange, all arrays of 2 to {MOST} words"
    yield Claim(claim, "some seed", f"{right} of {seeds} seeds", right > 0)


def sum_is_right(code: Code, count: int) -> bool:
    """Whether a program sums `count` random words of 32 bits."""
    task = TASKS["sum_array"]
    config = machine(task, 32, max(1, len(code)), size=count)
    words = tuple(random.Random(count).getrandbits(32) for _ in range(count))
    rows = examples(task, config, [Given((0, count), words)])
    return Bound(task, config, rows, limit=10 * count, elsewhere=False).first_wrong(code) is None


def _aided(seeds: int, hear: Hear) -> Iterator[Claim]:
    for aid in (aid for aid in AIDS if aid.claimed):
        hear(f"{aid.task} with help")
        result, most = aided(aid, seeds), EPISODES[aid.task]
        low, high = result["interval"]
        mean = f"{result['mean']:,} ({low:,} to {high:,})"
        yield Claim(
            f"{aid.task}: evaluations, given {aid.given}", f"fewer than {most:,}",
            f"{mean}, {result['solved']} of {seeds} seeds",
            result["solved"] == seeds and result["mean"] < most,
        )  # fmt: skip
