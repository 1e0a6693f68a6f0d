"""A plan in words, as `ask` shows it: `the sum of the squares of the integers from 1 to 100`."""

from collections.abc import Sequence
from fractions import Fraction

from transputer.frontends.words import text
from transputer.frontends.words.plan import Apply, Node, Plan, PlanConstant

#: Plans with more operations are only counted.
LONGEST = 40
_WORDS = {
    "ADD": "{} plus {}",
    "SUB": "{} minus {}",
    "MUL": "{} times {}",
    "DIV": "{} divided by {}",
    "IDIV": "{} divided by {}, rounded down",
    "MOD": "the remainder of {} divided by {}",
    "POW": "{} to the power of {}",
    "PCT": "{} percent of {}",
    "GCD": "the greatest common divisor of {} and {}",
    "LCM": "the least common multiple of {} and {}",
    "NEG": "minus {}",
    "ABS": "the absolute value of {}",
    "FLOOR": "{} rounded down",
    "CEIL": "{} rounded up",
    "ROUND": "{} rounded",
    "ROUND_TO": "{} rounded to a multiple of {}",
    "SQRT": "the square root of {}",
    "ROOT": "root {1} of {0}",
    "FACT": "the factorial of {}",
    "FIB": "Fibonacci number {}",
    "PRIME_NUMBER": "prime number {}",
    "NEXT_PRIME": "the next prime after {}",
    "SUM": "the sum of {}",
    "PROD": "the product of {}",
    "COUNT": "the number of {}",
    "MIN": "the smallest of {}",
    "MAX": "the largest of {}",
    "MEAN": "the average of {}",
    "MEDIAN": "the median of {}",
    "FIRST": "the first of {}",
    "LAST": "the last of {}",
    "NTH": "number {} of {}",
    "TAKE": "the first {} of {}",
    "ORDERED": "{} sorted",
    "BACKWARDS": "{} reversed",
    "DIGITS": "the digits of {}",
    "DIVISORS": "the divisors of {}",
    "PRIME_FACTORS": "the prime factors of {}",
    "COLLATZ": "the Collatz sequence of {}",
    "IF": "{1} if {0}, otherwise {2}",
    "NUMBER": "1 if {}, otherwise 0",
    "LT": "{} is less than {}",
    "LE": "{} is at most {}",
    "GT": "{} is greater than {}",
    "GE": "{} is at least {}",
    "EQ": "{} equals {}",
    "NE": "{} differs from {}",
    "AND": "{} and {}",
    "OR": "{} or {}",
    "NOT": "not {}",
    "PRIME": "{} is prime",
    "EVENS": "the even numbers of {}",
    "ODDS": "the odd numbers of {}",
    "PRIMES": "the primes of {}",
    "MULTIPLES": "the multiples of {} in {}",
    "MULTIPLES_OF_EITHER": "the multiples of {} or {} in {}",
    "ABOVE": "those above {} of {}",
    "BELOW": "those below {} of {}",
    "SQUARES": "the squares of {}",
    "CUBES": "the cubes of {}",
    "DAY_NUMBER": "{}-{}-{}",
    "CALENDAR_DATE": "the date {}",
    "CLOCK": "the time {} minutes after midnight",
}
#: Words between their arguments: brackets tell what belongs together.
_LOOSE = frozenset("ADD SUB MUL DIV IDIV POW IF AND OR".split())


def in_words(plan: Plan, numbers: Sequence[Fraction]) -> str:
    """The plan in words, with the values of its numbers."""
    if plan.operations > LONGEST:
        return f"a calculation of {plan.operations:,} operations"
    if any(one.operation.token == "main" for one in plan.functions):
        return "a program of its own"
    values: list[str] = []
    for node in (*plan.lets, plan.result):
        values.append(_words(node, numbers, values))
    return values[-1]


def _words(node: Node, numbers: Sequence[Fraction], values: Sequence[str]) -> str:
    if not isinstance(node, Apply):
        if node.token[0] == "V" and node.token[1:].isdecimal():
            return values[int(node.token[1:])]
        return text.line(Plan(node), numbers)
    parts = [_part(argument, numbers, values) for argument in node.arguments]
    if node.token == "LIST":
        return ", ".join(parts[:-1]) + " and " * (len(parts) > 1) + parts[-1]
    if node.token == "RANGE":
        steps = "" if node.arguments[2] == PlanConstant(1) else f" in steps of {parts[2]}"
        return f"the integers from {parts[0]} to {parts[1]}{steps}"
    if node.token in _WORDS:
        return _WORDS[node.token].format(*parts)
    name = node.operation.name.replace("_", " ")
    return f"{name} of {' and '.join(parts)}" if parts else name


def _part(node: Node, numbers: Sequence[Fraction], values: Sequence[str]) -> str:
    words = _words(node, numbers, values)
    return f"({words})" if isinstance(node, Apply) and node.token in _LOOSE else words
