"""Models as safetensors files: sparse tensors, and one JSON record that describes them.

Every weight tensor is stored as two: `NAME.index`, the flat positions of its nonzeros in
ascending order, and `NAME.weight`, their values. The JSON record under the metadata key
`transputer` holds the vocabulary, the shapes, names and hints. Saving a loaded file gives the
same bytes again. Loading trusts nothing: it checks sizes before it allocates, every shape and
weight, and then verifies the bounds.
"""

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from transputer.errors import MalformedError, Place, UsageError
from transputer.model.looped import MAX_COLUMNS, Looped, assemble_layers
from transputer.model.tensors import (
    EXACT,
    MAX_PART,
    Array,
    Deferred,
    DeferredLayers,
    Model,
    Part,
    assemble,
    vocabulary_problems,
)
from transputer.model.verify import verify
from transputer.model.verify_looped import verify_looped

#: Models of the 32-bit trace machine were 1.
FORMAT = 2
#: Limits of a file: lanes, and numbers in dense tensors (512 MiB).
MAX_WIDTH = 2**16
MAX_WEIGHTS = 2**26
#: The longest record that is parsed, in characters.
MAX_RECORD = 2**26
_KEY = "transputer"
#: The fields of the hints that messages and the card use; other hints may be anything.
_HINTS: dict[str, dict[str, type]] = {
    "heads": {"layer": int, "head": int, "name": str},
    "neurons": {"layer": int, "first": int, "count": int, "group": str},
}


def to_bytes(model: Model | Looped) -> bytes:
    """Return the file of a model; equal models give equal bytes."""
    stored: dict[str, Any] = {}
    for name, array in model.tensors().items():
        index = np.flatnonzero(array)
        stored[f"{name}.index"] = index.astype(np.uint32)
        stored[f"{name}.weight"] = array.ravel()[index]
    record = json.dumps(_record(model), sort_keys=True, separators=(",", ":"))
    return to_safetensors(stored, {_KEY: record})


def save(model: Model | Looped, path: str | Path) -> None:
    """Write the model's file."""
    Path(path).write_bytes(to_bytes(model))


def load(path: str | Path) -> Model:
    """Load and verify a decoder.

    Raises `UsageError` if there is no such file or it holds a looped model, `MalformedError` if
    it is damaged or not a model, `CapacityError` if its bounds do not hold.
    """
    model = load_any(path)
    if isinstance(model, Looped):
        raise UsageError(f"{path}: a looped model, which runs programs of the loom machine")
    return model


def load_any(path: str | Path) -> Model | Looped:
    """Load and verify a model of either kind; raise as `load` does."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    model = _load(path)
    if isinstance(model, Looped):
        verify_looped(model)
    else:
        verify(model)
    return model


def from_cache(contents: bytes) -> Model:
    """Return the decoder in bytes of `to_bytes`, which nobody else can have written.

    Its tensors take half of the time that a short run takes and an engine with a plan needs none
    of them, so they are filled in when one is first used.
    """
    size = int.from_bytes(contents[:8], "little")
    header = json.loads(contents[8 : 8 + size])
    record = json.loads(header["__metadata__"][_KEY])
    shapes = _shapes(record)

    def stored(name: str) -> NDArray[Any]:
        begin, end = header[name]["data_offsets"]
        kind = np.dtype({"U32": "<u4", "F64": "<f8"}[header[name]["dtype"]])
        return np.frombuffer(contents, kind, (end - begin) // kind.itemsize, 8 + size + begin)

    def filled(name: str) -> Array:
        array = np.zeros(math.prod(shapes[name]))
        array[stored(f"{name}.index").astype(np.int64)] = stored(f"{name}.weight")
        array.setflags(write=False)
        return array.reshape(shapes[name])

    parts = tuple(Part(name, size) for name, size in record["parts"])
    heads = [len(layer["heads"]) for layer in record["layers"]]

    @cache
    def tensors() -> dict[str, Any]:
        return assemble(parts, heads, {name: filled(name) for name in shapes})

    layers = DeferredLayers(len(heads), lambda: tensors()["layers"])
    layers.heads = sum(heads)
    return Model(
        parts=parts,
        context=record["context"],
        bias=filled("bias"),
        position=filled("position"),
        embeddings=Deferred(len(parts), lambda: tensors()["embeddings"]),
        layers=layers,
        outputs=Deferred(len(parts), lambda: tensors()["outputs"]),
        names=tuple(record["names"]),
        hints=record["hints"],
        limit=record["limit"],
        kind=record["kind"],
    )


def _load(path: str | Path) -> Model | Looped:
    try:
        with safe_open(str(path), framework="numpy") as stored:
            record = _read_record((stored.metadata() or {}).get(_KEY, ""))
            return _read_model(record, stored)
    except SafetensorError as error:
        why = "not a safetensors file, or a damaged one"
        raise MalformedError(f"not a model: {why} ({error})", Place(str(path))) from error
    except (OSError, ValueError, TypeError, OverflowError) as error:
        line = str(error).strip().splitlines() or [type(error).__name__]
        raise MalformedError(f"not a model: {line[0]}", Place(str(path))) from error
    except MalformedError as error:
        raise error.in_file(str(path)) from None


def _record(model: Model | Looped) -> dict[str, Any]:
    own: dict[str, Any]
    if isinstance(model, Looped):
        own = {"columns": model.columns, "first": model.first, "ranges": model.ranges}
        own["ties"] = model.ties
    else:
        own = {"parts": [[p.name, p.size] for p in model.parts], "context": model.context}
    return {
        "format": FORMAT,
        "kind": model.kind,
        **own,
        "limit": model.limit,
        "width": model.width,
        "layers": [
            {
                "heads": [[len(head.key), len(head.value)] for head in layer.heads],
                "neurons": len(layer.gate),
            }
            for layer in model.layers
        ],
        "names": list(model.names),
        "hints": model.hints,
    }


def _read_record(text: str) -> dict[str, Any]:
    """Return the JSON record; raise `MalformedError` if a field has the wrong type."""
    if not text:
        raise MalformedError("not a model: it has no transputer record")
    if len(text) > MAX_RECORD:
        raise MalformedError(f"not a model: its record has {len(text)} characters")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedError("not a model: its record is not JSON") from None
    problems = list(_record_problems(record))
    if problems:
        raise MalformedError(f"not a model: {problems[0]}")
    fields: dict[str, Any] = record
    return fields


def _record_problems(record: Any) -> Iterator[str]:
    if not isinstance(record, dict):
        yield "its record is not an object"
        return
    if record.get("format") != FORMAT:
        yield (
            f"its format is {str(record.get('format'))[:40]}, not {FORMAT}; another version made "
            "it: make it again with transputer build, specialize or export"
        )
    if not _is_count(record.get("width"), MAX_WIDTH) or not record["width"]:
        yield "width is not a sensible number"
    if record.get("kind") == Looped.kind:
        yield from _looped_problems(record)
    else:
        yield from _decoder_problems(record)
    if not isinstance(record.get("kind"), str) or not isinstance(record.get("hints"), dict):
        yield "kind or hints is missing"
    elif not _are_hints(record["hints"]):
        yield "hints on heads or neurons have the wrong form"
    names = record.get("names")
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        yield "names is not a list of names"
    layers = record.get("layers")
    if not isinstance(layers, list) or not all(_is_layer(layer) for layer in layers):
        yield "layers is not a list of heads and neurons"


def _decoder_problems(record: Mapping[str, Any]) -> Iterator[str]:
    if not _is_count(record.get("context"), EXACT) or not _is_count(record.get("limit"), EXACT):
        yield "context or limit is not a number up to 2^53"
    parts = record.get("parts")
    if not isinstance(parts, list) or not all(_is_part(p) for p in parts):
        yield "parts is not a list of names and sizes"


def _looped_problems(record: Mapping[str, Any]) -> Iterator[str]:
    columns = record.get("columns")
    if not _is_count(columns, MAX_COLUMNS) or not _is_count(record.get("limit"), EXACT):
        yield "columns or limit is not a sensible number"
    if not isinstance(record.get("ties"), str):
        yield "ties is missing"
    for name in ("first", "ranges"):
        value = record.get(name)
        if not isinstance(value, list) or not all(_is_range(r) for r in value):
            yield f"{name} is not a list of [least, greatest] pairs"


def _is_range(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(x) is int for x in pair)


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _are_hints(hints: Mapping[str, Any]) -> bool:
    return all(
        isinstance(hints.get(name, []), list)
        and all(
            isinstance(entry, dict) and all(type(entry.get(k)) is t for k, t in fields.items())
            for entry in hints.get(name, [])
        )
        for name, fields in _HINTS.items()
    )


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, list)
        and len(part) == 2
        and isinstance(part[0], str)
        and _is_count(part[1], MAX_PART)
    )


def _is_layer(layer: Any) -> bool:
    if not isinstance(layer, dict) or not isinstance(layer.get("heads"), list):
        return False
    return _is_count(layer.get("neurons"), 2**20) and all(
        isinstance(h, list) and len(h) == 2 and all(_is_count(n, 2**20) for n in h)
        for h in layer["heads"]
    )


def _shapes(record: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor that the record declares."""
    width, looped = record["width"], record["kind"] == Looped.kind
    shapes: dict[str, tuple[int, ...]] = {}
    shapes |= {"stop": (width,)} if looped else {"bias": (width,), "position": (width,)}
    for name, size in () if looped else record["parts"]:
        shapes[f"embedding.{name}"] = shapes[f"output.{name}"] = (size, width)
    for number, layer in enumerate(record["layers"]):
        for h, (rows, values) in enumerate(layer["heads"]):
            at = f"layer{number}.head{h}"
            shapes[f"{at}.key"] = (rows, width)
            shapes |= {} if looped else {f"{at}.query": (rows, width)}
            shapes[f"{at}.value"], shapes[f"{at}.output"] = (values, width), (width, values)
        neurons = layer["neurons"]
        shapes[f"layer{number}.gate"] = shapes[f"layer{number}.value"] = (neurons, width)
        shapes[f"layer{number}.out"] = (width, neurons)
    return shapes


def _read_model(record: Mapping[str, Any], stored: Any) -> Model | Looped:
    if record["kind"] == Looped.kind:
        return _read_looped(record, stored)
    parts = tuple(Part(name, size) for name, size in record["parts"])
    problems = list(vocabulary_problems(record["kind"], parts, record["context"]))
    if problems:
        raise MalformedError(f"not a model: {problems[0]}")
    heads = [len(layer["heads"]) for layer in record["layers"]]
    return Model(
        parts=parts,
        context=record["context"],
        names=tuple(record["names"]),
        hints=record["hints"],
        limit=record["limit"],
        kind=record["kind"],
        **assemble(parts, heads, _tensors(record, stored)),
    )


def _read_looped(record: Mapping[str, Any], stored: Any) -> Looped:
    tensors = _tensors(record, stored)
    return Looped(
        columns=record["columns"],
        first=tuple((low, high) for low, high in record["first"]),
        ranges=tuple((low, high) for low, high in record["ranges"]),
        stop=tensors["stop"],
        layers=assemble_layers([len(layer["heads"]) for layer in record["layers"]], tensors),
        names=tuple(record["names"]),
        hints=record["hints"],
        limit=record["limit"],
        ties=record["ties"],
    )


def _tensors(record: Mapping[str, Any], stored: Any) -> dict[str, Array]:
    shapes = _shapes(record)
    weights = sum(math.prod(shape) for shape in shapes.values())
    if weights > MAX_WEIGHTS:
        raise MalformedError(f"{weights} weights declared; {MAX_WEIGHTS} is the most")
    declared = {f"{name}.{what}" for name in shapes for what in ("index", "weight")}
    if declared != set(stored.keys()):
        odd = sorted(declared ^ set(stored.keys()))
        raise MalformedError(f"missing or unexpected tensor {odd[0][:120]!r} ({len(odd)} in all)")
    return {name: _dense(name, shape, stored) for name, shape in shapes.items()}


def _dense(name: str, shape: tuple[int, ...], stored: Any) -> Array:
    size = math.prod(shape)
    for what, kind in (("index", "U32"), ("weight", "F64")):
        view = stored.get_slice(f"{name}.{what}")
        declared = view.get_shape()
        if view.get_dtype() != kind or len(declared) != 1 or declared[0] > size:
            raise MalformedError(f"{name}.{what} is not a list of at most {size} {kind}")
    index = stored.get_tensor(f"{name}.index").astype(np.int64)
    weight = stored.get_tensor(f"{name}.weight")
    if index.shape != weight.shape:
        raise MalformedError(f"{name} has {len(index)} indices and {len(weight)} weights")
    if index.size and (index[-1] >= size or (np.diff(index) <= 0).any()):
        raise MalformedError(f"{name} has indices out of order or out of range")
    if not np.isfinite(weight).all() or not weight.all():
        raise MalformedError(f"{name} stores a zero, an infinity or a NaN")
    dense = np.zeros(size)
    dense[index] = weight
    return dense.reshape(shape)
