"""What `import transputer` loads: nothing of the checking tools, and nothing that is dead."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "transputer"
LOADED = """
import sys, transputer
print(*sorted(name for name in sys.modules if name.startswith("transputer.check")))
"""


def test_checking_tools_are_loaded_only_when_used() -> None:
    names = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert names.stdout.split() == []


READ = """
import sys, transputer as tp
tp.register(tp.stepped_machine("toy", "a toy", {".toy": "Toy"}, lambda source: None, None))
assert [machine.name for machine in tp.list_machines()][3:] == ["toy"]
print("numpy" in sys.modules)
"""


def test_reading_the_registry_loads_no_numpy() -> None:
    loaded = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True)
    assert loaded.stdout == "False\n", loaded.stderr


def test_every_module_of_the_check_room_is_used() -> None:
    """A module that neither another one, nor tools/, nor the Makefile uses is dead."""
    files = [*SOURCE.rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    used = {name for file in files for name in imported(file)}
    used |= set(re.findall(r"-m (transputer[\w.]+)", (ROOT / "Makefile").read_text()))
    for file in (SOURCE / "systems").glob("*.py"):  # what machines refer to is loaded later
        used |= set(re.findall(r'lazy\("(transputer[\w.]+):', file.read_text()))
    modules = {
        ".".join(("transputer", *file.relative_to(SOURCE).with_suffix("").parts))
        for file in (SOURCE / "check").rglob("*.py")
        if file.stem != "__init__"
    }
    assert sorted(modules - used) == []


def imported(file: Path) -> set[str]:
    """The modules that a file imports, with the names that may be modules."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names
