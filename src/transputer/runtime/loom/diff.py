"""`diff` and `trace` on the loom machine: the first step that differs, and steps as rows."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest

from transputer.debugger.diff import Difference
from transputer.errors import StepLimitError, UsageError
from transputer.host.outcome import Pulse, quiet
from transputer.ir.loom import Program, configuration, smallest
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import Session, initial
from transputer.model import Looped
from transputer.oracle.loom import Loom, Record
from transputer.runtime.loom.debug import debug_loom
from transputer.runtime.loom.loom import LOOM_ENGINES, engine_of
from transputer.runtime.trace.diff import COMPARED, Compared
from transputer.runtime.trace.trace import LoomStep

#: Steps between two words about how far the comparison is.
_EVERY = 1 << 14


def diff_loom(
    program: Program,
    engines: tuple[str, str],
    config: str | None = None,
    *,
    max_steps: int = COMPARED,
    model: Looped | None = None,
    pulse: Pulse = quiet,
) -> Compared:
    """Run a program of the loom machine on two engines and find the first step that differs.

    A step is where it was, the slots it changed, what it put out and how it ended. `oracle` is the
    interpreter, without weights; `model` replaces the weights of the first.
    """
    for name in engines:
        if name not in LOOM_ENGINES[1:]:
            known = ", ".join(LOOM_ENGINES[1:])
            raise UsageError(f"no engine {name!r} for loom; there is: {known}")
    size = smallest(program) if config is None else configuration(config)

    def records(engine: str, weights: Looped) -> Iterator[Record]:
        if engine == "oracle":
            runner: Session | Loom = Loom(program, size)
        else:
            runner = Session(size, engine_of(engine, weights, initial(program, size)))
        with suppress(StepLimitError):
            yield from runner.records(max_steps)

    own = loom_model(size)
    first, second = records(engines[0], model or own), records(engines[1], own)
    step = 0
    for step, (one, other) in enumerate(zip_longest(first, second), start=1):
        if one != other:
            return _told(program, step, one, other)
        if step % _EVERY == 0:
            pulse(step)
    return Compared(None, step)


def _told(program: Program, step: int, one: Record | None, other: Record | None) -> Compared:
    """The first difference of two records, by what differs."""
    if one is None or other is None:
        first, second = ("has ended" if r is None else "goes on" for r in (one, other))
        return Compared(Difference(step, 0, "number of steps", first, second), step)
    names = [n for n in ("pc", "changes", "output", "trap") if getattr(one, n) != getattr(other, n)]
    first, second = (", ".join(_shown(record, name) for name in names) for record in (one, other))
    what = ", ".join("slots changed" if name == "changes" else name for name in names)
    instr = program.code[one.pc] if 0 <= one.pc < len(program.code) else None
    line = f"line {instr.line}" if instr and instr.line else ""
    return Compared(Difference(step, one.pc, what, first, second), step, str(instr or ""), line)


def _shown(record: Record, name: str) -> str:
    held = getattr(record, name)
    if name != "changes":
        return str(getattr(held, "value", held))
    return " ".join(f"{slot} = {word}" for slot, word in held) or "none"


def trace_loom(program: Program, config: str | None = None, *, name: str = "program",
               limit: int = 1000) -> list[LoomStep]:  # fmt: skip
    """The first steps of a run: whom the first column met in every head, what changed."""
    made = debug_loom(program, config, name=name, max_steps=limit)
    return [
        LoomStep(
            step, made.pc(step), str(made.instr(step) or ""), str(made.line(made.pc(step)) or ""),
            tuple(made.reads(step)), made.writes(step),
        )
        for step in range(1, made.steps + 1)
    ]  # fmt: skip
