"""What STORE is worth: the same programs with trees of tests instead."""

import pytest

from tests.frontends.smallc.cases import CASES, golden
from transputer.frontends.smallc import compile
from transputer.ir.loom import smallest
from transputer.isa.integers import signed
from transputer.oracle.loom import Loom

GOLDEN = golden()
NAMES = "bubble selection quicksort hanoi queens sieve life flood snake pointers".split()


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NAMES], ids=lambda c: c.name)
def test_programs_without_store_do_the_same(case):
    program = compile(case.text, case.path.name, 8, stores=False)
    assert "STORE" not in {one.op.name for one in program.code}
    loom = Loom(program, smallest(program))
    symbols = {symbol.name: symbol for symbol in program.symbols}
    for tick, expected in zip(case.ticks, GOLDEN[case.name], strict=True):
        for name, value in tick.items():
            loom.memory[symbols[name].slot] = value
        loom.pc, loom.output = 0, bytearray()
        loom.run(case.limit)
        assert loom.trap is None
        assert signed(8, loom.memory[symbols["result"].slot]) == expected.result
        for name, words in expected.globals.items():
            start = symbols[name].slot
            assert [signed(8, w) for w in loom.memory[start : start + len(words)]] == words


def test_the_sudoku_without_store_needs_several_times_the_code():
    text = next(case.text for case in CASES if case.name == "sudoku")
    with_store, without = compile(text, bits=8), compile(text, bits=8, stores=False)
    assert len(without.code) > 3 * len(with_store.code)
    assert smallest(without).name == "2048x8,s=32,m=224"
