"""Measure word problems: the share that the rules and a model solve, precision by coverage.

Every answer comes from the compiled program, run by our interpreter and by wasmtime, which must
agree; a sample also runs on the weights.
"""

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from transputer.check.bench.constructs import paraphrases
from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.word_problems import WordProblem, find_problems
from transputer.errors import StepLimitError, UsageError
from transputer.frontends.words.planner import Planner
from transputer.runtime.ask import Answer, ask, template

Hear = Callable[[str], None]
COLUMNS = (
    *("set", "problems", "rules answer", "rules right %", "model right %", "both right %"),
    *("low", "high", "coverage %", "precision %", "precision % at 40 %"),
)
CURVE = ("set", "confidence", "coverage %", "precision %")
#: Number of problems of every set that also run on the weights.
ON_WEIGHTS = 5
#: Number of consecutive words that form one piece of a text.
_PIECE = 8


@dataclass(frozen=True, slots=True)
class Attempt:
    """Whether a problem was answered, whether correctly, and the planner's confidence."""

    answered: bool
    right: bool
    confidence: float = 0.0
    given: bool = True  # `ask` gives this answer: there is no doubt about the plan


def right(problem: WordProblem, answer: Answer) -> bool:
    """Return whether an answer is exactly the expected one; yes and 1 are different."""
    if answer.value is None or isinstance(answer.value, bool) != isinstance(problem.answer, bool):
        return False
    return answer.value == Fraction(problem.answer)


def by_rules(problem: WordProblem) -> Attempt:
    """Try a problem with the rules alone."""
    answer = ask(problem.question, model=False, engine="oracle", check=True)
    return Attempt(answer.answer is not None, right(problem, answer), 1.0)


def by_model(problem: WordProblem, planner: Planner) -> Attempt:
    """Try a problem with a model alone, whatever its confidence."""
    try:
        answer = ask(
            problem.question,
            planner=planner,
            rules=False,
            doubtful=True,
            engine="oracle",
            max_steps=1_000_000,
            check=True,
        )
    except StepLimitError:
        return Attempt(False, False)
    sure = 1.0 if answer.confidence is None else answer.confidence
    return Attempt(answer.answer is not None, right(problem, answer), sure, answer.doubt is None)


def measure(
    model: Planner | None,
    *,
    sets: Mapping[str, Sequence[WordProblem]] | None = None,
    limit: int | None = None,
    count: int = 200,
    hear: Hear = lambda text: None,
) -> tuple[Report, Report]:
    """Return the table of all sets, and the curves of precision by coverage.

    Without a model, measure the rules alone. `limit` is the number of problems drawn from every
    set, with a fixed seed.
    """
    here = machine()
    notes: list[str] = []
    if sets is None:
        sets, notes = _all_sets(count)
    rows: list[tuple[Cell, ...]] = []
    curve: list[tuple[Cell, ...]] = []
    for name, problems in sets.items():
        some = _drawn(problems, limit)
        hear(f"{name}: rules")
        ruled = [by_rules(problem) for problem in some]
        modelled = _modelled(some, model, hear, name)
        rows.append((name, *summary(ruled, modelled)))
        curve += [(name, *point) for point in points(modelled)]
        notes += _on_weights(name, some, ruled, modelled, model)
    if model is None:
        notes.append("no model: the rules alone were measured")
    title = f"Word problems, {model.name if model else 'rules alone'}"
    notes.append("low, high: 95 % interval of `both`; coverage, precision: at the threshold")
    return (
        Report("words", title, COLUMNS, rows, notes, here),
        Report("words-curve", title, CURVE, curve, [], here),
    )


def _all_sets(count: int) -> tuple[dict[str, list[WordProblem]], list[str]]:
    try:
        published = find_problems()
        notes = []
    except UsageError as missing:
        published, notes = {}, [str(missing)]
    ours = {f"ours: {name}": problems for name, problems in paraphrases(count).items()}
    return published | ours, notes


def _drawn(problems: Sequence[WordProblem], limit: int | None) -> list[WordProblem]:
    if limit is None or limit >= len(problems):
        return list(problems)
    return random.Random(7).sample(list(problems), limit)


def _modelled(
    problems: Sequence[WordProblem], model: Planner | None, hear: Hear, name: str
) -> list[Attempt]:
    if model is None:
        return []
    attempts = []
    for number, problem in enumerate(problems):
        if number % 20 == 0:
            hear(f"{name}: {model.name}, {number} of {len(problems)}")
        attempts.append(by_model(problem, model))
    return attempts


def summary(ruled: Sequence[Attempt], modelled: Sequence[Attempt]) -> tuple[Cell, ...]:
    """Return the row of a set, after its name."""
    total = len(ruled)
    solved = sum(attempt.right for attempt in ruled)
    head = (total, sum(attempt.answered for attempt in ruled), _percent(solved, total))
    if not modelled:
        return (*head, None, None, *_interval(solved, total), None, None, None)
    alone = sum(attempt.right for attempt in modelled)
    pairs = zip(ruled, modelled, strict=True)
    both = sum(rule.right if rule.answered else model.right for rule, model in pairs)
    answers = [attempt for attempt in modelled if attempt.answered and attempt.given]
    at_40 = [point[2] for point in points(modelled) if point[1] >= 40][:1]
    return (
        *head,
        _percent(alone, total),
        _percent(both, total),
        *_interval(both, total),
        _percent(len(answers), total),
        _percent(sum(attempt.right for attempt in answers), len(answers)),
        at_40[0] if at_40 else None,
    )


def points(attempts: Sequence[Attempt]) -> list[tuple[float, float, float]]:
    """Return confidence, coverage and precision if every plan of that confidence is answered."""
    order = sorted((a for a in attempts if a.answered), key=lambda a: -a.confidence)
    curve, correct = [], 0
    for number, attempt in enumerate(order, 1):
        correct += attempt.right
        last = number == len(order) or order[number].confidence < attempt.confidence
        if last:
            coverage = _percent(number, len(attempts)) or 0.0
            curve.append((attempt.confidence, coverage, _percent(correct, number) or 0.0))
    return curve


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _interval(part: int, whole: int) -> tuple[float | None, float | None]:
    """Return the 95 % Wilson interval of a share, in percent."""
    if not whole:
        return None, None
    z, share = 1.959964, part / whole
    middle = share + z * z / (2 * whole)
    spread = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    return round(100 * (middle - spread) / scale, 1), round(100 * (middle + spread) / scale, 1)


def _on_weights(
    name: str,
    problems: Sequence[WordProblem],
    ruled: Sequence[Attempt],
    modelled: Sequence[Attempt],
    model: Planner | None,
) -> list[str]:
    """Run a sample of the answered problems on the weights and in wasmtime; return a note."""
    answered = [
        problem
        for index, problem in enumerate(problems)
        if ruled[index].answered or modelled and modelled[index].answered
    ]
    some = _drawn(answered, ON_WEIGHTS)
    for problem in some:
        ask(problem.question, planner=model, model=model is not None, doubtful=True, check=True)
    return [f"{name}: {len(some)} also run on the weights, all as in wasmtime"] if some else []


def leaks(test: Iterable[str], training: Iterable[str]) -> list[str]:
    """Return the test questions whose template, or half of whose pieces, occur in training."""
    templates: set[str] = set()
    pieces: set[str] = set()
    for question in training:
        masked = template(question)
        templates.add(masked)
        pieces |= _pieces(masked)
    shared = []
    for question in test:
        masked = template(question)
        own = _pieces(masked)
        if masked in templates or own and 2 * len(own & pieces) >= len(own):
            shared.append(question)
    return shared


def _pieces(template: str) -> set[str]:
    words = template.split()
    return {" ".join(words[at : at + _PIECE]) for at in range(len(words) - _PIECE + 1)}


def training_questions(path: str | Path) -> list[str]:
    """Return the questions of a training file: JSON lines with `question`, or one per line."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return [_question(line) for line in lines if line.strip()]
    except (OSError, ValueError, LookupError, TypeError) as problem:
        raise UsageError(f"{path}: not a file of training questions: {problem}") from None


def _question(line: str) -> str:
    return str(json.loads(line)["question"]) if line.lstrip().startswith("{") else line


def leakage(training: Sequence[str], sets: Mapping[str, Sequence[WordProblem]]) -> Report:
    """Return the number of problems of every set that share a template or half their text."""
    rows: list[tuple[Cell, ...]] = []
    for name, problems in sets.items():
        shared = leaks([problem.question for problem in problems], training)
        rows.append((name, len(problems), len(shared), shared[0][:80] if shared else ""))
    title = f"Leakage: {len(training):,} training questions"
    return Report("words-leakage", title, ("set", "problems", "seen", "for example"), rows)
