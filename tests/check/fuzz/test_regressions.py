"""Every case that once showed a difference, on all three implementations."""

from pathlib import Path

import pytest

from transputer.check.fuzz.differential import examine
from transputer.check.fuzz.regressions import parse_case
from transputer.check.fuzz.run import replay
from transputer.errors import MalformedError

FOLDER = Path(__file__).parents[2] / "regressions"
FILES = sorted(FOLDER.glob("*.wat"))


def test_there_are_some() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_regression(file: Path) -> None:
    made = parse_case(file.read_text(), file.name)
    assert made.calls
    examined = examine(made)
    assert examined.problem == ""
    assert len(examined.observation.calls) == len(made.calls)


@pytest.mark.parametrize("file", [*FILES, *sorted(FOLDER.glob("*.c"))], ids=lambda f: f.name)
def test_regression_on_the_weights(file: Path) -> None:
    assert replay(file) == ""


@pytest.mark.parametrize(
    "line", [';; call ["f"]', ";; call f", ";; call 1", ';; call ["f", ["x"]]']
)
def test_a_bad_call_says_where(line: str) -> None:
    with pytest.raises(MalformedError, match=r"bad.wat:2:1: expected ;; call"):
        parse_case(f"(module)\n{line}", "bad.wat")
