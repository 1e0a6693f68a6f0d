"""The comparison with the published compiler: what is counted, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.figures import RESULTS
from tools.outside.compilers import FILL, LOOPS, compared, triples
from transputer.runtime.loom.program import compile_loom

SOURCE = "int main() {\n  int a[2];\n  a[0] = 3; a[1] = 4;\n  return a[0] + a[1];\n}\n"


def about(result: int) -> dict[str, Any]:
    return {
        "name": "sum", "source": SOURCE, "num_instructions": 9,
        "expected": {"RETVAL": result}, "source_map": {"96": 3, "97": 3, "98": 4},
    }  # fmt: skip


def test_instructions_are_counted_and_the_result_checked() -> None:
    row = compared(about(7))
    assert row["published"] == 9 and row["published filling"] == 2
    assert 0 < row["ours"] < 9 and row["steps"] == row["ours"]  # straight-line code
    with pytest.raises(SystemExit, match="instead of 8"):
        compared(about(8))


def test_lines_that_fill_an_array() -> None:
    assert FILL.fullmatch("    grid[0] = -5; grid[1] = 3;")
    assert not FILL.fullmatch("    grid[pos] = 0;")


def test_a_program_for_the_published_interpreter(tmp_path: Path) -> None:
    path = tmp_path / "loops.loomasm"
    path.write_text(LOOPS)
    program = compile_loom(path)
    slots = {symbol.name: symbol.slot for symbol in program.symbols}
    code, first = triples(program), 32 + len(program.memory)
    assert code[0] == [1, 32 + slots["a"], 32 + slots["turns"]]  # MOV a, turns
    assert code[6] == [5, 32 + slots["d"], first + 4]  # JNZ d, fourth
    assert code[-1][0] == 0


def test_the_totals_are_those_of_the_rows() -> None:
    values = json.loads((RESULTS / "compilers.json").read_text(encoding="utf-8"))["values"]
    for side in "published", "ours":
        assert values[side] == sum(row[side] for row in values["rows"])
    assert values["programs"] == len(values["rows"])
