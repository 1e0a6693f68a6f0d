"""The default planner: plans of the embedded network, weighed by their values.

The beam's plans vote: plans that come to the same value count together, and a value that a
question cannot mean (less than nothing, a part of a thing where things are counted) counts
less. The winner's share of the votes, at a temperature fitted on problems that were not
trained on, is the confidence.
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.resources import files

from transputer.frontends.words.embedded.beam import Candidate, search
from transputer.frontends.words.embedded.english import english
from transputer.frontends.words.embedded.network import PlannerNetwork
from transputer.frontends.words.embedded.weights import committed
from transputer.frontends.words.embedded.wordpiece import LONGEST, pieces
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Plan, parse
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.frontends.words.sense import repeats
from transputer.values import dataclass

#: What a value loses, in log probability: below zero, nothing at all, broken where things are
#: counted, or a plan that only repeats a number of the text.
NEGATIVE, NOTHING, BROKEN, REPEATED = 5.0, 2.5, 2.5, 4.0
#: Ranges and numbers larger than this are not worth evaluating for a vote.
EFFORT = 5_000
#: Words that begin questions which no number answers.
_OTHERWISE = frozenset("who whom whose why where when".split())


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns votes into a confidence, and the confidence under which nothing is said.

    Short stories, which the model was taught most of, have a threshold of their own.
    """

    temperature: float
    threshold: float
    story_threshold: float = 1.0


@cache
def calibration() -> Calibration:
    """The committed calibration."""
    text = files(__package__).joinpath("calibration.json").read_text()
    return Calibration(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Vote:
    """A value, the likeliest plan that comes to it, and the log weight of all that do."""

    plan: Plan
    value: Value
    weight: float


class Embedded:
    """The embedded network as a planner; its weights are loaded with the first question."""

    name = "embedded"

    def __init__(
        self, network: PlannerNetwork | None = None, setting: Calibration | None = None
    ) -> None:
        if network is not None:
            self.network = network
        self.setting = setting or calibration()
        self.threshold = self.setting.threshold
        self.story_threshold = min(self.threshold, self.setting.story_threshold)

    @cached_property
    def network(self) -> PlannerNetwork:
        """The network; by default the committed one."""
        return committed()

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plans of different values, the likeliest first.

        `Abstained` where the text is not of the kind that the model was taught: without
        numbers, with too many of them, too long, or not English.
        """
        readable(text, numbers)
        read = pieces(text, numbers)
        if read.cut:
            raise Abstained(f"the text is too long; the model reads {LONGEST} pieces of words")
        return proposals(search(self.network, read), text, numbers, self.setting.temperature)


def readable(text: str, numbers: Sequence[Number]) -> None:
    """`Abstained` where a text is not of the kind that our models were taught, however long."""
    if not numbers:
        raise Abstained("there is no number in the text")
    if len(numbers) > SLOTS:
        raise Abstained(f"the text has {len(numbers)} numbers; the model reads {SLOTS}")
    if not english(text):
        raise Abstained("the text does not look like English, all that the model was taught")
    if asks_otherwise(text):
        raise Abstained("the question asks who, why, where or when, and not for a number")


def asks_otherwise(text: str) -> bool:
    """Whether the last sentence asks for something that is no number and no yes or no."""
    *_, last = re.split(r"[.!?]\s+", text.strip().rstrip("?!. ").lower())
    words = re.findall(r"[a-z]+", last)
    return bool(words) and words[0] in _OTHERWISE and not {"how", "what"} & set(words)


def proposals(
    candidates: Sequence[Candidate], text: str, numbers: Sequence[Number], temperature: float
) -> list[Proposal]:
    """The plans of different values with their shares of the votes; Abstained if there are none."""
    ballot = votes(candidates, text, numbers, temperature)
    if not ballot:
        raise Abstained("no plan of the model has a value")
    total = sum(math.exp(vote.weight - ballot[0].weight) for vote in ballot)
    return [Proposal(v.plan, math.exp(v.weight - ballot[0].weight) / total) for v in ballot]


def votes(
    candidates: Sequence[Candidate], text: str, numbers: Sequence[Number], temperature: float
) -> list[Vote]:
    """The values the plans come to, the weightiest first."""
    values = [number.value for number in numbers]
    counted = "how many" in text.lower()
    asked = counted or "how much" in text.lower()
    ballot: dict[tuple[bool, Value], Vote] = {}
    for candidate in candidates:
        plan = parse(candidate.tokens)
        try:
            value = evaluate(plan, values, EFFORT)
        except Undefined:
            continue
        doubt = _doubt(value, asked, counted) + REPEATED * repeats(plan, numbers)
        weight = (candidate.score - doubt) / temperature
        key = (isinstance(value, bool), value)
        before = ballot.get(key)
        if before is None:
            ballot[key] = Vote(plan, value, weight)
        else:
            low, high = sorted((before.weight, weight))
            joint = high + math.log1p(math.exp(low - high))
            ballot[key] = Vote(before.plan, value, joint)
    return sorted(ballot.values(), key=lambda vote: -vote.weight)


def _doubt(value: Value, asked: bool, counted: bool) -> float:
    doubt = 0.0
    if not asked or isinstance(value, bool | list):
        return doubt
    if value < 0:
        doubt += NEGATIVE
    elif value == 0:
        doubt += NOTHING
    if counted and value.denominator != 1:
        doubt += BROKEN
    return doubt
