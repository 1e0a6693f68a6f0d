"""Seven words in a row, numbers and names masked: what a template leaves behind in a text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from training.words import vocabulary
from transputer.frontends.words.numbers import find

LENGTH = 7
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|#|@")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
Gram = tuple[str, ...]


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Our own names and those of these texts: capitals in a sentence, and never small letters.

    Texts without any capital say nothing about that.
    """
    told = [text for text in texts if not text.islower()]
    small = {word for text in told for word in re.findall(r"\b[a-z]+\b", text)}
    found = {name.lower() for text in told for name in _NAME.findall(text)}
    return frozenset((found - small) | {p.name.lower() for p in vocabulary.PEOPLE})


def masked(text: str, names: frozenset[str]) -> list[str]:
    """The words of a text, `#` for every number and `@` for every name."""
    for number in reversed(find(text)):
        text = f"{text[: number.start]} # {text[number.end :]}"
    words = _WORD.findall(text.lower())
    return ["@" if word.removesuffix("'s") in names else word for word in words]


def grams(text: str, names: frozenset[str]) -> Iterator[Gram]:
    """Every seven words in a row."""
    words = masked(text, names)
    return (tuple(words[at : at + LENGTH]) for at in range(len(words) - LENGTH + 1))


@dataclass(frozen=True)
class Apart:
    """What training problems must not share with problems that measure."""

    known: frozenset[Gram] = frozenset()
    names: frozenset[str] = frozenset()

    @staticmethod
    def of(texts: Iterable[str]) -> "Apart":
        """Everything in a row in these texts."""
        held = list(texts)
        names = names_in(held)
        return Apart(frozenset(g for text in held for g in grams(text, names)), names)

    def shared(self, text: str) -> set[Gram]:
        """What a text shares with them."""
        if not self.known:
            return set()
        return {gram for gram in grams(text, self.names) if gram in self.known}
