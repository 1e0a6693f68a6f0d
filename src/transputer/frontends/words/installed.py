"""Planners by name: our own, and those of installed packages.

A package registers its planners in the entry-point group `transputer.planners`. Each entry is
a callable without arguments that returns a planner.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from transputer.errors import UsageError
from transputer.frontends.words.both import Both
from transputer.frontends.words.embedded.planner import Embedded
from transputer.frontends.words.endpoint import Endpoint
from transputer.frontends.words.planner import Planner
from transputer.frontends.words.rules import Rules
from transputer.frontends.words.smollm.planner import SmolLM

GROUP = "transputer.planners"
OWN: dict[str, Callable[[], Planner]] = {
    "rules": Rules,
    "embedded": Embedded,
    "endpoint": Endpoint.from_environment,
    "smollm2": SmolLM,
    "both": Both,
}


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def planner_names() -> list[str]:
    """The names of all planners, sorted."""
    return sorted({*OWN, *_points()})


def load_planner(name: str) -> Planner:
    """Return the planner `name`; `UsageError` if there is none or its package does not load."""
    if name in OWN:
        return OWN[name]()
    point = _points().get(name)
    if point is None:
        raise UsageError(f"no planner {name!r}; available: {', '.join(planner_names())}")
    try:
        factory: Callable[[], Planner] = point.load()
    except (ImportError, AttributeError) as problem:
        raise UsageError(f"the planner {name} cannot be loaded: {problem}") from None
    return factory()
