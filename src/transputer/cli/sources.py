"""Programs on the command line: source files, the C compiler's options, the program's arguments."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from transputer import api

Command = TypeVar("Command", bound=Callable[..., Any])
_AFTER = "transputer.after"


class ProgramCommand(click.Command):
    """A command on a program: what follows `--` is kept apart."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take away what follows the first `--`, then parse as usual."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_AFTER] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


def program_options(command: Command) -> Command:
    """FILE, ARGS, and the options of the C compiler."""
    for add in reversed(_OPTIONS):
        command = add(command)
    return command


_OPTIONS = (
    click.argument("file"),
    click.argument("args", nargs=-1, type=click.UNPROCESSED),
    click.option("--arg", "more_args", multiple=True, metavar="ARG",
                 help="One more of ARGS, for one that looks like an option of ours."),
    click.option("-I", "includes", multiple=True, metavar="DIR", help="C: look for headers there."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="C: define a macro."),
    click.option("-O", "opt", metavar="LEVEL", help="C: optimise: 0, 1, 2, 3, s (the default), z."),
    click.option("--libc/--freestanding", "library", default=None,
                 help="C: link the C library or not; by default, a program with main has it, "
                 "unless it includes transputer.h."),
)  # fmt: skip


def machine_options(*machines: str) -> Callable[[Command], Command]:
    """Which of these machines looks into the program, and its size."""
    chosen = click.option("--machine", type=click.Choice(machines), default=machines[0],
                          show_default=True, help="The machine that runs it.")  # fmt: skip

    def add_all(command: Command) -> Command:
        for add in reversed(_SIZES):
            command = add(command)
        return chosen(command)

    return add_all


_SIZES = (
    click.option("--config", metavar="NAME",
                 help="loom: its size; by default the smallest that the program fits."),
    click.option("--bits", type=int, default=0, metavar="N",
                 help="loom: bits of a word where --config does not say: 8, 16 or 32."),
)  # fmt: skip


def leave_out(machine: str, given: dict[str, Any]) -> None:
    """Refuse what a machine's programs do not take."""
    for name in (name for name, value in given.items() if value):
        raise click.UsageError(f"programs of the {machine} machine take no {name}: leave it out")


def only_on(machine: str, chosen: str, given: dict[str, Any]) -> None:
    """Refuse options of a machine that is not the chosen one."""
    for name in (name for name, value in given.items() if value and chosen != machine):
        raise click.UsageError(f"{name} is for --machine {machine}")


def load(
    file: str,
    args: tuple[str, ...],
    more_args: tuple[str, ...],
    includes: tuple[str, ...],
    defines: tuple[str, ...],
    opt: str | None,
    library: bool | None,
) -> tuple[api.Program, tuple[str, ...]]:
    """The compiled program and its arguments.

    Arguments right behind a C file that name C files too are compiled with it, and what
    follows `--` are flags for the compiler; other programs get all of it as arguments.
    """
    after: tuple[str, ...] = click.get_current_context().meta.get(_AFTER, ())
    options: dict[str, Any] = {
        "includes": includes, "defines": defines, "opt": opt and f"-O{opt}", "library": library,
    }  # fmt: skip
    options = {name: value for name, value in options.items() if value not in ((), None)}
    if not _is_c(file):
        return api.compile(file, **options), (*args, *after, *more_args)
    count = next((i for i, arg in enumerate(args) if not _is_c(arg)), len(args))
    program = api.compile(file, *args[:count], flags=after, **announced(file), **options)
    return program, (*args[count:], *more_args)


def invoked(invoke: str | None, **source: Any) -> tuple[api.Program, str | None, tuple[str, ...]]:
    """The compiled program, what to call of it, and its arguments."""
    program, args = load(**source)
    return program, invoke, args


def _is_c(name: str) -> bool:
    return name.lower().endswith(".c")


def announced(file: str) -> dict[str, Any]:
    """What `api.compile` needs besides the file to say that it builds the C library."""
    return {"notice": _notice} if _is_c(file) else {}


def _notice(message: str) -> None:
    """Long work is announced to people, not to pipes."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"transputer: {message}", err=True)
