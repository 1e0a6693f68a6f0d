"""Two planners as one."""

import importlib.util
import json

import pytest

from training.words_lm import both as measured
from transputer.errors import UsageError
from transputer.frontends.words import text
from transputer.frontends.words.both import Both
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.numbers import find
from transputer.frontends.words.planner import Abstained, Proposal

QUESTION = "Ann has 4 apples and 9 pears. How many more pears than apples does she have?"
RESULTS = json.loads(measured.RESULTS.read_text())


class Says:
    name, threshold = "says", 0.0

    def __init__(self, **shares):
        self.shares = shares

    def propose(self, question, numbers):
        if not self.shares:
            raise Abstained("too long")
        plans = {"more": "N1 - N0", "all": "N0 + N1", "turned": "N1 + N0", "times": "N0 * N1"}
        return [Proposal(text.read(plans[name]), share) for name, share in self.shares.items()]


def test_a_value_has_the_mean_of_its_confidences():
    planner = Both([Says(more=0.5, all=0.375, times=0.125), Says(turned=0.75, times=0.25)])
    found = planner.propose(QUESTION, find(QUESTION))
    plans = [(text.line(proposal.plan), proposal.confidence) for proposal in found]
    assert plans == [("(N0 + N1)", 0.5625), ("(N1 - N0)", 0.25), ("(N0 * N1)", 0.1875)]


def test_both_must_read_the_text():
    with pytest.raises(Abstained, match="too long"):
        Both([Says(more=1.0), Says()]).propose(QUESTION, find(QUESTION))


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_what_the_language_model_needs_is_named():
    with pytest.raises(UsageError, match=r"pip install 'transputer\[words-lm\]'"):
        load_planner("both")


def test_the_threshold_and_the_page_are_those_that_were_measured():
    assert Both.threshold == RESULTS["threshold"]
    assert measured.page(RESULTS) in measured.PAGE.read_text()
    for name in ("development", "held out", "fresh"):  # the sets that there were then
        of = RESULTS["everyday"][name]
        counts = [of[part] for part in ("answerable", "unanswerable")]
        total = sum(sum(each.values()) for each in counts)
        assert sum(each["wrong"] for each in counts) <= 0.03 * total
        assert sum(each["right"] for each in counts) >= 0.6 * sum(counts[0].values())
