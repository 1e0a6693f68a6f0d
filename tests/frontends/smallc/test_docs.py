"""The figures of docs/smallc.md are those of today's compiler."""

import re
from pathlib import Path

import pytest

from tests.frontends.smallc.cases import CASES
from transputer.frontends.smallc import compile

PAGE = (Path(__file__).parents[3] / "docs" / "smallc.md").read_text()
ROWS = re.findall(r"^\| `(.*;.*)` \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
NAMES = "int x, y, z, i, j, a[8], m[4][9], *p; unsigned u, v;"
PROGRAMS = {"bubble sort": "bubble", "Snake": "snake", "raycaster": "raycaster", "9×9": "sudoku"}


def count(body: str, bits: int) -> int:
    return len(compile(f"{NAMES} int main(void) {{ {body} return 0; }}", bits=bits).code)


def test_there_are_rows():
    assert len(ROWS) > 30


@pytest.mark.parametrize("body, narrow, wide", ROWS, ids=[row[0] for row in ROWS])
def test_the_cost_of_a_statement(body, narrow, wide):
    costs = [count(body, bits) - count("", bits) for bits in (8, 32)]
    assert costs == [int(narrow), int(wide)]


@pytest.mark.parametrize("start, name", PROGRAMS.items(), ids=PROGRAMS.values())
def test_the_size_of_a_program(start, name):
    row = re.search(rf"^\| {start}.*?\| (\d+) \|.*?\| (\d+) \|", PAGE, re.MULTILINE)
    program = compile(next(case.text for case in CASES if case.name == name), bits=8)
    assert row and (int(row[1]), int(row[2])) == (len(program.code), len(program.memory))


def test_the_sizes_without_store():
    rows = re.findall(r"^\| .*without STORE \| (\d+) \|", PAGE, re.MULTILINE)
    texts = {case.name: case.text for case in CASES}
    made = [len(compile(texts[name], bits=8, stores=False).code) for name in ("sudoku", "snake")]
    assert list(map(int, rows)) == made
