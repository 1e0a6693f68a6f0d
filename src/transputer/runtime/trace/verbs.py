"""The verbs of the trace machine as the registry calls them."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transputer.host.outcome import DEFAULT_STEPS
from transputer.host.result import Result
from transputer.registry import RunSettings
from transputer.runtime.trace.program import TraceProgram, edited
from transputer.runtime.trace.run import run_program

if TYPE_CHECKING:  # `run` does without what the other verbs need, and starts sooner
    from transputer.debugger.diff import Comparison
    from transputer.runtime.trace.debug import TraceDebugger


def run(program: TraceProgram, settings: RunSettings) -> Result:
    """Run a program, as `Program.run` says."""
    return run_program(
        program,
        settings.invoke,
        settings.args,
        engine=settings.engine,
        max_steps=settings.max_steps or DEFAULT_STEPS,
        stdin=settings.stdin,
        stdout=settings.stdout,
        stderr=settings.stderr,
        pulse=settings.pulse,
        env=settings.env,
        dirs=settings.dirs,
        files=settings.files,
        write_anyway=settings.write_anyway,
        clock=settings.clock,
        ticks=settings.ticks,
        seed=settings.seed,
        keep=settings.keep,
        digest=settings.digest,
        checkpoint=settings.checkpoint,
        resume=settings.resume,
    )


def record(program: TraceProgram, settings: RunSettings) -> "TraceDebugger":
    """Run a program and record it, as `Program.debug` says."""
    from transputer.runtime.trace.debug import RECORDED
    from transputer.runtime.trace.debug import debug as record_run

    program = edited(program, settings.edits) if settings.edits else program
    return record_run(
        program,
        settings.invoke,
        settings.args,
        engine=settings.engine,
        stdin=settings.stdin if isinstance(settings.stdin, bytes) else b"",
        max_steps=settings.max_steps or RECORDED,
        pulse=settings.pulse,
        started=settings.started,
    )


def diff(program: TraceProgram, settings: RunSettings, engines: tuple[str, str]) -> "Comparison":
    """Compare two engines, as `Program.diff` says."""
    from transputer.runtime.models import load_model
    from transputer.runtime.trace import diff as differ

    return differ.diff(
        program,
        engines,
        settings.invoke,
        settings.args,
        stdin=settings.stdin if isinstance(settings.stdin, bytes) else b"",
        max_steps=settings.max_steps or DEFAULT_STEPS,
        model=load_model(settings.weights) if _is_path(settings.weights) else settings.weights,
    )


def export(
    program: TraceProgram, to: str, output: Path, *, dtype: str = "", specialize: bool, **more: Any
) -> list[Path]:
    """Export a program, as `Program.export` says."""
    from transputer.runtime.trace import export as exporter

    how = {"dtype": dtype} if dtype else {}
    return exporter.export(program, to, output, special=specialize, **how, **more)


def _is_path(weights: Any) -> bool:
    """Return whether `weights` is the path of a file, not a model."""
    return isinstance(weights, str | os.PathLike)
