"""Measure exported weights with the package's own NumPy planner, and fit the calibration.

`python -m training.words.evaluate STEM --svamp FILE --mawps FILE --gsm8k FILE` prints a table
and writes `STEM.json`: for every set the accuracy with its 95 % interval, and how much is
answered how precisely. The temperature and the threshold are fitted on SVAMP's validation
problems.
"""

import argparse
import json
import math
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

from training.words import dataset
from training.words.cases import Case, blind_cases, held_cases, mawps_asdiv, svamp
from transputer.frontends.words.embedded.beam import Candidate, search
from transputer.frontends.words.embedded.network import PlannerNetwork
from transputer.frontends.words.embedded.planner import votes
from transputer.frontends.words.embedded.weights import network
from transputer.frontends.words.embedded.wordpiece import pieces
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import find

_network: PlannerNetwork | None = None
#: What a person should be able to rely on: this share of the answers given is right.
PRECISION = 0.8


def _begin(stem: str) -> None:
    global _network
    _network = network(*(path.read_bytes() for path in _files(stem)))


def _files(stem: str) -> list[Path]:
    return [Path(f"{stem}-{part}.safetensors") for part in (1, 2)]


def _found(case: Case) -> tuple[tuple[Candidate, ...], float]:
    assert _network is not None
    numbers = find(case.text)
    started = time.process_time()
    if not 0 < len(numbers) <= SLOTS:
        return (), 0.0
    found = search(_network, pieces(case.text, numbers))
    return found, time.process_time() - started


Row = tuple[float, bool]


def rows(cases: Sequence[Case], found: Sequence[tuple[Candidate, ...]], heat: float) -> list[Row]:
    """Confidence and correctness of every case, at a temperature."""
    made = []
    for case, candidates in zip(cases, found, strict=True):
        ballot = votes(candidates, case.text, find(case.text), heat)
        if not ballot:
            made.append((0.0, False))
            continue
        best = ballot[0]
        total = sum(math.exp(vote.weight - best.weight) for vote in ballot)
        same = isinstance(best.value, bool) == isinstance(case.answer, bool)
        made.append((1 / total, same and best.value == case.answer))
    return made


def interval(right: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, p = 1.96, right / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return round(middle - half, 4), round(middle + half, 4)


def coverage(found: Sequence[Row], precision: float = PRECISION) -> tuple[float, float]:
    """The largest share that can be answered at this precision, and the confidence it takes."""
    ordered = sorted(found, reverse=True)
    right, best = 0, (0.0, 1.0)
    for count, (confidence, good) in enumerate(ordered, 1):
        right += good
        if right / count >= precision:
            best = (count / len(ordered), confidence)
    return round(best[0], 4), round(best[1], 4)


def precision_at(found: Sequence[Row], share: float) -> float:
    """How many of the surest share are right."""
    kept = sorted(found, reverse=True)[: math.ceil(share * len(found))]
    return round(sum(good for _, good in kept) / len(kept), 4)


def heat_of(cases: Sequence[Case], found: Sequence[tuple[Candidate, ...]]) -> float:
    """The temperature under which the confidences say best what is right."""

    def surprise(heat: float) -> float:
        total = 0.0
        for confidence, good in rows(cases, found, heat):
            chance = min(max(confidence if good else 1 - confidence, 1e-6), 1.0)
            total -= math.log(chance)
        return total

    return min((0.5 + 0.25 * step for step in range(30)), key=surprise)


def threshold(found: Sequence[Row], precision: float = PRECISION) -> float:
    """The lowest confidence from which on the answers are this precise."""
    return coverage(found, precision)[1]


def summary(found: Sequence[Row], seconds: Sequence[float], least: float) -> dict[str, object]:
    """What is said of one set."""
    right = sum(good for _, good in found)
    said = [good for confidence, good in found if confidence >= least]
    return {
        "count": len(found),
        "accuracy": round(right / len(found), 4),
        "interval": interval(right, len(found)),
        "answered": round(len(said) / len(found), 4),
        "precision": round(sum(said) / len(said), 4) if said else None,
        "coverage at 80 %": coverage(found)[0],
        "precision at 40 %": precision_at(found, 0.4),
        "median ms": round(1000 * sorted(seconds)[len(seconds) // 2], 1),
    }


def _sets(args: argparse.Namespace) -> dict[str, list[Case]]:
    sets = {"svamp": svamp(args.svamp)}
    if args.mawps:
        apart = mawps_asdiv(args.mawps)
        sets |= apart | {"mawps+asdiv-a": [case for cases in apart.values() for case in cases]}
    if args.gsm8k:
        held = dataset.gsm8k_problems(args.gsm8k, Counter())[1]
        sets["gsm8k"] = [Case.of(problem) for problem in held]
    sets |= held_cases(args.each) | blind_cases(args.each) if args.each else {}
    return {name: cases[: args.most] for name, cases in sets.items()}


def _all(
    sets: Mapping[str, Sequence[Case]], stem: str, workers: int
) -> dict[Case, tuple[tuple[Candidate, ...], float]]:
    """What is found for every text, by processes of one thread each."""
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    cases = list(dict.fromkeys(case for each in sets.values() for case in each))
    with get_context("spawn").Pool(workers, _begin, (stem,)) as pool:
        return dict(zip(cases, pool.imap(_found, cases, 8), strict=True))


def main() -> None:
    """Measure one pair of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stem")
    parser.add_argument("--svamp", type=Path, required=True)
    parser.add_argument("--mawps", type=Path)
    parser.add_argument("--gsm8k", type=Path)
    parser.add_argument("--each", type=int, default=200, help="held-out paraphrases a construct")
    parser.add_argument("--most", type=int, help="the most problems of a set")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    started = time.monotonic()
    sets = _sets(args)
    found = _all(sets, args.stem, args.workers)
    plans = {name: [found[case][0] for case in cases] for name, cases in sets.items()}
    heat = heat_of(sets["svamp"], plans["svamp"])
    made = {name: rows(cases, plans[name], heat) for name, cases in sets.items()}
    least = threshold(made["svamp"])
    said = {
        name: summary(made[name], [found[case][1] for case in cases], least)
        for name, cases in sets.items()
    }
    report = {
        "calibration": {"temperature": round(heat, 2), "threshold": least},
        "sha256": [sha256(path.read_bytes()).hexdigest() for path in _files(args.stem)],
        "sets": said,
    }
    Path(f"{args.stem}.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"{'set':14} {'count':>5} {'right':>6} {'answered':>8} {'precise':>7} {'ms':>5}")
    for name, row in said.items():
        print(
            f"{name:14} {row['count']:5} {row['accuracy']:6.1%} {row['answered']:8.1%}"
            f" {row['precision'] or 0:7.1%} {row['median ms']:5}"
        )
    print(f"{report['calibration']}, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
