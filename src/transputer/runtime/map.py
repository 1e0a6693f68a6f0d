"""Run one program on many inputs; inputs and results are lines of JSON."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transputer.errors import TransputerError, UsageError
from transputer.frontends.source import PathLike, read_bytes
from transputer.host.outcome import DEFAULT_STEPS
from transputer.registry import Program
from transputer.registry import machine as machine_named
from transputer.registry.machine import Source, compiled, source_of
from transputer.runtime.workers import ItemResult, spread

#: The keys of a line of input.
KEYS = ("args", "stdin")


@dataclass(frozen=True, slots=True)
class Input:
    """A line of input: its number and its text."""

    line: int
    text: str


@dataclass(frozen=True)
class MapRunner:
    """A program with the options that all inputs share; other processes get a copy.

    `contents` is the source, or the output of the C compiler.
    """

    name: str
    kind: str
    contents: bytes
    machine: str = "trace"
    invoke: str | None = None
    engine: str = "auto"
    max_steps: int = DEFAULT_STEPS
    _compiled: list[Program] = field(default_factory=list, repr=False, compare=False)

    def __call__(self, item: Input) -> dict[str, Any]:
        """Return the line of output for one input: its result, or its error."""
        head = {"line": item.line, "id": self.identity(item)}
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
            return head | {"error": str(error).splitlines()[0]}
        return head | result.as_json() | {"stderr": result.stderr.decode("utf-8", "replace")}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_compiled": []}  # compiled programs are not pickled

    def _program(self) -> Program:
        if not self._compiled:
            source = Source(self.name, self.kind, self.contents)
            self._compiled.append(machine_named(self.machine).compile(source))
        return self._compiled[0]

    def identity(self, item: Input) -> str:
        """Return a hash that identifies the program, the options and the input."""
        options = [self.machine, self.invoke, self.engine, self.max_steps, item.text]
        whole = self.contents + json.dumps(options).encode()
        return hashlib.sha256(whole).hexdigest()[:16]


def parse_input(text: str) -> tuple[Sequence[Any], bytes]:
    """Return the arguments and the standard input of a line; raise `UsageError` if malformed."""
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
    **options: Any,
) -> MapRunner:
    """Compile a program to run on many inputs; `options` are those of `compile`."""
    machine_named(machine).engine("run", engine)
    source = source_of(str(path))
    program = compiled(machine_named(machine), source, **options)
    binary: bytes = getattr(program, "binary", b"")
    name, kind = (f"{source.name}.wasm", ".wasm") if binary else (source.name, source.kind)
    contents = binary or read_bytes(path)
    return MapRunner(name, kind, contents, machine, invoke, engine, max_steps)


def map_rows(
    path: PathLike,
    rows: Iterable[Mapping[str, Any]],
    invoke: str | None,
    machine: str,
    engine: str,
    max_steps: int,
    jobs: int,
) -> Iterator[dict[str, Any]]:
    """Yield the result of a program on each row of arguments and input, as `tp.map` does."""
    run = runner(path, invoke, machine=machine, engine=engine, max_steps=max_steps)
    inputs = (Input(number, json.dumps(dict(row))) for number, row in enumerate(rows, start=1))
    return map_inputs(run, inputs, jobs)


def map_inputs(run: MapRunner, inputs: Iterable[Input], jobs: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the results in the order of the inputs, whichever process is ready first.

    An input whose process crashes is run again; after `TRIES` crashes its result is an error.
    """
    pending: dict[int, Input] = {}

    def note_inputs() -> Iterator[Input]:
        for index, item in enumerate(inputs):
            pending[index] = item
            yield item

    ready: dict[int, ItemResult[dict[str, Any]]] = {}
    following = 0
    for result in spread(run, note_inputs(), jobs):
        ready[result.index] = result
        while following in ready:
            item, outcome = pending.pop(following), ready.pop(following)
            yield outcome.value or _error_row(run, item, outcome.problem)
            following += 1


def _error_row(run: MapRunner, item: Input, problem: str) -> dict[str, Any]:
    return {"line": item.line, "id": run.identity(item), "error": problem}


def finished(run: MapRunner, inputs: Sequence[Input], path: Path) -> int:
    """Return the number of inputs whose results are in a file; it must have them in order.

    Removes an incomplete last line. Raises `UsageError` with the line of a result that belongs to
    another input or program.
    """
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.splitlines()
    for number, text in enumerate(lines):
        where = f"{path}:{number + 1}"
        advice = "remove the file or name another with -o"
        if number >= len(inputs):
            raise UsageError(f"{where}: more results than inputs; {advice}")
        if _identity(text) != run.identity(inputs[number]):
            raise UsageError(f"{where}: not a result of this input and program; {advice}")
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return len(lines)


def _identity(text: bytes) -> str | None:
    try:
        row = json.loads(text)
    except ValueError:
        return None
    return row.get("id") if isinstance(row, dict) else None


def inputs_of(text: str) -> list[Input]:
    """Return the lines of a file of inputs, without blank ones."""
    return [Input(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
