"""The report of a benchmark: rows with their machine and commit, to print, save and plot."""

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transputer.errors import UsageError

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Report:
    """A table: a name for its files, columns, rows, and lines that follow it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    notes: list[str] = field(default_factory=list)
    machine: dict[str, Any] = field(default_factory=lambda: machine())

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON, with a dictionary per row."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {
            "bench": self.name,
            "title": self.title,
            "machine": self.machine,
            "rows": rows,
            "notes": self.notes,
        }

    def save(self, folder: str | Path) -> Path:
        """Write NAME.json into a folder; raise `UsageError` if it cannot be written."""
        path = Path(folder, f"{self.name}.json")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror or error}") from None
        return path

    def text(self) -> Sequence[Sequence[str]]:
        """Return the rows as text."""
        return [[_text(cell) for cell in row] for row in self.rows]


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if cell >= 1000 else f"{cell:.3g}"
    return cell


def machine() -> dict[str, Any]:
    """Return the machine, the commit and the load of this measurement."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load": [round(load, 1) for load in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        "commit": _commit(),
    }


def _cpu() -> str:
    """The name of the processor; that of an ARM core is what `lscpu` makes of its numbers."""
    lines = _said("lscpu").splitlines()
    with suppress(OSError):
        lines += Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(":") for line in lines)
    names = (text.strip() for key, _, text in pairs if key.strip().lower() == "model name")
    return next(names, "") or platform.processor() or "unknown"


def _commit() -> str:
    """Return the commit of this package's checkout, with + if the tree is modified."""
    place = str(Path(__file__).parent)
    return (
        _said("git", "-C", place, "describe", "--always", "--dirty=+", "--exclude=*") or "unknown"
    )


def _said(*command: str) -> str:
    """Return what a command printed; nothing if it cannot run."""
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.strip()
