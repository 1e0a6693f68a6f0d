"""Who has more than whom: `Paul is 10 years younger than Eva` fixes the sign of a plan."""

from collections.abc import Iterator

from transputer.frontends.words.plan import Apply, Plan, Slot
from transputer.frontends.words.wording import Wording, is_slot
from transputer.values import dataclass

_MORE = frozenset("more older taller longer heavier higher larger bigger wider faster".split())
_LESS = frozenset("less fewer younger shorter lighter lower smaller narrower slower".split())
#: Not a name: what may stand before one.
_BEFORE = frozenset("a an the my his her their our your its if when and but while that".split())
_SAME = {"me": "i", "him": "he", "her": "she", "them": "they"}


@dataclass(frozen=True, slots=True)
class Relation:
    """`greater` is `slot` more than `smaller`."""

    slot: int
    greater: str
    smaller: str


def relations(wording: Wording) -> Iterator[Relation]:
    """The comparisons of a story by a number: `Ann has 3 more pens than Bo`."""
    for sentence in wording.sentences:
        if sentence is wording.asking:
            continue
        for place, word in enumerate(sentence):
            behind = sentence[place + 1 : place + 4]
            signs = [other for other in behind if other in _MORE | _LESS]
            if not is_slot(word) or not signs or "is" in behind or "than" not in sentence[place:]:
                continue
            first = _name(sentence)
            second = _name(sentence[sentence.index("than", place) + 1 :])
            more, less = (first, second) if signs[0] in _MORE else (second, first)
            yield Relation(int(word[1:]), more, less)


def _name(words: tuple[str, ...]) -> str:
    name = next((word for word in words if word not in _BEFORE), "")
    return _SAME.get(name, name)


def against(wording: Wording, plan: Plan) -> bool:
    """Whether a plan of two numbers adds where a comparison says to subtract, or the reverse."""
    node = plan.result
    if not isinstance(node, Apply) or node.token not in ("ADD", "SUB"):
        return False
    slots = [argument.index for argument in node.arguments if isinstance(argument, Slot)]
    if len(slots) != 2:
        return False
    asked = {_SAME.get(word, word) for word in wording.asking}
    for relation in relations(wording):
        if relation.slot not in slots or (relation.greater in asked) == (relation.smaller in asked):
            continue
        if node.token == "ADD" and relation.greater not in asked:
            return True
        if node.token == "SUB" and (relation.greater in asked or slots[0] == relation.slot):
            return True
    return False
