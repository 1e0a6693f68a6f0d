"""Float comparisons, min, max and signs, against the rows' pure functions and NumPy."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.machines.bench_model import bench_model, execute_model
from tests.machines.float_operands import (
    Patterns,
    float_edges,
    float_pairs,
    format_of,
    random_floats,
)
from tests.machines.rules import RuleBench, execute
from transputer.isa.core import CORE
from transputer.isa.floats import Format
from transputer.machines.trace import compares
from transputer.machines.trace.machine import trace

_NAMES = [n for n, rule in trace.rules.items() if rule.__module__ == compares.__name__]
_HOST: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "gt": np.greater,
    "le": np.less_equal,
    "ge": np.greater_equal,
    "copysign": np.copysign,
    "abs": np.abs,
    "neg": np.negative,
}


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    return RuleBench([trace.rules[name] for name in _NAMES])


def _host(name: str, f: Format, s: Patterns, t: Patterns) -> Patterns:
    """What NumPy makes of the patterns; min and max are left to the pure functions."""
    unsigned, kind = (np.uint32, np.float32) if f.bits == 32 else (np.uint64, np.float64)
    floats = [x.astype(unsigned).view(kind) for x in (s, t)][-CORE[name].pops :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _HOST[name[4:]](*floats)
    return (result.view(unsigned) if result.dtype == kind else result).astype(np.uint64)


def test_rows() -> None:
    """Every comparison of floats has its rule here, for both formats."""
    short = (*_HOST, "min", "max")
    assert sorted(_NAMES) == sorted(f"{t}.{name}" for t in ("f32", "f64") for name in short)


@pytest.mark.parametrize("name", _NAMES)
def test_one_step(bench: RuleBench, name: str) -> None:
    """Edges with edges and 20,000 random pairs, bit for bit, in one step."""
    row, f = CORE[name], format_of(name[:3])
    s, t = float_pairs(f, seed=3)
    result = execute(bench, name, s, t)
    pairs = zip(s.tolist(), t.tolist(), strict=True)
    assert result.values.tolist() == [row.pure(*pair[-row.pops :]) for pair in pairs]
    assert set(result.steps.tolist()) == {1}
    if name[4:] in _HOST:
        assert (result.values == _host(name, f, s, t)).all()


def test_model() -> None:
    """The weights: bounds verified, and `reference` gives the same on edges and random pairs."""
    model = bench_model(tuple(_NAMES))
    rng = np.random.default_rng(5)
    for name in _NAMES:
        row, f = CORE[name], format_of(name[:3])
        operands = [*float_edges(f), *random_floats(f, 100, 5).tolist()]
        pairs = [tuple(rng.choice(np.array(operands, np.uint64), 2).tolist()) for _ in range(60)]
        expected = [(row.pure(*pair[-row.pops :]), 0, 1) for pair in pairs]
        assert execute_model(model, name, pairs) == expected, name
