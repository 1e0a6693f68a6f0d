"""The numbers of a text, with their spans: the only operands a plan can have from it.

Rules read them, never a model: digits with thousands separators and decimals (`1,200.50`,
`1 000 000`), exponents (`1e6`), thousands (`5k`), words (`twenty-one thousand`), fractions (`3/4`,
`two thirds`, `half`, `3 1/2`, `1½`), percentages (the number before the sign), dozens, and `twice`,
`double`, `thrice`. An ordinal is a number only where `ordinals` asks for it, and in `10th
Fibonacci`.

`check_read` refuses a text with a digit that no number contains, or with a number that touches
characters that nothing read.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from unicodedata import normalize

from transputer.errors import SourceError
from transputer.frontends.words.units import UNITS
from transputer.values import dataclass

#: The most digits a number may have; Python reads longer ones in quadratic time.
LONGEST = 1000

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
MULTIPLES = {
    **dict.fromkeys("twice double doubles doubled doubling".split(), 2),
    **dict.fromkeys("thrice triple triples tripled tripling".split(), 3),
    **dict.fromkeys("quadruple quadruples quadrupled quadrupling".split(), 4),
}
_PARTS = {
    **{"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7},
    **{"eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "twentieth": 20},
    **{"hundredth": 100, "thousandth": 1000},
}
_PLURAL = {("halves" if word == "half" else f"{word}s"): n for word, n in _PARTS.items()}
_ORDINALS = {"first": 1, "second": 2} | {
    word: value for word, value in _PARTS.items() if word not in ("half", "quarter")
}
_VULGAR = {
    letter: Fraction(int(normalize("NFKC", letter)[0]), int(normalize("NFKC", letter)[2:]))
    for letter in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
#: Digits in groups of three: between spaces a group must begin with 0 (`1 000`), so that
#: `100 200` stays two numbers, which `check_read` refuses.
_SPACED = r"[0-9]{1,3}(?=(?:[ \u00a0\u202f][0-9]{3})*[ \u00a0\u202f]0)(?:[ \u00a0\u202f][0-9]{3})+"
_LEXEME = re.compile(
    r"(?P<time>(?<![\w:.,])(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?![\w:])(?:\s?[ap]\.?m\b\.?)?)|"
    rf"(?P<numeral>(?:{_SPACED}(?![0-9])|[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9]|,[0-9])|[0-9]+)"
    r"(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3}(?![^\W_]))?|(?<!\.)\.[0-9]+)"
    rf"|(?P<vulgar>[{''.join(_VULGAR)}])|(?P<word>[^\W\d_]+)|(?P<symbol>\S)"
)
#: What may touch a number: before it, behind it, and in between two numbers.
_BEFORE = re.compile(r"(?:[\s$€£¥(\[{+\-−–*×·/÷^=<>≤≥≠,;:~'\"“‘|]|\.\.|(?<=[0-9)])x)\Z")
_BEHIND = re.compile(
    r"\s|$|[+\-−–—*×·/÷^=<>≤≥≠)\]},;?!%°€£$¥'\"”’…|²³]|\.(?![0-9])|:(?![0-9])|x(?=\s*[0-9(])"
)
#: Before these, a minus sign that touches its number belongs to it.
_OPENERS = set("(,:;=<>≤≥≠+-−*×·/÷^?.!")


class NumberError(SourceError):
    """A number that cannot be read completely."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text: its exact value and where it stands. A percentage is what it counts."""

    value: Fraction
    start: int
    end: int
    text: str
    percent: bool = False
    ordinal: bool = False
    time: bool = False

    @property
    def reckoned(self) -> bool:
        """Whether it took a calculation to read it: `9 dozen` are 108."""
        return self.text.lower().endswith("dozen")


@dataclass(frozen=True, slots=True)
class _Lexeme:
    kind: str
    text: str
    start: int
    end: int


def find(text: str, ordinals: bool = False) -> tuple[Number, ...]:
    """Every number of a text from left to right; spans do not overlap.

    With `ordinals`, `3rd` and `tenth` are numbers as well, and `9:45` is one in minutes.
    """
    numbers = _Finder(text).numbers()
    return tuple(
        n for n in numbers if ordinals or not (n.time or n.ordinal and not _is_index(text, n))
    )


def _is_index(text: str, number: Number) -> bool:
    """Whether an ordinal in digits counts Fibonacci numbers: the models know this one."""
    return number.text[0].isdecimal() and text[number.end :].lower().lstrip().startswith(
        "fibonacci"
    )


def check_read(text: str) -> None:
    """Raise `NumberError` unless every number of a text is read as a whole."""
    numbers = find(text, ordinals=True)
    for number, after in zip(numbers, [*numbers, None][1:], strict=True):
        if number.text[0].isalpha():
            continue
        if number.start and not _BEFORE.search(text[max(number.start - 2, 0) : number.start]):
            raise _unread(text, number.start - 1)
        if number.text[-1].isalpha() or number.percent or number.time:
            continue
        unit = re.match(r"[^\W\d_]+", text[number.end :])
        if unit and unit[0].lower() in UNITS:
            continue
        if not _BEHIND.match(text, number.end):
            raise _unread(text, number.end)
        if after and after.text[0].isdecimal() and text[number.end : after.start].isspace():
            raise NumberError(f"the numbers {number.text!r} and {after.text!r} stand side by side")
    covered = {place for number in numbers for place in range(number.start, number.end)}
    for place, letter in enumerate(text):
        if place not in covered and (letter.isdigit() or letter.isnumeric()):
            raise _unread(text, place)
    decimal_comma = re.search(r"(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}(?![0-9,.])", text)
    if decimal_comma:
        raise NumberError(f"{decimal_comma[0]!r} can be read in two ways")


def _unread(text: str, place: int) -> NumberError:
    """The error about the characters around `place`."""
    start, end = place, place
    while start > 0 and not text[start - 1].isspace() and place - start < 20:
        start -= 1
    while end < len(text) and not text[end].isspace() and end - place < 20:
        end += 1
    return NumberError(f"{text[start:end]!r} is not read: part of it is no number")


def slotted(text: str, numbers: Sequence[Number]) -> str:
    """The text with every number replaced by its slot: `Janet has N0 apples.`"""
    parts, at = [], 0
    for index, number in enumerate(numbers):
        parts += [text[at : number.start], f"N{index}"]
        at = number.end
    return "".join([*parts, text[at:]])


#: A value, and the index of the lexeme that follows it.
_Read = tuple[Fraction, int] | None


class _Finder:
    """Reads one text, longest number first at every place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes = [
            _Lexeme(str(m.lastgroup), m[0].lower(), m.start(), m.end())
            for m in _LEXEME.finditer(text)
        ]

    def numbers(self) -> tuple[Number, ...]:
        """All of them."""
        numbers: list[Number] = []
        index = 0
        while index < len(self.lexemes):
            time = self.lexemes[index].kind == "time"
            read = self._time(index) if time else self._ordinal(index)
            ordinal = read is not None and not time
            read = read or self._number(index, numbers)
            if read is None:
                index += 1
                continue
            value, after = read
            percent, after = (False, after) if ordinal else self._percent(after)
            start, end = self.lexemes[index].start, self.lexemes[after - 1].end
            numbers.append(Number(value, start, end, self.text[start:end], percent, ordinal, time))
            index = after
        return tuple(numbers)

    def _word(self, index: int) -> str:
        return self.lexemes[index].text if 0 <= index < len(self.lexemes) else ""

    def _touch(self, index: int) -> bool:
        """Whether a lexeme follows the one before it without a space."""
        if not 0 < index < len(self.lexemes):
            return False
        return self.lexemes[index - 1].end == self.lexemes[index].start

    def _skip_hyphen(self, index: int) -> int:
        """In `twenty-one`, from the hyphen to `one`; elsewhere nothing moves."""
        joined = self._word(index) == "-" and self._touch(index) and self._touch(index + 1)
        return index + 1 if joined and self.lexemes[index + 1].kind == "word" else index

    def _time(self, index: int) -> _Read:
        """A time of day, in minutes after midnight: `9:45`, `3:05 pm`."""
        match = re.match(r"(\d+):(\d+)\s?([ap]?)", self.lexemes[index].text)
        assert match is not None
        hours, minutes, half = match.groups()
        hour = int(hours)
        if half:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * (half == "p")
        return Fraction(60 * hour + int(minutes)), index + 1

    def _ordinal(self, index: int) -> _Read:
        """An ordinal that begins here: `3rd`, `tenth`, `twenty-first`; not `first` or `second`."""
        lexeme = self.lexemes[index]
        if lexeme.kind == "numeral":
            ends = self._touch(index + 1) and self._word(index + 1) in ("st", "nd", "rd", "th")
            whole = lexeme.text.replace(",", "").isdecimal()
            return (_digits(lexeme), index + 2) if ends and whole else None
        if lexeme.text in _TENS:
            after = self._skip_hyphen(index + 1)
            small = _ORDINALS.get(self._word(after), 10)
            return (Fraction(SMALL[lexeme.text] + small), after + 1) if small < 10 else None
        counted = self._word(index - 1) in ("the", "its", "what", "which", "") or index == 0
        if counted and lexeme.text in _ORDINALS and lexeme.text not in ("first", "second"):
            whole = self._word(index + 1) == "of"
            return None if whole else (Fraction(_ORDINALS[lexeme.text]), index + 1)
        return None

    def _number(self, index: int, earlier: list[Number]) -> _Read:
        lexeme = self.lexemes[index]
        if lexeme.kind == "symbol":
            return self._negative(index, earlier)
        if lexeme.kind == "numeral":
            return self._numeral(index)
        if lexeme.kind == "vulgar":
            return self._vulgar(index)
        if lexeme.text == "negative":
            read = self._positive(index + 1)
            return read and (-read[0], read[1])
        return self._positive(index)

    def _positive(self, index: int) -> _Read:
        if index >= len(self.lexemes):
            return None
        if self.lexemes[index].kind == "numeral":
            return self._numeral(index)
        if self._word(index) in MULTIPLES:
            return Fraction(MULTIPLES[self._word(index)]), index + 1
        return self._words(index)

    def _negative(self, index: int, earlier: list[Number]) -> _Read:
        """A minus sign that touches a numeral and does not stand behind an operand."""
        if self._word(index) not in ("-", "−") or not self._touch(index + 1):
            return None
        if self.lexemes[index + 1].kind != "numeral" or not self._opens(index, earlier):
            return None
        read = self._numeral(index + 1)
        return read and (-read[0], read[1])

    def _opens(self, index: int, earlier: list[Number]) -> bool:
        """Whether an operand can begin here: not behind another one, nor inside a word."""
        if index == 0:
            return True
        before = self.lexemes[index - 1]
        if before.kind == "symbol":
            return before.text in (_OPENERS - {".", "-"} if self._touch(index) else _OPENERS)
        return not self._touch(index) and not (earlier and earlier[-1].end == before.end)

    def _numeral(self, index: int) -> _Read:
        lexeme = self.lexemes[index]
        before = self.text[lexeme.start - 1] if lexeme.start else ""
        times = before == "x" and self.text[lexeme.start - 2 : lexeme.start - 1].isdecimal()
        if (
            before == "_"
            or (before.isalpha() and not times)
            or (lexeme.text[0] == "." and before.isalnum())
        ):
            return None
        value = _digits(lexeme)
        if self._touch(index + 1) and self._word(index + 1) == "k":
            return value * 1000, index + 2
        if self._word(index + 1) in _VULGAR and value.denominator == 1:
            return value + _VULGAR[self._word(index + 1)], index + 2
        whole = "." not in lexeme.text
        if whole and (part := self._slash(index)) is not None:
            return part
        part = None if self._touch(index + 1) else self._slash(index + 1, "/^")
        if whole and part is not None:
            return value + part[0], part[1]
        return self._scaled(value, index + 1)

    def _vulgar(self, index: int) -> _Read:
        lexeme = self.lexemes[index]
        before = self.text[lexeme.start - 1] if lexeme.start else ""
        return None if before.isalnum() else (_VULGAR[lexeme.text], index + 1)

    def _slash(self, index: int, binding: str = "+-−*×·/÷^") -> _Read:
        """A proper fraction written `3/4` that is not part of a longer calculation."""
        texts = [self._word(index + i) for i in range(3)]
        if texts[1] != "/" or not (self._touch(index + 1) and self._touch(index + 2)):
            return None
        if not (texts[0].isdecimal() and texts[2].isdecimal()):
            return None
        if any(self._word(at) in tuple(binding) for at in (index - 1, index + 3)):
            return None
        top, bottom = (_digits(self.lexemes[index + i]) for i in (0, 2))
        return (top / bottom, index + 3) if 0 < top < bottom else None

    def _scaled(self, value: Fraction, index: int) -> _Read:
        """What may follow a number: `2.5 million`, `3 dozen`, `2 and a half`."""
        while self._word(index) in ("hundred", *SCALES):
            value *= SCALES.get(self._word(index), 100)
            index += 1
        if self._word(index) == "dozen":
            return value * 12, index + 1
        return self._and_part(value, index)

    def _and_part(self, value: Fraction, index: int) -> _Read:
        """`and a half`, `and three quarters`."""
        if value.denominator != 1 or self._word(index) != "and":
            return value, index
        if self._word(index + 1) == "a" and self._word(index + 2) in ("half", "quarter", "third"):
            return value + Fraction(1, _PARTS[self._word(index + 2)]), index + 3
        top = SMALL.get(self._word(index + 1), 0)
        after = self._skip_hyphen(index + 2)
        names = _PARTS if top == 1 else _PLURAL
        if top and self._word(after) in names:
            return value + Fraction(top, names[self._word(after)]), after + 1
        return value, index

    def _words(self, index: int) -> _Read:
        """A number in words, or a fraction of words."""
        word = self._word(index)
        if word == "half":
            dozen = index + 1 + (self._word(index + 1) == "a")
            return (Fraction(6), dozen + 1) if self._word(dozen) == "dozen" else _half(index)
        if word == "dozen":
            return Fraction(12), index + 1
        if word == "a" or word == "an":
            return self._article(index)
        if word == "quarter" and self._word(index + 1) == "of":
            return Fraction(1, 4), index + 1
        read = self._cardinal(index)
        if read is None:
            return None
        value, after = read
        return self._parts(value, after) or self._scaled(value, after)

    def _article(self, index: int) -> _Read:
        """`a hundred`, `a dozen`, `a third of`: an article that counts."""
        word = self._word(index + 1)
        if word == "hundred" or word in SCALES:
            return self._scaled(*self._grouped(Fraction(1), index + 1))
        if word == "dozen":
            return Fraction(12), index + 2
        if word in _PARTS and word != "half" and self._word(index + 2) in ("of", "as"):
            return Fraction(1, _PARTS[word]), index + 2
        return None

    def _parts(self, top: Fraction, index: int) -> _Read:
        """`two thirds`, `one-fifth`; quarters are coins unless something has them."""
        after = self._skip_hyphen(index)
        word = self._word(after)
        names = _PARTS if top == 1 else _PLURAL
        if word not in names:
            return None
        if word in ("quarter", "quarters") and self._word(after + 1) not in ("of", "as"):
            return None
        return top / names[word], after + 1

    def _cardinal(self, index: int) -> tuple[Fraction, int] | None:
        small = self._small(index)
        return None if small is None else self._grouped(*small)

    def _small(self, index: int) -> tuple[Fraction, int] | None:
        """A number below 100 in words."""
        word = self._word(index)
        if word not in SMALL:
            return None
        unit = self._skip_hyphen(index + 1)
        if word in _TENS and 1 <= SMALL.get(self._word(unit), 0) <= 9:
            return Fraction(SMALL[word] + SMALL[self._word(unit)]), unit + 1
        return Fraction(SMALL[word]), index + 1

    def _grouped(self, current: Fraction, index: int) -> tuple[Fraction, int]:
        """Hundreds, thousands, … behind a first number: `two hundred and five thousand one`."""
        total, scale = Fraction(0), 10**15
        while True:
            at = self._skip_hyphen(index)
            word = self._word(at)
            if word == "hundred" and 0 < current < 100:
                current, index = self._rest(current * 100, at + 1)
            elif current and SCALES.get(word, scale) < scale:
                scale = SCALES[word]
                total, (current, index) = total + current * scale, self._rest(Fraction(0), at + 1)
            else:
                return total + current, index

    def _rest(self, value: Fraction, index: int) -> tuple[Fraction, int]:
        """The number below 100 behind a hundred or a thousand, if one follows."""
        linked = self._word(index) == "and"
        small = self._small(index + linked)
        if small is None:
            return value, index
        after = self._word(small[1])
        # `two hundred and five thousand` is one number, `two thousand and five thousand` two
        another = after == "hundred" or after in SCALES and not value
        if linked and (another or self._is_part(small[1])):
            return value, index
        return value + small[0], small[1]

    def _is_part(self, index: int) -> bool:
        after = self._word(self._skip_hyphen(index))
        return after in _PARTS or after in _PLURAL

    def _percent(self, index: int) -> tuple[bool, int]:
        """Whether a percent sign follows, and the index after it."""
        if self._word(index) in ("%", "percent"):
            return True, index + 1
        if self._word(index) == "per" and self._word(index + 1) == "cent":
            return True, index + 2
        return False, index


def _half(index: int) -> tuple[Fraction, int]:
    return Fraction(1, 2), index + 1


def _digits(lexeme: _Lexeme) -> Fraction:
    if len(lexeme.text) > LONGEST:
        raise NumberError(
            f"a number of {len(lexeme.text):,} characters at {lexeme.start + 1}; "
            f"at most {LONGEST:,} are read"
        )
    return Fraction(re.sub(r"[,\s]", "", lexeme.text))
