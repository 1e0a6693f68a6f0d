"""`transputer debug`: a prompt on a recorded run, or the Debug Adapter Protocol."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click

from transputer.cli.machines import engine_option, machine_option, own, own_options
from transputer.cli.progress import Ticker
from transputer.cli.prompt import Prompt
from transputer.cli.sources import ProgramCommand, load, program_options
from transputer.cli.start import start_at
from transputer.registry import machine as machine_named


def _typed() -> Iterator[str]:
    """Yield the lines that the user types."""
    with suppress(ImportError):
        importlib.import_module("readline")  # gives the prompt a history
    while True:
        try:
            yield input("(transputer) ")
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return


def _serve(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Serve the Debug Adapter Protocol instead of a prompt; the client names the program."""
    if value and not ctx.resilient_parsing:
        importlib.import_module("transputer.cli.dap").serve_here()
        ctx.exit()


@click.command(cls=ProgramCommand)
@program_options
@machine_option("debug")
@own_options("compile", "debug")
@engine_option("debug", "Engine that runs and records the program.")
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--stdin", "typed", metavar="FILE", type=click.File("rb"),
              help="The program's standard input; empty by default.")  # fmt: skip
@click.option("--script", metavar="FILE", type=click.File("r"),
              help="Read commands from a file (- for stdin) instead of a prompt.")  # fmt: skip
@click.option("--max-steps", default=None, type=click.IntRange(1), metavar="N",
              help="Number of steps to record.")  # fmt: skip
@click.option("--dap", is_flag=True, is_eager=True, expose_value=False, callback=_serve,
              help="Serve the Debug Adapter Protocol on stdin and stdout.")  # fmt: skip
def debug(
    machine: str,
    engine: str,
    invoke: str | None,
    typed: Any,
    script: Any,
    max_steps: int | None,
    **source: Any,
) -> None:
    """Step through a run, forwards and backwards, down to what every head attended to.

    The program first runs to its end and is recorded; then any step can be shown. The prompt
    starts at `main` and knows the commands of gdb. C is compiled with -O 0 unless -O is given. On
    the soft machine, ARGS are the first registers of an assembly program.
    """
    takes = [option.name for option in machine_named(machine).own_options("compile")]
    if source["opt"] is None and source["file"].lower().endswith(".c") and "opt" in takes:
        source["opt"] = "0"
    program, args = load(machine, **source)
    with Ticker() as ticker:
        debugger = program.debug(
            invoke,
            args,
            engine=engine,
            max_steps=max_steps,
            stdin=typed.read() if typed is not None else b"",
            pulse=ticker.pulse,
            options=own("debug"),
        )
    if script is None and sys.stdin.isatty():
        click.echo("Type help for commands, q to quit; an empty line repeats the last one.")
    commands = (line for line in script) if script is not None else _typed()
    start_at(debugger, invoke)
    Prompt(debugger).run(commands)
