"""A text as the language model reads it: its pieces, slots for its numbers, and what follows.

The tokens of plans are rows of the embedding behind the vocabulary's own: a slot is the same
row in the text and in the plan, and one more row says that the plan begins.
"""

from collections.abc import Sequence
from typing import Any

from transputer.frontends.words.embedded.network import INDEX, START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces, slotted
from transputer.frontends.words.numbers import Number

#: The rows behind the vocabulary: every token of plans, and the beginning of a plan.
EXTRA = len(TOKENS) + 1
#: The most pieces of a text.
LONGEST = 256


def pieces(tokenizer: Any, text: str, numbers: Sequence[Number]) -> Pieces:
    """The pieces of a text and of what says that the plan begins."""
    own = tokenizer.get_vocab_size()

    def words(part: str) -> list[int]:
        ids: list[int] = tokenizer.encode(part.rstrip(" ")).ids
        return ids

    ids, places = slotted(text, numbers, words, lambda index: own + INDEX[f"N{index}"])
    cut = len(ids) >= LONGEST
    return Pieces((*ids[: LONGEST - 1], own + START), tuple(places), cut)
