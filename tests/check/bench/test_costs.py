"""What `bench ops` counts."""

import pytest

from transputer.check.bench import costs
from transputer.errors import EngineUnavailable
from transputer.isa.wasm import WASM


def test_words_that_an_instruction_pushes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a constant one, which lowering leaves out where it is dropped at once."""
    monkeypatch.setattr(costs, "WASM", [WASM["i64.load8_u"], WASM["i64.extend_i32_u"]])
    try:
        steps = {cost.name: cost.steps for cost in costs.op_costs(times=2)}
    except EngineUnavailable as error:
        pytest.skip(str(error))
    assert steps == {"i64.load8_u": 2, "i64.extend_i32_u": 1}
