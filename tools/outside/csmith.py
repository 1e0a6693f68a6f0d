"""Run random C programs of csmith through the weights, at -O0 to -O3.

`python -m tools.outside.csmith --count 300` generates programs with fresh seeds, compiles each with
the bundled clang, and compares the checksum that the weights print with wasmtime's on the module
and with that of gcc -m32 -O0, whose types have the sizes of wasm32. A run is right if it equals
wasmtime's; its row says so if gcc differs. Program i is compiled at level i mod 4, or at every
level with --every-level. Results go to docs/outside/csmith.json; the sources of wrong programs and
of those that gcc sees differently stay in build/outside.
Debian: apt install csmith libcsmith-dev gcc-multilib
"""

import argparse
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tools.outside.suite import (
    ROOT,
    SuiteRow,
    save,
    through_the_weights,
)
from transputer.errors import StepLimitError
from transputer.frontends.c import compile_c
from transputer.oracle.command import CommandResult, run_command

HEADERS = Path("/usr/include/csmith")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
#: Programs that execute more instructions, or take more CPU seconds under gcc, are passed over.
FUEL = 20_000_000
SECONDS = 1
WRONG = ROOT / "build" / "outside"


def missing() -> str | None:
    """Return the command that installs what is missing, if anything is."""
    if shutil.which("csmith") and shutil.which("gcc") and (HEADERS / "csmith.h").exists():
        command = ["gcc", "-m32", "-print-file-name=crt1.o"]  # an absolute path if it is there
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stdout.startswith("/"):
            return None
    return "apt-get install csmith libcsmith-dev gcc-multilib"


def by_gcc(source: Path, folder: Path) -> CommandResult:
    """Compile with gcc -m32 -O0 and run natively; raise `StepLimitError` after a CPU second."""
    program = folder / "by_gcc"
    command = ["gcc", "-m32", "-O0", "-w", f"-I{HEADERS}", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [program],
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1)),
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise StepLimitError(FUEL)
    return CommandResult(done.stdout, done.stderr, done.returncode)


def run_seed(seed: int, levels: Iterable[str]) -> Iterator[SuiteRow]:
    """Run a seed's program at each level; raise `StepLimitError` if it does not finish."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name, f"{seed}.c")
        command = ["csmith", "--seed", str(seed), "--output", str(source)]
        subprocess.run(command, check=True, cwd=name)  # it also writes platform.info there
        native = by_gcc(source, Path(name))
        for level in levels:
            binary = compile_c(source, opt=level, includes=[HEADERS], flags=["-w"])
            expected = run_command(binary, ("program.wasm",), fuel=FUEL)
            row = through_the_weights(f"{seed} {level}", binary, expected)
            if row.verdict == "right" and native != expected:
                row = replace(row, why=f"gcc differs: {native.stdout!r}, not {expected.stdout!r}")
            if row.why:
                WRONG.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, WRONG)
            yield row


def main() -> None:
    """Run a campaign; exit with 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description="Run csmith programs through the weights.")
    parser.add_argument("--count", type=int, default=300, help="number of programs")
    parser.add_argument("--seed", type=int, help="first seed (default: random)")
    parser.add_argument("--every-level", action="store_true", help="each program at -O0 to -O3")
    options = parser.parse_args()
    if install := missing():
        sys.exit(f"csmith: something is missing: {install}")
    first = options.seed if options.seed is not None else random.randrange(1 << 30)
    rows: list[SuiteRow] = []
    programs = skipped = 0
    while programs < options.count:
        seed = first + programs + skipped
        levels = LEVELS if options.every_level else (LEVELS[programs % 4],)
        try:
            more = list(run_seed(seed, levels))
        except StepLimitError:
            skipped += 1
            continue
        programs += 1
        rows += more
        for row in more:
            print(row.program, row.verdict, f"{row.steps:,} steps", row.why, flush=True)
        if programs % 5 == 0 or programs == options.count:
            differs = sum(row.why.startswith("gcc differs") for row in rows)
            about = {
                "first seed": first,
                "programs": programs,
                "passed over": skipped,
                "gcc differs": differs,
            }
            command = f"python -m tools.outside.csmith --count {programs} --seed {first}"
            save("csmith", "csmith", command, rows, about)
    sys.exit(any(row.verdict == "wrong" for row in rows))


if __name__ == "__main__":
    main()
