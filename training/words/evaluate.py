"""Measure exported weights with the package's own NumPy planner, and fit the calibration.

`python -m training.words.evaluate STEM --svamp FILE --mawps FILE --gsm8k FILE` prints, for
every set, the accuracy with its 95 % interval and precision at coverage, and writes
`STEM.json`. The temperature and the threshold are fitted on SVAMP's validation problems.
"""

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

from training.words import dataset
from training.words.measure import Case, held_cases, mawps_asdiv, svamp
from transputer.frontends.words.embedded.beam import Candidate, search
from transputer.frontends.words.embedded.network import Network
from transputer.frontends.words.embedded.planner import votes
from transputer.frontends.words.embedded.weights import network
from transputer.frontends.words.embedded.wordpiece import pieces
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import find

_network: Network | None = None
#: What a person should be able to rely on: this share of the answers given is right.
PRECISION = 0.8


def _begin(stem: str) -> None:
    global _network
    files = [Path(f"{stem}-{part}.safetensors").read_bytes() for part in (1, 2)]
    _network = network(*files)


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

    return min((0.5 + 0.1 * step for step in range(96)), key=surprise)


def main() -> None:
    """Measure one pair of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stem")
    parser.add_argument("--svamp", type=Path, required=True)
    parser.add_argument("--mawps", type=Path)
    parser.add_argument("--gsm8k", type=Path)
    parser.add_argument("--each", type=int, default=200, help="held-out paraphrases a construct")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    sets = {"svamp": svamp(args.svamp)}
    if args.mawps:
        sets["mawps+asdiv-a"] = mawps_asdiv(args.mawps)
    if args.gsm8k:
        held = dataset.gsm8k_problems(args.gsm8k, Counter())[1]
        sets["gsm8k (fits)"] = [Case.of(problem) for problem in held]
    sets |= held_cases(args.each) if args.each else {}
    with get_context("fork").Pool(args.workers, _begin, (args.stem,)) as pool:
        found = {name: pool.map(_found, cases, 16) for name, cases in sets.items()}
    plans = {name: [candidates for candidates, _ in made] for name, made in found.items()}
    heat = heat_of(sets["svamp"], plans["svamp"])
    report: dict[str, object] = {"temperature": heat}
    for name, cases in sets.items():
        made = rows(cases, plans[name], heat)
        right = sum(good for _, good in made)
        spent = sorted(seconds for _, seconds in found[name])
        report[name] = {
            "count": len(made),
            "accuracy": round(right / len(made), 4),
            "interval": interval(right, len(made)),
            "coverage at 80 %": coverage(made),
            "precision at 40 %": precision_at(made, 0.4),
            "median ms": round(1000 * spent[len(spent) // 2], 1),
        }
        print(name, json.dumps(report[name]), flush=True)
    Path(f"{args.stem}.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
