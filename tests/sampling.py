"""Samples for the quick suite: `make test` runs a part of a product, `make test-all` all of it."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

#: Whether only the quick tests are selected; `tests/conftest.py` sets it before tests are read.
quick = False


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


def random_cases(count: int, **more: Any) -> settings:
    """Settings for a property with `count` random cases; the quick suite tries a fifth of them."""
    return settings(max_examples=max(10, count // 5) if quick else count, deadline=None, **more)
