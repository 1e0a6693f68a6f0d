"""Plots of reports, with matplotlib (the `bench` extra)."""

from pathlib import Path
from statistics import median
from typing import Any

from transputer.check.bench.report import Report
from transputer.errors import EngineUnavailable


def draw(report: Report, folder: Path) -> Path | None:
    """Write NAME.svg and return its path; None for a report without a plot."""
    painters = {"programs": _programs, "commands": _commands, "lookup": _lookup}
    painter = {**painters, "words-curve": _curves}.get(report.name)
    if painter is None or not report.rows:
        return None
    try:
        import matplotlib
    except ImportError:
        raise EngineUnavailable("no matplotlib; pip install 'transputer[bench]'") from None
    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 5.5))
    painter(axes, report.as_json()["rows"])
    machine = report.machine
    axes.set_title(report.title)
    about = f"{machine['cpu']}, {machine['architecture']}, one core; commit {machine['commit']}"
    figure.text(0.01, 0.01, about, fontsize=7)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    path = folder / f"{report.name}.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def _commands(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Draw the median over programs of what a whole command takes, by length of run."""
    lengths = list(dict.fromkeys(row["length"] for row in rows))
    for column in (name for name in rows[0] if name not in ("program", "length", "n")):
        middle = {
            length: median(some)
            for length in lengths
            if (some := [r[column] for r in rows if r["length"] == length and r[column]])
        }
        axes.semilogy([*middle], [*middle.values()], "o-", label=column)
    axes.set_xlabel("steps")
    axes.set_ylabel("CPU seconds of a whole command, median over programs")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8)


def _lookup(axes: Any, rows: list[dict[str, Any]]) -> None:
    for kind in dict.fromkeys(row["lookup"] for row in rows):
        some = [row for row in rows if row["lookup"] == kind]
        axes.loglog(
            [row["keys"] for row in some], [row["µs per step"] for row in some], "o-", label=kind
        )
    axes.set_xlabel("keys")
    axes.set_ylabel("CPU µs per step with one lookup")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()


def _curves(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Draw a line for each set; the lines of our own constructs are grey."""
    ours = "our own paraphrases, by construct"
    for name in dict.fromkeys(row["set"] for row in rows):
        some = [row for row in rows if row["set"] == name]
        line = [row["coverage %"] for row in some], [row["precision %"] for row in some]
        if name.startswith("ours:"):
            axes.plot(*line, color="0.8", linewidth=1, zorder=1, label=ours)
            ours = "_"  # once in the legend
        else:
            axes.plot(*line, label=name)
    axes.set_xlabel("coverage: problems answered, %")
    axes.set_ylabel("precision: of those, right, %")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8, loc="lower left")


def _programs(axes: Any, rows: list[dict[str, Any]]) -> None:
    programs = list(dict.fromkeys(row["program"] for row in rows))
    for engine in dict.fromkeys(row["engine"] for row in rows):
        some = [row for row in rows if row["engine"] == engine and row["instructions/s"]]
        places = [programs.index(row["program"]) for row in some]
        axes.semilogy(places, [row["instructions/s"] for row in some], "o", label=engine)
    axes.set_xticks(range(len(programs)), programs, rotation=40, ha="right")
    axes.set_ylabel("instructions per second of CPU time")
    axes.grid(True, axis="y", alpha=0.3)
    axes.legend(fontsize=8)
