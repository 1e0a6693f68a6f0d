"""The order of the rooms (ARCHITECTURE.md): a file imports only what stands before it.

Imports inside functions, under TYPE_CHECKING and through importlib count like any other.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = "transputer"
ROOMS = (
    "version values errors cache isa model ir circuit host oracle frontends lower engines machines "
    "exporters learning debugger registry runtime check systems api embed studio serve cli"
).split()
#: What the command line and the studio see beside the API: values, never machines or engines.
DOORS = {"host", "debugger", "registry", "runtime"}
#: Rooms that see less than all that stands before them. The package itself is the front door.
NARROW = {
    "engines": {"values", "errors", "cache", "model"},
    "cli": {"version", "values", "errors", "cache", *DOORS, "check", "api", "studio", "serve"},
    "studio": {"values", "errors", *DOORS, "api"},
    "serve": {"version", "values", "errors", *DOORS, "api", "studio"},
    "__init__": {"version", "errors", "host", "registry", "runtime", "api", "embed"},
    "__main__": {"cli"},
}


def allowed(room: str) -> set[str]:
    """The rooms that a file of this room may import, its own included."""
    return {room} | (NARROW[room] if room in NARROW else set(ROOMS[: ROOMS.index(room)]))


def room_of(module: str) -> str:
    """`transputer.isa.op` is in `isa`; the package itself is `__init__`."""
    return (module.split(".") + ["__init__"])[1]


def module_name(path: str) -> str:
    """`transputer/isa/__init__.py` is `transputer.isa`."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: str, source: str, modules: set[str]) -> Iterator[tuple[int, str]]:
    """Every module of ours that a file imports, anywhere in it, with the line."""
    for node in ast.walk(ast.parse(source, path)):
        for name in named(node, path, modules):
            if name.split(".")[0] == PACKAGE:
                yield node.lineno, name


def named(node: ast.AST, path: str, modules: set[str]) -> list[str]:
    """What one node imports, by absolute name."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            start = path.split("/")[:-level] if level else []
            base = ".".join([*start, *([module] if module else [])])
            return [from_import(base, alias.name, modules) for alias in names]
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module" | "lazy")
            | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name.partition(":")[0]]
    return []


def from_import(base: str, name: str, modules: set[str]) -> str:
    """`from base import name` imports a module of that name where there is one, else `base`."""
    inner = f"{base}.{name}"
    return inner if inner in modules or base == PACKAGE and name in ROOMS else base


def violations(files: Mapping[str, str]) -> list[str]:
    """Everything wrong with a package, given as paths and their sources."""
    modules = {module_name(path) for path in files}
    problems = []
    graph: dict[str, set[str]] = {}
    for path, source in files.items():
        module = module_name(path)
        room = room_of(module)
        if room not in ROOMS and room not in NARROW:
            problems.append(f"{path}: room {room!r} is not in the list")
            continue
        for line, target in imports(path, source, modules):
            if room_of(target) not in allowed(room):
                problems.append(f"{path}:{line}: {room} must not import {target}")
            if target != module:
                graph.setdefault(module, set()).add(target)
    return problems + cycles(graph)


def cycles(graph: Mapping[str, set[str]]) -> list[str]:
    """The first cycle among the modules, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as problem:
        return ["cycle: " + " -> ".join(reversed(problem.args[1]))]
    return []


def test_the_house_is_in_order():
    files = {f.relative_to(SOURCE).as_posix(): f.read_text() for f in SOURCE.rglob("*.py")}
    assert files
    assert violations(files) == []


@pytest.mark.parametrize(
    "path, source, target",
    [
        ("isa/op.py", "import transputer.api", "transputer.api"),
        ("isa/op.py", "from transputer import ir", "transputer.ir"),
        ("isa/op.py", "from transputer.ir import verify", "transputer.ir.verify"),
        ("isa/op.py", "from transputer.ir.verify import check", "transputer.ir.verify"),
        ("isa/op.py", "from ..ir import verify", "transputer.ir.verify"),
        ("isa/deep/op.py", "from ...ir.verify import check", "transputer.ir.verify"),
        ("isa/__init__.py", "from ..ir import verify", "transputer.ir.verify"),
        ("isa/op.py", "from .. import ir", "transputer.ir"),
        ("isa/op.py", "def f():\n    from transputer.ir import verify", "transputer.ir.verify"),
        ("isa/op.py", "if TYPE_CHECKING:\n    import transputer.ir", "transputer.ir"),
        ("isa/op.py", "importlib.import_module('transputer.ir')", "transputer.ir"),
        ("isa/op.py", "__import__('transputer.ir')", "transputer.ir"),
        ("isa/op.py", "lazy('transputer.ir.verify:check')", "transputer.ir.verify"),
        ("isa/op.py", "import os, transputer.ir as x", "transputer.ir"),
        ("isa/op.py", "import transputer", "transputer"),
        ("engines/native.py", "import transputer.ir", "transputer.ir"),
        ("engines/native/__init__.py", "from transputer.isa.op import Op", "transputer.isa"),
        ("cli/__init__.py", "from transputer.ir import verify", "transputer.ir.verify"),
        ("check/run.py", "import transputer.cli", "transputer.cli"),
        ("studio/serve.py", "import transputer.engines", "transputer.engines"),
        ("errors.py", "import transputer.isa", "transputer.isa"),
        ("__init__.py", "from .ir import verify", "transputer.ir.verify"),
    ],
)
def test_a_wrong_import_is_caught(path, source, target):
    files = {f"transputer/{path}": source, "transputer/ir/verify.py": ""}
    (problem,) = violations(files)
    line = source.count("\n") + 1
    assert problem.startswith(f"transputer/{path}:{line}: ")
    assert f"must not import {target}" in problem


@pytest.mark.parametrize(
    "path, source",
    [
        ("isa/op.py", "from transputer.errors import Trap\nfrom transputer.isa import core"),
        ("isa/op.py", "from . import core\nfrom .core import CORE\nfrom ..errors import Trap"),
        ("isa/op.py", "'import transputer.api'\nimport transputers.api"),
        ("engines/torch.py", "import torch\nfrom transputer.model import Model"),
        ("cli/__init__.py", "from transputer import api, errors\nfrom transputer.cli import run"),
        ("__init__.py", "from transputer.api import run\nfrom transputer.errors import Trap"),
        ("__main__.py", "from transputer.cli import main"),
    ],
)
def test_a_right_import_is_not(path, source):
    assert violations({f"transputer/{path}": source, "transputer/isa/core.py": ""}) == []


def test_a_cycle_is_caught():
    files = {
        "transputer/isa/a.py": "from transputer.isa.b import x",
        "transputer/isa/b.py": "def f():\n    from . import c",
        "transputer/isa/c.py": "if TYPE_CHECKING:\n    import transputer.isa.a",
    }
    (problem,) = violations(files)
    assert problem.startswith("cycle: ")
    assert all(f"transputer.isa.{name}" in problem for name in "abc")


def test_a_package_may_gather_its_own_modules():
    files = {
        "transputer/isa/__init__.py": "from transputer.isa.a import x",
        "transputer/isa/a.py": "from transputer.isa.b import y",
        "transputer/isa/b.py": "",
    }
    assert violations(files) == []


def test_an_unknown_room_is_caught():
    assert violations({"transputer/utils.py": ""}) == [
        "transputer/utils.py: room 'utils' is not in the list"
    ]


def test_a_class_name_has_one_meaning():
    """`Module` has two by design: a WebAssembly module, and a PyTorch one that runs a program."""
    homes = defaultdict(list)
    for path in sorted((SOURCE / PACKAGE).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(SOURCE).as_posix())
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert shared.keys() == {"Module"}, shared
