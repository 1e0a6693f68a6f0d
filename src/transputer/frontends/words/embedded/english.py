"""Whether a text looks like English: the model was taught nothing else, but plans anything.

Sentences of English lean on a few small words, and calculations on the names of operations. A
text with hardly any of them is in another language or no language. Words that are as frequent
elsewhere (`a`, `in`, `was`, `plus`) say nothing and are not in the list.
"""

import re

#: At least this share of an English text's words is in the list.
LEAST = 1 / 8
_WORDS = re.compile(r"[^\W\d_]+")
#: Small words and the names of operations.
COMMON = frozenset(
    """
    the this that these those it its he she they we you him her his their them our my your
    who what which how many much more less fewer than of at to from by for with without into
    and or but if then not is are were be been has have had does did will would can could
    each every all some any other another there here when while after before until between
    out up over off only both same also now left most least first last equal equals
    add added subtract subtracted times multiplied multiply divided divide sum difference
    remainder number numbers half twice double triple squared cubed square root power raised
    percent average mean largest smallest biggest greatest highest lowest even odd cost costs
    factor factorial fibonacci gcd lcm take away compute calculate find evaluate tell ask
    """.split()
)


def english(text: str) -> bool:
    """Whether enough of a text's words are common English ones."""
    words = _WORDS.findall(text.lower())
    return bool(words) and sum(word in COMMON for word in words) >= LEAST * len(words)
