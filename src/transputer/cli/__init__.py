"""The command line; `transputer --help` lists it."""

import sys

import click

from transputer.cli.ask import ask
from transputer.cli.audit import audit
from transputer.cli.bench import bench
from transputer.cli.debug import debug
from transputer.cli.diff import diff
from transputer.cli.dis import dis
from transputer.cli.export import export
from transputer.cli.fuzz import fuzz
from transputer.cli.learn import learn
from transputer.cli.map import map_
from transputer.cli.model import build, inspect
from transputer.cli.prove import prove
from transputer.cli.run import run
from transputer.cli.selfhost import selfhost
from transputer.cli.spec import spec
from transputer.cli.specialize import specialize
from transputer.cli.studio import studio
from transputer.cli.trace import trace
from transputer.errors import TransputerError

_EPILOG = """\b
Try:
  transputer run examples/c/gcd.c --invoke gcd 48 36
  transputer run examples/asm/fibonacci.asm
  transputer dis examples/c/gcd.c --core
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="transputer")
def commands() -> None:
    """Compile programs (C, WebAssembly, stack assembly) for a transformer that executes
    them exactly, and run them.

    Exit codes: the program's own; 0 when an invoked function returns; 134 for a trap; 2 for
    a mistake in the source or the command; 3 when a limit is reached; 4 when `ask` abstains;
    130 on Ctrl-C.
    """


for command in (
    run,
    map_,
    trace,
    debug,
    diff,
    dis,
    spec,
    build,
    specialize,
    export,
    inspect,
    audit,
    prove,
    fuzz,
    bench,
    learn,
    selfhost,
    ask,
    studio,
):
    commands.add_command(command)


def main() -> None:
    """The entry point: errors a user can cause become one message and an exit code."""
    try:
        code = commands.main(prog_name="transputer", standalone_mode=False)
    except TransputerError as error:
        click.echo(f"transputer: {error}", err=True)
        code = error.exit_code
    except click.ClickException as error:
        click.echo(f"transputer: {error.format_message()}", err=True)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(f"Try: {error.ctx.command_path} --help", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("transputer: interrupted", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 141
    except RecursionError:
        click.echo("transputer: the input is nested too deeply", err=True)
        code = 2
    except MemoryError:
        click.echo("transputer: out of memory", err=True)
        code = 3
    sys.exit(code if isinstance(code, int) else 0)
