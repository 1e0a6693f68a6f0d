"""Which check of `ask` refuses which plans: `python -m training.words.gate --svamp FILE`.

For every check: how many right and how many wrong plans of the embedded model it refuses, and how
many of them no other check refuses, at a threshold of 0. SVAMP's development problems. Writes
`results/gate.json` and the table of `docs/words.md`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.words.card import ROOT, fill, table
from training.words.cases import Case, right, svamp
from transputer.frontends.words.doubt import refusals
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.numbers import find
from transputer.frontends.words.sense import objection

RESULTS = Path(__file__).parent / "results" / "gate.json"
#: The page that has the table, between these marks.
PAGE, MARKS = ROOT / "docs" / "words.md", ("<!-- gate -->", "<!-- /gate -->")
PASSED = "none"
COLUMNS = ("right", "wrong", "right, alone", "wrong, alone")


def measure(cases: Sequence[Case]) -> dict[str, dict[str, int]]:
    """The plans that each check refuses, and under `none` those that all let pass."""
    model = load_planner("embedded")
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        numbers = find(case.text)
        proposals = model.propose(case.text, numbers)
        best = next(p for p in proposals if objection(p.plan, numbers) is None)
        good = "right" if right(best.plan.tokens, case) else "wrong"
        refused = refusals(case.text, numbers, best.plan, best.confidence or 0.0) or [PASSED]
        for check in refused:
            counts.setdefault(check, Counter())[good] += 1
            counts[check][f"{good}, alone"] += len(refused) == 1
    return {check: {column: of[column] for column in COLUMNS} for check, of in counts.items()}


def page(results: Mapping[str, Any]) -> str:
    """The table of `docs/words.md`, the most refusals first."""
    ranked = sorted(results.items(), key=lambda item: -item[1]["right"] - item[1]["wrong"])
    rows = [[f"`{check}`", *(str(of[column]) for column in COLUMNS)] for check, of in ranked]
    return table(["refused by", *COLUMNS], rows)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    results = measure(svamp(parser.parse_args().svamp))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    fill(PAGE, MARKS, page(results))
    print(page(results))


if __name__ == "__main__":
    main()
