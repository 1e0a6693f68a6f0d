"""Plans that no confidence makes up for."""

import pytest

from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse
from transputer.frontends.words.sense import objection

NUMBERS = find("Ann has 12 pens and 5 pencils.")


@pytest.mark.parametrize(
    ("tokens", "why"),
    [
        ("SUB N0 N0", "against itself"),
        ("ADD N1 DIV N0 N0", "against itself"),
        ("SUB N0 C3", "takes away 3"),
        ("ADD C5 N1", "takes away 5"),
        ("N0", "only repeats"),
        ("IF LT N0 N1 N0 N0", "the same two"),
        ("GE N0 C7", "compares with a number that is not in the question"),
        ("SUB MAX LIST N0 END MIN LIST N0 END", "a list of one number"),
        ("ADD C1 C2", "none of the question's numbers"),
        ("ADD N0 N2", "not in the question (N2)"),
    ],
)
def test_senseless(tokens: str, why: str) -> None:
    assert why in (objection(parse(tokens.split()), NUMBERS) or "")


SENSIBLE = (
    *("SUB N0 N1", "ADD N0 C1", "SUB C100 N0", "MUL N0 C3", "DIV N0 C7"),
    *("SUB ADD ADD N0 N1 N1 N0", "EQ MOD N0 C2 C0", "GT N0 C0", "IF LT N0 N1 N0 N1"),
)


@pytest.mark.parametrize("tokens", SENSIBLE)
def test_sensible(tokens: str) -> None:
    assert objection(parse(tokens.split()), NUMBERS) is None


def test_a_number_in_dozens_may_be_the_whole_answer() -> None:
    eggs = find("Ann has 9 dozen eggs.")
    assert objection(parse(("N0",)), eggs) is None
    assert "only repeats" in (objection(parse(("N0",)), find("Ann has 108 eggs.")) or "")
