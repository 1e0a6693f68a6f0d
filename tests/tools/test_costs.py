"""What instructions cost on the weights: limits, and the table in the docs."""

import pytest

from tools.costs import PAGE, measure, page
from transputer.check.bench.costs import OpCost
from transputer.errors import EngineUnavailable

ONE_STEP = ("i64.add", "i64.mul", "i64.rotl", "i64.clz", "i64.lt_s", "i64.load", "f64.load")
#: The most steps that an instruction may take, on any operands.
LIMITS = {
    **{f"i32.{name}": 6 for name in ("div_s", "div_u", "rem_s", "rem_u")},
    **{f"i64.{name}": 12 for name in ("div_s", "div_u", "rem_s", "rem_u")},
    **{f"f{n}.{name}": 6 for n in (32, 64) for name in ("add", "sub", "mul")},
    **{f"f{n}.{name}": 1 for n in (32, 64) for name in ("lt", "min", "copysign", "neg")},
    **{f"f{n}.div": 16 for n in (32, 64)},
    **{f"f{n}.sqrt": 12 for n in (32, 64)},
    **{f"f{n}.{name}": 4 for n in (32, 64) for name in ("ceil", "nearest", "convert_i64_u")},
    **{name: 4 for name in ("f32.demote_f64", "f64.promote_f32", "i64.trunc_f64_s")},
    **{name: 2 for name in ("i64.store", "memory.grow")},
    **dict.fromkeys(ONE_STEP, 1),
}


@pytest.fixture(scope="module")
def costs() -> dict[str, OpCost]:
    try:
        return {cost.name: cost for cost in measure()}
    except EngineUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_page_is_fresh(costs: dict[str, OpCost]) -> None:
    fresh = PAGE.read_text(encoding="utf-8") == page(costs.values())
    assert fresh, "docs/lowering.md is stale: run `python -m tools.costs`"


@pytest.mark.parametrize("name, limit", LIMITS.items())
def test_limits(costs: dict[str, OpCost], name: str, limit: int) -> None:
    assert costs[name].most <= limit


def test_usual_operands_take_fewer_steps(costs: dict[str, OpCost]) -> None:
    """A normal result needs neither of the steps that subnormal operands add."""
    assert costs["f64.add"].steps <= 4
    assert costs["f64.mul"].steps <= 4
    assert costs["f64.div"].steps <= 13


def test_edges_take_fewer_and_more_steps(costs: dict[str, OpCost]) -> None:
    assert costs["f64.add"].fewest == 1
    assert costs["f64.mul"].most > costs["f64.mul"].steps
