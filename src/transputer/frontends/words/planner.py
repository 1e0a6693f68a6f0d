"""The protocol of planners, which turn a text into plans."""

from collections.abc import Sequence
from typing import Protocol

from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Plan
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and its planner's confidence, from 0 to 1; None if the planner states none.

    `numbers` are those that the plan's slots count if they are not the ones that the planner was
    given. `form` says what the answer is: `date`, `time`, a unit, or by default a plain value.
    """

    plan: Plan
    confidence: float | None
    numbers: tuple[Number, ...] | None = None
    form: str = ""


class Abstained(Exception):
    """A planner has no plan for a text; the message says why."""


class TwoReadings(Abstained):
    """A text that can be read in two ways: no other planner is asked."""


class Planner(Protocol):
    """Turns a text and its numbers into plans, the likeliest first.

    `ask` refuses a proposal below `threshold`; a planner may have a `story_threshold` beside it,
    for short stories. `Abstained` says why there is no plan.
    """

    name: str
    threshold: float

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plans, the likeliest first."""
