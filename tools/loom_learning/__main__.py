"""Train networks with and without the loom machine: `python -m tools.loom_learning`.

Writes `docs/results/loom-learning.json` and `docs/loom/learning.svg`. Finished trials are kept
in `build/loom-learning.jsonl`, so that a measurement that was interrupted continues; `--fresh`
forgets them.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from statistics import mean, stdev
from typing import Any

import torch

from tools.figures import ROOT
from tools.learning.svg import bars
from tools.loom_learning.networks import CONFIG, COUNT, PROGRAM, VALUES, Around
from tools.loom_learning.training import BATCH, TESTS, Trial, trial
from tools.measure import save
from transputer.runtime.loom.program import compile_loom

PICTURE = ROOT / "docs" / "loom" / "learning.svg"
KEPT = ROOT / "build" / "loom-learning.jsonl"
SEEDS, UPDATES = 5, 500
#: Lists to learn from, by network.
SIZES = {
    "machine": (100, 300, 1000),
    "direct": (100, 300, 1000, 10_000),
    "digit labels": (100, 300, 1000),
}
#: Quantile of Student's t for a 95 % interval of the mean of five.
STUDENT = 2.776445


def planned() -> Iterator[tuple[str, int, int]]:
    """The network, the number of lists and the seed of each trial; whole seeds first."""
    for seed, (name, sizes) in product(range(SEEDS), SIZES.items()):
        for size in sizes:
            yield name, size, seed


def summary(trials: list[Trial]) -> list[dict[str, Any]]:
    """Means over seeds, with 95 % intervals, of each network and number of lists."""
    rows = []
    for name, sizes in SIZES.items():
        for size in sizes:
            group = [t for t in trials if (t.network, t.lists) == (name, size)]
            rows.append(
                {"network": name, "lists": size, "seeds": len(group)}
                | {"parameters": group[0].parameters, "updates": group[0].updates}
                | _interval("right %", [100 * t.right for t in group])
                | _interval("broken %", [100 * t.broken for t in group])
                | {"cpu s": round(mean(t.seconds for t in group), 1)}
            )
    return rows


def _interval(name: str, values: list[float]) -> dict[str, float]:
    """The mean and its interval; the bounds are those of a percentage."""
    middle, half = mean(values), STUDENT * stdev(values) / len(values) ** 0.5
    low, high = max(0.0, middle - half), min(100.0, middle + half)
    return {name: round(middle, 1), f"{name} low": round(low, 1), f"{name} high": round(high, 1)}


def picture(rows: list[dict[str, Any]]) -> str:
    """Shares of right receipts as bars with intervals."""
    keys = ("right %", "right % low", "right % high")
    return bars(
        [
            (f"{row['network']}, {row['lists']:,} lists", *(row[key] / 100 for key in keys))
            for row in rows
        ]
    )


def milliseconds(engine: str, rows: int) -> float:
    """CPU milliseconds per row of the program on an engine, without its preparation."""
    machine, digits = Around(engine=engine).machine, torch.randint(VALUES, (rows, COUNT))
    machine.run(digits[:1])
    started = time.process_time()
    machine.run(digits)
    return 1000 * (time.process_time() - started) / rows


def main() -> None:
    """Run the trials that are missing, and save their summary."""
    parser = argparse.ArgumentParser(description="Train networks around the loom machine.")
    parser.add_argument("--fresh", action="store_true", help="forget finished trials")
    torch.set_num_threads(1)
    KEPT.parent.mkdir(exist_ok=True)
    if parser.parse_args().fresh or not KEPT.exists():
        KEPT.write_text("", encoding="utf-8")
    trials = [Trial(**json.loads(line)) for line in KEPT.read_text(encoding="utf-8").splitlines()]
    done = {(t.network, t.lists, t.seed) for t in trials}
    for name, size, seed in planned():
        if (name, size, seed) not in done:
            trials.append(trial(name, size, seed, UPDATES))
            line = json.dumps(asdict(trials[-1]))
            print(line, flush=True)
            with KEPT.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
    rows = summary(trials)
    work = [t.work for t in trials if t.network == "machine"]
    values = {
        "instructions": len(compile_loom(PROGRAM, 8, CONFIG).code),
        "batch": BATCH, "updates": UPDATES, "seeds": SEEDS, "tests": TESTS,
        "runs": len(work),
        **{name: sum(one[name] for one in work) for name in ("samples", "rows", "steps")},
        "native ms": milliseconds("native", 512),
        "torch ms": milliseconds("torch", 32),
        "rows by network": rows,
        "trials": [asdict(t) for t in trials],
    }  # fmt: skip
    PICTURE.write_text(picture(rows), encoding="utf-8")
    print(save("loom-learning", "python -m tools.loom_learning", values).relative_to(ROOT))


if __name__ == "__main__":
    main()
