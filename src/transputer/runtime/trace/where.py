"""Where a run of the trace machine trapped: the open calls, from its tokens, as source places."""

from collections.abc import Iterator, Sequence

import numpy as np

from transputer.debugger.recording import Rows
from transputer.debugger.state import open_calls
from transputer.engines.protocol import Restorable, Sprinter
from transputer.host.outcome import CallOutcome, OpenCall
from transputer.host.place import CallPlace
from transputer.machines.trace.session import TraceExecutor
from transputer.machines.trace.tape import SPACE
from transputer.machines.trace.vocabulary import Record, Space, record
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import AnySession, MachineSession

#: A run with more steps is not decoded again to find where it trapped.
MOST = 2_000_000


def where(
    program: TraceProgram, session: AnySession, outcome: CallOutcome
) -> tuple[CallPlace, ...]:
    """Return the open calls after a trap, innermost first; empty if they are unknown."""
    if outcome.trap is None or program.packed is not None:
        return ()
    if isinstance(session, MachineSession):
        return places(program, _calls(session.trace))
    return places(program, outcome.calls)


def places(program: TraceProgram, calls: Sequence[OpenCall]) -> tuple[CallPlace, ...]:
    """Return the places of open calls; the callers of `main` in the C library are left out."""
    rows: list[CallPlace] = []
    for call in calls:
        rows += program.call_places(call.function, call.origin)
        if program.is_command and rows[-1].function == "main":
            break
    return tuple(rows)


def _calls(executor: TraceExecutor) -> list[OpenCall]:
    """Return the open calls of a session whose last token says a trap."""
    state = _before(executor)
    if state is None:
        return []
    now, frames = state
    functions = {f.entry: f for f in executor.functions.values()}
    listing = executor.listing
    return [
        OpenCall(call.function.name if call.function else "", listing[call.instruction].origin)
        for call in open_calls(now, frames.get, functions)
    ]


def _before(executor: TraceExecutor) -> tuple[Record, dict[int, Record]] | None:
    """Return the token before the last step, and the latest call token of each depth."""
    tape = executor.tape
    engine = tape.engine
    if isinstance(engine, Sprinter):
        return _again(engine) if executor.steps <= MOST else None
    if isinstance(engine, Restorable):
        rows = engine.snapshot()["tokens"]
    elif tape.keep:
        rows = tape.tokens
    else:
        return None
    return executor.before, dict(_frames(rows))


def _again(engine: Sprinter) -> tuple[Record, dict[int, Record]] | None:
    """Decode a run again; an engine that sprints keeps only what the host must see."""
    frames: dict[int, Record] = {}
    last: Rows = np.zeros((0, 0), dtype=np.uint8)
    for rows in engine.replay():
        tokens = rows.astype(np.uint8)
        last = np.concatenate([last[-1:], tokens]) if len(last) else tokens
        frames.update(_frames(tokens))
    return (record(tuple(last[-2].tolist())), frames) if len(last) > 1 else None


def _frames(rows: Rows) -> Iterator[tuple[int, Record]]:
    """Yield the depth of each call token and the token, the latest last."""
    for row in rows[rows[:, SPACE] == Space.FRAME].tolist():
        item = record(tuple(row))
        yield item.depth, item
