"""Numbers with more digits than Python reads or writes at once."""

from fractions import Fraction

import pytest

from transputer.frontends.words.digits import digits, rational


@pytest.mark.parametrize("length", [1, 17, 3999, 4000, 4001, 4300, 4301, 9000])
def test_digits_are_those_of_the_number(length: int) -> None:
    text = ("1234567890" * length)[:length]
    value = sum(int(digit) * 10**place for place, digit in enumerate(reversed(text)))
    assert rational(text) == value
    assert digits(value) == text
    assert rational(f"-{text}") == -value
    assert digits(-value) == f"-{text}"
    assert rational(f"{text}/7") == Fraction(value, 7)


def test_a_long_answer_is_exact(cli) -> None:
    ran = cli("ask", "100^3600", "--engine", "oracle")
    assert ran == (0, "1" + "0" * 7200 + "\n", "")
