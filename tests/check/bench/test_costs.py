"""What `bench ops` counts."""

import pytest

from transputer.check.bench import costs
from transputer.errors import EngineUnavailable
from transputer.isa.wasm import WASM


def test_instructions_of_64_bits_take_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "WASM", [WASM["i64.load8_u"], WASM["i64.extend_i32_u"]])
    try:
        steps = {cost.name: cost.steps for cost in costs.op_costs(times=2)}
    except EngineUnavailable as error:
        pytest.skip(str(error))
    assert steps == {"i64.load8_u": 1, "i64.extend_i32_u": 1}
