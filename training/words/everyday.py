"""Set the threshold of `ask` on everyday questions, and check it on the other half of them.

`python -m training.words.everyday --svamp FILE` sets the threshold in the package's
`calibration.json`, writes what it measures to `docs/words/everyday.json` and prints the tables
of `docs/words.md`. The questions stand in `everyday.txt`. One half sets the threshold, the other
checks it; a hash of the text decides which. The riddles there do neither: they are measured too.
"""

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from training.words.card import EMBEDDED, ROOT, table
from training.words.cases import svamp
from transputer import api
from transputer.errors import StepLimitError

HERE = Path(__file__).parent
QUESTIONS = HERE / "everyday.txt"
RESULTS = ROOT / "docs" / "words" / "everyday.json"
#: The most steps that a program may take here.
STEPS = 1_000_000
#: Share of the wrong plans that may reach the threshold, not counting what else refuses them.
ESCAPE = 0.2
#: The kind that was written after the others, to find what the checks miss.
RIDDLE = "riddle"
OUTCOMES = ("right", "wrong", "refused")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and its right answer; None where it has none."""

    kind: str
    text: str
    answer: Fraction | bool | None

    @property
    def sets(self) -> bool:
        """Whether the question belongs to the half that sets the threshold."""
        return sha256(self.text.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a question: the outcome, and how sure the planner was of its plan."""

    kind: str
    outcome: str
    confidence: float


def questions() -> Iterator[Question]:
    """Every question of `everyday.txt`, in its order."""
    kind = ""
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            answer, text = line.split("\t")
            yield Question(kind, text, _answer(answer))


def _answer(text: str) -> Fraction | bool | None:
    words = {"none": None, "yes": True, "no": False}
    return words[text] if text in words else Fraction(text)


def halves() -> dict[str, list[Question]]:
    """The questions that set the threshold, those that check it, and the riddles."""
    every = list(questions())
    everyday = [question for question in every if question.kind != RIDDLE]
    return {
        "setting": [question for question in everyday if question.sets],
        "checking": [question for question in everyday if not question.sets],
        "riddles": [question for question in every if question.kind == RIDDLE],
    }


def after(question: Question, threshold: float | None = None) -> Trial:
    """What `ask` makes of a question."""
    return _trial(question, threshold=threshold)


def before(question: Question, threshold: float) -> Trial:
    """What the rules make of it, else the model's likeliest plan, unchecked, above a threshold."""
    ruled = _trial(question, model=False)
    if ruled.outcome != "refused":
        return ruled
    trial = _trial(question, rules=False, doubtful=True)
    if trial.confidence < threshold:
        return Trial(question.kind, "refused", trial.confidence)
    return trial


def _trial(question: Question, **options: Any) -> Trial:
    try:
        answer = api.ask(question.text, engine="oracle", max_steps=STEPS, **options)
    except StepLimitError:
        return Trial(question.kind, "refused", 0.0)
    sure = answer.confidence or 0.0
    if answer.value is None:
        return Trial(question.kind, "refused", sure)
    same_type = isinstance(answer.value, bool) == isinstance(question.answer, bool)
    right = question.answer is not None and same_type and answer.value == question.answer
    return Trial(question.kind, "right" if right else "wrong", sure)


def threshold_of(trials: Iterable[Trial]) -> float:
    """The lowest confidence, in hundredths, that at most `ESCAPE` of the wrong plans reach.

    The checks were written on the same questions, so what they refuse counts here as well.
    """
    wrong = sorted((t.confidence for t in trials if t.outcome == "wrong"), reverse=True)
    allowed = math.floor(ESCAPE * len(wrong))
    return math.floor(100 * wrong[allowed] + 1) / 100 if wrong else 0.0


def counts(trials: Sequence[Trial]) -> dict[str, int]:
    """How many are right, wrong and refused."""
    seen = Counter(trial.outcome for trial in trials)
    return {outcome: seen[outcome] for outcome in OUTCOMES}


def summary(earlier: Sequence[Trial], now: Sequence[Trial]) -> dict[str, Any]:
    """The counts of one set before and after, and after by kind."""
    kinds = dict.fromkeys(trial.kind for trial in now)
    return {
        "questions": len(now),
        "before": counts(earlier),
        "after": counts(now),
        "kinds": {kind: counts([t for t in now if t.kind == kind]) for kind in kinds},
    }


def measure(svamp_file: Path) -> dict[str, Any]:
    """The threshold that the first half sets, and what came of both halves and of SVAMP."""
    fitted = _fitted()
    problems = [Question("svamp", case.text, Fraction(case.answer)) for case in svamp(svamp_file)]
    sets = halves() | {"svamp": problems}
    threshold = threshold_of(before(question, 0.0) for question in sets["setting"])
    return {
        "threshold": threshold,
        "threshold before": fitted,
        "questions": digest(),
        "sets": {
            name: summary(
                [before(question, fitted) for question in every],
                [after(question, threshold) for question in every],
            )
            for name, every in sets.items()
        },
    }


def digest() -> str:
    """The SHA-256 of the questions."""
    return sha256(QUESTIONS.read_bytes()).hexdigest()


def _fitted() -> float:
    """The threshold that was fitted on SVAMP."""
    curves = json.loads((HERE / "results" / "curves.json").read_text())
    seed = curves.get("chosen", curves["best"])
    report = json.loads((HERE / "results" / f"seed{seed}.json").read_text())
    return float(report["calibration"]["threshold"])


NAMES = {
    "setting": "everyday, setting",
    "checking": "everyday, checking",
    "riddles": "riddles",
    "svamp": "SVAMP, development",
}


def page(results: Mapping[str, Any]) -> str:
    """The tables of `docs/words.md`."""
    rows = []
    for name, of in results["sets"].items():
        for when in ("before", "after"):
            rows.append([f"{NAMES[name]}, {when}", str(of["questions"]), *_cells(of[when])])
    head = ["set", "questions", *OUTCOMES, "wrong, of all", "right, of the answered"]
    kinds = [
        [kind, str(sum(of.values())), *(str(of[outcome]) for outcome in OUTCOMES)]
        for kind, of in results["sets"]["checking"]["kinds"].items()
    ]
    both = table(head, rows), table(["kind, checking", "questions", *OUTCOMES], kinds)
    return "\n\n".join(both)


def _cells(of: Mapping[str, int]) -> list[str]:
    answered = of["right"] + of["wrong"]
    shares = of["wrong"] / sum(of.values()), of["right"] / answered if answered else 0.0
    return [
        *(str(of[outcome]) for outcome in OUTCOMES),
        *(f"{100 * share:.1f} %" for share in shares),
    ]


def main() -> None:
    """Set the threshold, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    args = parser.parse_args()
    results = measure(args.svamp)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    calibration = EMBEDDED / "calibration.json"
    setting = json.loads(calibration.read_text()) | {"threshold": results["threshold"]}
    calibration.write_text(json.dumps(setting) + "\n")
    print(f"threshold {results['threshold']}\n\n{page(results)}")


if __name__ == "__main__":
    main()
