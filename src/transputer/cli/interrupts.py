"""Ctrl-C while modules are imported."""

import os
import signal

#: The exit code after SIGINT.
INTERRUPTED = 128 + signal.SIGINT


class Interruptible:
    """Ends the process on Ctrl-C; an exception would come out of whatever module is imported."""

    def __enter__(self) -> None:
        self.before = signal.getsignal(signal.SIGINT)
        if self.before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _end)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self.before)


def _end(*_: object) -> None:
    os.write(2, b"transputer: interrupted\n")
    os._exit(INTERRUPTED)
