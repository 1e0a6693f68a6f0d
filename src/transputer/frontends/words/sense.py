"""Whether a plan can be an answer to a question at all: what no confidence makes up for."""

from collections.abc import Iterator, Sequence

from transputer.frontends.words.language import every_node
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Apply, Plan, PlanConstant, Slot

#: Of a number and itself these give the same, whatever the number is.
_COMPARISONS = frozenset(("LT", "LE", "GT", "GE", "EQ", "NE"))
_SENSELESS = frozenset(("SUB", "DIV", "IDIV", "MOD")) | _COMPARISONS
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
    if any(_no_choice(node, numbers) for node in _applied(plan)):
        return "the plan has a choice between the same two"
    if any(_compared(node) for node in _applied(plan)):
        return "the plan compares with a number that is not in the question"
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
    return (node for node in every_node(plan) if isinstance(node, Apply))


def _against_itself(node: Apply) -> bool:
    first = node.arguments[:1]
    slots = isinstance(node.arguments[0], Slot) if first else False
    return node.token in _SENSELESS and slots and node.arguments[1:] == first


def _no_choice(node: Apply, numbers: Sequence[Number]) -> bool:
    if node.token != "IF":
        return False
    _, *branches = node.arguments
    then, otherwise = (numbers[b.index].value if isinstance(b, Slot) else b for b in branches)
    return then == otherwise


def _compared(node: Apply) -> bool:
    """Whether a number of the text is compared with one that nobody would leave unsaid."""
    if node.token not in _COMPARISONS or not any(isinstance(a, Slot) for a in node.arguments):
        return False
    constants = (a.value for a in node.arguments if isinstance(a, PlanConstant))
    return any(value not in (0, 1, 2) for value in constants)


def _terms(node: Apply) -> Iterator[int]:
    """Constants that are added or taken away and that nobody would leave unsaid."""
    if node.token in ("ADD", "SUB"):
        constants = (a.value for a in node.arguments if isinstance(a, PlanConstant))
        yield from (value for value in constants if value not in _UNSAID)
