"""Paraphrases of every construct, from templates with random numbers.

They are a held-out set: no front end is trained on them or on their templates. Their answers come
from the small functions next to them, not from anything that is measured.
"""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from transputer.check.bench.word_problems import WordProblem

Answer = Callable[..., int | Fraction | bool]
#: Templates with the names a, b, c of their numbers; how each is drawn; the answer.
Row = tuple[str, str, Answer]

#: Ranges that numbers are drawn from, by letter: small, medium, large, tiny, percentages.
_DRAWN = {
    "s": (2, 20),
    "m": (10, 99),
    "l": (100, 999),
    "t": (2, 9),
    "p": (1, 19),  # of 5 %
}


def _total(first: int, last: int, step: int = 1) -> int:
    low, high = min(first, last), max(first, last)
    return sum(range(low, high + 1, step))


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


CONSTRUCTS: dict[str, tuple[Row, ...]] = {
    "single operation": (
        ("Could you add {a} and {b} for me?", "mm", lambda a, b: a + b),
        ("{a} plus {b} gives what?", "lm", lambda a, b: a + b),
        ("Take {b} away from {a}.", "lm", lambda a, b: a - b),
        ("How much is left when {b} is subtracted from {a}?", "lm", lambda a, b: a - b),
        ("Find the product of {a} and {b}.", "ms", lambda a, b: a * b),
        ("{a} multiplied by {b} equals", "ms", lambda a, b: a * b),
        ("What does {a} divided by {b} come to?", "lt", lambda a, b: Fraction(a, b)),
        ("Give me the quotient of {a} and {b}.", "lt", lambda a, b: Fraction(a, b)),
    ),
    "chain": (
        ("Start with {a}, add {b}, then multiply by {c}.", "mmt", lambda a, b, c: (a + b) * c),
        ("Take {a}, subtract {b}, then add {c}.", "lmm", lambda a, b, c: a - b + c),
        ("Multiply {a} by {b}, then subtract {c}.", "mtm", lambda a, b, c: a * b - c),
        (
            "First add {a} and {b}; after that, divide by {c}.",
            "mmt",
            lambda a, b, c: Fraction(a + b, c),
        ),
        ("{a} minus {b}, then times {c}", "lmt", lambda a, b, c: (a - b) * c),
        ("Begin with {a}, double it, then take away {b}.", "mm", lambda a, b: 2 * a - b),
        ("Add {a} to {b}, then square the result.", "ss", lambda a, b: (a + b) ** 2),
        (
            "{a} times {b}, then add {c}, and finally halve it",
            "mtm",
            lambda a, b, c: Fraction(a * b + c, 2),
        ),
    ),
    "brackets": (
        ("({a} + {b}) * {c}", "mmt", lambda a, b, c: (a + b) * c),
        ("What is {a} - {b} * {c}?", "lts", lambda a, b, c: a - b * c),
        ("Evaluate ({a} - {b}) / {c}", "lmt", lambda a, b, c: Fraction(a - b, c)),
        ("{a} * ({b} + {c}) =", "smm", lambda a, b, c: a * (b + c)),
        ("Compute {a} + {b} / {c}.", "mmt", lambda a, b, c: a + Fraction(b, c)),
        ("({a} + {b}) * ({a} - {b})", "mm", lambda a, b: (a + b) * (a - b)),
        ("calculate {a} ^ 2 - {b}", "sm", lambda a, b: a * a - b),
        ("What is -({a} - {b}) + {c}?", "mmm", lambda a, b, c: b - a + c),
    ),
    "comparison": (
        ("Is {a} bigger than {b}?", "mm", lambda a, b: a > b),
        ("Is {a} smaller than or equal to {b}?", "mm", lambda a, b: a <= b),
        ("{a} > {b} is", "mm", lambda a, b: a > b),
        ("{a} < {b} =", "mm", lambda a, b: int(a < b)),
        ("Is {a} times {b} at least {c}?", "ttm", lambda a, b, c: a * b >= c),
        ("Is {a} divisible by {b}?", "lt", lambda a, b: a % b == 0),
        ("Is {a} + {b} equal to {c}?", "tts", lambda a, b, c: a + b == c),
        ("Is {a} an even number?", "m", lambda a: a % 2 == 0),
    ),
    "range": (
        ("Add up all the numbers from {a} to {b}.", "tm", _total),
        ("What is the sum of the whole numbers between {a} and {b}?", "tm", _total),
        (
            "Sum the even numbers from {a} to {b}",
            "tm",
            lambda a, b: sum(n for n in range(a, b + 1) if n % 2 == 0),
        ),
        (
            "What is the sum of the squares of the numbers from 1 to {a}?",
            "m",
            lambda a: sum(n * n for n in range(1, a + 1)),
        ),
        (
            "How many multiples of {a} are there between 1 and {b}?",
            "tl",
            lambda a, b: b // a,
        ),
        ("Find the product of the integers from {a} to 12", "t", lambda a: math.prod(range(a, 13))),
        ("Sum from {b} down to {a}", "tm", _total),
        (
            "How many odd numbers are there from {a} to {b}?",
            "tm",
            lambda a, b: sum(n % 2 for n in range(a, b + 1)),
        ),
    ),
    "conditional": (
        (
            "If {a} is greater than {b} then {c}, otherwise {d}",
            "mmmm",
            lambda a, b, c, d: c if a > b else d,
        ),
        ("if {a} < {b} then {c} else {d}", "mmmm", lambda a, b, c, d: c if a < b else d),
        (
            "If {a} is even, {a} / 2, otherwise 3 * {a} + 1",
            "m",
            lambda a: Fraction(a, 2) if a % 2 == 0 else 3 * a + 1,
        ),
        (
            "If {a} > {b}, add {c} and {d}, otherwise multiply {c} by {d}.",
            "mmtt",
            lambda a, b, c, d: c + d if a > b else c * d,
        ),
        ("{c} if {a} = {b}, otherwise {d}", "ttmm", lambda a, b, c, d: c if a == b else d),
        (
            "If {a} is divisible by {b} then {c} else {d}",
            "mtmm",
            lambda a, b, c, d: c if a % b == 0 else d,
        ),
        (
            "If {a} is at most {b}, then {a} + {b}, else {a} - {b}",
            "mm",
            lambda a, b: a + b if a <= b else a - b,
        ),
        (
            "When {a} is larger than {b} the answer is {c}, and {d} when it is not.",
            "mmmm",
            lambda a, b, c, d: c if a > b else d,
        ),
    ),
    "list": (
        ("What is the largest of {a}, {b} and {c}?", "mmm", max),
        ("Find the smallest number among {a}, {b}, {c}.", "mmm", min),
        ("Which is larger, {a} or {b}?", "mm", max),
        ("max({a}, {b}, {c})", "mmm", max),
        (
            "How many of {a}, {b}, {c} and {d} are even?",
            "mmmm",
            lambda *n: sum(x % 2 == 0 for x in n),
        ),
        ("Add {a}, {b}, {c} and {d} together.", "mmmm", lambda *n: sum(n)),
        ("What is the median of {a}, {b} and {c}?", "mmm", lambda *n: sorted(n)[1]),
        ("Out of {a}, {b} and {c}, pick the greatest.", "mmm", max),
    ),
    "recursion": (
        ("What is {a} factorial?", "t", math.factorial),
        ("Compute the factorial of {a}.", "s", math.factorial),
        ("{a}!", "s", math.factorial),
        ("What is the greatest common divisor of {a} and {b}?", "ll", math.gcd),
        ("Find the least common multiple of {a} and {b}.", "mm", math.lcm),
        ("{a} to the power of {b}", "st", lambda a, b: a**b),
        ("What is Fibonacci number {a}?", "m", lambda a: _fibonacci(a)),
        ("Raise {a} to the power {b}.", "tt", lambda a, b: a**b),
    ),
    "percentage": (
        ("What is {a}% of {b}?", "pl", lambda a, b: Fraction(a * b, 100)),
        ("{a} percent of {b}", "pl", lambda a, b: Fraction(a * b, 100)),
        ("Increase {b} by {a}%.", "pl", lambda a, b: b + Fraction(a * b, 100)),
        ("Reduce {b} by {a} percent", "pl", lambda a, b: b - Fraction(a * b, 100)),
        ("What percent of {b} is {a}?", "ml", lambda a, b: Fraction(100 * a, b)),
        ("{a}% off {b}", "pl", lambda a, b: b - Fraction(a * b, 100)),
        ("Work out {a} per cent of {b}.", "pl", lambda a, b: Fraction(a * b, 100)),
        (
            "A price of {b} dollars goes up by {a}%. What is it now?",
            "pl",
            lambda a, b: b + Fraction(a * b, 100),
        ),
    ),
    "average": (
        ("What is the average of {a}, {b} and {c}?", "mmm", lambda *n: Fraction(sum(n), 3)),
        ("Find the mean of {a} and {b}.", "mm", lambda *n: Fraction(sum(n), 2)),
        ("the average of {a}, {b}, {c} and {d}", "mmmm", lambda *n: Fraction(sum(n), 4)),
        ("Average {a}, {b} and {c}.", "mmm", lambda *n: Fraction(sum(n), 3)),
        (
            "What is the average of the numbers from {a} to {b}?",
            "tm",
            lambda a, b: Fraction(a + b, 2),
        ),
        (
            "Calculate the arithmetic mean of {a}, {b} and {c}",
            "mmm",
            lambda *n: Fraction(sum(n), 3),
        ),
        (
            "Three tests had the scores {a}, {b} and {c}. What is the average score?",
            "mmm",
            lambda *n: Fraction(sum(n), 3),
        ),
        ("mean({a}, {b})", "mm", lambda *n: Fraction(sum(n), 2)),
    ),
}

#: Written after the rules were finished, and never used to change them.
LATER: dict[str, tuple[Row, ...]] = {
    "single operation": (
        ("I'd like to know what {a} plus {b} is.", "mm", lambda a, b: a + b),
        ("If you have {a} and lose {b}, how much do you have?", "lm", lambda a, b: a - b),
        ("What is the product when {a} is multiplied by {b}?", "ms", lambda a, b: a * b),
        ("How much is {a} over {b}?", "lt", lambda a, b: Fraction(a, b)),
    ),
    "chain": (
        ("Take {a} and multiply it by {b}, then add {c}.", "mtm", lambda a, b, c: a * b + c),
        ("{a} plus {b}, and then divide that by {c}", "mmt", lambda a, b, c: Fraction(a + b, c)),
        (
            "Start from {a}. Subtract {b}. Multiply the result by {c}. What do you have?",
            "lmt",
            lambda a, b, c: (a - b) * c,
        ),
        ("Divide {a} by {b} and subtract {c}", "lts", lambda a, b, c: Fraction(a, b) - c),
    ),
    "brackets": (
        ("What is ({a} + {b}) divided by {c}?", "mmt", lambda a, b, c: Fraction(a + b, c)),
        ("{a} times ({b} minus {c})", "tmm", lambda a, b, c: a * (b - c)),
        ("Work out {a} * {b} - {c} * {d}", "stst", lambda a, b, c, d: a * b - c * d),
        ("(({a} + {b}) * {c}) - {d} = ?", "mmtm", lambda a, b, c, d: (a + b) * c - d),
    ),
    "comparison": (
        ("Would you say {a} is larger than {b}?", "mm", lambda a, b: a > b),
        ("Is it true that {a} is not greater than {b}?", "mm", lambda a, b: a <= b),
        ("{a} >= {b}?", "mm", lambda a, b: a >= b),
        ("Can {a} be divided evenly by {b}?", "lt", lambda a, b: a % b == 0),
    ),
    "range": (
        ("What do all the integers from {a} to {b} add up to?", "tm", _total),
        ("Total of the numbers {a} through {b}", "tm", _total),
        (
            "Find the sum of every odd number between {a} and {b}.",
            "tm",
            lambda a, b: sum(n for n in range(a, b + 1) if n % 2),
        ),
        (
            "Count how many numbers from 1 to {b} are divisible by {a}.",
            "tl",
            lambda a, b: b // a,
        ),
    ),
    "conditional": (
        (
            "If {a} exceeds {b}, give {c}; if not, give {d}.",
            "mmmm",
            lambda a, b, c, d: c if a > b else d,
        ),
        (
            "Choose {c} if {a} is smaller than {b}, else {d}",
            "mmmm",
            lambda a, b, c, d: c if a < b else d,
        ),
        (
            "If {a} is odd then multiply it by {b}, otherwise divide it by 2",
            "mt",
            lambda a, b: a * b if a % 2 else Fraction(a, 2),
        ),
        (
            "if {a} + {b} > {c} then {a} else {b}",
            "mmm",
            lambda a, b, c: a if a + b > c else b,
        ),
    ),
    "list": (
        ("Of {a}, {b} and {c}, which is the smallest?", "mmm", min),
        ("What's the biggest number here: {a}, {b}, {c}, {d}?", "mmmm", max),
        ("Sum this list: {a}, {b}, {c}", "mmm", lambda *n: sum(n)),
        (
            "How many numbers in {a}, {b}, {c} and {d} are odd?",
            "mmmm",
            lambda *n: sum(x % 2 for x in n),
        ),
    ),
    "recursion": (
        ("Calculate {a} factorial", "t", math.factorial),
        ("GCD of {a} and {b}?", "ll", math.gcd),
        ("What is the {a}th Fibonacci number?", "m", lambda a: _fibonacci(a)),
        ("What is {a} raised to the power of {b}?", "tt", lambda a, b: a**b),
    ),
    "percentage": (
        ("How much is {a} percent of {b}?", "pl", lambda a, b: Fraction(a * b, 100)),
        ("Take {a}% off {b}.", "pl", lambda a, b: b - Fraction(a * b, 100)),
        (
            "What do you get if you increase {b} by {a}%?",
            "pl",
            lambda a, b: b + Fraction(a * b, 100),
        ),
        ("What percentage is {a} of {b}?", "ml", lambda a, b: Fraction(100 * a, b)),
    ),
    "average": (
        ("Can you work out the mean of {a}, {b} and {c}?", "mmm", lambda *n: Fraction(sum(n), 3)),
        ("average({a}, {b}, {c})", "mmm", lambda *n: Fraction(sum(n), 3)),
        ("If I average {a} and {b}, what do I get?", "mm", lambda *n: Fraction(sum(n), 2)),
        (
            "What's the average of these numbers: {a}, {b}, {c} and {d}?",
            "mmmm",
            lambda *n: Fraction(sum(n), 4),
        ),
    ),
}


def paraphrases(count: int = 200, seed: int = 7) -> dict[str, list[WordProblem]]:
    """Return `count` problems of every construct; a seed always gives the same ones.

    The later templates form constructs of their own.
    """
    named = {**CONSTRUCTS, **{f"{name}, later": rows for name, rows in LATER.items()}}
    return {
        name: [
            _problem(rows, index, random.Random(f"{seed} {name} {index}")) for index in range(count)
        ]
        for name, rows in named.items()
    }


def templates() -> list[str]:
    """Return every template, with N0, N1, … for its numbers; training must not use them."""
    return [
        text.format(a="N0", b="N1", c="N2", d="N3")
        for rows in (*CONSTRUCTS.values(), *LATER.values())
        for text, *_ in rows
    ]


def _problem(rows: Sequence[Row], index: int, rng: random.Random) -> WordProblem:
    text, letters, answer = rows[index % len(rows)]
    numbers = [_draw(letter, rng) for letter in letters]
    question = text.format(**dict(zip("abcd", numbers, strict=False)))
    value = answer(*numbers)
    return WordProblem(question, value if isinstance(value, bool) else Fraction(value), text)


def _draw(letter: str, rng: random.Random) -> int:
    low, high = _DRAWN[letter]
    return rng.randint(low, high) * (5 if letter == "p" else 1)
