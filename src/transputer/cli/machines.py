"""Options that follow from the registry: which machine, and what only some machines take."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from transputer.registry import able, machines
from transputer.registry.machine import Machine, Option

Command = TypeVar("Command", bound=Callable[..., Any])
#: What the C compiler takes; `cli.sources` has these options with short names.
_COMPILER = ("includes", "defines", "opt", "library", "flags", "notice")


def machine_option(verb: str) -> Callable[[Command], Command]:
    """`--machine`, with the machines that can do a verb."""
    names = [machine.name for machine in able(verb)]
    return click.option(
        "--machine", metavar="|".join(names), default=names[0], show_default=True,
        help="The machine.",
    )  # fmt: skip


def engine_option(verb: str, help: str = "What executes the program.") -> Callable[..., Any]:
    """`--engine`, with the engines of every machine."""
    names = dict.fromkeys(e for machine in able(verb) for e in machine.abilities[verb].engines)
    return click.option("--engine", default="auto", show_default=True,
                        metavar="|".join(names), help=help)  # fmt: skip


def own_options(*verbs: str) -> Callable[[Command], Command]:
    """The options that only some machines have for these verbs, gathered in `own`."""
    chosen = {option.name: (machine, option) for verb in verbs for machine in machines()
              for option in machine.own_options(verb) if option.name not in _COMPILER}  # fmt: skip

    def add(command: Command) -> Command:
        for machine, option in reversed(chosen.values()):
            command = _option(machine, option)(command)
        return command

    return add


def _option(machine: Machine, option: Option) -> Callable[[Command], Command]:
    return click.option(
        f"--{option.name}", option.name, type=option.type, default=None, metavar=option.metavar,
        help=f"{machine.name}: {option.doc}.", expose_value=False, callback=_keep,
    )  # fmt: skip


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Keep an option that was given for `own`."""
    if value is not None:
        context.meta.setdefault(__name__, {})[parameter.name] = value
    return value


def own(verb: str) -> dict[str, Any]:
    """Return the machine's own options that were given and that some machine has for a verb."""
    given: dict[str, Any] = click.get_current_context().meta.get(__name__, {})
    known = {option.name for machine in machines() for option in machine.own_options(verb)}
    return {name: value for name, value in given.items() if name in known}
