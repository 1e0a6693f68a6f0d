"""Models as safetensors files: sparse tensors, and one JSON record that says what they are.

Every weight tensor is stored as two: `NAME.index`, the flat positions of its nonzeros in
ascending order, and `NAME.weight`, their values. The JSON record under the metadata key
`transputer` holds the vocabulary, the shapes, names and hints. Saving a loaded file gives the
same bytes again. Loading trusts nothing: it checks sizes before it allocates, every shape and
weight, and then verifies the bounds.
"""

import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from transputer.errors import MalformedError, Place, UsageError
from transputer.model.tensors import (
    EXACT,
    MAX_PART,
    Array,
    Model,
    Part,
    assemble,
    vocabulary_problems,
)
from transputer.model.verify import verify

FORMAT = 1
#: No more lanes than this, and no dense tensors of more numbers (512 MiB), are made for a file.
MAX_WIDTH = 2**16
MAX_WEIGHTS = 2**26
#: No record beyond this many characters is parsed.
MAX_RECORD = 2**26
_KEY = "transputer"
#: What the hints that messages and the card use must look like; others may be anything.
_HINTS: dict[str, dict[str, type]] = {
    "heads": {"layer": int, "head": int, "name": str},
    "neurons": {"layer": int, "first": int, "count": int, "group": str},
}


def to_bytes(model: Model) -> bytes:
    """The file of a model; equal models give equal bytes."""
    stored: dict[str, Any] = {}
    for name, array in model.tensors().items():
        index = np.flatnonzero(array)
        stored[f"{name}.index"] = index.astype(np.uint32)
        stored[f"{name}.weight"] = array.ravel()[index]
    record = json.dumps(_record(model), sort_keys=True, separators=(",", ":"))
    return to_safetensors(stored, {_KEY: record})


def save(model: Model, path: str | Path) -> None:
    """Writes the model's file."""
    Path(path).write_bytes(to_bytes(model))


def load(path: str | Path) -> Model:
    """The model in a file, verified.

    Raises `UsageError` if there is no such file, `MalformedError` if it is damaged or not a
    model, `CapacityError` if its bounds do not hold.
    """
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    model = _load(path)
    verify(model)
    return model


def from_bytes(contents: bytes) -> Model:
    """The model in the bytes of a file, not verified; raises `MalformedError` as `load` does."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(contents)
        file.flush()
        return _load(file.name)


def _load(path: str | Path) -> Model:
    try:
        with safe_open(str(path), framework="numpy") as stored:
            record = _read_record((stored.metadata() or {}).get(_KEY, ""))
            return _read_model(record, stored)
    except (SafetensorError, OSError, ValueError, TypeError, OverflowError) as error:
        line = str(error).strip().splitlines() or [type(error).__name__]
        raise MalformedError(f"not a model: {line[0]}", Place(str(path))) from error
    except MalformedError as error:
        raise error.in_file(str(path)) from None


def _record(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kind": model.kind,
        "parts": [[p.name, p.size] for p in model.parts],
        "context": model.context,
        "limit": model.limit,
        "width": model.width,
        "layers": [
            {
                "heads": [[len(head.query), len(head.value)] for head in layer.heads],
                "neurons": len(layer.gate),
            }
            for layer in model.layers
        ],
        "names": list(model.names),
        "hints": model.hints,
    }


def _read_record(text: str) -> dict[str, Any]:
    """The JSON record, with the type of every field checked."""
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
    found: dict[str, Any] = record
    return found


def _record_problems(record: Any) -> Iterator[str]:
    if not isinstance(record, dict):
        yield "its record is not an object"
        return
    if record.get("format") != FORMAT:
        yield f"format {str(record.get('format'))[:40]} is not {FORMAT}"
    if not _is_count(record.get("width"), MAX_WIDTH) or not record["width"]:
        yield "width is not a sensible number"
    if not _is_count(record.get("context"), EXACT) or not _is_count(record.get("limit"), EXACT):
        yield "context or limit is not a number up to 2^53"
    if not isinstance(record.get("kind"), str) or not isinstance(record.get("hints"), dict):
        yield "kind or hints is missing"
    elif not _are_hints(record["hints"]):
        yield "hints on heads or neurons are not lists of what they describe"
    parts, names = record.get("parts"), record.get("names")
    if not isinstance(parts, list) or not all(_is_part(p) for p in parts):
        yield "parts is not a list of names and sizes"
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        yield "names is not a list of names"
    layers = record.get("layers")
    if not isinstance(layers, list) or not all(_is_layer(layer) for layer in layers):
        yield "layers is not a list of heads and neurons"


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
    """The shape of every tensor that the record declares."""
    width = record["width"]
    shapes: dict[str, tuple[int, ...]] = {"bias": (width,), "position": (width,)}
    for name, size in record["parts"]:
        shapes[f"embedding.{name}"] = shapes[f"output.{name}"] = (size, width)
    for number, layer in enumerate(record["layers"]):
        for h, (rows, values) in enumerate(layer["heads"]):
            at = f"layer{number}.head{h}"
            shapes[f"{at}.query"] = shapes[f"{at}.key"] = (rows, width)
            shapes[f"{at}.value"], shapes[f"{at}.output"] = (values, width), (width, values)
        neurons = layer["neurons"]
        shapes[f"layer{number}.gate"] = shapes[f"layer{number}.value"] = (neurons, width)
        shapes[f"layer{number}.out"] = (width, neurons)
    return shapes


def _read_model(record: Mapping[str, Any], stored: Any) -> Model:
    parts = tuple(Part(name, size) for name, size in record["parts"])
    problems = list(vocabulary_problems(record["kind"], parts, record["context"]))
    if problems:
        raise MalformedError(f"not a model: {problems[0]}")
    shapes = _shapes(record)
    weights = sum(math.prod(shape) for shape in shapes.values())
    if weights > MAX_WEIGHTS:
        raise MalformedError(f"{weights} weights declared; {MAX_WEIGHTS} is the most")
    wanted = {f"{name}.{what}" for name in shapes for what in ("index", "weight")}
    if wanted != set(stored.keys()):
        odd = sorted(wanted ^ set(stored.keys()))
        raise MalformedError(f"missing or unexpected tensor {odd[0][:120]!r} ({len(odd)} in all)")
    tensors = {name: _dense(name, shape, stored) for name, shape in shapes.items()}
    heads = [len(layer["heads"]) for layer in record["layers"]]
    return Model(
        parts=parts,
        context=record["context"],
        names=tuple(record["names"]),
        hints=record["hints"],
        limit=record["limit"],
        kind=record["kind"],
        **assemble(parts, heads, tensors),
    )


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
