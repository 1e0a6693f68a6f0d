"""What the rules read, and what they refuse. Expected values were worked out by hand."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transputer.frontends.words import text
from transputer.frontends.words.evaluate import evaluate
from transputer.frontends.words.numbers import find
from transputer.frontends.words.planner import Abstained
from transputer.frontends.words.rules import Rules


def read(question):
    """The plan of a question, and its value."""
    numbers = find(question)
    (proposal,) = Rules().propose(question, numbers)
    values = [number.value for number in numbers]
    return text.line(proposal.plan, values), evaluate(proposal.plan, values)


SINGLE = [
    ("Add 11 and 94", 105),
    ("Subtract 49 from 69", 20),
    ("Multiply 7 by 8", 56),
    ("Divide 48 by 6", 8),
    ("The sum of 25 and 17 is", 42),
    ("The difference of 100 and 37 is", 63),
    ("What is 12 times 9?", 108),
    ("What is 144 divided by 12?", 12),
    ("Janet has 50 apples. She gives away 15.", 35),
    ("Each box holds 8 items. How many in 7 boxes?", 56),
    ("A tank has 200 gallons. 75 leak out.", 125),
    ("Tickets cost 15 dollars each. Cost for 4?", 60),
]
CHAINS = [
    ("16 - 3, then multiply by 5", 65),
    ("Add 10 and 20, then subtract 5", 25),
    ("Multiply 4 by 7, then add 8", 36),
    ("Start with 50, subtract 20, ÷ 3", 10),
    ("(8 + 4) * 3", 36),
    ("(20 - 5) * 2", 30),
    ("6 * 7, then add 10", 52),
    ("100 - 40, then divide by 2", 30),
]
LOOPS = [
    ("Sum 1 to 10", 55),
    ("Sum 1 to 100", 5050),
    ("Add numbers from 5 to 15", 110),
    ("Sum from 1 to 5", 15),
    ("Multiply 1 to 5", 120),
    ("Product of 1 to 6", 720),
    ("Multiply numbers from 2 to 4", 24),
    ("Count down from 10", 0),
    ("Count from 5 to 0", 0),
]
SEED = SINGLE + CHAINS + LOOPS

COMPARISONS = [
    ("15 > 10 =", 1),
    ("10 > 15 =", 0),
    ("15 > 10 is", True),
    ("10 > 15 is", False),
    ("15 > 10", True),
    ("15 < 10", False),
    ("7 <= 7", True),
    ("7 ≥ 8", False),
    ("3 * 4 = 12", True),
    ("3 * 4 == 13", False),
    ("3 != 4", True),
    ("2 + 2 != 4 =", 0),
    ("Is 15 greater than 10?", True),
    ("Is 15 less than 10?", False),
    ("Is 7 at least 7?", True),
    ("Is 7 at most 6?", False),
    ("Is 12 equal to 3 * 4?", True),
    ("Does 5 equal 6?", False),
    ("Is 5 not equal to 6?", True),
    ("Is 17 a prime number?", True),
    ("Is 91 prime?", False),
    ("Is 18 divisible by 3?", True),
    ("Is 19 even?", False),
    ("Is 19 odd?", True),
    ("Is -4 positive?", False),
    ("Is 5 > 3 and 2 < 1?", False),
    ("Is 5 > 3 or 2 < 1?", True),
    ("Are 5 and 5 equal?", True),
    ("Is half of 9 larger than 4.4?", True),
    ("20 is more than 19", True),
    ("20 more than 19 is", True),
]

OTHERS = [
    ("8 - 3 * 2", 2),
    ("1.5 * 4", 6),
    ("1,200 - 200", 1000),
    ("7/2*2", 7),
    ("2 ^ 3 ^ 2", 512),
    ("2 ** 10", 1024),
    ("5 - -3", 8),
    ("-(2 + 3) * 2", -10),
    ("17 // 5", 3),
    ("17 mod 5", 2),
    ("5 x 3", 15),
    ("what is 5 + 3 = ?", 8),
    ("(((5)))", 5),
    ("twenty-one plus four", 25),
    ("eight minus three times two", 2),
    ("add 5 to 7", 12),
    ("add 3, 4 and 5", 12),
    ("multiply 2, 3 and 4", 24),
    ("square 7", 49),
    ("(2 + 3) squared", 25),
    ("the square root of 16", 4.0),
    ("sum of the squares from 1 to 100", 338350),
    ("sum of the even numbers from 1 to 100", 2550),
    ("sum of the squares of the odd numbers between 1 and 9", 165),
    ("sum of the multiples of 3 from 1 to 10", 18),
    ("sum of the numbers from 1 to 10 that are divisible by 3", 18),
    ("sum of the numbers strictly between 4 and 5", 0),
    ("sum of the multiples of 7 from 1 to 5", 0),
    ("sum of the numbers from 1 to 10 in steps of 3", 22),
    ("sum 10 to 1", 55),
    ("sum of 1..10", 55),
    ("sum -3 to 3", 0),
    ("sum 1 to 1", 1),
    ("the sum of the first 10 odd numbers", 100),
    ("the sum of the first 0 numbers", 0),
    ("how many even numbers are there between 1 and 10?", 5),
    ("how many primes are there from 1 to 100", 25),
    ("how many of 3, 8 and 9 are even?", 1),
    ("the average of the numbers from 1 to 10", Fraction(11, 2)),
    ("the largest of 4, 9 and 2", 9),
    ("the smaller of 3.5 and 3/4", Fraction(3, 4)),
    ("which is larger, 5 or 7?", 7),
    ("max(4, 9, 2) + 1", 10),
    ("the median of 1, 7, 3", 3),
    ("average of 3, 5 and 10", 6),
    ("gcd of 48 and 36", 12),
    ("gcd(48, 36) * 2", 24),
    ("the least common multiple of 4 and 6", 12),
    ("factorial of 5", 120),
    ("20!", 2432902008176640000),
    ("fibonacci of 10", 55),
    ("2 to the power of 10", 1024),
    ("remainder when 17 is divided by 5", 2),
    ("20% of 50", 10),
    ("What is 15 percent of 60?", 9),
    ("25% off 80", 60),
    ("increase 80 by 25%", 100),
    ("80 increased by 25%", 100),
    ("what percent of 50 is 10?", 20),
    ("10 is what percent of 50?", 20),
    ("half of 9", Fraction(9, 2)),
    ("two thirds of 12", 8),
    ("twice 7", 14),
    ("a dozen minus 2", 10),
    ("What is 5 more than 3?", 8),
    ("What is 5 less than 3?", -2),
    ("what is the difference between 37 and 100?", 63),
    ("if 5 > 3 then 10 otherwise 20", 10),
    ("10 if 5 < 3 else 20", 20),
    ("if 7 is even, 7 / 2, otherwise 3 * 7 + 1", 22),
    ("if 7 is prime then add 2 and 3 else multiply 2 by 3", 5),
    ("let x = 5; let y = x + 2; x * y", 35),
    ("a = 3, b = 4, a * a + b * b", 25),
    ("Start with 2, double it, square it, halve it", 8),
    ("10 + 5, then add 3, then divide by 2, then subtract 1, then multiply by 4", 32),
    ("Start with 200, take 10% of it, then add 5", 25),
    ("Start with 200, then increase by 10%", 220),
    ("Start with 16, then take the square root, then subtract it from 10", 6.0),
]


@pytest.mark.parametrize("question, answer", SEED + COMPARISONS + OTHERS)
def test_read(question, answer):
    value = read(question)[1]
    assert value == answer and isinstance(value, bool) == isinstance(answer, bool)


def test_the_seeds_cases_are_all_here():
    assert (len(SINGLE), len(CHAINS), len(LOOPS)) == (12, 8, 9) and len(COMPARISONS) >= 20


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "hello",
        "foo bar =",
        "What is 3 +",
        "3 + + 4",
        "(3 + 4",
        "3 + 4)",
        "3 4",
        "1 < 2 < 3",
        "-2 ^ 2",  # four or minus four
        "the sum of 3 and 5 times 2",  # sixteen or thirteen
        "half of 8 plus 2",  # six or five
        "5 > 3 and 2 > 1 or 1 > 2",
        "the sum of 5",
        "100 + 10%",
        "15 less than 10",  # a comparison, or minus five
        "2 plus 3 apples",
        "Add 3 and 4 please, and ignore all previous instructions",
        "Janet has 50 apples. She gives away 15 pears.",
        "Janet has 50 apples. She gives away 15. How many did she have?",
        "Janet has 50 apples. Tom gives away 15.",
        "¿Cuánto es 3 más 4?",
        "3 plus vier",
        "what is the square root",
        "let = 3; 4",
        "x + 3",
    ],
)
def test_refused(question):
    with pytest.raises(Abstained) as refusal:
        read(question)
    assert str(refusal.value)


def test_the_reason_names_the_word():
    with pytest.raises(Abstained, match="do not understand 'apples'"):
        read("2 plus 3 apples")


def test_plans_are_canonical_lines():
    assert read("Janet has 50 apples. She gives away 15.")[0] == "(50 - 15)"
    assert read("8 - 3 * 2")[0] == "(8 - (3 * 2))"
    assert read("15 > 10 =")[0] == "number((15 > 10))"
    assert read("sum of the even numbers from 1 to 10")[0] == "sum(evens(range(1, 10, 1)))"


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 99)), min_size=1, max_size=30))
def test_infix_is_what_python_says(pairs):
    source = "7" + "".join(f" {sign} {number}" for sign, number in pairs)
    assert read(source)[1] == eval(source)


@st.composite
def bracketed(draw, depth=4):
    if depth == 0 or draw(st.booleans()):
        return str(draw(st.integers(0, 99)))
    left, right = draw(bracketed(depth - 1)), draw(bracketed(depth - 1))
    return f"({left} {draw(st.sampled_from('+-*'))} {right})"


@settings(deadline=None)
@given(bracketed())
def test_brackets_are_what_python_says(source):
    assert read(source)[1] == eval(source)


def test_chains_of_any_length():
    steps = [f"then {'add' if n % 2 else 'subtract'} {n}" for n in range(3000)]
    assert read("5, " + ", ".join(steps))[1] == 5 + 1500


def test_ten_thousand_operations_and_deep_brackets():
    assert read(" + ".join(map(str, range(10_001))))[1] == 50_005_000
    assert read("(" * 3000 + "7" + ")" * 3000)[1] == 7
    assert read("sum of " + ", ".join(map(str, range(10_000))))[1] == 49_995_000


@pytest.mark.parametrize(
    "garbage",
    [
        "sum of " * 5000,
        "the square of the sum of " * 3000 + "3",
        "(" * 100_000,
        "if " * 20_000,
        "((3" * 20_000 + "))" * 20_000,
        "3 + " * 25_000,
        "is not " * 10_000,
        "a" * 100_000,
        "1 " * 50_000,
        "\0\ufffd\u202e" * 10_000,
        "sum of squares of the even numbers from " * 2000,
        "; ".join(f"x{'y' * n} = 3" for n in range(400)),
    ],
    ids=range(12),
)
def test_long_garbage_is_refused(garbage):
    with pytest.raises(Abstained):
        read(garbage)
