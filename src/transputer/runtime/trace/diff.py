"""`diff` on the trace machine: the first step at which two engines differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.diff import Comparison, Difference, Follower, RunsDiffer, of_tokens
from transputer.errors import StepLimitError, UsageError
from transputer.host.result import Result
from transputer.ir.core import CoreInstr
from transputer.ir.environment import Ticks
from transputer.ir.values import Value
from transputer.machines.trace.tape import Rows
from transputer.model import Model
from transputer.oracle.core import CoreExecutor
from transputer.runtime.trace.oracles import WordsSession
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import (
    ORACLES,
    WEIGHTS,
    AnySession,
    MachineSession,
)
from transputer.values import dataclass

_OUTCOME = ("results", "stdout", "stderr", "exit_code", "trap")


@dataclass(frozen=True, slots=True)
class _WeightsRun:
    """A run on weights: its tokens, the positions of the decoded ones, the session, the result."""

    tokens: Rows
    decoded: NDArray[np.int64]
    session: MachineSession
    result: Result | None


def diff(
    program: TraceProgram,
    engines: tuple[str, str],
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    stdin: bytes = b"",
    max_steps: int,
    model: Model | None = None,
) -> Comparison:
    """Run a program on two engines and return the first step at which they differ.

    The first engine runs weights. If the second does too, tokens are compared. If it is `words`,
    the interpreter of the same core code, every step is compared with the interpreter. If it is
    `oracle`, the interpreter of the program as written, its results are compared as well. `model`
    replaces the weights of the first engine. The clock counts readings, because interpreters take
    other steps.
    """
    first, second = engines
    if first not in WEIGHTS or first == "lifted":
        raise UsageError(f"the first engine must keep its tokens, as native does; {first} does not")
    how: dict[str, Any] = {"stdin": stdin, "max_steps": max_steps, "ticks": Ticks.READINGS}
    one = _run(program, first, invoke, args, how, model)
    if second in ORACLES:
        difference = _follow(program, one, invoke, args, how)
        if difference is None and second != "words":
            difference = _outcomes(one.result, _result(program, second, invoke, args, how))
    elif second in WEIGHTS and second != "lifted":
        other = _run(program, second, invoke, args, how, None)
        host = np.setdiff1d(np.arange(len(one.tokens)), one.decoded)
        difference = of_tokens(one.tokens, other.tokens, host.tolist())
    else:
        raise UsageError(f"no engine {second!r} to compare with; available: native, torch, "
                         f"reference, {', '.join(ORACLES)}")  # fmt: skip
    return _comparison(difference, one, program)


def _comparison(
    difference: Difference | None, run: _WeightsRun, program: TraceProgram
) -> Comparison:
    """Add the instruction and the source line to a difference."""
    steps = len(run.decoded)
    if difference is None or not difference.step:
        return Comparison(difference, steps)
    listing: list[CoreInstr] = run.session.trace.listing
    instr = listing[difference.pc] if difference.pc < len(listing) else None
    line = program.line(instr) if instr else None
    return Comparison(difference, steps, str(instr or ""), str(line or ""))


def _run(
    program: TraceProgram,
    engine: str,
    invoke: str | None,
    args: Sequence[Value | str],
    how: dict[str, Any],
    model: Model | None,
) -> _WeightsRun:
    sessions: list[MachineSession] = []
    segments: list[tuple[int, int]] = []

    def begin(session: AnySession) -> None:
        assert isinstance(session, MachineSession)
        sessions.append(session)
        tape = session.trace.tape
        advance = tape.advance

        def advance_and_note(limit: int) -> Rows:
            start = tape.length
            rows = advance(limit)
            segments.append((start, tape.length))
            return rows

        tape.advance = advance_and_note  # type: ignore[method-assign]

    result = _result(program, engine, invoke, args, {**how, "begin": begin, "model": model})
    decoded = [np.arange(start, end, dtype=np.int64) for start, end in segments]
    return _WeightsRun(sessions[0].trace.tape.tokens, np.concatenate(decoded), sessions[0], result)


def _result(
    program: TraceProgram,
    engine: str,
    invoke: str | None,
    args: Sequence[Value | str],
    how: dict[str, Any],
) -> Result | None:
    """Return the result of a run; None at the step limit."""
    try:
        return run_program(program, invoke, args, engine=engine, **how)
    except StepLimitError:
        return None


def _follow(
    program: TraceProgram,
    run: _WeightsRun,
    invoke: str | None,
    args: Sequence[Value | str],
    how: dict[str, Any],
) -> Difference | None:
    """Return the first difference from the interpreter of the same core code."""
    spaces = run.session.trace.spaces
    memories = {space: address for (kind, address), space in spaces.items() if kind == "memory"}
    frame = "vp" if run.session.trace.untyped else "fp"
    follower = Follower(run.tokens, run.decoded, memories, frame)

    def begin(session: AnySession) -> None:
        assert isinstance(session, WordsSession) and isinstance(session.executor, CoreExecutor)
        session.executor.observer = follower.watch

    try:
        result = _result(program, "words", invoke, args, {**how, "begin": begin})
    except RunsDiffer as error:
        return error.difference
    return _outcomes(run.result, result)


def _outcomes(one: Result | None, other: Result | None) -> Difference | None:
    """Return the first difference between two results; None if a run reached the step limit."""
    if one is None or other is None:
        return None
    for name in _OUTCOME:
        first, second = getattr(one, name), getattr(other, name)
        if first != second and str(first) != str(second):  # a NaN is not equal to itself
            return Difference(0, 0, name, str(first), str(second))
    return None
