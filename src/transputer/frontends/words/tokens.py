"""A text as the rules read it: words in lower case, symbols, and its numbers as single tokens."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from transputer.frontends.words.numbers import Number
from transputer.frontends.words.phrases import NOISE
from transputer.values import dataclass

_LEXEME = re.compile(r"[^\W\d_]+|<=|>=|!=|==|<>|\*\*|//|\.\.\.?|\S", re.UNICODE)
_SAME = {"’": "", "'": "", "…": "...", "“": "", "”": "", '"': ""}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WordToken:
    """A word or symbol; with a slot where it is a number of the text."""

    text: str
    slot: int | None = None
    number: Number | None = None


def tokens(text: str, numbers: Sequence[Number]) -> list[WordToken]:
    """The tokens of a text, without words that mean nothing here."""
    sequence: list[WordToken] = []
    at = 0
    for slot, number in enumerate(numbers):
        sequence += _words(text[at : number.start])
        sequence.append(WordToken(number.text.lower(), slot, number))
        at = number.end
    return sequence + _words(text[at:])


def _words(text: str) -> list[WordToken]:
    words = (_SAME.get(match[0], match[0].lower()) for match in _LEXEME.finditer(text))
    return [WordToken(word) for word in words if word and word not in NOISE]


class Phrases(Generic[T]):
    """A table of phrases; the longest one that stands at a place is found."""

    def __init__(self, table: Mapping[str, T]) -> None:
        self._table = {tuple(phrase.split()): value for phrase, value in table.items()}
        self._longest = max(map(len, self._table))
        self._first = {phrase[0] for phrase in self._table}

    def match(self, words: Sequence[WordToken], at: int) -> tuple[T, int] | None:
        """What the longest phrase at a place stands for, and the place behind it."""
        if at >= len(words) or words[at].text not in self._first:
            return None
        limit = min(self._longest, len(words) - at)
        for length in range(limit, 0, -1):
            part = words[at : at + length]
            if all(token.slot is None for token in part):
                key = tuple(token.text for token in part)
                if key in self._table:
                    return self._table[key], at + length
        return None


def phrases(words: Iterable[str]) -> Phrases[bool]:
    """Phrases that only need to be recognised."""
    return Phrases(dict.fromkeys(words, True))
