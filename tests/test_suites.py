"""The suites: every room has quick tests, and every path that the Makefile names exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import sampling

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
#: Folders of which each has tests, by the room that they mirror.
ROOMS = sorted({file.relative_to(TESTS).parts[0] for file in TESTS.rglob("*/test_*.py")})
#: Rooms whose tests all need a browser: `make test-loom-page`.
BROWSER = {"web"}


def functions(file: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def is_slow(test: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) == "pytest.mark.slow" for decorator in test.decorator_list)


@pytest.mark.parametrize("room", sorted(set(ROOMS) - BROWSER))
def test_a_room_has_quick_tests(room: str) -> None:
    files = sorted((TESTS / room).rglob("test_*.py"))
    quick = [test for file in files for test in functions(file) if not is_slow(test)]
    assert len(quick) >= len(files)  # one for each file on average


def test_every_suite_names_files_that_exist() -> None:
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    lists = re.findall(r"^\w+_TESTS := (.*)$", text, re.MULTILINE)
    paths = [word for line in lists for word in line.split() if word.startswith("tests/")]
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_ci_runs_every_suite() -> None:
    """Every target `test-…` of the Makefile; `make test` is a part of `make test-all`."""
    targets = set(re.findall(r"^(test-[\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    script = (ROOT / ".ci" / "run").read_text()
    assert targets
    assert [target for target in sorted(targets) if target not in script] == []


def test_the_page_tells_of_every_room_with_slow_tests() -> None:
    """docs/testing.md says, for each of them, what only `make test-all` runs."""
    text = (ROOT / "docs" / "testing.md").read_text()
    told = set(re.findall(r"^\| (\w+) \|", text, re.MULTILINE)) - {"room", "command"}
    slow = {
        room
        for room in ROOMS
        if any(
            "mark.slow" in file.read_text() or "sampled(" in file.read_text()
            for file in (TESTS / room).rglob("test_*.py")
        )
    }
    assert sorted(told) == sorted(slow)


def test_the_quick_suite_runs_some_cases_of_each_test() -> None:
    items = [f"a{i}" for i in range(100)] + ["b0", "b1"]
    chosen = sampling.some_of_each(items, lambda item: item[0])
    assert sorted(chosen) == ["a0", "a24", "a49", "a74", "a99", "b0", "b1"]
