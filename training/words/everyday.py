"""Measure `ask` on everyday questions: `python -m training.words.everyday --svamp FILE`.

`everyday.txt` has the questions to develop on, `heldout.txt` and `fresh.txt` those that nothing was
tuned on: of these only totals are printed. Every answer is a Python expression, evaluated here by
Python and not by a plan. The command writes `docs/words/everyday.json` and the tables of
`docs/words.md`. `--threshold` also sets the threshold of the embedded model, on the development
questions.
"""

import argparse
import datetime
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from training.words.card import EMBEDDED, ROOT, table
from training.words.cases import svamp
from transputer import api
from transputer.errors import StepLimitError
from transputer.frontends.words.embedded.planner import calibration
from transputer.runtime.ask import default_model

HERE = Path(__file__).parent
SETS = {
    "development": HERE / "everyday.txt",
    "held out": HERE / "heldout.txt",
    "fresh": HERE / "fresh.txt",
}
RESULTS = ROOT / "docs" / "words" / "everyday.json"
#: The page that has the tables, between these marks.
PAGE, MARKS = ROOT / "docs" / "words.md", ("<!-- everyday -->", "<!-- /everyday -->")
#: The most steps that a program may take here.
STEPS = 20_000_000
#: Share of the development questions that may be answered wrong at the threshold.
WRONG = 0.0025
OUTCOMES = ("right", "wrong", "refused")


def fib(n: int) -> int:
    """Fibonacci number `n`."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def collatz(n: int) -> int:
    """Number of Collatz steps from `n` to 1."""
    steps = 0
    while n != 1:
        n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
    return steps


_NAMES = {
    **{"F": Fraction, "math": math, "statistics": statistics, "datetime": datetime},
    **{"fib": fib, "collatz": collatz, "yes": True, "no": False, "none": None},
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and its right answer; None where it has none."""

    kind: str
    text: str
    answer: Any


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a question, and the planner's confidence in its plan."""

    kind: str
    outcome: str
    confidence: float


def questions(path: Path) -> Iterator[Question]:
    """Every question of a file, in its order."""
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            answer, text = line.split("\t")
            yield Question(kind, text, _answer(answer))


def _answer(expression: str) -> Any:
    """The value of an answer's Python expression, as `ask` would give it."""
    try:
        value = Fraction(expression)
    except ValueError:
        value = eval(expression, dict(_NAMES))
    if isinstance(value, datetime.timedelta):
        value = value.days
    if isinstance(value, list):
        return [Fraction(member) for member in value]
    return value if value is None or isinstance(value, bool | str) else Fraction(value)


def trial(question: Question, **options: Any) -> Trial:
    """Ask a question and compare."""
    try:
        answer = api.ask(question.text, engine="oracle", max_steps=STEPS, **options)
    except StepLimitError:
        return Trial(question.kind, "refused", 0.0)
    sure = answer.confidence or 0.0
    if answer.value is None:
        return Trial(question.kind, "refused", sure)
    given = answer.answer if isinstance(question.answer, str) else answer.value
    same_type = isinstance(given, bool) == isinstance(question.answer, bool)
    right = question.answer is not None and same_type and given == question.answer
    return Trial(question.kind, "right" if right else "wrong", sure)


def threshold_of(trials: Sequence[Trial]) -> float:
    """The lowest confidence, in hundredths, that at most `WRONG` of all answers reach wrongly."""
    wrong = sorted((t.confidence for t in trials if t.outcome == "wrong"), reverse=True)
    allowed = math.floor(WRONG * len(trials))
    return math.floor(100 * wrong[allowed] + 1) / 100 if len(wrong) > allowed else 0.0


def counts(trials: Sequence[Trial]) -> dict[str, int]:
    """How many are right, wrong and refused."""
    seen = Counter(trial.outcome for trial in trials)
    return {outcome: seen[outcome] for outcome in OUTCOMES}


def summary(every: Sequence[Question], **options: Any) -> dict[str, Any]:
    """The counts of a set: of the questions with an answer, of those without one, by kind."""
    trials = [trial(question, **options) for question in every]
    answerable = [t for q, t in zip(every, trials, strict=True) if q.answer is not None]
    others = [t for q, t in zip(every, trials, strict=True) if q.answer is None]
    kinds = dict.fromkeys(question.kind for question in every)
    return {
        "answerable": counts(answerable),
        "unanswerable": counts(others),
        "kinds": {kind: counts([t for t in trials if t.kind == kind]) for kind in kinds},
    }


def measure(svamp_file: Path) -> dict[str, Any]:
    """Measure both sets and SVAMP's development problems."""
    return {
        "files": digests(),
        "sets": {name: summary(every) for name, every in sets(svamp_file).items()},
    }


def sets(svamp_file: Path) -> dict[str, list[Question]]:
    """The questions of every file, and SVAMP's development problems."""
    problems = [Question("svamp", case.text, Fraction(case.answer)) for case in svamp(svamp_file)]
    return {name: list(questions(path)) for name, path in SETS.items()} | {"SVAMP": problems}


def digests() -> dict[str, str]:
    """The SHA-256 of each file of questions."""
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in SETS.items()}


def page(results: Mapping[str, Any]) -> str:
    """The tables of `docs/words.md`."""
    rows = [
        [f"{name}, {part}", *_cells(of[part])]
        for name, of in results["sets"].items()
        for part in ("answerable", "unanswerable")
        if sum(of[part].values())
    ]
    head = ["set", "questions", *OUTCOMES, "right, of all", "wrong, of all"]
    kinds = [[kind, *_cells(of)[:4]] for kind, of in results["sets"]["held out"]["kinds"].items()]
    return "\n\n".join(
        (table(head, rows), table(["kind, held out", "questions", *OUTCOMES], kinds))
    )


def _cells(of: Mapping[str, int]) -> list[str]:
    total = sum(of.values())
    shares = (f"{100 * of[outcome] / total:.1f} %" for outcome in ("right", "wrong"))
    return [str(total), *(str(of[outcome]) for outcome in OUTCOMES), *shares]


def set_threshold() -> float:
    """Set the embedded model's threshold on what `ask` makes of the development questions."""
    every = questions(SETS["development"])
    threshold = threshold_of([trial(question, threshold=0.0) for question in every])
    file = EMBEDDED / "calibration.json"
    setting = json.loads(file.read_text()) | {"threshold": threshold}
    file.write_text(json.dumps(setting) + "\n")
    return threshold


def show_development() -> None:
    """Print every development question that is not answered right."""
    for question in questions(SETS["development"]):
        outcome = trial(question).outcome
        if outcome != ("right" if question.answer is not None else "refused"):
            print(f"{outcome:8} {question.kind:12} {question.text}")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path)
    parser.add_argument("--threshold", action="store_true")
    parser.add_argument("--show", action="store_true", help="only show the development questions")
    args = parser.parse_args()
    if args.show:
        show_development()
        return
    if args.threshold:
        print(f"threshold {set_threshold()}")
        calibration.cache_clear()
        default_model.cache_clear()
    results = measure(args.svamp)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    head, _, rest = PAGE.read_text().partition(MARKS[0])
    PAGE.write_text(f"{head}{MARKS[0]}\n{page(results)}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}")
    print(page(results))


if __name__ == "__main__":
    main()
