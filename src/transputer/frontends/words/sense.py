"""Whether a plan can be an answer to a question at all: what no confidence makes up for."""

from collections.abc import Sequence

from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Plan

#: Of a number and itself these give the same, whatever the number is.
_SENSELESS = frozenset(("SUB", "DIV", "IDIV", "MOD", "LT", "LE", "GT", "GE", "EQ", "NE"))


def objection(plan: Plan, numbers: Sequence[Number]) -> str | None:
    """Why a model's plan is not used, or None. The rules need no such check."""
    if not numbers:
        return "the question has no numbers"
    if missing := sorted(slot for slot in plan.slots if slot >= len(numbers)):
        return f"the plan uses a number that is not in the question (N{missing[0]})"
    if not plan.slots:
        return "the plan uses none of the question's numbers"
    if plan.operations == 0:
        return "the plan only repeats a number of the question"
    tokens = plan.tokens
    for operation, first, second in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if operation in _SENSELESS and first == second:
            return f"the plan holds a number against itself ({operation} {first} {second})"
    return None
