"""C programs as the machine's own compiler makes them."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

#: What makes floats the same everywhere: no products and sums in one rounding.
FLAGS = ("-ffp-contract=off", "-w", "-lm")
#: Seconds that compiling and running may take, each.
TIME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Ending:
    """What a program wrote, and how it ended: its exit code, or in words what went wrong."""

    output: bytes
    ended: str

    def lines(self) -> list[str]:
        """What it wrote, and at last how it ended."""
        return [*self.output.decode("latin-1").splitlines(), self.ended]


def exited(output: bytes, code: int) -> Ending:
    """The end of a program that ended by itself."""
    return Ending(output, f"exit code {code}")


def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def run_native(source: str, cc: str, *flags: str) -> Ending:
    """Compile a program for this machine and run it."""
    with tempfile.TemporaryDirectory(prefix="transputer-") as folder:
        file, binary = Path(folder, "program.c"), Path(folder, "program")
        file.write_text(source)
        command = [cc, "-std=gnu11", "-O1", *flags, str(file), "-o", str(binary), *FLAGS]
        built = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT)
        if built.returncode:
            return Ending(b"", f"not compiled: {built.stderr.decode(errors='replace')[:200]}")
        ran = subprocess.run(
            [str(binary)], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT
        )
    if ran.returncode < 0:
        return Ending(ran.stdout, f"killed by signal {-ran.returncode}")
    return exited(ran.stdout, ran.returncode)
