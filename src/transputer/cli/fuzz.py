"""`transputer fuzz`."""

import json
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from transputer.check.fuzz.campaign import Tally
from transputer.check.fuzz.run import FUZZ_ENGINES, FUZZ_KINDS, fuzz_compared, replay
from transputer.check.fuzz.run import fuzz as run_fuzz

INTERRUPTED = 130
#: Folders for regressions: the tests of a checkout, else the working directory.
_TESTS, _HERE = Path("tests", "regressions"), Path("regressions")


@click.command()
@click.option("--kind", type=click.Choice(FUZZ_KINDS), default="all", show_default=True,
              help="Kind of cases; all takes turns.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0), metavar="S",
              help="Time budget; no new case starts after it [60 unless --count].")  # fmt: skip
@click.option("--count", type=click.IntRange(0), metavar="N",
              help="Number of cases of each kind.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, metavar="N",
              help="Seed of the first case; the next case has the next seed.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="Number of processes.")  # fmt: skip
@click.option("--engine", default="native", show_default=True, metavar="|".join(FUZZ_ENGINES),
              help="Engine that runs the weights; auto changes tiers at once.")  # fmt: skip
@click.option("--regressions", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Folder for regression files; by default tests/regressions in a checkout, else "
              "regressions.")  # fmt: skip
@click.option("--replay", "file", metavar="FILE", help="Run one regression file instead.")
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
    """Run random programs on every implementation and compare.

    Kinds: modules and C programs on wasmtime, the oracle and the weights; lowering of modules,
    without weights; mutations, damaged modules that our verifier and wasmtime must both accept or
    both refuse; smallc, small C on the loom and the soft machine against a C compiler. Results,
    traps, output, memories, tables, globals and the number of instructions must be equal. A
    difference is shrunk and saved as a file; the exit code is then 1.
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
    return None if count is None else count * (len(FUZZ_KINDS) - 1 if kind == "all" else 1)


def _bar() -> Progress:
    """A progress bar on a terminal, nothing elsewhere."""
    screen = Console(stderr=True)
    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    return Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)


def _show(
    progress: Progress, task: Any, total: Tally, seconds: float | None, passed: float
) -> None:
    text = ", ".join(f"{kind} {count:,}" for kind, count in total.cases.items())
    if total.failures:
        text += f", {len(total.failures)} differences"
    if progress.tasks[0].total is None or (seconds and passed / seconds > 1):
        progress.update(task, description=text, completed=passed, total=seconds)
    else:
        progress.update(task, description=text, completed=total.cases.total())


def _keep(total: Tally, folder: Path) -> list[str]:
    """Write each difference to a file; return the names of the files."""
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
        "modules": total.cases["modules"],
        "programs": total.cases["c"],
        "cases": dict(total.cases),
        "outcomes": dict(total.outcomes),
        "documented": dict(total.differences),
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
    for kind, count in total.cases.items():
        click.echo(f"{kind:<13} {count:,}")
    click.echo(f"calls         {total.calls:,}, of which {trapped:,} trapped")
    click.echo(f"instructions  {total.instructions:,}")
    for outcome, count in (total.outcomes + total.differences).most_common():
        click.echo(f"  {count:,} {outcome}")
    click.echo(f"first seed    {seed:,}")
    stopped = ", interrupted" if interrupted else ""
    click.echo(f"time          {seconds:.0f} s{stopped}; peak memory {total.memory >> 20} MiB")
    click.echo(f"mismatches    {len(total.failures)}")
    for failure, file in zip(total.failures, files, strict=True):
        click.echo(f"  {failure.problem}")
        click.echo(f"transputer: replay it with: transputer fuzz {failure.again(file)}", err=True)
