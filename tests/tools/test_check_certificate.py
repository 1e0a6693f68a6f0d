"""The checker of certificates: proves true formulas, and neither false ones nor broken weights."""

import ast
import copy
import importlib
import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.certificate import certificate as written
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import to_bytes

FOLDER = Path(__file__).parents[2] / "tools" / "check_certificate"
#: Opcodes of docs/encoding.md: an addition, a bitwise operation, a load.
ROWS = {"i32.add": 73, "i32.xor": 82, "i32.load": 27}
#: The files that a reader has to trust.
CORE = ("__main__", "algebra", "certificate", "formulas", "heads", "network", "points", "rows",
        "sampled")  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The universal model as a file, and its certificate."""
    path = tmp_path_factory.mktemp("certificate") / "model.safetensors"
    model = trace_model()
    path.write_bytes(to_bytes(model))
    content = written(lifting(model, frozenset([STATUS])))
    return path, json.loads(json.dumps(content))


def number(content: dict[str, Any], opcode: int, phase: int = 0) -> int:
    """The row of an opcode in a phase."""
    wanted = [[-1, 11, phase], [1, 31, opcode]]
    return next(i for i, row in enumerate(content["rows"]) if sorted(row["fixed"]) == wanted)


def checked(model: Path, content: dict[str, Any], row: int) -> str:
    """What the checker prints for a row."""
    path = model.with_suffix(".json.xz")
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=0))
    command = [sys.executable, str(FOLDER), str(model), str(path), "--rows", f"{row}:{row + 1}"]
    done = subprocess.run([*command, "--verbose"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [n if n == "i32.add" else pytest.param(n, marks=pytest.mark.slow) for n in ROWS]
)
def test_rows_are_proved_by_normal_form(name: str, files: tuple[Path, dict[str, Any]]) -> None:
    model, content = files
    assert "   1 proved for all tokens, by normal form (" in checked(
        model, content, number(content, ROWS[name])
    )


@pytest.mark.slow
def test_a_wrong_formula_is_not_proved(files: tuple[Path, dict[str, Any]]) -> None:
    """The formulas of a subtraction for an addition, and a modulus that is twice as large."""
    model, content = files
    wrong = copy.deepcopy(content)
    add, sub = number(content, ROWS["i32.add"]), number(content, 74)
    wrong["rows"][add]["tree"] = content["rows"][sub]["tree"]
    output = checked(model, wrong, add)
    assert (
        "   0 proved for all tokens, by normal form (" in output and "refuted by a token" in output
    )
    wrong = copy.deepcopy(content)
    for node in wrong["nodes"]:
        if node[0] == "mod" and node[2] == [2**32]:
            node[2] = [2**33]
    assert "   0 proved for all tokens, by normal form (" in checked(model, wrong, add)


@pytest.mark.slow
def test_digits_of_a_quotient_are_proved_at_a_random_point(
    files: tuple[Path, dict[str, Any]],
) -> None:
    """Phase 2 of i32.div_s; and not with a digit of another form."""
    model, content = files
    row = number(content, 76, phase=2)
    assert "   1 proved for all tokens, by equality at a random point" in checked(
        model, content, row
    )
    wrong = copy.deepcopy(content)
    for node in wrong["nodes"]:
        if node[0] == "digit":
            node[1][1] = node[1][0]
    assert "   1 proved" not in checked(model, wrong, row)


def test_points_tell_polynomials_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is what it stands for; coefficients that PRIME divides are refused."""
    monkeypatch.syspath_prepend(str(FOLDER))
    algebra = importlib.import_module("algebra")
    points = importlib.import_module("points")
    table = algebra.Atoms(names=True)
    free = algebra.Algebra(table)
    bits = [free.bit(-1, 0, i) for i in range(3)]
    form = algebra.plus(algebra.plus(bits[0], bits[1], 2), bits[2], 4)
    name = free.named(form)
    assert name != form and table.at(name) == table.at(form)
    assert table.at(free.times(name, bits[0])) != table.at(free.times(name, bits[1]))
    with pytest.raises(points.TooLargeError):
        table.at({**form, (0, 1): points.PRIME})
    assert free.step(name, 3) != free.step(form, 4)
    assert table.step(table.at(form), 3) == table.at(free.step(name, 3))
    below = algebra.plus(algebra.number(2), form, -1)  # form < 3
    opposite = points.opposite(table.at(free.step(form, 3)))
    assert table.step(table.at(below), 0)[0] == opposite[0]


@pytest.mark.slow
def test_solvers_agree(files: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("bitwuzla")
    model, content = files
    path, row = model.with_suffix(".json.xz"), number(content, ROWS["i32.add"])
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=0))
    command = [sys.executable, str(FOLDER / "obligations.py"), str(model), str(path), str(tmp_path)]
    subprocess.run([*command, "--rows", f"{row}:{row + 1}"], check=True)
    (file,) = tmp_path.glob("*.smt2")
    solve = [sys.executable, str(FOLDER / "solve.py"), str(file), "--solver", "bitwuzla"]
    done = subprocess.run([*solve, "--seconds", "300"], capture_output=True, text=True, check=True)
    assert " unsat " in done.stdout


def test_the_checker_imports_nothing_of_ours() -> None:
    local = {path.stem for path in FOLDER.glob("*.py")}
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                root = name.split(".")[0]
                allowed = root in local or root in sys.stdlib_module_names
                assert allowed or root in ("numpy", "cvc5", "bitwuzla"), f"{path.name}: {name}"


def test_the_checker_is_short() -> None:
    """Lines of code, without blank lines, comments and docstrings; see docs/trust.md."""
    total = 0
    for name in CORE:
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        docs: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                docs |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        for line, content in enumerate(text.splitlines(), 1):
            code = content.strip()
            total += bool(code) and not code.startswith("#") and line not in docs
    assert total <= 1510
