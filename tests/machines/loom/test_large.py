"""Large programs and configurations: the set-up takes time linear in the number of columns."""

import time

import pytest

from transputer import api
from transputer.engines.native.looped import LoopedNative
from transputer.frontends.loomasm import assemble_loom
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
    started = time.process_time()
    result = api.run("examples/loom/gcd.c", machine="loom", config="164x2048", engine="native")
    assert result.exit_code == 12
    assert time.process_time() - started < 5
