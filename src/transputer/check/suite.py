"""The official WebAssembly tests on any engine."""

from collections.abc import Callable, Mapping
from pathlib import Path

from transputer.check.spec import Score, find_folder, run_script, scripts
from transputer.errors import UsageError
from transputer.frontends.source import PathLike
from transputer.host.outcome import DEFAULT_STEPS
from transputer.isa.core import MAX_FRAMES
from transputer.runtime.trace.sessions import check_engine, new_session


def spec(
    path: PathLike | None = None,
    *,
    engine: str = "auto",
    max_steps: int = DEFAULT_STEPS,
    frames: int = MAX_FRAMES,
    progress: Callable[[str, Score], None] | None = None,
) -> Mapping[str, Score]:
    """Run the official WebAssembly tests; a score per file.

    Without a path, the folder named by TRANSPUTER_SPEC or the default one is used;
    `UsageError` if there is none. `frames` is how many calls may be open on the machine
    (the standard leaves that to implementations).
    """
    folder = find_folder() if path is None else Path(path)
    if folder is None:
        raise UsageError("no official tests found; name their folder, or set TRANSPUTER_SPEC")
    if not folder.exists():
        raise UsageError(f"{folder}: no such file or folder")
    check_engine(engine)
    scores: dict[str, Score] = {}
    for script in scripts(folder):
        scores[script.name] = run_script(
            script, lambda: new_session(engine, max_steps=max_steps, frames=frames)
        )
        if progress is not None:
            progress(script.name, scores[script.name])
    return scores
