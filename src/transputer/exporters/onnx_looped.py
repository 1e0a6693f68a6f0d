"""Export a looped model as ONNX graphs: one step, and a Loop that steps until the model halts.

Attention is a true softmax, in the float type in which the model is exact. In each head, key and
query are fused into one matrix (`key' key`), and output and value into another, so that a head is
four products:

    x + (output value) x softmax(sharpness * x' (key' key) x)

The softmax is written out, because a runtime's own may give losers slightly more than 0. Weights
are stored as their nonzeros and scattered into dense tensors when a runtime loads the file.
"""

from typing import Any

import numpy as np

from transputer.errors import CapacityError
from transputer.exporters.onnx import IR_VERSION, OPSET, PRODUCER, OnnxGraph
from transputer.model import Array, Looped, SelfHead, sharpness, verify_looped
from transputer.model.verify_looped import largest_fused

#: Default limit on the steps of a Loop.
LIMIT = 1_000_000


def step_graph_looped(model: Looped, dtype: str = "") -> bytes:
    """Export one step: `state` (rows, columns) to `next`, and whether `next` has `halted`.

    Raises `CapacityError` for a float type in which the model is not exact.
    """
    writer = _LoopedWriter(model, dtype)
    after = writer.step(writer.graph, "state")
    writer.call(writer.graph, after, "next")
    writer.call(writer.graph, writer.halted(writer.graph, after), "halted")
    return writer.file(
        "step", [writer.state("state")], [writer.state("next"), writer.flag("halted")]
    )


def loop_graph_looped(
    model: Looped, dtype: str = "", state: Array | None = None, limit: int = LIMIT
) -> bytes:
    """Export a whole run: `state` and `limit` to the `last` state and the number of `steps`.

    `state` and a default limit are the defaults of the inputs. Raises as `step_graph_looped` does.
    """
    writer = _LoopedWriter(model, dtype)
    writer.default("limit", np.array(limit, dtype=np.int64))
    if state is not None:
        writer.default("state", state.astype(writer.number))
    graph, body = writer.graph, writer.graph.inner()
    after = writer.step(body, "before")
    writer.call(body, body.op("Not", writer.halted(body, after)), "going")
    writer.call(body, after, "after")
    writer.call(body, body.op("Add", "count", body.constant(np.array(1))), "counted")
    turn = graph.onnx.helper.make_graph(
        body.nodes,
        "turn",
        [writer.count("turn"), writer.flag("go"), writer.state("before"), writer.count("count")],
        [writer.flag("going"), writer.state("after"), writer.count("counted")],
    )
    start = graph.op("Not", writer.halted(graph, "state"))
    loop_inputs = ["limit", start, "state", graph.constant(np.array(0))]
    graph.nodes.append(
        graph.onnx.helper.make_node("Loop", loop_inputs, ["last", "steps"], body=turn)
    )
    inputs, outputs = [writer.state("state"), writer.count("limit")], [writer.state("last")]
    return writer.file("run", inputs, [*outputs, writer.count("steps")])


class _LoopedWriter:
    """Writes the nodes and declarations of a looped model's graph."""

    def __init__(self, model: Looped, dtype: str) -> None:
        verify_looped(model)
        name = _checked(model, dtype or model.exact)
        self.model = model
        self.number = np.dtype(name)
        self.graph = OnnxGraph([], {})
        self._kind = "FLOAT" if name == "float32" else "DOUBLE"
        self._sharp = np.array(sharpness(name), dtype=self.number)

    def state(self, name: str) -> Any:
        """Return the declaration of a state."""
        return self.graph.info(name, self._kind, [self.model.width, self.model.columns])

    def flag(self, name: str) -> Any:
        """Return the declaration of a boolean."""
        return self.graph.info(name, "BOOL", [])

    def count(self, name: str) -> Any:
        """Return the declaration of an integer."""
        return self.graph.info(name, "INT64", [])

    def default(self, name: str, array: Any) -> None:
        """Declare the default of an input."""
        self.graph.constants.append(self.graph.onnx.numpy_helper.from_array(array, name))

    def call(self, graph: OnnxGraph, value: str, name: str) -> None:
        """Give a result another name."""
        graph.nodes.append(graph.onnx.helper.make_node("Identity", [value], [name]))

    def step(self, g: OnnxGraph, x: str) -> str:
        """Add one step; weights are scattered once, outside any loop."""
        for layer in self.model.layers:
            outputs = [self._attend(g, head, x) for head in layer.heads]
            x = g.op("Sum", x, *outputs) if outputs else x
            gates = g.op("Relu", g.op("MatMul", self._weights(layer.gate), x))
            products = g.op("Mul", gates, g.op("MatMul", self._weights(layer.value), x))
            x = g.op("Add", x, g.op("MatMul", self._weights(layer.out), products))
        return x

    def _attend(self, g: OnnxGraph, head: SelfHead, x: str) -> str:
        queries = g.op("MatMul", self._weights(head.key.T @ head.key), x)
        scores = g.op("MatMul", g.op("Transpose", x, perm=[1, 0]), queries)
        behind = g.op("Sub", scores, g.op("ReduceMax", scores, axes=[0], keepdims=1))
        powers = g.op("Exp", g.op("Mul", behind, g.constant(self._sharp)))
        shares = g.op("Div", powers, g.op("ReduceSum", powers, g.integers(0), keepdims=1))
        values = g.op("MatMul", self._weights(head.output @ head.value), x)
        return g.op("MatMul", values, shares)

    def halted(self, g: OnnxGraph, x: str) -> str:
        """Add the test whether a state has halted."""
        first = g.op("Gather", x, g.constant(np.array(0)), axis=1)
        stop = g.constant(self.model.stop.astype(self.number))
        reach = g.op("ReduceSum", g.op("Mul", first, stop), keepdims=0)
        return g.op("GreaterOrEqual", reach, g.constant(np.array(1, dtype=self.number)))

    def _weights(self, array: Array) -> str:
        return self.graph.weights(np.ascontiguousarray(array, dtype=self.number))

    def file(self, name: str, inputs: list[Any], outputs: list[Any]) -> bytes:
        """Return the graph as an ONNX file."""
        onnx = self.graph.onnx
        graph = onnx.helper.make_graph(
            self.graph.nodes, name, inputs, outputs, self.graph.constants
        )
        opset = [onnx.helper.make_opsetid("", OPSET)]
        proto = onnx.helper.make_model(
            graph, opset_imports=opset, ir_version=IR_VERSION, producer_name=PRODUCER
        )
        onnx.checker.check_model(proto)
        contents: bytes = proto.SerializeToString()
        return contents


def _checked(model: Looped, dtype: str) -> str:
    """Return the float type; raise `CapacityError` unless it is exact for the fused products."""
    limits = {"float32": 2**24, "float64": 2**53}
    if dtype not in limits:
        raise CapacityError(f"{dtype} is not exact for this model; use {model.exact}")
    most, where = largest_fused(model)
    if most >= limits[dtype]:
        raise CapacityError(
            f"{dtype} holds integers below {limits[dtype]:,} exactly; {where} may reach {most:,}; "
            "use float64"
        )
    return dtype
