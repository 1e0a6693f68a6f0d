"""Programs that drive devices. Needs JAX."""

import pytest

pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")

from tools.learning.sections import saved  # noqa: E402
from transputer.ir.soft import parse  # noqa: E402
from transputer.learning.drivers import TASKS, drives  # noqa: E402

RIGHT = {
    "echo": "LDP R2, R0\nSTP R1, R2",
    "double": "LDP R2, R0\nADD R2, R2, R2\nSTP R1, R2",
    "point": "STP R3, R0\nSTP R3, R1\nSTP R3, R2",
}
#: The key's count instead of the key; the key itself; row and column exchanged.
WRONG = {
    "echo": "LDP R2, R0\nLDP R2, R0\nSTP R1, R2",
    "double": RIGHT["echo"],
    "point": "STP R3, R1\nSTP R3, R0\nSTP R3, R2",
}


@pytest.mark.parametrize("name", TASKS)
def test_the_board_tells_right_from_wrong(name: str) -> None:
    assert drives(TASKS[name], parse(RIGHT[name]), 5)
    assert not drives(TASKS[name], parse(WRONG[name]), 5)
    assert not drives(TASKS[name], parse("JMP 0"), 1)


def test_saved_drivers_are_right() -> None:
    """Programs that gradient descent learned through the devices; some task has one."""
    programs = {name: r["program"] for name, r in saved("drivers").items() if r["program"]}
    assert programs
    for name, program in programs.items():
        assert drives(TASKS[name], parse("\n".join(program)), 10)
