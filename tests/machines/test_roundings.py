"""Floats rounded to integers, against the rows' pure functions and NumPy."""

import numpy as np
import pytest

from tests.machines.float_operands import (
    COUNTS,
    Patterns,
    float_edges,
    format_of,
    host_type,
    random_floats,
)
from tests.machines.rules import RuleBench, decode, execute
from transputer.isa.core import CORE
from transputer.isa.floats import Format
from transputer.machines.trace import roundings
from transputer.machines.trace.machine import trace

_NAMES = [n for n, rule in trace.rules.items() if rule.__module__ == roundings.__name__]
_HOST = {"ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "nearest": np.rint}


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    return RuleBench([trace.rules[name] for name in _NAMES])


def _host(mode: str, f: Format, t: Patterns) -> Patterns:
    unsigned, kind = host_type(f.bits)
    with np.errstate(invalid="ignore"):
        result = _HOST[mode](t.astype(unsigned).view(kind))
    return np.where(np.isnan(result), np.uint64(f.nan), result.view(unsigned)).astype(np.uint64)


def test_rows() -> None:
    """Every mode has its rule here, for both formats."""
    assert sorted(_NAMES) == sorted(f"{t}.{mode}" for t in ("f32", "f64") for mode in _HOST)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", _NAMES)
def test_one_step(bench: RuleBench, name: str, count: int) -> None:
    """Edges and random operands, bit for bit, in one step; S does not matter."""
    f, row = format_of(name[:3]), CORE[name]
    t = np.concatenate([np.array(float_edges(f), np.uint64), random_floats(f, count, 7)])
    result = execute(bench, name, np.roll(t, 1), t)
    assert result.values.tolist() == [row.pure(a) for a in t.tolist()]
    assert (result.values == _host(name[4:], f, t)).all()
    assert set(result.steps.tolist()) == {1}


@pytest.mark.parametrize("name", _NAMES)
def test_around_integers(bench: RuleBench, name: str) -> None:
    """Halves and quarters from -64 to 64, powers of two and ties at every exponent, one ulp off."""
    f, row = format_of(name[:3]), CORE[name]
    numbers = [f.encode(n / 4) for n in range(256)]
    numbers += [f.encode(2.0**k + d) for k in range(-3, f.fraction + 2) for d in (0, 0.5, 1, 1.5)]
    steps = [n + d for n in numbers for d in (-1, 0, 1) if n + d >= 0]
    t = np.array([n | s for n in steps for s in (0, f.sign)], np.uint64)
    result = execute(bench, name, np.zeros_like(t), t)
    assert result.values.tolist() == [row.pure(a) for a in t.tolist()]


def test_model() -> None:
    """The weights: bounds verified, and `reference` gives the same on edges and random operands."""
    model = RuleBench([trace.rules[name] for name in _NAMES]).model()
    for name in _NAMES:
        f, row = format_of(name[:3]), CORE[name]
        operands = [*float_edges(f)[::6], *random_floats(f, 20, 9).tolist()]
        expected = [(row.pure(a), 0) for a in operands]
        assert [decode(model, name, 0, a) for a in operands] == expected, name
