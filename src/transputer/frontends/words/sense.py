"""Whether a plan can be an answer to a question at all: what no confidence makes up for."""

from collections.abc import Iterator, Sequence

from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Apply, Constant, Node, Plan, Slot

#: Of a number and itself these give the same, whatever the number is.
_SENSELESS = frozenset(("SUB", "DIV", "IDIV", "MOD", "LT", "LE", "GT", "GE", "EQ", "NE"))
#: What people add and take away without saying it: themselves, a couple, a whole in its units.
_UNSAID = frozenset((1, 2, 7, 12, 24, 28, 30, 31, 52, 60, 90, 100, 180, 360, 365, 366, 1000))


def objection(plan: Plan, numbers: Sequence[Number]) -> str | None:
    """Why a model's plan is not used, or None. The rules need no such check."""
    if not numbers:
        return "the question has no numbers"
    if missing := sorted(slot for slot in plan.slots if slot >= len(numbers)):
        return f"the plan uses a number that is not in the question (N{missing[0]})"
    if not plan.slots:
        return "the plan uses none of the question's numbers"
    if repeats(plan, numbers):
        return "the plan only repeats a number of the question"
    if any(_against_itself(node) for node in _applied(plan)):
        return "the plan holds a number against itself"
    if any(node.token == "LIST" and len(node.arguments) == 1 for node in _applied(plan)):
        return "the plan makes a list of one number"
    if unsaid := next((value for node in _applied(plan) for value in _terms(node)), None):
        return f"the plan adds or takes away {unsaid}, which is not in the question"
    return None


def repeats(plan: Plan, numbers: Sequence[Number]) -> bool:
    """Whether a plan only says a number again that stands in the question as it is."""
    return plan.operations == 0 and not any(numbers[slot].reckoned for slot in plan.slots)


def _applied(plan: Plan) -> Iterator[Apply]:
    """Every operation of a plan."""
    stack: list[Node] = [*plan.lets, plan.result]
    while stack:
        top = stack.pop()
        if isinstance(top, Apply):
            stack += top.arguments
            yield top


def _against_itself(node: Apply) -> bool:
    first, *rest = node.arguments
    return node.token in _SENSELESS and isinstance(first, Slot) and rest == [first]


def _terms(node: Apply) -> Iterator[int]:
    """Constants that are added or taken away and that nobody would leave unsaid."""
    if node.token in ("ADD", "SUB"):
        constants = (a.value for a in node.arguments if isinstance(a, Constant))
        yield from (value for value in constants if value not in _UNSAID)
