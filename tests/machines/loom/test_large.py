"""Large programs and configurations: the set-up takes time linear in the number of columns."""

import time

import pytest

from transputer import api
from transputer.engines.native.looped import LoopedNative
from transputer.frontends.loomasm import assemble_loom
from transputer.frontends.smallc import compile as compile_small
from transputer.ir.loom import LoomConfig, smallest
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.oracle.loom import Loom

#: Every one of these instructions is executed once.
LENGTH = 100_000


@pytest.mark.slow
def test_a_program_of_a_hundred_thousand_instructions() -> None:
    lines = [".word x 7", ".word y 0", *("INC x", "ADD y, x") * (LENGTH // 2), "HALT"]
    program = assemble_loom("\n".join(lines))
    config = smallest(program)
    assert (len(program.code), config.columns) == (LENGTH + 1, 1 << 17)
    session = LoomSession(config, LoopedNative(model(config), initial(program, config)))
    session.run(LENGTH + 1)
    expected = Loom(program, config)
    expected.run(LENGTH + 1)
    assert session.steps == expected.steps == LENGTH + 1
    assert session.memory[:3] == expected.memory[:3]
    assert session.memory[1] == 7 + LENGTH // 2


@pytest.mark.slow
def test_a_c_program_of_a_hundred_thousand_instructions() -> None:
    """Functions without loops; compared with the same arithmetic in Python."""
    count, statements = 850, ("a += b + {};", "b ^= a + {};", "c -= a + {};", "d += c + {};")
    body = [text.format(number % 5) for number, text in enumerate(statements * 13)]
    lines = ["int a, b, c, d;"]
    lines += [f"void f{number}(void) {{ {' '.join(body)} }}" for number in range(count)]
    calls = " ".join(f"f{number}();" for number in range(count))
    program = compile_small("\n".join([*lines, f"int main(void) {{ {calls} return d; }}"]))
    assert len(program.code) >= LENGTH
    config = smallest(program)
    session = LoomSession(config, LoopedNative(model(config), initial(program, config)))
    session.run(2 * len(program.code))
    a = b = c = d = 0
    for _ in range(count):
        for number in range(0, 52, 4):
            a += b + number % 5
            b ^= a + (number + 1) % 5
            c -= a + (number + 2) % 5
            d += c + (number + 3) % 5
    assert program.result is not None
    assert session.memory[program.result] == d % (1 << 32)


def test_the_set_up_is_linear_in_columns() -> None:
    """Four times the columns take far less than sixteen times the CPU time."""
    seconds = []
    for columns in (4096, 16384):
        config = LoomConfig(columns, 32, 32, columns // 2)
        weights = model(config)
        state = initial(assemble_loom("HALT"), config)
        started = time.process_time()
        engine = LoopedNative(weights, state)
        seconds.append(time.process_time() - started)
        assert engine.busy <= 1
    assert seconds[1] < 8 * seconds[0] + 1


def test_gcd_on_the_largest_published_configuration() -> None:
    result = api.run("examples/loom/gcd.c", machine="loom", config="164x2048", engine="native")
    assert result.exit_code == 12
