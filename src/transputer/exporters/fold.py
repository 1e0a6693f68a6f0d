"""Known tokens become weights: parts merged into one, and heads folded into its embedding.

Parts of a token that only ever take some combinations of values can be one part with a row for
each. A head of the first layer whose query depends on that part alone, and which for each row
attends to a token known in advance, adds a known vector for each row: that is an embedding.
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
#: Values that some parts of a token are limited to, by index; the others are free.
Box = Mapping[int, Sequence[int]]


@dataclass(frozen=True, eq=False)
class MergedPart:
    """Parts that become one, by index: `rows` are the combinations, `radix` their weights.

    The new part predicts `sum of radix * old part`, so row number v of those rows that can be
    predicted must be the combination of that sum. Radix 0 leaves an old part out.
    """

    name: str
    parts: tuple[int, ...]
    radix: tuple[int, ...]
    rows: Ints

    def table(self, model: Model) -> Array:
        """What the rows embed to."""
        tables = [model.embeddings[p][self.rows[:, i]] for i, p in enumerate(self.parts)]
        found: Array = np.sum(tables, axis=0)
        return found


def parabola(table: Array) -> tuple[Array, Array]:
    """The vectors a, b with table[v] == v a + v^2 b; `Unsupported` if there are none."""
    v = np.arange(len(table))[:, None]
    if len(table) < 3:
        raise Unsupported("an output of fewer than 3 values is no parabola")
    b = (table[2] - 2 * table[1]) / 2
    a = table[1] - b
    if (table != v * a + v * v * b).any():
        raise Unsupported("the output of a part to merge is no parabola of one number")
    return a, b


def merge(model: Model, merged: MergedPart, added: Array) -> Model:
    """The model with one part in the place of several; `added` is more for its embedding."""
    if len(merged.rows) > MAX_PART:
        raise CapacityError(
            f"the program has {len(merged.rows):,} instructions and initial tokens; "
            f"a specialised model has room for {MAX_PART:,}"
        )
    place, gone = merged.parts[0], set(merged.parts[1:])
    curves = [
        parabola(model.outputs[p]) for p, r in zip(merged.parts, merged.radix, strict=True) if r
    ]
    radix = [r for r in merged.radix if r]
    if any((b != curves[0][1]).any() for _, b in curves):
        raise Unsupported("the outputs of parts to merge differ in their scale")
    slope = np.sum([r * a for r, (a, _) in zip(radix, curves, strict=True)], axis=0)
    v = np.arange(len(merged.rows))[:, None]
    output = v * slope + v * v * curves[0][1]
    embedding = merged.table(model) + added

    def placed(old: Sequence[Any], new: Any) -> tuple[Any, ...]:
        return tuple(new if i == place else o for i, o in enumerate(old) if i not in gone)

    return replace(
        model,
        parts=placed(model.parts, Part(merged.name, len(merged.rows))),
        embeddings=placed(model.embeddings, embedding),
        outputs=placed(model.outputs, output),
    )


def fold_heads(
    model: Model, merged: MergedPart, certain: Mask, tokens: Sequence[Token], others: Sequence[Box]
) -> tuple[Model, Array]:
    """The model without the heads of its first layer that known tokens decide.

    Returns what they add for each row of the merged part. `tokens` are the known ones, in the
    order they would have been appended; `others` are what all other tokens may be: none of them
    may score as high. Where a head's choice varies, rows that are not `certain` get what a
    token of zeros would give.
    """
    first = model.layers[0]
    added = np.zeros((len(merged.rows), model.width))
    kept = []
    for head in first.heads:
        found = _folded(model, head, merged, certain, tokens, others)
        if found is None:
            kept.append(head)
        else:
            added += found
    hints = _without(model.hints, [first.heads.index(h) for h in first.heads if h not in kept])
    layers = (replace(first, heads=tuple(kept)), *model.layers[1:])
    return replace(model, layers=layers, hints=hints), added


def _folded(
    model: Model,
    head: Head,
    merged: MergedPart,
    certain: Mask,
    tokens: Sequence[Token],
    others: Sequence[Box],
) -> Array | None:
    """What a head adds for each row, or None if known tokens do not decide it."""
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
    found: Array = attended @ head.value.T @ head.output.T
    return found


def _embedded(model: Model, token: Token, position: int) -> Array:
    rows = [table[v] for table, v in zip(model.embeddings, token, strict=True)]
    made: Array = model.bias + np.sum(rows, axis=0) + model.position * position
    return made


def _winners(queries: Array, keys: Array) -> tuple[Ints, Array]:
    """For each query the key of the largest score, and the score."""
    best = np.zeros(len(queries), dtype=np.int64)
    top = np.zeros(len(queries))
    for first in range(0, len(queries), 256):
        scores = queries[first : first + 256] @ keys.T
        best[first : first + 256] = scores.argmax(axis=1)
        top[first : first + 256] = scores.max(axis=1)
    return best, top


def _highest(model: Model, head: Head, queries: Array, box: Box) -> Array:
    """For each query the most that a token of the box, at any position, can score.

    A key is a sum over the parts, and so is a score.
    """
    last = (model.context - 1) * (queries @ (head.key @ model.position))
    most: Array = queries @ (head.key @ model.bias) + np.maximum(last, 0.0)
    for part, table in enumerate(model.embeddings):
        rows = table[list(box[part])] if part in box else table
        keys = np.unique(rows @ head.key.T, axis=0)
        most = most + np.max([queries @ key for key in keys], axis=0)
    return most


def _without(hints: Mapping[str, Any], gone: Sequence[int]) -> dict[str, Any]:
    """Hints after heads of the first layer are gone."""
    heads = []
    for hint in hints.get("heads", []):
        if hint["layer"] == 0:
            if hint["head"] in gone:
                continue
            hint = {**hint, "head": hint["head"] - sum(g < hint["head"] for g in gone)}
        heads.append(hint)
    return {**hints, "heads": heads}


def widened(model: Model, count: int, name: str) -> Model:
    """The model with more lanes, which nothing reads or writes yet."""

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
