"""The table of compared steps in docs/loom.md, from the files that `every_step` wrote.

    python -m tests.machines.loom.steps_page FILE...

writes them into docs/benchmarks/loom-steps.json, and the table anew; without a FILE the table
alone.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
KEPT = DOCS / "benchmarks" / "loom-steps.json"
PAGE = DOCS / "loom.md"
MARKS = ("<!-- every step: measured, do not edit -->\n", "<!-- end of every step -->\n")
_INTRODUCTION = """\
**Every step on the dense engines.** `python -m tests.machines.loom.every_step ENGINE` cuts each run
into segments. A segment starts from the interpreter's state and continues from the engine's own.
After every step, every number of the state is compared with the interpreter's
([loom-steps.json](benchmarks/loom-steps.json) has the figures of each program):
"""
_HEADER = """\
| engine | attention | on | programs whole | steps compared | of all | differing | seconds |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
"""
Run = dict[str, Any]


def table(runs: Sequence[Run]) -> str:
    """The paragraphs and the table of these runs; nothing where there are none."""
    if not runs:
        return ""
    return "\n" + "\n".join([_INTRODUCTION, _HEADER + "".join(map(_line, runs)), *_notes(runs), ""])


def _line(run: Run) -> str:
    programs, name = run["programs"], run["engine"]
    steps, compared, wrong = (
        sum(one[key] for one in programs) for key in ("steps", "compared", "mismatches")
    )
    whole = len(programs) - len(_parts(run))
    place = run["device"] if run["jobs"] == 1 else f"{run['jobs']} processes"
    cells = (f"`{name}`", run["attention"], place, f"{whole} of {len(programs)}")
    numbers = (f"{number:,}" for number in (compared, steps, wrong, round(run["seconds"])))
    return f"| {' | '.join((*cells, *numbers))} |\n"


def _parts(run: Run) -> list[Run]:
    """The programs of which some steps were not compared."""
    return [one for one in run["programs"] if one["compared"] < one["steps"]]


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        if parts := _parts(run):
            said = (f"{p['compared']:,} of {p['steps']:,} in {p['program']}" for p in parts)
            yield f"Steps compared on `{run['engine']}` ({run['attention']}): {', '.join(said)}.\n"
    versions = sorted({run["version"] for run in runs})
    cores = sorted({f"{run['machine']['cpu']} ({run['machine']['cores']} cores)" for run in runs})
    commits = sorted({run["machine"]["commit"] for run in runs})
    yield f"With {', '.join(versions)}; {', '.join(cores)}; commit {', '.join(commits)}.\n"


def replaced(page: str, block: str) -> str:
    """A page with another text between the marks."""
    before, rest = page.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return before + MARKS[0] + block + MARKS[1] + after


def kept() -> list[Run]:
    """The runs that the repository has."""
    if not KEPT.exists():
        return []
    found: list[Run] = json.loads(KEPT.read_text(encoding="utf-8"))["runs"]
    return found


def main(files: Sequence[str]) -> None:
    if files:
        runs = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
        KEPT.write_text(json.dumps({"runs": runs}, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), table(kept())), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
