"""`bench gpu`: what a CUDA device was measured to do; `tools/gpu` measures it."""

import json
from pathlib import Path
from typing import Any

from transputer.check.bench.report import Cell, Report
from transputer.errors import UsageError

#: What `tools/gpu/measure.py` wrote, committed with device, driver and commit.
RECORD = Path("docs/benchmarks/gpu-rows.json")


def measure(*, quick: bool = False, progress: Any = None) -> Report:
    """Return the committed measurements as a table; raise `UsageError` where there are none."""
    if not RECORD.exists():
        raise UsageError(f"{RECORD} is missing; tools/gpu/measure.py writes it on a CUDA machine")
    record = json.loads(RECORD.read_text())
    rows: list[tuple[Cell, ...]] = []
    for each in record["lifted"]:
        name, cores = each["program"], record["cores"].get(each["program"], {})
        for size in each["sizes"]:
            rows.append((name, "lifted", size["rows"], size["steps_per_second"]))
        long = each["long"]
        rows.append((f"{name}, long rows", "lifted", long["rows"], long["steps_per_second"]))
        if cores:
            what = f"lifted, {cores['cores']} cores"
            rows.append((name, what, None, cores["steps_per_second"]))
    weights = record.get("weights", {})
    for size in weights.get("sizes", []):
        rows.append(("mixed", "weights", size["rows"], size["steps_per_second"]))
    for each in record.get("check", []):
        names = " = ".join(each["functions"])
        rows.append((names, "lifted", each["inputs"], each["steps_per_second"]))
    notes = [*_equal(record), *record.get("problems", [])]
    here = {key: str(value) for key, value in record["machine"].items()}
    columns = ("program", "engine", "rows", "steps per second")
    return Report("gpu", "Many rows on a CUDA device", columns, rows, notes, here)


def _equal(record: dict[str, Any]) -> list[str]:
    """How many of the sampled rows were equal to `native`, for each program."""
    notes = []
    for each in record["lifted"]:
        least = min(each["equal"].values())
        notes.append(
            f"{each['program']}: of {each['sampled']} rows, results, steps, last token and memory "
            f"of {least} and hashes of all tokens of {each['hashes_equal']} are those of native."
        )
    if weights := record.get("weights"):
        notes.append(
            f"weights: of {weights['sampled']} rows of {weights['programs']} programs, hashes of "
            f"all tokens of {weights['hashes_equal']} are those of native."
        )
    return notes
