"""What `bench ops` counts."""

import pytest

from transputer.check.bench import costs
from transputer.errors import EngineUnavailable
from transputer.isa.wasm import WASM


def test_steps_over_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants and drops around an instruction do not count; operands may matter."""
    names = ("i64.const", "i64.load8_u", "i64.store", "i64.div_u", "memory.size")
    monkeypatch.setattr(costs, "WASM", [WASM[name] for name in names])
    try:
        counts = {cost.name: cost for cost in costs.op_costs(times=2)}
    except EngineUnavailable as error:
        pytest.skip(str(error))
    assert [str(counts[name]) for name in names if name != "i64.div_u"] == [
        *("1", "1"),
        "1 (1 to 2)",  # into one word, or into two
        "1",
    ]
    quotient = counts["i64.div_u"]
    assert 2 <= quotient.fewest <= quotient.steps < quotient.most <= 12
