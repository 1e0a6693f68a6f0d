"""Run C programs with the host's C compiler."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

#: Flags that make floats the same everywhere: no fused multiply-add.
FLAGS = ("-ffp-contract=off", "-w", "-lm")
#: Time limit of compiling and of running, in seconds.
TIME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Ending:
    """A program's output, and its end as text: the exit code, a trap or a failure."""

    output: bytes
    ended: str

    def lines(self) -> list[str]:
        """Return the lines of the output, then the end."""
        return [*self.output.decode("latin-1").splitlines(), self.ended]


def exited(output: bytes, code: int) -> Ending:
    """Return the ending of a program that exited."""
    return Ending(output, f"exit code {code}")


def compiler() -> str | None:
    """Return the host's C compiler; None if it has none."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def run_native(source: str, cc: str, *flags: str) -> Ending:
    """Compile a program for the host and run it."""
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        file, binary = Path(folder, "program.c"), Path(folder, "program")
        file.write_text(source)
        command = [cc, "-std=gnu11", "-O1", *flags, str(file), "-o", str(binary), *FLAGS]
        compilation = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT)
        if compilation.returncode:
            return Ending(b"", f"not compiled: {compilation.stderr.decode(errors='replace')[:200]}")
        process = subprocess.run(
            [str(binary)], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT
        )
    if process.returncode < 0:
        return Ending(process.stdout, f"killed by signal {-process.returncode}")
    return exited(process.stdout, process.returncode)
