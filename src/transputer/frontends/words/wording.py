"""What a question says: its sentences, what it asks for, and words that nothing accounts for.

These checks look at the text alone. They hold whatever plan a model has for it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from transputer.frontends.words.embedded.english import COMMON
from transputer.frontends.words.numbers import Number, find, slotted
from transputer.frontends.words.units import UNITS, dimensions
from transputer.values import dataclass

_PART = re.compile(r"n\d+|[^\W\d_]+|[$€%]")
#: Between sentences; some write no full stop before a question.
_END = re.compile(r"(?<=[.?!;])\s+|,?\s+(?=(?:How|What|Which) )")
_VERBS = frozenset(
    """
    is are was were am be been do does did has have had will would can could should must may
    left remain remains need needs there in on at from to if when after before that which who
    """.split()
)
_COMPARING = frozenset("more less fewer of than the".split())
#: What may stand behind `how`; the other kinds of measure need units of that dimension.
_HOW = frozenset("many much big large do does did is are can could would to few".split())
_MEASURES = {
    "old": frozenset("old older young younger age ages aged year years".split()),
    "far": frozenset("distance block blocks step steps lap laps".split()),
    "long": frozenset("long longer short shorter length lengths".split()),
    "tall": frozenset("tall taller short shorter height heights".split()),
    "high": frozenset("high higher low lower height heights".split()),
    "deep": frozenset("deep deeper depth".split()),
    "wide": frozenset("wide wider width".split()),
    "heavy": frozenset("heavy heavier weigh weighs weighed weight weights".split()),
    "fast": frozenset("fast faster speed".split()),
}
_LENGTHS = {"length", "imperial length"}
_DIMENSIONS = {
    **dict.fromkeys(("far", "tall", "high", "deep", "wide"), _LENGTHS),
    "long": _LENGTHS | {"time", "months"},
    "heavy": {"mass", "imperial mass"},
    "fast": set[str](),
    "old": {"months"},
}
#: Before `many` and `much`.
_AMOUNTS = frozenset("how as so too very that not much".split())
#: Nothing of this stands directly behind an article or at the end behind one.
_NO_NOUNS = _VERBS | set("of and or how what by a an the he she they it each".split())
_ARTICLES = frozenset(("a", "an", "the"))
_ASKING = frozenset(("how", "what", "which", "whats"))
_AUXILIARIES = frozenset(
    "is are was were do does did can could will would has have should am".split()
)
#: Words that change nothing.
_FILLERS = frozenset(
    """
    please really very just like know id next afterwards originally initially everything
    whichever provided compare starting
    """.split()
)
#: Quantities that a question may ask for without the story's naming them.
_QUANTITIES = frozenset(
    """
    cost price amount total sum number share average mean difference distance speed length width
    height weight age change bill balance money pay fare income salary profit score result answer
    altogether overall together combined
    """.split()
)
#: Money that is asked for must be spoken of.
_MONEY = frozenset("cost costs pay pays paid earn earns charge owe money price".split())
_BOUND = re.compile(
    r"(?<!\d )\b(?:at least|at most|more than|less than|fewer than|over|almost|nearly"
    r"|(?:fast|slow|old|young|tall|short|heavi|light|cheap|high|low)er than) n\d+"
)


@cache
def taught() -> frozenset[str]:
    """The stems of the words of the calculations that the models were trained on."""
    return frozenset(map(stem, files(__package__).joinpath("taught.txt").read_text().split()))


def stem(word: str) -> str:
    """A word without the ending of its plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ves"):
        return word[:-3] + "f"
    if word.endswith(("ses", "xes", "ches", "shes", "oes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def is_slot(word: str) -> bool:
    """Whether a word stands for a number."""
    return word[0] == "n" and word[1:].isdecimal()


@dataclass(frozen=True, slots=True)
class Wording:
    """A text's sentences in words, with `n0`, `n1`, … for its numbers.

    `asking` is the sentence that asks, empty if none does; `story` are the words of the others.
    """

    text: str
    plain: str
    sentences: tuple[tuple[str, ...], ...]
    asking: tuple[str, ...]
    names: frozenset[str]

    @staticmethod
    def of(text: str, numbers: Sequence[Number]) -> "Wording":
        """The wording of a text with these numbers."""
        quoted = slotted(text, numbers).replace("'", "").replace("’", "")
        plain = quoted.lower()
        parts = (_PART.findall(part.lower()) for part in _END.split(quoted))
        sentences = tuple(tuple(words) for words in parts if words)
        asking = next((sentence for sentence in reversed(sentences) if _asks(sentence)), ())
        names = frozenset(word.lower() for word in re.findall(r"(?<=[\w,] )[A-Z][a-z]+", quoted))
        return Wording(text, plain, sentences, asking, names)

    @property
    def words(self) -> list[str]:
        """All words in order."""
        return [word for sentence in self.sentences for word in sentence]

    @property
    def story(self) -> list[str]:
        """The words of the sentences that do not ask."""
        return [word for one in self.sentences if one is not self.asking for word in one]

    @property
    def told(self) -> bool:
        """Whether a story comes with the question, and not a calculation alone."""
        story = self.story
        words = [word for word in story if not is_slot(word)]
        return len(words) < len(story) and not all(map(_known, words))

    @property
    def measure(self) -> str:
        """What stands behind `how` in the sentence that asks: `many`, `old`; or nothing."""
        if "how" not in self.asking[:-1]:
            return ""
        return self.asking[self.asking.index("how") + 1]

    @property
    def thing(self) -> list[str]:
        """The words between `how many` and the next verb or number: what is counted."""
        if self.measure not in ("many", "much"):
            return []
        phrase = []
        for word in self.asking[self.asking.index("how") + 2 :]:
            if word in _VERBS or is_slot(word):
                break
            phrase.append(word)
        return [word for word in phrase if word not in _COMPARING]

    @property
    def asks_yes_or_no(self) -> bool:
        """Whether the sentence that asks begins like one that yes or no answers."""
        return self.asking[:1] != () and self.asking[0] in _AUXILIARIES


def _known(word: str) -> bool:
    """Whether a word is one of calculations."""
    return word in COMMON or word in _FILLERS or stem(word) in taught() or word in UNITS


def _asks(sentence: Sequence[str]) -> bool:
    return sentence[0] in _AUXILIARIES or bool(_ASKING & set(sentence))


def problem(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """Why no model's plan for this text is used; None where nothing is wrong with its words."""
    return next(filter(None, (check(wording, numbers) for check in CHECKS)), None)


def _ordinal(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """Ordinals in digits, which the models do not read: `the 3rd day`."""
    spans = {number.start for number in numbers}
    unread = [n.text for n in find(wording.text, ordinals=True) if n.start not in spans]
    digits = next((text for text in unread if text[0].isdecimal()), None)
    return f"nothing accounts for {digits!r}" if digits else None


def _garbled(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """Small words in an order that English does not have."""
    for sentence in wording.sentences:
        for word, after in zip(sentence, (*sentence[1:], ""), strict=True):
            if word == "how" and after not in _HOW and after not in _MEASURES:
                return f"it asks {f'how {after}'.strip()!r}, which is not understood"
            if word in _ARTICLES and (not after or after in _NO_NOUNS):
                return f"{' '.join((word, after)).strip()!r} is not English"
            if after in ("many", "much") and word not in _AMOUNTS:
                return f"{word + ' ' + after!r} is not English"
        if sentence[-2:] in (("how", "many"), ("how", "much")) and len(sentence) > 2:
            return "'how many' at the end of a sentence asks for nothing"
    return None


def _untaught(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """Words of a calculation, or of what is asked of a story, that nothing accounts for."""
    if wording.measure and any(map(is_slot, wording.story)):
        return None
    words, named = wording.words, _QUANTITIES
    if wording.told and wording.asking:
        words = list(wording.asking)
        named = named | wording.names | set(map(stem, wording.story))
    for word in words:
        if is_slot(word) or _known(word) or words.count(word) > 1:
            continue
        if word in named or stem(word) in named:
            continue
        if wording.asking:
            return f"nothing accounts for the word {word!r}"
        return "the text does not ask for anything"
    return None


def _unmeasured(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """A measure that is asked for and that the rest of the text does not speak of."""
    measure = wording.measure
    rest = [word for word in wording.words if word != measure] + wording.story
    if not wording.told:
        return None
    if measure in _MEASURES:
        spoken = _MEASURES[measure] & set(rest) or _DIMENSIONS[measure] & dimensions(rest)
        return None if spoken else f"it asks how {measure}, and the text says nothing of that"
    if measure in ("big", "large") and not _EACH & set(wording.asking):
        return f"it asks how {measure}, and the text says nothing of that"
    money = _MONEY & set(wording.asking)
    if any(map(is_slot, wording.asking)):
        return None
    if money and not (_MONEY & set(wording.story) or "money" in dimensions(rest)):
        return f"it asks for {min(money)!r}, and the text speaks of no money"
    return None


_EACH = frozenset("each every apart largest smallest biggest highest lowest".split())
_TOTALS = frozenset("total altogether all together both combined overall".split())


def _unmentioned(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """A thing that is counted and that the rest of the text does not have."""
    thing = wording.thing
    if wording.measure != "many" or not wording.told or not thing:
        return None
    if _TOTALS & set(wording.asking) or dimensions(thing) & dimensions(wording.story):
        return None
    rest = list(map(stem, wording.words))
    for word in thing:
        rest.remove(stem(word))
    if any(other.endswith(stem(word)) for word in thing for other in rest):
        return None  # goldfish are fish
    return f"it asks for {' '.join(thing)!r}, which the text does not have"


def _bounded(wording: Wording, numbers: Sequence[Number]) -> str | None:
    """Numbers that only bound a quantity."""
    match = _BOUND.search(wording.plain) if wording.told and wording.measure else None
    return f"{match[0]!r} does not say how many" if match else None


CHECKS = (_ordinal, _garbled, _untaught, _unmeasured, _unmentioned, _bounded)


def nouns(wording: Wording) -> Iterator[frozenset[str]]:
    """For every number, in order: the stems of the words behind it that say what it counts."""
    for sentence in wording.sentences:
        for place, word in enumerate(sentence):
            if not is_slot(word):
                continue
            behind = []
            for after in sentence[place + 1 : place + 4]:
                if is_slot(after) or after in _VERBS or after in _NO_NOUNS or after in ("$", "€"):
                    break
                behind.append(stem(after))
            if place and sentence[place - 1] in ("$", "€"):
                behind = ["dollar", "euro", "cent"]
            yield frozenset(behind)
