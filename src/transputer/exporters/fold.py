"""Fold known tokens into weights: merge parts into one and fold heads into its embedding.

Parts of a token that take only some combinations of values can be merged into one part with a row
per combination. If the query of a head of the first layer depends only on that part, and for each
row the head attends to a token known in advance, then it adds a known vector per row, which is an
embedding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import CapacityError, Unsupported
from transputer.model import Array, Head, Model, Part, Token
from transputer.model.tensors import MAX_PART

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
#: The values that parts of a token are limited to, by part; other parts are unrestricted.
Box = Mapping[int, Sequence[int]]


@dataclass(frozen=True, eq=False)
class MergedPart:
    """Parts to merge, by index: `rows` are the combinations, `radix` the weights of the parts.

    The new part predicts `sum of radix * old part`, so a row that can be predicted must stand at
    the index of its sum. Radix 0 leaves a part out of the sum.
    """

    name: str
    parts: tuple[int, ...]
    radix: tuple[int, ...]
    rows: Ints

    def table(self, model: Model) -> Array:
        """Return the embedding of each row."""
        tables = [model.embeddings[p][self.rows[:, i]] for i, p in enumerate(self.parts)]
        embedding: Array = np.sum(tables, axis=0)
        return embedding


def parabola(table: Array) -> tuple[Array, Array]:
    """Return the vectors a, b with table[v] == v a + v^2 b; raise `Unsupported` if none exist."""
    v = np.arange(len(table))[:, None]
    if len(table) < 3:
        raise Unsupported("an output with fewer than 3 values does not determine a parabola")
    b = (table[2] - 2 * table[1]) / 2
    a = table[1] - b
    if (table != v * a + v * v * b).any():
        raise Unsupported("the output of a part to merge is not a parabola of one number")
    return a, b


def merge(model: Model, merged: MergedPart, added: Array) -> Model:
    """Replace several parts by one; `added` is added to its embedding."""
    if len(merged.rows) > MAX_PART:
        raise CapacityError(
            f"the program has {len(merged.rows):,} instructions and initial tokens; "
            f"a specialised model can have at most {MAX_PART:,}"
        )
    place, dropped = merged.parts[0], set(merged.parts[1:])
    curves = [
        parabola(model.outputs[p]) for p, r in zip(merged.parts, merged.radix, strict=True) if r
    ]
    radix = [r for r in merged.radix if r]
    if any((b != curves[0][1]).any() for _, b in curves):
        raise Unsupported("the outputs of the parts to merge have different scales")
    slope = np.sum([r * a for r, (a, _) in zip(radix, curves, strict=True)], axis=0)
    v = np.arange(len(merged.rows))[:, None]
    output = v * slope + v * v * curves[0][1]
    embedding = merged.table(model) + added

    def placed(old: Sequence[Any], new: Any) -> tuple[Any, ...]:
        return tuple(new if i == place else o for i, o in enumerate(old) if i not in dropped)

    return replace(
        model,
        parts=placed(model.parts, Part(merged.name, len(merged.rows))),
        embeddings=placed(model.embeddings, embedding),
        outputs=placed(model.outputs, output),
    )


def fold_heads(
    model: Model, merged: MergedPart, certain: Mask, tokens: Sequence[Token], others: Sequence[Box]
) -> tuple[Model, Array]:
    """Remove the heads of the first layer whose result known tokens determine.

    Returns the model and what the heads add for each row of the merged part. `tokens` are the
    known tokens in prompt order; `others` describes all other tokens, none of which may score as
    high. If a head's choice varies, rows that are not `certain` get the contribution of a token
    of zeros.
    """
    first = model.layers[0]
    added = np.zeros((len(merged.rows), model.width))
    heads = []
    for head in first.heads:
        contribution = _folded(model, head, merged, certain, tokens, others)
        if contribution is None:
            heads.append(head)
        else:
            added += contribution
    hints = _without(model.hints, [first.heads.index(h) for h in first.heads if h not in heads])
    layers = (replace(first, heads=tuple(heads)), *model.layers[1:])
    return replace(model, layers=layers, hints=hints), added


def _folded(
    model: Model,
    head: Head,
    merged: MergedPart,
    certain: Mask,
    tokens: Sequence[Token],
    others: Sequence[Box],
) -> Array | None:
    """Return what a head adds for each row, or None if known tokens do not determine it."""
    free = [p for p in range(len(model.parts)) if p not in merged.parts]
    moving = [model.embeddings[p] - model.embeddings[p][0] for p in free]
    if any((table @ head.query.T).any() for table in moving) or (head.query @ model.position).any():
        return None
    base = model.bias + np.sum([model.embeddings[p][0] for p in free], axis=0)
    queries = (merged.table(model) + base) @ head.query.T
    streams = np.stack([_embedded(model, token, t) for t, token in enumerate(tokens)])
    best, top = _winners(queries, streams @ head.key.T)
    sure = top > np.max([_highest(model, head, queries, box) for box in others], axis=0)
    if not sure[certain].all():
        return None
    nothing = model.bias + np.sum([table[0] for table in model.embeddings], axis=0)
    same = sure.all() and (best == best[0]).all()
    attended = np.where((certain | same)[:, None], streams[best], nothing)
    contribution: Array = attended @ head.value.T @ head.output.T
    return contribution


def _embedded(model: Model, token: Token, position: int) -> Array:
    rows = [table[v] for table, v in zip(model.embeddings, token, strict=True)]
    embedding: Array = model.bias + np.sum(rows, axis=0) + model.position * position
    return embedding


def _winners(queries: Array, keys: Array) -> tuple[Ints, Array]:
    """Return, for each query, the key with the highest score, and the score."""
    best = np.zeros(len(queries), dtype=np.int64)
    top = np.zeros(len(queries))
    for first in range(0, len(queries), 256):
        scores = queries[first : first + 256] @ keys.T
        best[first : first + 256] = scores.argmax(axis=1)
        top[first : first + 256] = scores.max(axis=1)
    return best, top


def _highest(model: Model, head: Head, queries: Array, box: Box) -> Array:
    """Return, for each query, the highest score of any token in the box, at any position.

    A key is a sum over the parts, so the maximum is taken part by part.
    """
    last = (model.context - 1) * (queries @ (head.key @ model.position))
    highest: Array = queries @ (head.key @ model.bias) + np.maximum(last, 0.0)
    for part, table in enumerate(model.embeddings):
        rows = table[list(box[part])] if part in box else table
        keys = np.unique(rows @ head.key.T, axis=0)
        highest = highest + np.max([queries @ key for key in keys], axis=0)
    return highest


def _without(hints: Mapping[str, Any], removed: Sequence[int]) -> dict[str, Any]:
    """Return the hints without the removed heads of the first layer."""
    heads = []
    for hint in hints.get("heads", []):
        if hint["layer"] == 0:
            if hint["head"] in removed:
                continue
            hint = {**hint, "head": hint["head"] - sum(h < hint["head"] for h in removed)}
        heads.append(hint)
    return {**hints, "heads": heads}


def widened(model: Model, count: int, name: str) -> Model:
    """Return the model with `count` more lanes, which nothing reads or writes yet."""

    def wide(array: Array, axis: int = -1) -> Array:
        pad = [(0, 0)] * array.ndim
        pad[axis] = (0, count)
        return np.pad(array, pad)

    layers = []
    for layer in model.layers:
        heads = tuple(
            Head(wide(h.query), wide(h.key), wide(h.value), wide(h.output, 0)) for h in layer.heads
        )
        layers.append(
            replace(
                layer,
                heads=heads,
                gate=wide(layer.gate),
                value=wide(layer.value),
                out=wide(layer.out, 0),
            )
        )
    return replace(
        model,
        bias=wide(model.bias),
        position=wide(model.position),
        embeddings=tuple(wide(t) for t in model.embeddings),
        layers=tuple(layers),
        outputs=tuple(wide(t) for t in model.outputs),
        names=(*model.names, *(f"{name} {i}" for i in range(count))) if model.names else (),
    )
