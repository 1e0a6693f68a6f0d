"""Run one program on many rows of inputs; rows and results are streams of JSON objects."""

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from transputer.errors import EngineUnavailable, TransputerError, Unsupported, UsageError
from transputer.frontends.source import PathLike, read_bytes
from transputer.host.outcome import DEFAULT_STEPS
from transputer.registry import Program
from transputer.registry import machine as machine_named
from transputer.registry.machine import Source, compiled, require, source_of
from transputer.runtime.workers import ItemResult, spread
from transputer.values import dataclass

#: The keys of a row.
KEYS = ("args", "stdin")
#: Rows from which on a program gets code for batches, and the rows of a batch.
BATCHED, BATCH = 256, 2048
#: Where batches run, with the rows of a batch; `cuda` is used only where it is asked for.
BACKENDS = {"cpu": BATCH, "cuda": 1 << 16}
#: Batches whose results may wait for an earlier one, where results come in order.
WAITING = 64
#: Engines that code for batches stands for.
BATCH_ENGINES = ("auto", "lifted")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class InputRow:
    """A row of input: its number and its text."""

    line: int
    text: str


@dataclass(frozen=True)
class MapRunner:
    """A program with the options that all inputs share; other processes get a copy.

    `contents` is the source, or the output of the C compiler; `code` is what runs batches.
    """

    name: str
    kind: str
    contents: bytes
    machine: str = "trace"
    invoke: str | None = None
    engine: str = "auto"
    max_steps: int = DEFAULT_STEPS
    code: Any = None
    backend: str = "cpu"
    _compiled: list[Program] = field(default_factory=list, repr=False, compare=False)

    def __call__(self, items: Sequence[InputRow]) -> list[Row]:
        """Return the row of output for each input: its result, or its error."""
        rows = self._batch(items) if self.code is not None else [None] * len(items)
        return [row or self._one(item) for item, row in zip(items, rows, strict=True)]

    def _batch(self, items: Sequence[InputRow]) -> list[Row | None]:
        """The rows that code for batches can do; None for the others."""
        run = machine_named(self.machine).ability("rows").call
        pairs = [_parsed(item) for item in items]
        good = [i for i, pair in enumerate(pairs) if pair is not None]
        rows: list[Row | None] = [None] * len(items)
        ends = run("run", self.code, [p for p in pairs if p is not None], self.max_steps,
                   self.backend)  # fmt: skip
        for i, end in zip(good, ends, strict=True):
            if end is not None:
                rows[i] = self._head(items[i]) | end
        return rows

    def _head(self, item: InputRow) -> Row:
        return {"line": item.line, "id": self.identity(item)}

    def _one(self, item: InputRow) -> Row:
        try:
            args, stdin = parse_input(item.text)
            result = self._program().run(
                self.invoke,
                args,
                engine=self.engine,
                max_steps=self.max_steps,
                stdin=stdin,
                keep=False,
            )
        except TransputerError as error:
            return self._head(item) | {"error": str(error).splitlines()[0]}
        more = {"stderr": result.stderr.decode("utf-8", "replace")}
        return self._head(item) | result.as_json() | more

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"_compiled": []}  # compiled programs are not pickled
        return {name: value for name, value in state.items() if name != "_hash"}

    def _program(self) -> Program:
        if not self._compiled:
            source = Source(self.name, self.kind, self.contents)
            self._compiled.append(machine_named(self.machine).compile(source))
        return self._compiled[0]

    @cached_property
    def _hash(self) -> Any:
        options = [self.machine, self.invoke, self.engine, self.max_steps]
        return hashlib.sha256(self.contents + json.dumps(options).encode())

    def identity(self, item: InputRow) -> str:
        """Return a hash that identifies the program, the options and the input."""
        whole = self._hash.copy()
        whole.update(item.text.encode())
        return str(whole.hexdigest()[:16])

    def batched(self, items: Sequence[InputRow]) -> "MapRunner":
        """The same with code for batches of rows like these; itself where there is none.

        A device is used or refused: raises `Unsupported` and `EngineUnavailable` for one.
        """
        ability = machine_named(self.machine).abilities.get("rows")
        if ability is None or self.engine not in BATCH_ENGINES:
            if self.backend != "cpu":
                raise Unsupported(f"{self.backend}: no batches for {self.machine}, {self.engine}")
            return self
        pairs = [pair for item in items if (pair := _parsed(item)) is not None]
        options = self.invoke, pairs, self.max_steps, self.backend
        try:
            code = ability.call("make", self._program(), *options)
        except (Unsupported, EngineUnavailable):
            if self.backend != "cpu":
                raise
            return self
        return replace(self, code=code, _compiled=self._compiled)


def _parsed(item: InputRow) -> tuple[Sequence[Any], bytes] | None:
    try:
        return parse_input(item.text)
    except UsageError:
        return None


def parse_input(text: str) -> tuple[Sequence[Any], bytes]:
    """Return the arguments and the standard input of a row; raise `UsageError` if malformed."""
    try:
        row = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise UsageError(f'not an object like {{"args": [1, 2], "stdin": ""}}: {text[:60]}')
    if unknown := sorted(set(row) - set(KEYS)):
        raise UsageError(f"unknown key {unknown[0]!r}; available: {', '.join(KEYS)}")
    args, stdin = row.get("args", []), row.get("stdin", "")
    if not isinstance(args, list) or not all(_is_argument(a) for a in args):
        raise UsageError("args must be a list of numbers and strings")
    if not isinstance(stdin, str):
        raise UsageError("stdin must be a string")
    return args, stdin.encode()


def _is_argument(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def runner(
    path: PathLike,
    invoke: str | None = None,
    *,
    machine: str = "trace",
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    backend: str = "cpu",
    **options: Any,
) -> MapRunner:
    """Compile a program to run on many inputs; `options` are those of `compile`.

    Raises `UsageError` for a backend that does not exist.
    """
    if backend not in BACKENDS:
        raise UsageError(f"no backend {backend!r}; available: {', '.join(BACKENDS)}")
    machine_named(machine).engine("run", engine)
    source = source_of(str(path))
    program = compiled(machine_named(machine), source, **options)
    binary: bytes = getattr(program, "binary", b"")
    name, kind = (f"{source.name}.wasm", ".wasm") if binary else (source.name, source.kind)
    contents = binary or read_bytes(path)
    return MapRunner(name, kind, contents, machine, invoke, engine, max_steps, None, backend)


# Inputs


def rows_as_inputs(rows: Iterable[Any]) -> Iterator[InputRow]:
    """Rows of Python as inputs: mappings with `args` and `stdin`, or sequences of arguments."""
    for number, row in enumerate(rows, start=1):
        one = dict(row) if isinstance(row, Mapping) else {"args": [*row]}
        yield InputRow(number, json.dumps(one))


def read_inputs(file: IO[str], kind: str = ".jsonl") -> Iterator[InputRow]:
    """The rows of an open file, one after the other: lines of JSON, or CSV.

    A CSV file has a heading; a column `stdin` is the standard input, the others are arguments, in
    their order.
    """
    if kind == ".csv":
        for number, row in enumerate(csv.DictReader(file), start=2):
            yield InputRow(number, json.dumps(_from_columns(row)))
        return
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield InputRow(number, line.rstrip("\r\n"))


def read_parquet(path: PathLike) -> Iterator[InputRow]:
    """The rows of a Parquet file, whose columns are those of a CSV file.

    Raises `EngineUnavailable` without pyarrow.
    """
    require("pyarrow", "parquet", "Parquet files")
    from pyarrow import parquet

    number = 0
    for batch in parquet.ParquetFile(path).iter_batches(BATCH):
        for row in batch.to_pylist():
            number += 1
            yield InputRow(number, json.dumps(_from_columns(row)))


def _from_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    args = [_number(value) for name, value in row.items() if name != "stdin"]
    return {"args": args} | ({"stdin": row["stdin"] or ""} if "stdin" in row else {})


def _number(value: Any) -> Any:
    """An argument of a column; text that reads as a number is one."""
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


# Running


def map_rows(
    path: PathLike,
    rows: Iterable[Any],
    invoke: str | None,
    machine: str,
    engine: str,
    max_steps: int,
    jobs: int,
    ordered: bool = True,
    scheduler: str | None = None,
    backend: str = "cpu",
) -> Iterator[Row]:
    """Yield the result of a program on each row of arguments and input, as `tp.map` does."""
    options: dict[str, Any] = {"engine": engine, "max_steps": max_steps, "backend": backend}
    run = runner(path, invoke, machine=machine, **options)
    return map_inputs(run, rows_as_inputs(rows), jobs, ordered, scheduler)


def map_inputs(
    run: MapRunner,
    inputs: Iterable[InputRow],
    jobs: int = 1,
    ordered: bool = True,
    scheduler: str | None = None,
) -> Iterator[Row]:
    """Yield the results, in the order of the inputs unless `ordered` is False.

    Many rows run as batches of lifted code. Inputs whose process crashes are run again, and those
    that crash theirs alone get an error.
    """
    source = iter(inputs)
    first = [*islice(source, BATCHED)]
    many = len(first) == BATCHED or (first and run.backend != "cpu")
    run = run.batched(first) if many else run
    size = BACKENDS[run.backend] if run.code is not None else 1
    chunks = _chunks(chain(first, source), size)
    for chunk, result in _spread(run, chunks, jobs, ordered, scheduler):
        if result.value is not None:
            yield from result.value
        elif len(chunk) == 1:
            yield _error_row(run, chunk[0], result.problem)
        else:  # one of them crashes its process: that one gets the error
            singles = ([item] for item in chunk)
            for (item,), one in _spread(run, singles, jobs, ordered, scheduler):
                yield from one.value or [_error_row(run, item, one.problem)]


def _spread(
    run: MapRunner,
    chunks: Iterable[Sequence[InputRow]],
    jobs: int,
    ordered: bool,
    scheduler: str | None,
) -> Iterator[tuple[Sequence[InputRow], ItemResult[list[Row]]]]:
    """Do chunks in processes; yield them with their results, in order if asked to."""
    pending: dict[int, Sequence[InputRow]] = {}

    def noted() -> Iterator[Sequence[InputRow]]:
        for index, chunk in enumerate(chunks):
            pending[index] = chunk
            yield chunk

    ready: dict[int, ItemResult[list[Row]]] = {}

    def hold() -> bool:
        return len(ready) > WAITING  # results that wait for an earlier one take memory

    if scheduler is None:
        results = spread(run, noted(), jobs, hold)
    else:
        from transputer.runtime.cluster import spread_on

        results = spread_on(scheduler, run, noted(), jobs, hold)
    following = 0
    for result in results:
        if not ordered:
            yield pending.pop(result.index), result
            continue
        ready[result.index] = result
        while following in ready:
            yield pending.pop(following), ready.pop(following)
            following += 1


def _chunks(inputs: Iterable[InputRow], size: int) -> Iterator[list[InputRow]]:
    source = iter(inputs)
    while chunk := [*islice(source, size)]:
        yield chunk


def _error_row(run: MapRunner, item: InputRow, problem: str) -> Row:
    return {"line": item.line, "id": run.identity(item), "error": problem}


# Resuming


def without_finished(
    run: MapRunner, inputs: Iterable[InputRow], path: Path
) -> tuple[int, Iterator[InputRow]]:
    """How many results a file has, and the inputs without those that they are of.

    Removes an incomplete last line. Raises `UsageError` with the line of a result that belongs to
    no input, or to another program; the inputs are read as far as results need it.
    """
    if not path.exists():
        return 0, iter(inputs)
    _truncate(path)
    source, waiting, count = iter(inputs), dict[str, list[InputRow]](), 0
    advice = "remove the file or name another with -o"
    with path.open("rb") as file:
        for count, text in enumerate(file, start=1):
            name = _identity(text)
            while name not in waiting:
                item = next(source, None)
                if item is None:
                    unknown = f"{path}:{count}: not a result of this input and program"
                    raise UsageError(f"{unknown}; {advice}")
                waiting.setdefault(run.identity(item), []).append(item)
                if len(waiting) > _REORDERED:
                    raise UsageError(
                        f"{path}:{count}: not a result of this input and program; {advice}"
                    )
            waiting[name].pop(0)
            if not waiting[name]:
                del waiting[name]
    rest = sorted((item for items in waiting.values() for item in items), key=lambda i: i.line)
    return count, chain(rest, source)


#: Inputs without a result that may be before one with a result, where results came as they were
#: ready.
_REORDERED = 1 << 20


def _truncate(path: Path) -> None:
    """Remove an incomplete last line."""
    with path.open("r+b") as file:
        end = file.seek(0, 2)
        at = end
        while at > 0:
            start = max(0, at - 65536)
            file.seek(start)
            newline = file.read(at - start).rfind(b"\n")
            if newline >= 0:
                at = start + newline + 1
                break
            at = start
        if at < end:
            file.truncate(at)


def _identity(text: bytes) -> str:
    try:
        row = json.loads(text)
    except ValueError:
        return ""
    return str(row.get("id", "")) if isinstance(row, dict) else ""
