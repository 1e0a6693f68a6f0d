"""Where debugging begins: at the first statement of the program."""

from transputer.debugger.debugger import Debugger
from transputer.errors import UsageError


def start_at(debugger: Debugger, name: str | None) -> None:
    """Move the cursor from the first step to the first statement of a function of C, or of `main`.

    The cursor stays where it is if the program has no such function or never calls it.
    """
    try:
        point = debugger.at_function(name or "main")
    except UsageError:
        return
    before = debugger.cursor
    if not debugger.holds(point.test):
        debugger.forward(point.test)
    if debugger.cursor > debugger.steps:
        debugger.go(before)
