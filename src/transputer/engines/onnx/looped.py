"""Looped models on ONNX Runtime: one exported step, called again and again.

Needs the `onnx` extra. The graph is what `transputer export --to onnx` writes: attention is a true
softmax, in the float type in which the model is exact.
"""

from typing import Any

from transputer.engines.reference.looped import LoopedReference
from transputer.errors import EngineUnavailable
from transputer.model import Array, Looped


class LoopedOnnx(LoopedReference):
    """A run of a looped model from a state, in steps of the graph in an ONNX file.

    It does what `LoopedReference` does, apart from `margins`; `EngineUnavailable` where there is
    no ONNX Runtime.
    """

    def __init__(self, model: Looped, state: Array, graph: bytes) -> None:
        super().__init__(model, state, "softmax")
        self._session = _session(graph)

    def step(self) -> None:
        """One step."""
        (self._state,) = self._session.run(["next"], {"state": self._state})


def _session(graph: bytes) -> Any:
    """The file, loaded for one core."""
    try:
        import onnxruntime
    except ImportError:
        raise EngineUnavailable("onnx: not installed; pip install 'transputer[onnx]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
