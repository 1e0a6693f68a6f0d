"""Export a model and its program as one C file: weights, a sparse forward pass, `main`."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.exporters.fold import parabola
from transputer.machines.trace.packed import NAMES, PartView, Start
from transputer.machines.trace.vocabulary import LAYOUT, TRAPS, Space, Status
from transputer.model import Array, Head, Model, streams
from transputer.model.stream import Stream

Mask = NDArray[np.bool_]
_TYPES = """\
typedef struct { int rows; const int *start; const short *lane; const double *weight; } Matrix;
typedef struct { Matrix query, key, value, output; double recency; int latest; } Head;
typedef struct { int first, heads; Matrix gate, value, out; } Layer;
typedef struct { int size, parabola; Matrix rows; } Output;
typedef struct { int part; const int *table; } View;
typedef struct { int first, bytes; } Field;
"""
#: Fields of a token that the host reads or writes.
_FIELDS = ("sp", "space", "at", "value", "status")


def c_file(model: Model, start: Start) -> str:
    """Return the C file; raise `Unsupported` if an argument or a result is not an integer."""
    for kind in (*start.params, *start.results):
        if kind not in ("i32", "i64"):
            raise Unsupported(f"{start.invoke}: a C file takes and prints integers, not {kind}")
    writer = _CWriter(model, start)
    host = writer.host()
    forward = files("transputer.exporters").joinpath("forward.c").read_text(encoding="utf-8")
    header = (
        f"/* {start.name}, {start.invoke}: a transformer that executes it, one forward pass per\n"
        " * step. cc -O2 FILE && ./a.out [--trace] [ARGUMENTS]; --trace prints the SHA-256 of\n"
        " * everything decoded. */\n"
    )
    return "\n".join([header + _TYPES, *writer.lines, *writer.weights(), *host, "", forward])


class _CWriter:
    """Writes data definitions in C, one line each."""

    def __init__(self, model: Model, start: Start) -> None:
        self.model, self.start = model, start
        self.lines: list[str] = []
        self._arrays: dict[str, str] = {}

    def array(self, kind: str, values: Iterable[Any]) -> str:
        """Return the name of an array; equal arrays are written once."""
        text = ",".join(str(int(v)) for v in values) or "0"
        key = f"{kind} {text}"
        if key not in self._arrays:
            self._arrays[key] = f"d{len(self._arrays)}"
            self.lines.append(f"static const {kind} {self._arrays[key]}[] = {{{text}}};")
        return self._arrays[key]

    def matrix(self, rows: Array) -> str:
        """Return a `Matrix` initializer, row by row."""
        row, lane = np.nonzero(rows)
        starts = np.cumsum([0, *np.count_nonzero(rows, axis=1)])
        names = (
            self.array("int", starts),
            self.array("short", lane),
            self.array("double", rows[row, lane]),
        )
        return f"{{{len(rows)}, {', '.join(names)}}}"

    def weights(self) -> list[str]:
        """Return the definitions that the forward pass reads."""
        model = self.model
        heads, layers, first = [], [], 0
        fresh = np.ones(model.width, dtype=bool)
        for layer, (before, _) in zip(model.layers, streams(model), strict=False):
            heads += [self._head(head, before, fresh) for head in layer.heads]
            neurons = (self.matrix(m) for m in (layer.gate, layer.value, layer.out.T))
            layers.append(f"{{{first}, {len(layer.heads)}, {', '.join(neurons)}}}")
            first += len(layer.heads)
            for written in (*(head.output for head in layer.heads), layer.out):
                fresh &= ~written.any(axis=1)
        embeddings = [self.matrix(table) for table in model.embeddings]
        outputs = [self._output(table) for table in model.outputs]
        rows = max((len(h.key) for layer in model.layers for h in layer.heads), default=0)
        definitions = [
            f"enum {{ LANES = {model.width}, PARTS = {len(model.parts)}, LAYERS = {len(layers)}, "
            f"HEADS = {first}, MAX_ROWS = {rows + 1} }};",
            _list("double", "bias", [str(int(v)) for v in model.bias]),
            _list("double", "step", [str(int(v)) for v in model.position]),
            _list("Matrix", "embeddings", embeddings),
            _list("Head", "heads", heads or ["{{0}}"]),
            _list("Layer", "layers", layers),
            _list("Output", "outputs", outputs),
        ]
        definitions[:0], self.lines = self.lines, []
        return definitions

    def _head(self, head: Head, before: Stream, fresh: Mask) -> str:
        """Return a `Head` initializer.

        If its keys depend only on the token and the position, the latest of equal keys scores
        highest, and the others need not be cached.
        """
        query, key = head.query, head.key
        reads = key.any(axis=0) | head.value.any(axis=0)
        moving = key @ self.model.position
        low, high = before.forms(query)
        recency, latest = 0.0, False
        steady = (low == high)[moving != 0].all() and not (head.value @ self.model.position).any()
        if not (reads & ~fresh).any() and steady and moving[moving != 0] @ low[moving != 0] >= 0:
            recency, latest = float(moving[moving != 0] @ low[moving != 0]), True
            key = np.where(self.model.position != 0, 0.0, key)
        names = (self.matrix(m) for m in (query, key, head.value, head.output.T))
        return f"{{{', '.join(names)}, {int(recency)}, {int(latest)}}}"

    def _output(self, table: Array) -> str:
        try:
            rows, closed = np.stack(parabola(table)), 1
        except Unsupported:
            rows, closed = table, 0
        if (rows != np.rint(rows)).any():
            rows, closed = table, 0
        return f"{{{len(table)}, {closed}, {self.matrix(rows)}}}"

    def _view(self, view: PartView) -> str:
        table = self.array("int", view.table) if view.table else "0"
        return f"{{{-1 if view.part is None else view.part}, {table}}}"

    def host(self) -> list[str]:
        """Return the definitions that the host reads."""
        start = self.start
        tokens = start.tokens(start.defaults or (0,) * len(start.arguments))
        views = [self._view(view) for view in start.views]
        results = -1 if start.untyped else len(start.results)
        numbers = {
            "FIRST_ARGUMENT": len(start.before),
            "ARGUMENTS": len(start.arguments),
            "HAS_DEFAULTS": int(start.defaults is not None),
            "BOOT": start.boot,
            "RESULTS": results,
            "EXITS": int(start.exits),
            "SPACE_SLOT": Space.SLOT,
            "SPACE_OUTPUT": Space.OUTPUT,
            **{f"STATUS_{s.name}": s for s in Status},
        }
        definitions = [
            _list("View", "views", views),
            f"enum {{ {', '.join(f'{k} = {int(v)}' for k, v in numbers.items())} }};",
            _wide("wide_arguments", start.params),
            _wide("wide_results", start.results),
            _list("char *const", "traps", [f'"{t.value}"' for t in TRAPS]),
            _list("int", "prompt", [str(v) for token in tokens for v in token]),
        ]
        for name, count in LAYOUT:
            if name in _FIELDS:
                first = NAMES.index(name if count == 1 else f"{name}0")
                definitions.append(f"static const Field {name.upper()} = {{{first}, {count}}};")
        definitions[:0], self.lines = self.lines, []
        return definitions


def _wide(name: str, types: Sequence[str]) -> str:
    """Whether each type has 64 bits."""
    return _list("int", name, [str(int(t == "i64")) for t in types] or ["0"])


def _list(kind: str, name: str, items: Sequence[str]) -> str:
    return f"static const {kind} {name}[] = {{{', '.join(items)}}};"
