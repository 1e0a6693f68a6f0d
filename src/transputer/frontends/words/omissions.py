"""Numbers that a question does not ask about: `5 on Monday, 2 on Tuesday. How many on Monday?`"""

import re
from collections.abc import Collection, Iterator

from transputer.frontends.words.embedded.english import COMMON
from transputer.frontends.words.wording import Wording, is_slot, stem

_CLAUSES = re.compile(r"[,;:]|\b(?:and|but|while|whereas|if|then|or)\b")
_SENTENCES = re.compile(r"[.?!;]\s+|\s+(?=(?:how|what|which)\b)")
_WORDS = re.compile(r"n\d+|[^\W\d_]+")
#: Before a number these begin a clause that has a subject of its own.
_SUBJECTS = frozenset("a an the he she it they we i you his her their my our there another".split())
_SMALL = (COMMON | _SUBJECTS | set("in on was do am".split())) - {"first", "last"}


def set_aside(wording: Wording, used: Collection[int], slot: int) -> bool:
    """Whether the question speaks of a used number by all the words that this one has, and more.

    Of `5 kids on monday, 2 on tuesday and 8 on wednesday` the question `how many on monday and
    wednesday` shares a word with the clauses of 5 and of 8 that the clause of 2 does not have.
    """
    asked = _stems(wording.asking)
    shared = {number: asked & about for number, about in _about(wording)}
    told = [shared[number] for number in used if f"n{number}" not in wording.asking]
    return slot in shared and any(shared[slot] < of for of in told)


def _about(wording: Wording) -> Iterator[tuple[int, set[str]]]:
    """For every number, the words of its clause; one without a subject has that of the last."""
    for sentence in _SENTENCES.split(wording.plain):
        before: set[str] = set()
        for clause in _CLAUSES.split(sentence):
            words = _WORDS.findall(clause)
            places = [place for place, word in enumerate(words) if is_slot(word)]
            if not places:
                continue
            lead = words[: places[0]]
            subject = any(word in _SUBJECTS or word in wording.names for word in lead)
            before = _stems(lead) if subject else before | _stems(lead)
            for place in places:
                yield int(words[place][1:]), before | _stems(words)


def _stems(words: Collection[str]) -> set[str]:
    return {stem(word) for word in words if word not in _SMALL and not is_slot(word)}
