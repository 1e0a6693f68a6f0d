"""Long numbers and their digits: Python reads and writes 4,300 digits at once, no more."""

from fractions import Fraction

#: Digits that are read at once, and bits that are written at once.
_DIGITS, _BITS = 4000, 13_000


def rational(text: str) -> Fraction:
    """The number that a text writes in digits, however many: `-3`, `1/3`, `0.5`."""
    if len(text) <= _DIGITS:
        return Fraction(text)
    upper, _, lower = text.partition("/")
    return Fraction(_whole(upper), _whole(lower) if lower else 1)


def _whole(text: str) -> int:
    if text.startswith("-"):
        return -_whole(text[1:])
    value = 0
    for start in range(0, len(text), _DIGITS):
        part = text[start : start + _DIGITS]
        value = value * 10 ** len(part) + int(part)
    return value


def digits(value: int) -> str:
    """The digits of a number, however many."""
    if value.bit_length() <= _BITS:
        return str(value)
    if value < 0:
        return f"-{digits(-value)}"
    behind = value.bit_length() * 3 // 20  # about half of them
    upper, lower = divmod(value, 10**behind)
    return digits(upper) + digits(lower).zfill(behind)
