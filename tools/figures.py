"""Figures in Markdown pages, filled in from committed result files.

`python -m tools.figures` (part of `make docs`) rewrites the pages; with `--check` it only prints
what disagrees and exits 1. A page names a figure between two invisible comments:

    The model has <!--=sizes.heads-->10<!--/--> heads.
    Native runs <!--=native.median:3s-->725,000<!--/--> instructions per second.

A name is one of these:

* `RESULT.key`: a value of `docs/results/RESULT.json`, which `tools/measure.py` writes, or of the
  entry RESULT of `docs/results/reported.json`, for what takes too long to measure again;
* a summary or table that is defined in this file (`SUMMARIES`);
* `DIR/FILE#path`: a value of another file below `docs`, such as
  `benchmarks/programs#rows[program=sudoku,engine=native].steps`.

A format may follow after a colon: `3s` is three significant digits, `%` a percentage with one
decimal, anything else a Python format specification. Integers get thousands separators.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
FIGURE = re.compile(r"<!--=([^>]*?)-->(.*?)<!--/-->", re.DOTALL)
_STEP = re.compile(r"([^.\[\]]+)((?:\[[^\]]*\])*)(?:\.|$)")
_FORMAT = re.compile(r"(.*?)(?::([^:\]#= ]*))?")
Row = dict[str, Any]


class UnknownFigure(Exception):
    """A page names a figure that no result file has."""


@cache
def load(name: str) -> Any:
    """The JSON file `docs/NAME.json`."""
    path = DOCS / f"{name}.json"
    if not path.is_file():
        raise UnknownFigure(f"docs/{name}.json does not exist")
    return json.loads(path.read_text(encoding="utf-8"))


def reported() -> dict[str, Any]:
    """Results that were measured once, by name; a result file of the same name replaces one."""
    entries: dict[str, Any] = load("results/reported")
    return entries


def follow(value: Any, path: str) -> Any:
    """The value at `path`: keys separated by dots, rows as `[key=value,...]` or `[index]`."""
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise UnknownFigure(f"cannot read the path {path!r}")
        position = step.end()
        if not isinstance(value, dict) or step[1] not in value:
            raise UnknownFigure(f"no {step[1]!r} in {path!r}")
        value = value[step[1]]
        for choice in re.findall(r"\[([^\]]*)\]", step[2]):
            value = _choose(value, choice, path)
    return value


def _choose(rows: Any, choice: str, path: str) -> Any:
    if not isinstance(rows, list):
        raise UnknownFigure(f"{path!r} chooses a row of something that is not a list")
    if "=" not in choice:
        return rows[int(choice)]
    wanted = dict(pair.split("=", 1) for pair in re.split(r",(?=[^,=]+=)", choice))
    chosen = [row for row in rows if all(str(row.get(k)) == v for k, v in wanted.items())]
    if len(chosen) != 1:
        raise UnknownFigure(f"{path!r} matches {len(chosen)} rows")
    return chosen[0]


def value_of(name: str) -> Any:
    """The value of a figure; `UnknownFigure` if there is none of that name."""
    if "#" in name:
        file, _, path = name.partition("#")
        return follow(load(file), path)
    if name in SUMMARIES:
        return SUMMARIES[name]()
    result, _, path = name.partition(".")
    if result not in reported() or (RESULTS / f"{result}.json").is_file():
        about = load(f"results/{result}")
    else:
        about = reported()[result]
    return follow(about["values"], path)


def shown(value: Any, how: str | None) -> str:
    """A value as the page shows it."""
    if isinstance(value, str):
        return value
    if how is None:
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    if how == "%":
        return f"{value:.1f} %"
    if how.endswith("s") and how[:-1].isdigit():
        return significant(value, int(how[:-1]))
    return format(value, how)


def significant(value: float, digits: int) -> str:
    """A number rounded to some significant digits, without an exponent."""
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded >= 10 ** (digits - 1):
        return f"{rounded:,.0f}"
    return f"{rounded:.{digits}g}"


def filled(text: str) -> tuple[str, list[str]]:
    """The text with every figure as the result files have it, and what was wrong with it."""
    problems: list[str] = []

    def fill(match: re.Match[str]) -> str:
        parts = _FORMAT.fullmatch(match[1])
        assert parts is not None
        try:
            new = shown(value_of(parts[1]), parts[2])
        except UnknownFigure as error:
            problems.append(f"{match[1]}: {error}")
            return match[0]
        if new != match[2]:
            old, right = (repr(text.strip()[:60]) for text in (match[2], new))
            problems.append(f"{match[1]}: the page says {old}, the results {right}")
        return f"<!--={match[1]}-->{new}<!--/-->"

    return FIGURE.sub(fill, text), problems


def pages() -> list[Path]:
    """Every Markdown page that may hold figures."""
    return sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md"), *ROOT.glob("examples/**/README.md")])


# Tables and summaries of larger reports


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown between empty lines, so that a page can have it as a figure."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n\n" + "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n\n"


def _programs(engine: str) -> list[Row]:
    return [row for row in load("benchmarks/programs")["rows"] if row["engine"] == engine]


def _rates(engine: str) -> list[float]:
    return [row["instructions/s"] for row in _programs(engine)]


def _steps_per_instruction() -> list[float]:
    return [row["steps"] / row["instructions"] for row in _programs("native")]


def _bytes_per_step() -> list[float]:
    return [row["bytes/step"] for row in _programs("native") if row["bytes/step"]]


def _rate(program: str, engine: str) -> float:
    (row,) = [row for row in _programs(engine) if row["program"] == program]
    return float(row["instructions/s"])


def _times(one: str, two: str) -> list[float]:
    """How many times as fast one engine is as another, program by program."""
    return [row["instructions/s"] / _rate(row["program"], two) for row in _programs(one)]


def _loom(engine: str) -> dict[str, float]:
    rows = load("benchmarks/loom")["rows"]
    return {row["program"]: row["steps/s"] for row in rows if row["engine"] == engine}


def _loom_steps() -> int:
    runs = load("benchmarks/loom-steps")["runs"]
    return int(max(sum(program["steps"] for program in run["programs"]) for run in runs))


def _specialize() -> str:
    values = load("results/specialize")["values"]
    models = {"universal": values["universal"]} | values["programs"]
    sizes = ("layers", "lanes", "heads", "neurons", "nonzeros in layers", "nonzeros in tables")
    rows: list[list[str]] = [[name, *(f"{m[name]:,}" for m in models.values())] for name in sizes]
    programs = list(values["programs"].values())

    def more(title: str, form: Callable[[Row], str]) -> None:
        rows.append([title, "", *map(form, programs)])

    more("time to specialise, CPU s", lambda p: f"{p['seconds']:.1f}")
    more("arguments", lambda p: " ".join(p["arguments"]))
    more("steps", lambda p: f"{p['steps']:,}")
    more("boot steps", lambda p: f"{p['boot']:,}")
    more("universal model, CPU s", lambda p: f"{p['universal s']:.3g}")
    more("specialised model, CPU s", lambda p: f"{p['specialised s']:.3g}")
    more("speed-up", lambda p: f"{p['universal s'] / p['specialised s']:.2f}×")
    return table(["", *models], rows)


def _steps() -> str:
    """Steps per instruction, beside those with numbers lowered to 32-bit words."""
    lowered = reported()["steps-lowered"]["values"]
    rows = []
    for name, row in load("results/steps")["values"].items():
        before = lowered.get(name)  # not every program was measured then
        rows.append(
            (
                f"`{name}`" if name.endswith(".c") else name,
                *(f"{row[key]:,}" for key in ("instructions", "steps")),
                f"{before['steps']:,}" if before else "not measured",
                f"{row['steps'] / row['instructions']:.2f}",
                f"{before['steps'] / before['instructions']:.2f}" if before else "not measured",
            )
        )
    counts = ["steps", "steps, lowered", "steps per instruction", "lowered"]
    return table(["program", "instructions", *counts], rows)


def _loom_learning() -> str:
    """Networks with and without the loom machine: means over seeds, with intervals."""
    rows = []
    for row in load("results/loom-learning")["values"]["rows by network"]:
        counts = (f"{row[name]:,}" for name in ("lists", "parameters", "updates"))
        shares = (
            f"{row[name]:.1f} ({row[f'{name} low']:.1f} to {row[f'{name} high']:.1f})"
            for name in ("right %", "broken %")
        )
        rows.append((row["network"], *counts, *shares, f"{row['cpu s']:.0f}"))
    head = ["network", "lists", "parameters", "updates", "right, %", "rules broken, %", "CPU s"]
    return table(head, rows)


def _compilers() -> str:
    """Instructions that the published compiler and ours make of the same sources."""
    values = load("results/compilers")["values"]
    rows = [
        (row["program"], row["published"], row["ours"], f"{row['steps']:,}")
        for row in values["rows"]
    ]
    rows.append(("all", values["published"], values["ours"], ""))
    return table(["program", "published compiler", "ours", "steps of ours"], rows)


def _beyond_filling(side: str) -> int:
    """Instructions of the published sudoku apart from those that fill its grid."""
    rows = load("results/compilers")["values"]["rows"]
    (row,) = [row for row in rows if row["program"] == "sudoku9"]
    return int(row[side] - row[f"{side} filling"])


def _hostile() -> str:
    rows = reported()["hostile"]["rows"]
    return table(["program", "what happens", "CPU time", "memory"], rows)


def _studio() -> str:
    rows = reported()["studio"]["rows"]
    head = ["action", "CPU, median", "CPU, maximum", "wall clock, median", "wall clock, maximum"]
    return table(head, rows)


def _certificate() -> str:
    """Instructions with rows that the certificate's checker did not prove."""
    values = load("results/certificate")["values"]["not proved by instruction"]
    rows = [(f"`{name}`", *counts) for name, counts in values.items()]
    head = ["instruction", "not proved by the checker", "not checked", "proved by nothing", "rows"]
    return table(head, rows)


def _sources() -> str:
    """Where every result file comes from."""
    rows = []
    for name, about in sorted(_measurements()):
        machine = about["machine"]
        if isinstance(machine, dict):
            load_average = f", load {machine['load'][0]}" if machine.get("load") else ""
            commit = machine.get("commit", about.get("commit"))
            machine = f"{machine['cpu']}, {machine['cores']} cores{load_average}"
        else:
            commit = about["commit"]
        rows.append((name, f"`{about['command']}`", f"`{commit}`", machine))
    return table(["figures", "command", "commit", "machine"], rows)


def _measurements() -> Iterator[tuple[str, Row]]:
    for path in RESULTS.glob("*.json"):
        if path.name != "reported.json":
            about = load(f"results/{path.stem}")
            yield f"[{path.stem}](results/{path.name})", about
    for folder, name in (("benchmarks", "programs"), ("benchmarks", "lookup"),
                         ("benchmarks", "ops"), ("benchmarks", "loom"), ("words", "words"),
                         ("learning", "learn")):  # fmt: skip
        about = load(f"{folder}/{name}")
        bench = "" if name == "programs" else f" {name}"
        command = f"transputer bench{bench} --output docs/{folder}"
        yield f"[{name}]({folder}/{name}.json)", about | {"command": command}
    for name, about in reported().items():
        if not (RESULTS / f"{name}.json").is_file():
            yield name, about


#: Figures that are computed from a larger report, by name.
SUMMARIES: dict[str, Callable[[], Any]] = {
    "native.median": lambda: median(_rates("native")),
    "native.least": lambda: min(_rates("native")),
    "native.programs": lambda: len(_rates("native")),
    "native.steps_per_instruction.median": lambda: median(_steps_per_instruction()),
    "native.steps_per_instruction.most": lambda: max(_steps_per_instruction()),
    "native.bytes.least": lambda: min(_bytes_per_step()),
    "native.bytes.most": lambda: max(_bytes_per_step()),
    "lifted.countdown.millions": lambda: _rate("countdown", "lifted") / 1e6,
    "lifted.sudoku.millions": lambda: _rate("sudoku", "lifted") / 1e6,
    "pywasm3.countdown.millions": lambda: _rate("countdown", "pywasm3") / 1e6,
    "pywasm3.sudoku.millions": lambda: _rate("sudoku", "pywasm3") / 1e6,
    "lifted.median.millions": lambda: median(_rates("lifted")) / 1e6,
    "lifted.least.millions": lambda: min(_rates("lifted")) / 1e6,
    "wasmtime.times_lifted": lambda: median(_times("wasmtime", "lifted")),
    "loom.native.sudoku": lambda: _loom("native")["sudoku"],
    "loom.native.least": lambda: min(_loom("native").values()),
    "loom.native.programs": lambda: len(_loom("native")),
    "loom.lifted.sudoku.billions": lambda: _loom("lifted")["sudoku"] / 1e9,
    "loom.programs.steps": _loom_steps,
    "table.certificate": _certificate,
    "table.specialize": _specialize,
    "table.steps": _steps,
    "table.loom-learning": _loom_learning,
    "table.compilers": _compilers,
    "compilers.sudoku.published": lambda: _beyond_filling("published"),
    "compilers.sudoku.ours": lambda: _beyond_filling("ours"),
    "compilers.speed.published.millions": lambda: (
        load("results/compilers")["values"]["speed"]["published interpreter steps/s"] / 1e6
    ),
    "compilers.speed.lifted.millions": lambda: (
        load("results/compilers")["values"]["speed"]["lifted steps/s"] / 1e6
    ),
    "table.hostile": _hostile,
    "table.studio": _studio,
    "table.sources": _sources,
}


def main() -> None:
    """Write the pages again, or check them."""
    parser = argparse.ArgumentParser(description="Fill in the figures of the pages.")
    parser.add_argument("--check", action="store_true", help="Only say what disagrees.")
    check = parser.parse_args().check
    problems: list[str] = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new, wrong = filled(text)
        if not check and new != text:
            page.write_text(new, encoding="utf-8")
            wrong = filled(new)[1]  # what no result file has
        problems += [f"{page.relative_to(ROOT)}: {problem}" for problem in wrong]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
