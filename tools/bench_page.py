"""docs/benchmarks.md, written from the JSON files in docs/benchmarks.

`python -m tools.bench_page` writes it again after `make bench`.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from tools.figures import load

Row = dict[str, Any]
#: Engines that run the weights, as the report names them.
WEIGHTS = ("native", "lifted", "torch", "reference")
_INTRODUCTION = """# Benchmarks

`transputer bench` runs the same C programs (`examples/bench`) on every engine, on an interpreter
and on compilers. An answer is computed first by wasmtime, which knows nothing of this project;
every other answer has to be equal before anything is timed, and the timed answers are compared
too. Times are CPU seconds of one core. Engines that are slow run a smaller size of the same
program, which the table says; nothing is extrapolated. What is not installed is skipped and named.

```sh
transputer bench            # programs on everything that runs them
transputer bench lookup     # one lookup among 10^2 to 10^7 keys
transputer bench ops        # every instruction
transputer bench loom       # the loom machine; its table is in loom.md
make bench                  # all of them, saved and drawn, and this page written again
```

`--quick` takes less than a minute, `--json` prints JSON, `--output DIR` saves and draws.
"""
_COSTS = """
Compilers may do less than the instructions say: they remove loads and unroll loops, and the rate
still counts the instructions of the program as written. Whoever only wants the answer should run
the program directly. What the weights buy is something else: a transformer that has the program in
its context and executes it exactly, whose every step can be looked at, checked and built upon.
"""


def page(programs: dict[str, Any], lookup: dict[str, Any], ops: dict[str, Any]) -> str:
    """The page of three reports, as their JSON has them."""
    held = programs["machine"]
    pieces = [
        _INTRODUCTION,
        f"Measured on: {held['cpu']}, {held['cores']} cores, {held['architecture']}, Python "
        f"{held['python']}, commit {held['commit']};\nload {held['load']} when it began. On a "
        f"machine that is busy with other work, CPU times are longer.\n",
        *_programs(programs["rows"]),
        *_skipped(programs["notes"]),
        *_steps(_of(programs["rows"], "native")),
        _billion(),
        *_lifted(_of(programs["rows"], "lifted"), _of(programs["rows"], "pywasm3")),
        *_lookup(lookup["rows"]),
        *_ops(ops["rows"]),
        *_peers(_of(programs["rows"], "native")),
        *_direct(programs["rows"]),
    ]
    return "\n".join(pieces)


def _billion() -> str:
    about = load("results/reported")["billion"]
    values = about["values"]
    text = (
        f"One run of {values['instructions']:,} instructions was measured separately "
        f"(`{about['command']}`, commit {about['commit']}): `--engine native --no-trace` took "
        f"{values['native s']:g} s of CPU time and at most {values['native MB']} MB, `--engine "
        f"lifted` {values['lifted s']:g} s and {values['lifted MB']} MB; see "
        "[lifted.md](lifted.md)."
    )
    return fill(text, 98, break_long_words=False, break_on_hyphens=False) + "\n"


def _of(rows: Iterable[Row], engine: str) -> list[Row]:
    return [row for row in rows if row["engine"] == engine]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], side: str = "---:") -> str:
    lines = [head, ["---", *[side] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _programs(rows: list[Row]) -> Iterator[str]:
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    rates = {(row["program"], row["engine"]): row["instructions/s"] for row in rows}
    yield "## Instructions per second of CPU time\n\n![programs](benchmarks/programs.svg)\n"
    names = dict.fromkeys(row["program"] for row in rows)
    lines = ([name, *(_number(rates.get((name, e))) for e in engines)] for name in names)
    yield _table(["program", *engines], lines)
    sizes = {e: {row["size"] for row in _of(rows, e)} for e in engines}
    said = "; ".join(f"{e}: {', '.join(sorted(sizes[e]))}" for e in engines)
    yield f"Sizes, by steps: {said}. An empty cell: no size of the program is small enough,"
    yield "or the engine is not there. [programs.json](benchmarks/programs.json) has all columns.\n"


def _skipped(notes: list[str]) -> Iterator[str]:
    yield from (f"{note[0].upper()}{note[1:]}.\n" for note in notes if note.startswith("skipped"))


def _steps(rows: list[Row]) -> Iterator[str]:
    columns = ("µs/step 10^4", "µs/step 10^6", "µs/step 10^7", "lookups/step", "bytes/step")
    yield "## `native`, step by step\n"
    lines = ([row["program"], f"{row['steps']:,}", *(_number(row[c]) for c in columns)]
             for row in rows)  # fmt: skip
    yield _table(["program", "steps", *columns], lines)
    ratios = [row[columns[2]] / row[columns[0]] for row in rows if row[columns[0]]]
    if ratios:
        yield (
            f"A step at 10^7 steps costs {min(ratios):.2f} to {max(ratios):.2f} times one at 10^4, "
            "which includes loading the\nprogram. Bytes per step are the growth of resident "
            "memory with the trace kept, which takes 23;\nsmall runs reuse what the process had.\n"
        )


def _lifted(ours: list[Row], theirs: list[Row]) -> Iterator[str]:
    """The formulas of the weights against an interpreter, where both were measured."""
    rates = {row["program"]: row["instructions/s"] for row in theirs}
    pairs = [(row["program"], row["instructions/s"], rates[row["program"]])
             for row in ours if row["program"] in rates]  # fmt: skip
    if not pairs:
        return
    ahead = sum(lifted >= other for _, lifted, other in pairs)
    yield "## `lifted` against an interpreter\n"
    yield (
        "pywasm3 interprets WebAssembly, written in C. Millions of instructions per second of CPU "
        f"time, the\nsame sizes as above; [lifted](lifted.md) is ahead on {ahead} of "
        f"{len(pairs)} programs.\n"
    )
    lines = ([name, _number(lifted / 1e6), _number(other / 1e6), f"{lifted / other:.2f}"]
             for name, lifted, other in pairs)  # fmt: skip
    yield _table(["program", "lifted", "pywasm3", "ratio"], lines)


def _lookup(rows: list[Row]) -> Iterator[str]:
    kinds = list(dict.fromkeys(row["lookup"] for row in rows))
    cost = {(_decade(row["keys"]), row["lookup"]): row["µs per step"] for row in rows}
    yield "## One lookup among t keys\n\n![lookup](benchmarks/lookup.svg)\n"
    lines = ([f"10^{d}", *(_number(cost.get((d, k))) for k in kinds)]
             for d in sorted({d for d, _ in cost}))  # fmt: skip
    yield _table(["keys, about", *(f"{kind}, µs per step" for kind in kinds)], lines)
    yield (
        "`table`: an address that was written; a hash table finds it. `hull`: an address that was "
        "not; a tree\nfinds the nearest. `scan` looks at every key, as textbook attention does.\n"
    )


def _decade(count: int) -> int:
    return round(math.log10(count))


def _ops(rows: list[Row]) -> Iterator[str]:
    ran = [row for row in rows if row["steps"] is not None]
    more = [f"`{row['instruction']}` {row['steps']:g}" for row in ran if row["steps"] >= 1.5]
    none = [f"`{row['instruction']}`" for row in ran if row["steps"] < 0.5]
    one = len(ran) - len(more) - len(none)
    yield "## Every instruction\n"
    yield f"{one} instructions take one step; {', '.join(none)} take none."
    yield f"More, bulk instructions of one word with their routine: {', '.join(more)}."
    refused = len(rows) - len(ran)
    yield f"{refused} are refused, each with its reason in [ops.json](benchmarks/ops.json).\n"


def _peers(rows: list[Row]) -> Iterator[str]:
    rates = [row["instructions/s"] for row in rows]
    ours = f"{_number(median(rates))} (median), {_number(min(rates))} (least)"
    per = [row["steps"] / row["instructions"] for row in rows]
    held = _number(max(row["bytes/step"] or 0 for row in rows))
    run, bench = "`transputer run … --no-trace`", "`transputer bench`"
    yield "## Against peers\n"
    yield "What peers publish, or what was measured of them on one core of a like machine.\n"
    lines = [
        ("transformer-vm", "3,800 WebAssembly instructions per second", ours, bench),
        ("", "4.9 to 9.5 tokens per instruction",
         f"{min(per):.2f} to {max(per):.2f} steps, median {median(per):.2f}", bench),
        ("", "1.7 KB of memory per token", f"{held} bytes at most; constant without a trace", run),
        ("", "a variable multiplication takes 57,000 tokens, a shift 38,000, `and` 4,500",
         "1 step each", "`transputer bench ops`"),
        ("", "two builds differ from token 1,671,695 on", "engines are equal, by proven bounds",
         "`transputer audit`"),
        ("llm-as-computer", "79 to 3,800 steps per second, quadratic in length", ours, bench),
        ("", "67 to 126 million steps per second on a path that runs no attention",
         "not compared: no weights take part", ""),
        ("Loom", "0.5 to 38 steps per second", ours, bench),
    ]  # fmt: skip
    yield _table(["peer", "theirs", "ours, `native`", "command"], lines, "---")


def _direct(rows: list[Row]) -> Iterator[str]:
    yield "## What the transformer costs\n"
    yield "How many times as fast a program runs directly, in this run; below 1, it is slower.\n"
    lines = []
    for name in (n for n in WEIGHTS if _of(rows, n)):
        rates = {row["program"]: row["instructions/s"] for row in _of(rows, name)}
        for direct in ("pywasm3", "wasmtime", "native C"):
            found = [row["instructions/s"] / rates[row["program"]] for row in _of(rows, direct)
                     if row["program"] in rates]  # fmt: skip
            if found:
                least, most, middle = map(_number, (min(found), max(found), median(found)))
                lines.append((direct, f"`{name}`", least, most, middle))
    yield _table(["directly on", "against", "at least, times", "at most", "median"], lines)
    yield _COSTS.lstrip("\n")


def main() -> None:
    """Write the page of this checkout."""
    folder = Path(__file__).parents[1] / "docs"
    reports = [
        json.loads((folder / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("programs", "lookup", "ops")
    ]
    (folder / "benchmarks.md").write_text(page(*reports), encoding="utf-8")


if __name__ == "__main__":
    main()
