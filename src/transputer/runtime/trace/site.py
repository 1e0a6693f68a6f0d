"""A program as a static page: what the page needs to run it and to show every step."""

import base64
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.debugger import fields as shown
from transputer.debugger.sentence import BOOKKEEPING, FETCHES
from transputer.engines.lifted.decoder import Lifted
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.rowrun import RowRun
from transputer.engines.native.decoder import Native
from transputer.errors import StepLimitError, Unsupported, UsageError
from transputer.exporters.fast import WHOLE, FastCode
from transputer.exporters.site import single_page, write_site
from transputer.host.console import Console
from transputer.ir.environment import Ticks
from transputer.ir.values import Value
from transputer.lower.asm import MAIN
from transputer.machines.trace.tape import STATUS, VALUE, field
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import LAYOUT, TRAPS, WORD, Space, Status
from transputer.runtime.trace.page_tables import compiler_tables
from transputer.runtime.trace.program import START, TraceProgram
from transputer.runtime.trace.run import INITIALIZE, default_export, run_program
from transputer.runtime.trace.sessions import (
    AnySession,
    MachineSession,
    new_session,
    refuse_exceptions,
    refuse_vectors,
)
from transputer.runtime.trace.view import KINDS, PLACES
from transputer.values import dataclass

Json = dict[str, Any]
#: Steps of a run that say which instructions of a long program become code of their own: those that
#: are more than one in SHARE.
PROFILED, SHARE = 1 << 18, 500


def export_site(
    program: TraceProgram, folder: Path, invoke: str | None, args: Sequence[Value | str]
) -> list[Path]:
    """Write a page that runs a program in the browser; return its first file.

    Raises `Unsupported` for a program that needs more of the host than input and output.
    """
    content = page_program(program, invoke, args, fast=True)
    return [write_site(folder, trace_model(), [content], vocabulary())]


@dataclass(frozen=True, slots=True)
class StudioFrame:
    """The studio's page on one program, as a frame for notebooks; the browser runs the weights."""

    name: str
    page: str
    height: int

    def __repr__(self) -> str:
        return f"StudioFrame({self.name!r})"

    def _repr_html_(self) -> str:
        frame = f'width="100%" height="{self.height}" style="border: 0"'
        return f'<iframe {frame} srcdoc="{escape(self.page)}" title="{escape(self.name)}"></iframe>'


def studio_frame(
    program: TraceProgram, invoke: str | None, args: Sequence[Value | str], height: int
) -> StudioFrame:
    """Return a frame with the studio on a program; raises as `export_site` does."""
    content = page_program(program, invoke, args)
    page = single_page(trace_model(), [content], vocabulary())
    return StudioFrame(PurePath(program.name).name, page, height)


def vocabulary() -> Json:
    """Return the words of tokens and fields, so that the page has no copy of them."""
    return {
        "layout": LAYOUT,
        "spaces": {space.name: int(space) for space in Space},
        "statuses": {status.name: int(status) for status in Status},
        "traps": [trap.value for trap in TRAPS],
        "places": {int(space): text for space, text in PLACES.items()},
        "kinds": {int(space): kind for space, kind in KINDS.items()},
        "word": WORD,
        "fetches": FETCHES,
        "bookkeeping": BOOKKEEPING,
        "groups": shown.GROUPS,
        "patterns": shown.patterns(),
        "compiler": compiler_tables(),
    }


def page_program(
    program: TraceProgram, invoke: str | None, args: Sequence[Value | str], fast: bool = False
) -> Json:
    """Return the prompt of a program, its code as text, and how its results are read.

    With `fast`, also its lifted code as WebAssembly.
    """
    session = _loaded(program, invoke, args)
    trace, engine = session.trace, session.trace.tape.engine
    rows = np.asarray(engine.appended.tokens, dtype=np.uint8)  # type: ignore[attr-defined]
    name = _invoked(program, invoke)
    function = session.function(session.program, name) if session.program else None
    if function is None:
        raise Unsupported(f"{program.name}: there is no function to run")
    refuse_vectors(name, function.type)
    exits = invoke is None and name == "main" and program.assembly is None
    listing = trace.listing
    lines = [program.line(instr) for instr in listing]
    memory = min((a for kind, a in trace.spaces if kind == "memory"), default=None)
    return {
        "example": {
            "group": "Programs",
            "title": PurePath(program.name).name,
            "machine": "trace",
            "language": PurePath(program.name).suffix.removeprefix("."),
            "source": _source(program),
            "invoke": invoke or "",
            "args": [str(arg) for arg in args],
            "stdin": "",
        },
        "prompt": base64.b64encode(rows.tobytes()).decode(),
        "listing": [str(instr) for instr in listing],
        "written": [program.written(instr) for instr in listing],
        "implied": [int(instr.implied) for instr in listing],
        "uses": {instr.name: uses(instr.name) for instr in listing},
        "names": [instr.name for instr in listing],
        "lines": [_line(line) for line in lines],
        "functions": sorted([f.entry, f.name, f.locals] for f in trace.functions.values()),
        "spaces": {number: kind for (kind, _), number in trace.spaces.items()},
        "memory": None if memory is None else trace.spaces["memory", memory],
        "untyped": trace.untyped,
        "results": [] if exits else [str(t.value) for t in function.type.results],
        "exits": exits,
        **({"fast": base64.b64encode(_fast(session, rows)).decode()} if fast else {}),
    }


def _fast(session: MachineSession, rows: NDArray[np.uint8]) -> bytes:
    """Return the lifted code of a program with this prompt, as WebAssembly.

    All instructions of a short program become code of their own; of a long one, those that its
    first steps execute. Rows, which do without, take the other steps.
    """
    marks = np.array([not instr.implied for instr in session.trace.listing], dtype=np.uint8)
    empty = new_session("lifted", Console(), max_steps=1, keep=False)
    assert isinstance(empty, MachineSession)
    lifted = empty.trace.tape.engine
    assert isinstance(lifted, Lifted) and lifted.want.counted is not None
    want = replace(lifted.want, counted=replace(lifted.want.counted, marks=lambda: marks))
    code = RowCode(lifting(lifted.model, frozenset(want.stops)), want)
    host = rows.astype(np.uint16)
    run = RowRun(code)
    run.append(host, np.arange(len(host)))
    hot = np.ones(len(marks), dtype=np.bool_)
    if len(hot) > WHOLE:
        hot = _executed(rows, len(marks))
    return FastCode(code, run, host, hot, (VALUE, int(Space.SLOT))).wasm()


def _executed(rows: NDArray[np.uint8], count: int) -> NDArray[np.bool_]:
    """Return which instructions the first steps after a prompt execute often.

    A program that waits for a key gets none.
    """
    engine, visits, total = Native(trace_model()), np.zeros(count, dtype=np.int64), 0
    engine.extend(rows)
    while total < PROFILED:
        tokens = engine.run(PROFILED - total, [(STATUS, None)]).astype(np.uint8)
        total += len(tokens)
        visits += np.bincount(field(tokens, "pc"), minlength=count)[:count]
        answer = tokens[-1:]
        if answer[0, STATUS] != Status.INPUT:
            break
        answer[0, STATUS] = 0
        answer[0, VALUE : VALUE + 8] = 0
        engine.extend(answer)
    return visits > total // SHARE


def _loaded(
    program: TraceProgram, invoke: str | None, args: Sequence[Value | str]
) -> MachineSession:
    """Return a session in which a program was loaded and invoked, and has made one step."""
    sessions: list[AnySession] = []
    if program.packed is not None:
        raise UsageError(f"{program.name} is a model; export the program that it was built from")
    with suppress(StepLimitError):  # the prompt is there after one step
        run_program(
            *(program, invoke, args),
            engine="native",
            keep=False,
            max_steps=1,
            ticks=Ticks.READINGS,
            begin=sessions.append,
        )
    (session,) = sessions
    assert isinstance(session, MachineSession)
    refuse_exceptions(program, session)
    if program.module is not None and program.module.module.start is not None:
        raise Unsupported(f"{program.name}: a page runs one function; this module has a start too")
    if session.program is not None and INITIALIZE in session.program.exports:
        raise Unsupported(f"{program.name}: a page runs one function; this has {INITIALIZE} too")
    if any(instr.name == "host" for instr in session.trace.listing):
        raise Unsupported(f"{program.name}: a page has input and output only, no host functions")
    return session


def _invoked(program: TraceProgram, invoke: str | None) -> str:
    if program.assembly is not None:
        return MAIN
    wraps = invoke == "main" and program.is_command
    name = default_export(program.declarations) if invoke is None or wraps else invoke
    if name is None:
        raise Unsupported(f"{program.name}: there is no function to run")
    return START if wraps else name


def _source(program: TraceProgram) -> str:
    """Return the source text; the disassembly if it cannot be read."""
    path = Path(program.name)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return program.text()


def _line(line: Any) -> list[Any] | None:
    return None if line is None or not line.number else [PurePath(line.file).name, line.number]
