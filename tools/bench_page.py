"""docs/benchmarks.md, written from the JSON files in docs/benchmarks.

`python -m tools.bench_page` writes it again after `make bench`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from textwrap import fill
from typing import Any

from tools.figures import DOCS, load
from transputer.check.bench.runners import TIMES

Row = dict[str, Any]
#: Engines that run the weights, as the report names them.
WEIGHTS = ("native", "lifted", "torch", "reference")
_INTRODUCTION = """# Benchmarks

This page compares the engines with each other, with an interpreter and with compilers.

`transputer bench` runs the same C programs (`examples/bench`) on all of them. wasmtime, which is
independent of this project, computes each answer first. Every other answer must be equal before
anything is timed, and the timed answers are compared too. Times are CPU seconds of one core. Slow
engines run a smaller size of the same program, as the table says; nothing is extrapolated. What is
not installed is skipped and named.

```sh
transputer bench            # programs on everything that runs them
transputer bench frames     # how fast games are
transputer bench commands   # whole commands, from start to answer
transputer bench streams    # programs that read and write, and each byte
transputer bench lookup     # one lookup among 10^2 to 10^7 keys
transputer bench ops        # every instruction
transputer bench loom       # the loom machine; its table is in loom.md
make bench                  # all of them, saved and plotted, and this page rewritten
```

`--quick` takes less than a minute (`commands`: some minutes), `--json` prints JSON,
`--output DIR` saves and plots.
"""
_COSTS = """
Compilers may execute less than the instruction count suggests: they remove loads and unroll loops,
and the rate still counts the instructions of the program as written. If you only want the answer,
run the program directly. What the weights offer is different: a transformer that has the program in
its context and executes it exactly, and whose every step can be inspected, checked and built upon.
"""


#: The reports that the page is made of, by name.
REPORTS = ("programs", "commands", "streams", "frames", "lookup", "ops")


def reports() -> dict[str, dict[str, Any]]:
    """The committed `REPORTS` by name."""
    return {name: load(f"benchmarks/{name}") for name in REPORTS}


def page(reports: Mapping[str, dict[str, Any]]) -> str:
    """The page of the `REPORTS`, as their JSON has them."""
    programs = reports["programs"]
    host = programs["machine"]
    pieces = [
        _INTRODUCTION,
        f"Measured on: {host['cpu']}, {host['cores']} cores, {host['architecture']}, Python "
        f"{host['python']}, commit {host['commit']};\nload average "
        f"{host['load'][0]} at the start.\n",
        *_programs(programs["rows"]),
        *_skipped(programs["notes"]),
        *_steps(_of(programs["rows"], "native")),
        _billion(),
        *_lifted(programs["rows"]),
        *_commands(reports["commands"]),
        *_streams(reports["streams"]),
        *_frames(reports["frames"]),
        *_lookup(reports["lookup"]["rows"]),
        *_ops(reports["ops"]["rows"]),
        *_peers(_of(programs["rows"], "native")),
        *_direct(programs["rows"]),
    ]
    return "\n".join(pieces)


def _billion() -> str:
    about = load("results/reported")["billion"]
    values = about["values"]
    text = (
        f"One run of {values['instructions']:,} instructions was measured separately "
        f"(`{about['command']}`, commit {about['commit']}): it took {values['CPU s']:g} s of CPU "
        f"time and at most {values['MB']} MB; see "
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
    shown = "; ".join(f"{e}: {', '.join(sorted(sizes[e]))}" for e in engines)
    yield f"Sizes, by steps: {shown}. An empty cell means that no size of the program is"
    yield (
        "small enough, or that the engine is not installed. "
        "[programs.json](benchmarks/programs.json) has all columns.\n"
    )


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
            "memory with the trace kept (23 bytes per token);\nsmall runs reuse memory that the "
            "process already had.\n"
        )


def _lifted(rows: list[Row]) -> Iterator[str]:
    """Lifted code against an interpreter and a compiler, where all were measured."""
    rates = {
        engine: {row["program"]: row["instructions/s"] for row in _of(rows, engine)}
        for engine in ("lifted", "pywasm3", "wasmtime")
    }
    names = [name for name in rates["lifted"] if all(name in rated for rated in rates.values())]
    if not names:
        return

    def ahead(engine: str, share: float) -> int:
        return sum(rates["lifted"][name] >= share * rates[engine][name] for name in names)

    yield "## `lifted` against an interpreter and a compiler\n"
    yield fill(
        "pywasm3 is a WebAssembly interpreter written in C, wasmtime a compiler. Millions of "
        "instructions per second of CPU time, once the code of hot nodes is there, the same sizes "
        f"as above, the best of {TIMES} times each: [lifted](lifted.md) is faster than pywasm3 on "
        f"{ahead('pywasm3', 1)} of {len(names)} programs, and has at least a third of wasmtime's "
        f"speed on {ahead('wasmtime', 1 / 3)}, half of it on {ahead('wasmtime', 1 / 2)}.",
        98,
    )
    yield ""
    lines = (
        [
            name,
            *(_number(rates[engine][name] / 1e6) for engine in rates),
            *(f"{rates['lifted'][name] / rates[e][name]:.2f}" for e in ("pywasm3", "wasmtime")),
        ]
        for name in names
    )
    yield _table(["program", *rates, "of pywasm3's", "of wasmtime's"], lines)


def _commands(report: dict[str, Any]) -> Iterator[str]:
    """What a user waits for."""
    yield "## Whole commands\n\n![commands](benchmarks/commands.svg)\n"
    host = report["machine"]
    yield (
        f"CPU seconds from the command to its answer, start-up included (commit {host['commit']}, "
        f"load\naverage {host['load'][0]} at the start). An empty cell was not run.\n"
    )
    columns = [name for name in report["rows"][0] if name not in ("program", "length", "n")]
    lines = ([row["program"], row["length"], *(_number(row[c]) for c in columns)]
             for row in report["rows"])  # fmt: skip
    yield _table(["program", "steps", *columns], lines)
    yield _listed(report["notes"])


def _streams(report: dict[str, Any]) -> Iterator[str]:
    """What input and output take."""
    yield "## Input and output\n"
    yield from _measured(report, "CPU seconds of commands, and nanoseconds of CPU time.")


def _frames(report: dict[str, Any]) -> Iterator[str]:
    """How fast games are."""
    yield "## Frames of games\n"
    yield from _measured(report, "A second is one of CPU time.")


def _measured(report: dict[str, Any], units: str) -> Iterator[str]:
    """A report with all its columns, the first of which has names."""
    host, columns = report["machine"], [*report["rows"][0]]
    yield fill(
        f"`transputer bench {report['bench']}` (commit {host['commit']}, load average "
        f"{host['load'][0]} at the start). {units}",
        98,
    )
    yield ""
    yield _table(columns, ([row[columns[0]], *(_number(row[c]) for c in columns[1:])]
                           for row in report["rows"]))  # fmt: skip
    yield _listed(report["notes"])


def _listed(notes: list[str]) -> str:
    return "\n".join(f"* {fill(note, 96, subsequent_indent='  ')}" for note in notes) + "\n"


def _lookup(rows: list[Row]) -> Iterator[str]:
    kinds = list(dict.fromkeys(row["lookup"] for row in rows))
    cost = {(_decade(row["keys"]), row["lookup"]): row["µs per step"] for row in rows}
    yield "## One lookup among t keys\n\n![lookup](benchmarks/lookup.svg)\n"
    lines = ([f"10^{d}", *(_number(cost.get((d, k))) for k in kinds)]
             for d in sorted({d for d, _ in cost}))  # fmt: skip
    yield _table(["keys, about", *(f"{kind}, µs per step" for kind in kinds)], lines)
    yield (
        "`table`: the address was written, and a hash table finds it. `hull`: it was not, and a "
        "tree finds the\nnearest. `scan` compares with every key, as textbook attention does.\n"
    )


def _decade(count: int) -> int:
    return round(math.log10(count))


def _ops(rows: list[Row]) -> Iterator[str]:
    ran = [row for row in rows if row["steps"] is not None]
    by_steps: dict[int, list[str]] = {}
    for row in ran:
        by_steps.setdefault(round(row["steps"]), []).append(f"`{row['instruction']}`")
    single = len(by_steps.pop(1, []))
    yield "## Every instruction\n"
    yield (
        f"{single} instructions take one step. The others, with operands on the stack (bulk "
        "instructions on one word):\n"
    )
    lines = ([str(steps), ", ".join(names)] for steps, names in sorted(by_steps.items()))
    yield _table(["steps", "instructions"], lines, "---")
    refused = len(rows) - len(ran)
    yield f"{refused} is not measured; [ops.json](benchmarks/ops.json) says why.\n"


def _peers(rows: list[Row]) -> Iterator[str]:
    rates = [row["instructions/s"] for row in rows]
    ours = f"{_number(median(rates))} (median), {_number(min(rates))} (least)"
    per = [row["steps"] / row["instructions"] for row in rows]
    memory = _number(max(row["bytes/step"] or 0 for row in rows))
    run, bench = "`transputer run … --no-trace`", "`transputer bench`"
    yield "## Against peers\n"
    yield "Published figures, or figures measured on one core of a similar machine.\n"
    lines = [
        ("transformer-vm", "3,800 WebAssembly instructions per second", ours, bench),
        ("", "4.9 to 9.5 tokens per instruction",
         f"{min(per):.2f} to {max(per):.2f} steps, median {median(per):.2f}", bench),
        ("", "1.7 KB of memory per token", f"{memory} bytes at most; constant without trace", run),
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
    yield "The speed of running a program directly, relative to an engine on the weights.\n"
    lines = []
    for name in (n for n in WEIGHTS if _of(rows, n)):
        rates = {row["program"]: row["instructions/s"] for row in _of(rows, name)}
        for direct in ("pywasm3", "wasmtime", "native C"):
            ratios = [row["instructions/s"] / rates[row["program"]] for row in _of(rows, direct)
                     if row["program"] in rates]  # fmt: skip
            if ratios:
                least, most, middle = map(_number, (min(ratios), max(ratios), median(ratios)))
                lines.append((direct, f"`{name}`", least, most, middle))
    yield _table(["directly on", "against", "minimum", "maximum", "median"], lines)
    yield _COSTS.lstrip("\n")


def main() -> None:
    """Write the page of this checkout."""
    (DOCS / "benchmarks.md").write_text(page(reports()), encoding="utf-8")


if __name__ == "__main__":
    main()
