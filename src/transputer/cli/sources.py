"""Programs on the command line: source files, the C compiler's options, the program's arguments."""

import re
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

import click

from transputer import api
from transputer.cli.machines import own
from transputer.registry import Program

Command = TypeVar("Command", bound=Callable[..., Any])
_AFTER = "transputer.after"
#: An option, and no number such as -3, -inf or -nan.
_OPTION = re.compile(r"--|-(?!inf|nan)[a-z]", re.IGNORECASE)


class ProgramCommand(click.Command):
    """A command on a program; keeps the arguments after `--` for `load`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the first `--`."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_AFTER] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


def program_options(command: Command) -> Command:
    """Add FILE, ARGS and the options of the C compiler to a command."""
    for add in reversed(_OPTIONS):
        command = add(command)
    return command


_OPTIONS = (
    click.argument("file"),
    click.argument("args", nargs=-1, type=click.UNPROCESSED),
    click.option("--arg", "more_args", multiple=True, metavar="ARG",
                 help="One more of ARGS; use it for an argument that looks like an option."),
    click.option("-I", "includes", multiple=True, metavar="DIR", help="C: search DIR for headers."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="C: define a macro."),
    click.option("-O", "opt", metavar="LEVEL",
                 help="C: optimisation level: 0, 1, 2, 3, s (default) or z."),
    click.option("-L", "folders", multiple=True, metavar="DIR",
                 help="C: search DIR for libraries."),
    click.option("-l", "libraries", multiple=True, metavar="NAME",
                 help="C: link the static library libNAME.a."),
    click.option("--libc/--freestanding", "library", default=None,
                 help="C: link the C library or not. Default: a program with main has it unless "
                 "it includes transputer.h."),
)  # fmt: skip


def load(
    machine: str,
    file: str,
    args: tuple[str, ...],
    more_args: tuple[str, ...],
    includes: tuple[str, ...],
    defines: tuple[str, ...],
    opt: str | None,
    folders: tuple[str, ...],
    libraries: tuple[str, ...],
    library: bool | None,
) -> tuple[Program, tuple[str, ...]]:
    """Compile FILE for a machine; return the program and its arguments.

    C files, objects and static libraries that directly follow a C file or a project (see
    `read_project`) are compiled and linked with it, and what follows `--` are flags for the
    compiler. Other programs get all of these as arguments. Unknown options are passed to
    programs that have a command line of their own; for other programs they are refused.
    """
    after: tuple[str, ...] = click.get_current_context().meta.get(_AFTER, ())
    compiles = api.is_source(file) or api.read_project(file) is not None
    count = next((i for i, arg in enumerate(args) if not api.is_source(arg)), len(args))
    files, flags = (args[:count], after) if compiles else ((), ())
    flags = (*(f"-L{d}" for d in folders), *(f"-l{n}" for n in libraries), *flags)
    program = api.compile(
        file, *files, machine=machine, includes=includes, defines=defines,
        opt=f"-O{opt}" if opt else None, library=library, flags=flags, notice=notice,
        options=own("compile"),
    )  # fmt: skip
    arguments = args[len(files) :]
    invoked = click.get_current_context().params.get("invoke")
    if not program.is_command or invoked not in (None, "main"):
        refuse_options(arguments)
    return program, (*arguments, *(() if compiles else after), *more_args)


def refuse_options(args: tuple[str, ...]) -> None:
    """Raise `NoSuchOption` for an argument that is an option and not a number.

    Only a program with a command line of its own takes such arguments before `--`.
    """
    context = click.get_current_context()
    known = [name for option in context.command.params for name in option.opts]
    for name in (arg.partition("=")[0] for arg in args):
        if _OPTION.match(name):
            close = get_close_matches(name, known, 1)
            raise click.NoSuchOption(name, possibilities=close, ctx=context)


def notice(message: str) -> None:
    """Print a message about long work on a terminal; print nothing when piped."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"transputer: {message}", err=True)
