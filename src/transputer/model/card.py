"""The model card: what a model holds, counted from its tensors."""

from typing import Any

import numpy as np

from transputer.model.looped import Looped, looped_digest, sharpness
from transputer.model.tensors import Array, Model, digest
from transputer.model.verify import Bounds, verify
from transputer.model.verify_looped import verify_looped


def longest_context(model: Model, bounds: Bounds) -> int:
    """A context, at least `model.context`, for which the same circuit keeps its bounds.

    Heads tell the latest of equal addresses by the position, so that what else is in a score is
    multiplied by the context: scores of n times as many positions are n times as large.
    """
    score, _ = bounds.largest.get("score", (0, ""))
    return max(model.context, model.context * model.limit // (score + 1))


def card(model: Model) -> dict[str, Any]:
    """Return sizes, bounds, and the purpose of each head and group of neurons, as JSON.

    Tables (embeddings and outputs) and layers are counted separately. Raises as `verify` does.
    """
    bounds = verify(model)
    tensors = model.tensors()
    layers = {n: a for n, a in tensors.items() if n.startswith("layer")}
    tables = {n: a for n, a in tensors.items() if n not in layers}
    return {
        "kind": model.kind,
        "digest": digest(model),
        "layers": len(model.layers),
        "lanes": model.width,
        "heads": sum(len(layer.heads) for layer in model.layers),
        "neurons": sum(len(layer.gate) for layer in model.layers),
        "heads_per_layer": [len(layer.heads) for layer in model.layers],
        "neurons_per_layer": [len(layer.gate) for layer in model.layers],
        "parameters": {"tables": _count(tables), "layers": _count(layers)},
        "distinct_values": len(np.unique(np.concatenate([_nonzeros(a) for a in tensors.values()]))),
        "vocabulary": [{"part": p.name, "size": p.size} for p in model.parts],
        "context": model.context,
        "longest_context": longest_context(model, bounds),
        "bounds": _bounds(bounds),
        "head_table": list(model.hints.get("heads", [])),
        "neuron_table": list(model.hints.get("neurons", [])),
    }


def looped_card(model: Looped) -> dict[str, Any]:
    """Return sizes, bounds, and the purpose of rows, heads and neurons, as JSON.

    The groups of the rows, and the figures of a published machine to compare with, come from the
    hints. Raises as `verify_looped` does.
    """
    bounds = verify_looped(model)
    tensors = model.tensors()
    return {
        "kind": model.kind,
        "digest": looped_digest(model),
        "layers": len(model.layers),
        "rows": model.width,
        "columns": model.columns,
        "heads": sum(len(layer.heads) for layer in model.layers),
        "neurons": sum(len(layer.gate) for layer in model.layers),
        "heads_per_layer": [len(layer.heads) for layer in model.layers],
        "neurons_per_layer": [len(layer.gate) for layer in model.layers],
        "parameters": _count(tensors),
        "state": model.width * model.columns,
        "distinct_values": len(np.unique(np.concatenate([_nonzeros(a) for a in tensors.values()]))),
        "ties": model.ties,
        "exact_in": model.exact,
        "sharpness": sharpness(model.exact),
        "bounds": _bounds(bounds),
        "row_table": list(model.hints.get("rows", [])),
        "published": model.hints.get("published"),
        "head_table": list(model.hints.get("heads", [])),
        "neuron_table": list(model.hints.get("neurons", [])),
    }


def _bounds(bounds: Bounds) -> dict[str, Any]:
    largest = {k: {"magnitude": m, "at": at} for k, (m, at) in bounds.largest.items()}
    return {"limit": bounds.limit, "largest": largest}


def _count(tensors: dict[str, Array]) -> dict[str, int]:
    return {
        "dense": sum(a.size for a in tensors.values()),
        "nonzero": sum(int(np.count_nonzero(a)) for a in tensors.values()),
    }


def _nonzeros(array: Array) -> Array:
    values: Array = array[array != 0]
    return values
