"""Gadgets on bipolar words, on all words of 8 bits and on any of 32; and the language of loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.circuit.bipolar import (
    agree,
    borrows,
    difference,
    doubled,
    doubled_signed,
    increment,
    spell,
)
from transputer.circuit.bounds import Interval
from transputer.circuit.form import Form, Held, Neuron
from transputer.circuit.graph import Graph
from transputer.circuit.looped import Loop, Match


def words(g: Graph, *sizes: int) -> list[list[Form]]:
    """Words of bipolar lanes, numbered from 0."""
    made, row = [], 0
    for size in sizes:
        made.append([g.held(f"x{row + i}", row + i, 0, Interval(-1, 1)) for i in range(size)])
        row += size
    return made


def value(form: Form, lanes: np.ndarray) -> np.ndarray:
    """A form on many values of the lanes at once."""
    total = np.full(lanes.shape[1], form.const, dtype=object)
    for atom, weight in form.terms:
        if isinstance(atom, Held):
            total = total + weight * lanes[atom.row]
        else:
            assert isinstance(atom, Neuron)
            gate = np.maximum(value(atom.gate, lanes), 0)
            total = total + weight * gate * value(atom.value, lanes)
    return total


def bipolar(numbers: np.ndarray, size: int) -> np.ndarray:
    rows = [np.where((numbers >> i) & 1, 1, -1) for i in range(size)]
    return np.array(rows, dtype=object)


def every_pair() -> tuple[np.ndarray, np.ndarray]:
    grid = np.arange(1 << 16)
    return grid & 0xFF, grid >> 8


def number(bits: list[np.ndarray]) -> np.ndarray:
    assert all(set(bit) <= {-1, 1} for bit in bits)
    return sum((bit > 0).astype(object) << i for i, bit in enumerate(bits))


def test_a_gate_is_one_where_all_literals_hold() -> None:
    g = Graph()
    (bits,) = words(g, 5)
    numbers = np.arange(32)
    for wanted in range(32):
        gate = agree(spell(bits, wanted))
        assert gate.hi == 1
        found = value(gate, bipolar(numbers, 5))
        assert ((found == 1) == (numbers == wanted)).all() and (found[numbers != wanted] <= 0).all()
    assert value(agree(spell(bits, 3)), np.zeros((5, 1), dtype=object))[0] <= 0


def test_numbers_of_words() -> None:
    g = Graph()
    (bits,) = words(g, 8)
    numbers = np.arange(256)
    lanes = bipolar(numbers, 8)
    assert (value(doubled(bits), lanes) == 2 * numbers - 255).all()
    signed = np.where(numbers > 127, numbers - 256, numbers)
    assert (value(doubled_signed(bits), lanes) == 2 * signed + 1).all()


@pytest.mark.slow
def test_borrows_and_difference_of_all_pairs() -> None:
    g = Graph()
    minuend, subtrahend, (when,) = words(g, 8, 8, 1)
    a, b = every_pair()
    for on in (1, 0):
        lanes = np.concatenate([bipolar(a, 8), bipolar(b, 8), np.full((1, len(a)), on, object)])
        found = [value(bit, lanes) for bit in difference(g, minuend, subtrahend, when)]
        if on:
            assert (number(found) == (a - b) % 256).all()
        else:
            assert not np.array(found).any()
    lent = [value(bit, lanes) for bit in borrows(g, minuend, subtrahend)]
    for i, bit in enumerate(lent):
        low = (2 << i) - 1
        assert (bit == ((a & low) < (b & low))).all()


def test_a_difference_takes_three_neurons_a_bit() -> None:
    g = Graph()
    minuend, subtrahend, (when,) = words(g, 8, 8, 1)
    forms = difference(g, minuend, subtrahend, when)
    neurons = {atom for form in forms for atom, _ in form.terms if isinstance(atom, Neuron)}
    assert len(neurons) == 3 * 8


def test_adding_is_subtracting_the_complement_and_one() -> None:
    """The lowest digit of the subtrahend is -c + 2, from -1 to 3."""
    g = Graph()
    minuend, subtrahend = words(g, 8, 8)
    b, c = every_pair()
    digits = -bipolar(c, 8)
    digits[0] += 2
    lanes = np.concatenate([bipolar(b, 8), digits])
    found = [value(bit, lanes) for bit in difference(g, minuend, subtrahend)]
    assert (number(found) == (b + c) % 256).all()


@random_cases(30)
@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), min_size=1))
def test_differences_of_32_bits(pairs: list[tuple[int, int]]) -> None:
    g = Graph()
    minuend, subtrahend = words(g, 32, 32)
    a, b = np.array(pairs, dtype=object).T
    lanes = np.concatenate([bipolar(a, 32), bipolar(b, 32)])
    found = [value(bit, lanes) for bit in difference(g, minuend, subtrahend)]
    assert (number(found) == (a - b) % 2**32).all()


@pytest.mark.parametrize("when", [1, 0, -1])
def test_increment(when: int) -> None:
    g = Graph()
    (bits,) = words(g, 6)
    gate = g.held("when", 6, 0, Interval(-1, 1))
    numbers = np.arange(64)
    lanes = np.concatenate([bipolar(numbers, 6), np.full((1, 64), when, dtype=object)])
    gained = [value(form, lanes) for form in increment(g, bits, gate)]
    after = [lanes[i] + more for i, more in enumerate(gained)]
    assert (number(after) == (numbers + (when == 1)) % 64).all()


def test_increment_leaves_empty_columns_empty() -> None:
    g = Graph()
    (bits,) = words(g, 6)
    gate = g.held("when", 6, 0, Interval(-1, 1))
    lanes = np.zeros((7, 1), dtype=object)
    assert not any(value(form, lanes)[0] for form in increment(g, bits, gate))


# Loops


def test_a_form_over_what_was_overwritten_is_refused() -> None:
    loop = Loop(4)
    row = loop.row("x", (0, 1), (0, 1))
    before = loop.now(row)
    with loop.layer("erase") as layer:
        layer.add(row, -before)
    with pytest.raises(ValueError, match="x is not what a row holds"), loop.layer("late") as layer:
        layer.add(row, layer.graph.neuron(before))


def test_ranges_follow_what_is_written() -> None:
    loop = Loop(4)
    x, y = loop.row("x", (0, 3), (0, 3)), loop.row("y")
    with loop.layer("read", [Match("h", (loop.now(x),), ((y, 2 * loop.now(x)),))]) as layer:
        assert loop.now(y).range == Interval(0, 6)
        layer.add(y, -loop.now(y))
    assert loop.now(y).range == Interval(0, 0)
    with loop.layer("promise") as layer:
        layer.add(y, layer.graph.neuron(loop.now(x)) - layer.graph.neuron(loop.now(x) - 1))
        layer.promise([y], 0, 1)
    assert loop.now(y).range == Interval(0, 1)


def test_equal_gates_and_values_are_one_neuron() -> None:
    loop = Loop(4)
    rows = [loop.row(name, (0, 1), (0, 1)) for name in "xyz"]
    with loop.layer("share") as layer:
        for row, times in product(rows[1:], (1, 2)):
            layer.add(row, times * layer.graph.neuron(loop.now(rows[0])))
        for row in rows[1:]:
            layer.add(row, -3 * loop.now(rows[0]))
    model_layer = loop._layers[0]
    assert len(model_layer.gate) == 2
