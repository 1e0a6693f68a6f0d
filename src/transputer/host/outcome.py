"""What a run comes to, whoever ran it."""

from collections.abc import Callable
from dataclasses import dataclass

from transputer.errors import Trap

#: Steps after which a run is stopped unless told otherwise.
DEFAULT_STEPS = 1_000_000_000
#: Steps between two reports of progress.
PULSE = 1 << 15
#: Hears how many steps have been made so far; raises `Interrupted` to end the run.
Pulse = Callable[[int], None]
#: Takes the bytes of a stream, one by one, as they come.
Sink = Callable[[int], None]


class Interrupted(Exception):
    """Raised by a pulse to end a run; what there is until then becomes the result."""


def quiet(steps: int) -> None:
    """A pulse that tells nobody."""


class ExitSignal(Exception):
    """The program asked to end with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit {code}")
        self.code = code


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results as ints, or a trap, or an exit code; and what it took.

    `steps` are those of the interpreter; `instructions` those of the program as written,
    without the ones that only give it shape.
    """

    results: tuple[int, ...] = ()
    trap: Trap | None = None
    detail: str = ""
    exit_code: int | None = None
    steps: int = 0
    instructions: int = 0
