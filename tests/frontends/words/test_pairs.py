"""Questions whose words do not stand in the order of the calculation."""

import pytest

from transputer.api import ask
from transputer.frontends.words import pairs

CASES = {
    "What must I add to 5 to get 9?": "4",
    "What number plus 5 gives 9?": "4",
    "Which number taken from 9 gives 5?": "4",
    "What number multiplied by 4 gives 20?": "5",
    "What number divided by 4 gives 20?": "80",
    "By what must I divide 20 to get 4?": "5",
    "How many times does 3 go into 12?": "4",
    "How many groups of 3 are there in 12?": "4",
    "the ratio of 8 to 2": "4",
    "How much is 30 shared evenly among 6 people?": "5",
    "Add up 5 copies of the number 7.": "35",
    "What is the area of a rectangle of 6 by 7?": "42",
    "Scale 8 down by a factor of 2.": "4",
    "Scale 8 up by a factor of 2.": "16",
    "Could you combine 4 and 5, please?": "9",
    "What remains of 9 after removing 5?": "4",
    "What is 5 below 9?": "4",
    "What is 5 above 9?": "14",
    "Boost 80 by 5.": "85",
    "Trim 80 by 5.": "75",
}


@pytest.mark.parametrize("question", CASES)
def test_read(question: str) -> None:
    found = ask(question, planner="rules", engine="oracle")
    assert (found.answer, found.planner) == (CASES[question], "rules")


@pytest.mark.parametrize(
    "question",
    [
        "divide 3 into 12",  # 12 / 3 in a schoolbook, 3 / 12 where it is cut up
        "what must I add to 5% to get 9?",
        "what must I add to 5 to get 9 and 3?",
        "what must I wrangle to 5 to get 9?",
        "5 below 9",
    ],
)
def test_refused(question: str) -> None:
    assert ask(question, planner="rules", engine="oracle").answer is None


def test_no_row_contradicts_another() -> None:
    seen: dict[str, str] = {}
    for line in filter(None, pairs.TABLE.splitlines()):
        asked, _, told = line.rpartition(" = ")
        for text in pairs._texts(asked):
            words = " ".join(text.split())
            assert seen.setdefault(words, told) == told, words
            assert sorted(w for w in words.split() if w in "XY") == ["X", "Y"]
