"""Exports of programs of the trace machine: ONNX, safetensors, C, transformers, prompts, pages."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from transputer.errors import UsageError
from transputer.exporters.c import c_file
from transputer.exporters.hf import prompt_file, write_folder
from transputer.exporters.onnx import loop_graph, step_graph
from transputer.exporters.types import WRITTEN, check_type
from transputer.frontends.source import PathLike
from transputer.ir.values import Value, encode_arguments
from transputer.machines.trace.packed import Start, carrying, start_of
from transputer.machines.trace.universal import model as trace_model
from transputer.model import Model, to_bytes
from transputer.runtime.trace.pack import pack, specialize
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.site import export_site

FORMATS = ("onnx", "safetensors", "c", "hf", "prompt", "site")
#: Default step limit of the Loop in an ONNX file.
LOOP_STEPS = 1_000_000


def export(
    program: TraceProgram,
    to: str,
    output: PathLike,
    *,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    special: bool = False,
    dtype: str = WRITTEN,
) -> list[Path]:
    """Write a program and its model in a format (one of `FORMATS`); return the files' paths.

    `args` are the default arguments; `special` specialises the model first. An ONNX export has two
    files: the whole run, and one step (`NAME.step.onnx`); `hf` writes a folder. Raises
    as `pack` does, and `CapacityError` for a number type that would round.
    """
    if to not in FORMATS:
        raise UsageError(f"no export to {to!r}; available: {', '.join(FORMATS)}")
    if to == "site":
        return export_site(program, Path(output), invoke, args)
    model, start = _packed(program, invoke, args, special)
    check_type(model, dtype)
    path = Path(output)
    if to == "safetensors":
        return [_write(path, to_bytes(carrying(model, start)))]
    if to == "c":
        return [_write(path, c_file(model, start).encode())]
    if to == "hf":
        return write_folder(model, start, path)
    if to == "prompt":
        return [_write(path, prompt_file(start))]
    if start.defaults is None:
        count = len(start.arguments)
        raise UsageError(f"{start.invoke} takes {count} arguments; an ONNX Loop needs their values")
    return [
        _write(path, loop_graph(model, start, start.tokens(start.defaults), LOOP_STEPS)),
        _write(path.with_suffix(f".step{path.suffix}"), step_graph(model, start)),
    ]


def export_model(to: str, output: PathLike) -> list[Path]:
    """Write the universal model without a program; return the files' paths."""
    return write_folder(trace_model(), None, Path(output))


def _packed(
    program: TraceProgram, invoke: str | None, args: Sequence[Value | str], special: bool
) -> tuple[Model, Start]:
    """Return the model, and its start with `args` as the default arguments."""
    if program.packed is not None:
        if special:
            raise UsageError(
                f"{program.name} is a model; specialise the program that it was built from"
            )
        model = program.packed
    else:
        model = (specialize if special else pack)(program, invoke, len(args))
    start = start_of(model)
    if invoke not in (None, start.invoke):
        raise UsageError(f"the model carries {start.invoke} of {start.name}, not {invoke}")
    if not args:
        return model, start
    return model, replace(start, defaults=tuple(encode_arguments(start.invoke, start.type, args)))


def _write(path: Path, data: bytes) -> Path:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    return path
