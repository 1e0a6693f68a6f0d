"""Measure `ask` as it is, with rules, model, checks and thresholds.

`python -m training.words.everyday --svamp FILE --mawps FILE --gsm8k FILE` asks everyday questions
and published problems: SVAMP's development problems, ASDiv-A, and GSM8K's held-out problems.
`everyday.txt` has the questions to develop on, `heldout.txt` and `fresh.txt` those that nothing was
tuned on: of these only totals are printed. `stranger.txt` was measured once
(`results/stranger.json`) and then used to develop; `kinds.txt` has stories of kinds that our
generator does not write. Every answer is a Python expression, evaluated here by Python and not by a
plan. The command writes `docs/words/everyday.json` and the tables of `docs/words.md`. `--threshold`
also sets the thresholds of the embedded model: on the development questions, and for short stories
on SVAMP's development problems.
"""

import argparse
import datetime
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from training.words import gsm8k
from training.words.card import EMBEDDED, ROOT, fill, table
from training.words.cases import Case, mawps_asdiv, svamp
from training.words.evaluate import coverage, interval
from transputer import api
from transputer.errors import StepLimitError
from transputer.frontends.words.embedded.planner import calibration
from transputer.runtime.ask import default_model

HERE = Path(__file__).parent
SETS = {
    "development": HERE / "everyday.txt",
    "held out": HERE / "heldout.txt",
    "fresh": HERE / "fresh.txt",
    "stranger": HERE / "stranger.txt",
    "foreign kinds": HERE / "kinds.txt",
}
#: What `ask` made of the stranger's questions before anybody had read them.
FIRST = HERE / "results" / "stranger.json"
RESULTS = ROOT / "docs" / "words" / "everyday.json"
#: The page that has the tables, between these marks.
PAGE, MARKS = ROOT / "docs" / "words.md", ("<!-- everyday -->", "<!-- /everyday -->")
#: The most steps that a program may take here.
STEPS = 20_000_000
#: Share of the development questions that may be answered wrong at the threshold.
WRONG = 0.0025
#: Share of SVAMP's development problems that is answered right at the threshold for stories, and at
#: a lower one that a user may give.
STORIES, LOWER = 0.94, 0.92
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


def story_threshold_of(trials: Sequence[Trial], precision: float = STORIES) -> float:
    """The lowest confidence, in hundredths, from which on this share of the answers is right."""
    answered = [(t.confidence, t.outcome == "right") for t in trials if t.outcome != "refused"]
    return math.ceil(100 * coverage(answered, precision)[1]) / 100


def lowered(stories: Sequence[Question]) -> dict[str, Any]:
    """What `ask` makes of stories at the threshold from which on `LOWER` of them are right."""
    trials = [trial(one, threshold=0.0) for one in stories]
    threshold = story_threshold_of(trials, LOWER)
    kept = [t if t.confidence >= threshold else replace(t, outcome="refused") for t in trials]
    return {"threshold": threshold, "answerable": counts(kept)}


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


def measure(published: Mapping[str, Sequence[Question]]) -> dict[str, Any]:
    """Measure the questions of every file, and published problems."""
    every = {name: list(questions(path)) for name, path in SETS.items()} | dict(published)
    return {"files": digests(), "sets": {name: summary(of) for name, of in every.items()}}


def published(args: argparse.Namespace) -> dict[str, list[Question]]:
    """The problems of the files that are named."""
    sets = {"SVAMP, development": svamp(args.svamp)}
    if args.mawps:
        sets["ASDiv-A"] = mawps_asdiv(args.mawps)["asdiv-a"]
    if args.gsm8k:
        held = [row for index, row in enumerate(gsm8k.rows(args.gsm8k)) if index % 20 == 0]
        sets["GSM8K, held out"] = [Case(text, gsm8k.stated(answer)) for text, answer in held]
    return {name: _questions(name, cases) for name, cases in sets.items()}


def _questions(name: str, cases: Sequence[Case]) -> list[Question]:
    return [Question(name, case.text, case.answer) for case in cases]


def digests() -> dict[str, str]:
    """The SHA-256 of each file of questions."""
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in SETS.items()}


def page(results: Mapping[str, Any]) -> str:
    """The tables of `docs/words.md`."""
    every = {"stranger, first": json.loads(FIRST.read_text()), **results["sets"]}
    rows = [
        [f"{name}, {part}", *_cells(of[part])]
        for name, of in sorted(every.items(), key=lambda item: _order(item[0]))
        for part in ("answerable", "unanswerable")
        if sum(of[part].values())
    ]
    if "lowered" in results:
        of = results["lowered"]
        name = f"SVAMP, development, `--threshold {of['threshold']:g}`"
        rows.append([name, *_cells(of["answerable"])])
    head = ["set", "questions", *OUTCOMES, "right, of all", "wrong, of all"]
    head += ["answered", "of these right", "95 % interval"]
    kinds = [[kind, *_cells(of)[:4]] for kind, of in results["sets"]["held out"]["kinds"].items()]
    return "\n\n".join(
        (table(head, rows), table(["kind, held out", "questions", *OUTCOMES], kinds))
    )


def _order(name: str) -> int:
    """The files in their order, each behind what was first made of it, then the published sets."""
    places = [place for place, known in enumerate(SETS) if name.startswith(known)]
    return 2 * places[0] + (name in SETS) if places else 2 * len(SETS)


def _cells(of: Mapping[str, int]) -> list[str]:
    total, answered = sum(of.values()), of["right"] + of["wrong"]
    shares = [of["right"] / total, of["wrong"] / total, answered / total]
    cells = [f"{total:,}", *(str(of[outcome]) for outcome in OUTCOMES)]
    cells += [f"{share:.1%}" for share in shares]
    if not of["right"]:
        return [*cells, "", ""]  # a question without an answer is never answered right
    low, high = interval(of["right"], answered)
    return [*cells, f"{of['right'] / answered:.1%}", f"{low:.1%} to {high:.1%}"]


def set_thresholds(stories: Sequence[Question]) -> dict[str, float]:
    """Set the embedded model's thresholds on what `ask` makes of questions to develop on."""
    every = questions(SETS["development"])
    found = {
        "threshold": threshold_of([trial(question, threshold=0.0) for question in every]),
        "story_threshold": story_threshold_of([trial(one, threshold=0.0) for one in stories]),
    }
    file = EMBEDDED / "calibration.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | found) + "\n")
    return found


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
    parser.add_argument("--mawps", type=Path)
    parser.add_argument("--gsm8k", type=Path)
    parser.add_argument("--threshold", action="store_true")
    parser.add_argument("--show", action="store_true", help="only show the development questions")
    args = parser.parse_args()
    if args.show:
        show_development()
        return
    sets = published(args)
    if args.threshold:
        print(set_thresholds(sets["SVAMP, development"]))
        calibration.cache_clear()
        default_model.cache_clear()
    results = measure(sets)
    results["lowered"] = lowered(sets["SVAMP, development"])
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    fill(PAGE, MARKS, page(results))
    print(page(results))


if __name__ == "__main__":
    main()
