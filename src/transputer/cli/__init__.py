"""The command line; `transputer --help` lists it."""

import atexit
import gc
import os
import signal
import sys

from transputer.cli.interrupts import Interruptible

#: Our matrices are small: threads of BLAS would only wait for each other, and cost 70 ms to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
#: When Python looks for cycles to free: seldom, because instructions and formulas are many objects
#: that live long.
COLLECT = 200_000, 20, 100

#: The exit code after SIGTERM.
_TERMINATED = 128 + signal.SIGTERM


def main() -> None:
    """Run the command line; errors that a user can cause become one message and an exit code."""
    gc.set_threshold(*COLLECT)
    atexit.register(gc.freeze)  # to look for cycles at the exit would take 70 ms
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))  # no compiler stays behind
    with Interruptible():
        from transputer.cli.group import run  # slow to import
    sys.exit(run(sys.argv[1:]))
