"""The planner `both`: `embedded` and `smollm2` vote; a value's confidence is the mean of theirs."""

from collections import defaultdict
from collections.abc import Sequence

from transputer.frontends.words.embedded.planner import EFFORT, Embedded
from transputer.frontends.words.evaluate import Value, evaluate
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Plan
from transputer.frontends.words.planner import Planner, Proposal
from transputer.frontends.words.smollm.planner import SmolLM


class Both:
    """Two models as one planner. Each must be able to read the text."""

    name = "both"
    #: As that of `embedded`, set on everyday questions: `python -m training.words_lm.both`.
    threshold = 0.67

    def __init__(self, planners: Sequence[Planner] | None = None) -> None:
        self.planners = planners or (Embedded(), SmolLM())

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plans of different values, the likeliest first."""
        values = [number.value for number in numbers]
        plans: dict[tuple[bool, Value], Plan] = {}
        shares: dict[tuple[bool, Value], float] = defaultdict(float)
        for planner in self.planners:
            for proposal in planner.propose(text, numbers):
                value = evaluate(proposal.plan, values, EFFORT)
                key = (isinstance(value, bool), value)
                plans.setdefault(key, proposal.plan)
                shares[key] += (proposal.confidence or 0.0) / len(self.planners)
        ranked = sorted(plans, key=lambda key: -shares[key])
        return [Proposal(plans[key], shares[key]) for key in ranked]
