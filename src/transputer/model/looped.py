"""Looped models: one block of layers, applied to a state of rows by columns until it stops.

What a step computes, in full, on a state x of `width` rows and `columns` columns:

    layer  : x += sum over heads of output @ mean of (value @ x) over the columns attended to
             x += out @ (relu(gate @ x) * (value @ x))
    score  = (key @ x)[:, i] . (key @ x)[:, j]: what column j wants and what column i offers are
             one projection, and every column sees every other and itself, without a mask
    halted : where `stop @ x[:, 0]` is at least 1

A column attends to all columns of the largest score, in equal shares (`ties = "mean"`): the
designed tie of two gives each exactly a half. Weights and states are integers. For broken models
only: a mean that is no integer is rounded to the nearest, halves to the even one.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from transputer.errors import MalformedError
from transputer.model.tensors import EXACT, Array

#: Below this every integer is a float32, as `EXACT` says of float64.
EXACT_SINGLE = 2**24
#: Columns that a model may have.
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
    """Frozen weights of a looped transformer; raises `MalformedError` where shapes disagree.

    `first` are the least and greatest value of each row between steps in column 0, `ranges` in
    all other columns; `verify_looped` shows that they hold after a step if they held before.
    `names` and `hints` only describe.
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
        """Every weight tensor by name, in one fixed order."""
        arrays = {"stop": self.stop}
        for number, layer in enumerate(self.layers):
            for h, head in enumerate(layer.heads):
                for name in ("key", "value", "output"):
                    arrays[f"layer{number}.head{h}.{name}"] = getattr(head, name)
            for name in ("gate", "value", "out"):
                arrays[f"layer{number}.{name}"] = getattr(layer, name)
        return arrays

    def with_tensors(self, tensors: Mapping[str, Array]) -> "Looped":
        """The same model with these tensors, named as `tensors()` names them."""
        heads = [len(layer.heads) for layer in self.layers]
        return replace(self, stop=tensors["stop"], layers=assemble_layers(heads, tensors))

    def anonymous(self) -> "Looped":
        """The same weights without row names and hints."""
        return replace(self, names=(), hints={})


def assemble_layers(heads: list[int], tensors: Mapping[str, Array]) -> tuple[LoopedLayer, ...]:
    """Layers from tensors by name; `heads` counts per layer."""
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
    """SHA-256 of everything that decides behaviour: sizes, ranges, limit and weights."""
    facts = (model.kind, model.columns, model.first, model.ranges, model.limit, model.ties)
    seen = hashlib.sha256(repr(facts).encode())
    for name, array in model.tensors().items():
        seen.update(f"{name}{array.shape}".encode())
        seen.update(np.ascontiguousarray(array + 0.0).tobytes())  # -0.0 + 0.0 is 0.0
    return seen.hexdigest()


def sharpness(exact: str) -> int:
    """What scores are multiplied by before a true softmax, the least power of two that will do.

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
    wanted = {}
    for h, head in enumerate(layer.heads):
        values = head.value.shape[0]
        wanted[f"head{h}.key"] = (head.key, (head.key.shape[0], width))
        wanted[f"head{h}.value"] = (head.value, (values, width))
        wanted[f"head{h}.output"] = (head.output, (width, values))
    count = layer.gate.shape[0]
    wanted["gate"] = (layer.gate, (count, width))
    wanted["value"] = (layer.value, (count, width))
    wanted["out"] = (layer.out, (width, count))
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            yield f"{at}.{name} is {array.shape}, not {shape}"
