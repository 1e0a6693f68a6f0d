"""The compiled C programs on the weights: equal to the interpreter at every step.

`native` runs all of every program but one, and every step is compared: what column 0 says, and
every column whose word changed; at the end the whole state. The dense engines (reference with hard
and with true softmax attention, torch, ONNX Runtime) make SAMPLES steps of each program, from
states of the interpreter at evenly spaced places of its run, and every number of the next state
is compared. The sudoku, millions of steps, runs whole on `lifted`, and the state is compared at
1,000 places; all of it on `native`, too, with TRANSPUTER_LOOM_WHOLE=1.
"""

import os
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from tests.frontends.smallc.cases import CASES, Case
from tests.machines.loom.every_step import graph
from tests.machines.loom.interpreted import BY_NAME, LONG, SHORT, Interpreter
from transputer.engines.lifted_looped import LoopedLifted
from transputer.engines.native.looped import LoopedNative
from transputer.engines.onnx_looped import LoopedOnnx
from transputer.engines.reference_looped import LoopedReference
from transputer.errors import StepLimitError
from transputer.machines.loom.circuit import model
from transputer.model import Array

#: Steps of each program on each dense engine.
SAMPLES = 8
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
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
def sampled(name: str) -> tuple[Interpreter, Array, Array]:
    """States before and after SAMPLES steps, evenly spaced over the run of all ticks."""
    case = BY_NAME[name]
    steps = _count(case)
    chosen = set(np.linspace(0, steps - 1, SAMPLES).astype(int).tolist())
    oracle, before, after, made = Interpreter(case), [], [], 0
    for tick in case.ticks:
        oracle.begin(tick)
        while not oracle.loom.halted and made <= max(chosen):
            state = oracle.state() if made in chosen else None
            oracle.step()
            if state is not None:
                before.append(state)
                after.append(oracle.state())
            made += 1
    return oracle, np.stack(before), np.stack(after)


def _count(case: Case) -> int:
    oracle = Interpreter(case)
    for tick in case.ticks:
        oracle.begin(tick)
        oracle.loom.run(case.limit)
    return oracle.loom.steps


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_the_reference(case: Case, attention: str) -> None:
    oracle, before, after = sampled(case.name)
    engine = LoopedReference(model(oracle.config), before, attention)
    engine.step()
    assert np.array_equal(engine.state, after)


@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_torch(case: Case) -> None:
    pytest.importorskip("torch")
    from transputer.engines.torch_looped import LoopedTorch

    oracle, before, after = sampled(case.name)
    for attention in ("hard", "softmax"):
        engine = LoopedTorch(model(oracle.config), before, attention)
        engine.step()
        assert np.array_equal(engine.state, after)


@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.name)
def test_sampled_steps_of_onnx(case: Case) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    oracle, before, after = sampled(case.name)
    held = model(oracle.config)
    engine = LoopedOnnx(held, before[0], graph(held))
    for one, other in zip(before, after, strict=True):
        engine.restart(one)
        engine.step()
        assert np.array_equal(engine.state, other)


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
