"""The Model: plain weight tensors, a vocabulary, lane names and declared bounds.

A decoder computes, in full:

    x      = bias + sum over parts of embedding[part][token[part]] + position * t
    layer  : x += sum over heads of output @ value_at_the_attended_position   (same x for all)
             x += out @ (relu(gate @ x) * (value @ x))
    score  = (query @ x) . (key @ x at an earlier position or this one) / sqrt(rows of query);
             the largest score is attended to, then the latest position. No scores tie in a
             model that `build` wrote, and their softmax is one-hot (`softmax.py`)
    next   : for each part the lowest index among the largest of output[part] @ x

All weights are integers, and `verify` proves that every sum stays below `limit`, scores after
division by the power of two that all queries of a head have in common, so float64 computes all of
it exactly, in any order. A Model knows no instruction.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from transputer.errors import MalformedError
from transputer.model.softmax import power_of_two
from transputer.values import dataclass

T = TypeVar("T")
Array = NDArray[np.float64]
Token = tuple[int, ...]

KINDS = ("decoder",)
#: Every integer below this bound is exact in float64, and so are sums and products below it.
EXACT = 2**53
#: Largest size of a part. Most parts are bytes; a specialised model's program counter is one part.
MAX_PART = 2**16
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,63}")


@dataclass(frozen=True, slots=True)
class Part:
    """One factor of the vocabulary: a token holds one number below `size` for it."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head; `query` and `key` have equally many rows, `output` a column per value."""

    query: Array
    key: Array
    value: Array
    output: Array

    @property
    def scale(self) -> float:
        """The power of two that divides every query; no order of scores depends on it."""
        return power_of_two(self.query)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Heads, which all read the same x, then neurons: `x += out @ (relu(gate x) * (value x))`."""

    heads: tuple[Head, ...]
    gate: Array
    value: Array
    out: Array


class Deferred(Sequence[T], Generic[T]):
    """A sequence of known length that is made when something in it is first used."""

    def __init__(self, count: int, make: Callable[[], Sequence[T]]) -> None:
        self._count, self._make = count, make
        self._items: Sequence[T] | None = None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if self._items is None:
            self._items = self._make()
        return self._items[index]


class DeferredLayers(Deferred[Layer]):
    """Deferred layers; the number of their heads is known."""

    heads = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """Frozen weights of one transformer; raises `MalformedError` if the shapes disagree.

    `context` is the declared number of positions, `limit` the bound that `verify` checks for every
    sum. `names` and `hints` are descriptions; deleting them changes no behaviour. Deferred
    tensors were checked when they were saved.
    """

    parts: tuple[Part, ...]
    context: int
    bias: Array
    position: Array
    embeddings: Sequence[Array]
    layers: Sequence[Layer]
    outputs: Sequence[Array]
    names: tuple[str, ...] = ()
    hints: Mapping[str, Any] = field(default_factory=dict)
    limit: int = EXACT
    kind: str = "decoder"

    def __post_init__(self) -> None:
        if isinstance(self.layers, Deferred):
            return
        problems = list(_problems(self))
        if problems:
            raise MalformedError(f"not a model: {'; '.join(problems[:4])}")
        for array in self.tensors().values():
            array.setflags(write=False)

    def __repr__(self) -> str:
        size = f"{len(self.layers)} layers, {self.width} lanes, {len(self.parts)} parts"
        return f"Model({self.kind}, {size}, {self.context} positions)"

    def _repr_html_(self) -> str:
        """Return the sizes, and the purpose of the heads of each layer, as HTML for notebooks."""
        names = {(h["layer"], h["head"]): h["name"] for h in self.hints.get("heads", ())}
        rows = [
            (
                number,
                len(layer.heads),
                len(layer.gate),
                ", ".join(names.get((number, h), "?") for h in range(len(layer.heads))),
            )
            for number, layer in enumerate(self.layers)
        ]
        weights = sum(int(np.count_nonzero(a)) for a in self.tensors().values())
        caption = f"{self.kind}: {self.width} lanes, {weights:,} nonzero weights"
        from transputer.model.html import html_table  # for notebooks alone

        return html_table(rows, ("layer", "heads", "neurons", "head names"), caption)

    @property
    def heads(self) -> int:
        """The number of heads in all layers."""
        if isinstance(self.layers, DeferredLayers):
            return self.layers.heads
        return sum(len(layer.heads) for layer in self.layers)

    @property
    def width(self) -> int:
        """The number of lanes."""
        return int(self.bias.shape[0])

    def tensors(self) -> dict[str, Array]:
        """Return every weight tensor by name, in a fixed order."""
        arrays = {"bias": self.bias, "position": self.position}
        for part, table in zip(self.parts, self.embeddings, strict=True):
            arrays[f"embedding.{part.name}"] = table
        for number, layer in enumerate(self.layers):
            for h, head in enumerate(layer.heads):
                for name in ("query", "key", "value", "output"):
                    arrays[f"layer{number}.head{h}.{name}"] = getattr(head, name)
            for name in ("gate", "value", "out"):
                arrays[f"layer{number}.{name}"] = getattr(layer, name)
        for part, table in zip(self.parts, self.outputs, strict=True):
            arrays[f"output.{part.name}"] = table
        return arrays

    def with_tensors(self, tensors: Mapping[str, Array]) -> "Model":
        """Return the same model with other tensors, named as `tensors()` names them."""
        heads = [len(layer.heads) for layer in self.layers]
        return replace(self, **assemble(self.parts, heads, tensors))

    def anonymous(self) -> "Model":
        """Return the same weights without lane names and hints."""
        return replace(self, names=(), hints={})


def assemble(
    parts: tuple[Part, ...], heads: list[int], tensors: Mapping[str, Array]
) -> dict[str, Any]:
    """Return the tensor fields of a Model from tensors by name.

    `heads` has the number of heads per layer.
    """
    layers = []
    for number, count in enumerate(heads):
        at = f"layer{number}"
        layer_heads = [
            Head(*(tensors[f"{at}.head{h}.{n}"] for n in ("query", "key", "value", "output")))
            for h in range(count)
        ]
        layers.append(
            Layer(tuple(layer_heads), *(tensors[f"{at}.{n}"] for n in ("gate", "value", "out")))
        )
    return {
        "bias": tensors["bias"],
        "position": tensors["position"],
        "embeddings": tuple(tensors[f"embedding.{p.name}"] for p in parts),
        "layers": tuple(layers),
        "outputs": tuple(tensors[f"output.{p.name}"] for p in parts),
    }


def digest(model: Model) -> str:
    """Return the SHA-256 of everything that determines behaviour.

    That is the vocabulary, the context, the limit and the weights.
    """
    sha256 = hashlib.sha256(repr((model.kind, model.parts, model.context, model.limit)).encode())
    for name, array in model.tensors().items():
        sha256.update(f"{name}{array.shape}".encode())
        sha256.update(np.ascontiguousarray(array + 0.0).data)  # -0.0 + 0.0 is 0.0
    return sha256.hexdigest()


def vocabulary_problems(kind: str, parts: tuple[Part, ...], context: int) -> Iterator[str]:
    """Yield the errors in the declared kind, parts and context."""
    if kind not in KINDS:
        yield f"kind {kind!r} is not one of {', '.join(KINDS)}"
    if not parts:
        yield "the vocabulary is empty"
    if len({p.name for p in parts}) != len(parts):
        yield "two parts have the same name"
    for part in parts:
        if not _NAME.fullmatch(part.name):
            yield f"part name {part.name[:80]!r} is not a plain name"
        if not 1 <= part.size <= MAX_PART:
            yield f"part {part.name[:80]!r} has {part.size} values, not 1 to {MAX_PART}"
    if not 1 <= context <= EXACT:
        yield f"context of {context} positions is not 1 to 2^53"


def _problems(model: Model) -> Iterator[str]:
    yield from vocabulary_problems(model.kind, model.parts, model.context)
    if len(model.embeddings) != len(model.parts) or len(model.outputs) != len(model.parts):
        yield "embeddings, outputs and parts differ in number"
        return
    width = model.width
    if model.names and len(model.names) != width:
        yield f"{len(model.names)} lane names for {width} lanes"
    for name, array in model.tensors().items():
        if array.dtype != np.float64:
            yield f"{name} is {array.dtype}, not float64"
    yield from _vocabulary_shapes(model, width)
    for number, layer in enumerate(model.layers):
        yield from _layer_shapes(f"layer{number}", layer, width)


def _vocabulary_shapes(model: Model, width: int) -> Iterator[str]:
    if model.bias.shape != (width,) or model.position.shape != (width,):
        yield f"position is {model.position.shape}, not {(width,)}"
    for part, embedding, output in zip(model.parts, model.embeddings, model.outputs, strict=True):
        for name, table in (("embedding", embedding), ("output", output)):
            if table.shape != (part.size, width):
                yield f"{name}.{part.name} is {table.shape}, not {(part.size, width)}"


def _layer_shapes(at: str, layer: Layer, width: int) -> Iterator[str]:
    for h, head in enumerate(layer.heads):
        rows, values = head.query.shape[0], head.value.shape[0]
        shapes = {"query": (rows, width), "key": (rows, width), "value": (values, width)}
        for name, shape in {**shapes, "output": (width, values)}.items():
            if getattr(head, name).shape != shape:
                yield f"{at}.head{h}.{name} is {getattr(head, name).shape}, not {shape}"
    count = layer.gate.shape[0]
    for name, shape in {
        "gate": (count, width),
        "value": (count, width),
        "out": (width, count),
    }.items():
        if getattr(layer, name).shape != shape:
            yield f"{at}.{name} is {getattr(layer, name).shape}, not {shape}"
