"""The table of docs/lowering.md: forward passes of every instruction, measured on the weights.

`python -m tools.costs` writes it again; `transputer bench ops` measures the same.
"""

from collections.abc import Iterable
from pathlib import Path

from transputer.check.bench.costs import OpCost, op_costs

PAGE = Path(__file__).parents[1] / "docs" / "lowering.md"
START, END = "<!-- costs: measured, do not edit -->", "<!-- end of costs -->"
#: Turns of the loops: enough to count steps.
TIMES = 1


def measure() -> list[OpCost]:
    """The cost of every instruction that can be executed more than once."""
    return [cost for cost in op_costs(times=TIMES) if not cost.refused]


def render(costs: Iterable[OpCost]) -> str:
    """The instructions by their steps; those of one step only by number."""
    several: dict[str, list[str]] = {}
    single = 0
    for cost in costs:
        if str(cost) == "1":
            single += 1
        else:
            several.setdefault(str(cost), []).append(f"`{cost.name}`")
    rows = "\n".join(f"| {steps} | {', '.join(names)} |" for steps, names in several.items())
    table = f"| steps | instructions |\n|---|---|\n| 1 | {single} others |\n{rows}"
    return f"{START}\n\n{table}\n\n{END}"


def page(costs: Iterable[OpCost]) -> str:
    """The page with the table measured again."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return before + render(costs) + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(measure()), encoding="utf-8")
