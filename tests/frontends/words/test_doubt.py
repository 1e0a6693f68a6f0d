"""Plans that a model is sure of and that do not fit the question."""

from fractions import Fraction

import pytest

from transputer.frontends.words.doubt import doubt, short_story
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse
from transputer.frontends.words.units import ratios

#: A question, a model's plan, and what is wrong with it.
REFUSED = [
    # the text alone
    ("List the primes between 10 and 20.", "COUNT PRIMES RANGE N0 N1 C1", "'list'"),
    ("How many Collatz steps are there from 97 to 1?", "DIV N1 N0", "word 'collatz'"),
    ("What is the Zeta of 5 and 3?", "ADD N0 N1", "word 'zeta'"),
    ("He won the 3rd of 5 games and lost 2. How many did he win?", "SUB N0 N1", "'3rd'"),
    ("seats free 52 how bus 22 taken?", "SUB N0 N1", "'how bus'"),
    ("What is the of 5 and 3?", "ADD N0 N1", "'the of' is not English"),
    ("Ann has 5 pens and 3 caps. They have how many", "ADD N0 N1", "asks for nothing"),
    ("Once there were 3 bears and 4 wolves.", "ADD N0 N1", "does not ask for anything"),
    ("What is the variance of 1, 2 and 3?", "MEDIAN LIST N0 N1 N2 END", "the word 'variance'"),
    ("A ship has 26 sheep and 10 goats. How old is she?", "ADD N0 N1", "it asks how old"),
    ("A ship has 26 sheep and 10 goats. How much do they cost?", "ADD N0 N1", "of no money"),
    ("A man has 12 cows and 8 pigs. How many horses has he?", "ADD N0 N1", "asks for 'horses'"),
    ("Jo runs faster than 10 km per hour. How far in 2 hours?", "MUL N0 N1", "'faster than n0'"),
    # operations that the text names
    ("What is the cube root of 27?", "SQRT N0", "does not account for 'root'"),
    ("What is the second largest of 3, 8 and 5?", "MAX LIST N0 N1 N2 END", "'second largest'"),
    ("What is the median of 3, 8 and 5?", "MEAN LIST N0 N1 N2 END", "account for 'median'"),
    ("25 percent of what number is 5?", "PCT N0 N1", "account for 'of what'"),
    ("What is 80 less 5 percent?", "SUB N0 N1", "a percentage"),
    ("A shop has 90 fish. All but 9 die. How many fish are left?", "SUB N0 N1", "'all but'"),
    # constants and units
    ("How many hours are in 2 days?", "MUL N0 C7", "accounts for 7"),
    ("Ann has 5 pens and Bo 7 pens. How many pens in all?", "ADD N0 C5", "beside the question's"),
    ("A cook makes 5 pies an hour. How many pies in 120 minutes?", "MUL N0 N1", "convert"),
    ("Some months have 31 days. How many months have 28 days?", "MUL N0 N1", "day"),
    ("A walk of 3 km takes 2 hours. How far is it in all?", "ADD N0 N1", "adds km and hours"),
    # numbers that are left out
    ("60 litres cost 96 euros. What do 6 litres cost?", "MUL N1 N2", "leaves out '60'"),
    ("Ann has 3 red pens and 4 caps. How many caps do 9 pens make?", "MUL N0 N1", "leaves out '9'"),
    (
        "Jo bakes 5 trays of 12 rolls at 6. Then 8 of the rolls are sold. How many rolls are left?",
        "SUB N1 N3",
        "which multiplies another",
    ),
    # what is counted, and how often
    (
        "9 storks and 2 birds sit. 3 more birds come. How many more storks than birds are there?",
        "SUB ADD N0 N2 N1",
        "adds what the question compares",
    ),
    ("Jo earns 90 dollars in 6 weeks. How much does he earn each week?", "MUL N0 N1", "each week"),
    (
        "Ann has 8 pens and Bo has 6 more pens. How many pens does Bo have?",
        "ADD ADD N0 N0 N1",
        "a number twice",
    ),
    (
        "There are 60 eggs. Ann found twice as many as Bo. How many eggs did Ann find?",
        "MUL N0 N1",
        "how many bo has",
    ),
    (
        "Ann and Bo have 60 pens combined. Ann has 4 more pens than Bo, so how many has Bo?",
        "SUB N0 N1",
        "divide a total",
    ),
    # plans that cancel
    ("What is the value of 42?", "ABS N0", "comes to '42' whatever"),
    ("How many minutes are 150 minutes?", "DIV MUL N0 C60 C60", "comes to '150' whatever"),
    ("Ann has 5 pens and 3 caps. How many pens are there?", "SUB ADD N0 N1 N1", "comes to '5'"),
    ("Ann has 5 pens, Bo 3 and Cy 2. How many pens in all?", "DIV MUL ADD N0 N1 N2 N2", "cancels"),
    ("Ann has 6 pens and 1 cap. How many pens a cap?", "DIV N0 N1", "divides by 1"),
    # values that cannot be meant
    ("Ann has 3 pens and gives 5 away. How many pens are left?", "SUB N0 N1", "less than nothing"),
    ("Ann has 5 pens and gives 5 away. How many pens are left?", "SUB N0 N1", "to nothing"),
    ("9 eggs go into boxes of 6 eggs. How many boxes of eggs?", "DIV N0 N1", "a part of what"),
    ("Is 5 green?", "EQ MOD N0 C2 C0", "the word 'green'"),
    ("What is 5 and 7?", "LT N0 N1", "not of the kind"),
    # lists, conditions, comparisons
    ("What is the sum of all from 3, with 5?", "SUM RANGE N0 N1 C1", "does not connect"),
    ("Count the even ones from 3 to 3.", "COUNT EVENS RANGE N0 N1 C1", "nothing is left"),
    (
        "Orders below 50 dollars cost 5 dollars more, otherwise nothing. Jo orders for 35 dollars. "
        "What does Jo pay?",
        "IF LT N1 N0 N2 N1",
        "condition is not one",
    ),
    ("Paul is 10 years younger than Eva. Paul is 50. How old is Eva?", "SUB N1 N0", "other way"),
    ("Jo has 9 more pens than Al. Jo has 20 pens. How many has Al?", "ADD N0 N1", "other way"),
    (
        "A bat and a ball cost 1.10 dollars in total. The bat costs 1 dollar more than the ball. "
        "How much does the ball cost?",
        "SUB N0 N1",
        "divide a total",
    ),
]


@pytest.mark.parametrize(("question", "tokens", "why"), REFUSED)
def test_refused(question: str, tokens: str, why: str) -> None:
    problem = doubt(question, find(question), parse(tokens.split()), 1.0)
    assert problem is not None and why in problem


def test_a_number_may_be_left_out_only_if_the_question_leaves_it_out_or_the_model_is_sure() -> None:
    asked = "Ann ran 5 km on Monday, 3 km on Tuesday and 4 km on Friday. How far did Ann run on "
    both, one = f"{asked}Monday and on Tuesday?", f"{asked}Monday and on Friday?"
    wrong, right = parse(["ADD", "N1", "N2"]), parse(["ADD", "N0", "N2"])
    assert "leaves out '5', which counts" in (doubt(both, find(both), wrong, 0.9) or "")
    assert doubt(one, find(one), right, 0.9) is None


#: Questions and plans that fit them.
FITTING = [
    ("Tom had 12 marbles and lost 4. How many marbles has he now?", "SUB N0 N1"),
    ("Lisa is 9 years old and has 12 pins. She buys 5 more pins. How many pins?", "ADD N1 N2"),
    ("How many minutes are 3 hours?", "MUL N0 C60"),
    ("A car drives 180 km in 3 hours. How far does it drive in one hour?", "DIV N0 N1"),
    ("Can you tell me what 200 divided by 8 is?", "DIV N0 N1"),
    ("I have 20 euros. A book costs 14 euros. Can I afford it?", "GE N0 N1"),
    ("Paul is 10 years younger than Eva. Paul is 50. How old is Eva?", "ADD N1 N0"),
    ("Jo has 9 more pens than Al. Jo has 20 pens. How many has Al?", "SUB N1 N0"),
    ("My scores were 70, 80 and 90. What was my mean score?", "MEAN LIST N0 N1 N2 END"),
    ("Add all the integers from 3 up to 9.", "SUM RANGE N0 N1 C1"),
    ("A phone costs 200 dollars. It is 25% off. What is the price?", "SUB N0 PCT N1 N0"),
    ("Should I say 4 when 3 is less than 9 and 5 otherwise? What is it?", "IF LT N1 N2 N0 N3"),
]


@pytest.mark.parametrize(("question", "tokens"), FITTING)
def test_fitting(question: str, tokens: str) -> None:
    assert doubt(question, find(question), parse(tokens.split()), 0.9) is None


def test_a_number_that_counts_the_same_may_be_left_out_by_a_plan_that_is_surer() -> None:
    question = "Ann had 9 pens and 4 blue pens and lost 2 pens. How many pens has she?"
    plan = parse("SUB N0 N2".split())
    assert "leaves out '4'" in (doubt(question, find(question), plan, 0.9) or "")
    assert doubt(question, find(question), plan, 0.99) is None


def test_factors_between_units() -> None:
    assert ratios(["hours", "minutes"]) == [{Fraction(60), Fraction(1, 60)}]
    assert ratios(["hours", "hour", "km"]) == []
    assert ratios(["celsius", "degrees"]) == [set()]


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("Ann ran 5 km on Monday, 3 km on Tuesday and 4 km on Friday. How far did Ann run on "
         "Monday and on Friday?", "ADD N0 N2"),
        ("Ann has 7 new games and 8 old games. Bo has 4 new games. How many new games do they "
         "have in all?", "ADD N0 N2"),
        ("Bo had 58 blocks. He used 27 blocks for a tower and 5 blocks for a house. How many "
         "blocks did he use for the tower and the house?", "ADD N1 N2"),
    ],
)  # fmt: skip
def test_a_number_that_the_question_does_not_ask_about_is_left_out(question, tokens):
    assert doubt(question, find(question), parse(tokens.split()), 0.6) is None


@pytest.mark.parametrize(
    ("question", "tokens", "short"),
    [
        ("Ann has 5 pens and gets 3 pens. How many pens has she?", "ADD N0 N1", True),
        ("What is 5 plus 3?", "ADD N0 N1", False),
        ("Ann has 5 pens and gets 3. How many pens has she?", "ADD ADD N0 N1 MUL N0 N1", False),
        ("Ann has 5 pens, 2 caps, 3 cups, 4 bags and 6 mats. How many mats?", "ADD N0 N1", False),
    ],
)  # fmt: skip
def test_few_numbers_and_steps_make_a_short_story(question, tokens, short):
    assert short_story(question, find(question), parse(tokens.split())) is short
