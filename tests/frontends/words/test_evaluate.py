"""What plans mean, against numbers worked out by hand and against CPython on the library's text."""

import math
import re
from fractions import Fraction
from functools import cache
from importlib.resources import files
from random import Random

import pytest

from transputer.frontends.words import operations, text
from transputer.frontends.words.evaluate import (
    PRIMITIVE,
    TooLong,
    Undefined,
    evaluate,
    is_prime,
)
from transputer.frontends.words.language import library, read_program
from transputer.frontends.words.plan import PlanError


def value(source, *numbers):
    return evaluate(text.read(source), [Fraction(n) for n in numbers])


def test_every_operation_has_a_meaning():
    lazy = {"IF", "AND", "OR", "LIST", "RANGE"}
    rows = {row.token for row in operations.OPERATIONS}
    assert set(PRIMITIVE) | lazy == {row.token for row in operations.PRIMITIVES}
    assert rows == set(PRIMITIVE) | lazy | set(library())
    assert set(operations.TRAINED) <= rows


@pytest.mark.parametrize(
    "source, numbers, expected",
    [
        ("((N0 / N1) * N1)", (7, 2), 7),
        ("(N0 // N1)", (-7, 2), -4),
        ("(N0 % N1)", (-7, 2), 1),
        ("(N0 ** N1)", (2, -2), Fraction(1, 4)),
        ("percent(N0, N1)", (15, 60), 9),
        ("round(N0)", ("5/2",), 3),
        ("round(N0)", ("-5/2",), -3),
        ("factorial(N0)", (20,), 2432902008176640000),
        ("fibonacci(N0)", (10,), 55),
        ("sum(span(N0, N1, 1))", (1, 100), 5050),
        ("sum(span(N0, N1, 1))", (100, 1), 5050),
        ("last(span(N0, N1, 3))", (10, 0), 1),
        ("sum(multiples(N0, span(N1, N2, 1)))", (7, 1, 5), 0),
        ("product(evens(span(N0, N1, 1)))", (1, 6), 48),
        ("count(primes(span(N0, N1, 1)))", (1, 30), 10),
        ("sum(squares(span(N0, N1, 1)))", (1, 100), 338350),
        ("median([N0, N1, N2, N3])", (9, 2, 4, 7), Fraction(11, 2)),
        ("(N2 if (N0 > N1) else (N2 / N3))", (3, 2, 5, 0), 5),
        ("v0 = (N0 + N1); (v0 * v0)", (3, 4), 49),
        ("((N0 > N1) and not(prime(N1)))", (9, 4), True),
        ("number((N0 == N1))", (3, 3), 1),
        ("sqrt(N0)", ("25/4",), Fraction(5, 2)),
        ("root(N0, 3)", (-8,), -2),
        ("ordered([N0, N1])", (5, 3), [3, 5]),
    ],
)
def test_values(source, numbers, expected):
    assert value(source, *numbers) == expected


@pytest.mark.parametrize(
    "source, numbers",
    [
        ("(N0 / N1)", (1, 0)),
        ("factorial(N0)", (-1,)),
        ("max(evens([N0]))", (3,)),
        ("span(N0, N0, 0)", (3,)),
        ("gcd(N0, N0)", ("1/2",)),
        ("sum(span(N0, N1, 1))", (1, 10**9)),
        ("sqrt(N0)", (-1,)),
        ("sqrt(N0)", (2,)),
        ("nth(N0, [N1])", (2, 5)),
        ("day_number(N0, N1, N2)", (2023, 2, 29)),
        ("(N0 ** N0)", (10**6,)),
    ],
)
def test_what_has_no_value_says_so(source, numbers):
    source = f"sum({source})" if source.startswith("span") else source
    with pytest.raises(Undefined):
        value(source, *numbers)


def test_primes_are_those_of_a_sieve_and_large_ones_take_no_time():
    marked = [False, False, *[True] * 99_998]
    for n in range(2, 317):
        if marked[n]:
            marked[n * n :: n] = [False] * len(marked[n * n :: n])
    assert [is_prime(Fraction(n)) for n in range(100_000)] == marked
    assert is_prime(Fraction(2**61 - 1)) and not is_prime(Fraction((2**31 - 1) ** 2))
    assert not is_prime(Fraction(3_215_031_751))  # a strong probable prime to 2, 3, 5 and 7
    assert not is_prime(Fraction(7, 2)) and not is_prime(Fraction(-7))
    with pytest.raises(TooLong, match="is prime"):
        is_prime(Fraction(2**127 - 1))


SOURCE = files("transputer.frontends.words").joinpath("library.plan").read_text("utf-8")


def _span(a, b, s):
    step = abs(int(s)) if a <= b else -abs(int(s))
    return [Fraction(n) for n in range(int(a), int(b) + (1 if step > 0 else -1), step)]


@cache
def cpython():
    """The library's functions as CPython runs them; the primitives are Python's own."""
    names = {name: object for name in ("number", "integer", "boolean")}
    names |= {"span": _span, "prime": lambda n: n > 1 and all(n % d for d in range(2, int(n)))}
    names |= {"gcd": lambda a, b: Fraction(math.gcd(int(a), int(b)))}
    names |= {"numerator": lambda a: a.numerator, "denominator": lambda a: a.denominator}
    exec(SOURCE, names)
    return names


def _python(row, arguments):
    value = cpython()[row.name](*arguments)
    return list(value) if row.result is operations.PlanType.LIST else value


@pytest.mark.parametrize("token", sorted(library()))
def test_the_library_against_cpython(token):
    """Every function, on small arguments of its types: the same value, or none."""
    row, rng = library()[token].operation, Random(token)
    for _ in range(20):
        arguments, parts, numbers = [], [], []
        for kind in row.arguments:
            if kind is operations.PlanType.LIST:
                members = [Fraction(rng.randint(-3, 12)) for _ in range(rng.randint(1, 5))]
                slots = [f"N{len(numbers) + i}" for i in range(len(members))]
                numbers += members
                arguments.append(members)
                parts.append(f"[{', '.join(slots)}]")
            elif kind is operations.PlanType.BOOLEAN:
                arguments.append(rng.random() < 0.5)
                parts.append("0 == 0" if arguments[-1] else "0 == 1")
            else:
                numbers.append(Fraction(rng.randint(-2, 30)))
                arguments.append(numbers[-1])
                parts.append(f"N{len(numbers) - 1}")
        source = f"{row.name}({', '.join(parts)})"
        try:
            expected = _python(row, arguments)
        except (AssertionError, ZeroDivisionError):
            with pytest.raises(Undefined):
                value(source, *numbers)
            continue
        assert value(source, *numbers) == expected, (source, numbers)


@pytest.mark.parametrize(
    "program, why",
    [
        ("import os", "not part"),
        ("open(N0)", "no function 'open'"),
        ("N0.real", "not part"),
        ("x = 17\nreturn x", "17 is not a declared constant"),
        ("1.5", "not part"),
        ("'a'", "not part"),
        ("lambda: N0", "not part"),
        ("while N0 > 1:\n    pass", "no result"),
        ("def f(n):\n    if n > 1:\n        return n\nf(N0)", "without a return"),
        ("def f(n):\n    return n > 1\nf(N0)", "returns a boolean"),
        ("def sum(n):\n    return n\nsum(N0)", "not part"),
        ("def f(*n):\n    return n\nf(N0)", "not part"),
        ("if N0 > 1:\n    x = 1\nreturn x", "'x' has no value"),
        ("for i in span(1, N0, 1):\n    x = i\nreturn x", "'x' has no value"),
        ("x = 1\nx = [2]\nreturn x", "cannot be assigned a list"),
        ("xs = [1]\nfor x in xs:\n    xs.append(x)\nreturn xs", "changes while"),
        ("N0 + (N0 > 1)", "ADD takes"),
        ("N0 = 3\nreturn N0", "cannot be assigned"),
        ("(" * 300 + "N0" + ")" * 300, "not a program"),
        ("N0" + "+N0" * 20000, "characters"),
        ("x" * 3, "has no value"),
        ("N0\0", "not a program"),
        ("[a for a in [1] for b in [2]]", "not part"),
        ("print(N0)", "no function"),
        ("if(N0 > 1, 2, 3)", "not a program"),
        ("def f(n: str):\n    return n\nf(N0)", "no type"),
        ("global x\nreturn N0", "not part"),
        ("exec(N0)", "no function"),
    ],
)
def test_what_is_not_of_the_language_is_refused(program, why):
    with pytest.raises(PlanError, match=re.escape(why)):
        read_program(program)


def test_a_program_without_end_is_too_long():
    with pytest.raises(TooLong):
        value("x = 1\nwhile x > 0:\n    x = x + 1\nreturn x")
    with pytest.raises(Undefined):
        value("def f(n):\n    return f(n + 1)\nf(1)")
