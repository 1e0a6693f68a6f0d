"""The Metamath verifier accepts what is proved and rejects every kind of mistake.

The same verdicts come from the weights, from wasmtime, from the verifier compiled by gcc, and from
Debian's `metamath` program where it is installed.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from transputer import api
from transputer.frontends.c import compile_c
from transputer.oracle.command import run_command

FOLDER = Path(__file__).parents[2] / "examples" / "programs"
DATABASE = (FOLDER / "metamath.mm").read_text()
WRONG = (FOLDER / "metamath_wrong.mm").read_text()
CORRECT = b"12 axioms, 4 theorems, 65 proof steps: every proof is correct\n"

#: One edit of the database each, and the error that it must cause.
EDITS = {
    "distinct variables": ("  $d u v $.", "", "everywhere: step vac needs distinct variables"),
    "one distinct variable": ("$d v P $.  ", "", "may be equal"),
    "another theorem": ("= S S S S 0 $=", "= S S S 0 $=", "2p2: the proof is of something else"),
    "type": ("n0 nS  n0  n0 nS", "vu nS  n0  n0 nS", "1p1: step nS: hypothesis nx has the wrong"),
    "stack is empty": ("ABZBZEFB", "BZBZEFB", "2p2: step nS needs 1 hypotheses, the stack has 0"),
    "stack is not empty": ("CDD $.", "CDDA $.", "2p2: 2 expressions are left instead of one"),
    "step without meaning": ("CDD $.", "CDUUA $.", "step number 121 has no meaning"),
    "unknown label": ("add0  addstep $.", "add1  addstep $.", "add1 is not a statement before"),
    "its own theorem": ("n0 nS add0  addstep $.", "1p1 $.", "1p1: 1p1 is not a statement before"),
    "inactive hypothesis": ("add0  addstep $.", "addstep.1 addstep $.", "addstep.1 is not active"),
    "incomplete proof": ("add0  addstep $.", "?  addstep $.", "1p1: the proof is incomplete"),
    "undeclared symbol": ("( S 0 + S 0 ) = S S 0", "( S 0 + S 0 ) = S T 0", "T is not an active"),
    "label in use": ("1p1 $p", "add0 $p", "add0: the label is in use already"),
    "open scope": ("vu vac  mp $.\n$}", "vu vac  mp $.", "1 scopes are not closed"),
    "closed scope": ("$( One and one", "$} $( One and one", "$} without ${"),
    "open comment": ("is two. $)", "is two.", "a comment within a comment"),
}


@pytest.fixture(scope="session")
def binary() -> bytes:
    return compile_c(FOLDER / "metamath.c")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    program = tmp_path_factory.mktemp("metamath") / "metamath"
    source = str(FOLDER / "metamath.c")
    subprocess.run([compiler, "-std=c11", "-O1", source, "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("text, code", [(DATABASE, 0), (WRONG, 1)], ids=["correct", "wrong"])
def test_the_weights_give_the_verdict_of_wasmtime_and_gcc(
    text: str, code: int, binary: bytes, compiled: Path, tmp_path: Path
) -> None:
    path = tmp_path / "metamath.wasm"
    path.write_bytes(binary)
    result = api.run(path, stdin=text.encode(), engine="native")
    expected = run_command(binary, ["metamath.wasm"], text.encode())
    by_gcc = subprocess.run([compiled], input=text.encode(), capture_output=True, timeout=60)
    verdict = (result.stdout, result.stderr, result.exit_code or 0)
    assert verdict == (expected.stdout, expected.stderr, expected.exit_code)
    assert verdict == (by_gcc.stdout, by_gcc.stderr, by_gcc.returncode)
    assert (result.trap, result.exit_code or 0) == (None, code)
    assert (result.stdout == CORRECT) is (code == 0)
    assert (b"2p2: step addstep" in result.stderr) is (code == 1)


@pytest.mark.parametrize("name", EDITS)
def test_a_mistake_is_rejected_with_its_label(name: str, compiled: Path) -> None:
    old, new, message = EDITS[name]
    assert DATABASE.count(old) == 1
    text = DATABASE.replace(old, new)
    done = subprocess.run([compiled], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and message in done.stderr
    assert "before the first error" in done.stdout


@pytest.mark.parametrize("name", ["correct", "wrong", *EDITS])
def test_debians_metamath_agrees(name: str, tmp_path: Path) -> None:
    if shutil.which("metamath") is None:
        pytest.skip("no metamath: apt-get install metamath")
    old, new, _ = EDITS.get(name, ("", "", ""))
    text = WRONG if name == "wrong" else DATABASE.replace(old, new)
    (tmp_path / "database.mm").write_text(text)
    commands = ["read database.mm", "verify proof *", "exit"]
    done = subprocess.run(
        ["metamath", *commands], cwd=tmp_path, capture_output=True, text=True, input="", timeout=60
    )
    assert "MM> verify proof *" in done.stdout
    assert ("?Error" in done.stdout) is (name != "correct")


def test_a_file_is_an_argument(binary: bytes, tmp_path: Path) -> None:
    expected = run_command(binary, ["metamath", "db/metamath.mm"], folders={"db": (FOLDER, False)})
    assert (expected.stdout, expected.exit_code) == (CORRECT, 0)
