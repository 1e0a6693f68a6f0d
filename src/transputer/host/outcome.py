"""Outcome of a call, and the signals that end a run early."""

from collections.abc import Callable
from dataclasses import field

from transputer.errors import Trap
from transputer.values import dataclass

#: Default step limit.
DEFAULT_STEPS = 1_000_000_000
#: Steps between two progress reports.
PULSE = 1 << 15
#: Number of open calls that are told after a trap.
MOST_CALLS = 64
#: Progress callback: takes the number of steps so far; raises `Interrupted` to end the run.
Pulse = Callable[[int], None]
#: Takes the bytes of a stream one by one as they arrive.
Sink = Callable[[int], None]


class Interrupted(Exception):
    """Raised by a pulse to end a run; the state at that point becomes the result."""


def quiet(steps: int) -> None:
    """Ignore progress."""


class ExitSignal(Exception):
    """Raised when the program exits with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit {code}")
        self.code = code


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that has not returned: its function, and (function, instruction) as written."""

    function: str
    origin: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """Results as bits, or a trap, or an exit code; and the steps executed.

    `steps` counts steps of the executor; `instructions` counts instructions of the program as
    written, without structural ones such as `block` and `end`. An interpreter sets `calls` to the
    open calls of a trap, innermost first.
    """

    results: tuple[int, ...] = ()
    trap: Trap | None = None
    detail: str = ""
    exit_code: int | None = None
    steps: int = 0
    instructions: int = 0
    calls: tuple[OpenCall, ...] = field(default=(), compare=False)
