"""A recorded run as a static site, which opens from the disk with nothing installed."""

import base64
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transputer.errors import UsageError
from transputer.registry import machine as machine_named
from transputer.studio.assets import assets, examples
from transputer.studio.machines import languages, prepare, record, view_of

Json = dict[str, Any]
#: The step limit of a run, and the most steps that the site records.
STEPS, MOST = 20_000_000, 1500
#: The example to record if no file is given, and the example of the tour.
DEFAULT, TOUR = "Greatest common divisor", "Four instructions"
#: Files of the page that a site does not need.
_OMITTED = ("run.js", "sources.sha256", "wabt.js")


def export_site(
    folder: Path,
    file: str | None = None,
    invoke: str | None = None,
    args: Sequence[str] = (),
    machine: str = "trace",
) -> Path:
    """Write the site and return its page; raise `UsageError` if the folder cannot be written.

    `file` is a single source; by default, an example is recorded.
    """
    example = _example(DEFAULT) if file is None else _own(file, invoke, args, machine)
    return write_recorded(folder, [record_example(example), record_example(_example(TOUR))])


def write_recorded(folder: Path, runs: Sequence[Json]) -> Path:
    """Write the page with recorded runs and return it; raise `UsageError` if that fails."""
    packed = base64.b64encode(gzip.compress(json.dumps(list(runs)).encode(), mtime=0)).decode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, asset in assets().items():
            if name not in _OMITTED:
                (folder / name).write_bytes(asset.content)
        (folder / "run.js").write_text(f'globalThis.TRANSPUTER_RUN = "{packed}";\n')
    except OSError as problem:
        raise UsageError(f"{folder}: {problem.strerror}") from None
    return folder / "index.html"


def _example(title: str) -> Json:
    return next(example for example in examples() if example["title"] == title)


def _own(file: str, invoke: str | None, args: Sequence[str], machine: str) -> Json:
    """Return a file of the user in the form of an example."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{file}: cannot read it ({problem})") from None
    language = path.suffix.removeprefix(".")
    choices = languages(machine_named(machine))
    if language not in choices:
        kinds = ", ".join(f".{name}" for name in choices)
        raise UsageError(f"{file}: the {machine} machine's programs end in {kinds}")
    return {
        "group": "Recorded", "title": path.name, "language": language, "machine": machine,
        "source": text, "invoke": invoke or "", "args": list(args), "stdin": "",
    }  # fmt: skip


def record_example(example: Json) -> Json:
    """Return an example and the first MOST steps of its run."""
    prepared = prepare(example["machine"], example["source"], example["language"])
    debugger = record(
        prepared,
        example["invoke"] or None,
        example["args"],
        stdin=example["stdin"].encode(),
        max_steps=STEPS,
    )
    view = view_of(debugger)
    summary = view.summary() | {"about": {**prepared.about, "edits": 0}}
    steps = range(1, min(debugger.steps + 1, MOST) + 1)
    cut = debugger.steps + 1 > MOST
    if cut:
        summary["steps"] = MOST - 1
    address = summary["code"]["first_memory"]
    return {
        "example": example,
        "status": {
            "run": 1, "kind": "run", "phase": "done", "watched": 0, "seconds": 0.0,
            "stopped": f"recorded up to step {MOST:,}" if cut else "", **summary,
        },
        "looks": [view.look(step, address) for step in steps],
        "path": [view.place(step) for step in steps],
    }  # fmt: skip
