"""Samples for the quick suite: `make test` runs a part of a product, `make test-all` all of it."""

from collections.abc import Iterable
from typing import Any

import pytest


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
