"""Measure the planner `both` beside its parts: `python -m training.words_lm.both --svamp FILE`.

SVAMP's development problems by confidence, without and with the checks of `ask`, and the everyday
questions. Writes `results/both.json` and the tables of `docs/words.md`. The threshold, found on
the everyday questions to develop on, is printed; it goes into `frontends/words/both.py`.
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.words.card import ROOT, fill, table
from training.words.cases import Case, right, svamp
from training.words.evaluate import Row, coverage, interval, precision_at
from training.words.everyday import (
    OUTCOMES,
    SETS,
    Question,
    questions,
    summary,
    threshold_of,
    trial,
)
from transputer.frontends.words.both import Both
from transputer.frontends.words.numbers import Number, find
from transputer.frontends.words.planner import Abstained, Planner, Proposal

RESULTS = Path(__file__).parent / "results" / "both.json"
#: The page that has the tables, between these marks.
PAGE, MARKS = ROOT / "docs" / "words.md", ("<!-- both -->", "<!-- /both -->")
#: The share of the problems to answer, and the precision to reach.
SHARE, PRECISION = 0.7, 0.92


class Remembered:
    """A planner that searches once for every text."""

    def __init__(self, planner: Planner) -> None:
        self.planner, self.name, self.threshold = planner, planner.name, planner.threshold
        self.known: dict[str, Sequence[Proposal] | Abstained] = {}

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The planner's proposals; what it abstains from, it abstains from again."""
        if text not in self.known:
            try:
                self.known[text] = self.planner.propose(text, numbers)
            except Abstained as refusal:
                self.known[text] = refusal
        known = self.known[text]
        if isinstance(known, Abstained):
            raise known
        return known


def alone(cases: Sequence[Case], planner: Planner) -> list[Row]:
    """The confidence in the likeliest plan of every problem, and whether its value is right."""
    found = []
    for case in cases:
        try:
            best = planner.propose(case.text, find(case.text))[0]
        except Abstained:
            found.append((0.0, False))
            continue
        found.append((best.confidence or 0.0, right(best.plan.tokens, case)))
    return found


def checked(cases: Sequence[Case], planner: Planner) -> list[Row]:
    """The same for the answers that `ask` gives at a threshold of 0, by this planner alone."""
    trials = [
        trial(
            Question("", case.text, case.answer),
            planner=planner,
            rules=False,
            threshold=0.0,
        )
        for case in cases
    ]
    return [(t.confidence, t.outcome == "right") for t in trials if t.outcome != "refused"]


def figures(cases: Sequence[Case], planner: Planner) -> dict[str, Any]:
    """What is said of one planner."""
    every, answered = alone(cases, planner), checked(cases, planner)
    good = sum(hit for _, hit in every)
    surest = math.ceil(SHARE * len(cases))
    precision = precision_at(every, SHARE)
    kept, least = coverage(answered, PRECISION)
    return {
        "right": good / len(cases),
        "interval": interval(good, len(cases)),
        "precision": precision,
        "precision interval": interval(round(precision * surest), surest),
        "coverage": coverage(every, PRECISION)[0],
        "checked": len(answered) / len(cases),
        "checked precision": sum(hit for _, hit in answered) / len(answered),
        "checked coverage": kept * len(answered) / len(cases),
    }


def page(results: Mapping[str, Any]) -> str:
    """The tables of `docs/words.md`."""
    head = ["planner", "right, all answered", "95 % interval", "precision, surest 70 %"]
    head += ["95 % interval", "share answered at a precision of 92 %", "the same, with the checks"]
    head += ["share that passes the checks", "of these right"]
    rows = []
    for name, of in results["planners"].items():
        low, high = of["interval"]
        least, most = of["precision interval"]
        shares = [of["right"], (low, high), of["precision"], (least, most), of["coverage"]]
        shares += [of["checked coverage"], of["checked"], of["checked precision"]]
        rows.append([f"`{name}`", *map(_percent, shares)])
    sets = [
        [f"{name}, {part}", str(sum(of[part].values())), *(str(of[part][o]) for o in OUTCOMES)]
        for name, of in results["everyday"].items()
        for part in ("answerable", "unanswerable")
        if sum(of[part].values())
    ]
    return "\n\n".join((table(head, rows), table(["set", "questions", *OUTCOMES], sets)))


def _percent(share: float | tuple[float, float]) -> str:
    if isinstance(share, tuple):
        return f"{share[0]:.1%} to {share[1]:.1%}"
    return f"{share:.1%}"


def main() -> None:
    """Search, find the threshold, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    args = parser.parse_args()
    parts = [Remembered(planner) for planner in Both().planners]
    both = Remembered(Both(parts))
    cases = svamp(args.svamp)
    results: dict[str, Any] = {
        "planners": {planner.name: figures(cases, planner) for planner in (*parts, both)}
    }
    every = questions(SETS["development"])
    least = threshold_of([trial(one, planner=both, threshold=0.0) for one in every])
    print(f"threshold {least}")
    every_set = {name: list(questions(path)) for name, path in SETS.items()}
    every_set["SVAMP"] = [Question("svamp", case.text, case.answer) for case in cases]
    results["everyday"] = {
        name: summary(of, planner=both, threshold=least) for name, of in every_set.items()
    }
    results["threshold"] = least
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    fill(PAGE, MARKS, page(results))
    print(page(results))


if __name__ == "__main__":
    main()
