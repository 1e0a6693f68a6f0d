"""A looped model as ONNX graphs: one step, and a Loop that steps until the model has stopped.

Attention is a true softmax, in the float type in which the model is exact. Per head, key and query
are one matrix (`key' key`), and output and value another, so that a head is four products:

    x + (output value) x softmax(sharpness * x' (key' key) x)

The softmax is written out, because a runtime's own may give losers a little more than 0. Weights
are stored as their nonzeros and scattered into place when a runtime loads the file.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from transputer.errors import CapacityError
from transputer.exporters.onnx import IR_VERSION, OPSET, PRODUCER, OnnxGraph
from transputer.model import Array, Looped, SelfHead, sharpness, verify_looped
from transputer.model.verify_looped import largest_fused
from transputer.values import dataclass

#: Default limit on the steps of a Loop.
LIMIT = 1_000_000
#: The key of a file's metadata that explains it, as JSON.
ABOUT = "transputer"


@dataclass(frozen=True, slots=True)
class BakedProgram:
    """A program to travel with its model: its first state, and where its results are.

    `word` are the rows of a word, least significant bit first. `result` is the column of the
    result, `output` the column whose writes are the output, counted in row `written` of column 0.
    """

    state: Array
    word: Sequence[int]
    output: int
    written: int
    result: int | None = None


def step_graph_looped(
    model: Looped, dtype: str = "", about: Mapping[str, object] | None = None
) -> bytes:
    """Export one step: `state` (rows, columns) to `next`, and whether `next` has `halted`.

    `about` becomes the file's metadata. Raises `CapacityError` for a float type in which the model
    is not exact.
    """
    writer = _Writer(model, dtype, about)
    after = writer.step(writer.graph, "state")
    writer.call(writer.graph, after, "next")
    writer.call(writer.graph, writer.halted(writer.graph, after), "halted")
    return writer.file(
        "step", [writer.state("state")], [writer.state("next"), writer.flag("halted")]
    )


def loop_graph_looped(
    model: Looped,
    dtype: str = "",
    program: BakedProgram | None = None,
    limit: int = LIMIT,
    about: Mapping[str, object] | None = None,
) -> bytes:
    """Export a whole run: to the `last` state and the number of `steps`.

    Without a program, the inputs are `state` and `limit`. With one there are none, and two outputs
    more: `result`, and `printed`, for each step the byte that it put out, or -1 (256 is added where
    it put out the byte twice). Raises as `step_graph_looped` does.
    """
    writer = _Writer(model, dtype, about)
    inputs = [] if program else [writer.state("state"), writer.count("limit")]
    if program:
        writer.default("limit", np.array(limit, dtype=np.int64))
        writer.default("state", program.state.astype(writer.number))
    graph, body = writer.graph, writer.graph.inner()
    after = writer.step(body, "before")
    writer.call(body, body.op("Not", writer.halted(body, after)), "going")
    writer.call(body, after, "after")
    writer.call(body, body.op("Add", "count", body.constant(np.array(1))), "counted")
    turn_outputs = [writer.flag("going"), writer.state("after"), writer.count("counted")]
    outputs = [writer.state("last"), writer.count("steps")]
    if program:
        writer.call(body, writer.printed(body, after, program), "put")
        turn_outputs.append(writer.count("put"))
        outputs.append(writer.graph.info("printed", "INT64", ["made"]))
    turn = graph.onnx.helper.make_graph(
        body.nodes,
        "turn",
        [writer.count("turn"), writer.flag("go"), writer.state("before"), writer.count("count")],
        turn_outputs,
    )
    start = graph.op("Not", writer.halted(graph, "state"))
    loop_inputs = ["limit", start, "state", graph.constant(np.array(0))]
    names = [one.name for one in outputs]
    graph.nodes.append(graph.onnx.helper.make_node("Loop", loop_inputs, names, body=turn))
    if program and program.result is not None:
        signed = writer.word(graph, "last", program.word, program.result, True)
        writer.call(graph, signed, "result")
        outputs.append(writer.count("result"))
    return writer.file("run", inputs, outputs)


class _Writer:
    def __init__(
        self, model: Looped, dtype: str, about: Mapping[str, object] | None = None
    ) -> None:
        self.about = about
        verify_looped(model)
        name = _checked(model, dtype or model.exact)
        self.model = model
        self.number = np.dtype(name)
        self.graph = OnnxGraph([], {})
        self._kind = "FLOAT" if name == "float32" else "DOUBLE"
        self._sharp = np.array(sharpness(name), dtype=self.number)

    def state(self, name: str) -> Any:
        """The declaration of a state."""
        return self.graph.info(name, self._kind, [self.model.width, self.model.columns])

    def flag(self, name: str) -> Any:
        """The declaration of a truth value."""
        return self.graph.info(name, "BOOL", [])

    def count(self, name: str) -> Any:
        """The declaration of a number."""
        return self.graph.info(name, "INT64", [])

    def default(self, name: str, array: Any) -> None:
        """Declare the default of an input."""
        self.graph.constants.append(self.graph.onnx.numpy_helper.from_array(array, name))

    def call(self, graph: OnnxGraph, value: str, name: str) -> None:
        """Another name for a result."""
        graph.nodes.append(graph.onnx.helper.make_node("Identity", [value], [name]))

    def step(self, g: OnnxGraph, x: str) -> str:
        """The nodes of one step; weights are scattered once, outside of any loop."""
        for layer in self.model.layers:
            met = [self._attend(g, head, x) for head in layer.heads]
            x = g.op("Sum", x, *met) if met else x
            gates = g.op("Relu", g.op("MatMul", self._weights(layer.gate), x))
            opened = g.op("Mul", gates, g.op("MatMul", self._weights(layer.value), x))
            x = g.op("Add", x, g.op("MatMul", self._weights(layer.out), opened))
        return x

    def _attend(self, g: OnnxGraph, head: SelfHead, x: str) -> str:
        wanted = g.op("MatMul", self._weights(head.key.T @ head.key), x)
        scores = g.op("MatMul", g.op("Transpose", x, perm=[1, 0]), wanted)
        behind = g.op("Sub", scores, g.op("ReduceMax", scores, axes=[0], keepdims=1))
        powers = g.op("Exp", g.op("Mul", behind, g.constant(self._sharp)))
        shares = g.op("Div", powers, g.op("ReduceSum", powers, g.integers(0), keepdims=1))
        values = g.op("MatMul", self._weights(head.output @ head.value), x)
        return g.op("MatMul", values, shares)

    def halted(self, g: OnnxGraph, x: str) -> str:
        """Whether a state has stopped."""
        first = g.op("Gather", x, g.constant(np.array(0)), axis=1)
        stop = g.constant(self.model.stop.astype(self.number))
        reach = g.op("ReduceSum", g.op("Mul", first, stop), keepdims=0)
        return g.op("GreaterOrEqual", reach, g.constant(np.array(1, dtype=self.number)))

    def word(
        self, g: OnnxGraph, x: str, rows: Sequence[int], column: int, signed: bool = False
    ) -> str:
        """The number in some rows of a column, whose bits are -1 and 1."""
        powers = [1 << i for i in range(len(rows))]
        if signed:
            powers[-1] = -powers[-1]
        cells = g.op("Gather", x, g.constant(np.array(column)), axis=1)
        bits = g.op("Gather", cells, g.constant(np.array(rows)), axis=0)
        ones = g.op("Cast", g.op("Greater", bits, g.constant(np.zeros((), self.number))), to=7)
        terms = g.op("Mul", ones, g.constant(np.array(powers, dtype=np.int64)))
        return g.op("ReduceSum", terms, keepdims=0)

    def printed(self, g: OnnxGraph, x: str, program: BakedProgram) -> str:
        """The byte that a step put out, or -1; 256 more if it did so twice."""
        byte = self.word(g, x, program.word[:8], program.output)
        first = g.op("Gather", x, g.constant(np.array(0)), axis=1)
        times = g.op("Gather", first, g.constant(np.array(program.written)), axis=0)
        count = g.op("Cast", times, to=7)
        again = g.op("Mul", g.op("Sub", count, g.constant(np.array(1))), g.constant(np.array(256)))
        some = g.op("Greater", count, g.constant(np.array(0)))
        return g.op("Where", some, g.op("Add", byte, again), g.constant(np.array(-1)))

    def _weights(self, array: Array) -> str:
        return self.graph.weights(np.ascontiguousarray(array, dtype=self.number))

    def file(self, name: str, inputs: list[Any], outputs: list[Any]) -> bytes:
        """The graph as an ONNX file."""
        onnx = self.graph.onnx
        graph = onnx.helper.make_graph(
            self.graph.nodes, name, inputs, outputs, self.graph.constants
        )
        opset = [onnx.helper.make_opsetid("", OPSET)]
        proto = onnx.helper.make_model(
            graph, opset_imports=opset, ir_version=IR_VERSION, producer_name=PRODUCER
        )
        if self.about is not None:
            onnx.helper.set_model_props(proto, {ABOUT: json.dumps(self.about)})
        onnx.checker.check_model(proto)
        contents: bytes = proto.SerializeToString()
        return contents


def _checked(model: Looped, dtype: str) -> str:
    """The float type, checked to be exact for the fused products, too."""
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
