"""An `int` has 32 bits unless the user asks for another width."""

import pytest

from transputer import api
from transputer.engines.native.looped import LoopedNative
from transputer.frontends.loomasm import assemble_loom
from transputer.frontends.smallc import compile
from transputer.ir.loom import LoomProgram, smallest
from transputer.isa.integers import signed
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.oracle.loom import Loom

SUM = "int main(void) { int s = 0; for (int i = 1; i <= 20; i++) s += i; return s; }"
FACTORIAL = "int main(void) { int p = 1; for (int i = 2; i <= 7; i++) p *= i; return p; }"
COLLATZ = """int main(void) {
    int n = 27, steps = 0;
    while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
    return steps;
}"""
PROGRAMS = {"sum": (SUM, 210), "factorial": (FACTORIAL, 5040), "collatz": (COLLATZ, 111)}


def compile_loom(text: str, bits: int | None = None) -> LoomProgram:
    """What a user gets."""
    program = api.compile(source=text, kind="c", machine="loom", bits=bits)
    return program.code  # type: ignore[attr-defined]


def result(program: LoomProgram, engine: str) -> int:
    """main's value on the interpreter, or by the weights on the native engine."""
    config = smallest(program)
    if engine == "oracle":
        runner: Loom | LoomSession = Loom(program, config)
    else:
        runner = LoomSession(config, LoopedNative(model(config), initial(program, config)))
    runner.run(1_000_000)
    slot = next(symbol.slot for symbol in program.symbols if symbol.name == "result")
    return signed(program.bits, runner.memory[slot])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["oracle", "native"])
@pytest.mark.parametrize("text, expected", PROGRAMS.values(), ids=PROGRAMS)
def test_sums_that_need_more_than_8_bits(text: str, expected: int, engine: str) -> None:
    assert result(compile(text), engine) == expected
    assert result(compile_loom(text), engine) == expected


def test_narrow_words_are_asked_for() -> None:
    assert compile(SUM).bits == compile_loom(SUM).bits == 32
    assert compile(SUM, bits=8).bits == compile_loom(SUM, 8).bits == 8
    assert result(compile(SUM, bits=8), "oracle") == 210 - 256


def test_assembly_has_words_of_32_bits() -> None:
    assert assemble_loom("HALT").bits == 32
    assert assemble_loom("HALT", bits=8).bits == 8
    assert assemble_loom(".bits 16\nHALT", bits=8).bits == 16
