"""The soft machine's debugger: the hard path against the machine, and probabilities."""

import json
from pathlib import Path

import numpy as np
import pytest

from transputer import api
from transputer.debugger.debugger import Debugger
from transputer.errors import SourceError, UsageError
from transputer.isa.soft import SOFT
from transputer.registry import Program
from transputer.studio.machines import view_of

jax = pytest.importorskip("jax", reason="pip install 'transputer[jax]'")
ROOT = Path(__file__).parents[2]


def soft(text: str) -> Program:
    return api.compile(source=text, kind="soft", machine="soft")


@pytest.fixture(scope="module")
def fibonacci() -> Debugger:
    return api.debug(ROOT / "examples/soft/fibonacci.soft", machine="soft", temperature=0.3)


@pytest.mark.slow
def test_any_step_is_that_of_the_machine(fibonacci) -> None:
    from transputer.ir.soft import encode
    from transputer.machines.soft.hard import hard_run
    from transputer.machines.soft.program import ordered
    from transputer.machines.soft.state import blank

    program = fibonacci.program
    rows = jax.numpy.asarray(encode(program.image.code))
    for step in (1, 4, 30, fibonacci.steps + 1):
        held = hard_run(rows, blank(program.config), step - 1, 32, ordered(program.config))
        shown = fibonacci.state(step)
        for name in ("registers", "memory", "flags"):
            assert (np.asarray(getattr(held, name)) == getattr(shown, name)).all(), name
        ended = int(held.pc) == program.config.length
        assert fibonacci.pc(step) == (-1 if ended else int(held.pc))
        words = np.asarray(held.outputs)[: int(held.wrote)].tolist()
        assert fibonacci.output(step) == "".join(f"{word}\n" for word in words).encode()


def test_what_it_comes_to(fibonacci) -> None:
    numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    assert fibonacci.printed.decode().split() == [str(n) for n in numbers]
    assert fibonacci.state(fibonacci.steps + 1).memory[:12].tolist() == numbers
    gcd = api.debug(ROOT / "examples/soft/gcd.soft", machine="soft")
    assert gcd.output(gcd.steps + 1) == b"12\n" and gcd.result.machine == "soft"


def test_moving_and_watching(fibonacci) -> None:
    fibonacci.go(1)
    fibonacci.breaks = [fibonacci.at_write(2)]
    fibonacci.forward(None)
    assert fibonacci.writes(fibonacci.cursor - 1) == "word 2 = 1, R4 = 3"
    fibonacci.breaks = [fibonacci.at_variable("R3")]
    fibonacci.backward(None)
    assert "DJNZ" in fibonacci.place(fibonacci.cursor - 1)
    fibonacci.breaks = [fibonacci.at_line(4)]
    fibonacci.forward(None)
    assert fibonacci.place().endswith("OUT R0")
    fibonacci.breaks = []
    for wrong in (lambda: fibonacci.at_variable("R99"), lambda: fibonacci.at_write(9999)):
        with pytest.raises(UsageError):
            wrong()


def test_chances_are_distributions(fibonacci) -> None:
    for step in (1, 5, 20):
        told = fibonacci.probabilities(step)
        assert list(told) == ["place", "operation", "to", "a", "b"]
        for probabilities in told.values():
            total = sum(chance for _, chance in probabilities)
            assert 0 < total <= 1.0001 and probabilities == sorted(
                probabilities, key=lambda one: -one[1]
            )
    first = dict(fibonacci.probabilities(1)["operation"])
    weight = np.exp(1 / 0.3)
    assert first["SET"] == pytest.approx(weight / (weight + len(SOFT) - 1), rel=1e-4)
    assert fibonacci.probabilities(1)["place"] == [("SET R1, 1", 1.0)]
    plain = api.debug(ROOT / "examples/soft/gcd.soft", machine="soft")
    assert plain.probabilities(1) == {} and plain.layers(1) == []


def test_arguments_input_and_edits() -> None:
    program = soft("IN R2\nLD R3, R0, 1\nADD R1, R1, R2\nADD R1, R1, R3\nOUT R1\n")
    made = program.debug(args=["4", "0x10"], stdin=b"20", edits={5: 100})
    assert program.run(args=["4", "0x10"], stdin=b"20").stdout == b"36\n"
    assert made.output(made.steps + 1) == b"136\n"
    with pytest.raises(UsageError, match="registers"):
        soft("MOV R16, R0\n")
    with pytest.raises(SourceError, match="no operation"):
        soft("NONSENSE R1\n")
    with pytest.raises(UsageError, match="not an integer"):
        program.debug(args=["x"])


def test_a_view_is_json(fibonacci) -> None:
    view = view_of(fibonacci)
    for step in (1, 30, fibonacci.steps + 1):
        look = json.loads(json.dumps(view.look(step)))
        assert look["step"]["reads"] == [] and "calls" not in look["state"]
    rows = view.layers(5)["layers"]
    assert [row["name"] for row in rows] == ["place", "operation", "to", "a", "b"]


def test_a_run_that_never_ends() -> None:
    made = soft("JMP 0\n").debug(max_steps=5000)
    assert made.steps == 5000 and made.result is None and made.pc(4999) == 0
