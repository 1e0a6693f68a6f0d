"""Progress of long work: shown on a terminal after a moment, silent when piped."""

import time
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

#: Seconds without output before progress is shown.
PATIENCE = 1.5


class Ticker:
    """Shows steps and steps per second on stderr while a program runs."""

    def __init__(self) -> None:
        self.started = self.shown = time.monotonic()
        self.status: Status | None = None

    @cached_property
    def console(self) -> "Console":
        """Standard error."""
        from rich.console import Console  # slow to import, and short runs show nothing

        return Console(stderr=True)

    def __enter__(self) -> Self:
        self.started = self.shown = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def hide(self) -> None:
        """Hide the progress while the program writes; `pulse` shows it again after a moment."""
        if self.status is not None:
            self.status.stop()
            self.status = None
        self.shown = time.monotonic()

    def pulse(self, steps: int) -> None:
        """Show that `steps` steps are done."""
        now = time.monotonic()
        elapsed = now - self.started
        if now - self.shown < PATIENCE or not self.console.is_terminal:
            return
        text = f"{steps:,} steps, {steps / elapsed:,.0f} steps/s"
        if self.status is None:
            self.status = self.console.status(text)
            self.status.start()
        else:
            self.status.update(text)
