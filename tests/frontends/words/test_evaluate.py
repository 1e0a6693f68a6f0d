"""What plans mean, against numbers worked out by hand."""

from fractions import Fraction

import pytest

from transputer.frontends.words import operations, text
from transputer.frontends.words.evaluate import MEANING, TooLong, Undefined, evaluate, is_prime


def value(source, *numbers):
    return evaluate(text.read(source), [Fraction(n) for n in numbers])


def test_every_operation_has_a_meaning():
    lazy = {"IF", "LIST", "RANGE"}
    assert set(MEANING) | lazy == {row.token for row in operations.OPERATIONS}


@pytest.mark.parametrize(
    "source, numbers, expected",
    [
        ("((N0 / N1) * N1)", (7, 2), 7),
        ("(N0 // N1)", (-7, 2), -4),
        ("(N0 mod N1)", (-7, 2), 1),
        ("(N0 ^ N1)", (2, -2), Fraction(1, 4)),
        ("percent(N0, N1)", (15, 60), 9),
        ("round(N0)", ("5/2",), 3),
        ("round(N0)", ("-5/2",), -3),
        ("factorial(N0)", (20,), 2432902008176640000),
        ("fibonacci(N0)", (10,), 55),
        ("sum(range(N0, N1, 1))", (1, 100), 5050),
        ("sum(range(N0, N1, 1))", (100, 1), 5050),
        ("last(range(N0, N1, 3))", (10, 0), 1),
        ("sum(multiples(N0, range(N1, N2, 1)))", (7, 1, 5), 0),
        ("product(evens(range(N0, N1, 1)))", (1, 6), 48),
        ("count(primes(range(N0, N1, 1)))", (1, 30), 10),
        ("sum(squares(range(N0, N1, 1)))", (1, 100), 338350),
        ("median([N0, N1, N2, N3])", (9, 2, 4, 7), Fraction(11, 2)),
        ("if((N0 > N1), N2, (N2 / N3))", (3, 2, 5, 0), 5),
        ("v0 = (N0 + N1); (v0 * v0)", (3, 4), 49),
        ("((N0 > N1) and not(prime(N1)))", (9, 4), True),
        ("number((N0 = N1))", (3, 3), 1),
        ("sqrt(N0)", (2,), 2**0.5),
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
        ("range(N0, N0, 0)", (3,)),
        ("gcd(N0, N0)", ("1/2",)),
        ("sum(range(N0, N1, 1))", (1, 10**9)),
        ("sqrt(N0)", (-1,)),
        ("(N0 ^ N0)", (10**6,)),
    ],
)
def test_what_has_no_value_says_so(source, numbers):
    source = f"sum({source})" if source.startswith("range") else source
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
