"""The middle end serves more than one machine: only the folder `loom` knows loom."""

import ast
from pathlib import Path

import transputer.frontends.smallc as smallc

FOLDER = Path(smallc.__file__).parent


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_front_and_middle_end_know_no_machine():
    files = [*FOLDER.glob("*.py"), *(FOLDER / "passes").glob("*.py")]
    files.remove(FOLDER / "__init__.py")
    assert len(files) > 15
    for path in files:
        assert not {name for name in imported(path) if "loom" in name}, path
