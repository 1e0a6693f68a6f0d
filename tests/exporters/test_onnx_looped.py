"""ONNX Runtime on exported looped models: the same states as the reference, bit for bit."""

from typing import Any

import numpy as np
import pytest

from tests.machines.loom.support import TINY, program, scramble
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import CapacityError
from transputer.exporters.onnx_looped import (
    BakedProgram,
    loop_graph_looped,
    step_graph_looped,
)
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
CONFIGS = (TINY, LoomConfig(64, 16, 32, 10), LoomConfig(64, 32, 32, 10))


def session(contents: bytes) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(contents, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: c.name)
def test_every_step_is_the_same(config: LoomConfig) -> None:
    held = model(config)
    step = session(step_graph_looped(held))
    for seed in range(4):
        state = initial(scramble(seed, config), config)
        one, x = LoopedReference(held, state), state.astype(held.exact)
        for _ in range(25):
            if one.halted:
                break
            one.step()
            x, halted = step.run(None, {"state": x})
            assert np.array_equal(one.state, x) and bool(halted) == one.halted


def test_the_loop_runs_to_the_end() -> None:
    held = model(TINY)
    run = session(loop_graph_looped(held))
    given = program([("DEC", 1), ("ADD", 2, 1), ("JNZ", 1, 0), ("HALT",)], (0, 9))
    state = initial(given, TINY)
    one = LoopedReference(held, state)
    steps = one.run(1000)
    for limit in (1000, 5, 0):
        last, made = run.run(None, {"state": state.astype(held.exact), "limit": np.array(limit)})
        assert int(made) == min(limit, steps)
        if limit == 1000:
            assert np.array_equal(last, one.state)


def test_a_program_travels_with_its_loop() -> None:
    held = model(TINY)
    given = program([("INC", 1), ("HALT",)], (0, 41))
    baked = BakedProgram(initial(given, TINY), (0,), 1, 0)
    run = session(loop_graph_looped(held, program=baked))
    last, steps, _ = run.run(None, {})
    one = LoopedReference(held, initial(given, TINY))
    assert one.run(100) == int(steps) == 2 and np.array_equal(one.state, last)


def test_a_type_that_would_round_is_refused() -> None:
    wide = model(LoomConfig(64, 32, 32, 10))
    with pytest.raises(CapacityError, match="use float64"):
        step_graph_looped(wide, "float32")
    with pytest.raises(CapacityError, match="float16 is not exact"):
        step_graph_looped(model(TINY), "float16")
