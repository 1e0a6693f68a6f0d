"""Nonzero weights compute what the matrices compute."""

import numpy as np
import pytest

from transputer.model import Entries, entries


@pytest.fixture(params=range(4))
def matrix(request: pytest.FixtureRequest) -> np.ndarray:
    rng = np.random.default_rng(request.param)
    shape = [(7, 9), (1, 5), (0, 4), (6, 6)][request.param]
    return (rng.integers(-9, 10, shape) * (rng.random(shape) < 0.3)).astype(np.float64)


def test_products(matrix: np.ndarray) -> None:
    rng, rows = np.random.default_rng(5), entries(matrix)
    x = rng.integers(-9, 10, (4, matrix.shape[1])).astype(np.float64)
    other = (
        rng.integers(-9, 10, (matrix.shape[1], 8)) * (rng.random((matrix.shape[1], 8)) < 0.4)
    ) * 1.0
    assert (rows.times(x[0]) == matrix @ x[0]).all()
    assert (rows.over(x) == x @ matrix.T).all()
    assert (rows.matrix(entries(other)) == matrix @ other).all()
    assert (rows.magnitudes.times(x[0]) == np.abs(matrix) @ x[0]).all()


def test_rows_and_lanes(matrix: np.ndarray) -> None:
    rows, eye = entries(matrix), np.eye(matrix.shape[1])
    chosen = np.arange(len(matrix))[::-2]
    assert (rows.over(eye) == matrix.T).all()
    assert (rows.part(chosen).over(eye) == matrix[chosen].T).all()
    assert (rows.transposed.over(np.eye(len(matrix))) == matrix).all()
    assert (rows.only(rows.weights > 0).over(eye) == np.maximum(matrix, 0).T).all()
    assert (rows.used == np.flatnonzero(matrix.any(axis=0))).all()
    lanes = np.arange(matrix.shape[1])[::2]
    some, weights = rows.columns(lanes)
    assert (some == np.flatnonzero(matrix[:, lanes].any(axis=1))).all()
    assert (weights == matrix[np.ix_(some, lanes)]).all()


def test_arrays_that_may_change_are_read_again() -> None:
    array = np.eye(3)
    assert isinstance(entries(array), Entries) and entries(entries(array)).lanes.size == 3
    array[0, 1] = 5.0
    assert entries(array).lanes.size == 4
    array.setflags(write=False)
    assert entries(array) is entries(array)
