"""Everyday questions: the sets, their independent answers, and the figures on the page."""

import json
from fractions import Fraction

import pytest

from training.words import everyday, front, gate, taught
from training.words.card import ROOT
from training.words.everyday import SETS, Trial

RESULTS = json.loads(everyday.RESULTS.read_text())
KINDS = {"arithmetic", "story", "list", "conditional", "loop", "units"}


@pytest.mark.parametrize(
    ("name", "many", "none"),
    [("development", 200, 60), ("held out", 200, 60), ("fresh", 72, 20), ("stranger", 90, 30)],
)
def test_the_questions_are_many_and_of_many_kinds(name: str, many: int, none: int) -> None:
    every = list(everyday.questions(SETS[name]))
    answerable = [q for q in every if q.kind in KINDS and q.answer is not None]
    assert len({question.text for question in every}) == len(every)
    assert len(answerable) >= many and {q.kind for q in answerable} == KINDS
    assert sum(question.answer is None for question in every) >= none


def test_no_question_is_in_two_sets() -> None:
    ours = (path for name, path in SETS.items() if name != "stranger")  # may ask what we ask
    texts = [q.text.lower() for path in ours for q in everyday.questions(path)]
    assert len(set(texts)) == len(texts)


def test_answers_are_python_expressions() -> None:
    answers = {q.text: q.answer for q in everyday.questions(SETS["development"])}
    assert answers["What is 2 to the power of 100?"] == 1 << 100
    assert answers["What are the digits of 904?"] == [9, 0, 4]
    assert answers["1½ + ¼"] == Fraction(7, 4) and answers["Divide 7 by 0."] is None


def test_the_results_are_of_these_questions() -> None:
    assert RESULTS["files"] == everyday.digests()


def test_the_page_has_the_figures_of_the_files() -> None:
    page = (ROOT / "docs" / "words.md").read_text()
    assert everyday.page(RESULTS) in page
    assert front.page(*front.committed()) in page
    assert gate.page(json.loads(gate.RESULTS.read_text())) in page


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_questions_come_out_as_the_file_says(name: str) -> None:
    every = list(everyday.questions(SETS[name]))
    summary = everyday.summary(every)
    assert summary == RESULTS["sets"][name]
    answerable, others = summary["answerable"], summary["unanswerable"]
    assert answerable["wrong"] + others["wrong"] <= 0.03 * len(every)
    assert others["refused"] >= 0.95 * sum(others.values())


@pytest.mark.parametrize(
    ("wrong", "threshold"),
    [((), 0.0), ((0.5,), 0.0), ((0.5, 0.9), 0.51), ((0.9, 0.91, 0.1), 0.91)],
)
def test_one_answer_of_four_hundred_may_be_wrong(wrong: tuple[float, ...], threshold) -> None:
    trials = [Trial("", "wrong", sure) for sure in wrong]
    trials += [Trial("", "right", 0.99)] * (400 - len(wrong))
    assert everyday.threshold_of(trials) == threshold


def test_the_threshold_for_stories_is_the_lowest_that_is_precise_enough() -> None:
    good = [Trial("", "right", 0.9 - step / 100) for step in range(47)]
    bad = [Trial("", "wrong", sure) for sure in (0.95, 0.605, 0.3, 0.2)]
    trials = [*good, *bad, Trial("", "right", 0.1), Trial("", "refused", 0.99)]
    assert everyday.story_threshold_of(trials) == 0.3  # from there on 47 of 50 are right: 0.94


def test_the_words_of_the_package_are_those_that_were_trained_on() -> None:
    assert taught.LIST.read_text().split() == taught.taught()
