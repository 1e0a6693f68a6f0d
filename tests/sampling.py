"""Samples for the quick suite: `make test` runs a part of a product, `make test-all` all of it."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], every: int = 10) -> list[Any]:
    """All values as parameters; all but every `every`-th are slow."""
    return [
        value if not number % every else pytest.param(*_row(value), marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def _row(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
