"""A recorded run as a static site: opens from the disk, with nothing installed."""

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
#: Steps that are run at most, and of which so many are recorded.
STEPS, MOST = 20_000_000, 1500
#: What is shown where no file is given, and what the tour is about.
SHOWN, TOUR = "Greatest common divisor", "Four instructions"
#: Files of the page that a site does not need.
_LEFT = ("run.js", "sources.sha256")


def export_site(
    folder: Path,
    file: str | None = None,
    invoke: str | None = None,
    args: Sequence[str] = (),
    machine: str = "trace",
) -> Path:
    """Write the site and return its page; `UsageError` where the folder cannot be written.

    `file` is a single source; without one an example is recorded.
    """
    chosen = _example(SHOWN) if file is None else _own(file, invoke, args, machine)
    runs = [recorded(chosen), recorded(_example(TOUR))]
    packed = base64.b64encode(gzip.compress(json.dumps(runs).encode(), mtime=0)).decode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, asset in assets().items():
            if name not in _LEFT:
                (folder / name).write_bytes(asset.content)
        (folder / "run.js").write_text(f'globalThis.TRANSPUTER_RUN = "{packed}";\n')
    except OSError as problem:
        raise UsageError(f"{folder}: {problem.strerror}") from None
    return folder / "index.html"


def _example(title: str) -> Json:
    return next(one for one in examples() if one["title"] == title)


def _own(file: str, invoke: str | None, args: Sequence[str], machine: str) -> Json:
    """A file of the user's, as an example."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{file}: cannot be read ({problem})") from None
    language = path.suffix.removeprefix(".")
    known = languages(machine_named(machine))
    if language not in known:
        kinds = ", ".join(f".{name}" for name in known)
        raise UsageError(f"{file}: the {machine} machine's programs end in {kinds}")
    return {
        "group": "Recorded", "title": path.name, "language": language, "machine": machine,
        "source": text, "invoke": invoke or "", "args": list(args), "stdin": "",
    }  # fmt: skip


def recorded(example: Json) -> Json:
    """An example and every step of its run, as far as there is room."""
    prepared = prepare(example["machine"], example["source"], example["language"])
    made = record(
        prepared,
        example["invoke"] or None,
        example["args"],
        stdin=example["stdin"].encode(),
        max_steps=STEPS,
    )
    view = view_of(made)
    summary = view.summary() | {"about": {**prepared.about, "edits": 0}}
    shown = range(1, min(made.steps + 1, MOST) + 1)
    cut = made.steps + 1 > MOST
    if cut:
        summary["steps"] = MOST - 1
    address = summary["code"]["first_memory"]
    return {
        "example": example,
        "status": {
            "run": 1, "kind": "run", "phase": "done", "watched": 0, "seconds": 0.0,
            "stopped": f"recorded up to step {MOST:,}" if cut else "", **summary,
        },
        "looks": [view.look(step, address) for step in shown],
        "path": [view.place(step) for step in shown],
    }  # fmt: skip
