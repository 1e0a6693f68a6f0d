"""Hypothesis strategies that the tests share."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from transputer.check.fuzz.choose import Choose
from transputer.check.fuzz.modules import ModuleCase, case


class Drawn(Choose):
    """Choices that hypothesis makes, records and shrinks."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, lo: int, hi: int) -> int:
        return int(self._draw(st.integers(lo, hi)))


@st.composite
def cases(draw: Callable[[st.SearchStrategy[Any]], Any]) -> ModuleCase:
    """Random modules with calls to make."""
    return case(Drawn(draw))
