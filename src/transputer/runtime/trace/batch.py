"""One program of the trace machine on many rows of arguments, by lifted code for whole batches."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.batch.device import require_device, run_on_device
from transputer.engines.batch.library import BatchShape, RowsOutcome, run_rows
from transputer.engines.batch.source import BatchSource, BatchWant, RowStart
from transputer.engines.lifted.decoder import Lifted
from transputer.engines.lifted.decoder.library import RowCode
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.rowcode import STOPPED
from transputer.engines.lifted.decoder.rowrun import RowRun
from transputer.errors import StepLimitError, Unsupported, UsageError
from transputer.host.console import Console, Input
from transputer.host.result import exit_code
from transputer.ir.module import FuncType
from transputer.ir.values import Value, decode_value, encode_arguments, print_value
from transputer.isa.op import ValType
from transputer.machines.trace.prompt import invocation
from transputer.machines.trace.session import WORDS
from transputer.machines.trace.tape import SPACE, STATUS, VALUE, field
from transputer.machines.trace.vocabulary import Space, Status, token_rows
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import INITIALIZE, default_export, environment_of
from transputer.runtime.trace.sessions import (
    MachineSession,
    new_session,
    refuse_exceptions,
    refuse_vectors,
)

#: Steps of a sample that say which parts of a program become code.
SAMPLED = 1 << 18
#: Rows of a sample, and how often lost rows are added to it.
SAMPLES, ROUNDS = 3, 3
#: Numbers of output that a row of a batch may have.
ROOM = 1 << 12
Rows = NDArray[np.uint8]


@dataclass(frozen=True)
class RowInput:
    """The arguments and the standard input of a row."""

    args: tuple[Value | str, ...] = ()
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
    status: int  #: the group of the status
    value: int  #: the group of an exit code


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
    session = new_session(engine, console, max_steps=limit, keep=engine != "lifted")
    assert isinstance(session, MachineSession)
    session.environment = environment_of(program, invoke, (), {})
    instance, outcome = session.load_program(program)
    refuse_exceptions(program, session)
    name = invoke or default_export(program.declarations)
    if outcome.steps or outcome.trap or name is None or INITIALIZE in instance.exports:
        raise Unsupported("the program runs before its function is called")
    refuse_vectors(name, session.function(instance, name).type)
    return _Invoked(session, instance.exports[name][1], name)


def encode_row(name: str, params: Sequence[ValType], row: RowInput) -> list[int]:
    """The arguments of a row as bits."""
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
    with suppress(StepLimitError):
        opened.session.executor.invoke(opened.address, args, limit)
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
        self.heads = opened.session.model.heads
        self.code = RowCode(lifting(engine.model, frozenset(engine.want.stops)), engine.want)
        self.host = engine.host_tokens
        self.run = RowRun(self.code)
        self.run.append(self.host, np.arange(len(self.host)))
        params, frame = self.type.params, self.code.shelf.frame
        group = frame.place[VALUE][0]
        rows = token_rows(invocation(trace.functions[opened.address], [0] * len(params)))
        places = tuple((i, group) for i in range(len(params)))
        self.start = RowStart(rows.astype(np.uint16), places)
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
        met = np.unique(self.code.met(self.host, tokens.astype(np.uint16)))
        self.rows |= {*met[met >= 0].tolist()}
        pcs = field(tokens, "pc")
        self.hot[pcs[pcs < self.marks]] = True

    def source(self, margin: float = 1.25, room: int = ROOM) -> BatchSource:
        """The source, with the samples so far."""
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
            *(len(self.type.params), source.want.results, groups, source.want.room),
            source.row_words,
        )
        exits = self.invoke is None and self.name == "main" and self.type.results == (ValType.I32,)
        place = self.code.shelf.frame.place
        return RowProgram(
            *(source.text, self.name, shape, self.type.params, self.type.results, exits),
            *(self.heads, place[STATUS][0], place[VALUE][0]),
        )


def row_program(
    program: TraceProgram, invoke: str | None, given: Sequence[RowInput], limit: int
) -> RowProgram:
    """Code for rows like these; `Unsupported` where it would not do at least half of them.

    The longest of the rows say what becomes code; rows that are lost then say what is missing.
    """
    builder = RowBuilder(program, invoke)
    params = builder.type.params
    good = [row for row in given if _encoded(builder.name, params, row) is not None]
    if not good:
        raise Unsupported("no row has arguments of the right types")
    chosen = [good[0], *sorted(good, key=_size)[1 - SAMPLES :]]
    for _ in range(ROUNDS):
        for row in chosen:
            builder.add(sample(program, invoke, row, min(limit, SAMPLED)))
        code = builder.program_of(builder.source())
        ends = run_batch(code, good, limit)
        lost = [row for row, end in zip(good, ends, strict=True) if end is None]
        if len(lost) <= len(good) // 8:
            return code
        chosen = lost[-SAMPLES:]
    if len(lost) > len(good) // 2:
        raise Unsupported("most rows leave the code of batches")
    return code


def rows(what: str, *args: Any) -> Any:
    """What `map` asks of a machine: `make` code for rows like some, or `run` a batch of rows.

    A row is its arguments and its standard input. The last argument is the backend; `make` raises
    `EngineUnavailable` where it is missing.
    """
    if what == "make":
        program, invoke, pairs, limit, backend = args
        if backend == "cuda":
            require_device()
        return row_program(program, invoke, _inputs(pairs), limit)
    code, pairs, limit, backend = args
    return run_batch(code, _inputs(pairs), limit, backend)


def _inputs(pairs: Sequence[tuple[Sequence[Value | str], bytes]]) -> list[RowInput]:
    return [RowInput(tuple(args), stdin) for args, stdin in pairs]


def _size(row: RowInput) -> tuple[int, int]:
    numbers = (abs(a) for a in row.args if isinstance(a, int))
    return sum(min(n, 1 << 32) for n in numbers), len(row.stdin)


def _encoded(name: str, params: Sequence[ValType], row: RowInput) -> list[int] | None:
    try:
        return encode_row(name, params, row)
    except UsageError:
        return None


def run_batch(
    code: RowProgram, given: Sequence[RowInput], limit: int, backend: str = "cpu"
) -> list[dict[str, Any] | None]:
    """What `run --json` prints for each row; None for rows that another engine has to run.

    The backend is `cpu`, this core, or `cuda`. Rows without a result are those that left the code,
    that trapped (which needs the place), that reached the limit of steps, or whose arguments are
    wrong.
    """
    bits = [_encoded(code.name, code.params, row) for row in given]
    good = [i for i, b in enumerate(bits) if b is not None]
    args = np.array([bits[i] for i in good], dtype=np.uint64).reshape(len(good), -1).T
    inputs = [given[i].stdin for i in good] if any(given[i].stdin for i in good) else None
    started = time.perf_counter()
    run = run_on_device if backend == "cuda" else run_rows
    outcome = run(code.text, code.shape, args, limit, inputs)
    seconds = round((time.perf_counter() - started) / max(1, len(good)), 6)
    results: list[dict[str, Any] | None] = [None] * len(given)
    columns = [_decoded(outcome.results[i], t) for i, t in enumerate(code.results)]
    status = outcome.last[:, code.status].tolist()
    values = outcome.last[:, code.value].tolist()
    steps, tally = outcome.steps.tolist(), outcome.tally.tolist()
    reasons = outcome.reason.tolist()
    for k, i in enumerate(good):
        if reasons[k] != STOPPED or status[k] not in (Status.DONE, Status.EXIT):
            continue
        exits = status[k] == Status.EXIT
        row = [column[k] for column in columns] if not exits else []
        own = values[k] if exits else (row[0] if code.exits else None)
        out, err = _output(outcome, k)
        results[i] = {
            "results": [] if code.exits else row,
            "stdout": out,
            "exit_code": exit_code(own, None),
            "trap": None,
            "steps": steps[k],
            "instructions": tally[k],
            "machine": "trace",
            "engine": "lifted",
            "seconds": seconds,
            "lookups": steps[k] * code.heads,
            "trace_sha256": None,
            "stderr": err,
        }
    return results


def _decoded(words: NDArray[np.uint64], type_: ValType) -> list[Any]:
    """The results of all rows as JSON has them."""
    if type_ is ValType.I32:
        return [int(v) for v in words.astype(np.uint32).astype(np.int32).tolist()]
    if type_ is ValType.I64:
        return [int(v) for v in words.astype(np.int64).tolist()]
    pairs = ((decode_value(w, type_), print_value(w, type_)) for w in words.tolist())
    return [v if v is None or abs(v) < float("inf") else text for v, text in pairs]


def _output(outcome: RowsOutcome, row: int) -> tuple[str, str]:
    """Standard output and standard error of a row."""
    count = int(outcome.printed[row])
    if not count:
        return "", ""
    numbers = outcome.output[row, :count]
    streams = (numbers[numbers < 256], numbers[numbers >= 256])
    out, err = (s.astype(np.uint8).tobytes().decode("utf-8", "replace") for s in streams)
    return out, err


__all__ = ["RowBuilder", "RowInput", "RowProgram", "row_program", "rows", "run_batch", "sample"]
