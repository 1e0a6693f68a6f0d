"""The commands by name. Each is loaded when it is used."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from transputer.cli import failures
from transputer.cli.interrupts import Interruptible
from transputer.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_EPILOG = """\b
Try:
  transputer run examples/c/gcd.c --invoke gcd 48 36
  transputer run examples/asm/fibonacci.asm
  transputer dis examples/c/gcd.c --core
"""
#: Commands in the order of the help: the module of each, and its line in the help.
_COMMANDS = {
    "demo": ("demo", "Play Snake on the weights."),
    "examples": ("demo", "List the example programs, or copy them."),
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
    "check": ("check", "Compare two functions on all inputs."),
    "audit": ("audit", "Check the rules of the design on the weights."),
    "prove": ("prove", "Prove the formulas that the lifted engine uses."),
    "spec": ("spec", "Run the official WebAssembly tests."),
    "fuzz": ("fuzz", "Run random programs on every implementation and compare."),
    "bench": ("bench", "Measure speed and cost."),
    "learn": ("learn", "Learn a program from examples and prove it."),
    "selfhost": ("selfhost", "Compile a C compiler with itself on the soft machine."),
    "ask": ("ask", "Answer a question in words, exactly."),
    "chat": ("chat", "Talk to a language model with the computer inside."),
    "studio": ("studio", "Watch programs run in the browser."),
    "serve": ("serve", "Serve tools to assistants (MCP and tool calls)."),
    "cache": ("cache", "Show or clear what was derived and compiled before."),
    "completion": ("completion", "Complete commands and options in the shell."),
    "help": ("help", "Explain a command or a topic."),
}
#: Commands whose functions have another name, because Python has the word.
_RENAMED = {"map": "map_", "help": "help_"}


_GREETING = """Transputer: a transformer that executes programs exactly, one forward pass per step.

  transputer demo       play Snake on the weights
  transputer examples   list the example programs, and copy one
  transputer help       list the commands and the topics
"""


class _ClosedPipe(Exception):
    """The reader of the output has gone."""


@contextmanager
def _pipe() -> Iterator[None]:
    """Turn a BrokenPipeError into `_ClosedPipe`; click would turn it into exit code 1."""
    try:
        yield
    except BrokenPipeError:
        raise _ClosedPipe from None


class _LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command `cmd_name`; return None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        with Interruptible():
            module = import_module(f"transputer.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, _RENAMED.get(cmd_name, cmd_name))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; suggest one for a typo, and `run` for the name of a file."""
        name = args[0]
        if name in _COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        close = get_close_matches(name, _COMMANDS, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        if "." in name or "/" in name:
            hint = f" To run a file: transputer run {name}"
        raise click.UsageError(f"No such command {name!r}.{hint}", ctx)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options; `--help` prints here."""
        with _pipe():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and flush its output."""
        with _pipe():
            value = super().invoke(ctx)
            sys.stdout.flush()
            return value

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete the name of a command without loading any."""
        from click.shell_completion import CompletionItem

        options = click.Command.shell_complete(self, ctx, incomplete)
        names = [
            CompletionItem(name, help=line)
            for name, (_, line) in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + options


def _version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"transputer, version {__version__}")
        ctx.exit()


@click.group(
    cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)  # fmt: skip
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
              help="Show the version and exit.")  # fmt: skip
@click.pass_context
def commands(context: click.Context) -> None:
    """Compile programs (C, WebAssembly, stack assembly) for a transformer that executes
    them exactly, and run them.

    Exit codes: the program's own; 0 when an invoked function returns; 134 for a trap; 2 for
    a mistake in the source or the command; 3 when a limit is reached; 4 when `ask` abstains;
    130 on Ctrl-C.
    """
    if context.invoked_subcommand is None:
        click.echo(_GREETING, nl=False)


def run(args: list[str]) -> int:
    """Run a command; errors that a user can cause become one message. Return the exit code."""
    try:
        code = commands.main(args, prog_name="transputer", standalone_mode=False)
    except _ClosedPipe:
        failures.discard_output()
        code = failures.CLOSED
    except (Exception, KeyboardInterrupt) as error:
        code = failures.report(error, failures.wants_json(args))
    return code if isinstance(code, int) else 0
