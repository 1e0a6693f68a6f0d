"""`bench streams`: programs with the C library that read and write, as commands and by the byte."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transputer.check.bench.commands import timed, warm_cache
from transputer.check.bench.programs import Progress, WrongAnswer
from transputer.check.bench.report import Cell, Report, machine
from transputer.check.bench.workloads import MAX_STEPS, find_sources
from transputer.engines.lifted.decoder import settle
from transputer.frontends.c import compile_c
from transputer.host.console import Input, Output
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import compile_file

COLUMNS = (
    *("program", "bytes in", "bytes out", "steps", "first", "again", "wasmtime"),
    *("ns per byte: weights", "reading", "writing"),
)
_LINE = b"the quick brown fox jumps over the lazy dog\n"
_LIBRARY = "#include <stdio.h>\n#include <string.h>\nint main(void) {"
#: Uses much of the C library, so that the programs that are timed find it built.
_OTHER = f'{_LIBRARY} char text[9]; return puts("x") < 0 || scanf("%8s", text) > 9; }}\n'
_HELLO = f'{_LIBRARY} printf("%d %s %f\\n", 42, "hello", 3.25); }}\n'
_CAT = f"{_LIBRARY} for (int c; (c = getchar()) != EOF;) putchar(c); }}\n"
_PUTCHAR = f"{_LIBRARY} for (int i = 0; i < N; i++) putchar(' ' + i % 64); }}\n"
_PRINTF = f'{_LIBRARY} for (int i = 0; i < N / 10; i++) printf("%9d\\n", i); }}\n'
_FWRITE = f"""{_LIBRARY}
    char text[1000];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < N / 1000; i++) fwrite(text, 1, sizeof text, stdout);
}}
"""


@dataclass(frozen=True, slots=True)
class StreamProgram:
    """A program and its input."""

    name: str
    source: str
    stdin: bytes = b""


def streams(folder: Path, quick: bool) -> list[StreamProgram]:
    """Return the programs; `folder` is the checkout."""
    read, written = (1 << 14, 1 << 16) if quick else (1_000_000, 10_000_000)
    text = (_LINE * (read // len(_LINE) + 1))[:read]
    count = (folder / "examples" / "programs" / "wc.c").read_text(encoding="utf-8")
    defined = f"#define N {written}\n"
    return [
        StreamProgram("printf", _HELLO),
        StreamProgram("wc", count, text),
        StreamProgram("cat", _CAT, text),
        StreamProgram("putchar", defined + _PUTCHAR),
        StreamProgram("printf lines", defined + _PRINTF),
        StreamProgram("fwrite", defined + _FWRITE),
    ]


def measure(*, quick: bool = False, progress: Progress = lambda text: None) -> Report:
    """Time each program as a command, twice, and its bytes; output must be wasmtime's."""
    here, checkout = machine(), find_sources(Path.cwd()).parents[1]
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as name:
        scratch = Path(name)
        home, other = warm_cache(scratch, progress), scratch / "library.c"
        other.write_text(_OTHER)
        timed(["run", str(other)], home)
        rows = []
        for stream in streams(checkout, quick):
            progress(stream.name)
            rows.append(_row(stream, scratch, home))
    return Report("streams", "Programs that read and write", COLUMNS, rows, [_EXPLAINED], here)


_EXPLAINED = (
    "First, again and wasmtime: CPU seconds of the whole command, whose cache has the C library "
    "and other programs; wasmtime runs the compiled program in a process that is there already. "
    "Nanoseconds per byte, of input and output together: in a process in which the program ran "
    "before, the host's calls that take input and hand out output, and the rest of the run."
)


def _row(stream: StreamProgram, scratch: Path, home: Path) -> tuple[Cell, ...]:
    source = scratch / f"{stream.name.replace(' ', '_')}.c"
    source.write_text(stream.source, encoding="utf-8")
    started = time.process_time()
    expected = run_command(compile_c(source), [source.name], stream.stdin, fuel=None).stdout
    wasmtime = time.process_time() - started
    seconds = []
    for _ in ("first", "again"):
        command = ["run", str(source), "--no-trace", "--max-steps", str(MAX_STEPS)]
        cpu, output = timed(command, home, stream.stdin)
        if output != expected:
            raise WrongAnswer(f"{stream.name}: the output is not wasmtime's")
        seconds.append(cpu)
    steps, *shares = _shares(source, stream.stdin)
    count = len(stream.stdin) + len(expected)
    each = (1e9 * share / count if count > len(_LINE) else None for share in shares)
    return (stream.name, len(stream.stdin), len(expected), steps, *seconds, wasmtime, *each)


class _Clock:
    """Adds up the CPU seconds of the calls that it wraps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the call, timed."""

        def work(*args: Any) -> Any:
            started = time.thread_time()
            try:
                return call(*args)
            finally:
                self.seconds += time.thread_time() - started

        return work


def _shares(source: Path, stdin: bytes) -> tuple[int, float, float, float]:
    """Return the steps of a run, and the seconds of the weights, of reading and of writing."""
    program = compile_file(source)
    program.run(stdin=stdin, max_steps=MAX_STEPS, keep=False)
    settle()
    reading, writing, given = _Clock(), _Clock(), Input.of(stdin)
    read = Input(reading.timed(given), reading.timed(given.ahead), reading.timed(given.skip))
    write = Output(writing.timed(bytearray().extend))
    started = time.thread_time()
    result = program.run(stdin=read, stdout=write, max_steps=MAX_STEPS, keep=False)
    whole = time.thread_time() - started
    host = reading.seconds + writing.seconds
    return result.steps, whole - host, reading.seconds, writing.seconds
