"""Machines whose runs a page can watch, derived from the registry."""

from typing import Any

from transputer.debugger.damage import damage_of
from transputer.debugger.debugger import Debugger
from transputer.registry import Machine, able
from transputer.registry import machine as machine_named
from transputer.runtime.prepared import Prepared
from transputer.runtime.views import View

Json = dict[str, Any]
#: Inputs of a run that only some machines take.
_INPUTS = ("invoke", "args", "stdin")


def watchable() -> tuple[Machine, ...]:
    """Return the machines that a page can show."""
    return tuple(m for m in able("prepare") if "view" in m.abilities)


def languages(machine: Machine) -> dict[str, str]:
    """Return the languages of a machine by code, with their names."""
    codes = machine.ability("prepare").formats
    return {code: machine.kinds.get(f".{code}", code.capitalize()) for code in codes}


def takes(machine: Machine) -> tuple[str, ...]:
    """Return the inputs and options that a run on a machine takes."""
    shared = [name for name in _INPUTS if name in machine.abilities["debug"].takes]
    return (*shared, *(option.name for option in machine.own_options("debug")))


def as_json(machine: Machine) -> Json:
    """Return the JSON of a machine for the page."""
    return {
        "name": machine.name,
        "doc": machine.doc,
        "engines": machine.abilities["debug"].engines,
        "languages": languages(machine),
        "takes": takes(machine),
        "missing": "",
        "breaks": "damage" in machine.abilities,
    }


def prepare(name: str, text: str, language: str, **options: Any) -> Prepared:
    """Compile a source text for a machine."""
    prepared: Prepared = (
        machine_named(name).ability("prepare").call(name, text, language, **options)
    )
    return prepared


def record(prepared: Prepared, invoke: str | None, args: list[str], **settings: Any) -> Debugger:
    """Record a run of a prepared program, as `Program.debug` does."""
    if prepared.invoke is not None:
        invoke, args = prepared.invoke, []
    return prepared.program.debug(invoke, args, **settings)


def break_weight(debugger: Debugger, part: str, how: str, **watching: Any) -> View:
    """Run a recorded program again with a part of the weights broken; return the pair's view."""
    machine = machine_named(debugger.machine)
    pair = machine.ability("damage").call(debugger, part, damage_of(how), **watching)
    view: View = machine.ability("damage_view").call(pair)
    return view


def view_of(debugger: Debugger) -> View:
    """Return the JSON view of a debugger."""
    view: View = machine_named(debugger.machine).ability("view").call(debugger)
    return view
