"""What `learn` is asked for: a name, a file, a function, or examples."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from transputer.errors import UsageError
from transputer.isa.integers import mask
from transputer.learning.custom import (
    from_examples,
    from_function,
    load_function,
    read_csv,
    read_json,
)
from transputer.learning.sygus import from_sygus
from transputer.learning.tasks import TASKS, Task, find_task
from transputer.machines.soft.config import require_width


def read_task(source: Any, **options: Any) -> Task:
    """The task that `learn` is asked for: a name, a file, a function, or examples."""
    if isinstance(source, Task):
        return source
    if callable(source):
        return from_function(source, **options)
    if isinstance(source, Mapping):
        pairs = [(k if isinstance(k, (tuple, list)) else (k,), v) for k, v in source.items()]
        return from_examples(pairs, **_without_inputs(options))
    if isinstance(source, (list, tuple)):
        pairs = [(i if isinstance(i, (tuple, list)) else (i,), r) for i, r in source]
        return from_examples(pairs, **_without_inputs(options))
    text = str(source)
    path, _, function = text.rpartition(":")
    if path.endswith(".py"):
        return from_function(load_function(Path(path), function), **options)
    if text.endswith(".py"):
        raise UsageError(f"{text}: say which function, as in {text}:NAME")
    if text.endswith((".csv", ".json", ".sl")):
        if not Path(text).is_file():
            raise UsageError(f"{text}: no such file")
        if text.endswith(".sl"):
            return from_sygus(Path(text), **_without_inputs(options))
        read = read_csv if text.endswith(".csv") else read_json
        return from_examples(read(Path(text)), Path(text).stem, **_without_inputs(options))
    return _named(text, options)


def _without_inputs(options: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("inputs", "arrays"):
        if options.get(name) is not None:
            raise UsageError(f"{name} are those of a Python function; examples show their own")
    return {k: v for k, v in options.items() if k not in ("inputs", "arrays")}


def _named(name: str, options: Mapping[str, Any]) -> Task:
    if name not in TASKS:
        close = "examples.csv, examples.json, FILE.py:FUNCTION or FILE.sl"
        raise UsageError(f"no task {name}; there are {', '.join(TASKS)}, or {close}")
    task = find_task(name)
    changes = {k: v for k, v in options.items() if k in ("registers", "length", "sketch") and v}
    if options.get("ops"):
        changes["ops"] = tuple(options["ops"])
    if options.get("numbers"):
        changes["numbers"] = tuple(n & mask(32) for n in options["numbers"])
        changes["given_numbers"] = True
    width = options.get("width") or task.target
    if width != task.target:
        require_width(width)
        changes["widths"] = tuple(dict.fromkeys((8, width)))
    return replace(task, **changes) if changes else task
