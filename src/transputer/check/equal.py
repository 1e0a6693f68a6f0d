"""Two functions compared on all inputs, through the formulas of the weights."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.engines.batch.library import run_rows
from transputer.engines.lifted.decoder.rowcode import STOPPED
from transputer.errors import Unsupported, UsageError
from transputer.frontends.source import PathLike
from transputer.host.outcome import DEFAULT_STEPS
from transputer.isa.op import ValType
from transputer.machines.trace.vocabulary import Status
from transputer.runtime.map import InputRow, MapRunner, rows_as_inputs, runner
from transputer.runtime.trace.batch import RowInput, RowProgram, row_program
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.workers import spread

#: Inputs that one process compares at a time.
CHUNK = 1 << 18
#: Inputs that say what becomes code.
SAMPLE = 64


@dataclass(frozen=True)
class Counterexample:
    """An input on which two functions differ, and what each does."""

    input: int
    one: str
    two: str


@dataclass(frozen=True)
class Comparing:
    """Compares two functions on a range of inputs; other processes get a copy."""

    runners: tuple[MapRunner, MapRunner]
    codes: tuple[RowProgram, RowProgram]
    limit: int

    def __call__(self, where: range) -> Counterexample | None:
        """Return the first difference in a range of inputs."""
        args = np.arange(where.start, where.stop, dtype=np.uint64)[None]
        ends = [run_rows(c.text, c.shape, args, self.limit) for c in self.codes]
        sure = np.ones(len(where), dtype=bool)
        for code, end in zip(self.codes, ends, strict=True):
            sure &= (end.reason == STOPPED) & (end.last[:, code.status] == Status.DONE)
        same = (ends[0].results == ends[1].results).all(axis=0)
        for at in np.flatnonzero(~(sure & same)).tolist():
            difference = self.at(where[at])
            if difference is not None:
                return difference
        return None

    def at(self, number: int) -> Counterexample | None:
        """Compare on one input, the usual way: results, traps and exit codes."""
        (item,) = rows_as_inputs([[number]])
        one, two = (_outcome(run, item) for run in self.runners)
        return None if one == two else Counterexample(number, one, two)


def _outcome(run: MapRunner, item: InputRow) -> str:
    (row,) = run([item])
    if "error" in row:
        return f"error: {row['error']}"
    return f"trap: {row['trap']}" if row["trap"] else " ".join(map(str, row["results"]))


def comparing(
    paths: Sequence[PathLike], invokes: Sequence[str | None], max_steps: int = DEFAULT_STEPS
) -> Comparing:
    """Compile two functions of one 32-bit integer; raise `UsageError` for others."""
    runners, codes = [], []
    samples = [RowInput((n,)) for n in _samples()]
    for path, invoke in zip(paths, invokes, strict=True):
        run = runner(path, invoke, max_steps=max_steps)
        program: Any = run._program()
        assert isinstance(program, TraceProgram)
        name = invoke or _only(program, str(path))
        run = MapRunner(run.name, run.kind, run.contents, run.machine, name, "auto", max_steps)
        wrong = f"{path}: {name} must take one 32-bit integer and return a number"
        try:
            code = row_program(program, name, samples, max_steps)
        except Unsupported as error:
            raise UsageError(f"{wrong} ({error})") from None
        if code.params != (ValType.I32,) or not code.results:
            raise UsageError(wrong)
        runners.append(run)
        codes.append(code)
    if codes[0].results != codes[1].results:
        raise UsageError("the functions return different types")
    return Comparing((runners[0], runners[1]), (codes[0], codes[1]), max_steps)


def _only(program: TraceProgram, path: str) -> str:
    """The function of a program that has one."""
    names = [e.name for e in program.declarations.exports if e.kind.value == "func"]
    if len(names) != 1:
        raise UsageError(f"{path}: name a function with --invoke: {', '.join(names)}")
    return names[0]


def _samples() -> Iterator[int]:
    """Inputs at the edges, and some that are spread."""
    yield from (0, 1, 2, 3, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)
    yield from ((i * 2654435761) % 2**32 for i in range(1, SAMPLE))


def check_equal(
    work: Comparing, bits: int = 32, jobs: int = 1, progress: Callable[[int], None] | None = None
) -> Counterexample | None:
    """Compare on all inputs below 2^bits; return the smallest input of a chunk that differs.

    `progress` hears how many inputs are done.
    """
    if not 1 <= bits <= 32:
        raise UsageError(f"inputs have 1 to 32 bits, not {bits}")
    end, done = 1 << bits, 0
    chunks = [range(a, min(a + CHUNK, end)) for a in range(0, end, CHUNK)]
    if jobs == 1:
        results: Iterator[Any] = (work(chunk) for chunk in chunks)
    else:
        results = (_value(item) for item in spread(work, chunks, jobs))
    for difference in results:
        if difference is not None:
            return difference  # type: ignore[no-any-return]
        done = min(done + CHUNK, end)
        if progress is not None:
            progress(done)
    return None


def _value(item: Any) -> Any:
    if item.problem:
        raise UsageError(item.problem)
    return item.value
