"""Which heads, neurons and lanes of one forward pass have a path to the next token.

A path goes backwards from the output tables through the neurons that fire and the heads that copy
something. It leaves out what is erased on the way and what no later layer reads.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from transputer.model import Array, Layer, Model
from transputer.values import dataclass

Mask = NDArray[np.bool_]
#: The group of the neurons that clear a lane for another use.
ERASE = "erase"


@dataclass(frozen=True, slots=True, eq=False)
class LayerNumbers:
    """The numbers of one layer in a pass: the stream before heads and before neurons."""

    before: Array
    between: Array
    copied: tuple[Array, ...]  # by head
    fired: Array  # by neuron


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """What has a path to some parts of the next token.

    `heads` are (layer, head); `lanes` has a mask of the stream after the embedding and after each
    layer; `groups` has the number of firing neurons by group, per layer.
    """

    heads: frozenset[tuple[int, int]]
    lanes: tuple[Mask, ...]
    groups: tuple[dict[str, int], ...]


class PathFinder:
    """Finds paths in the passes of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._erasers = [np.zeros(len(layer.gate), dtype=bool) for layer in model.layers]
        self._groups: list[list[tuple[str, slice]]] = [[] for _ in model.layers]
        for hint in model.hints.get("neurons", ()):
            place = slice(hint["first"], hint["first"] + hint["count"])
            if hint["group"] == ERASE:
                self._erasers[hint["layer"]][place] = True
            else:
                self._groups[hint["layer"]].append((hint["group"], place))

    def paths(self, passes: Sequence[LayerNumbers], parts: Sequence[str] | None = None) -> Paths:
        """Return what has a path to `parts` of the next token, by default to all of it."""
        model = self._model
        live: Mask = np.zeros(model.width, dtype=bool)
        for part, table in zip(model.parts, model.outputs, strict=True):
            if parts is None or part.name in parts:
                live |= table.any(axis=0)
        heads, lanes, groups = set(), [live], []
        for number in range(len(model.layers) - 1, -1, -1):
            layer, values = model.layers[number], passes[number]
            erasers = self._erasers[number]
            firing = (values.fired != 0) & layer.out[live].any(axis=0) & ~erasers
            groups.append({
                name: count
                for name, place in self._groups[number]
                if (count := int(np.count_nonzero(firing[place])))
            })  # fmt: skip
            live = self._before_neurons(layer, live, firing, erasers, values)
            for h, head in enumerate(layer.heads):
                if (head.output @ values.copied[h])[live].any():
                    heads.add((number, h))
                    live = live | head.query.any(axis=0) & (values.before != 0)
            lanes.append(live)
        return Paths(frozenset(heads), tuple(lanes[::-1]), tuple(groups[::-1]))

    def _before_neurons(
        self, layer: Layer, live: Mask, firing: Mask, erasers: Mask, values: LayerNumbers
    ) -> Mask:
        """Return the lanes that firing neurons read, and those that pass by and are not erased."""
        cleared = layer.out[:, erasers & (values.fired != 0)].any(axis=1)
        read = layer.gate[firing].any(axis=0) | layer.value[firing].any(axis=0)
        lanes: Mask = (live & ~cleared) | (read & (values.between != 0))
        return lanes
