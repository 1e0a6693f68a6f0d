"""Text as the encoder's word pieces, its numbers replaced by slots.

Lower case without accents; a word is cut into the longest pieces of the vocabulary from the
left. A number becomes the slot's own piece; one that is not written in digits (`twice`,
`half`, `20%`) keeps its words behind the slot.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import Number
from transputer.values import dataclass

#: The most pieces a text may have; what a question needs stands at both ends, so the middle goes.
LONGEST = 192
#: Words longer than this are one unknown piece.
LONGEST_WORD = 40
_NUMERAL = re.compile(r"[-−]?[\d,]*\.?\d+")
_WORD = re.compile(r"\w+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a text and where each slot stands among them; -1 for one that was cut."""

    ids: tuple[int, ...]
    slots: tuple[int, ...]
    cut: bool = False  # the text was too long, and its middle is not here


@cache
def vocabulary() -> dict[str, int]:
    """Every piece and its number."""
    text = files(__package__).joinpath("vocabulary.txt").read_text(encoding="utf-8")
    return {piece: index for index, piece in enumerate(text.splitlines())}


def slot_piece(index: int) -> int:
    """The piece that stands for a slot: one of those the vocabulary leaves unused."""
    return vocabulary()[f"[unused{index}]"]


def pieces(text: str, numbers: Sequence[Number]) -> Pieces:
    """The pieces of a text whose numbers were found; those beyond the last slot stay words."""
    ids, places = slotted(text, numbers[:SLOTS], _words, slot_piece)
    return _framed(ids, [place + 1 for place in places])


def slotted(
    text: str,
    numbers: Sequence[Number],
    words: Callable[[str], list[int]],
    slot: Callable[[int], int],
) -> tuple[list[int], list[int]]:
    """The pieces of a text with a slot's piece for every number, and where the slots stand."""
    ids: list[int] = []
    places: list[int] = []
    at = 0
    for index, number in enumerate(numbers):
        ids += words(text[at : number.start])
        places.append(len(ids))
        ids.append(slot(index))
        if not _NUMERAL.fullmatch(number.text):
            ids += words(_NUMERAL.sub(" ", number.text))
        at = number.end
    return ids + words(text[at:]), places


def _framed(ids: list[int], slots: list[int]) -> Pieces:
    names = vocabulary()
    room = LONGEST - 2
    if long := len(ids) > room:
        head, tail = room // 2, room - room // 2
        cut = len(ids) - room
        ids = ids[:head] + ids[-tail:]
        slots = [s if s <= head else s - cut if s - cut > head else -1 for s in slots]
    return Pieces((names["[CLS]"], *ids, names["[SEP]"]), tuple(slots), long)


def _words(text: str) -> list[int]:
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return [piece for word in _WORD.findall(plain) for piece in _pieces_of(word)]


@cache
def _unknown() -> int:
    return vocabulary()["[UNK]"]


_seen: dict[str, tuple[int, ...]] = {}


def _pieces_of(word: str) -> tuple[int, ...]:
    known = _seen.get(word)
    if known is None:
        known = _split(word)
        if len(_seen) < 50_000:
            _seen[word] = known
    return known


def _split(word: str) -> tuple[int, ...]:
    names = vocabulary()
    if len(word) > LONGEST_WORD:
        return (_unknown(),)
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        end = next((e for e in range(len(word), start, -1) if prefix + word[start:e] in names), 0)
        if not end:
            return (_unknown(),)
        ids.append(names[prefix + word[start:end]])
        start = end
    return tuple(ids)
