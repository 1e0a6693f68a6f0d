"""Templates: text with choices and places, and how one is told.

`[a|b|]` is a choice, `<GOT>` a word of a class, `{P}` a person, `{T}` a thing (`{T1}` one of
them), `{a}` a number, `{t=twice}` a number said in exactly that way. Choices nest.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from training.words import vocabulary as v
from training.words.vocabulary import Person

_TOKEN = re.compile(r"\[|\||\]|\{[^{}]+\}|<[A-Z]+>|[^\[\]|{}<>]+|[<>]")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences."""

    options: tuple["Sequence", ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A name to be filled: what stands between braces or angle brackets."""

    name: str


Sequence = tuple[str | Choice | Place, ...]


@cache
def parsed(template: str) -> Sequence:
    """The template as a tree; ValueError where its brackets do not match."""
    stack: list[list[list[str | Choice | Place]]] = [[[]]]
    for token in _TOKEN.findall(template):
        if token == "[":
            stack.append([[]])
        elif token == "|" and len(stack) > 1:
            stack[-1].append([])
        elif token == "]":
            if len(stack) == 1:
                raise ValueError(f"no choice is open in {template!r}")
            options = stack.pop()
            stack[-1][-1].append(Choice(tuple(tuple(option) for option in options)))
        elif token[0] == "{" or (token[0] == "<" and len(token) > 1):
            stack[-1][-1].append(Place(token[1:-1] if token[0] == "{" else token))
        else:
            stack[-1][-1].append(token)
    if len(stack) != 1:
        raise ValueError(f"a choice is left open in {template!r}")
    return tuple(stack[0][0])


#: Which words may fill the place of a letter, unless a story says otherwise.
KINDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "thing": v.THINGS + v.FOODS,
    "toy": v.THINGS,
    "food": v.FOODS,
    "animal": v.ANIMALS,
    "people": v.GROUPS,
    "container": v.CONTAINERS,
    "seating": v.SEATINGS,
    "building": v.BUILDINGS,
    "time": v.TIMES,
    "length": v.LENGTHS,
    "weight": v.WEIGHTS,
    "volume": v.VOLUMES,
    "any": v.THINGS + v.FOODS + v.ANIMALS,
}
LETTERS = {
    "T": "thing",
    "U": "thing",
    "V": "thing",
    "F": "food",
    "A": "animal",
    "G": "people",
    "H": "people",
    "B": "container",
    "C": "container",
    "O": "seating",
    "L": "building",
    "M": "time",
    "I": "length",
    "K": "weight",
    "J": "volume",
}
PERSONS = "PQRS"
#: Letters drawn without repetition from one list of words.
ROWS: Mapping[str, tuple[str, Callable[[random.Random], tuple[str, ...]]]] = {
    "XYZ": ("quality", lambda rng: rng.choice(v.FAMILIES)),
    "DEW": ("day", lambda rng: tuple(v.DAYS) if rng.random() < 0.7 else tuple(v.MONTHS)),
}


@dataclass(slots=True)
class Telling:
    """The words chosen for one story, and the text told so far with the spans of its numbers."""

    rng: random.Random
    numbers: Mapping[str, str]
    kinds: Mapping[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)

    def tell(self, template: str) -> str:
        """The template told; every number is marked as `\\x01name\\x02surface\\x03`."""
        return self._tell(parsed(template))

    def _tell(self, sequence: Sequence) -> str:
        parts: list[str] = []
        for item in sequence:
            if isinstance(item, str):
                parts.append(item)
            elif isinstance(item, Choice):
                parts.append(self._tell(self.rng.choice(item.options)))
            else:
                parts.append(self._place(item.name))
        return "".join(parts)

    def _place(self, name: str) -> str:
        if name[0] == "<":
            return self.tell(self.rng.choice(v.CLASSES[name[1:-1]]))
        if "=" in name:
            letter, surface = name.split("=", 1)
            return f"\x01{letter}\x02{surface}\x03"
        if len(name) == 1 and name.islower():
            return f"\x01{name}\x02{self.numbers[name]}\x03"
        if name[0] in PERSONS and len(name) == 1:
            return self._person(name)
        if name.lower() in _PRONOUNS:
            return self._pronoun(name)
        if name in _LISTS:
            return self._listed(name)
        if name in WORK:
            return self._work(name)
        for letters, (_, draw) in ROWS.items():
            if name in letters:
                return self._row(letters, name, draw)
        return self._thing(name)

    def person(self, letter: str) -> Person:
        """Who a letter stands for, drawn at the first asking."""
        if letter not in self.people:
            plain = letter != "P" or self.rng.random() < 0.85
            while True:
                person = self.rng.choice(v.PEOPLE if plain else v.ROLE_PEOPLE)
                if person not in self.people.values():
                    break
            self.people[letter] = person
        return self.people[letter]

    def _person(self, letter: str) -> str:
        name = self.person(letter).name
        if letter in self.said and name.startswith("a "):
            return "the " + name[2:]
        self.said.add(letter)
        return name

    def _pronoun(self, name: str) -> str:
        who, which = ("Q", name[1:]) if name[0] == "q" else ("P", name)
        word: str = getattr(self.person(who), which.lower())
        return word.capitalize() if which[0].isupper() else word

    def _listed(self, name: str) -> str:
        while name not in self.words:
            word = self.rng.choice(_LISTS[name]).strip()
            if word not in self.words.values():
                self.words[name] = word
        return self.words[name]

    def _work(self, name: str) -> str:
        if name not in self.words:
            self.words.update(zip(WORK, self.rng.choice(v.WORKS), strict=True))
        return self.words[name]

    def _row(
        self, letters: str, name: str, draw: Callable[[random.Random], tuple[str, ...]]
    ) -> str:
        if name not in self.words:
            wanted = 3 if letters[2] in self.kinds.get("needs", "") else 2
            row = draw(self.rng)
            while len(row) < wanted:
                row = draw(self.rng)
            drawn = self.rng.sample(row, min(3, len(row)))
            self.words.update(zip(letters, drawn, strict=False))
        return self.words[name]

    def _thing(self, name: str) -> str:
        letter, single = name[0], name.endswith("1")
        if letter not in self.words:
            kind = KINDS[self.kinds.get(letter, LETTERS[letter])]
            while True:
                plural, singular = self.rng.choice(kind)
                if plural not in self.used:
                    break
            self.used.add(plural)
            self.words[letter], self.words[letter + "1"] = plural, singular
        return self.words[letter + "1" if single else letter]


#: What somebody did, of what, and the verb after `did`.
WORK = ("did", "acts", "do")
_PRONOUNS = {f"{q}{word}" for q in ("", "q") for word in ("he", "him", "his")}
_LISTS: Mapping[str, list[str]] = {
    "spot": v.SPOTS,
    "stuff": v.STUFF,
    "stuff2": v.STUFF,
    "stuff3": v.STUFF,
    "material": v.MATERIALS,
    "subject": v.SUBJECTS,
    "machine": v.MACHINES,
    "stage": v.STAGES,
    "stage2": v.STAGES,
    "stage3": v.STAGES,
    "subject2": v.SUBJECTS,
    "subject3": v.SUBJECTS,
}

_MARK = re.compile("\x01([^\x02]*)\x02([^\x03]*)\x03")


def unmarked(text: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """The text without its marks, and where the first mention of every number is."""
    spans: dict[str, tuple[int, int]] = {}
    parts: list[str] = []
    length = at = 0
    for match in _MARK.finditer(text):
        parts += [text[at : match.start()], match[2]]
        start = length + match.start() - at
        length = start + len(match[2])
        spans.setdefault(match[1], (start, length))
        at = match.end()
    return "".join(parts) + text[at:], spans
