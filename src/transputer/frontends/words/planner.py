"""What turns a text into plans: the protocol, and how front ends are found.

A planner is a class that an installed package names in the entry-point group
`transputer.planners`; it is made without arguments.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Protocol

from transputer.errors import UsageError
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.plan import Plan

GROUP = "transputer.planners"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan, and how sure its planner is of it, from 0 to 1."""

    plan: Plan
    confidence: float


class Abstained(Exception):
    """A planner has no plan for a text; the message says why."""


class Planner(Protocol):
    """Turns a text and the numbers found in it into plans, the likeliest first.

    A proposal under `threshold` is not used. `Abstained` says why there is none.
    """

    name: str
    threshold: float

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The plans, the likeliest first."""


def planner_names() -> list[str]:
    """The planners that are installed, by name."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def load_planner(name: str) -> Planner:
    """A planner by its entry point's name; UsageError where there is none or it fails."""
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                made: Callable[[], Planner] = point.load()
            except ImportError as problem:
                raise UsageError(f"the front end {name} cannot be loaded: {problem}") from None
            return made()
    known = ", ".join(planner_names()) or "none"
    raise UsageError(f"no front end {name!r} is installed; there is: {known}")
