"""Models as files: build, save, inspect."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from transputer.errors import CapacityError, UsageError
from transputer.frontends.source import PathLike
from transputer.ir.loom import configuration
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.trace.addressing import ADDRESSINGS, DIGITS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import Looped, Model, card, load, load_any, looped_card, save
from transputer.runtime.loom.export import onnx_sizes

#: The default configuration of the loom machine.
LOOM_CONFIG = "155x1024"


def build_loom(config: str | None = None) -> Looped:
    """Build the universal model of the loom machine in a configuration."""
    return loom_model(configuration(config or LOOM_CONFIG))


def build_trace(addressing: str | None = None, context: int | None = None) -> Model:
    """Build the universal model of the trace machine for `context` positions.

    Raises `CapacityError`, which names the longest context, where scores would not be exact.
    """
    name = addressing or DIGITS.name
    if name not in ADDRESSINGS:
        raise UsageError(f"no addressing {name!r}; available: {', '.join(ADDRESSINGS)}")
    kind = ADDRESSINGS[name]
    if context is None:
        return trace_model(kind)
    if context < 1:
        raise UsageError(f"a context has at least 1 position, not {context:,}")
    try:
        return trace_model(replace(kind, context=context))
    except CapacityError as error:
        longest = card(trace_model(kind))["longest_context"]
        raise CapacityError(
            f"a context of {context:,} positions is too long; bounds allow {longest:,} ({error})"
        ) from None


def save_model(model: Model | Looped, path: PathLike) -> None:
    """Write a model to a file; raise `UsageError` if the file cannot be written."""
    try:
        save(model, Path(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def load_model(path: PathLike) -> Model:
    """Load and verify a model; raise `UsageError` or a one-line error for a damaged file."""
    return load(Path(path))


def load_looped(path: PathLike) -> Looped:
    """Load and verify a looped model; raise `UsageError` for a model of another kind."""
    model = load_any(Path(path))
    if not isinstance(model, Looped):
        raise UsageError(f"{path}: not a looped model; use --machine trace")
    return model


def inspect(path: PathLike) -> dict[str, Any]:
    """Return the card of a model in a file.

    The card of a looped model has the sizes of its ONNX files, None without the `onnx` extra.
    """
    model = load_any(Path(path))
    if isinstance(model, Looped):
        return {**looped_card(model), "onnx": onnx_sizes(model)}
    return card(model)


__all__ = [
    "build_loom",
    "build_trace",
    "card",
    "inspect",
    "load_looped",
    "load_model",
    "save_model",
]
