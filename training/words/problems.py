"""One problem of the training set: a text, the plan it asks for and the answer it has."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from training.words import expressions
from training.words.templates import unmarked
from transputer.frontends.words.evaluate import Undefined, evaluate
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import Number, find
from transputer.frontends.words.plan import Plan, Slot

#: The most tokens of a plan that the model is trained to write.
LONGEST_PLAN = 30


class Misfit(Exception):
    """The text and the expression do not agree: a number is not found where it was written."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A text and its plan; `kind` names the construct, `held` that it is kept for measuring."""

    text: str
    tokens: tuple[str, ...]
    kind: str
    held: bool = False


def problem(
    marked: str,
    expression: str,
    kind: str,
    held: bool = False,
    tidy: bool = True,
) -> Problem:
    """The problem of a marked text, checked: the plan's value is the expression's.

    With `tidy` sums and products are put in canonical order. Misfit where the number finder
    does not see the numbers of the expression exactly where the template put them.
    """
    text, spans = unmarked(marked)
    numbers = find(text)
    slots = _slots(spans, numbers, expressions.letters(expression))
    node = expressions.tree(expression, slots)
    plan = Plan(expressions.canonical(node) if tidy else node)
    if len(plan.tokens) > LONGEST_PLAN or len(numbers) > SLOTS:
        raise Misfit("the plan or the text is too long")
    values = {name: numbers[slot.index].value for name, slot in slots.items()}
    _check(plan, [n.value for n in numbers], expressions.answer(expression, values))
    return Problem(text, plan.tokens, kind, held)


def _slots(
    spans: Mapping[str, tuple[int, int]], numbers: tuple[Number, ...], wanted: tuple[str, ...]
) -> dict[str, Slot]:
    at = {number.start: index for index, number in enumerate(numbers)}
    slots: dict[str, Slot] = {}
    for name in wanted:
        if name not in spans:
            raise Misfit(f"{name} is not in the text")
        start, end = spans[name]
        index = at.get(start)
        if index is None or numbers[index].end < end or numbers[index].end > end + 9:
            raise Misfit(f"{name} is not found as it was written")
        slots[name] = Slot(index)
    return slots


def _check(plan: Plan, numbers: list[Fraction], answer: object) -> None:
    try:
        value = evaluate(plan, numbers)
    except Undefined as problem:
        raise Misfit(str(problem)) from None
    if value != answer:
        raise AssertionError(f"{plan} comes to {value}, the story to {answer}")


_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()


def surface(value: Fraction, rng: random.Random, words: float = 0.12) -> str:
    """A number as people write it: digits, thousands separators, decimals, small ones in words."""
    if value.denominator != 1:
        return f"{float(value):g}"
    if 0 <= value <= 20 and rng.random() < words:
        return _WORDS[int(value)]
    return f"{int(value):,}" if value >= 1000 and rng.random() < 0.5 else str(int(value))


def small(rng: random.Random) -> Fraction:
    """A count of few things."""
    return Fraction(rng.randint(2, 12))


def any_size(rng: random.Random) -> Fraction:
    """A number of any size, small ones more often."""
    top = rng.choice((10, 20, 60, 100, 100, 1000, 10000))
    return Fraction(rng.randint(2, top))
