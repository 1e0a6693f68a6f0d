"""`python -m transputer.check.fuzz`: random modules and damaged ones, against wasmtime."""

import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from transputer.check.fuzz.campaign import Batch, Tally, batches, run_batch
from transputer.check.fuzz.values import ALL, Types, spelled, types_named


@click.command()
@click.option("--modules", default=200, show_default=True, help="Random modules to run.")
@click.option("--mutations", default=500, show_default=True, help="Damaged modules to judge.")
@click.option("--seed", default=1, show_default=True, help="The first seed; the rest follow.")
@click.option("--types", default=spelled(ALL), help="Value types that modules use, as i32,i64.")
@click.option("--jobs", default=1, show_default=True, help="Processes that share the work.")
@click.option(
    "--failures",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the modules that show a problem.",
)
def main(
    modules: int, mutations: int, seed: int, types: str, jobs: int, failures: Path | None
) -> None:
    """Compare the oracle and core code with wasmtime; exit 1 on any difference."""
    started = time.monotonic()
    total = Tally()
    work = batches(modules, mutations, seed, types=_types(types))
    with bar() as progress:
        task = progress.add_task("", total=modules + mutations)
        for tally in run(work, jobs):
            total.add(tally)
            progress.advance(task, tally.modules + tally.mutations)
    report(total, time.monotonic() - started)
    if failures:
        keep(total, failures)
    sys.exit(1 if total.failures else 0)


def _types(text: str) -> Types:
    try:
        return types_named(text)
    except ValueError as error:
        problem = f"{error}; there are {spelled(ALL)}"
        raise click.BadParameter(problem, param_hint="--types") from error


def bar() -> Progress:
    """A progress bar on a terminal, nothing elsewhere."""
    screen = Console(stderr=True)
    columns = TextColumn("modules and mutations"), BarColumn(), MofNCompleteColumn()
    return Progress(*columns, TimeRemainingColumn(), console=screen, disable=not screen.is_terminal)


def run(work: list[Batch], jobs: int) -> Iterator[Tally]:
    """The tally of every batch, in order whatever process did it."""
    if jobs <= 1:
        yield from map(run_batch, work)
        return
    context = multiprocessing.get_context("spawn")  # wasmtime's threads do not survive a fork
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(run_batch, work)


def report(total: Tally, seconds: float, command: str = "transputer.check.fuzz") -> None:
    """Print what was done and what was found, and how to see it again."""
    print(f"modules       {total.modules:,}")
    print(f"calls         {total.calls:,}, of which {total.returned:,} returned")
    print(f"instructions  {total.instructions:,}")
    for trap, count in total.traps.most_common():
        print(f"  trap        {count:,} {trap}")
    print(f"mutations     {total.mutations:,}")
    for verdict, count in total.verdicts.most_common():
        print(f"  {verdict:<11} {count:,}")
    for difference, count in total.differences.most_common():
        print(f"  documented  {count:,} {difference}")
    print(f"took          {seconds:.0f} s; the slowest one {total.slowest:.2f} s")
    print(f"memory        {total.memory >> 20} MiB at most")
    print(f"mismatches    {len(total.failures)}")
    for failure in total.failures:
        print(f"  {failure.problem}\n    python -m {command} {failure.reproduce}")


def keep(total: Tally, folder: Path) -> None:
    """Write every failure as a file that reproduces it."""
    for failure in total.failures:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / failure.name).write_bytes(failure.content)


if __name__ == "__main__":
    main()
