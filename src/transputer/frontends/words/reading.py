"""A cursor over the words of a text: what the parts of the rules share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

from transputer.frontends.words.plan import Name, Node
from transputer.frontends.words.tokens import Phrases, WordToken

#: Functions in words inside each other, at most.
DEEPEST = 40
T = TypeVar("T")


class NoMatch(Exception):
    """The words at the cursor do not match."""


class TooInvolved(Exception):
    """The rules gave up after too many attempts."""


class TextReading:
    """A place in a text. Every method that reads raises `NoMatch` where it cannot.

    `loose` says that the operand just read ends in words, so that what follows could belong
    inside it: `list` after a list, `word` after a single operand. `asked` says that something
    has shown that a comparison is meant, `subject` is what the last one was about. `unclear` is
    the word at which two readings part, if there is one.
    """

    def __init__(self, words: list[WordToken]) -> None:
        self.words = words
        self.at = 0
        self.furthest = 0
        self.names: dict[str, Name] = {}
        self.depth = 0
        self.loose = ""
        self.asked = False
        self.subject: Node | None = None
        self.unclear = ""
        self.work = 0
        #: Expressions by the place where they begin: the node if there is one, and its end.
        self.known: dict[int, tuple[Node | None, int, str]] = {}

    def reason(self) -> str:
        """Why the rules refuse: the first word that no rule takes."""
        if not self.words:
            return "there is nothing to read"
        if self.furthest >= len(self.words):
            return "the rules do not read this to a calculation that has one meaning"
        word = self.words[self.furthest].text
        return f"the rules do not understand {word[:30]!r} (word {self.furthest + 1})"

    def _word(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place].text if 0 <= place < len(self.words) else ""

    def _slot(self) -> int | None:
        return self.words[self.at].slot if self.at < len(self.words) else None

    def _eat(self, text: str) -> bool:
        """Skip these words if they come next; return whether they did."""
        wanted = (text,) if " " not in text else tuple(text.split())
        for ahead, word in enumerate(wanted):
            place = self.at + ahead
            if place >= len(self.words) or self.words[place].text != word:
                return False
            if self.words[place].slot is not None:
                return False
        self.at += len(wanted)
        self.furthest = max(self.furthest, self.at)
        return True

    def _skip(self, *texts: str) -> bool:
        """Skip the first of these that comes next; return whether one did."""
        return any(self._eat(text) for text in texts)

    def _value(self) -> Fraction | None:
        """The value of the number that comes next, if one does."""
        number = self.words[self.at].number if self.at < len(self.words) else None
        return None if number is None else number.value

    def _need(self, *texts: str) -> None:
        if not self._skip(*texts):
            raise NoMatch

    def _match(self, known: Phrases[T]) -> T | None:
        match = known.match(self.words, self.at)
        if match is None:
            return None
        self.at = match[1]
        self.furthest = max(self.furthest, self.at)
        return match[0]

    def _try(self, way: Callable[[], T]) -> T | None:
        start, loose = self.at, self.loose
        try:
            return way()
        except NoMatch:
            self.at, self.loose = start, loose
            return None

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise NoMatch
            yield
        finally:
            self.depth -= 1

    def _first_of(self, *ways: Callable[[], Node]) -> Node:
        """The first way that reads everything to the end."""
        start = self.at
        for way in ways:
            self.at, self.loose, self.depth = start, "", 0
            try:
                node = way()
                if self.at == len(self.words):
                    return node
            except NoMatch:
                continue
            finally:
                self.furthest = max(self.furthest, self.at)
        raise NoMatch
