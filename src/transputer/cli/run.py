"""`transputer run`."""

import json
import secrets
import signal
import sys
import time
from types import FrameType, TracebackType
from typing import Any, Self

import click

from transputer import api
from transputer.cli.frames import Frames
from transputer.cli.progress import Ticker
from transputer.cli.sources import ProgramCommand, load, program_options

TRAPPED = 134
INTERRUPTED = 130


class _Interrupts:
    """Ctrl-C ends a run between two batches of steps, so that what there is stays whole.

    The second one ends it at once, as does the first while the program waits for input.
    """

    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.asked = self.waiting = False

    def __enter__(self) -> Self:
        self.before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self.before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.waiting:
            raise api.Interrupted
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def pulse(self, steps: int) -> None:
        """Hear of progress, between two batches of steps."""
        if self.asked:
            raise api.Interrupted
        self.ticker.pulse(steps)


class _Console:
    """The program's standard streams: input as it is asked for, output as it comes."""

    def __init__(self, interrupts: _Interrupts, frames: Frames | None) -> None:
        self.interrupts = interrupts
        self.frames = frames

    def read(self) -> int:
        """The next byte of standard input, or -1 at its end."""
        self.interrupts.ticker.hide()
        self.flush()
        self.interrupts.waiting = True
        try:
            if self.interrupts.asked:
                raise api.Interrupted
            byte = sys.stdin.buffer.read(1) if sys.stdin is not None else b""
        finally:
            self.interrupts.waiting = False
        return byte[0] if byte else -1

    def write(self, byte: int) -> None:
        """One byte to standard output; whole lines are shown at once."""
        self.interrupts.ticker.hide()
        if self.frames is not None:
            self.frames.write(byte)
        sys.stdout.buffer.write(bytes((byte,)))
        if byte == 10:
            sys.stdout.buffer.flush()

    def error(self, byte: int) -> None:
        """One byte to standard error, behind what standard output has so far."""
        self.interrupts.ticker.hide()
        sys.stdout.buffer.flush()
        sys.stderr.buffer.write(bytes((byte,)))
        if byte == 10:
            sys.stderr.buffer.flush()

    def flush(self) -> None:
        """Show everything."""
        sys.stdout.buffer.flush()
        sys.stderr.buffer.flush()


class _Moment(click.ParamType[int]):
    """A number, or a word for one that nobody can foresee."""

    name = "number"

    def __init__(self, word: str, bits: int) -> None:
        self.word, self.bits = word, bits

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number; the word becomes one when the program starts."""
        if value == self.word:
            return time.time_ns() if self.word == "now" else secrets.randbits(self.bits)
        try:
            number = int(value)
        except ValueError:
            number = -1
        if not 0 <= number < 1 << self.bits:
            self.fail(f"{value!r} is neither {self.word} nor a number of {self.bits} bits")
        return number


def _variables(ctx: click.Context, param: Any, values: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE` pairs."""
    if bad := [v for v in values if "=" not in v]:
        raise click.BadParameter(f"{bad[0]!r} is not NAME=VALUE")
    return {name: value for name, _, value in (v.partition("=") for v in values)}


@click.command(cls=ProgramCommand, context_settings={"ignore_unknown_options": True})
@program_options
@click.option("--machine", type=click.Choice(("trace", "loom", "soft")), default="trace",
              show_default=True, help="The machine that runs it.")  # fmt: skip
@click.option("--config", metavar="NAME",
              help="loom: its size; by default the smallest that the program fits.")  # fmt: skip
@click.option("--bits", type=int, default=0, metavar="N",
              help="loom: bits of a word where --config does not say: 8, 16 or 32.")  # fmt: skip
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option(
    "--engine", default="auto", show_default=True, metavar="|".join(api.ENGINES),
    help="native, torch, reference run the weights; oracle and core run without.",
)  # fmt: skip
@click.option("--max-steps", default=api.DEFAULT_STEPS, show_default=True, metavar="N",
              help="Stop after so many steps (exit code 3).")  # fmt: skip
@click.option("--env", multiple=True, metavar="NAME=VALUE", callback=_variables,
              help="WASI: an environment variable; there are no others.")  # fmt: skip
@click.option("--clock", type=_Moment("now", 64), default=0, show_default=True, metavar="NS|now",
              help="WASI: what the clock says first; it moves 1 ms a reading.")  # fmt: skip
@click.option("--seed", type=_Moment("random", 32), default=0, show_default=True,
              metavar="N|random", help="WASI: where random numbers start.")  # fmt: skip
@click.option("--frames", metavar="DIR",
              help="Also write a PNG for each frame: output up to a form feed.")  # fmt: skip
@click.option("--no-trace", is_flag=True,
              help="Keep no trace: memory does not grow with the steps.")  # fmt: skip
@click.option("--checkpoint", metavar="FILE",
              help="Put the run aside here, on Ctrl-C and at --max-steps too.")  # fmt: skip
@click.option("--resume", metavar="FILE",
              help="Go on from a checkpoint; program, arguments and input as before.")  # fmt: skip
@click.option("--stats", is_flag=True, help="Say on stderr what the run took.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def run(
    file: str,
    machine: str,
    config: str | None,
    bits: int,
    invoke: str | None,
    engine: str,
    max_steps: int,
    env: dict[str, str],
    clock: int,
    seed: int,
    frames: str | None,
    no_trace: bool,
    checkpoint: str | None,
    resume: str | None,
    stats: bool,
    as_json: bool,
    **source: Any,
) -> int:
    """Run a program: FILE is .c, .wat, .wasm, .asm or .core.

    Without --invoke, `_start` or `main` runs, and standard input, output and error are the
    program's. With it, the results are printed one per line. An assembly program gets ARGS
    on its stack, and the stack it leaves is printed, bottom first. Ctrl-C ends a run with what
    there is.

    Several C files are one program: FILE MORE.c ARGS -- FLAGS. What follows -- goes to the
    C compiler; other programs get it as arguments.
    """
    if frames is not None and as_json:
        raise click.UsageError("--frames needs the output as it comes; leave out --json")
    if machine != "trace":
        beyond = {"--invoke": invoke, "--checkpoint": checkpoint, "--resume": resume}
        _only_on_trace(machine, {**beyond, "ARGS": source["args"] or None})
    if machine == "loom":
        result = _run_loom(file, config, bits, engine, max_steps, frames, as_json)
        return said(file, result, stats, as_json, None)
    _only_on_loom({"--config": config, "--bits": bits or None})
    if machine == "soft":
        result = run_image(api.compile_soft(file), engine, max_steps, frames, as_json)
        return said(file, result, stats, as_json, None)
    program, args = load(file, **source)
    with Ticker() as ticker, _Interrupts(ticker) as interrupts:
        console = _Console(interrupts, None if frames is None else Frames(frames))
        result = api.run_program(
            program,
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=console.read,
            stdout=None if as_json else console.write,
            stderr=console.error,
            env=env,
            clock=clock,
            seed=seed,
            pulse=interrupts.pulse,
            keep=not no_trace,
            digest=as_json,
            checkpoint=checkpoint,
            resume=resume,
        )
        console.flush()
    return said(file, result, stats, as_json, checkpoint)


def _run_loom(
    file: str,
    config: str | None,
    bits: int,
    engine: str,
    max_steps: int,
    frames: str | None,
    as_json: bool,
) -> api.Result:
    """A program of the loom machine; where nobody named a configuration, it is said."""
    program = api.compile_loom(file, bits, config)
    chosen = config or api.smallest(program)
    if config is None and sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"transputer: {file}: configuration {chosen}", err=True)
    with Ticker() as ticker, _Interrupts(ticker) as interrupts:
        console = _Console(interrupts, None if frames is None else Frames(frames))
        result = api.run_loom(
            program,
            chosen,
            engine=engine,
            max_steps=max_steps,
            stdout=None if as_json else console.write,
            pulse=interrupts.pulse,
            digest=as_json,
        )
        console.flush()
    return result


def run_image(
    image: api.Image, engine: str, max_steps: int, frames: str | None, as_json: bool
) -> api.Result:
    """A program of the soft machine, with the standard streams of this process."""
    with Ticker() as ticker, _Interrupts(ticker) as interrupts:
        console = _Console(interrupts, None if frames is None else Frames(frames))
        result = api.run_soft(
            image,
            engine=engine,
            max_steps=max_steps,
            stdin=console.read,
            stdout=None if as_json else console.write,
            pulse=interrupts.pulse,
        )
        console.flush()
    return result


def _only_on_trace(machine: str, given: dict[str, Any]) -> None:
    for name in (name for name, value in given.items() if value is not None):
        raise click.UsageError(f"the {machine} machine runs a whole program: leave out {name}")


def _only_on_loom(given: dict[str, Any]) -> None:
    for name in (name for name, value in given.items() if value is not None):
        raise click.UsageError(f"{name} is for --machine loom")


def said(file: str, result: api.Result, stats: bool, as_json: bool, checkpoint: str | None) -> int:
    """What a run came to, printed; the exit code."""
    if as_json:
        click.echo(json.dumps(result.as_json()))
    elif result.exit_code is None:  # what exits has said what it wanted to
        for line in result.text:
            click.echo(line)
    sys.stdout.flush()
    if stats:
        click.echo(_stats(result), err=True)
    return _ended(file, result, checkpoint)


def _ended(file: str, result: api.Result, checkpoint: str | None) -> int:
    """The exit code; what went wrong is said."""
    if result.interrupted:
        later = f"; go on with --resume {checkpoint}" if checkpoint else ""
        done = f"{result.steps:,} steps, {result.instructions:,} instructions"
        click.echo(f"transputer: interrupted after {done}{later}", err=True)
        return INTERRUPTED
    if result.trap is not None:
        detail = f" ({result.detail})" if result.detail else ""
        click.echo(f"transputer: {file}: trap: {result.trap.value}{detail}", err=True)
        return TRAPPED
    return result.exit_code or 0


def _stats(result: api.Result) -> str:
    rate = result.instructions / result.seconds if result.seconds else 0.0
    where = f", configuration {result.config}" if result.config else ""
    return (
        f"{result.instructions:,} instructions in {result.steps:,} steps, "
        f"{result.seconds:.3f} s, {rate:,.0f} instructions/s, engine {result.engine}{where}"
    )
