"""`transputer run`."""

import json
import signal
import sys
from types import FrameType, TracebackType
from typing import Self

import click

from transputer import api
from transputer.cli.progress import Ticker

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

    def __init__(self, interrupts: _Interrupts) -> None:
        self.interrupts = interrupts

    def read(self) -> int:
        """The next byte of standard input, or -1 at its end."""
        sys.stdout.buffer.flush()
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
        sys.stdout.buffer.write(bytes((byte,)))
        if byte == 10:
            sys.stdout.buffer.flush()


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option(
    "--engine", default="auto", show_default=True, metavar="|".join(api.ENGINES),
    help="native, torch, reference run the weights; oracle and core run without.",
)  # fmt: skip
@click.option("--max-steps", default=api.DEFAULT_STEPS, show_default=True, metavar="N",
              help="Stop after so many steps (exit code 3).")  # fmt: skip
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
    args: tuple[str, ...],
    invoke: str | None,
    engine: str,
    max_steps: int,
    no_trace: bool,
    checkpoint: str | None,
    resume: str | None,
    stats: bool,
    as_json: bool,
) -> int:
    """Run a program: FILE is .c, .wat, .wasm, .asm or .core.

    Without --invoke, `_start` or `main` runs, and standard input and output are the
    program's. With it, the results are printed one per line. An assembly program gets ARGS
    on its stack, and the stack it leaves is printed, bottom first. Options after -- go to
    the program. Ctrl-C ends a run with what there is.
    """
    program = api.compile(file)
    with Ticker() as ticker, _Interrupts(ticker) as interrupts:
        console = _Console(interrupts)
        result = api.run_program(
            program,
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=console.read,
            stdout=None if as_json else console.write,
            pulse=interrupts.pulse,
            keep=not no_trace,
            checkpoint=checkpoint,
            resume=resume,
        )
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
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
    return (
        f"{result.instructions:,} instructions in {result.steps:,} steps, "
        f"{result.seconds:.3f} s, {rate:,.0f} instructions/s, engine {result.engine}"
    )
