"""Writes golden.json with gcc: `python -m tests.frontends.smallc.golden`."""

import json
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.frontends.smallc.cases import CASES, GOLDEN, Case, Seen

#: The built-in functions of small C, for a compiler that lacks them.
PRELUDE = r"""
#include <stdio.h>
#include <stdlib.h>
static char output[1 << 16];
static int written;
static int put(int c) { output[written++] = c; return c & 255; }
#define putchar put
#define min(a, b) ({ __typeof__(a) a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
#define swap(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define find(a, ...) find_(a, __VA_ARGS__, sizeof(a) / sizeof *(a))
#define find_(a, x, n, ...) ({ int i_ = -1; for (int k_ = 0; k_ < (int)(n); k_++) \
    if ((a)[k_] == (x)) { i_ = k_; break; } i_; })
#define random random_
#define main program
"""
_FLAGS = ("-std=gnu11", "-O1", "-fwrapv", "-w", "-x", "c")


def observed(case: Case) -> list[Seen]:
    """What gcc's code of a case does, tick by tick."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "case.c", Path(folder) / "case"
        source.write_text(f"{PRELUDE}{case.text}\n#undef main\n{_runner(case)}")
        subprocess.run(["gcc", *_FLAGS, str(source), "-o", str(binary)], check=True)
        done = subprocess.run([str(binary)], capture_output=True, text=True, check=True)
    return [_seen(case, line) for line in done.stdout.splitlines()]


def _runner(case: Case) -> str:
    lines = ["int main(void) {"]
    for tick in case.ticks:
        lines += [f"{name} = {value};" for name, value in tick.items()]
        lines.append('written = 0; printf("%d", program());')
        for name, count in case.watch.items():
            shown = f'printf(" %d", {name}[k]);' if count else f'printf(" %d", {name});'
            lines.append(f"for (int k = 0; k < {max(count, 1)}; k++) {shown}")
        lines.append('printf("|"); for (int k = 0; k < written; k++) ')
        lines.append('printf("%02x", output[k] & 255); printf("\\n");')
    return "\n".join([*lines, "return 0; }\n"])


def _seen(case: Case, line: str) -> Seen:
    numbers, output = line.split("|")
    result, *rest = map(int, numbers.split())
    found = {}
    for name, count in case.watch.items():
        found[name], rest = rest[: max(count, 1)], rest[max(count, 1) :]
    return Seen(result, output, found)


if __name__ == "__main__":
    made = {case.name: [asdict(tick) for tick in observed(case)] for case in CASES}
    lines = [f"{json.dumps(name)}: {json.dumps(ticks)}" for name, ticks in made.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
