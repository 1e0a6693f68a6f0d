"""What lowered instructions cost on the weights: limits, and the table in the docs."""

import pytest

from tools.costs import PAGE, Cost, measure, page
from transputer.engines.native.decoder import Native
from transputer.errors import EngineUnavailable
from transputer.machines.trace.circuit import model


@pytest.fixture(scope="module")
def costs() -> list[Cost]:
    try:
        return measure(Native(model()))
    except EngineUnavailable as error:
        pytest.skip(str(error))


def test_the_page_is_fresh(costs: list[Cost]) -> None:
    fresh = PAGE.read_text(encoding="utf-8") == page(costs)
    assert fresh, "docs/lowering.md is stale: run `python -m tools.costs`"


@pytest.mark.parametrize(
    "name, limit",
    [("i64.add", 12), ("i64.mul", 60), ("f64.add", 400), ("f64.mul", 400), ("f64.div", 1000)],
)
def test_limits(costs: list[Cost], name: str, limit: int) -> None:
    (most,) = [cost.most for cost in costs if cost.name == name]
    assert most <= limit
