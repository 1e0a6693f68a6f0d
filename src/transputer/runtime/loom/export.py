"""Exports of loom programs: ONNX graphs, circuits, folders for transformers."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from transputer.errors import EngineUnavailable, UsageError
from transputer.exporters.hf_looped import LoopedStart, write_looped_folder
from transputer.exporters.onnx_looped import BakedProgram, loop_graph_looped, step_graph_looped
from transputer.exporters.verilog import VerilogCircuit
from transputer.ir.loom import OUTPUT
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import Layout, initial
from transputer.model import Array, Looped
from transputer.runtime.loom.program import CompiledLoom

#: Export formats of the loom machine.
FORMATS = ("onnx", "verilog", "hf")


def export(
    program: CompiledLoom, to: str, output: Path, *, dtype: str = "", **unused: Any
) -> list[Path]:
    """Write a program and its model to files; return their paths.

    `onnx` writes the whole run and one step (`NAME.step.onnx`), by default in the smallest float
    type in which the model is exact; another type raises `CapacityError` if the model is not exact
    in it. `verilog` writes the model as a circuit, its weights, a test bench, and the program as
    the initial state. `hf` writes a folder for the transformers library.
    """
    model, state = loom_model(program.config), initial(program.code, program.config)
    if to == "hf":
        if dtype not in ("", model.exact):
            raise UsageError(f"a folder for transformers has {model.exact}; omit the number type")
        places = Layout.of(program.config).rows
        start = LoopedStart(
            state, describe(program), places.output.index, program.config.scratch + OUTPUT
        )
        return write_looped_folder(model, start, output)
    files: dict[Path, bytes]
    if to == "verilog":
        if dtype:
            raise UsageError("a circuit computes in integers; omit the number type")
        if output.suffix != ".v":
            raise UsageError(f"{output}: a circuit is a .v file")
        texts = VerilogCircuit.of(model, output.stem).files(state)
        files = {output.with_name(name): text.encode() for name, text in texts.items()}
    else:
        about, baked = describe(program), _baked(program, state)
        files = {
            output: loop_graph_looped(model, dtype, baked, about=about),
            output.with_suffix(f".step{output.suffix}"): step_graph_looped(model, dtype, about),
        }
    for name, contents in files.items():
        try:
            name.write_bytes(contents)
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror or error}") from None
    return list(files)


def describe(program: CompiledLoom) -> dict[str, object]:
    """What a reader of a state has to know: sizes, rows, symbols, where the result is."""
    config, code = program.config, program.code
    places = Layout.of(config).rows
    rows = {}
    for field in fields(places):
        row = getattr(places, field.name)
        rows[field.name] = [one.index for one in row] if isinstance(row, tuple) else [row.index]
    return {
        "machine": "loom",
        "program": program.name,
        "bits": config.bits,
        "columns": config.columns,
        "scratch": config.scratch,
        "memory": config.memory,
        "rows": rows,
        "bit_order": "rows of a field are least significant bit first; 1 is a one, -1 a zero",
        "slots": "memory slot i is column scratch + i; the program counter is in column 0",
        "result": code.result,
        "output": OUTPUT,
        "symbols": {one.name: [one.slot, one.count] for one in code.symbols},
    }


def _baked(program: CompiledLoom, state: Array) -> BakedProgram:
    config, places = program.config, Layout.of(program.config).rows
    result = program.code.result
    return BakedProgram(
        state,
        [row.index for row in places.memory],
        config.scratch + OUTPUT,
        places.output.index,
        None if result is None else config.scratch + result,
    )


def onnx_sizes(model: Looped) -> dict[str, int] | None:
    """Return the sizes of a model's ONNX files without a program; None without the `onnx` extra."""
    try:
        files = {"step": step_graph_looped(model), "loop": loop_graph_looped(model)}
    except EngineUnavailable:
        return None
    return {name: len(contents) for name, contents in files.items()}
