"""Options that follow from the registry: `--machine`, `--engine`, and those of single machines."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from transputer.registry import able, machines
from transputer.registry.machine import Machine, Option

Command = TypeVar("Command", bound=Callable[..., Any])
#: Options of the C compiler; `cli.sources` declares them with short names.
_COMPILER = ("includes", "defines", "opt", "library", "flags", "notice")


def machine_option(verb: str) -> Callable[[Command], Command]:
    """Return the option `--machine`, with the machines that can do `verb`."""
    names = [machine.name for machine in able(verb)]
    return click.option(
        "--machine", metavar="|".join(names), default=names[0], show_default=True,
        help="Machine to use.", shell_complete=_completer(names),
    )  # fmt: skip


def engine_option(verb: str, help: str = "Engine that runs the program.") -> Callable[..., Any]:
    """Return the option `--engine`, with the engines of every machine for `verb`."""
    names = dict.fromkeys(e for machine in able(verb) for e in machine.abilities[verb].engines)
    return click.option("--engine", default="auto", show_default=True, metavar="|".join(names),
                        help=help, shell_complete=_completer(names))  # fmt: skip


def _completer(names: Iterable[str]) -> Callable[..., list[str]]:
    """Return a function that completes one of `names` in the shell."""
    return lambda context, parameter, start: [name for name in names if name.startswith(start)]


def own_options(*verbs: str) -> Callable[[Command], Command]:
    """Add the options that only some machines have for `verbs`; `own` returns their values."""
    options = {option.name: (machine, option) for verb in verbs for machine in machines()
              for option in machine.own_options(verb) if option.name not in _COMPILER}  # fmt: skip

    def add(command: Command) -> Command:
        for machine, option in reversed(options.values()):
            command = _option(machine, option)(command)
        return command

    return add


def _option(machine: Machine, option: Option) -> Callable[[Command], Command]:
    return click.option(
        f"--{option.name}", option.name, type=option.type, default=None, metavar=option.metavar,
        help=f"{machine.name}: {option.doc}.", expose_value=False, callback=_keep,
    )  # fmt: skip


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Keep the value of an option for `own`."""
    if value is not None:
        context.meta.setdefault(__name__, {})[parameter.name] = value
    return value


def own(verb: str) -> dict[str, Any]:
    """Return the values of `own_options` on this command line that belong to `verb`."""
    values: dict[str, Any] = click.get_current_context().meta.get(__name__, {})
    names = {option.name for machine in machines() for option in machine.own_options(verb)}
    return {name: value for name, value in values.items() if name in names}
