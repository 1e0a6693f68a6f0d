"""The image of a model: everything the C engine needs, derived from the tensors.

The records are those of `image.h`, word for word. Names and hints are not looked at.
"""

from collections.abc import Sequence

import numpy as np

from transputer.engines.native.controls import Control, controls
from transputer.engines.native.heads import PACKED, WIDE, Lookup, lookups
from transputer.engines.native.image import ImageWriter
from transputer.engines.native.outputs import output
from transputer.engines.native.readings import (
    Ints,
    LaneReading,
    LaneStage,
    LayerStages,
    integers,
    stages,
)
from transputer.engines.native.tables import KeyTable, key_tables
from transputer.errors import Unsupported
from transputer.model import Layer, Model, entries

#: A word of a plan has 16 bits for a part and 31 for the place of a table.
MAX_PARTS = 2**12
MAX_IMAGE = 2**31
#: The fields of a ModelRecord.
HEADER = (
    "parts width layers context sizes embedding layer heads head tables table output controls "
    "control fetch fetch_query dynamic"
).split()


def planned(model: Model) -> dict[str, Ints]:
    """The words of the image of a model, and the sizes that Python has to know.

    Raises as `verify` does, and `Unsupported` for a model that is larger than plans can say.
    """
    if len(model.parts) > MAX_PARTS:
        raise Unsupported(f"native: {len(model.parts)} parts; {MAX_PARTS} is the most")
    steps, heads = stages(model), lookups(model)
    tables = key_tables(heads)
    part_bytes = 1 if max(part.size for part in model.parts) <= 256 else 2
    writer = ImageWriter(len(HEADER))
    header = {
        **_sizes(writer, model),
        **_layers(writer, model, steps),
        **_heads(writer, heads, tables, part_bytes * len(model.parts)),
        "output": _outputs(writer, model, steps[-1].before),
        **_controls(writer, controls(model), heads, tables, steps[0].before),
    }
    words = writer.words([header[name] for name in HEADER])
    if words.size >= MAX_IMAGE:
        raise Unsupported(f"native: the model takes {words.size} words; {MAX_IMAGE} is the most")
    sizes = [part_bytes, len(heads), len(tables), header["dynamic"]]
    return {"words": words, "sizes": np.array(sizes, dtype=np.int64)}


def _sizes(writer: ImageWriter, model: Model) -> dict[str, int]:
    return {
        "parts": len(model.parts),
        "width": model.width,
        "layers": len(model.layers),
        "context": model.context,
        "sizes": writer.put(part.size for part in model.parts),
    }


def _layers(writer: ImageWriter, model: Model, steps: Sequence[LayerStages]) -> dict[str, int]:
    lanes = steps[0].before.readings(np.eye(model.width, dtype=np.int64))
    records = []
    for layer, step in zip(model.layers, steps, strict=False):
        records += _layer(writer, layer, step)
    return {
        "embedding": writer.readings([r for r in lanes if r is not None]),
        "layer": writer.put(records),
    }


def _layer(writer: ImageWriter, layer: Layer, step: LayerStages) -> list[int]:
    """A LayerRecord: ranges, erased lanes, and the neurons that do not erase."""
    neurons = np.setdiff1d(np.arange(len(layer.gate)), step.erasers)
    outs = entries(layer.out).transposed
    erased = np.zeros(layer.out.shape[0], dtype=np.int64)
    erased[outs.part(step.erasers).lanes] = 1
    return [
        writer.put(integers(np.floor(step.between.lo))),
        writer.put(integers(np.ceil(step.between.hi))),
        writer.put(erased),
        len(neurons),
        writer.sparse(entries(layer.gate).part(neurons)),
        writer.sparse(entries(layer.value).part(neurons)),
        writer.sparse(outs.part(neurons)),
    ]


def _outputs(writer: ImageWriter, model: Model, stage: LaneStage) -> int:
    records = []
    for part, table in zip(model.parts, model.outputs, strict=True):
        found = output(integers(table), stage)
        increments = writer.put(found.increments.ravel().tolist())
        records += [found.kind, part.size, found.constant, writer.sparse(found.rows), increments]
    return writer.put(records)


def _heads(
    writer: ImageWriter, lookups: Sequence[Lookup], tables: Sequence[KeyTable], token_bytes: int
) -> dict[str, int]:
    heads, reads = [], []
    for user in lookups:
        number = next(i for i, table in enumerate(tables) if user in table.users)
        heads += _head(writer, user, number, tables[number])
    for table in tables:
        reads += table.record(writer, token_bytes)
    return {
        "heads": len(lookups),
        "head": writer.put(heads),
        "tables": len(tables),
        "table": writer.put(reads),
        "dynamic": int(any(user.dynamic for user in lookups)),
    }


def _head(writer: ImageWriter, user: Lookup, number: int, table: KeyTable) -> list[int]:
    """A HeadRecord."""
    digits, extras = len(user.digits), list(range(len(user.digits), len(user.query)))
    rows, offset = list(range(len(user.query))), len(user.query) if user.dynamic else -1
    if user.kind == WIDE:
        digits, extras = len(user.query), []
    elif user.kind == PACKED and not user.dynamic:
        rows = table.order(user)
        extras = [table.place(extra) for extra in user.extras if extra.tables]
        offset = table.place(user.offset) if user.offset.tables else -1
    return [
        *(user.layer, user.kind, int(user.dynamic), number),
        writer.sparse(user.query[rows]),
        *(digits, len(extras)),
        *(user.scale, user.recency, offset),
        *(writer.put(range(digits)), writer.put(extras)),
        writer.sparse(user.key),
        writer.put([] if user.spread is None else user.spread),
        writer.sparse(user.value),
        *(len(user.lanes), writer.put(user.lanes)),
        writer.readings(user.reads),
        writer.sparse(user.mix),
    ]


def _controls(
    writer: ImageWriter,
    chosen: Sequence[Control],
    lookups: Sequence[Lookup],
    tables: Sequence[KeyTable],
    stage: LaneStage,
) -> dict[str, int]:
    """The ControlRecords, and the query of the head that some of them read."""
    records, stride = [], 1
    for control in chosen:
        records += [int(control.head is not None), control.part, stride]
        stride *= stage.model.parts[control.part].size
    fetch = next((c.head for c in chosen if c.head is not None), -1)
    rows: list[LaneReading] = []
    if fetch >= 0 and lookups[fetch].kind == PACKED:
        user = lookups[fetch]
        table = next(t for t in tables if user in t.users)
        rows = [r for r in stage.readings(user.query[table.order(user)]) if r is not None]
    return {
        "controls": len(chosen),
        "control": writer.put(records),
        "fetch": fetch,
        "fetch_query": writer.readings(rows),
    }
