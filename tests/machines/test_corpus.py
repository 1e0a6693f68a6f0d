"""The examples on the weights: the results of the oracle, and hardly more steps."""

from pathlib import Path

import pytest

from transputer import api
from transputer.errors import EngineUnavailable
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import new_session

ROOT = Path(__file__).parents[2]
#: C programs without division: what to call, and what comes out.
CORPUS = {
    "bubble_sort": ((), None),
    "collatz": ((27,), 111),
    "fibonacci": ((30,), 832040),
    "queens": ((6,), 4),
    "sieve": ((1000,), 168),
}


@pytest.fixture(autouse=True)
def engine() -> str:
    try:
        new_session("native", max_steps=1)
    except EngineUnavailable as error:
        pytest.skip(str(error))
    return "native"


def compiled(name: str) -> TraceProgram:
    return api.compile(ROOT / "examples" / "c" / f"{name}.c")


def arguments(program: TraceProgram, name: str) -> list[int]:
    given = CORPUS[name][0]
    index = next(e.index for e in program.declarations.exports if e.name == name)
    return list(given) or [0] * len(program.core().func_types[index].params)


@pytest.mark.parametrize("name", CORPUS)
def test_c_examples(name: str) -> None:
    program = compiled(name)
    args = arguments(program, name)
    on_weights, oracle = (
        run_program(program, name, args, engine=engine) for engine in ("native", "oracle")
    )
    assert on_weights.results == oracle.results
    assert CORPUS[name][1] in (None, on_weights.results[0])
    assert (on_weights.machine, on_weights.trap) == ("trace", None)
    assert on_weights.instructions == oracle.instructions


def test_at_most_five_percent_more_steps_than_instructions() -> None:
    steps = instructions = 0
    for name in CORPUS:
        program = compiled(name)
        names = {instr.name for instr in program.core().code}
        assert not names & {"i32.div_s", "i32.div_u", "i32.rem_s", "i32.rem_u"}
        result = run_program(program, name, arguments(program, name), engine="native")
        steps, instructions = steps + result.steps, instructions + result.instructions
    assert steps <= 1.05 * instructions


def test_sudoku_is_solved_by_the_weights() -> None:
    program = compiled("sudoku")
    on_weights, oracle = (run_program(program, engine=e) for e in ("native", "oracle"))
    assert on_weights.stdout == oracle.stdout
    assert (on_weights.exit_code, on_weights.instructions) == (0, oracle.instructions)
    rows = [line.replace("|", " ").split() for line in on_weights.stdout.decode().splitlines()]
    solved = [row for row in rows if len(row) == 9 and "." not in row]
    digits = set("123456789")
    assert len(solved) == 9
    for i in range(9):
        assert set(solved[i]) == digits
        assert {row[i] for row in solved} == digits
        box = solved[i // 3 * 3 : i // 3 * 3 + 3]
        assert {c for row in box for c in row[i % 3 * 3 : i % 3 * 3 + 3]} == digits


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "asm").glob("*.asm")), ids=lambda p: p.stem
)
def test_assembly_examples(path: Path) -> None:
    on_weights, oracle = (api.run(path, engine=e) for e in ("native", "oracle"))
    assert on_weights.results == oracle.results
    assert on_weights.instructions == oracle.instructions
