"""Float comparisons, min, max and signs, against the rows' pure functions and NumPy."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.machines.float_operands import (
    COUNTS,
    Patterns,
    float_edges,
    float_pairs,
    format_of,
    host_type,
    random_floats,
)
from tests.machines.rules import RuleBench, decode, execute
from transputer.circuit import values
from transputer.isa.core import CORE
from transputer.isa.floats import Format
from transputer.machines.trace import compares, conversions, roundings
from transputer.machines.trace.machine import trace
from transputer.machines.trace.opcodes import OPCODES

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
    unsigned, kind = host_type(f.bits)
    floats = [x.astype(unsigned).view(kind) for x in (s, t)][-CORE[name].pops :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _HOST[name[4:]](*floats)
    return (result.view(unsigned) if result.dtype == kind else result).astype(np.uint64)


def test_rows() -> None:
    """Every comparison of floats has its rule here, for both formats."""
    short = (*_HOST, "min", "max")
    assert sorted(_NAMES) == sorted(f"{t}.{name}" for t in ("f32", "f64") for name in short)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", _NAMES)
def test_one_step(bench: RuleBench, name: str, count: int) -> None:
    """Edges with edges and random pairs, bit for bit, in one step."""
    row, f = CORE[name], format_of(name[:3])
    s, t = float_pairs(f, count, seed=3)
    result = execute(bench, name, s, t)
    pairs = zip(s.tolist(), t.tolist(), strict=True)
    assert result.values.tolist() == [row.pure(*pair[-row.pops :]) for pair in pairs]
    assert set(result.steps.tolist()) == {1}
    if name[4:] in _HOST:
        assert (result.values == _host(name, f, s, t)).all()


def test_model() -> None:
    """The weights: bounds verified, and `reference` gives the same on edges and random pairs."""
    model = RuleBench([trace.rules[name] for name in _NAMES]).model()
    rng = np.random.default_rng(5)
    for name in _NAMES:
        row, f = CORE[name], format_of(name[:3])
        operands = [*float_edges(f), *random_floats(f, 100, 5).tolist()]
        pairs = [tuple(rng.choice(np.array(operands, np.uint64), 2).tolist()) for _ in range(20)]
        expected = [(row.pure(*pair[-row.pops :]), 0) for pair in pairs]
        assert [decode(model, name, s, t) for s, t in pairs] == expected, name


def test_others_stay_silent() -> None:
    """For other instructions these rules say nothing, whatever the operands and the phase."""
    modules = {m.__name__ for m in (compares, conversions, roundings)}
    names = [n for n, rule in trace.rules.items() if rule.__module__ in modules]
    bench = RuleBench([trace.rules[name] for name in names])
    others = [number for name, number in OPCODES.items() if name not in names]
    rng = np.random.default_rng(19)
    size = 20 * len(others)
    state = {p.name: rng.integers(0, p.size, size) for p in bench.g.parts.values()}
    state["op"] = np.tile(others, 20)
    forms = [form for digits in bench.output.values() for form in digits]
    for value in values([*forms, bench.stay, bench.trap, bench.dividend], state):
        assert not np.any(value)
