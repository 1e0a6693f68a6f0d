"""The command line; `transputer --help` lists it. Each command is loaded when it is used."""

import sys
from importlib import import_module
from typing import Any

import click

from transputer.errors import TransputerError
from transputer.version import __version__

_EPILOG = """\b
Try:
  transputer run examples/c/gcd.c --invoke gcd 48 36
  transputer run examples/asm/fibonacci.asm
  transputer dis examples/c/gcd.c --core
"""
#: Commands in the order of the help: the module of each, and its line in the help.
_COMMANDS = {
    "run": ("run", "Run a program."),
    "map": ("map", "Run one program on many inputs."),
    "trace": ("trace", "Show the first steps of a program, one per line."),
    "debug": ("debug", "Step through a run, forwards and backwards."),
    "diff": ("diff", "Find the first step at which two engines differ."),
    "dis": ("dis", "Disassemble a program."),
    "export": ("export", "Write a program and its model in a format that others run."),
    "specialize": ("specialize", "Build a model with one program in its weights."),
    "build": ("model", "Build the universal model of a machine and save it."),
    "inspect": ("model", "Print the card of a model."),
    "audit": ("audit", "Check the rules of the design on the weights."),
    "prove": ("prove", "Prove the formulas that the lifted engine uses."),
    "spec": ("spec", "Run the official WebAssembly tests."),
    "fuzz": ("fuzz", "Run random programs on every implementation and compare."),
    "bench": ("bench", "Measure speed and cost."),
    "learn": ("learn", "Learn a program from examples and prove it."),
    "selfhost": ("selfhost", "Compile a C compiler with itself on the soft machine."),
    "ask": ("ask", "Answer a question in words, exactly."),
    "studio": ("studio", "Watch programs run in the browser."),
    "serve": ("serve", "Serve tools to assistants (MCP and tool calls)."),
}


class _LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command `cmd_name`; return None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"transputer.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_" if cmd_name == "map" else cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])


def _version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"transputer, version {__version__}")
        ctx.exit()


@click.group(
    cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
              help="Show the version and exit.")  # fmt: skip
def commands() -> None:
    """Compile programs (C, WebAssembly, stack assembly) for a transformer that executes
    them exactly, and run them.

    Exit codes: the program's own; 0 when an invoked function returns; 134 for a trap; 2 for
    a mistake in the source or the command; 3 when a limit is reached; 4 when `ask` abstains;
    130 on Ctrl-C.
    """


def main() -> None:
    """Run the command line; errors that a user can cause become one message and an exit code."""
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
