"""`transputer fuzz`."""

import json
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from transputer.check.fuzz.campaign import Tally
from transputer.check.fuzz_api import KINDS, fuzz_compared, replay
from transputer.check.fuzz_api import fuzz as run_fuzz
from transputer.runtime.trace.sessions import WEIGHTS

INTERRUPTED = 130
#: Where regressions go: into the tests of a checkout, else next to the user.
_TESTS, _HERE = Path("tests", "regressions"), Path("regressions")


@click.command()
@click.option("--kind", type=click.Choice(KINDS), default="both", show_default=True,
              help="WebAssembly modules, C programs, or both in turn.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0), metavar="S",
              help="Time budget (60 without --count); no new case starts after it.")  # fmt: skip
@click.option("--count", type=click.IntRange(0), metavar="N", help="Number of cases of each kind.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True,
              help="The first seed; the rest follow.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Processes that share the work.")  # fmt: skip
@click.option("--engine", default="native", show_default=True, metavar="|".join(WEIGHTS),
              help="What runs the weights.")  # fmt: skip
@click.option("--regressions", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Where differences are kept; tests/regressions where that is, else "
              "regressions.")  # fmt: skip
@click.option("--replay", "file", metavar="FILE", help="Only show what a regression does now.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def fuzz(
    kind: str,
    seconds: float | None,
    count: int | None,
    seed: int,
    jobs: int,
    engine: str,
    regressions: Path | None,
    file: str | None,
    as_json: bool,
) -> int:
    """Run random programs on everything, and compare.

    Random WebAssembly modules of all types run on wasmtime, on the oracle and, lowered, on the
    weights; random C programs also as this machine's C compiler makes them. Results, traps,
    output, memories, tables, globals and the number of instructions must be the same. A
    difference is made smaller and kept as a file; the exit code is then 1.
    """
    if file is not None:
        return _replay(file, engine, as_json)
    if seconds is None and count is None:
        seconds = 60.0
    started = time.monotonic()
    total, interrupted = Tally(), False
    with _bar() as progress:
        task = progress.add_task("", total=_total(kind, count))
        try:
            for tally in run_fuzz(
                kind=kind, count=count, seconds=seconds, seed=seed, jobs=jobs, engine=engine
            ):
                total.add(tally)
                _show(progress, task, total, seconds, time.monotonic() - started)
        except KeyboardInterrupt:
            interrupted = True
    folder = regressions or (_TESTS if _TESTS.is_dir() else _HERE)
    files = _keep(total, folder)
    took = time.monotonic() - started
    if as_json:
        compared = fuzz_compared(engine, kind)
        click.echo(json.dumps(_as_json(total, files, seed, compared, took, interrupted)))
    else:
        _report(total, files, seed, took, interrupted)
    if total.failures:
        return 1
    return INTERRUPTED if interrupted else 0


def _replay(file: str, engine: str, as_json: bool) -> int:
    problem = replay(file, engine)
    if as_json:
        click.echo(json.dumps({"file": file, "problem": problem}))
    else:
        click.echo(f"{file}: {problem or 'all agree'}")
    return 1 if problem else 0


def _total(kind: str, count: int | None) -> int | None:
    return None if count is None else count * (2 if kind == "both" else 1)


def _bar() -> Progress:
    """A progress bar on a terminal, nothing elsewhere."""
    screen = Console(stderr=True)
    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    return Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)


def _show(
    progress: Progress, task: Any, total: Tally, seconds: float | None, passed: float
) -> None:
    text = f"{total.modules:,} modules, {total.programs:,} C programs"
    if total.failures:
        text += f", {len(total.failures)} differences"
    if progress.tasks[0].total is None or (seconds and passed / seconds > 1):
        progress.update(task, description=text, completed=passed, total=seconds)
    else:
        progress.update(task, description=text, completed=total.modules + total.programs)


def _keep(total: Tally, folder: Path) -> list[str]:
    """Write every difference as a file."""
    files = []
    for failure in total.failures:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / failure.name
        path.write_bytes(failure.content)
        files.append(str(path))
    return files


def _as_json(
    total: Tally,
    files: list[str],
    seed: int,
    compared: list[str],
    seconds: float,
    interrupted: bool,
) -> dict[str, Any]:
    return {
        "modules": total.modules,
        "programs": total.programs,
        "calls": total.calls,
        "returned": total.returned,
        "traps": dict(total.traps),
        "instructions": total.instructions,
        "seed": seed,
        "compared": compared,
        "seconds": round(seconds, 3),
        "memory": total.memory,
        "mismatches": [
            {"problem": f.problem, "file": file, "again": f"transputer fuzz {f.reproduce}"}
            for f, file in zip(total.failures, files, strict=True)
        ],
        **({"interrupted": True} if interrupted else {}),
    }


def _report(total: Tally, files: list[str], seed: int, seconds: float, interrupted: bool) -> None:
    trapped = sum(total.traps.values())
    click.echo(f"modules       {total.modules:,}: {total.calls:,} calls, {trapped:,} traps")
    click.echo(f"C programs    {total.programs:,}")
    click.echo(f"instructions  {total.instructions:,}")
    click.echo(f"seeds         from {seed:,} on")
    stopped = ", interrupted" if interrupted else ""
    click.echo(f"took          {seconds:.0f} s{stopped}; {total.memory >> 20} MiB at most")
    click.echo(f"mismatches    {len(total.failures)}")
    for failure, file in zip(total.failures, files, strict=True):
        click.echo(f"  {failure.problem}")
        click.echo(f"transputer: replay it with: transputer fuzz --replay {file}", err=True)
