"""Everyday questions: the threshold that they set, and the figures that the page has of them."""

import json

import pytest

from training.words import everyday, front, taught
from training.words.card import ROOT
from training.words.everyday import Trial
from transputer.frontends.words.embedded.planner import calibration

RESULTS = json.loads(everyday.RESULTS.read_text())


def test_the_questions_are_many_and_of_many_kinds() -> None:
    every = list(everyday.questions())
    setting, checking, riddles = everyday.halves().values()
    assert len({question.text for question in every}) == len(every) == 350
    assert (len(setting), len(checking), len(riddles)) == (139, 150, 61)
    assert len({question.kind for question in checking}) == 11


def test_the_results_are_of_these_questions_and_this_threshold() -> None:
    assert RESULTS["questions"] == everyday.digest()
    assert RESULTS["threshold"] == calibration().threshold > RESULTS["threshold before"]


def test_the_page_has_the_figures_of_the_files() -> None:
    page = (ROOT / "docs" / "words.md").read_text()
    assert everyday.page(RESULTS) in page
    assert front.page(*front.committed()) in page


@pytest.mark.slow
def test_the_checking_half_comes_out_as_the_file_says() -> None:
    trials = [everyday.after(question) for question in everyday.halves()["checking"]]
    assert everyday.counts(trials) == RESULTS["sets"]["checking"]["after"]
    assert sum(trial.outcome == "wrong" for trial in trials) <= 0.03 * len(trials)


@pytest.mark.parametrize(("wrong", "threshold"), [((), 0.0), ((0.5,), 0.51), ((0.9,) * 5, 0.91)])
def test_the_threshold_lies_above_most_wrong_plans(wrong: tuple[float, ...], threshold) -> None:
    trials = [Trial("", "wrong", sure) for sure in wrong] + [Trial("", "right", 0.99)]
    assert everyday.threshold_of(trials) == threshold


def test_one_wrong_plan_of_five_may_reach_the_threshold() -> None:
    trials = [Trial("", "wrong", sure) for sure in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert everyday.threshold_of(trials) == 0.81


def test_the_words_of_the_package_are_those_that_were_trained_on() -> None:
    assert taught.LIST.read_text().split() == taught.taught()
