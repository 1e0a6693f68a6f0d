import shutil

import pytest

from tests.frontends.smallc.cases import CASES, Case, golden
from tests.frontends.smallc.golden import observed
from transputer.frontends.smallc import compile
from transputer.ir.loom import smallest
from transputer.isa.integers import signed
from transputer.oracle.loom import Loom

GOLDEN = golden()
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_program_does_what_gcc_says(case: Case, bits: int):
    if bits > 8 and case.limit > 1_000_000:
        pytest.skip("millions of steps: once, at 8 bits")
    program = compile(case.text, case.path.name, bits)
    loom = Loom(program, smallest(program))
    symbols = {symbol.name: symbol for symbol in program.symbols}

    def words(name: str) -> list[int]:
        symbol = symbols[name]
        found = loom.memory[symbol.slot : symbol.slot + symbol.count]
        return [signed(bits, word) for word in found]

    for tick, expected in zip(case.ticks, GOLDEN[case.name], strict=True):
        for name, value in tick.items():
            loom.memory[symbols[name].slot] = value
        loom.pc, loom.output = 0, bytearray()
        loom.run(case.limit)
        assert loom.trap is None
        assert words("result") == [expected.result]
        assert loom.output.hex() == expected.output
        assert {name: words(name) for name in case.watch} == expected.globals


def test_there_are_at_least_fifty():
    assert len(CASES) >= 50
    assert GOLDEN.keys() == BY_NAME.keys()


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not there to ask again")
@pytest.mark.parametrize("name", ["snake", "quicksort", "arithmetic", "find_builtin"])
def test_the_goldens_are_what_gcc_says_today(name):
    assert observed(BY_NAME[name]) == GOLDEN[name]


@pytest.mark.parametrize(
    "name, at_most", [("bubble", 50), ("snake", 210), ("raycaster", 531), ("sudoku", 284)]
)
def test_programs_are_as_short_as_promised(name, at_most):
    program = compile(BY_NAME[name].text, bits=8)
    assert len(program.code) <= at_most


def test_the_sudoku_fits_the_compact_machine():
    program = compile(BY_NAME["sudoku"].text, bits=8)
    assert len(program.memory) <= 160
    assert smallest(program).name == "512x8,s=32,m=160"
