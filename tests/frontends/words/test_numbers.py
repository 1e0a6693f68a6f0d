"""Every number of a text is found, with its exact value and its span, and nothing else is."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.frontends.words.numbers import LONGEST, NumberError, check_read, find, slotted

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "? ? twenty thirty forty fifty sixty seventy eighty ninety".split()
FILLER = ["apples", "and then", "she gave away", "costs", ",", ".", "of the", "?", "per box"]


def spelled(n, link="-", glue=" and "):
    """English for a natural number, written independently of the reader."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (link + ONES[n % 10] if n % 10 else "")
    names = {10**9: "billion", 10**6: "million", 1000: "thousand", 100: "hundred"}
    for size, name in names.items():
        if n >= size:
            head, rest = f"{spelled(n // size, link, glue)} {name}", n % size
            if not rest:
                return head
            return head + (glue if rest < 100 else " ") + spelled(rest, link, glue)


@random_cases(100)
@given(st.integers(0, 10**12 - 1), st.sampled_from("- "), st.sampled_from([" and ", " "]))
def test_numbers_in_words(n, link, glue):
    (number,) = find(f"She has {spelled(n, link, glue)} apples")
    assert number.value == n


@random_cases(100)
@given(st.integers(0, 10**15), st.integers(0, 10**4), st.booleans())
def test_digits_with_separators_and_decimals(whole, part, separated):
    text = f"{whole:,}" if separated else str(whole)
    assert [n.value for n in find(f"It costs ${text}.{part}.")] == [Fraction(f"{whole}.{part}")]
    assert [n.value for n in find(f"It costs {text}.")] == [whole]


@st.composite
def written(draw):
    """A way to write a number, and its value."""
    n = draw(st.integers(0, 5000))
    d = draw(st.integers(2, 9))
    return draw(
        st.sampled_from(
            [
                (str(n), n),
                (f"{n:,}", n),
                (spelled(n), n),
                (f"{n}.25", Fraction(4 * n + 1, 4)),
                (f"{d - 1}/{d}", Fraction(d - 1, d)),
                (f"{n} {d - 1}/{d}", n + Fraction(d - 1, d)),
                (f"{n} dozen", 12 * n),
                (f"{n}%", n),
                (f"{n} percent", n),
                ("two thirds", Fraction(2, 3)),
                ("half", Fraction(1, 2)),
                ("twice", 2),
            ]
        )
    )


@random_cases(100)
@given(st.lists(st.tuples(st.sampled_from(FILLER), written()), max_size=8))
def test_all_numbers_of_a_text_and_no_others(parts):
    text = " ".join(f"{filler} {number} things" for filler, (number, _) in parts)
    numbers = find(text)
    assert [n.value for n in numbers] == [value for _, (_, value) in parts]
    assert [n.text for n in numbers] == [number for _, (number, _) in parts]


@random_cases(100)
@given(st.text(alphabet="0123456789,./- %ahlf tweonhudrd", max_size=40))
def test_spans_hold_what_they_say(text):
    numbers = find(text)
    end = 0
    for number in numbers:
        assert end <= number.start < number.end and text[number.start : number.end] == number.text
        end = number.end
    # substituting the numbers back gives the text
    back = slotted(text, numbers)
    for index in range(len(numbers) - 1, -1, -1):
        back = numbers[index].text.join(back.rsplit(f"N{index}", 1))
    assert back == text


@pytest.mark.parametrize(
    "text, values",
    [
        ("", []),
        ("no numbers here, nor in x2, number0 or h2o", []),
        ("the first, 2nd, 3rd, third and twenty-first day", []),
        ("1,2,3 and 1,234,5", [1, 2, 3, 1, 234, 5]),
        ("16 - 3", [16, 3]),
        ("16 -3", [16, 3]),
        ("16-3", [16, 3]),
        ("from -5 to 5", [-5, 5]),
        ("8 * -3", [8, -3]),
        ("(-3 + 4)", [-3, 4]),
        ("−7", [-7]),
        ("negative seven", [-7]),
        ("7/2*2", [7, 2, 2]),
        ("48/6", [48, 6]),
        ("10 / 4/5", [10, 4, 5]),
        ("3/4 of it", [Fraction(3, 4)]),
        ("3 1/2 + 1", [Fraction(7, 2), 1]),
        ("1 + 3 1/2", [1, Fraction(7, 2)]),
        ("2^1/2", [2, 1, 2]),
        ("the 10th Fibonacci number, on the 10th day", [10]),
        ("two and a half", [Fraction(5, 2)]),
        ("2 and a half", [Fraction(5, 2)]),
        ("two hundred and five hundred", [200, 500]),
        ("two hundred and five thousand", [205000]),
        ("two thousand and five thousand", [2000, 5000]),
        ("one hundred and two thirds", [Fraction(302, 3)]),
        ("the sum of twenty and thirty", [20, 30]),
        ("five six", [5, 6]),
        ("a third of 9", [Fraction(1, 3), 9]),
        ("one-fifth", [Fraction(1, 5)]),
        ("3 quarters and 2 dimes", [3, 2]),
        ("three quarters of 8", [Fraction(3, 4), 8]),
        ("half a dozen eggs, a dozen more", [6, 12]),
        ("a hundred twenty", [120]),
        ("2.5 million", [2500000]),
        ("tripled", [3]),
        ("10km in 2h", [10, 2]),
        ("1½ cups and ¾ of a cup", [Fraction(3, 2), Fraction(3, 4)]),
        ("1 ½", [Fraction(3, 2)]),
        ("1e6 and 2.5e-3", [10**6, Fraction(1, 400)]),
        ("5k runners", [5000]),
        ("1 000 000 and 12 050.5", [10**6, Fraction(24101, 2)]),
        ("3x4", [3, 4]),
        ("٣ and ５", []),
    ],
)
def test_cases(text, values):
    assert [n.value for n in find(text)] == values


def test_percentages_are_marked():
    assert [n.percent for n in find("20% of 50, ten percent of 3, 5 per cent")] == [
        *(True, False, True, False, True)
    ]


def test_slots():
    text = "Janet has 50 apples. She gives away fifteen."
    assert slotted(text, find(text)) == "Janet has N0 apples. She gives away N1."


def test_a_number_without_end_is_refused():
    assert find("9" * LONGEST)
    with pytest.raises(NumberError, match="at most"):
        find("x " + "9" * (LONGEST + 1))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "9:45:10",
            "29:45",
            "9:4",
            "3x + 1",
            "x2",
            "A4",
            "LH441",
            "version 3.2.1",
            "1.299,00",
            "100 200 300",
        ),
        *("5kk", "1e6e", "5²", "٣", "７", "12abc", "3_4", "²", "1ste", "#5", "5@6", "ⅷ", "1e9999"),
    ],
)
def test_a_number_that_is_not_read_as_a_whole_is_refused(text):
    with pytest.raises(NumberError):
        check_read(f"what is {text} plus 1")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1½",
            "1e6",
            "5k",
            "1 000 000",
            "3 dozen",
            "5kg",
            "$5.50",
            "€3",
            "7%",
            "12 °C",
            "gcd(4,6)",
        ),
        *("a 20-dollar bill", "5-year-old", "2^10", "10!", "1+2+...+100", "3..5", "3x4", "[1,2]"),
        *("the 3rd day", "the third day", "‘7’", "5's", "16-3", "half 8", "double 4", "'3'", "3?"),
        *("", "no number"),
    ],
)
def test_what_is_read_as_a_whole_is_not_refused(text):
    check_read(text)


@pytest.mark.parametrize(
    "text, values",
    [
        ("the 3rd, the tenth and the twenty-first", [3, 10, 21]),
        ("the third largest, a third of 9", [3, Fraction(1, 3), 9]),
        ("first, second", []),
    ],
)
def test_ordinals_are_numbers_for_those_who_ask(text, values):
    assert [n.value for n in find(text, ordinals=True)] == values


@random_cases(200)
@given(st.text(alphabet="0123456789,./-: %½kex²a$", max_size=12))
def test_no_digit_of_a_text_that_passes_is_left_out(text):
    try:
        check_read(text)
    except NumberError:
        return
    covered = "".join(n.text for n in find(text, ordinals=True))
    assert sum(map(str.isdigit, covered)) == sum(map(str.isdigit, text))
