"""One program of the trace machine on many rows of arguments, by lifted code for whole batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transputer.engines.batch.library import BatchShape
from transputer.engines.batch.source import BatchSource, BatchWant, Start
from transputer.engines.lifted.decoder import Lifted
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.rowrun import RowRun
from transputer.errors import StepLimitError, TransputerError, Unsupported
from transputer.host.console import Console, Input
from transputer.host.outcome import CallOutcome
from transputer.ir.environment import Environment
from transputer.ir.values import encode_arguments
from transputer.isa.op import ValType
from transputer.machines.trace.prompt import invocation
from transputer.machines.trace.session import WORDS
from transputer.machines.trace.tape import SPACE, VALUE, field
from transputer.machines.trace.vocabulary import Space, token_rows
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import INITIALIZE, default_export, environment_of
from transputer.runtime.trace.sessions import MachineSession, new_session

#: Steps of a sample that say which parts of a program become code.
SAMPLED = 1 << 18
#: Rows of the sample.
SAMPLES = 4
#: Numbers of output that a row of a batch may have.
ROOM = 1 << 12
Rows = NDArray[np.uint8]


@dataclass(frozen=True)
class RowInput:
    """The arguments and the standard input of a row."""

    args: tuple[int, ...] = ()
    stdin: bytes = b""


@dataclass(frozen=True, eq=False)
class RowProgram:
    """A program as code for rows; `text` is what the compiler gets.

    `params` and `results` are the types of the function; `exits` says that its result is the exit
    code, `heads` how many lookups a step takes.
    """

    text: str
    name: str
    shape: BatchShape
    params: tuple[ValType, ...]
    results: tuple[ValType, ...]
    exits: bool
    heads: int


@dataclass(eq=False)
class _Invoked:
    """A session with a program loaded, and the function that rows call."""

    session: MachineSession
    address: int
    name: str

    @property
    def params(self) -> tuple[ValType, ...]:
        return self.session.store.functions[self.address].type.params


def _opened(
    program: TraceProgram, invoke: str | None, engine: str, console: Console, limit: int
) -> _Invoked:
    """A session before the call; `Unsupported` for what is more than one call of a function."""
    if program.assembly is not None or program.packed is not None:
        raise Unsupported("rows in batches need a module")
    if invoke == "main" and program.is_command:
        raise Unsupported("main of a command returns through exit")
    options = {} if engine == "lifted" else {"keep": True}
    session = new_session(engine, console, max_steps=limit, **options)
    assert isinstance(session, MachineSession)
    session.environment = environment_of(program, invoke, (), {})
    instance, outcome = session.load_program(program)
    name = invoke or default_export(program.declarations)
    if outcome.steps or outcome.trap or name is None or INITIALIZE in instance.exports:
        raise Unsupported("the program runs before its function is called")
    return _Invoked(session, instance.exports[name][1], name)


def encode_row(name: str, params: Sequence[ValType], row: RowInput) -> list[int]:
    """The arguments of a row as bits."""
    from transputer.ir.module import FuncType

    values = row.args
    if name == "main" and tuple(params) == (ValType.I32, ValType.I32) and not values:
        values = (0, 0)
    return encode_arguments(name, FuncType(tuple(params)), values)


def sample(program: TraceProgram, invoke: str | None, row: RowInput, limit: int) -> Rows:
    """The tokens of a row from its invocation on, from the weights; at most `limit` steps."""
    console = Console(Input.of(row.stdin))
    opened = _opened(program, invoke, "native", console, limit)
    tape, args = opened.session.trace.tape, encode_row(opened.name, opened.params, row)
    before = tape.length
    try:
        opened.session.executor.invoke(opened.address, args, limit)
    except StepLimitError:
        pass
    return tape.tokens[before:]


class RowBuilder:
    """Makes the code of a program for rows; `Unsupported` if rows are more than one call.

    `samples` are the tokens of some rows: what they execute becomes code, and their addresses
    say how much of each array a row keeps.
    """

    def __init__(self, program: TraceProgram, invoke: str | None) -> None:
        self.program, self.invoke = program, invoke
        opened = _opened(program, invoke, "lifted", Console(), 1)
        trace, engine = opened.session.trace, opened.session.trace.tape.engine
        assert isinstance(engine, Lifted)
        self.name = opened.name
        self.type = opened.session.store.functions[opened.address].type
        self.heads = opened.session.heads
        self.code = RowCode(lifting(engine.model, frozenset(engine.want.stops)), engine.want)
        self.host = engine.host_tokens
        self.run = RowRun(self.code)
        self.run.append(self.host, np.arange(len(self.host)))
        params, frame = self.type.params, self.code.shelf.frame
        group = frame.place[VALUE][0]
        rows = token_rows(invocation(trace.functions[opened.address], [0] * len(params)))
        places = tuple((i, group) for i in range(len(params)))
        self.start = Start(rows.astype(np.uint16), places)
        self.want = BatchWant(
            group=group,
            output=int(Space.OUTPUT),
            mask=0x1FF,
            growth=int(Space.SIZE),
            most=trace.reach // WORDS,
            result=int(Space.SLOT),
            results=len(self.type.results),
            tags=tuple(sorted(trace.spaces.values())),
            room=ROOM,
        )
        self.marks = len(trace.implied)
        self.hot = np.zeros(self.marks, dtype=np.bool_)
        self.rows: set[int] = set()
        self.samples: list[Rows] = []

    def add(self, tokens: Rows) -> None:
        """Note the tokens of a row."""
        self.samples.append(tokens)
        self.rows |= {*self.code.met(self.host, tokens.astype(np.uint16))}
        pcs = field(tokens, "pc")
        self.hot[pcs[pcs < self.marks]] = True

    def source(self, margin: float = 1.25, room: int = ROOM) -> BatchSource:
        """The source, with the samples so far."""
        from dataclasses import replace

        prints = any((s[:, SPACE] == Space.OUTPUT).any() for s in self.samples)
        return BatchSource(
            self.code,
            self.run,
            self.host,
            self.start,
            replace(self.want, room=room if prints else 0),
            self.hot,
            sorted(self.rows),
            np.concatenate(self.samples).astype(np.uint16),
            margin,
        )

    def program_of(self, source: BatchSource) -> RowProgram:
        """A source with what its callers have to know."""
        groups = len(self.code.shelf.frame.groups)
        shape = BatchShape(
            len(self.type.params), source.want.results, groups, source.want.room
        )
        exits = self.invoke is None and self.name == "main" and self.type.results == (ValType.I32,)
        return RowProgram(
            source.text, self.name, shape, self.type.params, self.type.results, exits, self.heads
        )


__all__ = ["CallOutcome", "Environment", "RowBuilder", "RowInput", "RowProgram", "TransputerError"]
