"""Exports of loom programs: ONNX graphs and circuits."""

from pathlib import Path
from typing import Any

from transputer.errors import EngineUnavailable, UsageError
from transputer.exporters.onnx_looped import loop_graph_looped, step_graph_looped
from transputer.exporters.verilog import VerilogCircuit
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import initial
from transputer.model import Looped
from transputer.runtime.loom.program import CompiledLoom

#: Export formats of the loom machine.
FORMATS = ("onnx", "verilog")


def export(
    program: CompiledLoom, to: str, output: Path, *, dtype: str = "", **unused: Any
) -> list[Path]:
    """Write a program and its model to files; return their paths.

    `onnx` writes the whole run and one step (`NAME.step.onnx`), by default in the smallest float
    type in which the model is exact; another type raises `CapacityError` if the model is not exact
    in it. `verilog` writes the model as a circuit, its weights, a test bench, and the program as
    the initial state.
    """
    model, state = loom_model(program.config), initial(program.code, program.config)
    files: dict[Path, bytes]
    if to == "verilog":
        if dtype:
            raise UsageError("a circuit computes in integers; omit the number type")
        if output.suffix != ".v":
            raise UsageError(f"{output}: a circuit is a .v file")
        texts = VerilogCircuit.of(model, output.stem).files(state)
        files = {output.with_name(name): text.encode() for name, text in texts.items()}
    else:
        files = {
            output: loop_graph_looped(model, dtype, state),
            output.with_suffix(f".step{output.suffix}"): step_graph_looped(model, dtype),
        }
    for name, contents in files.items():
        try:
            name.write_bytes(contents)
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror or error}") from None
    return list(files)


def onnx_sizes(model: Looped) -> dict[str, int] | None:
    """Return the sizes of a model's ONNX files without a program; None without the `onnx` extra."""
    try:
        files = {"step": step_graph_looped(model), "loop": loop_graph_looped(model)}
    except EngineUnavailable:
        return None
    return {name: len(contents) for name, contents in files.items()}
