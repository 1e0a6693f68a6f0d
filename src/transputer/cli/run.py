"""`transputer run`."""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from types import FrameType, TracebackType
from typing import Any, Self

import click

from transputer.cli.frames import Frames
from transputer.cli.machines import engine_option, machine_option, own, own_options
from transputer.cli.progress import Ticker
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.errors import StepLimitError
from transputer.host.console import Input, Output
from transputer.host.outcome import DEFAULT_STEPS, Interrupted
from transputer.host.result import Result
from transputer.registry import Program


class _Interrupts:
    """Ends a run on Ctrl-C, between two batches of steps, so that its state is consistent.

    A second Ctrl-C ends it at once, as does the first while the program waits for input. A signal
    that comes just before it waits is not lost: it rings a bell, which is waited for, too.
    """

    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.asked = self.waiting = False

    def __enter__(self) -> Self:
        self.before = signal.signal(signal.SIGINT, self._on_signal)
        self._bell, self._rope = os.pipe()
        os.set_blocking(self._rope, False)
        self._other = signal.set_wakeup_fd(self._rope, warn_on_full_buffer=False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.set_wakeup_fd(self._other)
        os.close(self._bell)
        os.close(self._rope)
        signal.signal(signal.SIGINT, self.before)

    def wait(self, stream: Any) -> None:
        """Return once there is something to read; a signal is handled meanwhile."""
        try:
            number = stream.fileno()
        except (AttributeError, OSError):  # not a file
            return
        while number not in (ready := select.select([number, self._bell], [], [])[0]):
            os.read(ready[0], 512)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.waiting:
            raise Interrupted
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def pulse(self, steps: int) -> None:
        """Show progress between two batches of steps; raise `Interrupted` after Ctrl-C."""
        if self.asked:
            raise Interrupted
        self.ticker.pulse(steps)


class _Console:
    """The program's standard streams, read and written as the program runs."""

    def __init__(self, interrupts: _Interrupts, frames: Frames | None) -> None:
        self.interrupts = interrupts
        self.frames = frames
        self._held = b""

    def read(self) -> int:
        """Return the next byte of standard input, or -1 at its end."""
        self.interrupts.ticker.hide()
        self.flush()
        self.interrupts.waiting = True
        try:
            if self.interrupts.asked:
                raise Interrupted
            if not self._held and sys.stdin is not None:
                stream: Any = sys.stdin.buffer  # typed without read1, which waits for no more
                self.interrupts.wait(stream)
                self._held = stream.read1(1 << 16)
        finally:
            self.interrupts.waiting = False
        byte = self._held[0] if self._held else -1
        self.skip(1)
        return byte

    def ahead(self) -> bytes:
        """Return the bytes that are here, but that the program has not read yet."""
        return self._held

    def skip(self, count: int) -> None:
        """Drop bytes that the program has read."""
        self._held = self._held[count:]

    def write(self, data: bytes) -> None:
        """Write bytes to standard output; the end of a line flushes them."""
        self.interrupts.ticker.hide()
        if self.frames is not None:
            for byte in data:
                self.frames.write(byte)
        sys.stdout.buffer.write(data)
        if b"\n" in data:
            sys.stdout.buffer.flush()

    def error(self, data: bytes) -> None:
        """Write bytes to standard error, after flushing standard output."""
        self.interrupts.ticker.hide()
        sys.stdout.buffer.flush()
        sys.stderr.buffer.write(data)
        if b"\n" in data:
            sys.stderr.buffer.flush()

    def flush(self) -> None:
        """Flush both streams."""
        sys.stdout.buffer.flush()
        sys.stderr.buffer.flush()


#: Where a command notes an option whose value differs in each run.
_MOVING = "transputer.moving"


class _Moment(click.ParamType[int]):
    """A number of `bits` bits, or `word` for a number that differs in each run."""

    name = "number"

    def __init__(self, word: str, bits: int) -> None:
        self.word, self.bits = word, bits

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the number; the word stands for the time, or for a random number."""
        if value == self.word:
            ctx.meta[_MOVING] = f"{param.opts[0]} {value}"
            random = int.from_bytes(os.urandom(self.bits // 8), "little")
            return time.time_ns() if self.word == "now" else random
        try:
            number = int(value)
        except ValueError:
            number = -1
        if not 0 <= number < 1 << self.bits:
            self.fail(f"{value!r} is neither {self.word} nor a number of {self.bits} bits")
        return number


def _variables(ctx: click.Context, param: Any, values: tuple[str, ...]) -> dict[str, str]:
    """Return the variables of `NAME=VALUE` pairs."""
    if bad := [v for v in values if "=" not in v]:
        raise click.BadParameter(f"{bad[0]!r} is not NAME=VALUE")
    return {name: value for name, _, value in (v.partition("=") for v in values)}


@click.command(cls=ProgramCommand)
@program_options
@machine_option("run")
@own_options("compile", "run")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@engine_option("run", "Engine that runs the program: on weights, or an oracle without them.")
@click.option("--max-steps", default=DEFAULT_STEPS, show_default=True, metavar="N",
              help="Stop after N steps (exit code 3).")  # fmt: skip
@click.option("--env", multiple=True, metavar="NAME=VALUE", callback=_variables,
              help="WASI: set an environment variable; the program sees no others.")  # fmt: skip
@click.option("--dir", "dirs", multiple=True, metavar="HOST[::GUEST][:rw]",
              help="WASI: a folder that the program may read; with :rw, it is written when the "
              "program ends by itself.")  # fmt: skip
@click.option("--file", "files", multiple=True, metavar="NAME=PATH", callback=_variables,
              help="WASI: a file that the program may read under this name.")  # fmt: skip
@click.option("--write-anyway", is_flag=True,
              help="WASI: write folders also after a trap, --max-steps or Ctrl-C.")  # fmt: skip
@click.option("--clock", type=_Moment("now", 64), default=0, show_default=True, metavar="NS|now",
              help="WASI: initial clock.")  # fmt: skip
@click.option("--ticks", type=click.Choice(["steps", "readings"]), default="steps",
              show_default=True,
              help="WASI: the clock advances 1 us per step, or 1 ms per reading.")  # fmt: skip
@click.option("--seed", type=_Moment("random", 32), default=0, show_default=True,
              metavar="N|random", help="WASI: random seed.")  # fmt: skip
@click.option("--frames", metavar="DIR",
              help="Also write a PNG of each frame; a form feed ends a frame.")  # fmt: skip
@click.option("--no-trace", is_flag=True,
              help="Keep no trace, so that memory does not grow with the steps.")  # fmt: skip
@click.option("--checkpoint", metavar="FILE",
              help="Save checkpoints here: regularly, on Ctrl-C and at --max-steps.")  # fmt: skip
@click.option("--resume", metavar="FILE",
              help="Continue from a checkpoint, with the same program, arguments and "
              "input.")  # fmt: skip
@click.option("--stats", is_flag=True, help="Print steps, speed and where the time went on stderr.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object instead; its hash of all tokens takes time.",
)
def run(
    machine: str,
    invoke: str | None,
    engine: str,
    max_steps: int,
    env: dict[str, str],
    dirs: tuple[str, ...],
    files: dict[str, str],
    write_anyway: bool,
    clock: int,
    ticks: str,
    seed: int,
    frames: str | None,
    no_trace: bool,
    checkpoint: str | None,
    resume: str | None,
    stats: bool,
    as_json: bool,
    **source: Any,
) -> int:
    """Run a program: FILE is C, WebAssembly or assembly of the machine.

    Without --invoke, `_start` or `main` runs: standard input, output and error are the program's,
    and so is the exit code. With --invoke, the results are printed one per line. An assembly
    program gets ARGS on its stack, and the values that it leaves are printed. Ctrl-C ends a run
    and keeps its output so far.

    Options may stand before or after FILE; the program gets everything after --. Several C
    files make one program: FILE MORE.c ARGS.
    """
    moving = click.get_current_context().meta.get(_MOVING)
    if moving and (checkpoint or resume):
        name = moving.split()[0]
        raise click.UsageError(f"{moving} excludes checkpoints: give {name} the same number always")
    if frames is not None and as_json:
        raise click.UsageError("--frames excludes --json")
    started = time.perf_counter()
    program, args = load(machine, **source)
    compiled = time.perf_counter()
    settings = {
        "env": env, "dirs": dirs, "files": files, "write_anyway": write_anyway, "clock": clock,
        "ticks": ticks, "seed": seed, "keep": not no_trace, "checkpoint": checkpoint,
        "resume": resume, "options": own("run"),
    }  # fmt: skip
    try:
        result = run_here(program, invoke, args, engine, max_steps, frames, as_json, **settings)
    except StepLimitError as limit:
        if stats and limit.so_far is not None:
            times = _times(limit.so_far, started, compiled)
            click.echo(_stats(limit.so_far, times, resume is not None), err=True)
        raise
    times = _times(result, started, compiled)
    if stats:
        click.echo(_stats(result, times, resume is not None), err=True)
    return report(source["file"], result, as_json, checkpoint, times)


def _times(result: Result, started: float, compiled: float) -> dict[str, float]:
    """Return the seconds of each stage of a run that has just ended."""
    ran = {"lifting": result.lifting, "running": result.seconds, "hashing": result.hashing}
    loading = time.perf_counter() - compiled - sum(ran.values())
    return {"compiling": compiled - started, "loading": loading, **ran}


def run_here(
    program: Program,
    invoke: str | None,
    args: tuple[str, ...],
    engine: str,
    max_steps: int,
    frames: str | None,
    as_json: bool,
    **settings: Any,
) -> Result:
    """Run a program with the standard streams of this process."""
    with Ticker() as ticker, _Interrupts(ticker) as interrupts:
        console = _Console(interrupts, None if frames is None else Frames(frames))
        result = program.run(
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=Input(console.read, console.ahead, console.skip),
            stdout=None if as_json else Output(console.write),
            stderr=Output(console.error),
            pulse=interrupts.pulse,
            digest=as_json,
            **settings,
        )
        console.flush()
    return result


def report(
    file: str,
    result: Result,
    as_json: bool,
    checkpoint: str | None = None,
    times: Mapping[str, float] | None = None,
) -> int:
    """Print the result of a run, and the seconds of its stages; return the exit code."""
    if as_json:
        stages = {name: round(seconds, 6) for name, seconds in (times or {}).items()}
        click.echo(json.dumps(result.as_json() | ({"times": stages} if stages else {})))
    else:
        for line in result.text:
            click.echo(line)
    sys.stdout.flush()
    for line in result.written:
        click.echo(f"transputer: {line}", err=True)
    if result.interrupted:
        later = f"; continue with --resume {checkpoint}" if checkpoint else ""
        done = f"{result.steps:,} steps, {result.instructions:,} instructions"
        click.echo(f"transputer: interrupted after {done}{later}", err=True)
    elif result.trap is not None:
        click.echo(f"transputer: {file}: trap: {result.cause}", err=True)
    return result.exit_code


def _stats(result: Result, times: Mapping[str, float], resumed: bool = False) -> str:
    """Return the cost of a run, and the seconds of its stages.

    Of a resumed run, the seconds are those since then: they give no speed.
    """
    speed = ""
    if result.seconds and not resumed:
        speed = f"{result.instructions / result.seconds:,.0f} instructions/s, "
    where = f", configuration {result.config}" if result.config else ""
    return (
        f"{result.instructions:,} instructions in {result.steps:,} steps, "
        f"{result.seconds:.3f} s, {speed}engine {result.engine}{where}\n"
        "time: " + ", ".join(f"{seconds:.3f} s {name}" for name, seconds in times.items())
    )
