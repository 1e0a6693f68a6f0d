"""`transputer run`."""

import json
import sys

import click

from transputer import api
from transputer.cli.progress import Ticker

TRAPPED = 134


class _Console:
    """The program's standard streams: input as it is asked for, output as it comes."""

    def read(self) -> int:
        """The next byte of standard input, or -1 at its end."""
        sys.stdout.buffer.flush()
        byte = sys.stdin.buffer.read(1) if sys.stdin is not None else b""
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
@click.option("--stats", is_flag=True, help="Say on stderr what the run took.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def run(
    file: str,
    args: tuple[str, ...],
    invoke: str | None,
    engine: str,
    max_steps: int,
    stats: bool,
    as_json: bool,
) -> int:
    """Run a program: FILE is .c, .wat, .wasm, .asm or .core.

    Without --invoke, `_start` or `main` runs, and standard input and output are the
    program's. With it, the results are printed one per line. An assembly program gets ARGS
    on its stack, and the stack it leaves is printed, bottom first. Options after -- go to
    the program.
    """
    console = _Console()
    program = api.compile(file)
    with Ticker() as ticker:
        result = api.run_program(
            program,
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=console.read,
            stdout=None if as_json else console.write,
            pulse=ticker.pulse,
        )
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        for line in result.text:
            click.echo(line)
    sys.stdout.flush()
    if stats:
        click.echo(_stats(result), err=True)
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
