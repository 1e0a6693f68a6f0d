"""Step by step: what each instruction read, where the heads looked, what it wrote."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from transputer.engines.reference.decoder import Reference
from transputer.errors import StepLimitError
from transputer.ir.values import Value
from transputer.machines.trace.circuit import model as trace_model
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Record, Space, Status, record
from transputer.model import Model
from transputer.model.html import html_table
from transputer.runtime.trace.program import Program
from transputer.runtime.trace.run import run_session, surroundings
from transputer.runtime.trace.sessions import MachineSession

#: Steps that a notebook shows.
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Read:
    """One lookup: the head, the token it attended to, what that token says, by what margin."""

    head: str
    layer: int
    position: int
    says: str
    margin: float


@dataclass(frozen=True, slots=True)
class Step:
    """One forward pass: the state it started from and the token it decoded."""

    number: int
    position: int  # of the decoded token
    pc: int
    phase: int
    instruction: str
    source: str  # function and instruction as written
    line: str  # file and line, where they are known
    reads: tuple[Read, ...]
    writes: str
    before: Record = field(repr=False)
    after: Record = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """The form that `trace --json` prints."""
        reads = [
            {"head": r.head, "token": r.position, "says": r.says, "margin": r.margin}
            for r in self.reads
        ]
        return {
            "step": self.number,
            "token": self.position,
            "pc": self.pc,
            "phase": self.phase,
            "instruction": self.instruction,
            "source": self.source,
            "line": self.line,
            "reads": reads,
            "writes": self.writes,
        }


@dataclass(frozen=True, slots=True)
class LoomStep:
    """One application of a looped model: whom its first column met, and what changed."""

    number: int
    pc: int
    instruction: str
    line: str
    reads: tuple[Read, ...]
    writes: str

    def as_json(self) -> dict[str, Any]:
        """The form that `trace --machine loom --json` prints."""
        reads = [
            {"head": r.head, "layer": r.layer, "column": r.position, "says": r.says,
             "margin": r.margin}
            for r in self.reads
        ]  # fmt: skip
        return {
            "step": self.number,
            "pc": self.pc,
            "instruction": self.instruction,
            "line": self.line,
            "reads": reads,
            "writes": self.writes,
        }


class Trace(list[Step]):
    """The steps of a run, shown as a table in notebooks."""

    def _repr_html_(self) -> str:
        rows = [
            (
                step.position,
                step.pc,
                f"{step.instruction} /{step.phase}" if step.phase else step.instruction,
                "; ".join(f"{r.head} @{r.position}: {r.says}" for r in step.reads),
                step.writes,
            )
            for step in self[:_SHOWN]
        ]
        more = f", {len(self) - _SHOWN:,} more" if len(self) > _SHOWN else ""
        head = ("token", "pc", "instruction", "reads", "writes")
        return html_table(rows, head, f"{len(rows)} steps{more}")


def describe(item: Record) -> str:
    """What a token says was written, or why the program stopped."""
    if item.trap is not None:
        return f"trap: {item.trap.value}"
    status = "" if not item.status else Status(item.status).name.lower()
    if not item.space:
        return status
    try:
        name = Space(item.space).name.lower()
    except ValueError:
        name = f"space {item.space}"
    if item.space == Space.CODE:
        return f"code {item.at}"
    if item.space == Space.FRAME:
        return f"frame {item.depth}: back to {item.value}, fp {item.at}"
    if item.space == Space.OUTPUT:
        return f"output {item.value & 0xFF}"
    if item.space == Space.SENTINEL:
        return "nothing was written there: 0"
    text = f"{name} {item.at} = {item.value}"
    return f"{text}, {status}" if status else text


class _Watcher:
    def __init__(self, program: Program, session: MachineSession, engine: Reference) -> None:
        self.program, self.session, self.engine = program, session, engine
        self.names = _head_names(engine.model)
        self.steps = Trace()

    def __call__(self, before: Record, now: Record) -> None:
        executor = self.session.trace
        position = len(self.engine.tokens) - 1
        instr = executor.listing[before.pc]
        wanted = uses(instr.name)
        reads = tuple(
            Read(
                name,
                a.layer,
                a.position,
                describe(record(self.engine.tokens[a.position])),
                a.margin,
            )
            for a in self.engine.attention[position - 1]
            if (name := self.names[a.layer, a.head]) in wanted
        )
        self.steps.append(
            Step(
                len(self.steps) + 1,
                position,
                before.pc,
                before.phase,
                str(instr),
                self.program.written(instr),
                str(self.program.line(instr) or ""),
                reads,
                describe(now),
                before,
                now,
            )
        )


def _head_names(model: Model) -> dict[tuple[int, int], str]:
    return {(h["layer"], h["head"]): h["name"] for h in model.hints["heads"]}


def trace(
    program: Program,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    limit: int = 1000,
) -> Trace:
    """The first steps of a run on the reference engine, which shows where every head looked."""
    engine = Reference(trace_model(), trace=True)
    session = MachineSession(engine, max_steps=limit)
    session.environment = surroundings(program, invoke, args, {})
    watcher = _Watcher(program, session, engine)
    session.trace.watch = watcher
    with suppress(StepLimitError):  # the steps up to the limit are what was asked for
        run_session(program, session, invoke, args)
    return watcher.steps
