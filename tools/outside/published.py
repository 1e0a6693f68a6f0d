"""Run the published programs of the loom machine on its weights and compare them with gcc.

`python -m tools.outside.published FOLDER` runs every `.c` file of FOLDER at default settings and
writes `docs/results/published.json`. The sources are not part of this repository: they are the C
programs in the tests and pages of github.com/mkturkcan/Loom, one file each.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import transputer as tp
from tools.measure import save
from tools.outside.suite import VERDICTS, SuiteRow, cpu_seconds

#: The published builtins, and `main` under a name that a printing `main` can call.
PRELUDE = """#include <stdlib.h>
#define swap(a, b) do { int swap_ = (a); (a) = (b); (b) = swap_; } while (0)
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline int mul(int a, int b) { return a * b; }
#define main published_main
"""
PRINTER = """
#undef main
#include <stdio.h>
int main(void) { printf("%d", published_main()); return 0; }
"""
#: Memory of the published machine starts as zeros, and some of its programs rely on that.
FLAGS = ("-O0", "-w", "-ftrivial-auto-var-init=zero")


def gcc(source: Path) -> int:
    """Return the value of the program's `main`, as gcc compiles it."""
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder, "program.c"), Path(folder, "program")
        text.write_text(f'{PRELUDE}#include "{source.resolve()}"\n{PRINTER}', encoding="utf-8")
        subprocess.run(["gcc", *FLAGS, str(text), "-o", str(binary)], check=True)
        return int(subprocess.run([str(binary)], capture_output=True, check=True).stdout)


def judge(source: Path, max_steps: int) -> SuiteRow:
    """Run a program on the loom machine's weights; compare the value of its `main` with gcc's."""
    expected, before = gcc(source), cpu_seconds()
    try:
        result = tp.run(str(source), machine="loom", invoke="main", max_steps=max_steps)
    except tp.TransputerError as error:
        return SuiteRow(source.stem, "refused", str(error))
    spent = round(cpu_seconds() - before, 2)
    why = "" if list(result.results) == [expected] else f"{result} instead of {expected}"
    verdict = "wrong" if why else "right"
    return SuiteRow(source.stem, verdict, why, result.instructions, result.steps, spent)


def distinct(sources: list[Path]) -> int:
    """Return the number of different texts, without comments and white space."""
    comment = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    return len({"".join(comment.sub("", p.read_text()).split()) for p in sources})


def main() -> None:
    """Judge every program of a folder; exit 1 if one is not right."""
    parser = argparse.ArgumentParser(description="Compare published programs with gcc.")
    parser.add_argument("folder", type=Path, help="folder with one .c file per program")
    parser.add_argument("--max-steps", type=int, default=50_000_000, help="limit of steps")
    options = parser.parse_args()
    sources = sorted(options.folder.glob("*.c"))
    rows = []
    for source in sources:
        rows.append(judge(source, options.max_steps))
        print(f"{rows[-1].program}: {rows[-1].verdict} {rows[-1].why}", flush=True)
    counts = Counter(row.verdict for row in rows)
    values = {
        "programs": len(rows),
        "distinct": distinct(sources),
        **{verdict: counts[verdict] for verdict in VERDICTS},
        "not right": {row.program: row.why for row in rows if row.verdict != "right"},
        "steps": sum(row.steps for row in rows),
        "cpu seconds": round(sum(row.cpu_seconds for row in rows), 1),
    }
    save("published", "python -m tools.outside.published FOLDER", values)
    sys.exit(counts["right"] != len(rows))


if __name__ == "__main__":
    main()
