"""Forms: canonical, with ranges that are exact per part and per staircase."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transputer.circuit import Form, Graph, Interval, values
from transputer.circuit.bounds import combined, piecewise, require
from transputer.circuit.logic import step
from transputer.errors import CapacityError


def test_forms_are_canonical() -> None:
    g = Graph()
    x, y = g.part("x", 8).number(), g.part("y", 8).number()
    assert x + y == y + x
    assert 2 * x - x - x == Form()
    assert sum([x, 1, y]) == 1 + y + x
    assert 3 - x == -(x - 3)
    assert str(2 * x - y + 1) == "2*x - y + 1"
    with pytest.raises(TypeError):
        x * y  # noqa: B018


def test_lanes_of_one_part_are_decided_together() -> None:
    byte = Graph().part("byte", 256)
    assert (byte.number() - 128 * byte.bit(7)).range == Interval(0, 127)
    assert sum(byte.one_hot(v) for v in range(256)).range == Interval(1, 1)
    assert (byte.square() - byte.number()).range == Interval(0, 255 * 254)


def test_lanes_read_from_one_token_are_decided_together() -> None:
    g = Graph()
    byte = g.part("byte", 256)
    head = g.attend("previous", [1], [g.position])
    low = head.read(byte.number()) - 128 * head.read(byte.bit(7))
    assert low.range == Interval(0, 127)
    other = g.attend("first", [-1], [g.position])
    assert (head.read(byte.number()) - other.read(byte.number())).range == Interval(-255, 255)


def test_equal_things_are_made_once() -> None:
    g = Graph()
    x = g.part("x", 8)
    assert x.bit(0) == x.indicator({1, 3, 5, 7})
    assert g.neuron(x.number() - 3) == g.neuron(x.number() - 3)
    head = g.attend("a", [1], [x.number() + 3])
    assert head.key == (x.number(),)  # constants in keys compare with nothing
    assert head.read(x.bit(0)) == head.read(x.indicator({1, 3, 5, 7}))
    assert g.attend("b", [1], [x.number()]).read(x.bit(0)) != head.read(x.bit(0))


def test_gates_that_decide_nothing_make_no_neuron() -> None:
    g = Graph()
    x = g.part("x", 8).number()
    assert g.neuron(x - 8) == Form()
    assert g.neuron(3, x) == 3 * x
    assert g.neuron(x, 0) == Form()
    assert g.neuron(x - 3, 5) == 5 * g.neuron(x - 3)


def test_staircase_range_is_its_steps() -> None:
    g = Graph()
    x = 2**30 * g.part("high", 256).number() + g.part("low", 256).number()
    stairs = sum(step(g, x, 2**30 * k) for k in range(1, 100))
    assert stairs.range == Interval(0, 99)
    assert step(g, x, 5, g.part("when", 2).number()).range == Interval(0, 1)


def test_capacity_errors_carry_the_number() -> None:
    g = Graph()
    x = g.part("x", 256).number()
    with pytest.raises(CapacityError, match=str(2**50 * 255 + 1)):
        g.neuron(2**50 * x - 1)
    with pytest.raises(CapacityError, match="score"):
        g.attend("far", [2**40 * x], [x])
    with pytest.raises(CapacityError, match="product"):
        g.neuron(2**30 * x, 2**20 * x)
    require("fits", 2**53 - 1, 2**53)


def test_assumptions_narrow_only() -> None:
    g = Graph()
    x = g.part("x", 8).number()
    assert g.assume(x, -5, 100, "wider") == x
    assert g.assume(x, 2, 100, "narrower").range == Interval(2, 7)
    assert g.assume(x, 2, 5, "narrower").expanded() == x
    with pytest.raises(ValueError, match="never"):
        g.assume(x, 20, 30, "impossible")


pieces = st.lists(
    st.tuples(st.integers(-5, 5), st.sampled_from([-1, 1]), st.integers(-12, 12)), max_size=6
)


@given(pieces, st.integers(-10, 10), st.integers(0, 15))
def test_piecewise_is_exact(found: list[tuple[int, int, int]], lo: int, size: int) -> None:
    seen = [sum(w * max(s * z + o, 0) for w, s, o in found) for z in range(lo, lo + size + 1)]
    assert piecewise(found, Interval(lo, lo + size)) == Interval(min(seen), max(seen))


@given(st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(0, 7)), min_size=1))
def test_tables_combine_exactly(weights: list[tuple[int, int]]) -> None:
    tables = [(w, np.array([0, v, -v])) for w, v in weights]
    total = sum(w * v for w, v in weights)
    assert [int(v) for v in combined(tables)] == [0, total, -total]


@given(st.lists(st.integers(-3, 3), min_size=4, max_size=4), st.integers(-9, 9))
def test_ranges_hold(weights: list[int], const: int) -> None:
    g = Graph()
    x, y = g.part("x", 5), g.part("y", 5)
    atoms = [x.number(), x.one_hot(2), y.number(), g.neuron(x.number() - y.number(), y.bit(0))]
    form = sum((w * a for w, a in zip(weights, atoms, strict=True)), Form.of(const))
    token = {"x": np.repeat(np.arange(5), 5), "y": np.tile(np.arange(5), 5)}
    seen = values([form], token)[0] + np.zeros(25, int)
    assert form.lo <= seen.min() <= seen.max() <= form.hi
    assert np.abs(seen).max() <= form.magnitude
