"""`bench loom`: the loom machine's programs on every engine of looped models."""

import tempfile
from pathlib import Path

from transputer.check.bench.loom_speed import LoomCost, loom_costs
from transputer.check.bench.programs import Progress
from transputer.check.bench.report import Cell, Report, machine
from transputer.errors import UsageError

#: Programs of examples/loom: a short sort, two games, and millions of steps.
PROGRAMS = ("bubble", "snake", "raycaster", "sudoku")
#: A sort that takes long enough to be timed: a hundred numbers, the wrong way round.
SORT = """\
int a[100];

int main(void) {
    for (int i = 0; i < 100; i++)
        a[i] = 99 - i;
    for (int end = 99; end > 0; end--)
        for (int i = 0; i < end; i++)
            if (a[i + 1] < a[i])
                swap(a[i], a[i + 1]);
    return a[42];
}
"""
COLUMNS = ("program", "configuration", "engine", "steps", "CPU s", "steps/s", "ready s", "runs")


def measure(*, quick: bool = False, progress: Progress = lambda text: None) -> Report:
    """Return the table; `quick` leaves out the sudoku and takes a tenth of the time."""
    here = machine()
    folder = _sources(Path.cwd())
    examples = [folder / f"{name}.c" for name in PROGRAMS[: 3 if quick else 4]]
    rows: list[tuple[Cell, ...]] = []
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="transputer-bench-") as scratch:
        sort = Path(scratch, "sort100.c")
        sort.write_text(SORT, encoding="utf-8")
        for cost in loom_costs([sort, *examples], 0.1 if quick else 1.0, progress):
            if cost.missing:
                missing[cost.engine] = cost.missing
            else:
                rows.append(_row(cost))
    notes = [
        "Before an engine is timed, its steps are compared with the interpreter's (`oracle`): "
        "5,000 and the words at the end on native and lifted (native: of up to a million steps), "
        "4 on the dense ones. `ready` is what an engine needs before its first step.",
        *(f"skipped {name}: {why}" for name, why in missing.items()),
    ]
    return Report("loom", "The loom machine, steps per second", COLUMNS, rows, notes, here)


def _row(cost: LoomCost) -> tuple[Cell, ...]:
    rate = round(cost.steps / cost.seconds, 2 if cost.steps < cost.seconds * 100 else None)
    measured = (cost.steps, cost.seconds, rate, cost.ready)
    return (cost.program, cost.config, cost.engine, *measured, "whole" if cost.whole else "part")


def _sources(here: Path) -> Path:
    """Return the folder of the examples, in `here` or a parent of it."""
    for folder in (here, *here.parents):
        if (folder / "examples" / "loom" / "sudoku.c").is_file():
            return folder / "examples" / "loom"
    raise UsageError("bench loom needs examples/loom: run it in a checkout")
