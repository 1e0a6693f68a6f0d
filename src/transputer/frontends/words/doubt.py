"""Whether a model's plan accounts for what a question says: refuse what cannot be meant.

A model is sure of wrong plans too. These checks are general and cheap: an operation that the
text names must be in the plan, a constant of the plan must have a reason in the text, every
number must be used or count something else, and the value must be one that can be meant. The
rules need none of this: they read every word or refuse.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from transputer.frontends.words import wording as wordings
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.language import every_node
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.omissions import set_aside
from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import Apply, Node, Plan, PlanConstant, Slot, apply
from transputer.frontends.words.relations import against, relations
from transputer.frontends.words.units import UNITS, dimensions, ratios
from transputer.frontends.words.wording import Wording, is_slot, nouns, stem
from transputer.values import dataclass

#: Members of a range and bits of a number that are worth evaluating for a check.
EFFORT = 5_000
#: A plan may leave out a number that counts the same thing as others only if it is surer than this.
SURE = 0.95
#: Numbers of a short story, and steps of its plan, at most.
NUMBERS, STEPS = 4, 2
_SUPERLATIVE = r"(?:larg|small|bigg|high|low|great|long|short|heavi|light|old|young|cheap)est"
#: Words that name an operation, and the plan's tokens of which one must be there; none: refused.
_CUES = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), frozenset(tokens.split()))
    for pattern, tokens in (
        (r"square roots?|sqrt", "SQRT"),
        (r"(?<!square )roots?|logs? (?:base|of)|logarithm|hypotenuse|triangles?|circles?", ""),
        (r"polygons?|angles?|radius|diameter|circumference|volume|compounded", ""),
        (rf"(?:n\d+|second|third|fourth|fifth|next|{_SUPERLATIVE} and) {_SUPERLATIVE}", ""),
        (r"^(?:sort|arrange|reverse|order|list|enumerate|name)|which .* are", ""),
        (r"next (?:number|prime|term|one)|comes? next", ""),
        (r"digits?|binary|hexadecimal|convert|factor", ""),
        (r"averages?|averaged|mean", "MEAN DIV"),
        (r"median", "MEDIAN"),
        (r"primes?", "PRIME PRIMES"),
        (r"multiples? of n\d+ (?:or|and)|divisible by n\d+ (?:or|and)", "OR AND"),
        (r"multiples?|divisible", "MULTIPLES MOD LCM"),
        (r"divisors?|factors", "GCD MUL"),
        (r"common", "GCD LCM"),
        (r"factorial", "FACT"),
        (r"fibonacci", "FIB"),
        (r"collatz|euclid|triangular|leap", ""),
        (r"remainder|modulo|mod", "MOD"),
        (r"squared?", "POW MUL SQUARES SQRT"),
        (r"squares", "SQUARES POW"),
        (r"cubed?", "POW MUL CUBES"),
        (r"cubes", "CUBES POW"),
        (r"round(?:ed|ing)? (?:to|up|down|off|n\d+)|rounded|nearest", "ROUND FLOOR CEIL IDIV"),
        (r"to the power|powers?", "POW"),
        (r"otherwise|else|unless|depending", "IF"),
        (r"(?:even|odd) (?:numbers?|ones|integers|members)", "EVENS ODDS MOD"),
        (r"(?:doubl|tripl|halv)\w* (?:\w+ )?every|halve[sd]?", "POW"),
        (r"n\d+ or n\d+", "LIST OR IF MIN MAX"),
        (r"of (?:what|which)", "DIV"),
        (r"(?:all|everyone|everything) (?:but|except)", ""),
        (r"until .* (?:below|above|under|over)", ""),
    )
)
#: Constants that words of the text account for, beside the factors between units.
_REASONS = {
    1: r"one|an?|another|him|her|them|my|self|himself|herself|itself|including|me|first|up|below",
    2: r"both|pairs?|two|couple|squared?|halve[sd]?|middle|perimeter|round|even|odd|either|area",
    3: r"cubed?|three|third power|triplets?",
    4: r"square|four|quarters?",
    5: r"nickels?",
    7: r"weeks?",
    10: r"dimes?|decades?",
    12: r"dozens?|years?|feet|foot",
    24: r"days?",
    25: r"quarters?",
    52: r"years?",
    60: r"hours?|minutes?",
    100: r"percent|percentage|cents?|per cent|century",
}
#: Plans of these alone are polynomials and quotients, where cancelling shows by other numbers.
_SMOOTH = frozenset("ADD SUB MUL DIV NEG ABS PCT POW SUM PROD MEAN LIST COUNT RANGE".split())
_FILTERS = frozenset("EVENS ODDS PRIMES MULTIPLES ABOVE BELOW".split())
_COMPARISONS = frozenset(("LT", "LE", "GT", "GE", "EQ", "NE"))
_JOINED = frozenset("to and through until up down inclusive thru till including".split())
_COUNTING = frozenset("many per a an in each every one".split())
_TOTAL = re.compile(r"\b(?:total|altogether|together|both|all|combined|twice|double|sum|each)\b")
_THAN = re.compile(r"\bn\d+ (?:\w+ ){0,2}?(?:more|fewer|less)\b[^.?!]*\bthan\b")
_SHARED = re.compile(r"\b(?:total|together|altogether|combined|between them|in all)\b")
_COMPARING = re.compile(
    r"\b(?:more|less|fewer|\w+er|than|equal|equals|same|enough|afford|divisible|multiple|even|odd"
    r"|prime|between|at least|at most|exceeds?|buy|fit|true|above|below|[<>=]+)\b"
)


@dataclass(frozen=True, slots=True)
class _Case:
    """A question, its numbers, and the plan that a model has for it."""

    wording: Wording
    numbers: Sequence[Number]
    plan: Plan
    confidence: float

    @property
    def applied(self) -> Iterator[Apply]:
        """Every operation of the plan."""
        return (node for node in every_node(self.plan) if isinstance(node, Apply))

    @property
    def tokens(self) -> frozenset[str]:
        """The operations of the plan by their tokens."""
        return frozenset(node.token for node in self.applied)

    def value(self, shift: Sequence[int] = ()) -> Value | None:
        """The plan's value, with these added to the numbers; None where it has none."""
        values = [number.value for number in self.numbers]
        for index, by in enumerate(shift):
            values[index] += by
        try:
            return evaluate(self.plan, values, EFFORT)
        except Undefined:
            return None


def doubt(text: str, numbers: Sequence[Number], plan: Plan, confidence: float = 0.0) -> str | None:
    """Why a model's plan is not to be trusted with this question; None where nothing is wrong."""
    wording = Wording.of(text, numbers)
    problem = wordings.problem(wording, numbers)
    if problem is not None:
        return problem
    case = _Case(wording, numbers, plan, confidence)
    return next(filter(None, (check(case) for check in _CHECKS)), None)


def refusals(text: str, numbers: Sequence[Number], plan: Plan, confidence: float) -> list[str]:
    """The names of all checks that refuse a plan, those of the words first."""
    wording = Wording.of(text, numbers)
    case = _Case(wording, numbers, plan, confidence)
    named = [check.__name__ for check in wordings.CHECKS if check(wording, numbers)]
    named += [check.__name__ for check in _CHECKS if check(case)]
    return [name.strip("_") for name in named]


def short_story(text: str, numbers: Sequence[Number], plan: Plan) -> bool:
    """Whether a question is a story of few numbers, and its plan one of few steps."""
    few = len(numbers) <= NUMBERS and plan.operations <= STEPS
    return few and Wording.of(text, numbers).told


def _unaccounted(case: _Case) -> str | None:
    """An operation that the text names and the plan does not have."""
    raw = case.wording.text.lower()
    for pattern, tokens in _CUES:
        match = pattern.search(case.wording.plain) or pattern.search(raw)
        if match is not None and not tokens & case.tokens:
            return f"the plan does not account for {match[0]!r}"
    percent = any(number.percent for number in case.numbers)
    percent = percent or "percent" in case.wording.words or "percentage" in case.wording.words
    if percent and not (case.tokens & {"PCT"} or PlanConstant(100) in every_node(case.plan)):
        return "the plan does not account for a percentage"
    return None


def _invented(case: _Case) -> str | None:
    """A constant that nothing in the text accounts for."""
    factors = {f for several in ratios(_measured(case.wording)) for f in several}
    for constant in _constants(case.plan):
        if any(number.value == constant for number in case.numbers):
            return f"the plan has {constant} of its own beside the question's"
        reason = _REASONS.get(constant)
        if constant == 0 or Fraction(constant) in factors:
            continue
        if constant == 100 and any(number.percent for number in case.numbers):
            continue
        if reason is None or not re.search(rf"\b(?:{reason})\b", case.wording.plain):
            return f"nothing in the question accounts for {constant} in the plan"
    return None


def _constants(plan: Plan) -> Iterator[int]:
    """The constants of a plan that are not the bounds or the step of a range."""
    stack: list[Node] = [*plan.lets, plan.result]
    while stack:
        node = stack.pop()
        if isinstance(node, PlanConstant):
            yield node.value
        elif isinstance(node, Apply):
            ends = node.token == "RANGE"
            stack += [a for a in node.arguments if not (ends and isinstance(a, PlanConstant))]


def _measured(wording: Wording) -> Iterator[str]:
    """The units that stand behind a number or a word that counts; not `every day` at the start."""
    for sentence in wording.sentences:
        for place, word in enumerate(sentence[1:], 1):
            before = sentence[place - 1]
            every = place == 1 and before in ("each", "every")
            if word in UNITS and not every and (is_slot(before) or before in _COUNTING):
                yield word


def _unconverted(case: _Case) -> str | None:
    """Units of one dimension that the plan brings together without the factor between them."""
    constants = {Fraction(constant) for constant in _constants(case.plan)}
    for factors in ratios(_measured(case.wording)):
        if not factors & (constants | {number.value for number in case.numbers}):
            return "the plan does not convert between the question's units"
    return None


def _unused(case: _Case) -> str | None:
    """A number that the plan leaves out, unless it counts something else."""
    counted = list(nouns(case.wording))
    if len(counted) != len(case.numbers):
        return "the question's numbers are not clear"
    taken = "|".join(map(str, case.plan.slots))
    used = {word for slot in case.plan.slots for word in counted[slot]}
    used |= {stem(word) for word in case.wording.thing}
    for slot, number in enumerate(case.numbers):
        if slot in case.plan.slots or (number.value == 1 and not number.text[0].isdigit()):
            continue
        asked = f"n{slot}" in case.wording.asking
        if asked or not case.wording.told or number.percent or not counted[slot]:
            return f"the plan leaves out {number.text!r}"
        if re.search(rf"\bn{slot} \w+ (?:of|with) n(?:{taken})\b", case.wording.plain):
            return f"the plan leaves out {number.text!r}, which multiplies another"
        if not counted[slot] & used or case.confidence >= SURE:
            continue
        if not set_aside(case.wording, case.plan.slots, slot):
            return f"the plan leaves out {number.text!r}, which counts the same thing"
    return None


def _simplifies(case: _Case) -> str | None:
    """A plan that comes to one of its numbers, or in which a number cancels."""
    one = next((n for n in case.applied if n.token in ("MUL", "DIV") and _is_one(case, n)), None)
    if one is not None:
        return "the plan multiplies or divides by 1"
    if not case.tokens <= _SMOOTH or {"COUNT", "LIST"} <= case.tokens:
        return None
    shifts = [[(7 * k + 3 * i * i + 1) % 11 for i in range(len(case.numbers))] for k in (1, 2, 3)]
    values = [case.value(shift) for shift in shifts]
    for slot in case.plan.slots:
        number = case.numbers[slot]
        same = (v == number.value + s[slot] for v, s in zip(values, shifts, strict=True))
        if all(same) and not number.reckoned:
            return f"the plan comes to {number.text!r} whatever the numbers are"
        only = [5 * (index == slot) for index in range(len(case.numbers))]
        if case.value() == case.value(only) is not None:
            return f"{number.text!r} cancels in the plan"
    return None


def _is_one(case: _Case, node: Apply) -> bool:
    last = node.arguments[1:] if node.token == "DIV" else node.arguments
    return any(
        isinstance(a, Slot) and case.numbers[a.index].value == 1 or a == PlanConstant(1)
        for a in last
    )


def _unmeant(case: _Case) -> str | None:
    """A value that cannot be meant: less than nothing, nothing, or parts of what is counted."""
    value = case.value()
    asked = case.wording.measure
    if value is None or isinstance(value, bool | list):
        return None
    if value < 0 and asked and "temperature" not in case.wording.words:
        return "the plan comes to less than nothing"
    if value == 0 and asked:
        return "the plan comes to nothing"
    if asked == "many" and case.wording.told and value.denominator != 1:
        decimal = 10**20 % value.denominator == 0  # 2.5 hours are measured, 20/3 days are not
        needed = {"need", "needs", "needed", "must"} & set(case.wording.asking)
        if needed or not decimal or not dimensions(case.wording.thing):
            return "the plan comes to a part of what is counted"
    return None


def _clashing(case: _Case) -> str | None:
    """Units that are added to others, or multiplied by themselves."""
    units = [set(UNITS) & behind for behind in _behind(case.wording)]
    for node in case.applied:
        slots = [argument.index for argument in node.arguments if isinstance(argument, Slot)]
        if len(slots) != 2 or node.token not in ("ADD", "SUB", "MUL"):
            continue
        first, second = (dimensions(units[slot]) for slot in slots)
        if node.token == "MUL" and first & second - {"length", "imperial length"}:
            return f"the plan multiplies {min(units[slots[0]])} by themselves"
        if node.token != "MUL" and first and second and not first & second:
            return f"the plan adds {min(units[slots[0]])} and {min(units[slots[1]])}"
    return None


def _behind(wording: Wording) -> Iterator[set[str]]:
    """For every number, in order: the word behind it, or the sign of money before it."""
    for sentence in wording.sentences:
        for place, word in enumerate(sentence):
            if is_slot(word):
                near = {*sentence[place + 1 : place + 2], *sentence[max(place - 1, 0) : place]}
                yield {w for w in near if w in sentence[place + 1 : place + 2] or w in ("$", "€")}


def _misrelated(case: _Case) -> str | None:
    """A comparison that the plan reads the other way round, or may."""
    if against(case.wording, case.plan):
        return "the plan reads a comparison the other way round"
    compared = bool([*relations(case.wording)])
    if compared and len(case.numbers) > 2 and case.confidence < SURE:
        return "the plan may read a comparison the other way round"
    shared = _SHARED.search(re.split(r"\b(?:how|what|which)\b", case.wording.plain)[0])
    several = re.search(r"\btimes as\b|\btwice as\b", case.wording.text.lower())
    compared = compared or _THAN.search(case.wording.plain) is not None
    if shared and (compared or several) and "DIV" not in case.tokens:
        return "the plan does not divide a total between two that are compared"
    return None


def _baseless(case: _Case) -> str | None:
    """`Ann has twice as many as Bo`, where no number is said to be Bo's."""
    for match in re.finditer(
        r"\bas (?:many|much|old|long|tall|far) (?:\w+ )?as (\w+)", case.wording.plain
    ):
        name = match[1]
        rest = case.wording.plain.replace(match[0], "")
        if name in case.wording.names and not re.search(
            rf"\b{name}\b[^.?!]*\bn\d|n\d[^.?!]*\b{name}\b", rest
        ):
            return f"nothing says how many {name} has"
    return None


def _apart(case: _Case) -> str | None:
    """Things that are added although the question holds them against each other."""
    match = re.search(r"\b(?:more|fewer|less) (.*?) than (.*)", " ".join(case.wording.asking))
    if match is None:
        return None
    first, second = ({stem(word) for word in part.split()} for part in match.groups())
    first, second = first - second, second - first
    counted = list(nouns(case.wording))
    for node in case.applied:
        slots = [argument.index for argument in node.arguments if isinstance(argument, Slot)]
        if node.token != "ADD" or len(slots) != 2:
            continue
        sides = [(bool(counted[s] & first), bool(counted[s] & second)) for s in slots]
        if sorted(sides) == [(False, True), (True, False)]:
            return "the plan adds what the question compares"
    return None


def _shared_out(case: _Case) -> str | None:
    """`How much does he earn each week`, and the plan multiplies by the weeks of the story."""
    match = re.search(r"\b(?:each|per|every) (\w+)", " ".join(case.wording.asking))
    if match is None:
        return None
    counted = list(nouns(case.wording))
    for node in case.applied:
        for argument in node.arguments if node.token == "MUL" else ():
            if isinstance(argument, Slot) and stem(match[1]) in counted[argument.index]:
                return f"it asks for each {match[1]}, and the plan multiplies by their number"
    return None


def _doubled(case: _Case) -> str | None:
    """A number that is added or taken away twice, where the question asks for no total."""
    summed = case.wording.told and case.tokens <= {"ADD", "SUB"}
    if summed and not _TOTAL.search(case.wording.plain):
        used = [node.index for node in every_node(case.plan) if isinstance(node, Slot)]
        if len(used) > len(set(used)):
            return "the plan counts a number twice"
    return None


def _mistyped(case: _Case) -> str | None:
    """Yes or no where a number is asked for, or the other way round."""
    boolean = case.plan.type is PlanType.BOOLEAN
    if case.wording.asking and boolean != case.wording.asks_yes_or_no:
        courteous = not boolean and _courteous(case.wording)
        return None if courteous else "the plan's answer is not of the kind that is asked for"
    if boolean and not _COMPARING.search(case.wording.plain):
        return "the question compares nothing"
    return None


def _courteous(wording: Wording) -> bool:
    """`Can you tell me what …` asks for a number."""
    return bool({"what", "how", "which", "tell", "give", "find"} & set(wording.asking[1:]))


def _ranges(case: _Case) -> str | None:
    """Ranges between numbers that the text does not connect, and filters that keep nothing."""
    values = [number.value for number in case.numbers]
    words = case.wording.words
    for node in case.applied:
        ends = [end for end in node.arguments[:2] if isinstance(end, Slot)]
        if node.token == "RANGE" and len(ends) == 2:
            low, high = sorted(words.index(f"n{slot.index}") for slot in ends)
            between = set(words[low + 1 : high])
            if not between & _JOINED or any(map(is_slot, between)):
                return "the plan counts between numbers that the question does not connect"
        if node.token in _FILTERS:
            try:
                empty = evaluate(Plan(apply("COUNT", node)), values, EFFORT) == 0
            except Undefined:
                continue
            if empty:
                return "the plan picks out of a list, and nothing is left"
    return None


def _choices(case: _Case) -> str | None:
    """Conditions in a story, or on numbers that do not stand next to each other."""
    for node in case.applied:
        if node.token != "IF":
            continue
        condition = node.arguments[0]
        if not isinstance(condition, Apply) or condition.token not in _COMPARISONS:
            continue
        slots = [a.index for a in condition.arguments if isinstance(a, Slot)]
        apart = len(slots) == 2 and abs(slots[0] - slots[1]) != 1
        if apart or case.wording.told:
            return "the plan's condition is not one that the question states"
    return None


_CHECKS: tuple[Callable[[_Case], str | None], ...] = (
    *(_unaccounted, _invented, _unconverted, _unused, _simplifies, _unmeant, _mistyped, _ranges),
    *(_choices, _clashing, _misrelated, _baseless, _apart, _shared_out, _doubled),
)
