"""Moves by source lines and calls, forwards and backwards, as debuggers of C programs have them.

Each move returns the breakpoint that ended it, if one did. A machine without calls has only moves
by lines: `step` is `next` there.
"""

from collections.abc import Callable

from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Debugger
from transputer.debugger.search import Test
from transputer.errors import UsageError
from transputer.host.outcome import Pulse, quiet

Move = Callable[[Debugger, Pulse], Breakpoint | None]


def next_line(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go to the next line of this call, over the calls in this one."""
    return d.forward(d.other_line(), pulse)


def step_line(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go to the next line, into functions of the program."""
    return d.forward(_test(d, "into_line"), pulse)


def finish(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go to where this call returns."""
    return d.forward(_only(d, "step_out"), pulse)


def until_later(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go to a later line of this call, out of loops."""
    return d.forward(_test(d, "later_line"), pulse)


def next_instruction(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go to the next instruction of this call, over calls."""
    return d.forward(_only(d, "step_over"), pulse)


def back_line(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go back to the beginning of this line or, from there, of the line before it in this call."""
    return _back(d, d.other_line(), pulse)


def back_step(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go back to the beginning of this line or, from there, of the line executed before it.

    A function that was called from that line is entered at its last line.
    """
    here = d.cursor
    hit = _back(d, _test(d, "elsewhere"), pulse)
    start = d.cursor
    if hit is None and start < here - 1:
        d.go(here - 1)
        d.backward(_test(d, "elsewhere"), pulse)
        if d.cursor <= start:
            d.go(start)
        else:
            d.go(_start(d))
    return hit


def back_out(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go back to where this call was made."""
    return d.backward(_only(d, "step_out"), pulse)


def back_instruction(d: Debugger, pulse: Pulse = quiet) -> Breakpoint | None:
    """Go back to the instruction before this one in this call."""
    return d.backward(_only(d, "step_over"), pulse)


def _back(d: Debugger, test: Test, pulse: Pulse) -> Breakpoint | None:
    if _start(d) < d.cursor:
        d.go(_start(d))
        return None
    hit = d.backward(test, pulse)
    if hit is None and d.cursor > 1:
        d.go(_start(d))
    return hit


def _start(d: Debugger) -> int:
    """Return the step at which the cursor's line began, on a machine that knows it."""
    start: Callable[[], int] = getattr(d, "line_start", lambda: d.cursor)
    return start()


def _test(d: Debugger, name: str) -> Test:
    """Return a test of the debugger, or that for another line on a machine without calls."""
    test: Callable[[], Test] = getattr(d, name, d.other_line)
    return test()


def _only(d: Debugger, name: str) -> Test:
    """Return a test of the debugger; raise `UsageError` on a machine without calls."""
    if not hasattr(d, name):
        raise UsageError(f"programs of the {d.machine} machine have no calls")
    test: Test = getattr(d, name)()
    return test
