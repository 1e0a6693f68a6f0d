"""Instructions about numbers: single operations, chains, ranges, conditions, lists and so on.

Every construct has templates that are trained on and templates that never are: `?` and `!`
in `constructs.txt`, two tables of phrases for chains.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from training.words import expressions
from training.words.problems import Misfit, Problem, any_size, problem, small, surface
from training.words.templates import Telling

FILE = Path(__file__).parent / "constructs.txt"
#: Templates that are only measured, written later and by other rules: see the heads of the files.
BLIND = {name: Path(__file__).parent / f"{name}.txt" for name in ("blind", "unseen")}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TRIES = 40
#: What people write around what they ask, in problems that are trained on.
BEFORE = (
    "Please: ", "Question: ", "Quick question: ", "Hello. ", "Hi! ", "I wonder: ", "For homework: ",
    "Now, ", "So, ", "OK. ", "A small sum: ", "Next one. ", "Here is a puzzle. ", "Let me ask. ",
)  # fmt: skip
BEHIND = (
    " Thank you.", " Thanks!", " Please.", " Just the number.", " Quickly!", " I need to know.",
)  # fmt: skip
FRAMED = 0.12
#: Other ways to write a list, in problems that are trained on, and how often they are taken.
JOINS: tuple[Callable[[list[str]], str], ...] = (
    " and ".join,
    "; ".join,
    " or ".join,
    ", or ".join,
    lambda places: f"({', '.join(places)})",
    lambda places: f"[{', '.join(places)}]",
    lambda places: f"{', '.join(places[:-1])} as well as {places[-1]}",
)
ODDLY = 0.15
WORDS = "zero one two three four five six seven eight".split()


@dataclass(frozen=True, slots=True)
class Template:
    """One way to ask for something, of a construct; `counted` where the answer is a count."""

    construct: str
    text: str
    expression: str
    held: bool
    counted: bool = False


@cache
def templates(file: Path = FILE) -> tuple[Template, ...]:
    """Every template of a file."""
    return tuple(_read(file.read_text()))


def _read(text: str) -> Iterator[Template]:
    construct = ""
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "construct":
            construct = rest
        elif word in ("?", "!", "!!"):
            asked, _, expression = rest.rpartition(" = ")
            yield Template(construct, asked, expression, word != "?", word == "!!")


@dataclass(frozen=True, slots=True)
class Steps:
    """How a chain is said: openings with an expression, further steps, what joins them."""

    openings: tuple[tuple[str, str], ...]
    steps: tuple[tuple[str, str], ...]
    joints: tuple[str, ...]


def _rows(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (line.rpartition(" = ")[0].strip(), line.rpartition(" = ")[2])
        for line in text.splitlines()
        if line.strip()
    )


TRAINED = Steps(
    _rows("""
        {@} [-|minus] {#} = @ - #
        {@} [+|plus] {#} = @ + #
        {@} [*|times] {#} = @ * #
        {@} [/|divided by] {#} = @ / #
        [Start with|Take|Begin with|Start at|Begin at] {@} = @
        Add {@} and {#} = @ + #
        Multiply {@} by {#} = @ * #
        Subtract {#} from {@} = @ - #
        Divide {@} by {#} = @ / #
        Add {@} to {#} = # + @
        [Calculate|Compute|What is] {@} [-|minus] {#} = @ - #
        [Calculate|Compute|What is] {@} [+|plus] {#} = @ + #
        [Calculate|Compute|What is] {@} [*|times] {#} = @ * #
    """),
    _rows("""
        [add|plus] {#} = @ + #
        [subtract|take away|minus] {#} = @ - #
        [multiply by|times|multiply it by|multiply that by] {#} = @ * #
        [divide by|divide it by|divide that by|divide the result by] {#} = @ / #
        add {#} [to it|to that|to the result|] = @ + #
        take away {#} = @ - #
        subtract {#} [from it|from that|from the result] = @ - #
        multiply [the result|that|it] by {#} = @ * #
        increase [it|that|the result] by {#} = @ + #
        decrease [it|that|the result] by {#} = @ - #
        {t=double} [it|the result|that] = @ * t
        {u=triple} [it|the result|that] = @ * u
        square [it|the result|that] = @ ** 2
    """),
    (", then ", " then ", ", ", " and then ", ". Then ", "; ", ", and ", ". Next, ", ", after it "),
)
HELD = Steps(
    _rows("""
        [Let us start|We start] with {@} = @
        [Work out|Find] {@} [-|minus] {#} = @ - #
        [Work out|Find] {@} [+|plus] {#} = @ + #
        Take {#} away from {@} = @ - #
    """),
    _rows("""
        now add {#} = @ + #
        now subtract {#} = @ - #
        now multiply by {#} = @ * #
        now divide by {#} = @ / #
        take {#} off = @ - #
        add {#} more = @ + #
        multiply everything by {#} = @ * #
    """),
    (". After that, ", ", next ", ", and then ", ". "),
)


def chain(rng: random.Random, held: bool) -> tuple[str, str]:
    """A chain's template and expression: every step takes what came before."""
    said = HELD if held else TRAINED
    letters = iter(LETTERS)
    text, expression = _step(rng.choice(said.openings), "", letters)
    for index in range(rng.choice((1, 1, 2, 2, 3, 4, 5, 6))):
        joint = rng.choice(said.joints) if index or rng.random() < 0.8 else said.joints[0]
        more, expression = _step(rng.choice(said.steps), f"({expression})", letters)
        text += joint + more
    return text + rng.choice((".", "", "?", ".")), expression


def _step(row: tuple[str, str], before: str, letters: Iterator[str]) -> tuple[str, str]:
    text, expression = row
    if "{@}" in text:
        before = next(letters)
        text = text.replace("{@}", f"{{{before}}}")
    if "{#}" in text:
        letter = next(letters)
        text, expression = text.replace("{#}", f"{{{letter}}}"), expression.replace("#", letter)
    return text, expression.replace("@", before)


def construct(template: Template, rng: random.Random) -> Problem | None:
    """A problem of this template, or None where none fits."""
    return _told(template.text, template.expression, template.construct, template.held, rng)


def chained(rng: random.Random, held: bool) -> Problem | None:
    """A problem that is a chain."""
    text, expression = chain(rng, held)
    return _told(text, expression, "chain", held, rng)


def _told(text: str, expression: str, kind: str, held: bool, rng: random.Random) -> Problem | None:
    for _ in range(TRIES):
        asked, wanted = _listed(text if held else _framed(text, rng), expression, rng, held)
        numbers = _numbers(wanted, rng, free=kind not in ("recursion", "range"))
        try:
            return problem(Telling(rng, numbers).tell(asked), wanted, kind, held, tidy=False)
        except (Misfit, ArithmeticError, ValueError):
            continue
    return None


def _framed(text: str, rng: random.Random) -> str:
    """The text, now and then with something said before or behind it."""
    before = rng.choice(BEFORE) if rng.random() < FRAMED else ""
    behind = rng.choice(BEHIND) if text[-1] in ".?" and rng.random() < FRAMED else ""
    return before + text + behind


def _listed(text: str, expression: str, rng: random.Random, held: bool) -> tuple[str, str]:
    """A list of two to eight numbers in the place of LIST, how many they are in that of COUNT,
    and a percentage in that of `p%`.
    """
    if "{p%}" in text:
        value = rng.choice((5, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90))
        sign = rng.choice(("%", "%", "%", " percent"))
        text = text.replace("{p%}", f"{{p={value}{sign}}}")
    if "{LIST}" not in text:
        return text, expression
    letters = LETTERS[: rng.randint(2, 8)]
    places = [f"{{{letter}}}" for letter in letters]
    last = rng.choice((" and ", ", and ", ", ", " and "))
    joined = ", ".join(places[:-1]) + last + places[-1]
    if not held and rng.random() < ODDLY:
        joined = rng.choice(JOINS)(places)
    if "{COUNT}" in text:
        said = (WORDS[len(letters)], WORDS[len(letters)], str(len(letters)))
        text = text.replace("{COUNT}", rng.choice(said))
    return text.replace("{LIST}", joined), expression.replace("LIST", ", ".join(letters))


def _numbers(expression: str, rng: random.Random, free: bool) -> dict[str, str]:
    draws = {letter: any_size(rng) for letter in LETTERS}
    draws |= {letter: small(rng) for letter in "kmn"}
    if not free:
        top = rng.choice((10, 30, 100, 400))
        draws |= {letter: Fraction(rng.randint(1, top)) for letter in "ab"}
    elif rng.random() < 0.06:
        letter = rng.choice(LETTERS)
        draws[letter] = Fraction(rng.randint(1, 99), rng.choice((2, 4, 10)))
    if "/" in expression and rng.random() < 0.5:
        first = expressions.letters(expression)[0]
        draws[first] *= rng.randint(1, 9)
    return {letter: surface(value, rng, 0.05) for letter, value in draws.items()}
