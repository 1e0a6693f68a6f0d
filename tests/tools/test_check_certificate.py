"""The checker of certificates: proves true formulas, and neither false ones nor broken weights."""

import ast
import copy
import importlib
import json
import lzma
import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools.certificate import certificate as written
from tools.certificate import code_lines
from transputer.engines.lifted.decoder.fused import fused_rows
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import to_bytes

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tools" / "check_certificate"
#: Opcodes of docs/encoding.md: an addition, a bitwise operation, a load.
ROWS = {"i32.add": 73, "i32.xor": 82, "i32.load": 27}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The universal model as a file, and its certificate."""
    path = tmp_path_factory.mktemp("certificate") / "model.safetensors"
    model = trace_model()
    path.write_bytes(to_bytes(model))
    content = written(lifting(model, frozenset([STATUS]), short=False))
    return path, json.loads(json.dumps(content))


def test_a_certificate_has_the_fused_rows(files: tuple[Path, dict[str, Any]]) -> None:
    """Each is with the row that it begins with."""
    _, content = files
    rows = [row for row in content["rows"] if "fused" in row]
    shipped = fused_rows(content["model"]).rows
    assert len(rows) == len(shipped) >= 6
    for row in rows:
        fixed = {(source, part): value for source, part, value in row["fixed"]}
        (several,) = (one for one in shipped if one.fixed == fixed)
        assert len(row["fused"]["between"]) == len(several.between)


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
        "   0 proved for all tokens, by normal form (" in output
        and "   1 refuted by a token" in output
    )
    wrong = copy.deepcopy(content)
    for node in wrong["nodes"]:
        if node[0] == "mod" and node[2] == [2**32]:
            node[2] = [2**33]
    assert "   0 proved for all tokens, by normal form (" in checked(model, wrong, add)


@pytest.mark.slow
def test_mutants_are_rejected(files: tuple[Path, dict[str, Any]]) -> None:
    """A broken formula and a broken weight; docs/results/certificate.json has 50 of them."""
    model, content = files
    path = model.with_suffix(".json.xz")
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=0))
    command = [sys.executable, str(FOLDER / "mutants.py"), str(model), str(path), "--count", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "{'refuted': 1, 'refused': 1}"


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
    bits = free.bits(-1, 0, 8)
    form = algebra.plus(algebra.plus(bits[0], bits[1], 2), bits[2], 4)
    name = free.named(form)
    assert name != form and table.at(name) == table.at(form)
    assert table.at(free.times(name, bits[0])) != table.at(free.times(name, bits[1]))
    with pytest.raises(points.TooLargeError):
        table.at({**form, (0, 1): points.PRIME})
    assert free.step(name, 3) == free.step(form, 3) != free.step(form, 4)
    below = algebra.plus(algebra.number(2), form, -1)  # form < 3
    assert free.step(below, 0) == algebra.plus(algebra.number(1), free.step(name, 3), -1)


FUNCTIONS: dict[str, Callable[..., int]] = {
    "name": lambda z: z,
    "clamp": lambda z, n: min(max(z, 0), n - 1),
    "step": lambda z, k: int(z >= k),
    "floor": lambda z, m: z // m,
}
Poly = dict[tuple[int, ...], int]


def value(poly: Poly, atoms: list[int]) -> int:
    return sum(c * math.prod(atoms[i] for i in monomial) for monomial, c in poly.items())


def atoms_at(table: Any, bits: int, known: list[int]) -> list[int]:
    """The values of atoms where bit i of the only part is bit i of `bits`; `known` grows."""
    for kind, *data in table.atoms[len(known) :]:
        if kind == "bit":
            known.append(bits >> data[2] & 1)
        elif kind == "table":
            known.append(data[2][bits])
        else:
            z = value(dict(data[0]), known)
            known.append(FUNCTIONS[kind](z, *data[1:]))
    return known


def bent(u: int, k: int, m: int) -> int:
    return max(0, u - k) - 2 * max(0, m - u) + 3 * max(0, u + 1)


#: What the algebra makes of two forms and two numbers, and what that is for integers.
RULES: list[tuple[Callable[..., Any], Callable[[int, int, int, int], int]]] = [
    (lambda A, free, a, b, k, m: A.plus(a, b, k), lambda u, v, k, m: u + k * v),
    (lambda A, free, a, b, k, m: free.product(a, b), lambda u, v, k, m: u * v),
    (lambda A, free, a, b, k, m: free.step(a, k), lambda u, v, k, m: int(u >= k)),
    (lambda A, free, a, b, k, m: free.floor(a, m), lambda u, v, k, m: u // m),
    (lambda A, free, a, b, k, m: free.quotient(a, m), lambda u, v, k, m: u // m),
    (lambda A, free, a, b, k, m: free.square(a), lambda u, v, k, m: max(u, 0) * u),
    (lambda A, free, a, b, k, m: free.clamp(a, m), lambda u, v, k, m: min(max(u, 0), m - 1)),
    (lambda A, free, a, b, k, m: free.short(a), lambda u, v, k, m: u),
    (lambda A, free, a, b, k, m: A.plus(a, free.floor(a, m), -m), lambda u, v, k, m: u % m),
    (
        lambda A, free, a, b, k, m: free.step(A.plus(b, free.floor(a, m), -1), k),
        lambda u, v, k, m: int(v - u // m >= k),
    ),
    (
        lambda A, free, a, b, k, m: A.plus(a, free.step(a, k), -m),
        lambda u, v, k, m: u - m * (u >= k),
    ),
    (
        lambda A, free, a, b, k, m: free.bend(a, [(1, -k, 1), (-1, m, -2), (1, 1, 3)]),
        lambda u, v, k, m: bent(u, k, m),
    ),
]


@pytest.mark.parametrize("names", [False, True])
def test_every_rule_is_an_identity(names: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random functions of five bits, by all their values; also where a step is decided."""
    monkeypatch.syspath_prepend(str(FOLDER))
    algebra = importlib.import_module("algebra")
    rng, domain = random.Random(5), range(32)
    for _ in range(10):
        table = algebra.Atoms(names)
        free = algebra.Algebra(table)
        made = [(b, [v >> i & 1 for v in domain]) for i, b in enumerate(free.bits(-1, 0, 32))]
        made += [
            (free.part(-1, 0, [v + n for v in domain]), [v + n for v in domain]) for n in (0, -20)
        ]
        for _ in range(16):
            (a, x), (b, y) = rng.choices(made, range(1, len(made) + 1), k=2)
            k, m = rng.choice((-8, -2, -1, 1, 2, 4, rng.choice(x))), rng.choice((2, 3, 4, 8))
            rule, function = rng.choice(RULES)
            values = [function(u, v, k, m) for u, v in zip(x, y, strict=True)]
            made.append((rule(algebra, free, a, b, k, m), values))
        at: list[list[int]] = [[] for _ in domain]
        steps = [i for i, atom in enumerate(table.atoms) if atom[0] == "step"]
        cases: list[tuple[Any, list[int]]] = [(free, [*domain])]
        for i, truth in ((i, truth) for i in steps[:8] for truth in (0, 1)):
            where = [v for v in domain if atoms_at(table, v, at[v])[i] == truth]
            cases += [(algebra.Algebra(table, {i: truth}), where)] if where else []
        for here, where in cases:
            memo: dict[int, Any] = {}
            for poly, values in made:
                form = here.under(poly, memo) if here is not free else poly
                filled, (low, high) = here.filled(poly), here.bounds(form)
                for v in where:
                    atoms = atoms_at(table, v, at[v])
                    assert value(form, atoms) == value(filled, atoms) == values[v]
                    assert low <= values[v] <= high


#: What each kind of formula is, for integers: parts p and numbers d.
KINDS: dict[str, tuple[Callable[..., int], list[int]]] = {
    "num": (lambda d: d, [-7]),
    "sum": (lambda x, y: x + y, []),
    "scale": (lambda x, y, d: x * d, [-3]),
    "not": (lambda x, y: 1 - x, []),
    "product": (lambda x, y: x * y, []),
    "ge": (lambda x, y, d: int(x >= d), [40000]),
    "eq": (lambda x, y, d: int(x == d), [0xFFFF]),
    "floor": (lambda x, y, d: x // d, [10]),
    "mod": (lambda x, y, d: x % d, [10]),
    "clamp": (lambda x, y, d: min(max(x, 0), d - 1), [300]),
    "square": (lambda x, y: max(x, 0) * x, []),
    "and": (lambda x, y: x & y, []),
    "or": (lambda x, y: x | y, []),
    "xor": (lambda x, y: x ^ y, []),
    "field": (lambda x, y, a, n: x >> a & (1 << n) - 1, [3, 7]),
    "signed": (lambda x, y, n: x - (x >> n - 1 << n), [16]),
    "ones": (lambda x, y: x.bit_count(), []),
    "matches": (lambda x, y, m, a, n, b: int(x & m == a and y & n == b), [1, 1, 2, 0]),
    "shl": (lambda x, y, n: (x << y % n) % 2**n, [16]),
    "shr": (lambda x, y, n: x >> y % n, [16]),
    "sar": (lambda x, y, n: (x - (x >> n - 1 << n) >> y % n) % 2**n, [16]),
    "rotl": (lambda x, y, n: (x << y % n | x >> n - y % n) % 2**n, [16]),
    "rotr": (lambda x, y, n: (x >> y % n | x << n - y % n) % 2**n, [16]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_formulas_are_integer_functions(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula of two words whose bits are all decided is the number that Python computes."""
    monkeypatch.syspath_prepend(str(FOLDER))
    algebra = importlib.import_module("algebra")
    formulas = importlib.import_module("formulas")
    function, data = KINDS[kind]
    parts = {"num": [], "field": [0]}.get(kind, [0, 1])
    rng = random.Random(kind)
    for _ in range(20):
        x, y = (rng.choice((0, 1, 0x8000, 0xFFFF, rng.getrandbits(16))) for _ in range(2))
        nodes = [["word", [], [-1, 0]], ["word", [], [-1, 1]], [kind, parts, data]]
        names = SimpleNamespace(nodes=nodes, groups=[[0, 1], [2, 3]], sizes=[256] * 4)
        table = algebra.Atoms()
        bits = [("bit", -1, p, i) for p in range(4) for i in range(8)]
        decided = {table.get(bit, 0, 1): (x | y << 16) >> n & 1 for n, bit in enumerate(bits)}
        claims = formulas.Claims(names, algebra.Algebra(table, decided))
        words = [] if kind == "num" else [x, y]
        assert claims.poly(2) == algebra.number(function(*words, *data)), (x, y)


@pytest.mark.slow
def test_solvers_agree(files: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Both prove an addition, and both refute it with the formulas of a subtraction."""
    pytest.importorskip("bitwuzla")
    pytest.importorskip("cvc5")
    model, content = files
    path, row = model.with_suffix(".json.xz"), number(content, ROWS["i32.add"])
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=0))
    command = [sys.executable, str(FOLDER / "solve.py"), str(model), str(path)]
    command += ["--rows", f"{row}:{row + 1}", "--seconds", "300", "--json", str(tmp_path / "lines")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = "bitwuzla {'unsat': 1}\ncvc5 {'unsat': 1}\ntogether {'both': 1}\n"
    lines = (tmp_path / "lines").read_text()
    assert done.stdout == said and lines.count("\n") == 2
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == said and (tmp_path / "lines").read_text() == lines  # goes on
    content = copy.deepcopy(content)
    content["rows"][row]["tree"] = content["rows"][number(content, 74)]["tree"]
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=0))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "{'sat': 1}" in done.stdout


def test_neurons_of_one_form_are_their_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Writer.bend` of random corners, against each relu by itself."""
    pytest.importorskip("bitwuzla")
    monkeypatch.syspath_prepend(str(FOLDER))
    obligations = importlib.import_module("obligations")
    solve = importlib.import_module("solve")
    rng = random.Random(3)
    for case in range(40):
        w = obligations.Writer()
        z = w.sum([(1, w.part(-1, 0, 64)), (rng.randint(-40, 9), w.number(1))])
        near = [rng.randint(-20, 60) for _ in range(4)]
        edges = [*near, *(k + 1 for k in near), *range(-32, 65, 8), *range(-31, 65, 8)]
        edges = edges[case % 4 :][: case + 1]
        corners = [(rng.choice((1, -1)), k, rng.choice((-2, 1, 3))) for k in edges]
        if case % 5 == 0:  # a staircase
            corners = [(1, d - 8 * k, 1 - 2 * d) for k in range(-5, 9) for d in (0, 1)]
        each = [(c, w.relu(w.sum([(s, z), (o, w.number(1))]))) for s, o, c in corners]
        plain, bend = w.sum(each), w.bend(z, corners)
        width = max(plain.width, bend.width)
        same = f"(= {w.fit(plain, width)} {w.fit(bend, width)})"
        assert solve.bitwuzla_verdict(w.file(f"(not {same})")) == "unsat", corners
        assert solve.bitwuzla_verdict(w.file(same)) == "sat"


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
    assert code_lines() <= 1182


@pytest.mark.slow
def test_a_specialised_model_has_no_certificate(tmp_path: Path) -> None:
    """Its program is in its weights, so that there are no rows to write down."""
    model = tmp_path / "gcd.safetensors"
    gcd = ["specialize", "examples/c/gcd.c", "--invoke", "gcd", "48", "36", "-o", str(model)]
    subprocess.run([sys.executable, "-m", "transputer", *gcd], check=True, cwd=ROOT)
    write = [sys.executable, "-m", "tools.certificate", str(model), "-o", str(tmp_path / "c.xz")]
    done = subprocess.run(write, capture_output=True, text=True, cwd=ROOT)
    said = "certificate: nothing that is fetched decides what a step does\n"
    assert (done.returncode, done.stderr) == (1, said)
