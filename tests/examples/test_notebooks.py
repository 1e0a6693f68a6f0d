"""The notebooks run from top to bottom, and what they show last has a picture for notebooks."""

import ast
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def cells(notebook: dict[str, Any]) -> list[str]:
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def execute(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    notebook = json.loads(path.read_text())
    needs = notebook["metadata"].get("transputer", {}).get("needs")
    if needs and find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    names: dict[str, Any] = {}
    for code in cells(notebook):
        value = execute(code, names)
        if value is not None and type(value).__module__.startswith("transputer."):
            assert hasattr(value, "_repr_html_") or "\n" not in repr(value), type(value)


def test_there_are_five_without_stored_outputs() -> None:
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None
