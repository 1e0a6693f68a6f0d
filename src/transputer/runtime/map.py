"""One program on many inputs: a line of JSON for each, and a line of JSON back."""

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
from transputer.runtime.workers import Done, spread

#: What a line of input may say.
KEYS = ("args", "stdin")


@dataclass(frozen=True, slots=True)
class Input:
    """A line of input: where it is, and what it says as text."""

    line: int
    text: str


@dataclass(frozen=True)
class Runner:
    """A program with the options that all inputs share; other processes get a copy.

    `contents` are the source, or the module that the C compiler made of it.
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
        """Return the result of one input, or what is wrong with it, as the line to write."""
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
        return self.__dict__ | {"_compiled": []}  # a compiled program does not travel

    def _program(self) -> Program:
        if not self._compiled:
            source = Source(self.name, self.kind, self.contents)
            self._compiled.append(machine_named(self.machine).compile(source))
        return self._compiled[0]

    def identity(self, item: Input) -> str:
        """Tells a result of this program, these options and this input from all others."""
        options = [self.machine, self.invoke, self.engine, self.max_steps, item.text]
        whole = self.contents + json.dumps(options).encode()
        return hashlib.sha256(whole).hexdigest()[:16]


def parse_input(text: str) -> tuple[Sequence[Any], bytes]:
    """The arguments and the standard input that a line names; `UsageError` says what is wrong."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f'not an object like {{"args": [1, 2], "stdin": ""}}: {text[:60]}')
    if unknown := sorted(set(found) - set(KEYS)):
        raise UsageError(f"unknown key {unknown[0]!r}; known are {', '.join(KEYS)}")
    args, stdin = found.get("args", []), found.get("stdin", "")
    if not isinstance(args, list) or not all(_is_argument(a) for a in args):
        raise UsageError("args must be a list of numbers and texts")
    if not isinstance(stdin, str):
        raise UsageError("stdin must be a text")
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
) -> Runner:
    """Return a program to run on many inputs, compiled now; `options` are those of `compile`."""
    chosen = machine_named(machine)
    chosen.engine("run", engine)
    source = source_of(str(path))
    program = compiled(chosen, source, **options)
    binary: bytes = getattr(program, "binary", b"")
    name, kind = (f"{source.name}.wasm", ".wasm") if binary else (source.name, source.kind)
    contents = binary or read_bytes(path)
    return Runner(name, kind, contents, machine, invoke, engine, max_steps)


def map_rows(
    path: PathLike,
    rows: Iterable[Mapping[str, Any]],
    invoke: str | None,
    machine: str,
    engine: str,
    max_steps: int,
    jobs: int,
) -> Iterator[dict[str, Any]]:
    """Run one program on rows of arguments and input, as `tp.map` does."""
    run = runner(path, invoke, machine=machine, engine=engine, max_steps=max_steps)
    inputs = (Input(number, json.dumps(dict(row))) for number, row in enumerate(rows, start=1))
    return map_inputs(run, inputs, jobs)


def map_inputs(run: Runner, inputs: Iterable[Input], jobs: int = 1) -> Iterator[dict[str, Any]]:
    """The results in the order of the inputs, whatever process is ready first.

    An input whose process is lost is begun again, and after some times its result says so.
    """
    given: dict[int, Input] = {}

    def noted() -> Iterator[Input]:
        for index, item in enumerate(inputs):
            given[index] = item
            yield item

    waiting: dict[int, Done[dict[str, Any]]] = {}
    following = 0
    for done in spread(run, noted(), jobs):
        waiting[done.index] = done
        while following in waiting:
            item, ready = given.pop(following), waiting.pop(following)
            yield ready.value or _failed(run, item, ready.problem)
            following += 1


def _failed(run: Runner, item: Input, problem: str) -> dict[str, Any]:
    return {"line": item.line, "id": run.identity(item), "error": problem}


def finished(run: Runner, inputs: Sequence[Input], path: Path) -> int:
    """How many inputs a file of results has already; it must be of these inputs, in order.

    A last line that was not written to its end is taken away. Raises `UsageError` with the
    line of a result that is of something else.
    """
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.splitlines()
    for number, text in enumerate(lines):
        where = f"{path}:{number + 1}"
        way_out = "remove the file or name another with -o"
        if number >= len(inputs):
            raise UsageError(f"{where}: more results than inputs; {way_out}")
        if _identity(text) != run.identity(inputs[number]):
            raise UsageError(f"{where}: not a result of this input and program; {way_out}")
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return len(lines)


def _identity(text: bytes) -> str | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found.get("id") if isinstance(found, dict) else None


def inputs_of(text: str) -> list[Input]:
    """The lines of a file of inputs that say something."""
    return [Input(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
