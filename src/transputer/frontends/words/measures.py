"""Quantities with units, and dates, as programs: one dimension in a question, or it is not read."""

import re
from fractions import Fraction

from transputer.frontends.words.units import UNITS

_UNIT = "|".join(sorted((name for name in UNITS if name.isalpha()), key=len, reverse=True))
#: `3 hours and 20 minutes`, `a day`: numbers as slots.
_TERM = rf"(?:n\d+(?![\d%#t])|an?|one) (?:{_UNIT})\b"
QUANTITY = rf"{_TERM}(?:(?:,? and |, ){_TERM})*"
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS.split())
_DATES = (
    re.compile(rf"(?P<month>{_MONTH})\.? (?P<day>n\d+)#?,? (?P<year>n\d+)(?![\d%#t])"),
    re.compile(rf"(?P<day>n\d+)#?(?: of)? (?P<month>{_MONTH})\.?,? (?P<year>n\d+)(?![\d%#t])"),
    re.compile(r"(?P<year>n\d+)-(?P<m>n\d+)-(?P<day>n\d+)(?![\d%#t])"),
)
_CURRENCIES = ("dollar", "euro", "pound", "yen")


def dated(plain: str) -> tuple[str, list[str]]:
    """The text with `d0`, `d1` for its dates, and the programs of their day numbers."""
    dates: list[str] = []

    def date(match: re.Match[str]) -> str:
        parts = match.groupdict()
        if parts.get("m"):
            month = parts["m"].upper()
        else:
            index = [name[:3] for name in _MONTHS.split()].index(parts["month"][:3])
            month = str(index + 1) if index != 10 else "10 + 1"
        year, day = parts["year"].upper(), parts["day"].upper()
        dates.append(f"day_number({year}, {month}, {day})")
        return f"d{len(dates) - 1}"

    for pattern in _DATES:
        plain = pattern.sub(date, plain)
    return plain, dates


def currencies(plain: str) -> set[str]:
    """The currencies that a text speaks of."""
    return {name for name in _CURRENCIES if re.search(rf"\b{name}s?\b", plain)}


def convert(quantity: str, to: str) -> tuple[str, str] | None:
    """The program that converts a quantity to a unit, and the unit; None across dimensions.

    A year has a number of months, but no fixed number of days or weeks.
    """
    terms = _terms(quantity)
    units = [to, *(unit for _, unit in terms)]
    if units == [to, to]:
        return None
    for dimension, size in UNITS.get(to, ()):
        sizes = [dict(UNITS[unit]).get(dimension, 0) for _, unit in terms]
        years = dimension == "time" and {"year", "years"} & set(units)
        coins = {_money(unit) for unit in units} - {""} if dimension == "money" else set()
        if size == 0 or 0 in sizes or years or len(coins) > 1:
            continue
        factors = [Fraction(one, size) for one in sizes]
        parts = [_scaled(n, factor) for (n, _), factor in zip(terms, factors, strict=True)]
        return " + ".join(parts), to
    return None


def quantity_minutes(quantity: str) -> str | None:
    """The program of a duration in minutes; None if it is none."""
    program = convert(quantity, "minutes")
    if program is not None:
        return program[0]
    terms = list(_terms(quantity))
    return terms[0][0] if len(terms) == 1 and terms[0][1] in ("minute", "minutes") else None


def amount(plain: str, program: str) -> str:
    """The unit of an amount of money that a text asks for; empty for yes or no and for counts."""
    names = currencies(plain)
    boolean = re.search(r"[<>]=?[^?]*$", program) and " if " not in program
    return f"{min(names)}s" if len(names) == 1 and not boolean else ""


def _terms(quantity: str) -> list[tuple[str, str]]:
    """The numbers and units of a quantity; an article is 1."""
    pairs = re.findall(rf"(n\d+|an?|one) ({_UNIT})\b", quantity)
    return [(number.upper() if number[0] == "n" else "1", unit) for number, unit in pairs]


def _money(unit: str) -> str:
    return next((name for name in _CURRENCIES if unit.startswith(name)), "")


def _scaled(number: str, factor: Fraction) -> str:
    """A number times a factor, with the factor written as products of declared constants."""
    top, bottom = _factored(factor.numerator), _factored(factor.denominator)
    text = " * ".join([number, *top])
    return f"({text})" + "".join(f" / {one}" for one in bottom)


def _factored(value: int) -> list[str]:
    """Declared constants whose product is a factor between units."""
    factors: list[str] = []
    for one in (5280, 3600, 1000, 365, 100, 60, 24, 16, 12, 10, 7, 6, 5, 4, 3, 2):
        while value % one == 0 and value > 1:
            factors.append(str(one))
            value //= one
    return factors if value == 1 else [*factors, "(10 + 1)"]  # 1760 yards are a mile
