"""Export a model as ONNX graphs in float64: one step, and a Loop that runs a whole program.

A step takes a token and the KV cache (one row per earlier position with the keys and values of all
heads) and returns the next token and the extended cache. The Loop feeds the prompt token by token,
then each decoded token, until the status part of a token is not 0. Weights are stored as their
nonzeros and scattered into dense tensors when a runtime loads the file.
"""

import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import EngineUnavailable
from transputer.machines.trace.packed import NAMES, Start
from transputer.model import Array, Head, Model, Token

#: Has ScatterND, ArgMax with select_last_index, and MatMul on doubles.
OPSET = 17
IR_VERSION = 8
PRODUCER = "transputer"


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise EngineUnavailable("onnx: not installed; pip install 'transputer[onnx]'") from None
    return onnx


class OnnxGraph:
    """Nodes and initializers of a graph; methods that add nodes return the result's name."""

    def __init__(self, constants: list[Any], known: dict[str, str]) -> None:
        self.onnx = _onnx()
        self.nodes: list[Any] = []
        self.constants, self._known = constants, known

    def inner(self) -> "OnnxGraph":
        """Return a graph for a loop body, with its own nodes and shared constants."""
        return OnnxGraph(self.constants, self._known)

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one result."""
        name = f"{kind.lower()}.{id(self)}.{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def split(self, value: str, sizes: list[int], axis: int) -> list[str]:
        """Split a value into consecutive pieces of these sizes."""
        names = [f"split.{id(self)}.{len(self.nodes)}.{i}" for i in range(len(sizes))]
        inputs = [value, self.constant(np.array(sizes, dtype=np.int64))]
        self.nodes.append(self.onnx.helper.make_node("Split", inputs, names, axis=axis))
        return names

    def constant(self, array: NDArray[Any]) -> str:
        """Add a constant; equal constants are stored once."""
        key = f"{array.dtype}{array.shape}{array.tobytes().hex()}"
        if key not in self._known:
            self._known[key] = f"constant.{len(self.constants)}"
            self.constants.append(self.onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def integers(self, *values: int) -> str:
        """Add a constant list of integers."""
        return self.constant(np.array(values, dtype=np.int64))

    def weights(self, array: Array) -> str:
        """Add a weight tensor, stored as its nonzeros."""
        index = np.flatnonzero(array)
        zeros = self.op(
            "ConstantOfShape",
            self.integers(array.size),
            value=self.onnx.numpy_helper.from_array(np.zeros(1, array.dtype)),
        )
        filled = self.op(
            "ScatterND",
            zeros,
            self.constant(index[:, None].astype(np.int64)),
            self.constant(array.ravel()[index]),
        )
        return self.op("Reshape", filled, self.integers(*array.shape))

    def info(self, name: str, kind: str, shape: list[Any]) -> Any:
        """Return the declaration of an input or output."""
        element = getattr(self.onnx.TensorProto, kind)
        return self.onnx.helper.make_tensor_value_info(name, element, shape)


class _Decoder:
    """The weights of a model in a graph; adds forward passes to that graph or to a loop body."""

    def __init__(self, graph: OnnxGraph, model: Model) -> None:
        self.model = model
        sizes = [part.size for part in model.parts]
        self.sizes = sizes
        self.offsets = graph.integers(*np.cumsum([0, *sizes[:-1]]).tolist())
        self.embedding = graph.weights(np.concatenate(model.embeddings))
        self.output = graph.weights(np.concatenate(model.outputs))
        self.bias, self.position = graph.weights(model.bias), graph.weights(model.position)
        self.layers = [
            (
                [self._head(graph, head) for head in layer.heads],
                [graph.weights(m) for m in (layer.gate, layer.value, layer.out)],
            )
            for layer in model.layers
        ]
        self.widths = [
            len(rows) for layer in model.layers for h in layer.heads for rows in (h.key, h.value)
        ]

    @staticmethod
    def _head(graph: OnnxGraph, head: Head) -> list[str]:
        return [graph.weights(m) for m in (head.query, head.key, head.value, head.output)]

    def step(self, g: OnnxGraph, token: str, cache: str) -> tuple[str, str]:
        """Add a forward pass; return the next token and the extended cache."""
        rows = g.op("Gather", self.embedding, g.op("Add", token, self.offsets), axis=0)
        length = g.op("Gather", g.op("Shape", cache), g.constant(np.array(0)), axis=0)
        time = g.op("Cast", length, to=g.onnx.TensorProto.DOUBLE)
        x = g.op("Add", self.bias, g.op("Mul", self.position, time))
        x = g.op("Add", x, g.op("ReduceSum", rows, g.integers(0), keepdims=0))
        past = iter(g.split(cache, self.widths, 1) if self.widths else [])
        added: list[str] = []
        for heads, (gate, value, out) in self.layers:
            attended = [self._attend(g, head, x, past, added) for head in heads]
            for item in attended:
                x = g.op("Add", x, item)
            gates = g.op("Relu", g.op("MatMul", gate, x))
            product = g.op("Mul", gates, g.op("MatMul", value, x))
            x = g.op("Add", x, g.op("MatMul", out, product))
        longer = g.op("Concat", cache, g.op("Concat", *added, axis=1), axis=0)
        return self._next(g, x), longer

    def _attend(self, g: OnnxGraph, head: list[str], x: str, past: Any, added: list[str]) -> str:
        query, key, value, output = head
        cached = []
        for rows in (key, value):
            now = g.op("Unsqueeze", g.op("MatMul", rows, x), g.integers(0))
            cached.append(g.op("Concat", next(past), now, axis=0))
            added.append(now)
        scores = g.op("MatMul", cached[0], g.op("MatMul", query, x))
        # the largest score, then the latest position
        best = g.op("ArgMax", scores, axis=0, keepdims=0, select_last_index=1)
        return g.op("MatMul", output, g.op("Gather", cached[1], best, axis=0))

    def _next(self, g: OnnxGraph, x: str) -> str:
        logits = g.split(g.op("MatMul", self.output, x), self.sizes, 0)
        # the lowest index among the largest
        return g.op(
            "Concat", *(g.op("ArgMax", part, axis=0, keepdims=1) for part in logits), axis=0
        )


def step_graph(model: Model, start: Start) -> bytes:
    """Return the graph of one step: `token`, `cache` to `next`, `longer_cache`."""
    g = OnnxGraph([], {})
    decoder = _Decoder(g, model)
    parts, width = len(model.parts), sum(decoder.widths)
    token, cache = decoder.step(g, "token", "cache")
    g.nodes.append(g.onnx.helper.make_node("Identity", [token], ["next"]))
    g.nodes.append(g.onnx.helper.make_node("Identity", [cache], ["longer_cache"]))
    inputs = [g.info("token", "INT64", [parts]), g.info("cache", "DOUBLE", ["length", width])]
    outputs = [
        g.info("next", "INT64", [parts]),
        g.info("longer_cache", "DOUBLE", ["length + 1", width]),
    ]
    return _file(g, "step", inputs, outputs, start)


def loop_graph(model: Model, start: Start, prompt: list[Token], max_steps: int) -> bytes:
    """Return the graph of a whole run: `prompt`, `max_steps` (with these defaults) to `decoded`."""
    g = OnnxGraph([], {})
    decoder = _Decoder(g, model)
    parts, width = len(model.parts), sum(decoder.widths)
    status = start.views[NAMES.index("status")].part or 0
    defaults = {
        "prompt": np.array(prompt, dtype=np.int64).reshape(-1, parts),
        "max_steps": np.array(max_steps, dtype=np.int64),
    }
    g.constants += [g.onnx.numpy_helper.from_array(a, name) for name, a in defaults.items()]
    length = g.op("Gather", g.op("Shape", "prompt"), g.constant(np.array(0)), axis=0)
    last = g.op("Sub", length, g.constant(np.array(1)))
    body = _body(g.inner(), decoder, last, status)
    first = [g.constant(np.array(True)), g.integers(*[0] * parts), g.constant(np.zeros((0, width)))]
    trips = g.op("Add", last, "max_steps")
    names = ["last_token", "cache", "all_tokens"]
    g.nodes.append(g.onnx.helper.make_node("Loop", [trips, *first], names, body=body))
    from_last = g.op("Unsqueeze", last, g.integers(0))
    ends = g.integers(np.iinfo(np.int64).max)
    decoded = g.op("Slice", "all_tokens", from_last, ends, g.integers(0))
    g.nodes.append(g.onnx.helper.make_node("Identity", [decoded], ["decoded"]))
    inputs = [g.info("prompt", "INT64", ["length", parts]), g.info("max_steps", "INT64", [])]
    return _file(g, "run", inputs, [g.info("decoded", "INT64", ["steps", parts])], start)


def _body(g: OnnxGraph, decoder: _Decoder, last: str, status: int) -> Any:
    """Return one iteration: a step from the next prompt token or from the last decoded one."""
    parts, width = len(decoder.model.parts), sum(decoder.widths)
    index = g.op("Min", "turn", last)
    prompted = g.op("Gather", "prompt", index, axis=0)
    token = g.op("Where", g.op("LessOrEqual", "turn", last), prompted, "decoded_before")
    following, longer = decoder.step(g, token, "cache_before")
    code = g.op("Gather", following, g.constant(np.array(status)), axis=0)
    running = g.op("Equal", code, g.constant(np.array(0)))
    ends = [g.op("Or", g.op("Less", "turn", last), running), following, longer]
    ends.append(g.op("Identity", following))
    return g.onnx.helper.make_graph(
        g.nodes,
        "turn",
        [
            g.info("turn", "INT64", []),
            g.info("alive", "BOOL", []),
            g.info("decoded_before", "INT64", [parts]),
            g.info("cache_before", "DOUBLE", [None, width]),
        ],
        [
            g.info(ends[0], "BOOL", []),
            g.info(ends[1], "INT64", [parts]),
            g.info(ends[2], "DOUBLE", [None, width]),
            g.info(ends[3], "INT64", [parts]),
        ],
    )


def _file(g: OnnxGraph, name: str, inputs: list[Any], outputs: list[Any], start: Start) -> bytes:
    graph = g.onnx.helper.make_graph(g.nodes, name, inputs, outputs, g.constants)
    opset = [g.onnx.helper.make_opsetid("", OPSET)]
    model = g.onnx.helper.make_model(
        graph, opset_imports=opset, ir_version=IR_VERSION, producer_name=PRODUCER
    )
    g.onnx.helper.set_model_props(model, {PRODUCER: json.dumps(asdict(start))})
    g.onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data
