"""Samples for the quick suite: `make test` runs a part of a product, `make test-all` all of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import settings

#: Whether only the quick tests are selected; `tests/conftest.py` sets it before tests are read.
quick = False
#: Cases of one test that the quick suite runs.
CASES = 5

Item = TypeVar("Item")


def sampled(values: Iterable[Any], every: int, *, rows: bool = False) -> list[Any]:
    """All values as parameters; all but every `every`-th are slow.

    With `rows`, a value is a tuple with one item for each of several parameters.
    """
    return [
        value
        if not number % every
        else pytest.param(*(value if rows else (value,)), marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def some_of_each(items: Iterable[Item], group: Callable[[Item], str]) -> set[Item]:
    """At most `CASES` items of each group, evenly spread, the first and the last among them."""
    groups = defaultdict(list)
    for item in items:
        groups[group(item)].append(item)
    return {
        cases[number * (len(cases) - 1) // (CASES - 1)] if len(cases) > CASES else cases[number]
        for cases in groups.values()
        for number in range(min(CASES, len(cases)))
    }


def function(item: pytest.Item) -> str:
    """The test function of a case. Cases that the quick suite leaves out anyway do not count."""
    slow = "slow" if item.get_closest_marker("slow") else ""
    return f"{item.nodeid.partition('[')[0]} {slow}"


def random_cases(count: int, **more: Any) -> settings:
    """Settings for a property with `count` random cases; the quick suite tries a fifth of them."""
    return settings(max_examples=max(10, count // 5) if quick else count, deadline=None, **more)
