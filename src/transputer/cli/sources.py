"""Programs on the command line: source files, the C compiler's options, the program's arguments."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from transputer import api
from transputer.cli.examples import named_like
from transputer.cli.machines import own
from transputer.errors import UsageError
from transputer.registry import Program

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])
_AFTER = "transputer.after"
#: An option, and no number such as -3, -inf or -nan.
_OPTION = re.compile(r"--|-(?!inf|nan)[a-z]", re.IGNORECASE)
#: Similarity from which an option is suggested for a typo.
_CLOSE = 0.7


class ProgramCommand(click.Command):
    """A command on a program: `[OPTIONS] FILE [ARGS] [-- ARGS]`, options before or after FILE.

    A word that looks like an option is an option of this command or a mistake; numbers such as
    `-3` are arguments. Everything after `--` belongs to the program.
    """

    allow_interspersed_args = True
    ignore_unknown_options = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the first `--`; raise `NoSuchOption` for unknown options."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_AFTER] = tuple(args[at + 1 :])
        if not ctx.resilient_parsing:
            values, _, _ = self.make_parser(ctx).parse_args(args[:at])
            rest = values.get("args")
            words = (values.get("file"), *(rest if isinstance(rest, tuple) else ()))
            _refuse_options(ctx, [word for word in words if isinstance(word, str)])
        return super().parse_args(ctx, args[:at])


def _refuse_options(ctx: click.Context, words: list[str]) -> None:
    """Raise `NoSuchOption` if one of the words that are no options of ours looks like an option."""
    known = [name for option in ctx.command.params for name in option.opts + option.secondary_opts]
    for name in (word.partition("=")[0] for word in words):
        if _OPTION.match(name):
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1, _CLOSE)
            hint = f"No such option {name!r}."
            hint += "" if close else " Arguments of the program go after --."
            raise click.NoSuchOption(name, hint, close, ctx)


def arguments_after() -> tuple[str, ...]:
    """Return the arguments after `--` of the command that runs."""
    after: tuple[str, ...] = click.get_current_context().meta.get(_AFTER, ())
    return after


def complete_file(ctx: click.Context, param: click.Parameter, start: str) -> "list[CompletionItem]":
    """Let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(start, type="file")]


def program_options(command: Command) -> Command:
    """Add FILE, ARGS and the options of the C compiler to a command."""
    for add in reversed(_OPTIONS):
        command = add(command)
    return command


def _flags(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of `--cflags`, split as a shell does."""
    try:
        return tuple(flag for value in values for flag in shlex.split(value))
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from None


_OPTIONS = (
    click.argument("file", shell_complete=complete_file),
    click.argument("args", nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]... [-- ARGS...]",
                   shell_complete=complete_file),
    click.option("-I", "includes", multiple=True, metavar="DIR", help="C: search DIR for headers."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="C: define a macro."),
    click.option("-O", "opt", metavar="LEVEL",
                 help="C: optimisation level: 0, 1, 2, 3, s (default) or z."),
    click.option("-L", "folders", multiple=True, metavar="DIR",
                 help="C: search DIR for libraries."),
    click.option("-l", "libraries", multiple=True, metavar="NAME",
                 help="C: link the static library libNAME.a."),
    click.option("--cflags", "flags", multiple=True, metavar="FLAGS", callback=_flags,
                 help="C: other flags of the compiler, such as '-Wall -fwrapv'."),
    click.option("--libc/--freestanding", "library", default=None,
                 help="C: link the C library or not. Default: a program with main has it unless "
                 "it includes transputer.h."),
)  # fmt: skip


def load(
    machine: str,
    file: str,
    args: tuple[str, ...],
    includes: tuple[str, ...],
    defines: tuple[str, ...],
    opt: str | None,
    folders: tuple[str, ...],
    libraries: tuple[str, ...],
    flags: tuple[str, ...],
    library: bool | None,
) -> tuple[Program, tuple[str, ...]]:
    """Compile FILE for a machine; return the program and its arguments.

    C files, objects and static libraries that directly follow a C file or a project (see
    `read_project`) are compiled and linked with it.
    """
    compiles = api.is_source(file) or api.read_project(file) is not None
    count = next((i for i, arg in enumerate(args) if not api.is_source(arg)), len(args))
    files = args[:count] if compiles else ()
    flags = (*(f"-L{d}" for d in folders), *(f"-l{n}" for n in libraries), *flags)
    try:
        program = api.compile(
            file, *files, machine=machine, includes=includes, defines=defines,
            opt=f"-O{opt}" if opt else None, library=library, flags=flags, notice=notice,
            options=own("compile"),
        )  # fmt: skip
    except UsageError as error:
        if str(error).endswith("no such file"):
            raise UsageError(f"{error}{_instead(file)}") from None
        raise
    return program, (*args[len(files) :], *arguments_after())


def _instead(file: str) -> str:
    """Return what may have been meant by the name of a missing file."""
    from difflib import get_close_matches

    path = Path(file)
    names = [item.name for item in path.parent.glob("*") if item.is_file()]
    if close := get_close_matches(path.name, names, 1):
        return f"; did you mean {path.parent / close[0]}?"
    if examples := named_like(file):
        return f"; to copy the example: transputer examples {examples[0]}"
    return "; `transputer examples` lists programs to try"


def notice(message: str) -> None:
    """Print a message about long work on a terminal; print nothing when piped."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"transputer: {message}", err=True)
