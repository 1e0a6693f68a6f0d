"""Variants of models for testing the rules: permuted, and broken on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np

from transputer.errors import UsageError
from transputer.model.looped import Looped, LoopedLayer, SelfHead
from transputer.model.tensors import Head, Layer, Model

Weights = TypeVar("Weights", Model, Looped)


def permute(model: Model, rng: np.random.Generator) -> Model:
    """Return a model of equal behaviour: lanes, heads, rows and neurons permuted, names deleted."""
    lanes = rng.permutation(model.width)
    return replace(
        model.anonymous(),
        bias=model.bias[lanes],
        position=model.position[lanes],
        embeddings=tuple(table[:, lanes] for table in model.embeddings),
        layers=tuple(_permuted(layer, lanes, rng) for layer in model.layers),
        outputs=tuple(table[:, lanes] for table in model.outputs),
    )


def _permuted(layer: Layer, lanes: np.ndarray, rng: np.random.Generator) -> Layer:
    neurons = rng.permutation(len(layer.gate))
    heads = []
    for h in rng.permutation(len(layer.heads)):
        head = layer.heads[h]
        rows, values = rng.permutation(len(head.query)), rng.permutation(len(head.value))
        heads.append(
            Head(
                head.query[np.ix_(rows, lanes)],
                head.key[np.ix_(rows, lanes)],
                head.value[np.ix_(values, lanes)],
                head.output[np.ix_(lanes, values)],
            )
        )
    return Layer(
        tuple(heads),
        layer.gate[np.ix_(neurons, lanes)],
        layer.value[np.ix_(neurons, lanes)],
        layer.out[np.ix_(lanes, neurons)],
    )


def permute_looped(model: Looped, rng: np.random.Generator) -> tuple[Looped, np.ndarray]:
    """Permute a looped model; return it, and `rows`: its row i is row `rows[i]` of the original."""
    rows = rng.permutation(model.width)
    layers = []
    for layer in model.layers:
        neurons = rng.permutation(len(layer.gate))
        heads = []
        for h in rng.permutation(len(layer.heads)):
            head = layer.heads[h]
            keys, values = rng.permutation(len(head.key)), rng.permutation(len(head.value))
            key, value = head.key[np.ix_(keys, rows)], head.value[np.ix_(values, rows)]
            heads.append(SelfHead(key, value, head.output[np.ix_(rows, values)]))
        gate, value = layer.gate[np.ix_(neurons, rows)], layer.value[np.ix_(neurons, rows)]
        layers.append(LoopedLayer(tuple(heads), gate, value, layer.out[np.ix_(rows, neurons)]))
    first, ranges = (
        tuple(intervals[row] for row in rows) for intervals in (model.first, model.ranges)
    )
    moved = replace(model.anonymous(), stop=model.stop[rows], layers=tuple(layers))
    return replace(moved, first=first, ranges=ranges), rows


def renumber(model: Model, part: str, order: Sequence[int]) -> Model:
    """Return a model of equal behaviour in which value n of a part is `order[n]`."""
    tensors = model.tensors()
    for name in (f"embedding.{part}", f"output.{part}"):
        moved = np.empty_like(tensors[name])
        moved[list(order)] = tensors[name]
        tensors[name] = moved
    return model.with_tensors(tensors)


def nonzeros(model: Model | Looped) -> int:
    """Return the number of nonzero weights."""
    return sum(int(np.count_nonzero(array)) for array in model.tensors().values())


def mutate(model: Weights, which: int, how: Literal["zero", "negate"]) -> Weights:
    """Return the model with its `which`-th nonzero weight (in the order of `tensors()`) changed.

    Raises `UsageError` if there is no such weight. The result may exceed its bounds.
    """
    tensors = model.tensors()
    left = which
    for name, array in tensors.items():
        places = np.flatnonzero(array)
        if 0 <= left < len(places):
            broken = array.ravel().copy()
            broken[places[left]] *= 0.0 if how == "zero" else -1.0
            return model.with_tensors({**tensors, name: broken.reshape(array.shape) + 0.0})
        left -= len(places)
    raise UsageError(f"weight {which} of {nonzeros(model)} nonzeros does not exist")
