"""The operations a plan is made of: one row each.

Grammar, printer, parser, evaluator, compiler, JSON schema and GBNF derive from these rows.
Numbers are exact rationals, except behind SQRT, which gives a float64.
"""

from dataclasses import dataclass
from enum import Enum


class PlanType(Enum):
    """What a part of a plan stands for."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its token, what it takes and gives, and how it is written in a line.

    A line is `begin`, the arguments with `separator` between them, `end`. A variadic
    operation takes one or more arguments of its last type; its tokens close with `END`.
    """

    token: str
    result: PlanType
    arguments: tuple[PlanType, ...]
    begin: str
    separator: str
    end: str
    doc: str
    variadic: bool = False

    @property
    def infix(self) -> bool:
        """Whether it is written between its arguments."""
        return self.begin == "("


def infix(token: str, sig: str, symbol: str, doc: str) -> Operation:
    """A row for something written `(a symbol b)`."""
    result, arguments = signature(sig)
    return Operation(token, result, arguments, "(", f" {symbol} ", ")", doc)


def call(token: str, sig: str, name: str, doc: str) -> Operation:
    """A row for something written `name(a, b)`."""
    result, arguments = signature(sig)
    return Operation(token, result, arguments, f"{name}(", ", ", ")", doc)


#: One letter per type, for the signatures of the rows.
LETTERS = {"n": PlanType.NUMBER, "b": PlanType.BOOLEAN, "l": PlanType.LIST}


def signature(sig: str) -> tuple[PlanType, tuple[PlanType, ...]]:
    """`nn:b` takes two numbers and gives a boolean."""
    arguments, _, result = sig.partition(":")
    return LETTERS[result], tuple(LETTERS[letter] for letter in arguments)


OPERATIONS = (
    infix("ADD", "nn:n", "+", "Sum."),
    infix("SUB", "nn:n", "-", "Difference."),
    infix("MUL", "nn:n", "*", "Product."),
    infix("DIV", "nn:n", "/", "Exact quotient."),
    infix("IDIV", "nn:n", "//", "Quotient rounded down."),
    infix("MOD", "nn:n", "mod", "What IDIV leaves: a - b * (a // b)."),
    infix("POW", "nn:n", "^", "Power; the exponent is an integer."),
    call("PCT", "nn:n", "percent", "The first as a percentage of the second: a * b / 100."),
    call("GCD", "nn:n", "gcd", "Greatest common divisor of integers, not negative."),
    call("LCM", "nn:n", "lcm", "Least common multiple of integers, not negative."),
    call("NEG", "n:n", "neg", "The number with the other sign."),
    call("ABS", "n:n", "abs", "Absolute value."),
    call("FLOOR", "n:n", "floor", "The largest integer that is not larger."),
    call("CEIL", "n:n", "ceil", "The smallest integer that is not smaller."),
    call("ROUND", "n:n", "round", "The nearest integer; a half goes away from zero."),
    call("SQRT", "n:n", "sqrt", "Square root as a float64."),
    call("FACT", "n:n", "factorial", "1 * 2 * ... * n; n is an integer, not negative."),
    call("FIB", "n:n", "fibonacci", "Fibonacci number n, where numbers 0 and 1 are 0 and 1."),
    call("SUM", "l:n", "sum", "Sum of a list; 0 for an empty one."),
    call("PROD", "l:n", "product", "Product of a list; 1 for an empty one."),
    call("COUNT", "l:n", "count", "Length of a list."),
    call("MIN", "l:n", "min", "Smallest of a list that is not empty."),
    call("MAX", "l:n", "max", "Largest of a list that is not empty."),
    call("MEAN", "l:n", "average", "Sum of a list divided by its length."),
    call("MEDIAN", "l:n", "median", "Middle of the sorted list, or the mean of the middle two."),
    call("FIRST", "l:n", "first", "First of a list that is not empty."),
    call("LAST", "l:n", "last", "Last of a list that is not empty."),
    call("IF", "bnn:n", "if", "The second where the first holds, otherwise the third."),
    call("NUMBER", "b:n", "number", "1 where it holds, otherwise 0."),
    infix("LT", "nn:b", "<", "Smaller."),
    infix("LE", "nn:b", "<=", "Smaller or equal."),
    infix("GT", "nn:b", ">", "Larger."),
    infix("GE", "nn:b", ">=", "Larger or equal."),
    infix("EQ", "nn:b", "=", "Equal."),
    infix("NE", "nn:b", "!=", "Not equal."),
    infix("AND", "bb:b", "and", "Both hold."),
    infix("OR", "bb:b", "or", "At least one holds."),
    call("NOT", "b:b", "not", "It does not hold."),
    call("PRIME", "n:b", "prime", "Whether it is a prime number."),
    Operation(
        "LIST",
        PlanType.LIST,
        (PlanType.NUMBER,),
        "[",
        ", ",
        "]",
        "The numbers given, in order.",
        True,
    ),
    call("RANGE", "nnn:l", "range", "Integers from the first towards the second, both included."),
    call("EVENS", "l:l", "evens", "The even integers of a list."),
    call("ODDS", "l:l", "odds", "The odd integers of a list."),
    call("PRIMES", "l:l", "primes", "The prime numbers of a list."),
    call("MULTIPLES", "nl:l", "multiples", "The members of a list that the number divides."),
    call("ABOVE", "nl:l", "above", "The members of a list that are larger than the number."),
    call("BELOW", "nl:l", "below", "The members of a list that are smaller than the number."),
    call("SQUARES", "l:l", "squares", "The square of every member."),
    call("CUBES", "l:l", "cubes", "The third power of every member."),
)

BY_TOKEN = {row.token: row for row in OPERATIONS}

#: The only numbers a plan may use that are not in the text.
CONSTANTS = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 25, 28, 30, 31, 36, 48, 50, 52),
    *(60, 90, 100, 144, 180, 360, 365, 366, 500, 1000, 1440, 2000, 3600, 5280, 1000000),
)
