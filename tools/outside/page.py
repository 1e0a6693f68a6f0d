"""`python -m tools.outside.page` writes docs/outside.md from the result files in docs/outside."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tools.outside.suite import BENCHMARKS, RESULTS, ROOT, VERDICTS

PAGE = ROOT / "docs" / "outside.md"
Values = dict[str, Any]

_INTRODUCTION = """\
# Programs that nobody here wrote

This page shows how outside programs and outside data fare on the trace machine. Every program
runs on the weights; *right* means that output and exit code are those of wasmtime on the same
module. A program that ends in an error of ours instead of a result is *refused*.
"""
_METAMATH = """\
## Metamath: a transformer that checks proofs

[`metamath.c`](../examples/programs/README.md) is a verifier for the Metamath language. It runs on
databases of Debian's `metamath-databases`. The verdict, and the numbers of axioms and theorems,
must also be those of Debian's `metamath` program. The altered proof must be rejected.
"""
_CSMITH = """\
## csmith: random C programs

csmith generates C programs without undefined behaviour that print a checksum of their variables.
Each is compiled at one of four levels. `gcc -m32 -O0` is a second oracle: its types have the
sizes of wasm32. {programs:,} programs from seed {first seed} on; {passed over:,} more were passed
over, because they do not end within 20 million instructions under wasmtime or a CPU second under
gcc. gcc's checksum differs from wasmtime's on {gcc differs:,}.
"""
_DOOM = """\
## Doom's first level

![A frame of Doom's first level with Freedoom's art, computed by the weights](img/doom.png)

The engine is the portable C source in `cydoomgeneric` on PyPI, as it is, with a platform file of
our own (`tools/outside/doom_platform.c`). The level is E1M1 of Freedoom (Debian's `freedoom`), cut
to what it needs. Nothing of theirs is in the repository but the pictures. Keys come from standard
input, a byte per frame; frames leave as PPM pictures on standard error. All {frames:,} frames are
those of wasmtime, byte by byte: {frames per CPU second} frames per CPU second, loading included, on
a busy machine; `transputer bench frames` measures it again
([benchmarks](benchmarks.md#frames-of-games)).

![The same walk as a film](img/doom-film.png)

The film shows one of {film} frames. Art and level: the Freedoom project (BSD licence). Engine:
id Software's Doom in the form of doomgeneric (GPL 2).
"""
_COREMARK = """\
## CoreMark

EEMBC's CoreMark sorts lists, multiplies matrices and runs a state machine. Its sources are those in
`{source}` on PyPI, as they are; nothing of theirs is in the
repository. It runs {iterations:,} iterations with the seeds of the performance run. Every line that
it prints is what wasmtime prints for the same module, except for those that tell a time:

```text
{prints}
```

Each run is a command from the C sources to the answer, in a process of its own; the caches of the
first two have nothing, or only what a printed hello left there. wasmtime and wasm3 (through
pywasm3) get the compiled module, in a process of Python. CPU seconds are those of the whole process
and its subprocesses, the fastest of three but for the first two. They are no CoreMark scores, whose
rules ask for a real clock.
"""
_GALLERY = """\
## Lua and QuickJS

Two interpreters, each compiled as it is with a small platform file of our own, run our scripts:
errors, `pcall` and coroutines in Lua (`tools/gallery/lua/demo.lua`); closures, exceptions, BigInt,
regular expressions and promises in JavaScript (`tools/gallery/quickjs/demo.js`). `make gallery`
fetches their sources; nothing of theirs is in the repository.
"""
_AGAIN = """\
## Run it again

| suite | command | commit | machine |
|---|---|---|---|
"""


def results() -> list[Values]:
    """Return the result files, by name; CoreMark's is one of the benchmarks."""
    paths = [*RESULTS.glob("*.json"), *BENCHMARKS.glob("coremark.json")]
    by_name = sorted(paths, key=lambda path: path.name)
    return [json.loads(path.read_text(encoding="utf-8")) for path in by_name]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def figures(rows: Sequence[Values]) -> tuple[object, ...]:
    """Return instructions, steps, steps per instruction and CPU seconds of rows together."""
    instructions, steps = (sum(row[key] for row in rows) for key in ("instructions", "steps"))
    seconds = round(sum(row["cpu_seconds"] for row in rows))
    return instructions, steps, steps / instructions if instructions else "", seconds


FIGURES = ("instructions", "steps", "steps per instruction", "CPU s")


def scoreboard(suites: Iterable[Values]) -> str:
    """Return one line per suite: what became of its programs."""
    lines = []
    for suite in suites:
        counts = [sum(row["verdict"] == verdict for row in suite["rows"]) for verdict in VERDICTS]
        lines.append((suite["suite"], len(suite["rows"]), *counts, *figures(suite["rows"])))
    return table(("suite", "runs", *VERDICTS, *FIGURES), lines)


def refusals(suites: Iterable[Values]) -> str:
    """Return the programs that are not right, and why."""
    rows = [(suite["suite"], row) for suite in suites for row in suite["rows"]]
    lines = [
        (suite, row["program"], row["verdict"], row["why"].replace("|", "\\|"))
        for suite, row in rows
        if row["verdict"] != "right"
    ]
    if not lines:
        return "Nothing was wrong, and nothing was refused.\n"
    return table(("suite", "program", "verdict", "why"), lines)


def metamath(suite: Values) -> str:
    """Return the section about proofs."""
    lines = [
        (row["program"], row["detail"], row["verdict"], *figures([row])) for row in suite["rows"]
    ]
    head = ("database", "what the verifier prints", "verdict", *FIGURES)
    return f"{_METAMATH}\n{table(head, lines)}"


def csmith(suite: Values) -> str:
    """Return the section about random programs."""
    levels: dict[str, list[Values]] = {}
    for row in suite["rows"]:
        levels.setdefault(row["program"].split()[1], []).append(row)
    lines = [
        (f"`{level}`", len(rows), sum(row["verdict"] == "right" for row in rows), *figures(rows))
        for level, rows in sorted(levels.items())
    ]
    head = ("level", "runs", "right", *FIGURES)
    return f"{_CSMITH.format_map(suite)}\n{table(head, lines)}"


def doom(suite: Values) -> str:
    """Return the section about Doom."""
    lines = [(row["program"], row["verdict"], *figures([row])) for row in suite["rows"]]
    head = ("program", "verdict", *FIGURES)
    return f"{_DOOM.format_map(suite)}\n{table(head, lines)}"


def coremark(suite: Values) -> str:
    """Return the section about CoreMark."""
    text = _COREMARK.format_map({**suite, "prints": "\n".join(suite["prints"])})
    lines = [
        (row["program"], row["verdict"], *figures([row])[:3], float(row["cpu_seconds"]))
        for row in suite["rows"]
    ]
    lines += [(name, "", "", "", "", float(spent)) for name, spent in suite["peers"].items()]
    return f"{text}\n{table(('run', 'verdict', *FIGURES), lines)}"


def gallery(suite: Values) -> str:
    """Return the section about interpreters."""
    lines = [
        (row["program"], row["detail"], row["verdict"], *figures([row])) for row in suite["rows"]
    ]
    return f"{_GALLERY}\n{table(('program', 'source', 'verdict', *FIGURES), lines)}"


SECTIONS = {
    "CoreMark": coremark,
    "Doom": doom,
    "Gallery": gallery,
    "Metamath": metamath,
    "csmith": csmith,
}


def render(suites: Sequence[Values]) -> str:
    """Return the whole page."""
    parts = [_INTRODUCTION, scoreboard(suites), refusals(suites)]
    parts += [SECTIONS[suite["suite"]](suite) for suite in suites if suite["suite"] in SECTIONS]
    again = _AGAIN
    for suite in suites:
        machine = f"{suite['machine']['cpu']}, {suite['machine']['cores']} cores"
        again += f"| {suite['suite']} | `{suite['command']}` | {suite['commit']} | {machine} |\n"
    again += """
CPU seconds are those of the run with its compilation to fast code, without that of the C source,
except where the section says more.
`make outside` runs all suites with fresh seeds and writes this page. Debian packages: `csmith
libcsmith-dev gcc-multilib metamath metamath-databases freedoom`. A fixed dozen of csmith's
programs is a slow test.
"""
    return "\n".join([*parts, again])


def write() -> None:
    """Write the page."""
    PAGE.write_text(render(results()), encoding="utf-8")


if __name__ == "__main__":
    write()
