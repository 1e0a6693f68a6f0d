"""The smallest way to add a machine: two functions. Light to import, so that systems can use it."""

from collections.abc import Callable, Mapping
from typing import Any

from transputer.registry.machine import Ability, Machine, lazy
from transputer.registry.program import Program
from transputer.registry.settings import RunSettings

_run = lazy("transputer.runtime.stepped:run")
_record = lazy("transputer.runtime.stepped:record")


def stepped_machine(
    name: str,
    doc: str,
    kinds: Mapping[str, str],
    compile: Callable[..., Program],
    start: Callable[[Any, RunSettings], Any],
) -> Machine:
    """Return a machine whose verbs follow from a step function; register it with `tp.register`.

    `compile` takes a `Source` and returns a `SteppedProgram`; `start` takes the program and the
    settings, and returns a `Stepper` (`runtime/stepped.py` has both).
    """
    takes = frozenset({"args", "stdin"})
    return Machine(
        name,
        doc,
        kinds,
        compile,
        {
            "run": Ability(lambda p, s: _run(start, p, s), ("auto",), takes),
            "debug": Ability(lambda p, s: _record(start, p, s), ("auto",), takes),
            "dis": Ability(lazy("transputer.registry.program:listing")),
        },
    )
