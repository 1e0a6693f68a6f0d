"""Proofs against exhaustive runs: mutants of right programs at 8 bits. Needs cvc5."""

import pytest

pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

from tools.learning.mutants import counted, learned_programs  # noqa: E402

PROGRAMS = learned_programs()


def check(name: str, count: int) -> None:
    """Every mutant is refuted exactly if some input of 8 bits shows that it is wrong."""
    totals = counted(name, PROGRAMS[name], count)
    assert not totals.mistakes, totals
    assert totals.refuted and totals.proved + totals.refuted > count // 4, totals


@pytest.mark.parametrize("name", ["max", "sign", "average"])
def test_some_mutants(name: str) -> None:
    check(name, 40)


#: Tasks whose programs are proved.
_PROVED = [n for n in PROGRAMS if n not in ("gcd", "fibonacci", "multiply", "binary_search")]


@pytest.mark.slow
@pytest.mark.parametrize("name", _PROVED)
def test_200_mutants_of_each_task(name: str) -> None:
    check(name, 200)
