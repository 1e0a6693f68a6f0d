"""Units of measurement: which words name one dimension, and how many of one make another."""

from collections.abc import Iterable
from fractions import Fraction

#: Of every dimension: the names of its units, and how many of the smallest each is.
#: A month and a foreign currency have no fixed size: 0.
_TABLE = {
    "time": {
        1: "seconds sec secs", 60: "minute minutes min mins", 3600: "hour hours",
        86_400: "day days", 604_800: "week weeks", 31_536_000: "year years",
    },
    "months": {1: "month months", 12: "year years"},
    "length": {
        1: "mm millimetre millimetres millimeter millimeters",
        10: "cm centimetre centimetres centimeter centimeters",
        1000: "m metre metres meter meters",
        1_000_000: "km kilometre kilometres kilometer kilometers",
    },
    "imperial length": {1: "inch inches", 12: "foot feet", 36: "yards", 63_360: "mile miles"},
    "mass": {
        1: "g gram grams gramme grammes", 1000: "kg kilo kilos kilogram kilograms",
        1_000_000: "tonne tonnes",
    },
    "imperial mass": {1: "ounce ounces", 16: "pound pounds"},
    "volume": {
        1: "ml millilitre millilitres milliliter milliliters",
        1000: "l litre litres liter liters",
    },
    "imperial volume": {1: "cup cups", 2: "pint pints", 4: "quart quarts", 16: "gallon gallons"},
    "money": {1: "cent cents", 100: "dollar dollars $ euro euros €"},
    "temperature": {0: "celsius fahrenheit kelvin", 1: "degree degrees"},
}  # fmt: skip

#: The dimension and the size of every unit; `year` is counted in days and in months.
UNITS: dict[str, list[tuple[str, int]]] = {}
for _dimension, _sizes in _TABLE.items():
    for _size, _names in _sizes.items():
        for _name in _names.split():
            UNITS.setdefault(_name, []).append((_dimension, _size))


def dimensions(words: Iterable[str]) -> set[str]:
    """The dimensions that these words measure."""
    return {dimension for word in words for dimension, _ in UNITS.get(word, ())}


def ratios(words: Iterable[str]) -> list[set[Fraction]]:
    """For every two units of one dimension, the factors between them either way round.

    An empty set stands for two units that no factor connects.
    """
    sizes: dict[str, set[int]] = {}
    for word in words:
        for dimension, size in UNITS.get(word, ()):
            sizes.setdefault(dimension, set()).add(size)
    factors = []
    for several in sizes.values():
        low, *higher = sorted(several)
        for high in higher:
            factors.append({Fraction(high, low), Fraction(low, high)} if low else set())
    return factors
