"""Word problems told from the story files: bodies, questions, distractors, changed orders.

A file has stories. Their lines are sentences in order, `~` before one that may be left out,
`?` or `!` before a question and its expression; the questions with `!` are kept for
measuring and never trained on. `use T food` says what fills a place, `needs Z` that a third
word of a row is wanted.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from training.words import expressions
from training.words.problems import Misfit, Problem, any_size, problem, small, surface
from training.words.templates import Telling

FOLDER = Path(__file__).parent / "stories"
#: Letters of counts that are small in every story: groups, shares, days.
SMALL = "kmn"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TRIES = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a story and the expression that answers it."""

    text: str
    expression: str
    held: bool


@dataclass(frozen=True, slots=True)
class Story:
    """What is told, which sentences may be left out, what fills the places, what may be asked."""

    name: str
    body: tuple[tuple[str, bool], ...]
    questions: tuple[Question, ...]
    kinds: Mapping[str, str]


@cache
def stories() -> tuple[Story, ...]:
    """Every story of the files, in order of the files' names."""
    return tuple(
        story for path in sorted(FOLDER.glob("*.txt")) for story in _read(path.read_text())
    )


def _read(text: str) -> Iterator[Story]:
    for block in text.split("\nstory ")[1:]:
        name, *lines = [line for line in block.splitlines() if line.strip()]
        body: list[tuple[str, bool]] = []
        questions: list[Question] = []
        kinds: dict[str, str] = {}
        for line in lines:
            word, _, rest = line.partition(" ")
            if word in ("?", "!"):
                asked, _, expression = f" {rest}".rpartition(" = ")
                questions.append(Question(asked.strip(), expression, word == "!"))
            elif word == "use":
                kinds.update([rest.split()])
            elif word == "needs":
                kinds["needs"] = kinds.get("needs", "") + rest
            elif word == "~":
                body.append((rest, True))
            elif word != "#":
                body.append((line.strip(), False))
        yield Story(name.strip(), tuple(body), tuple(questions), kinds)


#: Sentences with numbers that no question of a story needs.
DISTRACTORS = (
    "{S} is {x} years old.",
    "[The shop|The school|{S}'s house] is {x} {I} away.",
    "{S} has {x} {V}.",
    "{S} also <GOT> {x} {V} [that day|last week|].",
    "There were {x} {V} on the [table|floor|counter].",
    "It took [them|{S}] {x} [minutes|hours|days].",
    "[This|It] happened {x} [days|weeks|years] ago.",
    "The [bus|train|film] [left|started] at {x} o'clock.",
    "{S} paid {x} dollars for a {V1}.",
    "{x} [people|children|neighbors] were watching.",
    "{S} lives {x} {I} from [there|the {L1}].",
    "The {L1} has {x} [rooms|windows|workers].",
    "{S} gave {x} {V} to a friend.",
    "{S} {did} {x} {acts}.",
    "The [box|bag|parcel] weighs {x} {K}.",
)
#: Sentences without numbers.
FILLERS = (
    "<SCENE>",
    "{P} likes {T}.",
    "{P} [went to|visited|was at] the {L1}.",
    "{P} and {S} are friends.",
    "[Next on {his} list|The next stop] was the {L1}.",
    "{P} loves [playing|working|being] outside.",
    "{S} was watching.",
    "{P} was [getting ready|making plans|busy] all day.",
)
#: Sentences with a `one` that counts nothing, in problems that are trained on.
ONES = (
    "One [day|morning|afternoon|evening] {P} [was at|went to|came by] the {L1}.",
    "One of {his} [friends|neighbors|brothers] [was there too|came along|helped].",
    "{P} did [it|this|everything] in one [day|go|hour].",
)


def tell(story: Story, rng: random.Random, held: bool = False) -> Problem | None:
    """A problem of this story, or None where no fitting numbers or words were found.

    With `held` one of the questions that are never trained on, otherwise one of the others.
    """
    questions = [q for q in story.questions if q.held == held]
    if not questions:
        return None
    question = rng.choice(questions)
    if question.expression in LETTERS and rng.random() < 0.9:
        return None
    for _ in range(TRIES):
        numbers = _numbers(question.expression, rng)
        if numbers is None:
            return None
        marked = _marked(story, question, numbers, rng)
        try:
            return problem(marked, question.expression, "story", held)
        except Misfit:
            continue
    return None


def _numbers(expression: str, rng: random.Random) -> dict[str, str] | None:
    """Numbers for all letters such that the answer is a positive whole number."""
    used = expressions.letters(expression)
    for _ in range(400):
        values = {letter: (small if letter in SMALL else any_size)(rng) for letter in used}
        if "/" in expression and rng.random() < 0.5:
            first = used[0]
            values[first] *= Fraction(rng.randint(1, 12)) * max(values.values())
        try:
            answer = expressions.answer(expression, values)
        except ZeroDivisionError:
            continue
        if answer > 0 and (answer == int(answer) or rng.random() < 0.02):
            break
    else:
        return None
    rest = {letter: (small if letter in SMALL else any_size)(rng) for letter in LETTERS}
    return {letter: surface(v, rng) for letter, v in {**rest, **values}.items()}


def _marked(
    story: Story, question: Question, numbers: Mapping[str, str], rng: random.Random
) -> str:
    telling = Telling(rng, numbers, story.kinds)
    chance = rng.random()
    body = [s for s, optional in story.body if not optional or rng.random() < 0.5]
    sentences = [_sentence(telling.tell(line)) for line in body]
    asked = _sentence(telling.tell(question.text))
    _extend(sentences, telling, rng, FILLERS if question.held else FILLERS + ONES)
    if not asked:
        return " ".join(sentences)
    if chance < 0.06:
        return f"{asked} {' '.join(sentences)}"
    if chance < 0.16 and asked.endswith("?"):
        given = _lowered(" ".join(sentences)).rstrip(".")
        if rng.random() < 0.5:
            given = given.replace(". ", rng.choice((" and ", ", ", " and ")))
        return f"{asked[:-1]} {rng.choice(('if', 'when', 'given that'))} {given}?"
    if chance < 0.5:
        sentences[-1] = _condition(sentences[-1], rng)
        if sentences[-1].endswith(","):
            asked = _lowered(asked)
    if rng.random() < 0.04:
        asked = asked.rstrip("?")
    return f"{' '.join(sentences)} {asked}"


def _extend(
    sentences: list[str], telling: Telling, rng: random.Random, fillers: Sequence[str]
) -> None:
    """Fillers and irrelevant numbers, put before, between or after what matters."""
    if rng.random() < 0.15:
        sentences.insert(0, _sentence(telling.tell(rng.choice(fillers))))
    if rng.random() < 0.22:
        place = rng.randint(0, len(sentences))
        sentences.insert(place, _sentence(telling.tell(rng.choice(DISTRACTORS))))


def _sentence(text: str) -> str:
    text = " ".join(text.split()).replace(" ,", ",").replace(" .", ".").replace("..", ".")
    text = text.replace(" ?", "?")
    return text[:1].upper() + text[1:]


def _lowered(text: str) -> str:
    first = text.split(" ")[0]
    plain = first in _OPENINGS
    return text[:1].lower() + text[1:] if plain else text


_OPENINGS = set(
    "There How He She They It Each Every What Together The A An Now In Then After If Some By On "
    "Find One Count We You Last During For Later This That".split()
)


def _condition(sentence: str, rng: random.Random) -> str:
    """The last sentence as a condition: `If he had 4 at the start`, with or without a comma."""
    if not sentence.endswith(".") or sentence.startswith("If "):
        return sentence.rstrip(".") + rng.choice((",", "", "."))
    opening = rng.choice(("If ", "If ", "", "Suppose "))
    return (
        opening
        + (_lowered(sentence) if opening else sentence).rstrip(".")
        + rng.choice((",", "", "", "."))
    )
