"""What the rules read, and what they refuse. Expected values were worked out by hand."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases, sampled
from transputer import api
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

PARAPHRASES = [
    ("sort these numbers from smallest to largest: 8, 19, 2", [2, 8, 19]),
    ("Put 3, 9, 1 in descending order", [9, 3, 1]),
    ("Write the list 1, 4, 7 backwards", [7, 4, 1]),
    ("Which numbers in 4, 7, 10 are even?", [4, 10]),
    ("What are all the factors of 28?", [1, 2, 4, 7, 14, 28]),
    ("What are the first 4 square numbers?", [1, 4, 9, 16]),
    ("Add the digits of 98765", 35),
    ("Can 50 be divided evenly by 3?", False),
    ("What is the smallest prime bigger than 30?", 31),
    ("half of 10 percent of 50", Fraction(5, 2)),
    ("20% of 30% of 50", 3),
    ("one half plus one third", Fraction(5, 6)),
    ("5 and a half plus 2", Fraction(15, 2)),
    ("sum of squares of 3 and 4", 25),
    ("9/3/3", 1),
    ("1/2/2", Fraction(1, 4)),
    ("2^1/2", 1),
    ("3 1/2 + 1", Fraction(9, 2)),
    ("1/2 of 10 + 3", 8),
    ("a hundred minus a dozen", 88),
    ("minus 5 plus 10", 5),
    ("10 divided by 4 times 2", 5),
    ("When 15 is taken from 50, what is left?", 35),
    ("2 plus 2 equals 4", True),
    ("2 plus 2 equals 5, true or false?", False),
    ("What number is 353 greater than 5,697?", 6050),
    ("What number is 6 lower than 628?", 622),
    ("what is the sum of 3 and 4, divided by 2?", Fraction(7, 2)),
    ("Take away 21 from 40.", 19),
    ("What is 23 fewer than 60?", 37),
    ("52 less 7 equals", 45),
    ("What is left when 81 is divided by 29?", 23),
    ("How much is left when 5 is taken from 25?", 20),
    ("By how much is 42 larger than 12?", 30),
    ("4 lots of 9", 36),
    ("What is 45 taken 8 times?", 360),
    ("half 88", 44),
    ("Break 60 into 4 equal pieces.", 15),
    ("the sum of 4 and 8, multiplied by 2", 24),
    ("the quantity 2 plus 9, times 2", 22),
    ("Does 4 divide 32?", True),
    ("Determine whether 79 is greater than 265.", False),
    ("Tell me if 5 is smaller than 266.", True),
    ("Do 7 and 8 match?", False),
    ("If 42 is greater than 8, add 17, otherwise subtract 27.", 59),
    ("If 9 is even then divide it by 12, otherwise multiply it by 10", 90),
    ("How many numbers are there in the list 4, 100, and 10?", 3),
    ("How many numbers are in the list 520, 111, 66?", 3),
    ("the difference between the largest and the smallest of 41, 10, 5", 36),
    ("the range of 4, 9 and 2", 7),
    ("What is the largest even number of 15, 31, 6 and 28?", 28),
    ("the last number of 3, 55 and 48", 48),
    ("What is the first number in 18, 19 and 8?", 18),
    ("the Fibonacci number with index 9", 34),
    ("the largest number that divides both 27 and 36", 9),
    ("90 raised by 20%", 108),
    ("Average out 3, 4 and 8.", 5),
    ("14 plus 11, after it square that; triple the result, then take away 75?", 1800),
    ("How many of 9, 95 and 67 are more than 23?", 2),
    ("The sum of 3 and 4 is greater than 6", True),
    ("What do you get when you add 15 and 27?", 42),
    ("What do you get if you take 15 from 50?", 35),
    ("Take 15 away from 50", 35),
    ("15 subtracted from 50", 35),
    ("If 15 is subtracted from 50, what is left?", 35),
    ("Adding 15 to 50 gives", 65),
    ("Could you multiply 6 and 7 for me?", 42),
    ("What does 5 + 3 equal?", 8),
    ("What do 3 and 4 make?", 7),
    ("3 and 4 together", 7),
    ("Add 3, 4 and 5 together.", 12),
    ("Split 48 into 6 equal parts", 8),
    ("Divide 48 into 6 groups", 8),
    ("By how much does 90 exceed 40?", 50),
    ("How much larger is 90 than 40?", 50),
    ("How much less is 40 than 90?", 50),
    ("100 plus 23 equals what?", 123),
    ("Find the total of 5, 6, and 7.", 18),
    ("combine 4 and 9", 13),
    ("What is the result of adding 4 and 9?", 13),
    ("What is the result of dividing 81 by 9?", 9),
    ("the reciprocal of 4", Fraction(1, 4)),
    ("Start with 5 and add 3", 8),
    ("Take 20, subtract 6, then double it. What do you get?", 28),
    ("Begin at 10, multiply by 3, then subtract 4 from the result", 26),
    ("First add 4 and 6, then divide the result by 5", 2),
    ("Take 12, add 8 to it, and then halve the result.", 10),
    ("Multiply 5 by 6. Then subtract 10. Then divide by 4.", 5),
    ("Start with 100, subtract 10%, then add 5", 95),
    ("Add 7 and 8, then multiply the sum by 2", 30),
    ("the product of 3 and the sum of 4 and 5", 27),
    ("5 times the sum of 2 and 3", 25),
    ("Is 5 between 3 and 9?", True),
    ("Is 3 a factor of 12?", True),
    ("Does 12 exceed 10?", True),
    ("Is 7 no greater than 8?", True),
    ("Is the sum of 3 and 4 greater than 6?", True),
    ("Is 12 the same as 12?", True),
    ("True or false: 5 > 3", True),
    ("Which of 3, 9 and 4 is the largest?", 9),
    ("What is the largest number in the list 4, 9, 2?", 9),
    ("What is the largest number among 4, 9 and 2?", 9),
    ("Out of 4, 9 and 2, pick the greatest.", 9),
    ("the sum of [3, 4, 5]", 12),
    ("find the sum of these numbers: 3, 4, 5", 12),
    ("average of the numbers 3, 4 and 5", 4),
    ("the average between 3 and 5", 4),
    ("how many numbers between 1 and 10 are divisible by 3?", 3),
    ("how many numbers are there between 1 and 10?", 10),
    ("How many integers from 1 to 50 are prime?", 15),
    ("count the multiples of 3 between 1 and 20", 6),
    ("how many primes are less than 30?", 10),
    ("number of primes below 100", 25),
    ("sum of all integers from 1 through 10", 55),
    ("sum of natural numbers up to 10", 55),
    ("add every number from 1 to 10", 55),
    ("the sum of every even number from 1 to 10", 30),
    ("the sum of the first 5 even numbers", 30),
    ("the sum of the first 5 odd numbers", 25),
    ("sum of the squares of the first 5 natural numbers", 55),
    ("1 + 2 + ... + 100", 5050),
    ("2 + 4 + ... + 100", 2550),
    ("1 * 2 * ... * 5", 120),
    ("sum of consecutive integers from 4 to 8", 30),
    ("sum of the numbers starting at 3 and ending at 6", 18),
    ("Sum the cubes from 1 to 3", 36),
    ("If 5 > 3, return 10, else return 20", 10),
    ("Return 10 if 5 > 3, otherwise 20", 10),
    ("10 if 5 < 3, 20 otherwise", 20),
    ("If 5 is less than 3 the answer is 1, otherwise it is 2", 2),
    ("when 8 is even, 8 / 2, otherwise 0", 4),
    ("20% more than 50", 60),
    ("20% less than 50", 40),
    ("add 10% to 50", 55),
    ("subtract 10% from 50", 45),
    ("take 10% off 50", 45),
    ("What is 80 after a 25% discount?", 60),
    ("What is 80 after a 25% increase?", 100),
    ("18 out of 24 as a percentage", 75),
    ("Express 18 as a percentage of 24", 75),
    ("Raise 2 to the power of 5", 32),
    ("raise 2 to the power 5", 32),
    ("raise 80 by 25%", 100),
    ("If x is 5 and y is 3, what is x + y?", 8),
    ("let x = 4, what is x * x", 16),
    ("what is x + y if x = 3 and y = 4", 7),
    ("2 * n + 1 where n = 20", 41),
    ("given a = 3 and b = 4, a * a + b * b", 25),
    ("What is the 10th Fibonacci number?", 55),
    ("the mean value of 4 and 8", 6),
    ("What is 15 less than 40?", 25),
    ("12 taken away from 20", 8),
    ("how many numbers between 1 and 10", 10),
    ("take 5", 5),
    ("first of 3, 4", 3),
    ("5 subtracted from 9 minus 2", 2),
    ("What is 7 multiplied by the difference of 10 and 4?", 42),
    ("What's 3 dozen divided by 4?", 9),
    ("what is 2 cubed plus 1", 9),
    ("What is three quarters of 20?", 15),
    ("is 2 + 2 = 4?", True),
    ("average 3, 4 and 5, then double it", 8),
    ("Count the odd numbers from 1 to 9.", 5),
    ("How many of the numbers 3, 8, 12 are greater than 5?", 2),
]


@pytest.mark.parametrize("question, answer", SEED + COMPARISONS + OTHERS + PARAPHRASES)
def test_read(question, answer):
    value = read(question)[1]
    assert value == answer and isinstance(value, bool) == isinstance(answer, bool)


def test_the_seeds_cases_are_all_here():
    assert (len(SINGLE), len(CHAINS), len(LOOPS)) == (12, 8, 9) and len(COMPARISONS) >= 20


@pytest.mark.parametrize("question, answer", SEED + COMPARISONS)
def test_the_seeds_cases_with_the_model_on(question, answer):
    found = api.ask(question, engine="oracle", check=True)
    assert found.value == answer and isinstance(found.value, bool) == isinstance(answer, bool)


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
        "if 5 + 3",
        "2(3+4)",
        "subtract 5 from 10 and 20",
        "add 5 to 3 and 4",
        "multiply 3 and 4 by 5",
        "double 5 and 6",
        "the sum of 1 to 10 plus 5",
        "square of 3 and 4",
        "5 percent",
        "50 times 10%",
        "If 3 > 2 then 5",
        "x = 5",
        "How many apples are in 3 boxes of 4?",
        "5 5",
        "5 , 6",
        "What is the average?",
        "sum",
        "the largest of 5",
        "2 plus 2 is 4",
        "how many of 3, 4 and 5",
        "how many 3, 4 and 5",
        "What is left",
        "5 less",
        "a 25% discount on 80",
        "3 + 4 apples",
        "what is 5 and 3",
        "is 5",
        "if 5 then 3 otherwise 2",
        "the sum of 10 and 20 minus 5",
        "How many odd numbers lie between 10 and 20?",
        "Is 3 > 2 > 1",
        "sum of 3, 4 and 5 divided by 2",
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
    assert read("sum of the even numbers from 1 to 10")[0] == "sum(evens(span(1, 10, 1)))"


@random_cases(100)
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


@random_cases(100)
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
    sampled(
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
        4,
    ),
    ids=range(12),
)
def test_long_garbage_is_refused(garbage):
    with pytest.raises(Abstained):
        read(garbage)
