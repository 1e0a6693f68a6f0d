"""The example programs print what they print when gcc compiles them.

The golden outputs were made by gcc; where there is a C compiler, they are made again.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer import api

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "programs"
#: Contracted multiplications and additions would round once where C rounds twice.
FLAGS = ("-std=c11", "-O1", "-ffp-contract=off")


@dataclass(frozen=True)
class Case:
    """One run of a program."""

    args: tuple[str, ...] = ()
    stdin: bytes = b""
    code: int = 0


POEM = b"the weights are fixed,\n  the prompt is the program:\n\nread, attend, decode\n"
CASES = {
    "hello": Case(),
    "gcd": Case(("1071", "462", "14", "-35")),
    "fibonacci": Case(),
    "bubble_sort": Case(),
    "sieve": Case(),
    "fnv1a": Case(),
    "sha256": Case((), b"abc" * 40),
    "matching": Case(),
    "sudoku": Case(),
    "life": Case(),
    "mandelbrot": Case(),
    "nbody": Case(),
    "brainfuck": Case(),
    "lisp": Case((), (FOLDER / "lisp.lisp").read_bytes()),
    "metamath": Case((), (FOLDER / "metamath.mm").read_bytes()),
    "perft": Case(),
    "wc": Case((), POEM),
    "division": Case(),
    "snake": Case((), b"ssdd"),
    "raycaster": Case(),
}


def golden(name: str) -> bytes:
    return (FOLDER / "golden" / f"{name}.txt").read_bytes()


def test_every_program_has_a_case_and_a_line() -> None:
    names = {path.stem for path in FOLDER.glob("*.c")}
    told = re.findall(r"^\| `(\w+)\.c` \|", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert names == set(CASES) == set(told)
    assert {path.stem for path in (FOLDER / "golden").iterdir()} == names


@pytest.mark.parametrize("name", sampled(CASES, 5))
def test_on_the_weights(name: str) -> None:
    case = CASES[name]
    result = api.run(FOLDER / f"{name}.c", args=case.args, stdin=case.stdin, engine="native")
    assert result.machine == "trace"
    assert (result.trap, result.exit_code or 0, result.stderr) == (None, case.code, b"")
    assert result.stdout == golden(name)
    assert result.steps < 20_000_000


@pytest.mark.parametrize("name", CASES)
def test_goldens_are_what_a_c_compiler_makes_of_them(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here to make the golden outputs again")
    program, case = tmp_path / name, CASES[name]
    source = FOLDER / f"{name}.c"
    subprocess.run([compiler, *FLAGS, str(source), "-o", str(program), "-lm"], check=True)
    done = subprocess.run([program, *case.args], input=case.stdin, capture_output=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == (golden(name), b"", case.code)


def test_hello_is_short() -> None:
    result = api.run(FOLDER / "hello.c", args=["you"], engine="native")
    assert (result.stdout, result.steps < 30_000) == (b"Hello, you!\n", True)


#: Positions and counts that chess programmers agree on.
PERFT = {
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2039],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486],
}


@pytest.mark.parametrize("fen", sampled(PERFT, 3))
def test_chess_counts(fen: str) -> None:
    counts = PERFT[fen]
    result = api.run(FOLDER / "perft.c", args=[str(len(counts)), fen], engine="oracle")
    assert result.stdout.decode().splitlines() == [f"{i}: {n}" for i, n in enumerate(counts, 1)]


@pytest.mark.parametrize(
    "name, args, code, said",
    [
        ("sudoku", ["123"], 2, b"81 cells"),
        ("sudoku", ["11" + "." * 79], 1, b""),
        ("perft", ["1", "nonsense"], 2, b"not a position"),
        ("brainfuck", ["[[]"], 2, b"brackets"),
        ("division", ["1", "0"], 2, b"two whole numbers"),
    ],
)
def test_what_they_refuse(name: str, args: list[str], code: int, said: bytes) -> None:
    result = api.run(FOLDER / f"{name}.c", args=args, engine="oracle")
    assert result.exit_code == code and said in result.stderr


def test_a_mistake_in_lisp_is_an_error() -> None:
    result = api.run(FOLDER / "lisp.c", stdin=b"(+ 1 2) (car 5)", engine="oracle")
    assert (result.stdout, result.stderr) == (b"3\n", b"lisp: not a pair\n")
    assert result.exit_code == 1


def test_a_snake_that_hits_the_wall_is_dead() -> None:
    result = api.run(FOLDER / "snake.c", args=["99"], stdin=b"w" * 20, engine="oracle")
    assert result.exit_code == 1 and result.stdout.endswith(b"dead after 6 moves, length 4\n")
