"""The compiled C programs on the weights: equal to the interpreter at every step.

`native` runs all of every program but one, and every step is compared: what column 0 says, and
every column whose word changed; at the end the whole state. The dense engines (reference and torch
with hard and with true softmax attention, ONNX Runtime) make all steps of the programs that have
at most WHOLE, and SAMPLES steps of the others, from states of the interpreter at evenly spaced
places of their runs; every number of the state after each step is compared. `every_step` makes all
of them, given the time. The sudoku, millions of steps, runs whole on `lifted`, and the state is
compared at 1,000 places; all of it on `native`, too, with TRANSPUTER_LOOM_WHOLE=1.
"""

import os
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from tests.frontends.smallc.cases import CASES, Case
from tests.machines.loom.every_step import (
    Found,
    follow,
    follow_in_batches,
    interpreter,
    runner,
)
from tests.machines.loom.interpreted import BY_NAME, LONG, SHORT, Interpreter, Trail
from tests.sampling import sampled
from transputer.engines.lifted.looped import LoopedLifted
from transputer.engines.native.looped import LoopedNative
from transputer.errors import StepLimitError
from transputer.machines.loom.circuit import model

#: Steps of each program on each dense engine, and how long a program may be to run whole.
SAMPLES = 8
WHOLE = 120


@pytest.mark.parametrize("case", sampled(CASES, 4), ids=lambda case: case.name)
def test_every_step_is_the_interpreters(case: Case) -> None:
    if case.name in LONG and "TRANSPUTER_LOOM_WHOLE" not in os.environ:
        pytest.skip("millions of steps: on the lifted engine, below")
    oracle = Interpreter(case)
    engine = LoopedNative(model(oracle.config), oracle.start)
    forms = oracle.layout.watch()
    for tick in case.ticks:
        oracle.begin(tick)
        engine.restart(oracle.state())
        while not oracle.loom.halted:
            for told in engine.tell(1 << 12, *forms):
                assert told == oracle.told(oracle.step()), oracle.loom.steps
        assert engine.halted and np.array_equal(engine.state, oracle.state())


@cache
def trail(name: str) -> Trail:
    return Trail.of(BY_NAME[name])


def most(name: str) -> int:
    """How many steps the dense engines make of a program."""
    steps = len(trail(name).steps)
    return steps if steps <= WHOLE else SAMPLES


def one_by_one(case: Case, engine: str, attention: str) -> None:
    found, oracle, taken = Found(), interpreter(case.name), trail(case.name)
    made = runner(model(oracle.config), oracle.start, engine, attention)
    for piece in taken.stretches(WHOLE, most(case.name)):
        found.add(follow(oracle, made, taken.part(*piece)))
    assert (found.compared, found.mismatches) == (most(case.name), 0), found


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize("case", sampled(SHORT, 8), ids=lambda case: case.name)
def test_steps_of_the_reference(case: Case, attention: str) -> None:
    one_by_one(case, "reference", attention)


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize("case", sampled(SHORT, 16), ids=lambda case: case.name)
def test_steps_of_torch(case: Case, attention: str) -> None:
    pytest.importorskip("torch").set_num_threads(1)
    from transputer.engines.torch.looped import LoopedModule

    oracle = interpreter(case.name)
    module = LoopedModule(model(oracle.config), attention)
    found = follow_in_batches(oracle, module, trail(case.name), SAMPLES, most(case.name))
    assert (found.compared, found.mismatches) == (most(case.name), 0), found


@pytest.mark.parametrize("case", sampled(SHORT, 16), ids=lambda case: case.name)
def test_steps_of_onnx(case: Case) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    one_by_one(case, "onnx", "softmax")


def _count(case: Case) -> int:
    oracle = Interpreter(case)
    for tick in case.ticks:
        oracle.begin(tick)
        oracle.loom.run(case.limit)
    return oracle.loom.steps


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LONG))
def test_millions_of_steps_at_a_thousand_places(name: str) -> None:
    """The whole run of the weights' formulas, which are proved; states are compared in full."""
    case = BY_NAME[name]
    oracle = Interpreter(case)
    engine = LoopedLifted(model(oracle.config), oracle.start)
    places = np.linspace(0, _count(case), 1001).astype(int).tolist()
    for here, there in zip(places, places[1:], strict=False):
        assert engine.run(there - here) == there - here
        with suppress(StepLimitError):
            oracle.loom.run(there - here - 1)
        oracle.step()
        assert np.array_equal(engine.state, oracle.state()), there
    assert engine.halted and oracle.loom.halted and engine.why == ""
