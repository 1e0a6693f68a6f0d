"""`diff` on the loom machine: the first step at which two engines differ."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest
from os import PathLike

from transputer.debugger.diff import Comparison, Difference
from transputer.errors import StepLimitError, UsageError
from transputer.host.outcome import DEFAULT_STEPS
from transputer.host.result import check_invoke
from transputer.ir.loom import LoomConfig, LoomProgram
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import Looped
from transputer.oracle.loom import Loom, LoomRecord
from transputer.registry import RunSettings
from transputer.runtime.loom.program import CompiledLoom, fed
from transputer.runtime.loom.run import engine_of
from transputer.runtime.models import load_looped

#: Steps between two progress reports.
_EVERY = 1 << 14


def diff(program: CompiledLoom, settings: RunSettings, engines: tuple[str, str]) -> Comparison:
    """Run a program on two engines and return the first step that differs.

    Steps are compared by pc, changed slots, output and trap. The engine `oracle` is the
    interpreter without weights; `settings.weights` replaces the first engine's model.
    """
    check_invoke(program.name, program.has_main, settings.invoke)
    program = fed(program, settings.stdin)
    code, size, limit = program.code, program.config, settings.max_steps or DEFAULT_STEPS
    model = settings.weights
    model = load_looped(model) if isinstance(model, str | PathLike) else model
    if model is not None:
        _check_size(model, size)

    def records(engine: str, weights: Looped) -> Iterator[LoomRecord]:
        if engine == "oracle":
            runner: LoomSession | Loom = Loom(code, size)
        else:
            runner = LoomSession(size, engine_of(engine, weights, initial(code, size)))
        with suppress(StepLimitError):
            yield from runner.records(limit)

    own = loom_model(size)
    first, second = records(engines[0], model or own), records(engines[1], own)
    step = 0
    for step, (one, other) in enumerate(zip_longest(first, second), start=1):
        if one != other:
            return _comparison(code, step, one, other)
        if step % _EVERY == 0:
            settings.pulse(step)
    return Comparison(None, step)


def _check_size(model: Looped, size: LoomConfig) -> None:
    """Raise `UsageError` if the weights have another configuration than the program."""
    own = loom_model(size)
    if (model.columns, model.width) == (own.columns, own.width):
        return
    name = model.hints.get("config")
    hint = f"; compile it with --config {name}" if name else ""
    raise UsageError(
        f"the weights are for {model.columns} columns of {model.width} rows, the program for "
        f"{own.columns} of {own.width}{hint}"
    )


def _comparison(
    program: LoomProgram, step: int, one: LoomRecord | None, other: LoomRecord | None
) -> Comparison:
    """Return the comparison with the difference of two records; None is the end of a run."""
    if one is None or other is None:
        first, second = ("ended" if r is None else "continues" for r in (one, other))
        return Comparison(Difference(step, 0, "number of steps", first, second), step)
    names = [n for n in ("pc", "changes", "output", "trap") if getattr(one, n) != getattr(other, n)]
    first, second = (", ".join(_text(record, name) for name in names) for record in (one, other))
    what = ", ".join("slots changed" if name == "changes" else name for name in names)
    instr = program.code[one.pc] if 0 <= one.pc < len(program.code) else None
    line = f"line {instr.line}" if instr and instr.line else ""
    return Comparison(Difference(step, one.pc, what, first, second), step, str(instr or ""), line)


def _text(record: LoomRecord, name: str) -> str:
    value = getattr(record, name)
    if name != "changes":
        return str(getattr(value, "value", value))
    return " ".join(f"{slot} = {word}" for slot, word in value) or "none"
