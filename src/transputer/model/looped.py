"""Looped models: one block of layers, applied to a state of rows by columns until it halts.

A step computes, in full, on a state x of `width` rows and `columns` columns:

    layer  : x += sum over heads of output @ mean of (value @ x) over the columns attended to
             x += out @ (relu(gate @ x) * (value @ x))
    score  = (key @ x)[:, i] . (key @ x)[:, j]: query and key are the same projection, and every
             column attends to all columns, itself included, without a mask
    halted : if `stop @ x[:, 0]` is at least 1

A column attends to all columns with the largest score, in equal shares (`ties = "mean"`): the
designed tie of two gives each exactly a half. Weights and states are integers. In broken models
only, a mean that is not an integer is rounded to the nearest, halves to even.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np

from transputer.errors import MalformedError
from transputer.model.tensors import EXACT, Array
from transputer.values import dataclass

#: Every integer below this bound is exact in float32; `EXACT` is the bound of float64.
EXACT_SINGLE = 2**24
#: Largest number of columns.
MAX_COLUMNS = 2**22
TIES = "mean"


@dataclass(frozen=True, slots=True, eq=False)
class SelfHead:
    """A head whose query is its key; `output` has a column per row of `value`."""

    key: Array
    value: Array
    output: Array


@dataclass(frozen=True, slots=True, eq=False)
class LoopedLayer:
    """Heads, which all read the same x, then neurons: `x += out @ (relu(gate x) * (value x))`."""

    heads: tuple[SelfHead, ...]
    gate: Array
    value: Array
    out: Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Looped:
    """Frozen weights of a looped transformer; raises `MalformedError` if shapes disagree.

    `first` has the least and greatest value of each row between steps in column 0, `ranges` in
    all other columns; `verify_looped` proves that they hold after a step if they held before.
    `names` and `hints` are descriptions.
    """

    kind: ClassVar[str] = "looped"

    columns: int
    first: tuple[tuple[int, int], ...]
    ranges: tuple[tuple[int, int], ...]
    stop: Array
    layers: tuple[LoopedLayer, ...]
    names: tuple[str, ...] = ()
    hints: Mapping[str, Any] = field(default_factory=dict)
    limit: int = EXACT
    ties: str = TIES

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise MalformedError(f"not a model: {'; '.join(problems[:4])}")
        for array in self.tensors().values():
            array.setflags(write=False)

    def __repr__(self) -> str:
        return f"Looped({len(self.layers)} layers, {self.width} rows, {self.columns} columns)"

    @property
    def width(self) -> int:
        """The number of rows."""
        return int(self.stop.shape[0])

    @property
    def exact(self) -> str:
        """The smallest float type in which every sum below the limit is exact."""
        return "float32" if self.limit <= EXACT_SINGLE else "float64"

    def tensors(self) -> dict[str, Array]:
        """Return every weight tensor by name, in a fixed order."""
        arrays = {"stop": self.stop}
        for number, layer in enumerate(self.layers):
            for h, head in enumerate(layer.heads):
                for name in ("key", "value", "output"):
                    arrays[f"layer{number}.head{h}.{name}"] = getattr(head, name)
            for name in ("gate", "value", "out"):
                arrays[f"layer{number}.{name}"] = getattr(layer, name)
        return arrays

    def with_tensors(self, tensors: Mapping[str, Array]) -> "Looped":
        """Return the same model with other tensors, named as `tensors()` names them."""
        heads = [len(layer.heads) for layer in self.layers]
        return replace(self, stop=tensors["stop"], layers=assemble_layers(heads, tensors))

    def anonymous(self) -> "Looped":
        """Return the same weights without row names and hints."""
        return replace(self, names=(), hints={})


def assemble_layers(heads: list[int], tensors: Mapping[str, Array]) -> tuple[LoopedLayer, ...]:
    """Return layers built from tensors by name; `heads` has the number of heads per layer."""
    layers = []
    for number, count in enumerate(heads):
        at = f"layer{number}"
        self_heads = [
            SelfHead(*(tensors[f"{at}.head{h}.{n}"] for n in ("key", "value", "output")))
            for h in range(count)
        ]
        rest = (tensors[f"{at}.{n}"] for n in ("gate", "value", "out"))
        layers.append(LoopedLayer(tuple(self_heads), *rest))
    return tuple(layers)


def looped_digest(model: Looped) -> str:
    """Return the SHA-256 of everything that determines behaviour: sizes, ranges, limit, weights."""
    facts = (model.kind, model.columns, model.first, model.ranges, model.limit, model.ties)
    sha256 = hashlib.sha256(repr(facts).encode())
    for name, array in model.tensors().items():
        sha256.update(f"{name}{array.shape}".encode())
        sha256.update(np.ascontiguousarray(array + 0.0).tobytes())  # -0.0 + 0.0 is 0.0
    return sha256.hexdigest()


def sharpness(exact: str) -> int:
    """Return the factor of scores before a true softmax: the least power of two that is exact.

    Scores are integers, so a loser is behind by at least 1, and its weight `exp(-sharpness)` must
    be 0 in the float type. Ties then share exactly: `exp(0) / (exp(0) + exp(0))` is a half.
    """
    one, factor = np.dtype(exact).type(1), 1
    with np.errstate(under="ignore"):
        while np.exp(-factor * one) > 0:
            factor *= 2
    return factor


def _problems(model: Looped) -> Iterator[str]:
    if not 2 <= model.columns <= MAX_COLUMNS:
        yield f"{model.columns} columns are not 2 to {MAX_COLUMNS}"
    if model.ties != TIES:
        yield f"ties = {str(model.ties)[:40]!r} is not {TIES!r}"
    width = model.width
    if model.stop.shape != (width,):
        yield f"stop is {model.stop.shape}, not a row"
    for name, intervals in (("ranges", model.ranges), ("ranges of column 0", model.first)):
        if len(intervals) != width:
            yield f"{len(intervals)} {name} for {width} rows"
    for low, high in (*model.first, *model.ranges):
        if not -EXACT < low <= high < EXACT:
            yield f"a row cannot hold {low} to {high}"
    if model.names and len(model.names) != width:
        yield f"{len(model.names)} lane names for {width} lanes"
    for name, array in model.tensors().items():
        if array.dtype != np.float64:
            yield f"{name} is {array.dtype}, not float64"
    for number, layer in enumerate(model.layers):
        yield from _layer_shapes(f"layer{number}", layer, width)


def _layer_shapes(at: str, layer: LoopedLayer, width: int) -> Iterator[str]:
    shapes = {}
    for h, head in enumerate(layer.heads):
        values = head.value.shape[0]
        shapes[f"head{h}.key"] = (head.key, (head.key.shape[0], width))
        shapes[f"head{h}.value"] = (head.value, (values, width))
        shapes[f"head{h}.output"] = (head.output, (width, values))
    count = layer.gate.shape[0]
    shapes["gate"] = (layer.gate, (count, width))
    shapes["value"] = (layer.value, (count, width))
    shapes["out"] = (layer.out, (width, count))
    for name, (array, shape) in shapes.items():
        if array.shape != shape:
            yield f"{at}.{name} is {array.shape}, not {shape}"
